import { limit } from '../../../../generated/catalogue.ts';
import { Inconclusive } from '../../../errors/outcomes.ts';
import { wrongHeaderValues } from '../../../values/parameters.ts';
import { printed } from '../../../values/printed.ts';
import type { AuthenticationRule, Way } from '../rule.ts';

/** Half of the time window around the target's clock, in milliseconds. */
export const timeWindow = limit('auth.timestamp.window', 'max');

/** How far from the edge of the time window requests are sent, in milliseconds, because clocks and networks are not exact. */
export const margin = 10_000;

/**
 * Throws `Inconclusive` when the answer came so late that the timestamp of its request may have left or entered the window meanwhile. `made`:
 * when the timestamp was made, in milliseconds of the process.
 */
export function needPrompt(made: number): void {
  const taken = Math.round(performance.now() - made);
  if (taken * 2 < margin) return;
  throw new Inconclusive(
    `the answer took ${taken} ms, too long to tell a timestamp inside the window from one outside`,
  );
}

/**
 * How far outside of the time window requests are sent, in milliseconds: at its edge, two hours, which a target may take for a time zone, a day,
 * after which the time of day is the same, and as many milliseconds as a number of 32 bits takes for none.
 */
const distances = [timeWindow + margin, 7_200_000, 86_400_000, 2 ** 32];

/** A request that carries the timestamp that `make` gives when it is sent, and is signed for it. */
const atOnce = (words: string, make: () => string): Way => ({
  words,
  change: (request) => ({ ...request, timestamp: make() }),
});

/** The same with a timestamp that need not be of the moment. */
const at = (words: string, timestamp: string): Way => atOnce(words, () => timestamp);

const outside = (name: string, words: string, direction: -1 | 1): AuthenticationRule => ({
  name,
  words,
  requirements: () => ['auth.timestamp.window'],
  refusal: 'failed-authentication',
  underTakenId: true,
  ways: ({ context }) =>
    distances.map((distance) =>
      atOnce(`with an X-Timestamp ${distance / 1000} s ${direction < 0 ? 'before' : 'after'} the target's clock`, () =>
        String(context.now() + direction * distance),
      ),
    ),
});

/** The number of a timestamp as languages write it otherwise, each of which some function that reads numbers takes. */
function otherNotations(now: number): (readonly [value: string, what: string])[] {
  const [hexadecimal, octal, binary] = [16, 8, 2].map((base) => now.toString(base));
  const threes = (separator: string) => String(now).replace(/\B(?=([0-9]{3})+$)/g, separator);
  return [
    ...[
      // Also as long as the timestamp itself, where a reader counts characters first.
      ...[`$${hexadecimal}`, `$${hexadecimal?.padStart(12, '0')}`],
      `#${hexadecimal}`,
      `&H${hexadecimal}`,
      `x${hexadecimal}`,
      `0X${hexadecimal?.toUpperCase()}`,
    ].map((value) => [value, 'in hexadecimal digits'] as const),
    ...[`0${octal}`, `0o${octal}`, `&${octal}`].map((value) => [value, 'in octal digits'] as const),
    ...[`0b${binary}`, `%${binary}`].map((value) => [value, 'in binary digits'] as const),
    ...['_', ',', "'"].map((separator) => [threes(separator), 'with separators between its thousands'] as const),
    ...[`${now}n`, `${now}L`].map((value) => [value, 'with the mark of a type of numbers behind it'] as const),
    [`${now / 1e12}e12`, 'with an exponent'],
    [`${now / 1000}`, 'in seconds with a fraction'],
    [`${now}ms`, 'with a unit behind it'],
    [`000${now}`, 'with zeros in front'],
  ];
}

/** Requests whose X-Timestamp is outside of the time window or has another form. */
export const timestampRules: readonly AuthenticationRule[] = [
  outside('too-old', 'signed more than five minutes ago', -1),
  outside('too-early', 'signed for a time more than five minutes ahead', 1),
  {
    name: 'timestamp-seconds',
    words: 'whose X-Timestamp is in seconds',
    requirements: () => ['auth.timestamp.form'],
    refusal: 'malformed-header',
    ways: ({ context }) => [at('whose X-Timestamp is in seconds', String(Math.floor(context.now() / 1000)))],
  },
  {
    name: 'timestamp-form',
    words: 'whose X-Timestamp is not 13 digits',
    requirements: () => ['auth.timestamp.form'],
    refusal: 'malformed-header',
    ways: ({ context }) => {
      const now = context.now();
      const words = (value: string, what: string) => `whose X-Timestamp is ${what}: ${printed(value)}`;
      const forms: readonly (readonly [value: string, what: string])[] = [
        [new Date(now).toISOString(), 'in ISO 8601'],
        [`${now}000`, 'in microseconds'],
        ['now', 'no number'],
        ...otherNotations(now),
        ...wrongHeaderValues('X-Timestamp', String(now), context.random).map(
          ({ value, valueClass }) => [value, valueClass.title] as const,
        ),
      ];
      return forms.map(([value, what]) => at(words(value, what), value));
    },
  },
];
