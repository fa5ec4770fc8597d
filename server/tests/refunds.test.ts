import { beforeEach, describe, expect, test } from 'vitest';
import { sumAmounts } from '../domain/money.ts';
import type { OrderCreateRequest } from '../domain/order.ts';
import { addressesWithoutHostOrPort } from './support/addresses.ts';
import { checkoutClient } from './support/checkout.ts';
import { contractOf, controlOf, type OrderView, problemOf } from './support/contract.ts';
import { newRefundId, type RefundClient, refundClient, refundFailureOf, refundOf } from './support/refunds.ts';
import { advance, merchantClient, newMerchant, orderEvent, stoppedClock } from './support/server.ts';
import { sharedServer } from './support/shared-server.ts';
import { type Credentials, signedHeaders } from './support/signing.ts';

const clock = stoppedClock();
const server = await sharedServer({ clock: clock.read });
let credentials: Credentials;
let merchant: RefundClient;

beforeEach(async () => {
  credentials = await newMerchant(server);
  merchant = refundClient(server, credentials);
});

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
const day = 86_400_000;

/** A hosted order of a merchant, paid. */
async function paidOrder(
  owner = credentials,
  changes: Partial<OrderCreateRequest> = {},
  detected: object = {},
): Promise<OrderView> {
  const client = merchantClient(server, owner);
  const order = await client.create(changes);
  for (const event of [{ type: 'transaction_detected', ...detected }, { type: 'payment_confirmed' }]) {
    controlOf(await orderEvent(server, order, event), 200, 'OrderEventResult');
  }
  return client.query(order.orderId);
}

/** A merchant's account in the database. */
async function books({ merchantId }: Credentials = credentials, currency = 'USDT') {
  const account = (await server.storage.reads.findMerchant(merchantId))?.ledger[currency];
  if (!account) throw new Error(`no account in ${currency}`);
  const { available, reserved, deducted } = account;
  return { available, reserved, deducted, total: sumAmounts([available, reserved, deducted]) };
}

const untouched = { available: '1000000', reserved: '0', deducted: '0', total: '1000000' };

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
    const checkout = checkoutClient(server, credentials);
    const order = await checkout.create({ orderAmount: { value: '7.25', currency: 'USDC' }, network: 'base' });
    for (const type of ['transaction_detected', 'payment_confirmed']) await orderEvent(server, order, { type });
    const refund = await merchant.create(order.orderId);
    expect(refund).toMatchObject({
      refundAmount: '7.25',
      refundCurrency: 'USDC',
      merchantOrderId: order.merchantOrderId,
    });
    expect((await books(credentials, 'USDC')).available).toBe('999992.75');
    expect(await books()).toEqual(untouched);
  });

  test.each([
    ['EXCHANGE_ONE', 'EXCHANGE_ONE_PAY'],
    ['EXCHANGE_TWO', 'EXCHANGE_TWO_PAY'],
  ])('names the payment by %s %s', async (paymentMethod, name) => {
    const { orderId } = await paidOrder(credentials, {}, { paymentMethod });
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
    const order = await merchantClient(server, credentials).create();
    for (const type of way) await orderEvent(server, order, { type });
    const { code, details } = await refusal(merchant.body(order.orderId), 400);
    expect(code).toBe('ORDER_NOT_REFUNDABLE');
    expect(details).toContain(status);
    expect(await books()).toEqual(untouched);
  });

  test('an order that was paid too little', async () => {
    const order = await paidOrder(credentials, {}, { amount: '9' });
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

describe('the books', () => {
  test.each([
    [[], { available: '999990', reserved: '10', deducted: '0' }],
    [['processing_started'], { available: '999990', reserved: '10', deducted: '0' }],
    [['processing_started', 'completed'], { available: '999990', reserved: '0', deducted: '10' }],
    [['processing_started', 'failed'], { available: '1000000', reserved: '0', deducted: '0' }],
    [['failed'], { available: '1000000', reserved: '0', deducted: '0' }],
    [['closed'], { available: '1000000', reserved: '0', deducted: '0' }],
  ])('after %j', async (way, expected) => {
    const { orderId } = await paidOrder();
    const { refundOrderId } = await merchant.create(orderId);
    await merchant.move(refundOrderId, ...way);
    expect(await books()).toEqual({ ...expected, total: '1000000' });
  });

  test('balance through 12 refunds at once that end in every way', async () => {
    const put = '100.000000000000000007';
    const own = await newMerchant(server, { balances: { USDT: put } });
    const client = refundClient(server, own);
    const value = '10.000000000000000001';
    const orders = await Promise.all(
      Array.from({ length: 12 }, () => paidOrder(own, { orderAmount: { value, currency: 'USDT' } })),
    );
    const answers = await Promise.all(orders.map(({ orderId }) => client.post(client.body(orderId))));
    const refunds = answers.filter(({ status }) => status === 200).map(refundOf);
    const refused = answers.filter(({ status }) => status !== 200).map((answer) => refundFailureOf(answer, 400).code);
    // Nine times the amount is what the balance covers; for the tenth three in the last place are missing.
    expect(refused).toEqual(Array(3).fill('INSUFFICIENT_BALANCE'));
    expect(await books(own)).toMatchObject({ reserved: '90.000000000000000009', total: put });
    const ways = [['processing_started', 'completed'], ['processing_started', 'failed'], ['closed']];
    await Promise.all(
      refunds.map(({ refundOrderId }, index) => client.move(refundOrderId, ...(ways[index % 3] ?? []))),
    );
    expect(await books(own)).toEqual({
      available: '70.000000000000000004',
      reserved: '0',
      deducted: '30.000000000000000003',
      total: put,
    });
  });

  test('do not change over a move that is refused, or made twice', async () => {
    const { orderId } = await paidOrder();
    const { refundOrderId } = await merchant.create(orderId);
    await merchant.move(refundOrderId, 'processing_started');
    const answers = await Promise.all(
      ['completed', 'failed', 'completed', 'failed'].map((type) => merchant.event(refundOrderId, { type })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const before = await books();
    const ended = await merchant.query(refundOrderId);
    for (const type of ['processing_started', 'completed', 'failed', 'closed']) {
      problemOf(await merchant.event(refundOrderId, { type }), 409);
    }
    expect(await books()).toEqual(before);
    expect(before.total).toBe('1000000');
    expect(before.reserved).toBe('0');
    expect(await merchant.query(refundOrderId)).toEqual(ended);
  });
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

test.each(addressesWithoutHostOrPort)('a notifyUrl of https:%s is refused', async (rest) => {
  const { orderId } = await paidOrder();
  const { details } = refundFailureOf(await merchant.post(merchant.body(orderId, { notifyUrl: `https:${rest}` })), 400);
  expect(details).toContain('notifyUrl');
  await merchant.create(orderId);
});

describe('the record', () => {
  const always = [
    'acquiringOrderId',
    'createdTime',
    'merchantOrderId',
    'merchantRefundOrderId',
    'paymentMethod',
    'refundAmount',
    'refundCurrency',
    'refundOrderId',
    'status',
  ];

  test.each([
    ['PENDING', [], ['estimatedCompletionTime', 'merchantDeductAmount']],
    ['PROCESSING', ['processing_started'], ['estimatedCompletionTime', 'merchantDeductAmount']],
    ['SUCCEEDED', ['processing_started', 'completed'], ['completedTime', 'merchantDeductAmount']],
    ['FAILED', ['processing_started', 'failed'], ['errorCode', 'errorMessage', 'failedTime']],
    ['FAILED', ['failed'], ['errorCode', 'errorMessage', 'failedTime']],
    ['CLOSED', ['closed'], ['closedTime']],
  ])('that is %s after %j has what applies to it, and nothing more', async (status, way, own) => {
    const { orderId } = await paidOrder();
    const { refundOrderId, createdTime } = await merchant.create(orderId);
    clock.advance(60_000);
    await merchant.move(refundOrderId, ...way);
    const refund = await merchant.query(refundOrderId);
    expect(Object.keys(refund).sort()).toEqual([...always, ...own].sort());
    expect(refund).toMatchObject({ status, createdTime });
    for (const time of ['completedTime', 'failedTime', 'closedTime'] as const) {
      if (own.includes(time)) expect(refund[time]).toBe(iso(clock.read()));
    }
    if (status === 'FAILED') expect(refund.errorCode).toBe('EXCHANGE_BALANCE_INSUFFICIENT');
  });

  test('of a failure says what the event said', async () => {
    const { orderId } = await paidOrder();
    const { refundOrderId } = await merchant.create(orderId);
    const failed = { type: 'failed', errorCode: 'WALLET_GONE', errorMessage: 'The wallet is gone' };
    controlOf(await merchant.event(refundOrderId, failed), 200, 'RefundEventResult');
    const { errorCode, errorMessage } = await merchant.query(refundOrderId);
    expect({ errorCode, errorMessage }).toEqual({ errorCode: 'WALLET_GONE', errorMessage: 'The wallet is gone' });
  });
});

describe('query', () => {
  test('finds a refund by each of its ids', async () => {
    const { orderId } = await paidOrder();
    const refund = await merchant.create(orderId, { merchantRefundOrderId: 'ü &=+/?% 🍵' });
    for (const query of [
      `refundOrderId=${refund.refundOrderId}`,
      `merchantRefundOrderId=${encodeURIComponent('ü &=+/?% 🍵')}`,
      `acquiringOrderId=${orderId}&more=1`,
    ]) {
      expect(refundOf(await merchant.get(query))).toEqual(refund);
    }
  });

  test('takes refundOrderId before merchantRefundOrderId before acquiringOrderId, and does not try the next', async () => {
    const refunds = [];
    for (let index = 0; index < 3; index += 1) refunds.push(await merchant.create((await paidOrder()).orderId));
    const [a, b, c] = refunds;
    if (!a || !b || !c) throw new Error('three refunds were to be made');
    const byPlatform = `refundOrderId=${a.refundOrderId}`;
    const byMerchant = `merchantRefundOrderId=${b.merchantRefundOrderId}`;
    const byOrder = `acquiringOrderId=${c.acquiringOrderId}`;
    expect(refundOf(await merchant.get(`${byOrder}&${byMerchant}&${byPlatform}`))).toEqual(a);
    expect(refundOf(await merchant.get(`${byOrder}&${byMerchant}`))).toEqual(b);
    expect(refundOf(await merchant.get(byOrder))).toEqual(c);
    for (const miss of [`refundOrderId=ref.nothing&${byMerchant}&${byOrder}`, `merchantRefundOrderId=no&${byOrder}`]) {
      expect(refundFailureOf(await merchant.get(miss), 404).code).toBe('REFUND_NOT_FOUND');
    }
  });

  test.each([
    'merchantRefundOrderId=',
    'acquiringOrderId=',
    'merchantRefundOrderId=a%00b',
    'merchantRefundOrderId=%E0%A4%A',
    'acquiringOrderId=no-such-form',
    'merchantRefundOrderId=a&merchantRefundOrderId=b',
    'acquiringOrderId[]=a&merchantRefundOrderId=',
  ])('by refundOrderId is answered with its refund, whatever stands beside it: %s', async (beside) => {
    const refund = await merchant.create((await paidOrder()).orderId);
    const own = `refundOrderId=${refund.refundOrderId}`;
    for (const query of [`${own}&${beside}`, `${beside}&${own}`]) {
      expect(refundOf(await merchant.get(query))).toEqual(refund);
    }
    expect((await merchant.get(beside)).status).not.toBe(200);
  });

  test.each(['', '%E0%A4%A', 'a&refundOrderId=b'])('by refundOrderId=%s finds nothing', async (id) => {
    const { merchantRefundOrderId } = await merchant.create((await paidOrder()).orderId);
    const beside = `merchantRefundOrderId=${encodeURIComponent(merchantRefundOrderId)}`;
    expect([400, 404]).toContain((await merchant.get(`${beside}&refundOrderId=${id}`)).status);
  });

  test.each(['', 'more=1'])('without any id is refused: "%s"', async (query) => {
    expect(refundFailureOf(await merchant.get(query), 400).code).toBe('INVALID_PARAMETER');
  });

  test.each([
    'refundOrderId=ref.nothing',
    'refundOrderId=%00',
    'merchantRefundOrderId=no',
    'acquiringOrderId=ord.nothing',
  ])('%s is not found', async (query) => {
    expect(refundFailureOf(await merchant.get(query), 404).code).toBe('REFUND_NOT_FOUND');
  });

  test('by an order that has no refund is not found', async () => {
    const { orderId } = await paidOrder();
    expect(refundFailureOf(await merchant.get(`acquiringOrderId=${orderId}`), 404).code).toBe('REFUND_NOT_FOUND');
  });
});

describe('batch query', () => {
  const batchOf = async (ids: string[], client = merchant) =>
    contractOf(await client.batch(ids), 200, 'RefundBatchSuccess').data;

  test('answers in the order of the request, repeats once, unknown ones left out', async () => {
    const refunds = [];
    for (let index = 0; index < 3; index += 1) refunds.push(await merchant.create((await paidOrder()).orderId));
    const [a, b, c] = refunds;
    if (!a || !b || !c) throw new Error('three refunds were to be made');
    const ids = [c, a, c, b, a].map(({ merchantRefundOrderId }) => merchantRefundOrderId);
    expect(await batchOf([...ids.slice(0, 2), 'unknown', '', '\u0000', a.refundOrderId, ...ids.slice(2)])).toEqual([
      c,
      a,
      b,
    ]);
    expect(await batchOf(['unknown'])).toEqual([]);
  });

  test('takes 100 ids, and refuses 101 and none', async () => {
    const { merchantRefundOrderId } = await merchant.create((await paidOrder()).orderId);
    const ids = Array.from({ length: 99 }, (_, index) => `unknown-${index}`);
    expect((await batchOf([...ids, merchantRefundOrderId])).map((each) => each.merchantRefundOrderId)).toEqual([
      merchantRefundOrderId,
    ]);
    for (const refused of [
      [...ids, merchantRefundOrderId, 'one more'],
      [],
      Array(101).fill('same'),
      [7],
      'text',
      undefined,
    ]) {
      expect(refundFailureOf(await merchant.batch(refused), 400).code).toBe('INVALID_PARAMETER');
    }
  });

  test('shows refunds as they stand', async () => {
    const { merchantRefundOrderId, refundOrderId } = await merchant.create((await paidOrder()).orderId);
    await merchant.move(refundOrderId, 'processing_started', 'completed');
    expect(await batchOf([merchantRefundOrderId])).toEqual([await merchant.query(refundOrderId)]);
  });
});

test('every answer has a request id of its own and the time', async () => {
  const { orderId } = await paidOrder();
  const answers = [
    await merchant.post(merchant.body(orderId)),
    await merchant.get(`acquiringOrderId=${orderId}`),
    await merchant.batch(['unknown']),
    await merchant.get('refundOrderId=ref.nothing'),
    await merchant.post(merchant.body(orderId)),
    await merchant.post('{'),
    await merchant.batch([], { headers: { 'X-Signature': 'AAAA' } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 400, 400, 401]);
  const traces = answers.map((answer, index) =>
    index < 3
      ? contractOf(answer, 200, index === 2 ? 'RefundBatchSuccess' : 'RefundSuccess')
      : refundFailureOf(answer, answer.status),
  );
  expect(new Set(traces.map(({ requestId }) => requestId)).size).toBe(answers.length);
  expect(traces.map(({ timestamp }) => timestamp)).toEqual(answers.map(() => clock.read()));
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

describe('a refund of an automatic merchant', () => {
  let automatic: Credentials;
  let client: RefundClient;

  beforeEach(async () => {
    automatic = await newMerchant(server, { automatic: true });
    client = refundClient(server, automatic);
  });

  test('is worked on after a second, and done after two more', async () => {
    const { orderId } = await paidOrder(automatic);
    const { refundOrderId } = await client.create(orderId);
    const created = clock.read();
    clock.advance(999);
    expect((await client.query(refundOrderId)).status).toBe('PENDING');
    clock.advance(1);
    expect((await client.query(refundOrderId)).status).toBe('PROCESSING');
    expect(await books(automatic)).toMatchObject({ reserved: '10' });
    clock.advance(1999);
    expect((await client.query(refundOrderId)).status).toBe('PROCESSING');
    clock.advance(1);
    expect(await client.query(refundOrderId)).toMatchObject({
      status: 'SUCCEEDED',
      completedTime: iso(created + 3000),
    });
    expect(await books(automatic)).toEqual({ ...untouched, available: '999990', deducted: '10' });
  });

  test('is done before the answer to a clock advance, and dated at its time', async () => {
    const orders = [await paidOrder(automatic), await paidOrder(automatic), await paidOrder(automatic)];
    const created = Date.parse(
      (await Promise.all(orders.map(({ orderId }) => client.create(orderId))))[0]?.createdTime ?? '',
    );
    await advance(server, automatic.merchantId, 3600);
    for (const { orderId } of orders) {
      const [stored] = await server.storage.reads.listRefundsOfOrder(automatic.merchantId, orderId);
      expect(stored).toMatchObject({ status: 'SUCCEEDED', endedAt: created + 3000 });
    }
    expect(await books(automatic)).toEqual({ ...untouched, available: '999970', deducted: '30' });
  });

  test('is done without any request', async () => {
    const { orderId } = await paidOrder(automatic);
    await client.create(orderId);
    clock.advance(3000);
    const read = async () => (await server.storage.reads.listRefundsOfOrder(automatic.merchantId, orderId))[0]?.status;
    await expect.poll(read, { interval: 20, timeout: 20_000 }).toBe('SUCCEEDED');
    expect((await books(automatic)).deducted).toBe('10');
  });

  test('moves by events as well', async () => {
    const { orderId } = await paidOrder(automatic);
    const { refundOrderId } = await client.create(orderId);
    await client.move(refundOrderId, 'closed');
    await advance(server, automatic.merchantId, 3600);
    expect((await client.query(refundOrderId)).status).toBe('CLOSED');
    expect(await books(automatic)).toEqual(untouched);
  });
});

test('of a merchant that is not automatic nothing moves by time', async () => {
  const { orderId } = await paidOrder();
  const { refundOrderId } = await merchant.create(orderId);
  await advance(server, merchant.merchantId, 365 * 86_400);
  expect((await merchant.query(refundOrderId)).status).toBe('PENDING');
});
