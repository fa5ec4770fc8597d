import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import schema from './history.schema.json' with { type: 'json' };
import type { Lines, RecordName } from './history-schema.ts';
import { readHistory, writeHistory } from './ndjson.ts';
import type { AskedEvent, Body, Money, StepResult } from './records.ts';

const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);

type Optional<Type> = { [Key in keyof Type]-?: undefined extends Type[Key] ? Key : never }[keyof Type];
/** A value with every field, and which of the fields are optional: a field that the type gets or loses does not compile here. */
type Whole<Type> = { fields: Required<Type>; optional: Record<Optional<Type>, true> };

const span = { start: 1, end: 2.5 };
const body: Whole<Body> = { fields: { text: '{}', cut: true }, optional: { cut: true } };
const event: Whole<AskedEvent> = {
  fields: {
    type: 'transaction_detected',
    amount: '1.00',
    paymentMethod: 'p',
    network: 'n',
    fromAddress: 'a',
    transactionHash: 'h',
    errorCode: 'NETWORK_UNAVAILABLE',
    reason: 'timeout',
  },
  optional: {
    amount: true,
    paymentMethod: true,
    network: true,
    fromAddress: true,
    transactionHash: true,
    errorCode: true,
    reason: true,
  },
};
const money: Whole<Money> = { fields: { value: '1.00', currency: 'USDT' }, optional: {} };
const { type: _type, reason: _reason, errorCode: _errorCode, ...payment } = event.fields;
const results: StepResult[] = [
  { done: true },
  { done: true, due: money.fields, payment },
  { done: false, message: 'm' },
  { failed: 'f' },
];

const headers = { 'content-type': 'application/json' };
const whole: { [Name in RecordName]: Whole<Lines[Name]> } = {
  run: {
    fields: {
      kind: 'run',
      version: 1,
      records: 6,
      suite: '1.0.0',
      target: 'https://a.example',
      seed: 1,
      startedAt: 1,
      clockAhead: -2000,
      settle: 1,
      webhookWait: 1,
      pins: { 'checkout-repeat': 'refused' },
    },
    optional: {},
  },
  request: {
    fields: {
      ...span,
      kind: 'request',
      check: 'orders.create.minimal',
      operation: 'orders.create',
      parameters: { merchantId: 'M-1' },
      as: 'M-1',
      authentication: 'right',
      method: 'POST',
      path: '/api/v1/merchants/M-1/orders',
      query: 'a=b',
      headers,
      body: body.fields,
      answer: { status: 200, headers, body: { text: '{}' } },
      error: 'ECONNRESET',
    },
    optional: { check: true, operation: true, parameters: true, query: true, body: true, answer: true, error: true },
  },
  provisionMerchant: {
    fields: { ...span, kind: 'driver', step: 'provisionMerchant', settings: {}, merchantId: 'M-1', failed: 'f' },
    optional: { merchantId: true, failed: true },
  },
  orderEvent: {
    fields: {
      ...span,
      kind: 'driver',
      step: 'orderEvent',
      merchantId: 'M-1',
      orderId: 'o',
      event: event.fields,
      result: { done: true },
    },
    optional: {},
  },
  refundEvent: {
    fields: {
      ...span,
      kind: 'driver',
      step: 'refundEvent',
      merchantId: 'M-1',
      refundOrderId: 'r',
      event: { type: 'started' },
      result: { done: true },
    },
    optional: {},
  },
  restart: {
    fields: { ...span, kind: 'driver', step: 'restart', failed: 'f' },
    optional: { failed: true },
  },
  clock: {
    fields: { ...span, kind: 'clock', merchantId: 'M-1', seconds: 60, failed: 'f' },
    optional: { failed: true },
  },
  webhook: {
    fields: {
      ...span,
      kind: 'webhook',
      check: 'webhooks.order.paid',
      address: 'https://b.example/w',
      target: '/w',
      method: 'POST',
      headers,
      body: body.fields,
      answered: 'no-answer',
      location: 'https://b.example/elsewhere',
    },
    optional: { check: true, location: true },
  },
  handshake: { fields: { ...span, kind: 'handshake', error: 'ECONNRESET' }, optional: {} },
};

/** The fields of an object in the schema, as the types above name them. */
const namesIn = ({ fields, optional }: { fields: object; optional: object }) => ({
  all: Object.keys(fields).sort(),
  required: Object.keys(fields)
    .filter((name) => !Object.hasOwn(optional, name))
    .sort(),
});
const namesOf = ({ properties, required = [] }: { properties: object; required?: string[] }) => ({
  all: Object.keys(properties).sort(),
  required: required.toSorted(),
});

describe('the schema of histories', () => {
  it.each(Object.entries({ ...whole, body, event, money }))('has the fields of the type %s', (name, type) => {
    const definition = Object.entries(schema.$defs).find(([each]) => each === name)?.[1];
    if (!definition || !('properties' in definition)) throw new Error(`the schema defines no object ${name}`);
    expect(namesOf(definition)).toEqual(namesIn(type));
  });

  it.each(Object.entries(whole))('accepts a %s with every field, and none without a required one', (_name, type) => {
    expect(validate(type.fields), JSON.stringify(validate.errors)).toBe(true);
    for (const name of namesIn(type).required) expect(validate({ ...type.fields, [name]: undefined })).toBe(false);
  });

  it('accepts everything that a driver can answer, and nothing that contradicts itself', () => {
    const answering = (result: object) => validate({ ...whole.orderEvent.fields, result });
    for (const result of results) expect(answering(result), JSON.stringify(result)).toBe(true);
    for (const result of [{}, { done: false }, { done: true, message: 'm' }, { done: true, failed: 'f' }]) {
      expect(answering(result), JSON.stringify(result)).toBe(false);
    }
  });
});

describe('reading a history', () => {
  const { records: _count, ...run } = whole.run.fields;
  const text = writeHistory({ run, records: [whole.request.fields, whole.clock.fields] });
  const [first = '', ...others] = text.trimEnd().split('\n');
  const withLine = (line: object) => `${[first, others[0], JSON.stringify(line)].join('\n')}\n`;
  const clock = whole.clock.fields;

  it('gives what was written', () => {
    expect(readHistory(text, 'h')).toEqual({ run, records: [whole.request.fields, whole.clock.fields] });
  });

  it.each([
    ['nothing', '', 'h is no history: its first line must be the record of a run'],
    ['another file', '{"outcome":"conformant"}\n', 'h is no history'],
    ['another version', first.replace('"version":1', '"version":9'), 'h is a history of another version'],
    ['a cut file', `${first}\n${others[0]}\n`, 'h is not whole: by its first line 2 lines follow, and there are 1'],
    ['a line that is cut', text.slice(0, -9), 'h, line 3 is no JSON object'],
    ['two files in one', text + text, 'h goes on after its end'],
    ['an unknown kind', withLine({ ...clock, kind: 'sk-secret' }), 'h, line 3: kind must be one of request'],
    ['an unknown step', withLine({ ...clock, kind: 'driver' }), 'h, line 3: step must be one of provisionMerchant'],
    ['a missing field', withLine({ ...clock, seconds: undefined }), 'h, line 3: the record must have seconds; add it'],
    ['a wrong type', withLine({ ...clock, seconds: 'sk-secret' }), 'h, line 3: seconds must be number; correct it'],
    ['an unknown field', withLine({ ...clock, 'sk-secret': 1 }), 'h, line 3: the record has a field that the schema'],
  ])('refuses %s', (_what, given, message) => {
    expect(() => readHistory(given, 'h')).toThrow(message);
    expect(() => readHistory(given, 'h')).not.toThrow('sk-secret');
  });
});
