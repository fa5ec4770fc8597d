import { describe, expect, it } from 'vitest';
import type { HistoryRecord } from '../../history/records.ts';
import { orderEvent } from '../../invariants/testing/events.ts';
import {
  history,
  orderRefusal,
  orderView,
  paths,
  refundRefusal,
  refundView,
  request,
  success,
  trace,
} from '../../invariants/testing/histories.ts';
import { signsIn } from './signs.ts';

const signs = (...records: HistoryRecord[]) => signsIn(history(...records));
const times = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => make(index));

/** A query at `start`, and an answer with an id of its own unless another one is named. */
const query = (
  id: string,
  start: number,
  { requestId = `r-${start}`, found = true, ...rest }: { requestId?: string; found?: boolean; check?: string } = {},
) =>
  request({
    ...{ method: 'GET', path: paths.order(id), start, answerHeaders: { 'x-request-id': requestId } },
    answered: found ? success(orderView({ merchantOrderId: id })) : orderRefusal('40001'),
    headers: { 'X-Timestamp': String(start) },
    ...rest,
  });

const create = (id: string, start: number, rest: Partial<Parameters<typeof request>[0]> = {}) =>
  request({
    ...{ method: 'POST', path: paths.orders, start, sent: { merchantOrderId: id }, check: `check.${id}` },
    answered: success(orderView({ merchantOrderId: id })),
    ...rest,
  });

describe('answers that something keeps', () => {
  const keptOf = (count: number, more = (_: number): Parameters<typeof query>[2] => ({})) =>
    times(count, (index) => [
      query(`o-${index % 4}`, index * 100, { requestId: `r-${index % 4}` }),
      query(`o-${index % 4}`, index * 100 + 50, { requestId: `r-${index % 4}`, ...more(index) }),
    ]).flat();

  it('are told with their number and their age', () => {
    expect(signs(...keptOf(8))).toEqual([
      'GETs get an earlier answer again, with the same request id (12 of 16 answers, up to 0.4 s old): something between keeps them',
    ]);
  });

  it('are none where each answer has its own id, or has none, or where they are few', () => {
    expect(signs(...keptOf(8, (index) => ({ requestId: `own-${index}` })).filter((_, index) => index % 2))).toEqual([]);
    expect(signs(...times(40, (index) => query('o-1', index, { requestId: '' })))).toEqual([]);
    expect(signs(...keptOf(3))).toEqual([]);
  });

  it('are none where the very same request was sent again, or where different things get one id', () => {
    const again = times(30, (index) => query(`o-${index % 4}`, index % 4, { requestId: `r-${index % 4}` }));
    expect(signs(...again)).toEqual([]);
    expect(signs(...times(40, (index) => query(`o-${index % 4}`, index * 9, { requestId: 'constant' })))).toEqual([]);
  });

  it('are none where the id is the one that the request was sent with', () => {
    const echoed = keptOf(8).map((each) => ({ ...each, headers: { ...each.headers, 'X-Request-Id': 'r-0' } }));
    expect(signs(...echoed.filter(({ path }) => path.endsWith('o-0')))).toEqual([]);
  });
});

describe('orders that are not found', () => {
  const made = times(12, (index) => create(`o-${index}`, index));

  it('although they were made are told where they come and go', () => {
    const looks = made.flatMap((_, index) =>
      [true, false, true].map((found, turn) => query(`o-${index}`, 1000 + index * 10 + turn * 1000, { found })),
    );
    expect(signs(...made, ...looks)).toEqual([
      '12 of 36 queries for an order that had been made find nothing, and the next one may find it (found later 12 times, lost again 12 times): do several processes answer, each with its own memory?',
    ]);
  });

  it('for a time after they were made are told with that time', () => {
    const looks = made.flatMap((_, index) =>
      [100, 1500, 2900, 3500, 9000].map((age) => query(`o-${index}`, index + 1 + age, { found: age > 3000 })),
    );
    expect(signs(...made, ...looks)).toEqual([
      'an order that was made is found only later: 36 of 36 queries up to 2.9 s after its create find nothing, and all 24 later ones find it',
    ]);
  });

  it('are no sign where they never are, were not made, were asked for before, or by another merchant', () => {
    const missing = (change: Parameters<typeof query>[2], start = 1000) =>
      made.flatMap((_, index) => [
        query(`o-${index}`, start + index * 3, { found: false, ...change }),
        query(`o-${index}`, start + index * 3 + 1000),
      ]);
    expect(signs(...made, ...missing({}).filter((_, index) => index % 2 === 0))).toEqual([]);
    expect(signs(...missing({}))).toEqual([]);
    expect(signs(...made.map((each) => ({ ...each, start: 5000, end: 5001 })), ...missing({}))).toEqual([]);
    const others = missing({}).map((each, index) => (index % 2 ? each : { ...each, as: 'm2' }));
    expect(signs(...made, ...others)).toEqual([]);
  });

  it('after the target was ended on purpose are no sign', () => {
    const restart = { kind: 'driver', step: 'restart', start: 500, end: 501 } as const;
    const looks = made.flatMap((_, index) =>
      [true, false, true].map((found, turn) => query(`o-${index}`, 1000 + index * 10 + turn * 1000, { found })),
    );
    expect(signs(...made, restart, ...looks)).toEqual([]);
  });
});

describe('a moment since which requests fail', () => {
  const failing = { status: 500, answered: { error: 'out of memory' } };
  const run = (fails: (index: number) => boolean, count = 100, failure: typeof failing = failing) =>
    times(count, (index) => create(`o-${index}`, index * 100, fails(index) ? failure : {}));

  it('is told with the creates before and after it', () => {
    expect(signs(...run((index) => index >= 60))).toEqual([
      'since 6.0 s into the run, after 60 requests, all 40 requests were answered with HTTP 500; before, none was',
    ]);
    // Requests that are under way at once may overtake each other.
    const overtaken = run((index) => index >= 60 || (index >= 50 && index < 59)).map((each, index) =>
      index >= 50 && index < 59 ? { ...each, end: 6000 } : each,
    );
    expect(signs(...overtaken)).toEqual([
      'since 6.0 s into the run, after 51 requests, all 40 requests were answered with HTTP 500; before, none was',
    ]);
    expect(signs(...run((index) => index >= 60 || index === 57))).toEqual([
      'since 6.0 s into the run, after 60 requests, all 40 requests were answered with HTTP 500; before, 1 of them was',
    ]);
    const unexplained = { status: 200, answered: { error: '', ...orderRefusal('99999') } };
    expect(signs(...run((index) => index >= 60, 100, unexplained))).toEqual([
      'since 6.0 s into the run, after 60 requests, all 40 requests were answered with code 99999; before, none was',
    ]);
  });

  it('is told of all creates, or of one operation, where others go on as before', () => {
    const others = times(100, (index) => query(`o-${index}`, index * 100 + 50));
    expect(signs(...run((index) => index >= 60), ...others)).toEqual([
      'since 6.0 s into the run, after 60 creates, all 40 creates were answered with HTTP 500; before, none was',
    ]);
    const checkout = times(100, (index) => create(`o-${index}`, index * 100 + 50, { path: paths.checkoutOrders }));
    expect(signs(...run((index) => index >= 60), ...checkout)).toEqual([
      'since 6.0 s into the run, after 60 orders.create requests, all 40 orders.create requests were answered with HTTP 500; before, none was',
    ]);
  });

  it('is told where a guard shuts the run out', () => {
    expect(signs(...run((index) => index >= 60, 100, { status: 403, answered: { error: 'forbidden' } }))).toEqual([
      'since 6.0 s into the run, after 60 requests, all 40 requests were answered with HTTP 403; before, none was',
    ]);
  });

  it('is none where one of them is accepted later, or where all fail, few do, or some did before', () => {
    expect(signs(...run((index) => index >= 60 && index !== 99))).toEqual([]);
    expect(signs(...run(() => true))).toEqual([]);
    expect(signs(...run((index) => index >= 90))).toEqual([]);
    expect(signs(...run((index) => index >= 60 || index % 5 === 0))).toEqual([]);
    expect(signs(...run((index) => index >= 60).map((each) => ({ ...each, check: 'alone' })))).toEqual([]);
  });

  it('is none where the target asks to wait', () => {
    expect(signs(...run((index) => index >= 60, 100, { ...failing, status: 429 }))).toEqual([]);
  });
});

describe('requests without an answer', () => {
  const error = 'it did not come within 10000 ms';
  const methods = times(3, (index) => [
    { method: 'POST', path: paths.orders },
    { method: 'GET', path: paths.paymentMethods },
    { method: 'GET', path: paths.order(`o-${index}`) },
  ]).flat();
  const run = (isLost: (index: number) => boolean, why = error) =>
    times(600, (index) => {
      const asked = { ...(methods[index % 9] ?? { method: 'GET', path: paths.refunds }), start: index * 100 };
      return request(isLost(index) ? { ...asked, error: why } : { ...asked, answered: { code: '10001' } });
    });

  it('are told where they are many, to all operations, and all through the run', () => {
    expect(signs(...run((index) => index % 10 === 0))).toEqual([
      '60 of 600 requests, to 3 operations, got no answer in time, all through the run',
    ]);
  });

  it('are no sign where they are few, at one time, to one operation, or where a gateway answered', () => {
    expect(signs(...run((index) => index % 50 === 0))).toEqual([]);
    expect(signs(...run((index) => index > 100 && index < 160))).toEqual([]);
    // The target has stopped, which the run says by itself.
    expect(signs(...run((index) => index > 100))).toEqual([]);
    expect(signs(...run((index) => index % 9 === 0))).toEqual([]);
    expect(signs(...run((index) => index % 10 === 0, 'a gateway answered in place of the target: HTTP 503'))).toEqual(
      [],
    );
  });
});

describe('moves of the clock', () => {
  const hour = 3_600_000;
  const begun = Date.parse('2026-01-01T10:00:00Z');
  const shop = (index: number) => `shop-${index % 4}`;
  const move = (index: number): HistoryRecord => ({
    ...{ kind: 'clock', merchantId: shop(index), seconds: 7200, start: 100 + index, end: 101 + index },
  });
  /** Orders that are made an hour and more after the first move of their merchant's clock, by what they show of it. */
  const run = (shown: (index: number, start: number) => number, count = 12, view: object = {}) => [
    ...times(4, move),
    ...times(count, (index) => {
      const start = 1000 + index * 10;
      const createdAt = new Date(begun + start + shown(index, start)).toISOString();
      return create(`o-${index}`, start, {
        path: paths.orders.replace('m1', shop(index)),
        as: shop(index),
        answered: success(
          orderView({
            orderId: `ord.${index}`,
            merchantId: shop(index),
            merchantOrderId: `o-${index}`,
            createdAt,
            ...view,
          }),
        ),
      });
    }),
  ];

  it('are told where nothing that is made afterwards shows them', () => {
    expect(signs(...run(() => 0))).toEqual([
      'the driver moved the clocks of 4 merchants, and none of the 12 orders and refunds that they made afterwards shows a time that moved with it: does the step have an effect on the target?',
    ]);
  });

  it('are no sign where one thing shows them, where few things are made, or where they had failed', () => {
    expect(signs(...run((index) => (index === 3 ? 2 * hour : 0)))).toEqual([]);
    expect(signs(...run(() => 2 * hour))).toEqual([]);
    expect(signs(...run(() => 0, 8))).toEqual([]);
    const failed = run(() => 0).map((each) => (each.kind === 'clock' ? { ...each, failed: 'HTTP 404' } : each));
    expect(signs(...failed)).toEqual([]);
  });

  it('are no sign where an order runs out by them', () => {
    expect(signs(...run(() => 0, 12, { status: 'CLOSED' }))).toEqual([]);
  });
});

describe('bodies that are not read to their end', () => {
  /** Creates with bodies of 100 bytes, 200 bytes and so on. */
  const run = (isLost: (length: number) => boolean) =>
    times(120, (index) => {
      const length = 100 * (index + 1);
      const asked = { method: 'POST', path: paths.orders, start: index, sent: 'd'.repeat(length) };
      const error = 'it did not come within 10000 ms';
      return request(isLost(length) ? { ...asked, error } : { ...asked, answered: { code: '10001' } });
    });

  it('are told with their lengths', () => {
    expect(signs(...run((length) => length >= 10_500))).toEqual([
      'requests get no answer in time where their body has 10500 bytes or more: 16 of 16 times; where not, 104 were answered: is the body read to its end?',
    ]);
    expect(signs(...run((length) => length >= 4000 && length < 6000 && length !== 5000))).toEqual([
      'requests get no answer in time where their body has from 4000 to 5900 bytes: 19 of 20 times; where not, 100 were answered: is the body read to its end?',
    ]);
  });

  it('are none where bodies of any length are lost, or few', () => {
    expect(signs(...run((length) => length % 1000 === 0))).toEqual([]);
    expect(signs(...run((length) => length >= 11_500))).toEqual([]);
  });
});

describe('trouble that comes with one field of creates', () => {
  const hasItems = (index: number) => index % 3 === 0;
  const made = times(90, (index) =>
    create(`o-${index}`, index, {
      sent: { merchantOrderId: `o-${index}`, description: 'Tea', ...(hasItems(index) && { items: [{ name: 'Tea' }] }) },
      answered: success(orderView({ merchantOrderId: `o-${index}`, orderId: `ord.${index}` })),
    }),
  );
  const refunds = (isRefused: (index: number) => boolean, checks = 10, status = 404) =>
    made.map((_, index) =>
      request({
        ...{ method: 'POST', path: paths.refunds, start: 1000 + index, check: `check.${index % checks}` },
        sent: { merchantRefundOrderId: `r-${index}`, acquiringOrderId: `ord.${index}` },
        ...(isRefused(index)
          ? { status, answered: refundRefusal('ORDER_NOT_FOUND') }
          : {
              answered: success(
                refundView({ refundOrderId: `ref.${index}`, acquiringOrderId: `ord.${index}` }),
                trace(),
              ),
            }),
      }),
    );

  it('is told with the field and the counts', () => {
    expect(signs(...made, ...refunds(hasItems))).toEqual([
      'refunds.create is refused with ORDER_NOT_FOUND where the create of its hosted order has items: 30 of 30 times; where not: 0 of 60 times',
    ]);
    expect(signs(...made, ...refunds((index) => hasItems(index) || index % 9 === 1))).toEqual([
      'refunds.create is refused with ORDER_NOT_FOUND where the create of its hosted order has items: 30 of 30 times; where not: 10 of 60 times',
    ]);
  });

  it('is told of queries and of payments', () => {
    const looks = made.map((_, index) =>
      query(`o-${index}`, 1000 + index, { found: !hasItems(index), check: `check.${index % 10}` }),
    );
    expect(signs(...made, ...looks).at(-1)).toBe(
      'orders.query is refused with 40001 where its create has items: 30 of 30 times; where not: 0 of 60 times',
    );
    const paid = made.flatMap((_, index) => [
      orderEvent(1000 + index, { type: 'payment_confirmed' }, { orderId: `ord.${index}` }),
      request({
        ...{ method: 'GET', path: paths.order(`o-${index}`), start: 3000 + index, check: `check.${index % 10}` },
        answered: success(
          orderView({
            ...{ merchantOrderId: `o-${index}`, orderId: `ord.${index}` },
            status: hasItems(index) ? 'FAILED' : 'SUCCEEDED',
          }),
        ),
      }),
    ]);
    expect(signs(...made, ...paid)).toEqual([
      'a confirmed payment of a hosted order leaves it FAILED where its create has items: 30 of 30 times; where not: 0 of 60 times',
    ]);
  });

  it('is none where it goes with no field, comes to few, or shows in few checks', () => {
    expect(signs(...made, ...refunds((index) => index % 7 < 3))).toEqual([]);
    expect(signs(...made, ...refunds((index) => hasItems(index) && index < 50))).toEqual([]);
    expect(signs(...made, ...refunds(hasItems, 1))).toEqual([]);
  });

  it('is none where the target refuses requests for their rate', () => {
    expect(signs(...made, ...refunds(hasItems, 10, 429))).toEqual([]);
  });
});
