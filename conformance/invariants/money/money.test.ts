import { describe, expect, it } from 'vitest';
import type {
  AskedEvent,
  HistoryRecord,
  OrderEventRecord,
  ProvisionRecord,
  StepResult,
} from '../../history/records.ts';
import { refundEvent } from '../testing/events.ts';
import {
  checkoutView,
  judged,
  merchantId,
  orderView,
  paths,
  payment,
  refundView,
  request,
  success,
  trace,
} from '../testing/histories.ts';
import { money } from './index.ts';

const id = 'order-0000000001';

const hash = `0x${'ab'.repeat(32)}`;

const create = (orderAmount = { value: '9.50', currency: 'USDT' }) =>
  request({
    method: 'POST',
    path: paths.orders,
    sent: { merchantOrderId: id, orderAmount },
    answered: success(orderView({ orderAmount })),
  });

const query = (change: object = {}, start = 100) =>
  request({ method: 'GET', path: paths.order(id), answered: success(orderView({ ...payment, ...change })), start });

const detected = (
  event: Partial<AskedEvent> = {},
  result: StepResult = { done: true, due: { value: '9.50', currency: 'USDT' }, payment: event },
  orderId = 'ord.1',
): OrderEventRecord => ({
  kind: 'driver',
  step: 'orderEvent',
  merchantId,
  orderId,
  start: 10,
  end: 11,
  event: { type: 'transaction_detected', ...event },
  result,
});

const provided = (settings: ProvisionRecord['settings']): ProvisionRecord => ({
  kind: 'driver',
  step: 'provisionMerchant',
  start: -1,
  end: -0.5,
  settings,
  merchantId,
});

const judge = (...records: readonly HistoryRecord[]) => judged(money, ...records);
const brokenBy = (...records: readonly HistoryRecord[]) => judge(...records).broken.map(({ rule }) => rule);

const paidWith = (cryptoPaidAmount: object) => query({ cryptoPaidAmount });
const shownAs = (change: object) => query({ cryptoPaymentDetail: { ...payment.cryptoPaymentDetail, ...change } });

describe('what was paid for a hosted order', () => {
  it.each([
    ['more decimal places', '9.5000'],
    ['fewer decimal places', '9.5'],
  ])('may be written with %s', (_, value) => {
    const { broken, kept } = judge(create(), detected(), paidWith({ value, currency: 'USDT' }));
    expect(broken).toEqual([]);
    expect(kept).toContain('orders.query.money.paid-amount');
  });

  it('is what the driver let be paid, and not the price', () => {
    const over = detected({ amount: '9.500000000000000001' });
    expect(brokenBy(create(), over, paidWith({ value: '9.500000000000000001', currency: 'USDT' }))).toEqual([]);
    expect(judge(create(), over, query()).broken).toEqual([
      {
        rule: 'orders.query.money.paid-amount',
        expected: 'data.cryptoPaidAmount.value = 9.500000000000000001',
        actual: 'data.cryptoPaidAmount.value = 9.50; the order is paid with more than was due',
      },
    ]);
  });

  it('is in USDT, whatever the price is in', () => {
    const wrong = paidWith({ value: '9.50', currency: 'USD' });
    expect(brokenBy(create(), wrong)).toEqual(['orders.query.money.paid-currency']);
    expect(brokenBy(create({ value: '9.50', currency: 'USD' }), query())).toEqual([]);
  });

  it('is the amount that the driver names as due where the price is in USD', () => {
    const converted = detected({}, { done: true, due: { value: '10.69', currency: 'USDT' } });
    const usd = create({ value: '9.99', currency: 'USD' });
    expect(brokenBy(usd, converted, paidWith({ value: '10.69', currency: 'USDT' }))).toEqual([]);
    expect(brokenBy(usd, converted, paidWith({ value: '9.99', currency: 'USDT' }))).toEqual([
      'orders.query.money.paid-amount',
    ]);
  });

  it('is converted at the rate that the driver set and rounded up to six places, where nobody names the amount due', () => {
    const usd = create({ value: '9.99', currency: 'USD' });
    const unnamed = detected({}, { done: true });
    const rate = provided({ usdRate: '1.0003337' });
    expect(brokenBy(rate, usd, unnamed, paidWith({ value: '9.993334', currency: 'USDT' }))).toEqual([]);
    expect(brokenBy(rate, usd, unnamed, paidWith({ value: '9.993333', currency: 'USDT' }))).toEqual([
      'orders.query.money.paid-amount',
    ]);
    expect(judge(usd, unnamed, query()).kept).not.toContain('orders.query.money.paid-amount');
  });

  it('is converted for every price where the amount due of any shows that the rate is set', () => {
    const rate = provided({ usdRate: '1.0003337' });
    const price = { value: '100', currency: 'USD' };
    const unrated = [create(price), detected({}, { done: true, due: { value: '100', currency: 'USDT' } })];
    const shown = paidWith({ value: '100', currency: 'USDT' });
    expect(brokenBy(rate, ...unrated, shown)).toEqual([]);
    const other = { orderId: 'ord.2', merchantOrderId: 'order-0000000002' };
    const orderAmount = { value: '9.99', currency: 'USD' };
    const rated = [
      request({
        method: 'POST',
        path: paths.orders,
        sent: { merchantOrderId: other.merchantOrderId, orderAmount },
        answered: success(orderView({ ...other, orderAmount })),
      }),
      detected({}, { done: true, due: { value: '9.993334', currency: 'USDT' } }, 'ord.2'),
    ];
    expect(brokenBy(rate, ...unrated, ...rated, shown)).toEqual(['orders.query.money.converted-amount']);
  });

  it('is not judged where no event paid, or two may have', () => {
    const wrong = paidWith({ value: '1', currency: 'USDT' });
    expect(brokenBy(create(), wrong)).toEqual([]);
    expect(brokenBy(create(), detected(), detected({}, { failed: 'no answer' }), wrong)).toEqual([]);
    expect(brokenBy(create(), detected({}, { failed: 'no answer' }), wrong)).toEqual([]);
    const refused = detected({ amount: '3' }, { done: false, message: 'no' });
    expect(brokenBy(create(), refused, detected(), wrong)).toEqual(['orders.query.money.paid-amount']);
  });

  it('is not read from text that is no decimal number: that is a rule of form', () => {
    expect(brokenBy(create(), detected(), paidWith({ value: '9.5E0', currency: 'USDT' }))).toEqual([]);
  });
});

describe('the transaction of a hosted order', () => {
  const onChain = detected({
    paymentMethod: 'ON_CHAIN_TRANSFER',
    network: 'eth',
    fromAddress: '0xAbCdEf0123',
    transactionHash: hash,
  });
  const right = { network: 'ETHEREUM', fromAddress: '0xabcdef0123', txHash: hash.toUpperCase().replace('0X', '0x') };

  it('may have hexadecimal digits in either case', () => {
    const { broken, kept } = judge(create(), onChain, shownAs(right));
    expect(broken).toEqual([]);
    expect(kept).toEqual(
      expect.arrayContaining(['payment-network', 'payer', 'transaction'].map((name) => `orders.query.money.${name}`)),
    );
  });

  it.each([
    ['payment-network', { network: 'ETH' }],
    ['payment-network', { network: 'ethereum' }],
    ['payer', { fromAddress: '0xabcdef0124' }],
    ['transaction', { txHash: hash.slice(0, -1) }],
  ])('breaks %s with another value: %j', (name, change) => {
    expect(brokenBy(create(), onChain, shownAs({ ...right, ...change }))).toEqual([`orders.query.money.${name}`]);
  });

  it('is not judged where it is open, or where the driver does not vouch for it', () => {
    const byExchange = detected({ paymentMethod: 'EXCHANGE_ONE', network: 'eth', transactionHash: hash });
    expect(brokenBy(create(), byExchange, query())).toEqual([]);
    const asked = { paymentMethod: 'ON_CHAIN_TRANSFER', network: 'eth', transactionHash: hash };
    expect(brokenBy(create(), detected(asked, { done: true }), query())).toEqual([]);
    const polygon = detected({ paymentMethod: 'ON_CHAIN_TRANSFER', network: 'polygon' });
    expect(brokenBy(create(), polygon, shownAs({ network: 'MATIC' }))).toEqual([]);
  });

  it.each([
    ['payer', { fromAddress: '' }],
    ['receiver', { toAddress: '' }],
    ['transaction', { txHash: '' }],
  ])('breaks %s where it is empty, although the driver vouches for nothing: %j', (name, change) => {
    const unnamed = detected({ paymentMethod: 'ON_CHAIN_TRANSFER', network: 'eth' });
    expect(brokenBy(create(), unnamed, shownAs({ network: 'ETHEREUM', ...change }))).toEqual([
      `orders.query.money.${name}`,
    ]);
    const byExchange = detected({ paymentMethod: 'EXCHANGE_ONE', network: 'eth' });
    expect(brokenBy(create(), byExchange, shownAs({ network: 'ETHEREUM', ...change }))).toEqual([]);
  });

  it('compares addresses that are not hexadecimal letter for letter', () => {
    const tron = detected({ paymentMethod: 'ON_CHAIN_TRANSFER', network: 'tron', fromAddress: 'TPayer' });
    expect(brokenBy(create(), tron, query())).toEqual([]);
    expect(brokenBy(create(), tron, shownAs({ fromAddress: 'TPAYER' }))).toEqual(['orders.query.money.payer']);
  });
});

describe('checkout orders', () => {
  const sent = { merchantOrderId: id, orderAmount: { value: '9.50', currency: 'USDC' }, network: 'eth' };
  const base = { orderAmount: sent.orderAmount, network: 'eth', depositAddress: '0xD0' };
  const usdc = (value: string) => ({ value, currency: 'USDC' });
  const made = (cryptoPaymentAmount: object = usdc('9.80')) =>
    request({
      method: 'POST',
      path: paths.checkoutOrders,
      sent,
      answered: success(checkoutView({ ...base, cryptoPaymentAmount })),
    });
  const paidDetail = {
    network: 'eth',
    cryptoCurrency: 'USDC',
    transactionHash: hash,
    fromAddress: '0xFF',
    toAddress: '0xd0',
    amount: '9.8',
    confirmations: 12,
    requiredConfirmations: 12,
  };
  const seen = (change: object = {}, detail: object = {}) =>
    request({
      method: 'GET',
      path: paths.checkoutOrder(id),
      start: 100,
      answered: success(
        checkoutView({
          ...base,
          status: 'SUCCEEDED',
          cryptoPaymentAmount: usdc('9.80'),
          cryptoPaidAmount: usdc('9.80'),
          cryptoPaymentDetail: { ...paidDetail, ...detail },
          ...change,
        }),
      ),
    });
  const asked = { fromAddress: '0xff', transactionHash: hash };
  const paid = detected(asked, { done: true, due: usdc('9.80'), payment: asked }, 'chk.1');

  it('that were overpaid may be refunded as what was paid, due or ordered', () => {
    const more = detected({ amount: '10' }, { done: true, due: usdc('9.80'), payment: { amount: '10' } }, 'chk.1');
    const refunded = (refundAmount: string) =>
      request({
        method: 'POST',
        path: paths.refunds,
        sent: { merchantRefundOrderId: 'refund-1', acquiringOrderId: 'chk.1' },
        answered: success(refundView({ refundAmount, refundCurrency: 'USDC', acquiringOrderId: 'chk.1' }), trace()),
        start: 200,
      });
    for (const right of ['10', '9.80', '9.50']) expect(brokenBy(made(), more, refunded(right))).toEqual([]);
    expect(brokenBy(made(), more, refunded('9.90'))).toEqual(['refunds.create.money.refund-amount']);
  });

  it('may add fees to the price', () => {
    const { broken, kept } = judge(made(), paid, seen());
    expect(broken).toEqual([]);
    const names = ['payment-amount', 'amount-due', 'payment-currency'].map((name) => `checkout.create.money.${name}`);
    const shown = money.rules.map((rule) => rule.id).filter((rule) => rule.startsWith('checkout.query.'));
    expect(kept).toEqual(expect.arrayContaining([...names, ...shown]));
  });

  it('ask for no less than the price, for what the payer owes, in the currency of the price', () => {
    expect(brokenBy(made(usdc('9.49')))).toEqual(['checkout.create.money.payment-amount']);
    expect(brokenBy(made(usdc('9.90')), paid)).toEqual(['checkout.create.money.amount-due']);
    expect(brokenBy(made({ value: '9.80', currency: 'USDT' }))).toEqual(['checkout.create.money.payment-currency']);
  });

  it.each<[string, object, object]>([
    ['paid-amount', { cryptoPaidAmount: usdc('9.50') }, {}],
    ['paid-currency', { cryptoPaidAmount: { value: '9.80', currency: 'USDT' } }, {}],
    ['sent-amount', {}, { amount: '9.50' }],
    ['sent-currency', {}, { cryptoCurrency: 'USDT' }],
    ['payment-network', {}, { network: 'ETHEREUM' }],
    ['payer', {}, { fromAddress: '0xfe' }],
    ['receiver', {}, { toAddress: '0xd1' }],
    ['transaction', {}, { transactionHash: '0xabc' }],
  ])('break %s with another value', (name, change, detail) => {
    expect(brokenBy(made(), paid, seen(change, detail))).toEqual([`checkout.query.money.${name}`]);
  });

  it('are paid what they asked for where the driver names no amount', () => {
    const unnamed = detected({}, { done: true }, 'chk.1');
    expect(brokenBy(made(), unnamed, seen())).toEqual([]);
    expect(brokenBy(made(), unnamed, seen({ cryptoPaidAmount: usdc('9.50') }))).toEqual([
      'checkout.query.money.paid-amount',
    ]);
  });
});

describe('refunds', () => {
  const refund = (change: object = {}, start = 200, own = 'refund-1') =>
    request({
      method: 'POST',
      path: paths.refunds,
      sent: { merchantRefundOrderId: own, acquiringOrderId: 'ord.1' },
      answered: success(refundView({ merchantRefundOrderId: own, ...change }), trace()),
      start,
    });
  const refundSeen = (status: string, start: number, change: object = {}) =>
    request({
      method: 'GET',
      path: paths.refunds,
      query: 'merchantRefundOrderId=refund-1',
      answered: success(refundView({ status, ...change }), trace()),
      start,
    });

  it('are of what was paid, in its currency', () => {
    expect(judge(create(), detected(), refund({ refundAmount: '9.5' })).broken).toEqual([]);
    expect(brokenBy(create(), detected(), refund({ refundAmount: '9.40' }))).toEqual([
      'refunds.create.money.refund-amount',
    ]);
    expect(brokenBy(create(), refund({ refundCurrency: 'USD' }))).toEqual(['refunds.create.money.refund-currency']);
  });

  it('of an order that was overpaid may be of the price too, unless the price is in USD', () => {
    const over = detected({ amount: '12' });
    expect(brokenBy(create(), over, refund({ refundAmount: '9.50' }))).toEqual([]);
    expect(brokenBy(create(), over, refund({ refundAmount: '12' }))).toEqual([]);
    expect(brokenBy(create(), over, refund({ refundAmount: '11' }))).toEqual(['refunds.create.money.refund-amount']);
    const usd = create({ value: '9.50', currency: 'USD' });
    expect(brokenBy(usd, over, refund({ refundAmount: '9.50' }))).toEqual(['refunds.create.money.refund-amount']);
  });

  const poor = provided({ balances: { USDT: '15' } });
  it('of another amount are told with what is special about their order', () => {
    const usd = create({ value: '9.50', currency: 'USD' });
    const paid = detected({ paymentMethod: 'EXCHANGE_ONE', amount: '12' });
    const wrong = { refundAmount: '11', paymentMethod: 'EXCHANGE_ONE_PAY' };
    const again = refund({ ...wrong, refundOrderId: 'ref.2' }, 300, 'refund-2');
    const special = 'priced in USD, paid by EXCHANGE_ONE, paid with more than was due';
    expect(judge(usd, paid, refund(wrong), again).broken).toMatchObject([
      { actual: `data.refundAmount = 11; the order is ${special}` },
      { actual: `data.refundAmount = 11; the order is ${special}, refunded for a second time` },
    ]);
  });

  const second = refund({ refundOrderId: 'ref.2' }, 300, 'refund-2');

  it('take no more from a balance than there is', () => {
    expect(brokenBy(provided({ balances: { USDT: '9.49' } }), refund())).toEqual(['refunds.create.money.balance']);
    expect(brokenBy(provided({ balances: { USDC: '100' } }), refund())).toEqual(['refunds.create.money.balance']);
    expect(judge(poor, refund(), second, refundSeen('PENDING', 400)).broken).toEqual([
      {
        rule: 'refunds.create.money.balance',
        expected: "the refunds that are not FAILED or CLOSED take at most 15 USDT, the merchant's balance",
        actual: '2 refunds take 19 USDT',
      },
    ]);
    expect(brokenBy(poor, refund(), refundSeen('SUCCEEDED', 250), second)).toEqual(['refunds.create.money.balance']);
  });

  it('may use again what one that failed, or may have failed, gave back', () => {
    expect(brokenBy(poor, refund(), refundSeen('FAILED', 250), second)).toEqual([]);
    expect(brokenBy(poor, refund(), refundSeen('PENDING', 250), second)).toEqual([]);
    expect(brokenBy(poor, refund(), second, refundSeen('CLOSED', 400))).toEqual([]);
    // A query that lags behind shows it as it was.
    expect(brokenBy(poor, refund(), refundEvent(250, 'failed'), second, refundSeen('PENDING', 400))).toEqual([]);
    expect(brokenBy(poor, refund(), refundEvent(250, 'completed'), second, refundSeen('PENDING', 400))).not.toEqual([]);
  });

  it('take merchantDeductAmount, and nothing is judged without it or without a balance that was set', () => {
    const cheap = (change: object, start: number, own: string) =>
      refund({ merchantDeductAmount: '7', ...change }, start, own);
    const later = refundSeen('PENDING', 400, { merchantDeductAmount: '7' });
    expect(
      brokenBy(poor, cheap({}, 200, 'refund-1'), cheap({ refundOrderId: 'ref.2' }, 300, 'refund-2'), later),
    ).toEqual([]);
    const unshown = provided({ balances: { USDT: '9.45' } });
    expect(brokenBy(unshown, refund({ merchantDeductAmount: undefined }))).toEqual([]);
    expect(judge(refund(), second).kept).not.toContain('refunds.create.money.balance');
  });
});
