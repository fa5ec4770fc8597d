import { type Constraint, limit, limits, type RequirementId } from '../../generated/catalogue.ts';

/** A part of a request that breaks a constraint. */
export interface Finding {
  /** Where it is, such as `/body/items/0/quantity`. */
  path: string;
  message: string;
  /** The keyword of the broken constraint. */
  keyword: string;
  /** The part itself; `undefined` where it is missing. No message repeats it. */
  value: unknown;
}

/** What the words about a finding are made of. */
interface Broken {
  value: unknown;
  /** The last step of the path to the value, such as `quantity`. */
  name: string;
  constraint: Constraint;
  /** All constraints of the same field. */
  ofField: readonly Constraint[];
}

/** What the value must be and, where that does not say it, what to do; `undefined` for a constraint that has no words. */
export function inWords(broken: Broken): string | undefined {
  return words[broken.constraint.keyword]?.(broken);
}

const words: Readonly<Record<string, (broken: Broken) => string | undefined>> = {
  required: () => 'must be given',
  type: typeWords,
  oneOf: typeWords,
  anyOf: formWords,
  pattern: formWords,
  format: formWords,
  enum: ({ constraint }) => `must be one of ${[constraint.value].flat().join(', ')}`,
  const: ({ constraint }) => `must be ${constraint.value}`,
  minLength: ({ value, constraint, ofField }) =>
    constraint.value === 1 ? 'must not be empty' : `${lengthDuty(ofField)}; it has ${lengthOf(value)}`,
  maxLength: ({ value, ofField }) => `${lengthDuty(ofField)}; it has ${lengthOf(value)}`,
  minItems: ({ constraint }) => `must have at least ${entries(constraint.value)}`,
  maxItems: ({ value, constraint }) => `must have at most ${entries(constraint.value)}; it has ${lengthOf(value)}`,
  exclusiveMinimum: ({ constraint }) => `must be above ${constraint.value}`,
  contentMediaType: () => 'must be JSON text, such as {"cart":7}; send what a function such as JSON.stringify gives',
  'x-decimal.minimum': ({ constraint }) => `must be at least ${constraint.value}`,
  'x-decimal.maximum': ({ constraint }) => `must be at most ${constraint.value}`,
  'x-decimal.exclusiveMinimum': ({ constraint }) => `must be above ${constraint.value}`,
  'x-decimal.exclusiveMaximum': ({ constraint }) => `must be below ${constraint.value}`,
};

const entries = (count: unknown) => (count === 1 ? '1 entry' : `${count} entries`);

/** Characters are counted as the contract counts them, which is not how JavaScript does. */
const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : [...String(value)].length);

function lengthDuty(ofField: readonly Constraint[]): string {
  const [least, most] = ['minLength', 'maxLength'].map((keyword) => ofField.find((each) => each.keyword === keyword));
  if (least && most) return `must have ${least.value} to ${most.value} characters`;
  return most ? `must have at most ${most.value} characters` : `must have at least ${least?.value} characters`;
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  integer: 'a whole number',
  null: 'null',
  object: 'an object',
  string: 'text',
};

/** Amounts and shares are text. This is how one looks. */
const amountExamples: Readonly<Record<string, string>> = {
  amount: '25.50',
  price: '25.50',
  settlementRatio: '0.95',
  value: '25.50',
};

function typeWords({ value, name, ofField }: Broken): string {
  const types = ofField.flatMap((each) => (each.keyword === 'type' ? each.value : [])).map(String);
  if (ofField.some((each) => each.keyword === 'oneOf')) types.push('null');
  const duty = `must be ${types.map((type) => typeNames[type] ?? type).join(' or ')}`;
  const isText = types.includes('string');
  if (value === null) {
    const isRequired = ofField.some((each) => each.keyword === 'required');
    return isRequired ? `${duty}, not null` : `${duty}, not null; leave it out`;
  }
  if (isText && name in amountExamples) return `${duty}; write it in quotes, such as "${amountExamples[name]}"`;
  if (isText && typeof value !== 'object') return `${duty}; write it in quotes`;
  if (isText && (name === 'metadata' || name === 'extraData')) {
    return `${duty}; send the JSON as text, which is what a function such as JSON.stringify gives`;
  }
  if (types.includes('integer') && typeof value === 'string') return `${duty}; write it without quotes`;
  return types.includes('integer') ? `${duty}, such as 2` : duty;
}

const webhookAddress =
  'with a host and, where it has a port, one from 1 to 65535, such as https://shop.example/webhooks';

/** The contract says it as a pattern, such as `[^.]{0,18}`. */
const mostDecimalPlaces = /,([0-9]+)\}/.exec(String(limits['orders.amount.decimal-places'].value))?.[1];

/** What the requirements on the form of a text ask for. Nobody reads it off their patterns. */
const forms: Partial<Record<RequirementId, string>> = {
  'orders.amount.decimal-places': `must have at most ${mostDecimalPlaces} decimal places`,
  'orders.amount.currency-form': `must be ${limit('orders.amount.currency-length', 'min')} to ${limit('orders.amount.currency-length', 'max')} upper-case letters and digits, such as USDT`,
  'orders.create.merchant-order-id.characters': 'must have only letters, digits, _ and -',
  'checkout.create.merchant-order-id.characters': 'must have only letters, digits, _ and -',
  'orders.create.url-forms': 'must be an absolute address of http or https, such as https://shop.example/thanks',
  'orders.create.callback-url.https': `must be an absolute address of https ${webhookAddress}`,
  'checkout.create.callback-url.form': `must be an absolute address of http or https ${webhookAddress}`,
  'refunds.create.notify-url.form': `must be an absolute address of http or https ${webhookAddress}`,
  'orders.create.customer-ip.form': 'must be an IPv4 or IPv6 address, such as 203.0.113.7',
  'orders.create.sub-merchants.mcc': 'must be four digits, such as 5411',
};

const exampleTime = '2026-12-31T23:59:59Z';

function formWords({ value, name, constraint }: Broken): string | undefined {
  if (constraint.value === 'date-time') return timeWords(String(value));
  if (constraint.requirement !== 'general.amount-text') return forms[constraint.requirement];
  const example = amountExamples[name] ?? '25.50';
  return `must be decimal text such as ${example}: digits with at most one point between them, no sign, exponent, space or comma`;
}

/** A time of RFC 3339 up to its zone. */
const localTime = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?$/;
const zone = /([Zz]|[+-]\d{2}:\d{2})$/;

/** What is wrong about a text that is no time. */
function timeWords(text: string): string {
  if (localTime.test(text)) return `must say its time zone; end it with Z for UTC, such as ${exampleTime}`;
  if (localTime.test(text.replace(zone, '')))
    return 'must be a date and a time that exist; correct the one that does not';
  return `must be a time of RFC 3339 with a time zone, such as ${exampleTime}`;
}
