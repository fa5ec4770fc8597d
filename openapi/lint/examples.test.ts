import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { contract } from '../../generated/contract.ts';
import { contract as sandboxControl } from '../../generated/sandbox-control-contract.ts';
import type { JsonObject } from '../generate/json.ts';
import { listContents } from './contents.ts';
import { membersWithoutExample } from './enumerations.ts';
import { disagreements, misplacedTimes, recordsWith, strayRefunds } from './neighbours.ts';
import { validation } from './validation.ts';

const documents: [string, JsonObject][] = [
  ['the merchant contract', contract],
  ['the sandbox control API', sandboxControl],
];

/** The examples of a document that do not fit their schema, as `place name: faults`. */
function wrongExamples(document: JsonObject): string[] {
  const faults = validation(document);
  return listContents(document).flatMap(({ place, schema, examples }) =>
    examples.flatMap(({ name, value }) => {
      const found = faults(schema, value);
      return found.length === 0 ? [] : [`${place} ${name}: ${found.join(', ')}`];
    }),
  );
}

/** The places of the bodies without an example. */
function bare(document: JsonObject): string[] {
  const bodies = listContents(document).filter(({ kind }) => kind === 'body');
  return bodies.filter(({ examples }) => examples.length === 0).map(({ place }) => place);
}

function unseenMembers(document: JsonObject): string[] {
  return membersWithoutExample(document, listContents(document), validation(document));
}

describe.each(documents)('%s', (_name, document) => {
  test('every example is valid against its schema', () => {
    expect(wrongExamples(document)).toEqual([]);
  });

  test('every request and every response has an example', () => {
    expect(bare(document)).toEqual([]);
  });

  test('every error code and every status has an example in each area that has it', () => {
    expect(unseenMembers(document)).toEqual([]);
  });
});

test('every file of examples is used', () => {
  const files = readdirSync(new URL('../examples', import.meta.url), { recursive: true, encoding: 'utf8' });
  const names = files.filter((file) => file.endsWith('.yaml')).map((file) => basename(file, '.yaml'));
  expect(Object.keys(Object(Object(contract.components).examples)).sort()).toEqual(names.sort());
});

describe('a small document', () => {
  const sound = `
    paths:
      /orders/{id}:
        post:
          tags: [Orders]
          parameters: [{ $ref: '#/components/parameters/Id' }]
          requestBody:
            content: { json: { schema: { $ref: '#/components/schemas/Wish' }, examples: { half: { $ref: '#/components/examples/Half' } } } }
          responses:
            '200': { $ref: '#/components/responses/Done' }
          callbacks:
            done:
              '{$request.body#/url}':
                post: { tags: [Orders], requestBody: { content: { json: { schema: { type: integer }, example: 1 } } } }
    components:
      parameters:
        Id: { name: id, in: path, schema: { type: string, pattern: ^A }, example: A-1 }
      responses:
        Done:
          content:
            json:
              schema: { oneOf: [{ $ref: '#/components/schemas/Success' }, { $ref: '#/components/schemas/Failure' }] }
              examples:
                good: { value: { code: '0', status: GOOD } }
                bad: { value: { code: '0', status: BAD } }
                refused: { value: { code: '1', status: BAD } }
      examples:
        Half: { value: { price: '0.5', note: '{}' } }
      schemas:
        Wish:
          properties:
            price: { type: string, x-decimal: { exclusiveMinimum: '0' } }
            note: { type: string, contentMediaType: application/json }
        Success:
          required: [code, status]
          properties: { code: { const: '0' }, status: { $ref: '#/components/schemas/Status' } }
        Failure:
          required: [code, status]
          properties: { code: { anyOf: [{ $ref: '#/components/schemas/Code' }, { type: integer }] }, status: { const: BAD } }
        Status: { oneOf: [{ const: GOOD }, { const: BAD }] }
        Code: { oneOf: [{ const: '1' }] }`;

  /** The document with one text replaced. */
  function changed(from: string, to: string): JsonObject {
    expect(sound).toContain(from);
    return parse(sound.replace(from, to));
  }

  test('without a flaw has no findings', () => {
    const document = parse(sound);
    expect([wrongExamples(document), bare(document), unseenMembers(document)]).toEqual([[], [], []]);
  });

  test.each([
    ['a request', "price: '0.5'", 'price: 1', 'requestBody/content/json half: /price must be string'],
    ['a bound', "price: '0.5'", "price: '0.0'", 'requestBody/content/json half: /price must pass "x-decimal"'],
    ['JSON text', "note: '{}'", "note: '{'", 'requestBody/content/json half: /note must pass "contentMediaType"'],
    ['a parameter', 'A-1', 'B-1', 'parameters/0 example:  must match pattern'],
    ['a response', "good: { value: { code: '0'", "good: { value: { code: '3'", 'responses/200/content/json good:'],
    [
      'a callback',
      'example: 1',
      'example: a',
      'callbacks/done/{$request.body#~1url}/post/requestBody/content/json example:',
    ],
  ])('with a wrong example in %s', (_what, from, to, fault) => {
    const found = wrongExamples(changed(from, to));
    expect(found).toEqual([expect.stringContaining(`/paths/~1orders~1{id}/post/${fault}`)]);
  });

  test('with a keyword that nobody knows', () => {
    expect(() => wrongExamples(changed('x-decimal', 'x-decimals'))).toThrow('x-decimals');
  });

  test('with a body that has no example', () => {
    const place = '/paths/~1orders~1{id}/post/callbacks/done/{$request.body#~1url}/post/requestBody/content/json';
    expect(bare(changed(', example: 1', ''))).toEqual([place]);
  });

  test.each([
    [
      'a member that no example shows',
      "good: { value: { code: '0', status: GOOD } }",
      'none: {}',
      'Orders: Status GOOD',
    ],
    [
      'a member that only another schema shows',
      "bad: { value: { code: '0', status: BAD } }",
      'none: {}',
      'Orders: Status BAD',
    ],
    ['a new member', 'Code: { oneOf: [', "Code: { oneOf: [{ const: '2' }, ", 'Orders: Code 2'],
  ])('with %s', (_what, from, to, missing) => {
    expect(unseenMembers(changed(from, to))).toEqual([missing]);
  });
});

describe('neighbours agree', () => {
  const values = listContents(contract).flatMap(({ examples }) => examples.map(({ value }) => value));
  const orders = recordsWith('orderId', values);
  const refunds = recordsWith('refundOrderId', values);

  test('there are records to compare', () => {
    expect(orders.length).toBeGreaterThan(10);
    expect(refunds.length).toBeGreaterThan(10);
  });

  test('the same order through its life', () => {
    const fields = [
      'merchantId',
      'merchantOrderId',
      'orderAmount',
      'createdAt',
      'expiresAt',
      'checkoutUrl',
      'depositAddress',
    ];
    expect(
      disagreements(orders, 'orderId', [...fields, 'cryptoPaymentAmount', 'cryptoPaidAmount', 'paidAt', 'metadata']),
    ).toEqual([]);
  });

  test('an order and the request that made it', () => {
    const records = recordsWith('merchantOrderId', values);
    expect(disagreements(records, 'merchantOrderId', ['orderId', 'orderAmount', 'expiresAt', 'metadata'])).toEqual([]);
  });

  test('the same refund through its life', () => {
    const fields = [
      'merchantRefundOrderId',
      'acquiringOrderId',
      'merchantOrderId',
      'refundAmount',
      'refundCurrency',
      'createdTime',
    ];
    expect(
      disagreements(refunds, 'refundOrderId', [...fields, 'merchantDeductAmount', 'paymentMethod', 'extraData']),
    ).toEqual([]);
  });

  test('a refund and the request that made it', () => {
    const records = recordsWith('merchantRefundOrderId', values);
    expect(disagreements(records, 'merchantRefundOrderId', ['refundOrderId', 'acquiringOrderId', 'extraData'])).toEqual(
      [],
    );
  });

  test('a refund and the payment that it gives back', () => {
    expect(strayRefunds(refunds, orders)).toEqual([]);
  });

  test('orders are paid between their creation and their expiry', () => {
    expect(misplacedTimes(orders, ['createdAt', 'paidAt', 'expiresAt'])).toEqual([]);
    expect(misplacedTimes(orders, ['createdAt', 'occurredAt'])).toEqual([]);
  });

  test.each(['estimatedCompletionTime', 'completedTime', 'failedTime', 'closedTime', 'occurredAt'])(
    'refunds have their %s after their creation',
    (field) => {
      expect(misplacedTimes(refunds, ['createdTime', field])).toEqual([]);
    },
  );
});

describe('neighbours that do not agree are noticed', () => {
  test('in a field that both have', () => {
    const record = { id: 'A', amount: { value: '1' }, note: null, more: 1 };
    const records = recordsWith('id', [
      { data: [record, { ...record, amount: { value: '2' }, note: 'N' }] },
      { id: null, amount: {} },
    ]);
    expect(disagreements(records, 'id', ['amount', 'note'])).toEqual(['A: amount is {"value":"1"} and {"value":"2"}']);
  });

  test.each([
    ['too early', '2026-01-01T08:59:59Z', ['paid 2026-01-01T08:59:59Z is not after from 2026-01-01T09:00:00Z']],
    ['too late', '2026-01-01T10:00:01Z', ['to 2026-01-01T10:00:00Z is not after paid 2026-01-01T10:00:01Z']],
    ['within', '2026-01-01T09:30:00Z', []],
    ['not at all', null, []],
  ])('in a payment that comes %s', (_when, paid, expected) => {
    const order = { from: '2026-01-01T09:00:00Z', paid, to: '2026-01-01T10:00:00Z' };
    expect(misplacedTimes([order], ['from', 'paid', 'to'])).toEqual(expected);
  });

  test.each([
    ['that fits', {}, []],
    ['of an order that nobody paid', { acquiringOrderId: 'ord.2' }, ['ref.1: no example shows order ord.2 paid']],
    ['of another amount', { refundAmount: '2.00' }, ['ref.1: does not fit the payment of ord.1']],
    ['in another currency', { refundCurrency: 'USDC' }, ['ref.1: does not fit the payment of ord.1']],
    ['of another merchant order', { merchantOrderId: 'B' }, ['ref.1: does not fit the payment of ord.1']],
    [
      'before the payment',
      { createdTime: '2025-12-31T00:00:00Z' },
      ['createdTime 2025-12-31T00:00:00Z is not after paidAt 2026-01-01T09:00:00Z'],
    ],
  ])('in a refund %s', (_what, changes, expected) => {
    const paidAt = '2026-01-01T09:00:00Z';
    const order = {
      orderId: 'ord.1',
      merchantOrderId: 'A',
      paidAt,
      cryptoPaidAmount: { value: '1.00', currency: 'USDT' },
    };
    const refund = {
      refundOrderId: 'ref.1',
      acquiringOrderId: 'ord.1',
      merchantOrderId: 'A',
      refundAmount: '1.00',
      refundCurrency: 'USDT',
      createdTime: paidAt,
    };
    expect(strayRefunds([{ ...refund, ...changes }], [order])).toEqual(expected);
  });
});
