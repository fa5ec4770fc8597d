import { expect, it } from 'vitest';
import { readBook } from '../book.ts';
import { judgeRule } from '../index.ts';
import { history, orderView, paths, payment, refundView, request, success, trace } from '../testing/histories.ts';
import { marksAbout } from './marks-about.ts';

const inSeconds = (index: number) => index % 3 === 0;
const ids = (index: number) => ({ merchantOrderId: `order-${index}`, orderId: `ord.${index}` });

/** Orders that were made and are asked for once they are paid, by whether their view lacks paidAt. */
const paidOrders = (count: number, lacks: (index: number) => boolean) =>
  Array.from({ length: count }, (_, index) => [
    request({
      ...{ method: 'POST', path: paths.orders, start: index },
      sent: { ...ids(index), expiresAt: `2026-01-01T11:00:00${inSeconds(index) ? '' : '.250'}Z` },
      answered: success(orderView(ids(index))),
    }),
    request({
      ...{ method: 'GET', path: paths.order(`order-${index}`), start: 1000 + index },
      answered: success(orderView({ ...ids(index), ...payment, ...(lacks(index) && { paidAt: null }) })),
    }),
  ]).flat();

const messageOf = async (...made: ReturnType<typeof paidOrders>) =>
  (await judgeRule('orders.query.presence.status', history(...made))).thrown?.message;

it('a rule that is broken often names what the creates have in common', async () => {
  expect(await messageOf(...paidOrders(90, inSeconds))).toBe(
    'data.paidAt = null, where data.status = SUCCEEDED (and 29 more of the 90 times that the run could see it: where its create has an expiresAt in whole seconds: 30 of 30 times; where not: 0 of 60 times)',
  );
});

it('a rule that is broken seldom, or whatever the creates have, names nothing', async () => {
  expect(await messageOf(...paidOrders(20, inSeconds))).toMatch(
    /\(and 6 more of the 20 times that the run could see it\)$/,
  );
  expect(await messageOf(...paidOrders(90, (index) => index % 7 < 3))).toMatch(/ times that the run could see it\)$/);
});

it('a refund is known by its own create and by that of its order', () => {
  const order = request({
    ...{ method: 'POST', path: paths.orders },
    sent: { merchantOrderId: 'order-1', items: [] },
    answered: success(orderView({ merchantOrderId: 'order-1', orderId: 'ord.1' })),
  });
  const create = request({
    ...{ method: 'POST', path: paths.refunds, start: 5 },
    sent: { merchantRefundOrderId: 'refund-1', acquiringOrderId: 'ord.1', extraData: '{}' },
    answered: success(refundView({ refundOrderId: 'ref.1', acquiringOrderId: 'ord.1' }), trace()),
  });
  const marks = marksAbout(readBook(history(order, create)))(create) ?? new Set();
  expect([...marks]).toEqual(
    expect.arrayContaining([
      'its create has extraData',
      'it is of a hosted order',
      'the create of its hosted order has items = []',
    ]),
  );
});
