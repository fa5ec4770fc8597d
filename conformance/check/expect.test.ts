import { describe, expect, it } from 'vitest';
import { contract } from '../../generated/contract.ts';
import { faultyPlaces } from '../contract/faulty-places.ts';
import { atPointer, isObject, setAt } from '../contract/json.ts';
import { Broken, Inconclusive } from '../errors/outcomes.ts';
import type { Answer } from '../wire/exchange.ts';
import {
  expectAccepted,
  expectAmount,
  expectCode,
  expectField,
  expectSchema,
  needAccepted,
  needText,
} from './expect.ts';

const answer = (json: unknown, status = 200): Answer => ({
  exchange: 1,
  status,
  headers: {},
  text: json === undefined ? '<h1>It works!</h1>' : JSON.stringify(json),
  json,
});

const example = (name: string) => atPointer(contract, `/components/examples/${name}/value`);
const order = (path: string[], value: unknown) => answer(setAt(example('view-init'), path, value));
const refused = answer({ code: '90001', message: 'out of order' });
const refusedOrder = answer({ code: '90001', message: 'out of order', data: { status: 'FAILED' } });
const refusedRefund = answer({ code: 'INVALID_PARAMETER', message: 'wrong', details: 'notifyUrl has no host' }, 400);
const page = answer(undefined, 502);

/** What a person reads of the error that `act` throws. */
function told(act: () => void): string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof Broken) return [error.expected, error.actual];
    if (error instanceof Inconclusive) return [error.message];
    throw error;
  }
  return [];
}

const refusal = 'a refusal with code 90001 (HTTP 200): out of order';

it.each([
  ['a refusal in its place', refused, 'a refusal with code 90001, which shows no data.status'],
  ['nothing in its place', answer({ code: '00000', data: {} }), 'data.status is absent'],
  ['another value', answer({ code: '00000', data: { status: 'INIT' } }), 'data.status has the wrong value'],
])('the headline of a finding says what is wrong with a field: %s', (_, given, headline) => {
  expect(() => expectField(given, 'data.status', 'CLOSED')).toThrow(headline);
});

describe('a finding is told in the words of the contract', () => {
  it.each<[string, () => void, string[]]>([
    [
      'a field is absent',
      () => expectSchema(order(['data', 'orderId'], undefined), 'OrderSuccess'),
      ['data.orderId is there', 'data.orderId is absent'],
    ],
    [
      'text is empty',
      () => expectSchema(order(['data', 'orderId'], ''), 'OrderSuccess'),
      ['data.orderId is not empty', 'data.orderId = ""'],
    ],
    [
      'a number in place of text',
      () => expectSchema(order(['data', 'orderId'], 7), 'OrderSuccess'),
      ['data.orderId is text', 'data.orderId = 7'],
    ],
    [
      'a payment before it succeeded',
      () => expectSchema(order(['data', 'paidAt'], '2026-01-01T00:00:00Z'), 'OrderSuccess'),
      ['data.paidAt has no value before the payment succeeded', 'data.paidAt = "2026-01-01T00:00:00Z"'],
    ],
    [
      'a time without a zone',
      () => expectSchema(order(['data', 'createdAt'], '2026-01-01'), 'OrderSuccess'),
      ['data.createdAt is an ISO 8601 time in UTC', 'data.createdAt = 2026-01-01'],
    ],
    ['a refusal in place of a success', () => expectSchema(refused, 'OrderSuccess'), ['a success', refusal]],
    [
      'a success in place of a refusal',
      () => expectSchema(answer(example('view-init')), 'OrderFailure'),
      ['a refusal', 'a success, code = 00000 (HTTP 200) with merchantOrderId = shop-2026-000017'],
    ],
    ['a page', () => expectSchema(page, 'OrderSuccess'), ['the body is an object', 'HTTP 502 with <h1>It works!</h1>']],
    ['a value of a refusal', () => expectField(refused, 'data.status', 'INIT'), ['data.status = INIT', refusal]],
    [
      'the state of an order that a hosted refusal does not tell',
      () => expectField(refusedOrder, 'data.status', 'CLOSED'),
      ['data.status = CLOSED', refusal],
    ],
    [
      'the FAILED of a hosted refusal, which is not the state of an order',
      () => expectField(refusedOrder, 'data.status', 'FAILED'),
      ['data.status = FAILED', refusal],
    ],
    [
      'an amount of a refusal',
      () => expectAmount(refused, 'data.orderAmount.value', '1'),
      ['data.orderAmount.value = 1', refusal],
    ],
    [
      'an absent value of a success',
      () => expectField(answer({ code: '00000', data: {} }), 'data.status', 'INIT'),
      ['data.status = INIT', 'data.status is absent'],
    ],
    [
      'a number where the same text is expected',
      () => expectField(answer({ code: '00000', data: { metadata: 0 } }), 'data.metadata', '0'),
      ['data.metadata = "0"', 'data.metadata = 0'],
    ],
    [
      'a number where an amount is expected as text',
      () => expectAmount(answer({ code: '00000', data: { amount: 1 } }), 'data.amount', '1'),
      ['data.amount = 1', 'data.amount = 1, which is no text'],
    ],
    [
      'a number where a code is expected as text',
      () => expectCode(answer({ code: 90001 }), ['90001']),
      ['code = 90001', 'code = 90001, which is no text'],
    ],
    [
      'a refusal with details',
      () => expectAccepted(refusedRefund, 'a refund request'),
      [
        'a refund request: code = 00000',
        'a refusal with code INVALID_PARAMETER (HTTP 400): wrong; details: notifyUrl has no host',
      ],
    ],
    ['a refused request', () => expectAccepted(refused, 'a create'), ['a create: code = 00000', refusal]],
    [
      'a refused step',
      () => needAccepted(refused, 'making an order'),
      [`making an order was not accepted: ${refusal}`],
    ],
    [
      'a step with a page as its answer',
      () => needAccepted(page, 'making an order'),
      ['making an order was not accepted: HTTP 502 with <h1>It works!</h1>'],
    ],
    [
      'a step without an id',
      () => needText(answer({ code: '00000' }), 'data.orderId'),
      ['text was needed at data.orderId to go on: data.orderId is absent'],
    ],
    [
      'a step whose id is a refusal',
      () => needText(refused, 'data.orderId'),
      [`text was needed at data.orderId to go on: ${refusal}`],
    ],
  ])('%s', (_what, act, words) => {
    expect(told(act)).toEqual(words);
  });

  it.each([
    ['view-succeeded', 'OrderSuccess', 'paidAt', 1795907639, 'data.paidAt is text', 'orders.view.times'],
    [
      'view-succeeded',
      'OrderSuccess',
      'cryptoPaidAmount',
      9.5,
      'data.cryptoPaidAmount is an object',
      'orders.view.amounts',
    ],
    [
      'view-succeeded',
      'OrderSuccess',
      'paidAt',
      null,
      'data.paidAt has a value in this status',
      'orders.view.paid-fields',
    ],
    [
      'checkout-view-succeeded',
      'CheckoutOrderQuerySuccess',
      'paidAt',
      1795907639,
      'data.paidAt is text',
      'checkout.view.times',
    ],
    [
      'refund-record-succeeded',
      'RefundSuccess',
      'completedTime',
      1795907639,
      'data.completedTime is text',
      'refunds.record.times',
    ],
    [
      'refund-record-succeeded',
      'RefundSuccess',
      'merchantDeductAmount',
      9.5,
      'data.merchantDeductAmount is text',
      'refunds.record.deduct-amount',
    ],
    [
      'refund-record-closed',
      'RefundSuccess',
      'closedTime',
      1795907639,
      'data.closedTime is text',
      'refunds.record.times',
    ],
  ] as const)('whether %s as %s has a wrong value as its %s (%s), or none', (name, schema, path, value, ...words) => {
    const places = faultyPlaces(setAt(example(name), ['data', path], value), `/components/schemas/${schema}`);
    expect(places.map(({ expected, requirement }) => [expected, requirement])).toEqual([words]);
  });

  it('whatever is wrong with whichever field of an answer', () => {
    const schemas = {
      'view-init': 'OrderSuccess',
      'failure-10001': 'OrderFailure',
      'checkout-created': 'CheckoutOrderCreateSuccess',
    };
    const values = [undefined, null, '', 'x', -1, 1.5, true, [], {}];
    let faults = 0;
    for (const [name, schema] of Object.entries(schemas)) {
      const body = example(name);
      for (const path of pathsOf(body)) {
        for (const value of values) {
          for (const { expected, actual } of faultyPlaces(setAt(body, path, value), `/components/schemas/${schema}`)) {
            faults += 1;
            expect(expected).toMatch(/^(\S+|the body) (is|has|=) ?\S/);
            expect(`${expected} ${actual}`).not.toMatch(
              /must |schema|pattern|const\b|oneOf|undefined|\^|as the contract declares/,
            );
          }
        }
      }
    }
    expect(faults).toBeGreaterThan(100);
  });
});

/** The paths of all fields of a body. */
function pathsOf(body: unknown): string[][] {
  if (!isObject(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => [[name], ...pathsOf(value).map((path) => [name, ...path])]);
}
