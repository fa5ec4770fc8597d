import { describe, expect, it } from 'vitest';
import type { ProvisionRecord } from '../history/records.ts';
import { rightCreates } from './right-creates.ts';
import {
  checkoutView,
  judged,
  orderRefusal,
  orderView,
  paths,
  payment,
  refundView,
  request,
  success,
  trace,
} from './testing/histories.ts';

/** The run begins at 2026-01-01T10:00:00Z. */
const inAnHour = '2026-01-01T11:00:00.000Z';

const hosted = (change: object = {}) => ({
  merchantOrderId: 'order-0000000002',
  orderAmount: { value: '9.50', currency: 'USDT' },
  expiresAt: inAnHour,
  returnUrl: 'https://shop.example/return',
  ...change,
});
const checkout = (change: object = {}) => ({
  merchantOrderId: 'order-0000000002',
  orderAmount: { value: '9.50', currency: 'USDT' },
  paymentMethodType: 'ON_CHAIN_TRANSFER',
  network: 'tron',
  expiresAt: inAnHour,
  ...change,
});
const refund = (change: object = {}) => ({
  merchantRefundOrderId: 'refund-0000000001',
  acquiringOrderId: 'ord.1',
  refundReason: 'The customer returned the goods.',
  ...change,
});

const made = (path: string, sent: object, view: object) =>
  request({ method: 'POST', path, sent: { ...sent, merchantOrderId: 'order-0000000001' }, answered: success(view) });
const madeHosted = made(paths.orders, hosted(), orderView());
const madeCheckout = made(paths.checkoutOrders, checkout(), checkoutView());

const refused = (path: string, sent: object, code = '10001', change: object = {}) =>
  request({
    method: 'POST',
    path,
    sent,
    answered: { ...orderRefusal(code), message: 'a field is wrong' },
    start: 5,
    ...change,
  });
const refusedRefund = (sent: object, code = 'INVALID_PARAMETER', details: unknown = []) =>
  request({
    method: 'POST',
    path: paths.refunds,
    sent,
    status: 400,
    answered: { code, message: 'a field is wrong', details, ...trace() },
    start: 5,
  });
const paid = request({ method: 'GET', path: paths.order('ord.1'), answered: success(orderView(payment)), start: 2 });

const broken = (...records: Parameters<typeof judged>[1][]) => judged(rightCreates, ...records).broken;

/** The driver has made the merchant with these settings. */
const provision = (settings: ProvisionRecord['settings']): ProvisionRecord => ({
  ...{ kind: 'driver', step: 'provisionMerchant', start: 0, end: 1 },
  ...{ settings, merchantId: 'm1' },
});

describe('a create whose fields keep every rule', () => {
  it('is not refused for one of them', () => {
    expect(broken(madeHosted, refused(paths.orders, hosted({ userAgent: 'A browser; of a kind' })))).toEqual([
      {
        rule: 'orders.create.refusals.right-fields',
        expected: 'the create is accepted, because each of its fields keeps the rules of the contract',
        actual: 'it is refused with code = 10001: a field is wrong',
      },
    ]);
    const items = [{ name: 'Tea', price: '1', currency: 'USDC' }];
    expect(broken(madeCheckout, refused(paths.checkoutOrders, checkout({ items }), '10005'))).toMatchObject([
      { rule: 'checkout.create.refusals.right-fields' },
    ]);
    const details = 'notifyUrl: must be https';
    expect(
      broken(paid, refusedRefund(refund({ notifyUrl: 'http://shop.example/hook' }), undefined, details)),
    ).toMatchObject([
      {
        rule: 'refunds.create.refusals.right-fields',
        actual: `it is refused with code = INVALID_PARAMETER: a field is wrong: ${details}`,
      },
    ]);
  });

  it.each([
    ['a field that the contract does not name', hosted({ colour: 'red' })],
    ['a field that breaks a rule', hosted({ userAgent: 'x'.repeat(513) })],
    ['letters beyond ASCII', hosted({ description: 'Café' })],
    ['a line feed', hosted({ description: 'one\ntwo' })],
    ['a long text without a bound', hosted({ customer: { name: 'x'.repeat(301) } })],
    ['an address of a port that there is not', hosted({ returnUrl: 'https://shop.example:0/return' })],
    ['a time in another zone', hosted({ expiresAt: '2026-01-01T12:00:00+01:00' })],
    ['a time with more places than milliseconds', hosted({ expiresAt: '2026-01-01T11:00:00.1234Z' })],
    ['a time more than a day ahead', hosted({ expiresAt: '2026-01-02T11:00:00Z' })],
    ['a time in a moment', hosted({ expiresAt: '2026-01-01T10:00:30Z' })],
    ['an amount above every one that was accepted', hosted({ orderAmount: { value: '9.51', currency: 'USDT' } })],
    ['an amount in a currency in which none was', hosted({ orderAmount: { value: '9.50', currency: 'USD' } })],
    ['an amount with zeros in front', hosted({ orderAmount: { value: '09.50', currency: 'USDT' } })],
    ['parts of sub-merchants', hosted({ subMerchants: [{ subMerchantId: '1', name: 'One', amount: '9.50' }] })],
    [
      'an item in another currency',
      hosted({ items: [{ name: 'Tea', quantity: 1, amount: { value: '1', currency: 'USD' } }] }),
    ],
  ])('may be refused for %s', (_, sent) => {
    expect(broken(madeHosted, refused(paths.orders, sent))).toEqual([]);
  });

  it('may be refused for a price in stablecoin that has more places than its token, which may be as hosted orders are priced', () => {
    const priced = (value: string) => ({ orderAmount: { value, currency: 'USDT' } });
    const dear = { ...priced('20'), merchantOrderId: 'order-0000000003' };
    const made = [
      madeHosted,
      madeCheckout,
      request({ method: 'POST', path: paths.orders, sent: hosted(dear), answered: success(orderView()) }),
      request({ method: 'POST', path: paths.checkoutOrders, sent: checkout(dear), answered: success(checkoutView()) }),
    ];
    const refusals = (value: string) => [
      refused(paths.orders, hosted(priced(value))),
      refused(paths.checkoutOrders, checkout({ ...priced(value), merchantOrderId: 'order-0000000004' })),
    ];
    const rulesBroken = (value: string) => broken(...made, ...refusals(value)).map(({ rule }) => rule);
    const [ofHosted, ofCheckout] = ['orders.create.refusals.right-fields', 'checkout.create.refusals.right-fields'];
    expect(rulesBroken('10.123456')).toEqual([ofHosted, ofCheckout]);
    expect(rulesBroken('10.1234567')).toEqual([ofHosted]);
  });

  it('may be refused for a small amount although an order for nothing was accepted', () => {
    const priced = (value: string) => ({ orderAmount: { value, currency: 'USDT' } });
    const free = { ...hosted(priced('0')), merchantOrderId: 'order-0000000003' };
    const madeFree = request({ method: 'POST', path: paths.orders, sent: free, answered: success(orderView()) });
    expect(broken(madeHosted, madeFree, refused(paths.orders, hosted(priced('0.01'))))).toEqual([]);
  });

  it('may be refused for what is not in its fields', () => {
    const sent = hosted();
    expect(broken(madeHosted, refused(paths.orders, sent, '20001'))).toEqual([]);
    expect(broken(madeHosted, refused(paths.orders, sent, '10001', { authentication: 'changed' }))).toEqual([]);
    expect(broken(madeHosted, refused(paths.orders, { ...sent, merchantOrderId: 'order-0000000001' }))).toEqual([]);
    expect(broken(madeCheckout, refused(paths.checkoutOrders, checkout({ network: 'eth' }), '10011'))).toEqual([]);
  });

  it('may be refused as a refund of an order that was not seen to be paid, or was refunded, or at a balance that the run has set', () => {
    expect(broken(refusedRefund(refund()))).toEqual([]);
    expect(broken(paid, refusedRefund(refund(), 'ORDER_NOT_FOUND'))).toEqual([]);
    expect(broken(paid, refusedRefund(refund({ merchantRefundOrderId: 'a:b' })))).toEqual([]);
    const first = request({
      method: 'POST',
      path: paths.refunds,
      sent: refund({ merchantRefundOrderId: 'refund-0000000002' }),
      answered: success(refundView(), trace('r2')),
      start: 4,
    });
    expect(broken(paid, first, refusedRefund(refund()))).toEqual([]);
    expect(broken(provision({ balances: { USDT: '5' } }), paid, refusedRefund(refund()))).toEqual([]);
  });

  it('may be refused where its merchant was made with a limit on requests about orders', () => {
    const limited = provision({ orderRateLimit: { requests: 3, perSeconds: 3 } });
    expect(broken(madeHosted, refused(paths.orders, hosted()))).toHaveLength(1);
    expect(broken(limited, madeHosted, refused(paths.orders, hosted()))).toEqual([]);
    expect(broken(limited, madeCheckout, refused(paths.checkoutOrders, checkout()))).toEqual([]);
    expect(broken(limited, paid, refusedRefund(refund()))).toHaveLength(1);
  });

  it('is kept by creates that are accepted', () => {
    expect(judged(rightCreates, madeHosted, madeCheckout).kept).toEqual([
      'orders.create.refusals.right-fields',
      'checkout.create.refusals.right-fields',
    ]);
  });
});
