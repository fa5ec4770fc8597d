import type { AppParts } from '../../../server/app.ts';
import type { Order } from '../../../server/domain/order.ts';
import type { RequestRule } from '../../../server/services/orders/rules.ts';
import type { JsonObject } from '../../contract/json.ts';
import {
  bodyOf,
  firstOf,
  isHosted,
  isHostedQuery,
  merchantIdOf,
  onlyFor,
  readingBodies,
  refusal,
  refusingBodies,
  showing,
  storing,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { dueLater, followingClocks, isImpossible } from '../stand/order-changes.ts';

/** Rules that take the real time for the time of the merchant, and let an order live for a day at most. */
const byRealTime = <Request>(
  rules: readonly RequestRule<Request>[],
  clock: AppParts['clock'],
): RequestRule<Request>[] =>
  rules.map((rule) => ({
    ...rule,
    violation: (request, facts) =>
      rule.violation(request, {
        ...facts,
        now: clock(),
        choices: { ...facts.choices, 'orders-expiry-past': 'bounded' },
      }),
  }));

/** A server that looks at the real clock when it judges the expiresAt of a product's orders. */
const rulesByRealTime = (rules: 'createOrder' | 'createCheckoutOrder'): Make => ({
  parts: (parts) => {
    const { createOrder, createCheckoutOrder } = parts.rules;
    return {
      ...parts,
      rules: {
        ...parts.rules,
        createOrder: rules === 'createOrder' ? byRealTime(createOrder, parts.clock) : createOrder,
        createCheckoutOrder:
          rules === 'createCheckoutOrder' ? byRealTime(createCheckoutOrder, parts.clock) : createCheckoutOrder,
      },
    };
  },
});

/** How long an order that a view shows lives, in milliseconds. */
const lifetimeOf = ({ createdAt, expiresAt }: JsonObject) =>
  Date.parse(String(expiresAt)) - Date.parse(String(createdAt));

/** A server whose timers count milliseconds in 32 bits: they ring at once for an order that lives longer. */
const ringingAtOnce: Make = {
  merchantApi: onlyFor(
    isHosted,
    showing((view) => (view.status === 'INIT' && lifetimeOf(view) >= 2 ** 31 ? { ...view, status: 'CLOSED' } : view)),
  ),
};

/** A server that forgets hosted orders that have waited for a week. */
function forgettingWaitingOrders(): Make {
  const week = 7 * 86_400_000;
  const { now, control } = followingClocks();
  return {
    control,
    merchantApi: onlyFor(isHostedQuery, async (request, server) => {
      const answer = await server.forward(request);
      const { status, createdAt } = Object(bodyOf(answer)?.data);
      const isOld = now(merchantIdOf(request)) - Date.parse(String(createdAt)) > week;
      return status === 'INIT' && isOld ? refusal(request, '40001', 'there is no such order') : answer;
    }),
  };
}

/** A moment that no refund period has reached. */
const inTheYear2100 = Date.parse('2100-01-01T00:00:00Z');

/** A server whose refund period does not end, however its clock is moved, for the orders for which `applies` is true. */
const endlessPeriod = (applies: (order: Order) => boolean): Make => ({
  parts: storing((records) => ({
    lockOrder: async (merchantId, orderId) => {
      const order = await records.lockOrder(merchantId, orderId);
      return order?.status === 'SUCCEEDED' && applies(order) ? { ...order, paidAt: inTheYear2100 } : order;
    },
  })),
});

/** A server whose refund period begins again whenever a refund of the order has ended. */
const restartingPeriod: Make = {
  parts: storing((records) => ({
    lockOrder: async (merchantId, orderId) => {
      const order = await records.lockOrder(merchantId, orderId);
      if (order?.status !== 'SUCCEEDED') return order;
      const refunds = await records.listRefundsOfOrder(merchantId, orderId);
      return { ...order, paidAt: Math.max(order.paidAt ?? 0, ...refunds.map(({ endedAt }) => endedAt ?? 0)) };
    },
  })),
};

const endless = (kind: string, words: string, applies: (order: Order) => boolean): Fault => ({
  id: `refund-period-of-${kind}-by-real-clock`,
  title: `Counts the refund period of ${words} by a clock that nobody can move.`,
  breaks: 'refunds.errors.period-expired',
  caughtBy: 'refunds.errors.period-expired.every-order',
  make: endlessPeriod(applies),
});

/** The text of an expiry on a day that no calendar has, as a lenient reader takes it: days beyond the month's end are those of the next one. */
function rolledOver(body: JsonObject): JsonObject {
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)T(.*)$/.exec(String(body.expiresAt)) ?? [];
  if (!isImpossible(body) || Number(day) > 31 || Number(month) > 12 || time === undefined) return body;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).toISOString().slice(0, 10);
  return { ...body, expiresAt: `${date}T${time}` };
}

/** A server that reads dates leniently, and takes no order of a product that lives for longer than a day. */
const rollingOver = (product: 'orders' | 'checkout'): Fault => {
  const { now, control } = followingClocks();
  const day = 86_400_000;
  const refuses = refusingBodies(
    `${product}.create`,
    (body, request) => Date.parse(String(rolledOver(body).expiresAt)) > now(merchantIdOf(request)) + day,
    product === 'checkout' ? '10005' : '10001',
  );
  return {
    id: `${product === 'orders' ? 'order' : 'checkout-order'}-days-rolled-over`,
    title: 'Takes days beyond the end of a month for days of the next one, where that is less than a day ahead.',
    breaks: `${product}.create.expires-at.form`,
    caughtBy: `${product}.create.expires-at.impossible-date`,
    make: { control, merchantApi: firstOf(refuses, readingBodies(`${product}.create`, rolledOver)) },
  };
};

/** Wrong servers that look at the real clock where a merchant's own clock counts, or know no calendar. */
export const clockFaults: readonly Fault[] = [
  {
    id: 'order-expiry-judged-by-real-clock',
    title: "Takes hosted orders that live for a day at most, from the real time on and not from the merchant's.",
    breaks: 'orders.create.accepted',
    caughtBy: 'orders.create.days-later',
    make: rulesByRealTime('createOrder'),
  },
  {
    id: 'checkout-order-expiry-judged-by-real-clock',
    title: "Counts how far ahead a checkout order expires from the real time on and not from the merchant's.",
    breaks: 'checkout.create.accepted',
    caughtBy: 'checkout.create.days-later',
    make: rulesByRealTime('createCheckoutOrder'),
  },
  {
    id: 'checkout-order-expires-by-real-clock',
    title: 'Closes checkout orders by the real clock, and hosted orders by the one that can be moved.',
    breaks: 'checkout.states.expired',
    caughtBy: 'checkout.state.expired',
    make: dueLater('checkout', 3_650 * 86_400_000),
  },
  {
    id: 'order-timer-of-32-bits',
    title: 'Closes a hosted order at once that lives for longer than 32 bits count milliseconds.',
    breaks: 'orders.states.expired',
    caughtBy: 'orders.states.far-ahead',
    make: ringingAtOnce,
  },
  {
    id: 'waiting-order-forgotten-after-a-week',
    title: 'Forgets hosted orders that have waited for a week for their payment.',
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.states.far-ahead',
    make: forgettingWaitingOrders(),
  },
  rollingOver('orders'),
  rollingOver('checkout'),
  {
    id: 'refund-period-begins-again',
    title: 'Counts the refund period of an order from the end of its last refund.',
    breaks: 'refunds.errors.period-expired',
    caughtBy: 'refunds.errors.period-expired.every-order',
    make: restartingPeriod,
  },
  endless('checkout-orders', 'checkout orders', ({ product }) => product === 'checkout'),
  endless(
    'usd-orders',
    'orders priced in USD',
    ({ product, request }) => product === 'hosted' && request.orderAmount.currency === 'USD',
  ),
  endless(
    'exchange-payments',
    'payments from an exchange',
    ({ payment }) => payment?.paymentMethod !== undefined && payment.paymentMethod !== 'ON_CHAIN_TRANSFER',
  ),
];
