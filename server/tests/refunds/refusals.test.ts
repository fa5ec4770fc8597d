import { beforeEach, describe, expect, test } from 'vitest';
import { day, iso, refundServer, untouched } from '../support/refund-server.ts';
import { type RefundClient, refundClient, refundFailureOf, refundOf } from '../support/refunds.ts';
import { advance, merchantClient, newMerchant, orderEvent } from '../support/server.ts';

const { clock, server, newRefunder, paidOrder, books } = await refundServer();
let merchant: RefundClient;

beforeEach(async () => {
  merchant = await newRefunder();
});

describe('what is refused', () => {
  async function refusal(body: object, status: number, client = merchant) {
    const { code, details } = refundFailureOf(await client.post(body), status);
    return { code, details };
  }

  test('an order that nobody has, and one of another merchant', async () => {
    const other = await paidOrder(await newMerchant(server));
    for (const id of ['ord.nothing', '', '\u0000', other.orderId, other.merchantOrderId]) {
      expect((await refusal(merchant.body(id), 404)).code).toBe('ORDER_NOT_FOUND');
    }
    const own = await paidOrder();
    // Refunds name the platform's id only.
    expect((await refusal(merchant.body(own.merchantOrderId), 404)).code).toBe('ORDER_NOT_FOUND');
  });

  test.each([
    ['INIT', []],
    ['PROCESSING', ['transaction_detected']],
    ['FAILED', ['transaction_detected', 'payment_failed']],
    ['CLOSED', ['cancelled']],
  ])('an order that is %s', async (status, way) => {
    const order = await merchantClient(server, merchant).create();
    for (const type of way) await orderEvent(server, order, { type });
    const { code, details } = await refusal(merchant.body(order.orderId), 400);
    expect(code).toBe('ORDER_NOT_REFUNDABLE');
    expect(details).toContain(status);
    expect(await books()).toEqual(untouched);
  });

  test('an order that was paid too little', async () => {
    const order = await paidOrder(merchant, {}, { amount: '9' });
    expect(order.status).toBe('FAILED');
    expect((await refusal(merchant.body(order.orderId), 400)).code).toBe('ORDER_NOT_REFUNDABLE');
  });

  test('a second refund while one is under way or has succeeded', async () => {
    const { orderId } = await paidOrder();
    const { refundOrderId } = await merchant.create(orderId);
    for (const step of [undefined, 'processing_started', 'completed']) {
      if (step) await merchant.move(refundOrderId, step);
      const { code, details } = await refusal(merchant.body(orderId), 400);
      expect(code).toBe('ORDER_ALREADY_REFUNDED');
      expect(details).toContain(refundOrderId);
    }
    expect(await books()).toEqual({ ...untouched, available: '999990', deducted: '10' });
  });

  test.each([['failed'], ['processing_started', 'failed'], ['closed']])('not one after %s, %s', async (...way) => {
    const { orderId } = await paidOrder();
    const first = await merchant.create(orderId);
    await merchant.move(first.refundOrderId, ...way.filter((step) => step !== undefined));
    clock.advance(1000);
    const second = await merchant.create(orderId);
    expect(second.refundOrderId).not.toBe(first.refundOrderId);
    expect((await merchant.query(first.refundOrderId)).status).toBe(way.includes('closed') ? 'CLOSED' : 'FAILED');
    // The first refund of an order stays its first.
    const byOrder = refundOf(await merchant.get(`acquiringOrderId=${orderId}`));
    expect(byOrder.refundOrderId).toBe(first.refundOrderId);
    expect(await books()).toEqual({ ...untouched, available: '999990', reserved: '10' });
  });

  test('a refund after the period, which includes its last millisecond', async () => {
    const [onTime, late] = [await paidOrder(), await paidOrder()];
    const deadline = Date.parse(onTime.paidAt ?? '') + 30 * day;
    clock.set(deadline);
    expect((await merchant.create(onTime.orderId)).createdTime).toBe(iso(deadline));
    clock.advance(1);
    const { code, details } = await refusal(merchant.body(late.orderId), 400);
    expect(code).toBe('REFUND_PERIOD_EXPIRED');
    expect(details).toContain(iso(deadline));
  });

  test("the period is counted by the merchant's own clock", async () => {
    const { orderId } = await paidOrder();
    await advance(server, merchant.merchantId, 31 * 86_400);
    expect((await refusal(merchant.body(orderId), 400)).code).toBe('REFUND_PERIOD_EXPIRED');
  });

  test('a refund that the balance does not cover by the last decimal', async () => {
    const poor = await newMerchant(server, { balances: { USDT: '19.999999999999999999' } });
    const client = refundClient(server, poor);
    const [one, other] = [await paidOrder(poor), await paidOrder(poor)];
    const first = await client.create(one.orderId);
    const { code, details } = await refusal(client.body(other.orderId), 400, client);
    expect(code).toBe('INSUFFICIENT_BALANCE');
    expect(details).toMatch(/required 10 USDT.*available 9\.999999999999999999 USDT/);
    expect((await books(poor)).total).toBe('19.999999999999999999');
    // What the first gives back is enough for the other.
    await client.move(first.refundOrderId, 'closed');
    await client.create(other.orderId);
    expect(await books(poor)).toMatchObject({ available: '9.999999999999999999', reserved: '10' });
  });

  test('a refund in a currency that the merchant has nothing in', async () => {
    const poor = await newMerchant(server, { balances: { USDC: '100' } });
    const { orderId } = await paidOrder(poor);
    const client = refundClient(server, poor);
    const { code, details } = await refusal(client.body(orderId), 400, client);
    expect(code).toBe('INSUFFICIENT_BALANCE');
    expect(details).toContain('available 0 USDT');
  });
});

test('a request is looked at in order: signature, request, order, payment, earlier refund, period, balance', async () => {
  const own = await newMerchant(server, { balances: {} });
  const client = refundClient(server, own);
  const wrong = { headers: { 'X-Signature': 'AAAA' } };
  const codeOf = async (body: object, status: number, variation = {}) =>
    refundFailureOf(await client.post(body, variation), status).code;
  const unpaid = await merchantClient(server, own).create();
  const paid = await paidOrder(own);
  await advance(server, own.merchantId, 31 * 86_400);

  // Each request breaks the rule that is named and all that follow it.
  expect(await codeOf({ acquiringOrderId: 'ord.nothing' }, 401, wrong)).toBe('INVALID_SIGNATURE');
  expect(await codeOf({ acquiringOrderId: 'ord.nothing' }, 400)).toBe('INVALID_PARAMETER');
  expect(await codeOf(client.body('ord.nothing'), 404)).toBe('ORDER_NOT_FOUND');
  expect(await codeOf(client.body(unpaid.orderId), 400)).toBe('ORDER_NOT_REFUNDABLE');
  expect(await codeOf(client.body(paid.orderId), 400)).toBe('REFUND_PERIOD_EXPIRED');
  const recent = await paidOrder(own, { expiresAt: iso(clock.read() + 32 * day) });
  expect(await codeOf(client.body(recent.orderId), 400)).toBe('INSUFFICIENT_BALANCE');

  const rich = await newMerchant(server, { balances: { USDT: '10' } });
  const refunder = refundClient(server, rich);
  const refunded = await paidOrder(rich);
  await refunder.create(refunded.orderId);
  await advance(server, rich.merchantId, 31 * 86_400);
  const again = refundFailureOf(await refunder.post(refunder.body(refunded.orderId)), 400);
  expect(again.code).toBe('ORDER_ALREADY_REFUNDED');
});
