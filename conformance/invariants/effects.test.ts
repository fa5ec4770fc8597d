import { describe, expect, it } from 'vitest';
import { effects } from './effects.ts';
import {
  checkoutView,
  judged,
  orderRefusal,
  orderView,
  paths,
  refundRefusal,
  refundView,
  request,
  success,
  trace,
  type WrittenRequest,
} from './testing/histories.ts';

const id = 'order-0000000001';
const create = (rest: Partial<WrittenRequest>) =>
  request({ method: 'POST', path: paths.orders, sent: { merchantOrderId: id }, ...rest });
const query = (rest: Partial<WrittenRequest>) => request({ method: 'GET', path: paths.order(id), start: 10, ...rest });
const checkout = (rest: Partial<WrittenRequest>) =>
  request({ method: 'POST', path: paths.checkoutOrders, sent: { merchantOrderId: id }, ...rest });
const refund = (rest: Partial<WrittenRequest>) =>
  request({ method: 'POST', path: paths.refunds, sent: { merchantRefundOrderId: 'refund-1' }, ...rest });
const refundQuery = (by: string, rest: Partial<WrittenRequest>) =>
  request({ method: 'GET', path: paths.refunds, query: by, start: 10, ...rest });
const batch = (ids: string[], rest: Partial<WrittenRequest>) =>
  request({ method: 'POST', path: paths.batchQuery, sent: { merchantRefundOrderIds: ids }, start: 10, ...rest });

const shown = { answered: success(orderView()) };
const refused = { answered: orderRefusal('10001') };
const unknown = { answered: orderRefusal('40001') };
const refundShown = { answered: success(refundView(), trace()) };
const refundUnknown = { answered: refundRefusal('REFUND_NOT_FOUND'), status: 404 };

describe('what was refused', () => {
  it('is found by nobody', () => {
    const { broken, kept } = judged(effects, create(refused), query(unknown));
    expect(broken).toEqual([]);
    expect(kept).toEqual(['orders.create.effects.refused']);
  });

  it('is a fault when a query shows it', () => {
    expect(judged(effects, create(refused), query(shown)).broken).toEqual([
      {
        rule: 'orders.create.effects.refused',
        expected: `nothing under merchantOrderId ${id}, whose create was refused with code 10001`,
        actual: 'orders.query shows it',
      },
    ]);
    const unsigned = create({ ...refused, authentication: 'changed', status: 401 });
    expect(judged(effects, unsigned, query(shown)).broken).toMatchObject([
      { requirement: 'auth.refused-changes-nothing' },
    ]);
    const refusedRefund = refund({ answered: refundRefusal('INVALID_PARAMETER'), status: 400 });
    expect(
      judged(effects, refusedRefund, batch(['refund-1'], { answered: success([refundView()], trace()) })).broken,
    ).toMatchObject([{ rule: 'refunds.create.effects.refused' }]);
    const refusedCheckout = checkout({ answered: { code: '10001', message: 'no', data: null } });
    const seen = request({
      method: 'GET',
      path: paths.checkoutOrder(id),
      start: 10,
      answered: success(checkoutView()),
    });
    expect(judged(effects, refusedCheckout, seen).broken).toMatchObject([{ rule: 'checkout.create.effects.refused' }]);
  });

  it.for([
    ['another create under the id was accepted', create({ ...shown, start: 5 })],
    ['another create under the id got no answer', create({ start: 5 })],
    ['another create under the id met a failing service', create({ answered: orderRefusal('99999'), start: 5 })],
    [
      'another create under the id was one too many',
      create({ answered: orderRefusal('10001'), status: 429, start: 5 }),
    ],
    ['the other product has an order under the id', checkout({ answered: success(checkoutView()), start: 5 })],
  ] as const)('may be found when %s', ([, other]) => {
    expect(judged(effects, create(refused), other, query(shown)).broken).toEqual([]);
  });

  it('may be found when the refusal says that it was there before, or came after the query', () => {
    expect(judged(effects, create({ answered: orderRefusal('20001') }), query(shown)).broken).toEqual([]);
    expect(judged(effects, create({ ...refused, start: 10 }), query(shown)).broken).toEqual([]);
  });
});

describe('a hosted order that was accepted', () => {
  const other = 'order-0000000002';
  const otherView = success(orderView({ merchantOrderId: other, orderId: 'ord.2' }));
  const otherCreate = request({
    ...{ method: 'POST', path: paths.orders, sent: { merchantOrderId: other } },
    answered: otherView,
  });
  const byOrderId = (orderId: string, rest: Partial<WrittenRequest>) =>
    request({ method: 'GET', path: paths.order(orderId), start: 10, ...rest });

  it('is found by its platform id where another one is', () => {
    const found = [byOrderId('ord.1', shown), byOrderId('ord.2', { answered: otherView })];
    const { broken, kept } = judged(effects, create(shown), otherCreate, ...found);
    expect(broken).toEqual([]);
    expect(kept).toContain('orders.query.effects.by-order-id');
    expect(
      judged(effects, create(shown), otherCreate, byOrderId('ord.1', shown), byOrderId('ord.2', unknown)).broken,
    ).toEqual([
      {
        rule: 'orders.query.effects.by-order-id',
        expected: 'orders.query finds the order by its platform id, as it finds others',
        actual: 'refused with code 40001',
      },
    ]);
  });

  it('is found by a platform id of any form', () => {
    const marked = success(orderView({ orderId: 'O:1+/é' }));
    const asked = (answer: Partial<WrittenRequest>) => byOrderId('O%3A1%2B%2F%C3%A9', answer);
    expect(judged(effects, create({ answered: marked }), asked({ answered: marked })).kept).toContain(
      'orders.query.effects.by-order-id',
    );
    const others = [otherCreate, byOrderId('ord.2', { answered: otherView })];
    expect(judged(effects, create({ answered: marked }), ...others, asked(unknown)).broken).toMatchObject([
      { rule: 'orders.query.effects.by-order-id' },
    ]);
  });

  it('may be found by the id of its merchant only, and no platform id names an order of another merchant', () => {
    expect(judged(effects, create(shown), query(shown), byOrderId('ord.1', unknown)).broken).toEqual([]);
    const never = byOrderId('ord.3', unknown);
    expect(judged(effects, create(shown), byOrderId('ord.1', shown), never).broken).toEqual([]);
  });
});

describe('what was accepted', () => {
  it('is told with what came before, where the same query was sent before the create', () => {
    const early = query({ ...unknown, start: -20 });
    expect(judged(effects, create(shown), query(unknown)).broken).toMatchObject([
      { actual: 'refused with code 40001' },
    ]);
    expect(judged(effects, early, create(shown), query(unknown)).broken).toMatchObject([
      { actual: 'refused with code 40001, as the same query was before that create' },
    ]);
  });

  it('is told with how late it is found, where the same query finds it later', () => {
    const made = { ...create(shown), start: 0, end: 5 };
    expect(
      judged(effects, made, query({ ...unknown, start: 25 }), query({ ...shown, start: 1205 })).broken,
    ).toMatchObject([
      {
        actual:
          'refused with code 40001 20 ms after that create; the same query finds it 1200 ms after: what is new is shown late',
      },
    ]);
  });

  it.for([
    ['orders.query', create(shown), query(unknown)],
    [
      'checkout.query',
      checkout({ answered: success(checkoutView()), status: 201 }),
      request({
        method: 'GET',
        path: paths.checkoutOrder(id),
        start: 10,
        answered: { code: '40001', message: 'no', data: null },
      }),
    ],
    ['refunds.query', refund(refundShown), refundQuery('merchantRefundOrderId=refund-1', refundUnknown)],
    ['refunds.query', refund(refundShown), refundQuery('refundOrderId=ref.1', refundUnknown)],
    ['refunds.batch-query', refund(refundShown), batch(['refund-1', 'refund-2'], { answered: success([], trace()) })],
    ['refunds.batch-query', refund(refundShown), batch(['refund-1'], refundUnknown)],
  ] as const)('is found by %s: %#', ([operation, made, asked]) => {
    expect(judged(effects, made, asked).broken).toMatchObject([{ rule: `${operation}.effects.found` }]);
  });

  it.for([
    ['the query overlaps the create', create({ ...shown, end: 12 }), query(unknown)],
    ['the query is not signed rightly', create(shown), query({ ...unknown, authentication: 'changed' })],
    ['the service fails', create(shown), query({ answered: orderRefusal('99999') })],
    ['something in between is busy', create(shown), query({ answered: 'busy', status: 429 })],
    ['the query has a query string', create(shown), query({ ...unknown, query: '' })],
    [
      'an order is asked for by its platform id',
      create(shown),
      request({ method: 'GET', path: paths.order('ord.1'), start: 10, ...unknown }),
    ],
    ['one of the ids of a batch is unknown', refund(refundShown), batch(['refund-1', 'refund-2'], refundUnknown)],
    [
      'a batch query has a field that the contract does not name',
      refund(refundShown),
      batch([], { ...refundUnknown, sent: { merchantRefundOrderIds: ['refund-1'], further: 1 } }),
    ],
    [
      'a field of the create stood there twice',
      create({ ...shown, sent: `{"merchantOrderId":"x","merchantOrderId":"${id}"}` }),
      query(unknown),
    ],
    [
      'two ids compete',
      refund(refundShown),
      refundQuery('refundOrderId=ref.1&merchantRefundOrderId=refund-9', refundUnknown),
    ],
  ] as const)('is not missed when %s', ([, made, asked]) => {
    expect(judged(effects, made, asked).broken).toEqual([]);
  });

  it("may be refused when the target's clock has jumped since the request was signed", () => {
    const begun = Date.parse('2026-01-01T10:00:00Z');
    const dated = (seconds: number) => ({ answerHeaders: { date: new Date(begun + seconds * 1000).toUTCString() } });
    const made = create({ ...shown, ...dated(0) });
    const refusedThen = (seconds: number) =>
      query({ answered: orderRefusal('90002'), headers: { 'X-Timestamp': String(begun) }, ...dated(seconds) });
    expect(judged(effects, made, refusedThen(-480)).broken).toEqual([]);
    const missed = [{ rule: 'orders.query.effects.found' }];
    expect(judged(effects, made, refusedThen(240)).broken).toMatchObject(missed);
    // The dates of a gateway whose clock is always that far away say nothing about the target's.
    expect(judged(effects, create({ ...shown, ...dated(-480) }), refusedThen(-480)).broken).toMatchObject(missed);
  });

  it('may be refused for the moment with a code that the contract does not name', () => {
    const busy = query({ answered: orderRefusal('77001') });
    expect(judged(effects, create(shown), busy, query({ ...shown, start: 20 })).broken).toEqual([]);
    expect(judged(effects, create(shown), query({ ...shown, start: 5 }), busy).broken).toMatchObject([
      { rule: 'orders.query.effects.found' },
    ]);
  });
});
