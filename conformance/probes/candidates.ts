import type { Constraint, Json } from '../../generated/catalogue.ts';
import { addDecimals, isDecimalText, subtractDecimals } from '../contract/decimals.ts';
import { isObject } from '../contract/json.ts';

/** Values that may show whether a constraint is kept. */
export interface Candidates {
  /** Values at the edge of what the constraint allows. */
  allowed: unknown[];
  /** Values beyond it. */
  broken: unknown[];
}

type Maker = (bound: Json, sample: unknown) => Candidates;

const broken = (...values: unknown[]): Candidates => ({ allowed: [], broken: values });

/** The last `length` characters of a text: the ids of a run differ in their last characters. */
const tail = (text: string, length: number) => (length > 0 ? text.slice(-length) : '');

/** By how much money lies beyond a bound: an amount that every currency has. */
const cent = '0.01';

const makers: Readonly<Record<string, Maker>> = {
  required: () => broken(undefined),
  type: (type) => broken(...otherTypes([type].flat())),
  minLength: (bound, sample) => {
    const [length, text] = [Number(bound), String(sample)];
    return { allowed: [tail(text, length)], broken: [tail(text, length - 1)] };
  },
  maxLength: (bound, sample) => {
    const [length, text] = [Number(bound), String(sample)];
    const grow = (to: number) => grown(text, to);
    return { allowed: [grow(length)], broken: [grow(length + 1)] };
  },
  pattern: (_bound, sample) => broken(...mutations(String(sample))),
  enum: (values) => ({
    allowed: [values].flat(),
    broken: ['EUR', 'NOT_IN_THE_LIST', ...[values].flat().map((value) => String(value).toLowerCase())],
  }),
  const: (value) => ({ allowed: [value], broken: ['NOT_IN_THE_LIST', String(value).toLowerCase()] }),
  minItems: (bound, sample) => ({
    allowed: [entries(sample, Number(bound))],
    broken: Number(bound) > 0 ? [entries(sample, Number(bound) - 1)] : [],
  }),
  maxItems: (bound, sample) => ({
    allowed: [entries(sample, Number(bound))],
    broken: [entries(sample, Number(bound) + 1)],
  }),
  format: (format) => broken(format === 'date-time' ? 'tomorrow' : 'not what it should be'),
  anyOf: () => broken('not-an-address', '999.1.1.1'),
  minimum: (bound) => ({ allowed: [bound], broken: [Number(bound) - 1] }),
  maximum: (bound) => ({ allowed: [bound], broken: [Number(bound) + 1] }),
  exclusiveMinimum: (bound) => ({ allowed: [Number(bound) + 1], broken: [bound, Number(bound) - 1] }),
  contentMediaType: () => broken('{"not": JSON'),
  'x-decimal.minimum': (bound) => ({ allowed: [bound], broken: [subtractDecimals(String(bound), cent)] }),
  'x-decimal.maximum': (bound) => ({ allowed: [bound], broken: [addDecimals([String(bound), cent])] }),
  'x-decimal.exclusiveMinimum': (bound) => ({
    allowed: [addDecimals([String(bound), cent])],
    broken: [bound, subtractDecimals(String(bound), cent)],
  }),
};

/** Values for a constraint, made from a sample that keeps it. A keyword without a maker has none. */
export function candidates({ keyword, value }: Constraint, sample: unknown): Candidates {
  return makers[keyword]?.(value, sample) ?? broken();
}

/** A text of the same form with `length` characters: JSON stays JSON, a URL a URL, and decimal text the same amount. */
function grown(text: string, length: number): string {
  if (text.startsWith('{')) return JSON.stringify({ text: 'a'.repeat(length - '{"text":""}'.length) });
  const isAmount: boolean = isDecimalText(text);
  return isAmount ? text.padStart(length, '0') : text.padEnd(length, 'a');
}

/** A list with `count` entries, those of the sample first, then copies of its last object or different texts. */
function entries(sample: unknown, count: number): unknown[] {
  const own = Array.isArray(sample) ? sample.slice(0, count) : [];
  const last: unknown = own.at(-1);
  if (isObject(last)) return Array.from({ length: count }, (_, index) => own[index] ?? last);
  return [...own, ...Array.from({ length: count - own.length }, (_, index) => `assay-no-such-entry-${index}`)];
}

function otherTypes(types: Json[]): unknown[] {
  const values: [type: string, value: unknown][] = [
    ['integer', 17],
    ['null', null],
    ['string', 'text'],
    ['array', ['text']],
    ['object', { text: 'text' }],
  ];
  const fits = (type: string) => types.includes(type) || (type === 'integer' && types.includes('number'));
  return values.filter(([type]) => !fits(type)).map(([, value]) => value);
}

/** Changes of a text, small ones first. Most patterns refuse at least one of them. */
function mutations(text: string): string[] {
  const [whole = '', places = ''] = text.split('.');
  return [
    `${text.slice(0, -1)}!`,
    `${text.slice(0, -1)} `,
    `ż${text.slice(1)}`,
    text.toLowerCase(),
    text.replace(/^https:/i, 'http:'),
    text.replace(/^https?:/i, 'ftp:'),
    `${whole}.${places.padEnd(19, '1')}`,
    `-${text}`,
    text.slice(0, -1),
    `${text}0`,
    '',
  ].filter((mutation) => mutation !== text);
}
