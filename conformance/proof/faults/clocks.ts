import type { AppParts } from '../../../server/app.ts';
import type { Order } from '../../../server/domain/order.ts';
import type { RequestRule } from '../../../server/services/orders/rules.ts';
import { storing } from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { dueLater } from '../stand/order-changes.ts';

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

const endless = (kind: string, words: string, applies: (order: Order) => boolean): Fault => ({
  id: `refund-period-of-${kind}-by-real-clock`,
  title: `Counts the refund period of ${words} by a clock that nobody can move.`,
  breaks: 'refunds.errors.period-expired',
  caughtBy: 'refunds.errors.period-expired.every-order',
  family: 'refund-period-by-real-clock',
  make: endlessPeriod(applies),
});

/** Wrong servers that look at the real clock where a merchant's own clock counts. */
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
