import { beforeEach, describe, expect, test } from 'vitest';
import { contractOf, problemOf } from '../support/contract.ts';
import { refundServer, untouched } from '../support/refund-server.ts';
import { type RefundClient, refundClient, refundFailureOf, refundOf } from '../support/refunds.ts';
import { advance, merchantClient, newMerchant } from '../support/server.ts';
import { signedHeaders } from '../support/signing.ts';

const { clock, server, newRefunder, paidOrder, books } = await refundServer();
let merchant: RefundClient;

beforeEach(async () => {
  merchant = await newRefunder();
});

describe('another merchant', () => {
  test('sees nothing of a refund, and may use its id', async () => {
    const { orderId } = await paidOrder();
    const refund = await merchant.create(orderId);
    const theirs = await newMerchant(server);
    const other = refundClient(server, theirs);
    for (const query of [
      `refundOrderId=${refund.refundOrderId}`,
      `merchantRefundOrderId=${refund.merchantRefundOrderId}`,
      `acquiringOrderId=${orderId}`,
    ]) {
      refundFailureOf(await other.get(query), 404);
    }
    const batch = await other.batch([refund.merchantRefundOrderId]);
    expect(contractOf(batch, 200, 'RefundBatchSuccess').data).toEqual([]);
    expect(refundFailureOf(await other.post(other.body(orderId)), 404).code).toBe('ORDER_NOT_FOUND');
    problemOf(await other.event(refund.refundOrderId, { type: 'completed' }), 404);
    const { merchantRefundOrderId } = refund;
    const own = await other.create((await paidOrder(theirs)).orderId, { merchantRefundOrderId });
    expect(own.refundOrderId).not.toBe(refund.refundOrderId);
    expect(await merchant.query(refund.refundOrderId)).toEqual(refund);
  });

  test.each([
    ['INVALID_SIGNATURE', { headers: { 'X-Signature': 'AAAA' } }],
    ['INVALID_SIGNATURE', { headers: { 'X-Signature': undefined } }],
    ['INVALID_API_KEY', { headers: { 'X-Api-Key': undefined } }],
    ['INVALID_API_KEY', { headers: { 'X-Api-Key': 'ak_nobody' } }],
    ['TIMESTAMP_EXPIRED', { headers: { 'X-Timestamp': undefined } }],
    ['TIMESTAMP_EXPIRED', { timestamp: '1000000000000' }],
  ])('or anyone without credentials is answered with 401 %s: %j', async (code, variation) => {
    const { orderId } = await paidOrder();
    for (const answer of [
      await merchant.post(merchant.body(orderId), variation),
      await merchant.get(`acquiringOrderId=${orderId}`, variation),
      await merchant.batch(['r'], variation),
    ]) {
      expect(refundFailureOf(answer, 401).code).toBe(code);
    }
    expect(await books()).toEqual(untouched);
  });

  test('may not use its credentials here, nor does an unknown merchant', async () => {
    const { orderId } = await paidOrder();
    const as = await newMerchant(server);
    expect(refundFailureOf(await merchant.post(merchant.body(orderId), { as }), 401).code).toBe('INVALID_API_KEY');
    const nobody = refundClient(server, { ...merchant, merchantId: 'M-nobody' });
    expect(refundFailureOf(await nobody.get('refundOrderId=x'), 401).code).toBe('INVALID_API_KEY');
  });

  test('signs the query string as well', async () => {
    const refund = await merchant.create((await paidOrder()).orderId);
    const target = `${merchant.path}?refundOrderId=${refund.refundOrderId}`;
    const without = signedHeaders(merchant, { method: 'GET', target: merchant.path, timestamp: String(clock.read()) });
    expect(refundFailureOf(await merchant.request('GET', target, undefined, { headers: without }), 401).code).toBe(
      'INVALID_SIGNATURE',
    );
  });
});

describe('a rate limit', () => {
  test('refuses what is too much with Retry-After, and does not count it', async () => {
    const own = await newMerchant(server, { rateLimit: { requests: 3, perSeconds: 60 } });
    const limited = refundClient(server, own);
    const { orderId } = await paidOrder(own);
    const refund = await limited.create(orderId);
    clock.advance(10_000);
    refundOf(await limited.get(`refundOrderId=${refund.refundOrderId}`));
    contractOf(await limited.batch(['unknown']), 200, 'RefundBatchSuccess');
    for (let refused = 0; refused < 5; refused += 1) {
      const answer = await limited.get(`refundOrderId=${refund.refundOrderId}`);
      expect(refundFailureOf(answer, 429).code).toBe('RATE_LIMIT_EXCEEDED');
      expect(answer.headers['retry-after']).toBe('50');
    }
    clock.advance(49_999);
    refundFailureOf(await limited.batch(['unknown']), 429);
    clock.advance(1);
    refundOf(await limited.get(`refundOrderId=${refund.refundOrderId}`));
    expect((await limited.batch(['unknown'])).headers['retry-after']).toBe('10');
  });

  test('counts refund requests of this merchant that are its own, and no others', async () => {
    const own = await newMerchant(server, { rateLimit: { requests: 1, perSeconds: 60 } });
    const limited = refundClient(server, own);
    const { orderId } = await paidOrder(own);
    for (let index = 0; index < 3; index += 1) {
      refundFailureOf(await limited.get('refundOrderId=x', { headers: { 'X-Signature': 'AAAA' } }), 401);
      await merchantClient(server, own).query(orderId);
      refundFailureOf(await merchant.get('refundOrderId=x'), 404);
    }
    // A request that is refused for what is in it has been made.
    expect(refundFailureOf(await limited.post('{'), 400).code).toBe('INVALID_PARAMETER');
    const answer = await limited.post(limited.body(orderId));
    expect(refundFailureOf(answer, 429).code).toBe('RATE_LIMIT_EXCEEDED');
    expect(await books(own)).toEqual(untouched);
  });

  test('is counted in real time, not by the business clock', async () => {
    const own = await newMerchant(server, { rateLimit: { requests: 1, perSeconds: 60 } });
    const limited = refundClient(server, own);
    refundFailureOf(await limited.get('refundOrderId=x'), 404);
    await advance(server, own.merchantId, 3600);
    refundFailureOf(await limited.get('refundOrderId=x'), 429);
  });
});
