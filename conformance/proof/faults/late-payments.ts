import type { Order } from '../../../server/domain/order.ts';
import { compareDecimals } from '../../contract/decimals.ts';
import { isOf, merchantIdOf, onlyFor, showing, storing } from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { followingClocks } from '../stand/order-changes.ts';

/** A server whose orders, once their time is over, come to another end by a payment that was under way. */
function endingLate(change: (order: Order) => Order['status'], isMeant = (_automatic: boolean) => true): Make {
  const { now, control } = followingClocks();
  return {
    control,
    parts: storing((records) => ({
      updateOrder: async (order) => {
        const settings = (await records.findMerchant(order.merchantId))?.settings;
        const isLate = order.payment !== null && order.expiresAt <= now(order.merchantId);
        const status = isLate && isMeant(settings?.automatic === true) ? change(order) : order.status;
        return records.updateOrder(status === order.status ? order : { ...order, status, paidAt: null });
      },
    })),
  };
}

const leading =
  (product: Order['product'], from: Order['status'], to: Order['status']) =>
  (order: Order): Order['status'] =>
    order.product === product && order.status === from ? to : order.status;

/** A server that shows in a repeated create what an order would be by its expiry alone. */
function repeatingByExpiry(): Make {
  const { now, control } = followingClocks();
  return {
    control,
    merchantApi: onlyFor(
      isOf('checkout.create'),
      showing((view, request) =>
        view.status === 'PROCESSING' && Date.parse(String(view.expiresAt)) <= now(merchantIdOf(request))
          ? { ...view, status: 'CLOSED' }
          : view,
      ),
    ),
  };
}

/** Wrong servers that treat a payment in another way because it comes to its end after the expiry. */
export const latePaymentFaults: readonly Fault[] = [
  {
    id: 'hosted-payment-confirmed-late-fails',
    title: 'Lets a hosted order fail whose payment was seen in time and is confirmed after the expiry.',
    breaks: 'orders.states.confirmed',
    caughtBy: 'orders.payments.under-way-at-expiry',
    make: endingLate(leading('hosted', 'SUCCEEDED', 'FAILED')),
  },
  {
    id: 'hosted-payment-failed-late-closes',
    title: 'Closes a hosted order whose payment was seen in time and fails after the expiry.',
    breaks: 'orders.states.failed',
    caughtBy: 'orders.payments.under-way-at-expiry',
    make: endingLate(leading('hosted', 'FAILED', 'CLOSED')),
  },
  {
    id: 'checkout-payment-confirmed-late-fails',
    title: 'Lets a checkout order fail whose payment was seen in time and is confirmed after the expiry.',
    breaks: 'checkout.payment-rule',
    caughtBy: 'checkout.payments.under-way-at-expiry',
    make: endingLate(leading('checkout', 'SUCCEEDED', 'FAILED')),
  },
  {
    id: 'checkout-late-underpayment-on-solana-closes',
    title:
      'Closes a checkout order on Solana of which too little was paid in time, where that is confirmed after the expiry.',
    breaks: 'checkout.payment-rule',
    caughtBy: 'checkout.payments.under-way-at-expiry',
    make: endingLate((order) =>
      order.product === 'checkout' && order.status === 'FAILED' && order.request.network === 'solana'
        ? 'CLOSED'
        : order.status,
    ),
  },
  {
    id: 'hosted-late-overpayment-by-exchange-fails',
    title:
      'Lets a hosted order fail for which an exchange has paid too much in time, where that is confirmed after the expiry.',
    breaks: 'orders.states.confirmed',
    caughtBy: 'orders.payments.under-way-at-expiry',
    make: endingLate(({ product, status, payment, due }) => {
      const isMeant = product === 'hosted' && payment && payment.paymentMethod !== 'ON_CHAIN_TRANSFER';
      return isMeant && status === 'SUCCEEDED' && compareDecimals(payment.amount.value, due.value) > 0
        ? 'FAILED'
        : status;
    }),
  },
  {
    id: 'repeat-shows-closed-while-paying',
    title: 'Shows a checkout order in a repeated create as closed whose time is over and whose payment is under way.',
    breaks: 'checkout.states.final',
    caughtBy: 'checkout.query.transitions.final',
    feeds: ['checkout.payments.under-way-at-expiry'],
    make: repeatingByExpiry(),
  },
  {
    id: 'hosted-payment-that-settles-late-closes',
    title: 'Closes a hosted order whose payment was seen in time and is confirmed by itself after the expiry.',
    breaks: 'orders.states.no-other-moves',
    caughtBy: 'orders.payments.confirmed-alone-after-expiry',
    make: endingLate(leading('hosted', 'SUCCEEDED', 'CLOSED'), (automatic) => automatic),
  },
];
