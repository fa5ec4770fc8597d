import type { Order } from '../../../../server/domain/order.ts';
import { compareDecimals } from '../../../contract/decimals.ts';
import { valueAt } from '../../../contract/json.ts';
import { bodyOf, firstOf, isOf, merchantIdOf, onlyFor, storing } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { dueLater, followingClocks } from '../../stand/order-changes.ts';
import type { Handler } from '../../stand/proxy.ts';
import { acceptingRefunds } from '../../stand/refund-changes.ts';
import { acknowledged, eventOf, sending } from '../../stand/webhook-changes.ts';

const fault = faultsCaughtBy('');

const [halfAnHour, month] = [1_800_000, 30 * 86_400_000];

const has =
  (field: string) =>
  ({ request }: Order): boolean =>
    Object.entries(request).some(([name, value]) => name === field && value !== undefined);

/** A server whose payments fail, once they are confirmed, for orders of a product for which `isMeant` is true. */
const failing = (product: Order['product'], isMeant: (order: Order) => boolean): Make => ({
  parts: storing((records) => ({
    updateOrder: (order) =>
      records.updateOrder(
        order.product === product && order.status === 'SUCCEEDED' && isMeant(order)
          ? { ...order, status: 'FAILED' }
          : order,
      ),
  })),
});

/** A server that takes a payment of a product for which `isMeant` is true for enough, whatever was paid. */
const contented = (product: Order['product'], isMeant: (order: Order) => boolean): Make => ({
  parts: storing((records) => ({
    updateOrder: (order) =>
      records.updateOrder(
        order.product === product && order.status === 'FAILED' && order.payment && isMeant(order)
          ? { ...order, status: 'SUCCEEDED', paidAt: order.createdAt }
          : order,
      ),
  })),
});

const isOver = (network: string) => (order: Order) => order.product === 'checkout' && order.request.network === network;
const isLarge = ({ request }: Order) => compareDecimals(request.orderAmount.value, '10000') >= 0;

const isOfDigits = ({ merchantOrderId }: Order) => /^\d+$/.test(merchantOrderId);
const isInUsd = ({ request }: Order) => request.orderAmount.currency === 'USD';

/** Whether the address of an order has no path. */
const hasBareAddress = ({ request: { callbackUrl } }: Order) =>
  callbackUrl !== undefined && new URL(callbackUrl).pathname === '/';

/** A server that lets no hosted order expire whose merchant pays another rate than 1 for a dollar. */
const neverExpiringAtRate: Make = {
  parts: storing((records) => ({
    insertOrder: async (order) => {
      const rate = (await records.findMerchant(order.merchantId))?.settings.usdRate;
      const isMeant = order.product === 'hosted' && rate !== undefined && Number(rate) !== 1;
      return records.insertOrder(isMeant ? { ...order, dueAt: order.expiresAt + month } : order);
    },
  })),
};

/** A server that takes what nobody has acknowledged for taken, where an address with a query is told of a price with zeros at its end. */
const sendingSomeOnce: Make = sending(async (webhook, send) => {
  const result = await send(webhook);
  const price = String(valueAt(eventOf(webhook), ['orderAmount', 'value']));
  return webhook.url.includes('?') && /0$/.test(price) ? acknowledged : result;
});

/** A server that refunds a checkout order over ethereum while its payment is under way. */
function refundingUnderWay(): Handler {
  const orders = new Set<unknown>();
  const noting: Handler = onlyFor(isOf('checkout.create'), async (request, server) => {
    const answer = await server.forward(request);
    if (bodyOf(request)?.network === 'eth') orders.add(valueAt(bodyOf(answer), ['data', 'orderId']));
    return answer;
  });
  const accepting = acceptingRefunds(
    ({ code, details }, request) =>
      code === 'ORDER_NOT_REFUNDABLE' &&
      details.includes('PROCESSING') &&
      orders.has(bodyOf(request)?.acquiringOrderId),
  );
  return firstOf(accepting, noting);
}

/** A server that refunds a closed order weeks later. */
function refundingClosedLater(): Make {
  const { now, control } = followingClocks();
  return {
    control,
    merchantApi: acceptingRefunds(
      ({ code, details }, request) =>
        code === 'ORDER_NOT_REFUNDABLE' &&
        details.includes('CLOSED') &&
        now(merchantIdOf(request)) > Date.now() + month,
    ),
  };
}

/** A server whose hosted orders for exchanges alone fail when nobody has paid them in time. */
const failingUnpaid: Make = {
  parts: storing((records) => ({
    updateOrder: (order) => {
      const isForExchanges =
        order.product === 'hosted' &&
        order.request.paymentMethodConfig?.allowedPaymentMethodTypes?.join() === 'EXCHANGE_TRANSFER';
      const hasExpired = order.status === 'CLOSED' && order.payment === null;
      return records.updateOrder(isForExchanges && hasExpired ? { ...order, status: 'FAILED' } : order);
    },
  })),
};

/** Wrong servers whose orders and refunds do not live as others do in one circumstance, or where two of them meet. */
export const combinationFaults: readonly Fault[] = [
  fault(
    'orders-for-exchanges-fail-unpaid',
    'Shows a hosted order that exchanges alone may pay as FAILED when its time is over.',
    'orders.states.expired',
    'orders.combinations',
    failingUnpaid,
  ),
  ...['paymentMethodConfig', 'subMerchants', 'metadata'].map((field) =>
    fault(
      `orders-with-${field.toLowerCase()}-never-expire`,
      `Lets no hosted order with ${field} expire.`,
      'orders.states.expired',
      'orders.combinations',
      dueLater('hosted', month, has(field)),
    ),
  ),
  fault(
    'checkout-orders-on-tron-expire-late',
    'Ends checkout orders on tron half an hour after their time.',
    'checkout.states.expired',
    'checkout.combinations',
    dueLater('checkout', halfAnHour, isOver('tron')),
  ),
  fault(
    'large-checkout-orders-never-expire',
    'Lets no checkout order of 10,000 and more expire.',
    'checkout.states.expired',
    'checkout.combinations',
    dueLater('checkout', month, isLarge),
  ),
  fault(
    'orders-with-customer-not-paid',
    'Finds no payment of a hosted order with a customer enough.',
    'orders.states.confirmed',
    'orders.combinations',
    failing('hosted', has('customer')),
  ),
  fault(
    'large-orders-not-paid',
    'Finds no payment of a hosted order of 10,000 and more enough.',
    'orders.states.confirmed',
    'orders.combinations',
    failing('hosted', isLarge),
  ),
  fault(
    'checkout-orders-with-items-not-paid',
    'Finds no payment of a checkout order with items enough.',
    'checkout.payment-rule',
    'checkout.combinations',
    failing('checkout', has('items')),
  ),
  fault(
    'split-orders-paid-by-any-amount',
    'Takes any payment of a hosted order with sub-merchants for enough.',
    'orders.states.failed',
    'orders.combinations',
    contented('hosted', has('subMerchants')),
  ),
  fault(
    'checkout-orders-with-metadata-paid-by-any-amount',
    'Takes any payment of a checkout order with metadata for enough.',
    'checkout.payment-rule',
    'checkout.combinations',
    contented('checkout', has('metadata')),
  ),
  fault(
    'usd-orders-under-digits-not-paid',
    'Finds no payment of a hosted order in USD enough whose merchantOrderId has digits only.',
    'orders.states.confirmed',
    'orders.combinations',
    failing('hosted', (order) => isInUsd(order) && isOfDigits(order)),
  ),
  fault(
    'orders-at-a-rate-never-expire',
    'Lets no hosted order expire whose merchant has a rate of its own.',
    'orders.states.expired',
    'orders.combinations',
    neverExpiringAtRate,
  ),
  fault(
    'checkout-orders-without-path-never-expire',
    'Lets no checkout order expire whose callbackUrl has no path.',
    'checkout.states.expired',
    'checkout.combinations',
    dueLater('checkout', month, hasBareAddress),
  ),
  fault(
    'round-prices-at-addresses-with-query-told-once',
    'Sends nothing again to an address with a query about a hosted order whose price has a zero at its end.',
    'webhooks.retry',
    'orders.combinations',
    sendingSomeOnce,
  ),
  fault(
    'refund-of-processing-checkout-order-on-eth',
    'Accepts refunds of checkout orders over eth whose payment is under way.',
    'refunds.create.completed-payments',
    'refunds.combinations',
    refundingUnderWay(),
  ),
  fault(
    'refund-of-closed-order-a-month-later',
    'Accepts refunds of orders that are CLOSED when the clock of the merchant is a month ahead.',
    'refunds.create.completed-payments',
    'refunds.combinations',
    refundingClosedLater(),
  ),
];
