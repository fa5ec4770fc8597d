import { describe, expect, it } from 'vitest';
import { schemaFaults } from '../contract/schema.ts';
import { answerFaults } from './answer-faults.ts';
import { readBook } from './book.ts';
import { forms } from './forms.ts';
import {
  history,
  judged,
  orderView,
  paths,
  payment,
  refundView,
  request,
  success,
  trace,
} from './testing/histories.ts';

const created = (value: unknown, view: object) =>
  request({
    method: 'POST',
    path: paths.orders,
    sent: { merchantOrderId: 'order-0000000001', orderAmount: { value, currency: 'USDT' } },
    answered: success(view),
  });
const seen = (view: object) =>
  request({ method: 'GET', path: paths.order('order-0000000001'), answered: success(view), start: 10 });
const refundSeen = (view: object) =>
  request({ method: 'GET', path: paths.refunds, query: 'refundOrderId=ref.1', answered: success(view, trace()) });
const withAmount = (value: string) => orderView({ orderAmount: { value, currency: 'USDT' } });

describe('forms', () => {
  it('finds an exponent where the order was for plain decimal text', () => {
    const { broken } = judged(forms, created('100', withAmount('100')), seen(withAmount('1E+2')));
    expect(broken).toEqual([
      {
        rule: 'orders.query.money.form',
        expected: 'data.orderAmount.value is plain decimal text with at most 18 decimal places',
        actual: 'data.orderAmount.value = 1E+2',
        requirement: 'orders.view.amounts',
      },
    ]);
  });

  it('names the bound of an amount that has too many decimal places', () => {
    const value = '0.3701240000000000000';
    const { broken } = judged(forms, created('100', withAmount('100')), seen(withAmount(value)));
    expect(broken.map(({ expected, actual }) => [expected, actual])).toEqual([
      [
        'data.orderAmount.value is plain decimal text with at most 18 decimal places',
        `data.orderAmount.value = ${value}`,
      ],
    ]);
  });

  it('does not judge the amounts of an order that was made for an odd one', () => {
    expect(judged(forms, created('1e2', withAmount('1E+2')), seen(withAmount('1E+2'))).broken).toEqual([]);
  });

  it.each(['9.50\n', '٩.٥٠', ' 9.50'])(
    'finds %j where the order was made for that, which no notation of numbers is',
    (odd) => {
      expect(judged(forms, created(odd, withAmount(odd))).broken).toMatchObject([
        { rule: 'orders.create.money.form', requirement: 'orders.view.amounts' },
      ]);
    },
  );

  it('finds a time that is none, and takes every form of ISO 8601', () => {
    expect(judged(forms, seen(orderView({ createdAt: 'yesterday' }))).broken).toMatchObject([
      { rule: 'orders.query.times.form', expected: 'data.createdAt is an ISO 8601 time in UTC' },
    ]);
    expect(judged(forms, seen(orderView({ createdAt: '20260101T100000,5+00' }))).broken).toEqual([]);
    for (const midnight of ['2026-01-01T24:00Z', '20260101T240000,000Z', '2016-12-31T23:59:60Z']) {
      expect(judged(forms, seen(orderView({ createdAt: midnight }))).broken).toEqual([]);
    }
    for (const none of [
      '2026-01-01T24:30:09Z',
      '2026-13-01T10:00Z',
      '2026-00-10T10:00Z',
      '2026-01-32T10:00Z',
      '2026-01-01T10:60Z',
    ]) {
      expect(judged(forms, seen(orderView({ createdAt: none }))).broken).toHaveLength(1);
    }
    expect(judged(forms, refundSeen(refundView({ createdTime: '2026-01-01T10:00' }))).broken).toEqual([]);
    expect(judged(forms, refundSeen(refundView({ createdTime: 'today', refundAmount: '9,50' }))).broken).toMatchObject([
      { rule: 'refunds.query.money.form' },
      { rule: 'refunds.query.times.form' },
    ]);
  });

  it('finds a time that no calendar and no clock has, and takes the end of a day and a leap second', () => {
    const shown = (expiresAt: string) => judged(forms, seen(orderView({ expiresAt }))).broken;
    const wrong = [
      '2026-02-29T10:00:00Z',
      '2026-11-31T06:00:00.000Z',
      '20261301T100000Z',
      '2026-01-00T10:00:00Z',
      '2026-01-01T24:30:09Z',
      '2026-01-01T10:60Z',
      '2026-01-01T10:00:61Z',
    ];
    for (const expiresAt of wrong) {
      expect(shown(expiresAt)).toMatchObject([
        { rule: 'orders.query.times.form', actual: `data.expiresAt = ${expiresAt}` },
      ]);
    }
    for (const expiresAt of ['2028-02-29T10:00:00Z', '2026-01-01T24:00:00.000Z', '2026-06-30T23:59:60Z']) {
      expect(shown(expiresAt)).toEqual([]);
    }
    expect(judged(forms, refundSeen(refundView({ createdTime: '2026-04-31T10:00' }))).broken).toMatchObject([
      { rule: 'refunds.query.times.form', actual: 'data.createdTime = 2026-04-31T10:00' },
    ]);
  });
});

describe('the faults of an answer', () => {
  const broken = [
    orderView({ paidAt: 'soon' }),
    orderView({ orderAmount: 'nine', status: 'PAID', createdAt: 17, checkoutUrl: '/pay' }),
    orderView({ ...payment, cryptoPaidAmount: { value: '1e5' }, cryptoPaymentDetail: {} }),
    orderView({ ...payment, cryptoPaidAmount: 'nine', cryptoPaymentDetail: [], paidAt: {} }),
    [],
    undefined,
  ];

  it.for(broken.map((view) => [JSON.stringify(view), view] as const))(
    'leave none out and name none twice: %s',
    ([, view]) => {
      const answered = success(view);
      const book = readBook(history(request({ method: 'GET', path: paths.order('order-1'), answered })));
      const faults = book.exchanged.flatMap((exchanged) => answerFaults(book, exchanged));
      const named = faults.map(({ path }) => path);
      expect(faults.length).toBeGreaterThan(0);
      expect(new Set(named).size).toBe(named.length);
      for (const { path } of schemaFaults(JSON.parse(JSON.stringify(answered)), '/components/schemas/OrderSuccess')) {
        expect(named.some((each) => each === path || each.startsWith(`${path}.`))).toBe(true);
      }
      for (const { expected } of faults) expect(expected).not.toMatch(/must|constant|schema|pattern|undefined/);
    },
  );
});
