import { limit } from '../../../../generated/catalogue.ts';
import type { CheckContext } from '../../../check/context.ts';
import { Inconclusive } from '../../../errors/outcomes.ts';
import { wrongHeaderValues } from '../../../values/parameters.ts';
import { printed } from '../../../values/printed.ts';
import type { Answer } from '../../../wire/exchange.ts';
import type { AuthenticationRule, Way } from '../rule.ts';

/** Half of the time window around the target's clock, in milliseconds. */
export const timeWindow = limit('auth.timestamp.window', 'max');

/** How far from the edge of the time window requests are sent, in milliseconds, because clocks and networks are not exact. */
export const margin = 10_000;

/** Throws `Inconclusive` when an exchange took so long that its timestamp may have left or entered the window on its way. */
export function needPrompt(context: CheckContext, answer: Answer): void {
  const { durationMs } = context.transport.exchanges[answer.exchange - 1] ?? { durationMs: 0 };
  if (durationMs * 2 < margin) return;
  throw new Inconclusive(
    `the answer took ${durationMs} ms, too long to tell a timestamp inside the window from one outside`,
  );
}

const twoHours = 7_200_000;

/** A request that carries this timestamp, and is signed for it. */
const at = (words: string, timestamp: string): Way => ({ words, change: (request) => ({ ...request, timestamp }) });

const outside = (name: string, words: string, direction: -1 | 1): AuthenticationRule => ({
  name,
  words,
  requirements: () => ['auth.timestamp.window'],
  refusal: 'failed-authentication',
  underTakenId: true,
  ways: ({ context }) =>
    [timeWindow + margin, twoHours].map((distance) =>
      at(
        `with an X-Timestamp ${distance / 1000} s ${direction < 0 ? 'before' : 'after'} the target's clock`,
        String(context.now() + direction * distance),
      ),
    ),
});

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
        ...wrongHeaderValues('X-Timestamp', String(now), context.random).map(
          ({ value, valueClass }) => [value, valueClass.title] as const,
        ),
      ];
      return forms.map(([value, what]) => at(words(value, what), value));
    },
  },
];
