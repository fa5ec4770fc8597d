import type { Order } from '../../../../server/domain/order.ts';
import { compareDecimals } from '../../../contract/decimals.ts';
import { storing } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { dueLater } from '../../stand/order-changes.ts';

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

/** Wrong servers whose orders of one shape do not live as the others do. */
export const shapeFaults: readonly Fault[] = [
  fault(
    'orders-for-exchanges-fail-unpaid',
    'Shows a hosted order that exchanges alone may pay as FAILED when its time is over.',
    'orders.states.expired',
    'orders.shapes.expired',
    failingUnpaid,
  ),
  ...['paymentMethodConfig', 'subMerchants', 'metadata'].map((field) =>
    fault(
      `orders-with-${field.toLowerCase()}-never-expire`,
      `Lets no hosted order with ${field} expire.`,
      'orders.states.expired',
      'orders.shapes.expired',
      dueLater('hosted', month, has(field)),
    ),
  ),
  fault(
    'checkout-orders-on-tron-expire-late',
    'Ends checkout orders on tron half an hour after their time.',
    'checkout.states.expired',
    'checkout.shapes.expired',
    dueLater('checkout', halfAnHour, isOver('tron')),
  ),
  fault(
    'large-checkout-orders-never-expire',
    'Lets no checkout order of 10,000 and more expire.',
    'checkout.states.expired',
    'checkout.shapes.expired',
    dueLater('checkout', month, isLarge),
  ),
  fault(
    'orders-with-customer-not-paid',
    'Finds no payment of a hosted order with a customer enough.',
    'orders.states.confirmed',
    'orders.shapes.paid',
    failing('hosted', has('customer')),
  ),
  fault(
    'large-orders-not-paid',
    'Finds no payment of a hosted order of 10,000 and more enough.',
    'orders.states.confirmed',
    'orders.shapes.paid',
    failing('hosted', isLarge),
  ),
  fault(
    'checkout-orders-with-items-not-paid',
    'Finds no payment of a checkout order with items enough.',
    'checkout.payment-rule',
    'checkout.shapes.paid',
    failing('checkout', has('items')),
  ),
  fault(
    'split-orders-paid-by-any-amount',
    'Takes any payment of a hosted order with sub-merchants for enough.',
    'orders.states.failed',
    'orders.shapes.underpaid',
    contented('hosted', has('subMerchants')),
  ),
  fault(
    'checkout-orders-with-metadata-paid-by-any-amount',
    'Takes any payment of a checkout order with metadata for enough.',
    'checkout.payment-rule',
    'checkout.shapes.underpaid',
    contented('checkout', has('metadata')),
  ),
];
