import { describe, expect, it } from 'vitest';
import type { AskedEvent, HistoryRecord } from '../../history/records.ts';
import { orderEvent } from '../testing/events.ts';
import {
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
const usd = { value: '1234.5678', currency: 'USD' };
const create = (orderAmount: object) =>
  request({
    method: 'POST',
    path: paths.orders,
    sent: { merchantOrderId: id, orderAmount },
    answered: success(orderView({ orderAmount })),
  });
const rate: HistoryRecord = {
  kind: 'driver',
  step: 'provisionMerchant',
  start: -1,
  end: -0.5,
  settings: { usdRate: '1.0003337' },
  merchantId,
};
const detected = (event: Partial<AskedEvent>, due: string) =>
  orderEvent(
    10,
    { type: 'transaction_detected', ...event },
    { result: { done: true, due: { value: due, currency: 'USDT' }, payment: event } },
  );
const seen = (change: object) =>
  request({
    method: 'GET',
    path: paths.order(id),
    answered: success(orderView({ ...payment, ...change })),
    start: 100,
  });
const paid = (value: string) => seen({ cryptoPaidAmount: { value, currency: 'USDT' } });
const brokenBy = (...records: readonly HistoryRecord[]) => judged(money, ...records).broken.map(({ rule }) => rule);

describe('a price in USD', () => {
  const rule = 'orders.query.money.converted-amount';
  const at = (due: string) => [rate, create(usd), detected({}, due), paid(due)] as const;

  it.each(['1234.979776', '1234.979775', '1234.97977527486'])('may come to %s, rounded in any way', (due) => {
    expect(judged(money, ...at(due))).toMatchObject({ broken: [], kept: expect.arrayContaining([rule]) });
  });

  it.each(['1234.98', '1234.97', '1235'])('does not come to %s, even where the driver says so', (due) => {
    expect(brokenBy(...at(due))).toEqual([rule]);
  });

  it('is not judged where no rate was set, where the driver ignores it, or where another amount was sent', () => {
    expect(brokenBy(create(usd), detected({}, '1300'), paid('1300'))).toEqual([]);
    expect(brokenBy(...at('1234.5678'))).toEqual([]);
    expect(brokenBy(rate, create(usd), detected({ amount: '1300' }, '1234.98'), paid('1300'))).toEqual([]);
  });
});

describe('the receiver of a hosted payment', () => {
  const onChain = { paymentMethod: 'ON_CHAIN_TRANSFER', network: 'tron', fromAddress: 'TPayer' };
  const usdt = { value: '9.50', currency: 'USDT' };

  it('is another address than the one that paid', () => {
    expect(brokenBy(create(usdt), detected(onChain, '9.50'), seen({}))).toEqual([]);
    const detail = { ...payment.cryptoPaymentDetail, toAddress: 'TPayer' };
    expect(brokenBy(create(usdt), detected(onChain, '9.50'), seen({ cryptoPaymentDetail: detail }))).toEqual([
      'orders.query.money.receiver',
    ]);
  });
});

describe('the payment method of a refund', () => {
  const usdt = { value: '9.50', currency: 'USDT' };
  const refund = (paymentMethod: string) =>
    request({
      method: 'POST',
      path: paths.refunds,
      sent: { merchantRefundOrderId: 'refund-1', acquiringOrderId: 'ord.1' },
      answered: success(refundView({ paymentMethod }), trace()),
      start: 200,
    });
  const by = (paymentMethod: string, shown: string) =>
    brokenBy(create(usdt), detected({ paymentMethod }, '9.50'), refund(shown));

  it('is EXCHANGE_ONE_PAY for the first exchange and for nothing else', () => {
    expect(by('EXCHANGE_ONE', 'EXCHANGE_ONE_PAY')).toEqual([]);
    expect(by('EXCHANGE_ONE', 'EXCHANGE_ONE')).toEqual(['refunds.create.money.payment-method']);
    expect(by('EXCHANGE_TWO', 'EXCHANGE_ONE_PAY')).toEqual(['refunds.create.money.payment-method']);
    expect(by('EXCHANGE_TWO', 'SECOND')).toEqual([]);
    expect(by('ON_CHAIN_TRANSFER', 'ON_CHAIN_PAY')).toEqual([]);
  });

  it('is not judged where the driver vouches for none', () => {
    expect(brokenBy(create(usdt), detected({}, '9.50'), refund('EXCHANGE_ONE_PAY'))).toEqual([]);
  });
});
