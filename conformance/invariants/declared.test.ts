import { describe, expect, it } from 'vitest';
import { declared } from './declared.ts';
import {
  checkoutView,
  judged,
  merchantId,
  orderRefusal,
  orderView,
  paths,
  payment,
  refundRefusal,
  refundView,
  request,
  success,
  trace,
  type WrittenRequest,
} from './testing/histories.ts';

const body = { merchantOrderId: 'order-0000000001' };
const create = (rest: Partial<WrittenRequest>) => request({ method: 'POST', path: paths.orders, sent: body, ...rest });
const query = (rest: Partial<WrittenRequest>) =>
  request({ method: 'GET', path: paths.order('order-0000000001'), ...rest });
const refund = (rest: Partial<WrittenRequest>) =>
  request({ method: 'POST', path: paths.refunds, sent: { merchantRefundOrderId: 'refund-1' }, ...rest });
const refundQuery = (rest: Partial<WrittenRequest>) =>
  request({ method: 'GET', path: paths.refunds, query: 'merchantRefundOrderId=refund-1', ...rest });
const checkout = (rest: Partial<WrittenRequest>) =>
  request({ method: 'POST', path: paths.checkoutOrders, sent: body, ...rest });

describe('declared', () => {
  it('is kept by successes and refusals that are made as the contract says', () => {
    const { broken, kept } = judged(
      declared,
      create({ answered: success(orderView({ further: null })) }),
      query({ answered: orderRefusal('40001') }),
      query({ answered: orderRefusal('E-17') }),
      checkout({
        answered: success(checkoutView()),
        status: 201,
        answerHeaders: { 'content-type': 'APPLICATION/JSON' },
      }),
      checkout({ answered: { code: '10001', message: 'no', data: null }, status: 422 }),
      refund({ answered: success(refundView(), trace('a')) }),
      refund({ answered: refundRefusal('INSUFFICIENT_BALANCE', trace('b')), status: 400 }),
      refundQuery({ answered: refundRefusal('REFUND_NOT_FOUND', trace('c')), status: 404 }),
    );
    expect(broken).toEqual([]);
    expect(kept).toEqual(
      expect.arrayContaining(['orders.create.declared.success', 'checkout.create.declared.refusal']),
    );
  });

  it.for([
    [
      create({ answered: orderRefusal('10001', { message: null }) }),
      'orders.create.declared.refusal',
      'message = null',
    ],
    [query({ answered: { code: '40001', message: 'no', data: null } }), 'orders.query.declared.refusal', 'data = null'],
    [
      request({ method: 'GET', path: paths.order('o%3A1%3D'), answered: orderRefusal('40001'), status: 404 }),
      'orders.query.declared.status',
      'HTTP 404 with code = 40001',
    ],
    [
      query({ answered: orderRefusal('40001'), status: 404 }),
      'orders.query.declared.status',
      'HTTP 404 with code = 40001',
    ],
    [
      query({ answered: success(orderView({ standardResponseCode: 'OK' })) }),
      'orders.query.declared.standard-response',
      'data.standardResponseCode = OK',
    ],
    [
      query({ answered: success(orderView({ status: 'PAID' })) }),
      'orders.query.declared.success',
      'data.status = PAID',
    ],
    [
      query({ answered: '<h1>Error</h1>', status: 200 }),
      'orders.query.declared.json',
      'HTTP 200 with a body that is <h1>Error</h1>',
    ],
    [
      query({ answered: '{"code":"000', answerHeaders: { 'content-length': '12' } }),
      'orders.query.declared.json',
      'HTTP 200 with a body that breaks off at its Content-Length of 12 bytes: {"code":"000',
    ],
    [
      query({ answered: success(orderView()), answerHeaders: { 'content-type': 'text/plain' } }),
      'orders.query.declared.json',
      'HTTP 200 with Content-Type = text/plain',
    ],
    [
      checkout({ answered: { code: '10001', message: 'no' }, status: 400 }),
      'checkout.create.declared.refusal',
      'data is absent',
    ],
    [
      refund({ answered: refundRefusal('INVALID_PARAMETER', { data: null }), status: 400 }),
      'refunds.create.declared.refusal',
      'data = null',
    ],
    [
      refund({ answered: refundRefusal('INVALID_PARAMETER'), status: 422 }),
      'refunds.create.declared.status',
      'HTTP 422 with code = INVALID_PARAMETER',
    ],
    [
      refund({ answered: success(refundView(), trace()), status: 201 }),
      'refunds.create.declared.status',
      'HTTP 201 with code = 00000',
    ],
    [
      refundQuery({ answered: refundRefusal('REFUND_NOT_FOUND'), status: 200 }),
      'refunds.query.declared.status',
      'HTTP 200 with code = REFUND_NOT_FOUND',
    ],
    [
      refundQuery({ answered: success(refundView(), { ...trace(), requestId: 17 }) }),
      'refunds.query.declared.success',
      'requestId = 17',
    ],
    [
      refundQuery({ answered: success(refundView(), { ...trace(), timestamp: 1_767_261_600 }) }),
      'refunds.query.declared.timestamp',
      'timestamp = 1767261600',
    ],
    [
      refund({ answered: refundRefusal('RATE_LIMIT_EXCEEDED', { timestamp: 1_767_261_600_000_000 }), status: 429 }),
      'refunds.create.declared.timestamp',
      'timestamp = 1767261600000000',
    ],
    [
      refund({ answered: refundRefusal('RATE_LIMIT_EXCEEDED', { details: 17 }), status: 429 }),
      'refunds.create.declared.refusal',
      'details = 17',
    ],
    [
      refundQuery({
        answered: refundRefusal('INVALID_SIGNATURE'),
        answerHeaders: { 'content-type': 'text/plain' },
        status: 401,
        authentication: 'changed',
      }),
      'refunds.query.declared.json',
      'HTTP 401 with Content-Type = text/plain',
    ],
    [
      refundQuery({
        answered: refundRefusal('INVALID_SIGNATURE', { message: undefined }),
        status: 401,
        authentication: 'changed',
      }),
      'refunds.query.declared.refusal',
      'message is absent',
    ],
    [
      refundQuery({ answered: refundRefusal('REFUND_NOT_FOUND', { requestId: '' }), status: 404 }),
      'refunds.query.declared.refusal',
      'requestId = ""',
    ],
    [
      query({
        answered: success(
          orderView({ ...payment, cryptoPaymentDetail: { ...payment.cryptoPaymentDetail, blockNumber: -1 } }),
        ),
      }),
      'orders.query.declared.success',
      'data.cryptoPaymentDetail.blockNumber = -1',
    ],
  ] as const)('%# breaks %s', ([record, rule, actual]) => {
    const { broken } = judged(declared, record);
    expect(broken.filter((each) => each.rule === rule)).toEqual([expect.objectContaining({ actual })]);
  });

  it('names another merchant in a refusal as a fault', () => {
    const refusal = orderRefusal('40001');
    const { broken } = judged(
      declared,
      query({ answered: { ...refusal, data: { ...refusal.data, merchantId: 'm2' } } }),
    );
    expect(broken).toEqual([
      {
        rule: 'orders.query.declared.refusal',
        expected: `data.merchantId = ${merchantId}`,
        actual: 'data.merchantId = m2',
      },
    ]);
  });

  it('finds one requestId in two answers once, in the later one', () => {
    const { broken } = judged(
      declared,
      refund({ answered: success(refundView(), trace('same')) }),
      refundQuery({ answered: success(refundView(), trace('same')), start: 5 }),
    );
    expect(broken.map(({ rule }) => rule)).toEqual(['refunds.query.declared.request-id']);
  });

  it.for([
    ['failed authentication', query({ answered: { error: 'no key' }, status: 401, authentication: 'changed' })],
    [
      'a merchant that does not exist',
      request({ method: 'GET', path: '/api/v1/merchants/m9/orders/x', as: 'm9', answered: {}, status: 404 }),
    ],
    ['too many requests', create({ answered: 'slow down', status: 429 })],
    [
      'too many requests about refunds',
      refund({ answered: { code: 'TooManyRequests', message: 'slow' }, status: 429 }),
    ],
    [
      'a refund request that something in between finds unsigned',
      refund({ answered: { code: 'Unauthorized' }, status: 401, authentication: 'changed' }),
    ],
    [
      'the time at which an answer was first given that is given again',
      refund({ answered: success(refundView(), trace()), start: 86_400_000 * 3 }),
    ],
    ['a body of no bytes', request({ method: 'POST', path: paths.refunds, answered: {}, status: 401 })],
    ['a very large body', create({ sent: { text: 'a'.repeat(70_000) }, answered: '<h1>Too large</h1>', status: 413 })],
    ['bytes that are no UTF-8', create({ sent: '{"merchantOrderId":"\uFFFD"}', answered: '', status: 400 })],
    ['a body that is not said to be JSON', create({ headers: {}, answered: '', status: 415 })],
    ['an address with escapes', request({ method: 'GET', path: paths.order('%2e%2e'), answered: 'no', status: 400 })],
    ['a failure of something in between', create({ answered: '<h1>Unknown error</h1>', status: 520 })],
    ['the status of a service that failed', refund({ answered: refundRefusal('SYSTEM_ERROR'), status: 500 })],
    ['PENDING in the answer to a create', create({ answered: success(orderView({ status: 'PENDING' })) })],
    [
      'a number that was given as a number',
      create({ sent: { merchantOrderId: 17 }, answered: success(orderView({ merchantOrderId: 17 })) }),
    ],
  ] as const)('does not judge %s', ([, record]) => {
    expect(judged(declared, record).broken).toEqual([]);
  });
});
