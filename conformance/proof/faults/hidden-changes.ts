import type { RequirementId } from '../../../generated/catalogue.ts';
import type { Order } from '../../../server/domain/order.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { bodyOf, firstOf, isHosted, onlyFor, showing, storing } from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { changedByRepeats } from '../stand/order-changes.ts';
import { isRefundCreate } from '../stand/refund-changes.ts';
import { eventOf, sending } from '../stand/webhook-changes.ts';

/** The order ends when the repeat says, where `applies` is true of that time and the time that the order had. */
const endingAt =
  (applies: (repeated: number, first: number) => boolean) =>
  (order: Order, { expiresAt }: JsonObject): Order => {
    const repeated = Date.parse(String(expiresAt));
    return order.dueAt !== null && applies(repeated, order.expiresAt) ? { ...order, dueAt: repeated } : order;
  };

/** The order's webhooks go where the repeat says. */
const announcedAt = (order: Order, { callbackUrl }: JsonObject): Order =>
  order.product === 'checkout' && typeof callbackUrl === 'string'
    ? { ...order, request: { ...order.request, callbackUrl } }
    : order;

/** The payer owes the price of the repeat. */
const pricedAt = (order: Order, { orderAmount }: JsonObject): Order =>
  order.product === 'checkout' && isObject(orderAmount)
    ? { ...order, due: { ...order.due, value: String(orderAmount.value) } }
    : order;

const fault = (
  id: string,
  title: string,
  [breaks, caughtBy, feed]: [RequirementId, string, string],
  ...[product, change]: Parameters<typeof changedByRepeats>
): Fault => ({ id, title, breaks, caughtBy, feeds: [feed], make: changedByRepeats(product, change) });

/** The same server, with what a checkout order asked for at first in its views. */
function showingTheFirstDue({ merchantApi, ...make }: Make): Make {
  const first = new Map<unknown, unknown>();
  const shown = showing((view) => {
    const cryptoPaymentAmount = first.get(view.orderId) ?? view.cryptoPaymentAmount;
    first.set(view.orderId, cryptoPaymentAmount);
    return view.depositAddress === undefined ? view : { ...view, cryptoPaymentAmount };
  });
  return { ...make, merchantApi: merchantApi ? firstOf(shown, merchantApi) : shown };
}

/** A server that shows no payment of an order while a refund of it is worked on. */
function hidingRefundedPayments(): Make {
  const workedOn = new Set<unknown>();
  return {
    parts: storing((records) => ({
      updateRefund: async (refund) => {
        const { acquiringOrderId, status } = refund;
        if (status === 'PROCESSING') workedOn.add(acquiringOrderId);
        else workedOn.delete(acquiringOrderId);
        return records.updateRefund(refund);
      },
    })),
    merchantApi: onlyFor(
      isHosted,
      showing((view) => (workedOn.has(view.orderId) ? { ...view, cryptoPaymentDetail: null } : view)),
    ),
  };
}

/** A server that posts the result of a refund where the last create under its id says. */
function toldWhereRepeatsSay(): Make {
  const said = new Map<unknown, string>();
  return {
    merchantApi: onlyFor(isRefundCreate, (request, server) => {
      const { merchantRefundOrderId, notifyUrl } = bodyOf(request) ?? {};
      if (typeof notifyUrl === 'string') said.set(merchantRefundOrderId, notifyUrl);
      return server.forward(request);
    }),
    ...sending((webhook, send) =>
      send({ ...webhook, url: said.get(eventOf(webhook).merchantRefundOrderId) ?? webhook.url }),
    ),
  };
}

/** Wrong servers in which one thing changes what is shown of another, or what shows only later. */
export const hiddenChangeFaults: readonly Fault[] = [
  {
    id: 'payment-hidden-while-it-is-refunded',
    title: 'Shows no payment of a hosted order while a refund of it is PROCESSING.',
    breaks: 'orders.view.paid-fields',
    caughtBy: 'orders.query.presence.status',
    feeds: ['refunds.situations.time-passes'],
    make: hidingRefundedPayments(),
  },
  fault(
    'hosted-order-closed-when-a-repeat-says',
    'Closes a hosted order at the later expiry of a repeated create, and shows the first.',
    ['orders.states.expired', 'orders.query.transitions.expired', 'orders.situations.expired'],
    'hosted',
    endingAt((repeated, first) => repeated > first),
  ),
  fault(
    'hosted-order-closed-early-when-a-repeat-says',
    'Closes a hosted order at the earlier expiry of a repeated create, and shows the first.',
    ['orders.states.initial', 'orders.query.transitions.waits', 'orders.situations.expired'],
    'hosted',
    endingAt((repeated, first) => repeated < first),
  ),
  fault(
    'checkout-order-closed-when-a-repeat-says',
    'Closes a checkout order at the expiry of a repeated create, and shows the first.',
    ['checkout.states.expired', 'checkout.query.transitions.expired', 'checkout.situations.expired'],
    'checkout',
    endingAt(() => true),
  ),
  fault(
    'checkout-order-announced-where-a-repeat-says',
    'Announces a checkout order at the callbackUrl of a repeated create.',
    ['webhooks.order.post', 'webhooks.checkout-order.deliveries.address', 'webhooks.situations.checkout-orders'],
    'checkout',
    announcedAt,
  ),
  {
    id: 'refund-announced-where-a-repeat-says',
    title: 'Posts the result of a refund to the notifyUrl of a repeated create.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.deliveries.address',
    feeds: ['webhooks.situations.refunds'],
    make: toldWhereRepeatsSay(),
  },
  {
    id: 'checkout-order-priced-as-a-repeat-says',
    title: 'Asks the payer for the price of a repeated create, which it refuses, and shows the first.',
    breaks: 'checkout.view.payment-amount',
    caughtBy: 'checkout.query.money.amount-due',
    feeds: ['checkout.situations.repeated'],
    make: showingTheFirstDue(changedByRepeats('checkout', pricedAt)),
  },
];
