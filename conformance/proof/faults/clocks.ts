import type { AppParts } from '../../../server/app.ts';
import type { Order } from '../../../server/domain/order.ts';
import type { RequestRule } from '../../../server/services/orders/rules.ts';
import type { JsonObject } from '../../contract/json.ts';
import {
  bodyOf,
  firstOf,
  isCheckout,
  isHosted,
  isHostedQuery,
  merchantIdOf,
  onlyFor,
  readingBodies,
  recordOfEvent,
  refusal,
  refusingBodies,
  showing,
  storing,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { dueLater, followingClocks, isImpossible } from '../stand/order-changes.ts';

/** In milliseconds. */
const day = 86_400_000;

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
  const week = 7 * day;
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

/** A server that takes another time for that of the payment when a refund is asked for. */
const storingPaidAt = (change: (merchantId: string, paidAt: number) => number): Pick<Make, 'parts'> => ({
  parts: storing((records) => ({
    lockOrder: async (merchantId, orderId) => {
      const order = await records.lockOrder(merchantId, orderId);
      if (order?.status !== 'SUCCEEDED' || order.paidAt === null) return order;
      return { ...order, paidAt: change(merchantId, order.paidAt) };
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

/** A server that counts how long ago an order was paid in a number that begins again at `span` milliseconds. */
function countingPeriodIn(span: number): Make {
  const { now, control } = followingClocks();
  return {
    control,
    ...storingPaidAt(
      (merchantId, paidAt) => paidAt + Math.max(0, Math.floor((now(merchantId) - paidAt) / span)) * span,
    ),
  };
}

const wrapping = (count: string, words: string, span: number): Fault => ({
  id: `refund-period-in-${count}`,
  title: `Counts ${words} since the payment of an order, so that the refund period begins again.`,
  breaks: 'refunds.errors.period-expired',
  caughtBy: 'refunds.errors.period-expired.stays-over',
  make: countingPeriodIn(span),
});

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

/** A server whose job that ends a product's unpaid orders takes only those whose time ran out in the last `days`. */
function lookingBack(product: 'orders' | 'checkout', days: number): Fault {
  const { now, control } = followingClocks();
  const [waiting, passedOver] = [new Map<unknown, JsonObject>(), new Set<unknown>()];
  return {
    id: `${product === 'orders' ? 'order' : 'checkout-order'}-expired-${days}-days-ago-passed-over`,
    title: `Closes only those unpaid ${product === 'orders' ? 'orders' : 'checkout orders'} whose time ran out in the last ${days} days, and lets all others wait for ever.`,
    breaks: `${product}.states.expired`,
    caughtBy: `${product}.states.long-expired`,
    make: {
      control: async (request, server) => {
        waiting.delete(recordOfEvent('orders', request));
        const answer = await control(request, server);
        const merchantId = merchantIdOf(request);
        for (const [id, view] of waiting) {
          const over = now(merchantId) - Date.parse(String(view.expiresAt));
          if (view.merchantId !== merchantId || over < 0) continue;
          waiting.delete(id);
          if (over > days * day) passedOver.add(id);
        }
        return answer;
      },
      merchantApi: onlyFor(
        product === 'orders' ? isHosted : isCheckout,
        showing((view) => {
          if (view.status === 'INIT') waiting.set(view.orderId, view);
          return passedOver.has(view.orderId) ? { ...view, status: 'INIT' } : view;
        }),
      ),
    },
  };
}

/** A server that shows orders as `status` which have been PROCESSING for a week after their time ran out. */
function movingAfterWeek(product: 'orders' | 'checkout', status: string): Make {
  const { now, control } = followingClocks();
  return {
    control,
    merchantApi: onlyFor(
      product === 'orders' ? isHosted : isCheckout,
      showing((view, request) =>
        view.status === 'PROCESSING' && Date.parse(String(view.expiresAt)) < now(merchantIdOf(request)) - 7 * day
          ? { ...view, status }
          : view,
      ),
    ),
  };
}

/** A server that confirms no payment of an order of a product that has been PROCESSING for a week after its time ran out. */
function confirmingNoneAfterWeek(product: 'orders' | 'checkout'): Make {
  const { now, control } = followingClocks();
  const [underWay, forgotten] = [new Map<unknown, JsonObject>(), new Map<unknown, JsonObject>()];
  return {
    control: (request, server) => {
      const id = recordOfEvent('orders', request);
      const view = underWay.get(id);
      const isOld = view && Date.parse(String(view.expiresAt)) < now(merchantIdOf(request)) - 7 * day;
      if (isOld) forgotten.set(id, view);
      return control(request, server);
    },
    merchantApi: onlyFor(
      product === 'orders' ? isHosted : isCheckout,
      showing((view) => {
        if (view.status === 'PROCESSING') underWay.set(view.orderId, view);
        return forgotten.get(view.orderId) ?? view;
      }),
    ),
  };
}

/** Wrong servers that do not see, or see wrongly, what has been over for long. */
const longOver: readonly Fault[] = [
  ...(['orders', 'checkout'] as const).flatMap((product) => [7, 365, 2_000].map((days) => lookingBack(product, days))),
  {
    id: 'order-paid-in-part-succeeds-after-a-week',
    title: 'Takes every payment for enough that is not confirmed a week after the time of its order ran out.',
    breaks: 'orders.states.failed',
    caughtBy: 'orders.states.long-expired',
    make: movingAfterWeek('orders', 'SUCCEEDED'),
  },
  {
    id: 'order-under-way-closed-after-a-week',
    title: 'Closes an order that is PROCESSING a week after its time ran out.',
    breaks: 'orders.states.processing-timeout',
    caughtBy: 'orders.states.long-expired',
    make: movingAfterWeek('orders', 'CLOSED'),
  },
  {
    id: 'checkout-order-paid-in-part-succeeds-after-a-week',
    title: 'Takes every payment of a checkout order for enough that is not confirmed a week after its time ran out.',
    breaks: 'checkout.payment-rule',
    caughtBy: 'checkout.states.long-expired',
    make: movingAfterWeek('checkout', 'SUCCEEDED'),
  },
  {
    id: 'order-not-confirmed-after-a-week',
    title: 'Confirms no payment any more a week after the time of its order ran out.',
    breaks: 'orders.states.confirmed',
    caughtBy: 'orders.states.long-expired',
    make: confirmingNoneAfterWeek('orders'),
  },
  {
    id: 'checkout-order-not-confirmed-after-a-week',
    title: 'Confirms no payment of a checkout order any more a week after its time ran out.',
    breaks: 'checkout.payment-rule',
    caughtBy: 'checkout.states.long-expired',
    make: confirmingNoneAfterWeek('checkout'),
  },
];

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
  ...longOver,
  rollingOver('orders'),
  rollingOver('checkout'),
  {
    id: 'refund-period-begins-again',
    title: 'Counts the refund period of an order from the end of its last refund.',
    breaks: 'refunds.errors.period-expired',
    caughtBy: 'refunds.errors.period-expired.every-order',
    make: restartingPeriod,
  },
  wrapping('days-of-8-bits', 'the days in 8 bits', 256 * day),
  wrapping('minutes-of-16-bits', 'the minutes in 16 bits', 2 ** 16 * 60_000),
  wrapping('milliseconds-of-32-bits', 'the milliseconds in 32 bits', 2 ** 32),
  wrapping('hours-of-16-bits', 'the hours in 16 bits', 2 ** 16 * 3_600_000),
  wrapping('days-of-a-year', 'the days of the year', 365 * day),
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
