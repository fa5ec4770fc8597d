import { beforeEach, describe, expect, test } from 'vitest';
import { addressesWithoutHostOrPort } from '../support/addresses.ts';
import { checkoutClient } from '../support/checkout.ts';
import { iso, refundServer, untouched } from '../support/refund-server.ts';
import { newRefundId, type RefundClient, refundClient, refundFailureOf, refundOf } from '../support/refunds.ts';
import { advance, newMerchant, orderEvent } from '../support/server.ts';

const { clock, server, newRefunder, paidOrder, books } = await refundServer();
let merchant: RefundClient;

beforeEach(async () => {
  merchant = await newRefunder();
});

describe('create', () => {
  test('accepts the refund of what was paid', async () => {
    const order = await paidOrder();
    const body = merchant.body(order.orderId);
    const answer = await merchant.post(body);
    expect(refundOf(answer)).toEqual({
      refundOrderId: expect.stringMatching(/^ref\.[a-z2-7]{26}$/),
      merchantRefundOrderId: body.merchantRefundOrderId,
      acquiringOrderId: order.orderId,
      merchantOrderId: order.merchantOrderId,
      status: 'PENDING',
      refundAmount: '10',
      refundCurrency: 'USDT',
      merchantDeductAmount: '10',
      paymentMethod: 'ON_CHAIN_TRANSFER',
      createdTime: iso(clock.read()),
      estimatedCompletionTime: expect.any(String),
    });
    const { estimatedCompletionTime = '' } = refundOf(answer);
    expect(Date.parse(estimatedCompletionTime)).toBeGreaterThan(clock.read());
    expect(await merchant.query(refundOf(answer).refundOrderId)).toEqual(refundOf(answer));
  });

  test('takes fields that the contract does not name', async () => {
    const { orderId } = await paidOrder();
    refundOf(await merchant.post({ ...merchant.body(orderId), amount: '1', more: { of: ['it'] } }));
    expect((await books()).reserved).toBe('10');
  });

  test.each(['{"a": [1, 2],\t"ü":"🍵\\u0000"}', '"x"', ' null ', '1e400', `{"long":"${'x'.repeat(50_000)}"}`])(
    'gives extraData back unchanged: %.60s',
    async (extraData) => {
      const { orderId } = await paidOrder();
      const refund = await merchant.create(orderId, { extraData });
      expect(refund.extraData).toBe(extraData);
      expect((await merchant.query(refund.refundOrderId)).extraData).toBe(extraData);
    },
  );

  test.each([
    ['USD at a rate', '1.000001', { value: '10', currency: 'USD' }, {}, '10.00001'],
    [
      'USD, overpaid',
      '1.1',
      { value: '10', currency: 'USD' },
      { amount: '11.000000000000000001' },
      '11.000000000000000001',
    ],
    ['USDT, overpaid', '1', { value: '10', currency: 'USDT' }, { amount: '12.50' }, '12.50'],
  ] as const)('refunds what was paid, not the price: %s', async (_, usdRate, orderAmount, detected, paid) => {
    const rated = await newMerchant(server, { usdRate });
    const order = await paidOrder(rated, { orderAmount }, detected);
    expect(order.cryptoPaidAmount).toEqual({ value: paid, currency: 'USDT' });
    const refund = await refundClient(server, rated).create(order.orderId);
    expect(refund).toMatchObject({ refundAmount: paid, refundCurrency: 'USDT', merchantDeductAmount: paid });
    expect(Number((await books(rated)).reserved)).toBe(Number(paid));
  });

  test('refunds a checkout order in its own currency', async () => {
    const checkout = checkoutClient(server, merchant);
    const order = await checkout.create({ orderAmount: { value: '7.25', currency: 'USDC' }, network: 'base' });
    for (const type of ['transaction_detected', 'payment_confirmed']) await orderEvent(server, order, { type });
    const refund = await merchant.create(order.orderId);
    expect(refund).toMatchObject({
      refundAmount: '7.25',
      refundCurrency: 'USDC',
      merchantOrderId: order.merchantOrderId,
    });
    expect((await books(merchant, 'USDC')).available).toBe('999992.75');
    expect(await books()).toEqual(untouched);
  });

  test.each([
    ['EXCHANGE_ONE', 'EXCHANGE_ONE_PAY'],
    ['EXCHANGE_TWO', 'EXCHANGE_TWO_PAY'],
  ])('names the payment by %s %s', async (paymentMethod, name) => {
    const { orderId } = await paidOrder(merchant, {}, { paymentMethod });
    expect((await merchant.create(orderId)).paymentMethod).toBe(name);
  });

  test.each([
    ['merchantRefundOrderId', undefined],
    ['merchantRefundOrderId', ''],
    ['merchantRefundOrderId', 7],
    ['acquiringOrderId', undefined],
    ['acquiringOrderId', null],
    ['refundReason', undefined],
    ['refundReason', ['English']],
    ['notifyUrl', 'ftp://shop.example'],
    ['notifyUrl', '/hook'],
    ['extraData', 'no JSON'],
    ['extraData', { a: 1 }],
  ])('answers INVALID_PARAMETER and names %s when it does not fit', async (field, value) => {
    const { orderId } = await paidOrder();
    const body = { ...merchant.body(orderId), [field]: value };
    const { code, details } = refundFailureOf(await merchant.post(body), 400);
    expect(code).toBe('INVALID_PARAMETER');
    expect(details).toContain(field);
    refundFailureOf(await merchant.get(`acquiringOrderId=${orderId}`), 404);
    expect(await books()).toEqual(untouched);
  });

  test.each(['{', '[]', 'null', '', '\u0000'])('answers INVALID_PARAMETER to the body %j', async (body) => {
    expect(refundFailureOf(await merchant.post(body), 400).code).toBe('INVALID_PARAMETER');
  });
});

test.each(addressesWithoutHostOrPort)('a notifyUrl of https:%s is refused', async (rest) => {
  const { orderId } = await paidOrder();
  const { details } = refundFailureOf(await merchant.post(merchant.body(orderId, { notifyUrl: `https:${rest}` })), 400);
  expect(details).toContain('notifyUrl');
  await merchant.create(orderId);
});

describe('the same refund again', () => {
  const ways = [[], ['processing_started'], ['processing_started', 'completed'], ['failed'], ['closed']];

  test.each(ways.map((way) => [way]))('after %j is the refund that exists, as it stands', async (way) => {
    const { orderId } = await paidOrder();
    const body = merchant.body(orderId, { extraData: '1' });
    const { refundOrderId } = refundOf(await merchant.post(body));
    await merchant.move(refundOrderId, ...way);
    const now = await merchant.query(refundOrderId);
    const before = await books();
    expect(refundOf(await merchant.post(body))).toEqual(now);
    const other = { ...body, refundReason: 'other', extraData: '2', notifyUrl: 'https://shop.example' };
    expect(refundOf(await merchant.post(other))).toEqual(now);
    expect(await books()).toEqual(before);
  });

  test('after the period is still the refund that exists', async () => {
    const { orderId } = await paidOrder();
    const body = merchant.body(orderId);
    const first = refundOf(await merchant.post(body));
    await advance(server, merchant.merchantId, 31 * 86_400);
    expect(refundOf(await merchant.post(body))).toEqual(first);
  });

  test('for another order is refused, whether that order exists or not', async () => {
    const [one, other] = [await paidOrder(), await paidOrder()];
    const first = await merchant.create(one.orderId);
    for (const acquiringOrderId of [other.orderId, 'ord.nothing']) {
      const body = { ...merchant.body(acquiringOrderId), merchantRefundOrderId: first.merchantRefundOrderId };
      expect(refundFailureOf(await merchant.post(body), 400).code).toBe('IDEMPOTENCY_CONFLICT');
    }
    expect(await merchant.query(first.refundOrderId)).toEqual(first);
    expect((await books()).reserved).toBe('10');
  });

  test('20 times at once is one refund', async () => {
    const { orderId } = await paidOrder();
    const body = merchant.body(orderId);
    const answers = await Promise.all(Array.from({ length: 20 }, () => merchant.post(body)));
    const ids = new Set(answers.map((answer) => refundOf(answer).refundOrderId));
    expect([...ids]).toEqual([refundOf(await merchant.get(`acquiringOrderId=${orderId}`)).refundOrderId]);
    expect(await books()).toEqual({ ...untouched, available: '999990', reserved: '10' });
  });

  test('under 20 ids at once is one refund', async () => {
    const { orderId } = await paidOrder();
    const answers = await Promise.all(Array.from({ length: 20 }, () => merchant.post(merchant.body(orderId))));
    const accepted = answers.filter(({ status }) => status === 200).map(refundOf);
    expect(accepted).toEqual([refundOf(await merchant.get(`acquiringOrderId=${orderId}`))]);
    const refused = answers.filter(({ status }) => status !== 200).map((each) => refundFailureOf(each, 400).code);
    expect(refused).toEqual(Array(19).fill('ORDER_ALREADY_REFUNDED'));
    expect(await books()).toEqual({ ...untouched, available: '999990', reserved: '10' });
  });

  test('under one id for 20 orders at once is one refund', async () => {
    const orders = await Promise.all(Array.from({ length: 20 }, () => paidOrder()));
    const merchantRefundOrderId = newRefundId();
    const answers = await Promise.all(
      orders.map(({ orderId }) => merchant.post({ ...merchant.body(orderId), merchantRefundOrderId })),
    );
    const refused = answers.filter(({ status }) => status !== 200).map((each) => refundFailureOf(each, 400).code);
    expect(refused).toEqual(Array(19).fill('IDEMPOTENCY_CONFLICT'));
    expect((await books()).reserved).toBe('10');
  });
});
