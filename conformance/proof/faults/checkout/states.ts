import type { RequirementId } from '../../../../generated/catalogue.ts';
import { addDecimals, compareDecimals, subtractDecimals } from '../../../contract/decimals.ts';
import { storing } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { closingInViewsOnly, dueLater, enough, movesOf } from '../../stand/order-changes.ts';

const { lacking, leading, adding } = movesOf('checkout');

const fault = faultsCaughtBy('checkout.state.');

const paid: [RequirementId, string] = ['checkout.payment-rule', 'processing.payment-confirmed.paid-in-full'];
const underpaid: [RequirementId, string] = ['checkout.payment-rule', 'processing.payment-confirmed.underpaid'];

const moves: readonly Fault[] = [
  fault(
    'checkout-confirmation-ignored',
    'Leaves paid checkout orders in PROCESSING.',
    ...paid,
    lacking('PROCESSING', 'payment_confirmed', 'paidInFull'),
  ),
  fault(
    'checkout-paid-order-closed',
    'Closes checkout orders once they are paid.',
    ...paid,
    leading('PROCESSING', 'payment_confirmed', 'CLOSED', 'paidInFull'),
  ),
  fault(
    'checkout-detection-ignored',
    'Does not notice the payments of checkout orders.',
    'checkout.payment-rule',
    'payment.exact',
    lacking('INIT', 'transaction_detected'),
  ),
  fault(
    'checkout-underpayment-accepted',
    'Takes a checkout order for paid that was paid too little.',
    ...underpaid,
    leading('PROCESSING', 'payment_confirmed', 'SUCCEEDED', 'underpaid'),
  ),
  fault(
    'checkout-underpayment-waits',
    'Leaves a checkout order that was paid too little in PROCESSING, for the rest to come.',
    ...underpaid,
    lacking('PROCESSING', 'payment_confirmed', 'underpaid'),
  ),
  fault(
    'checkout-underpayment-reopens',
    'Lets a checkout order that was paid too little wait for its payment again.',
    ...underpaid,
    leading('PROCESSING', 'payment_confirmed', 'INIT', 'underpaid'),
  ),
  fault(
    'checkout-underpayment-closes',
    'Closes a checkout order that was paid too little.',
    ...underpaid,
    leading('PROCESSING', 'payment_confirmed', 'CLOSED', 'underpaid'),
  ),
];

const exact: [RequirementId, string] = ['checkout.payment-rule', 'payment.exact'];
const more: [RequirementId, string] = ['checkout.payment-rule', 'payment.more-by-last-decimal'];
const less: [RequirementId, string] = ['checkout.payment-rule', 'payment.less-by-last-decimal'];

const amounts: readonly Fault[] = [
  fault(
    'exact-payment-fails',
    'Wants more than is due.',
    ...exact,
    enough('checkout', (amount, due) => compareDecimals(amount, due) > 0),
  ),
  fault(
    'checkout-overpayment-fails',
    'Lets checkout orders fail that were paid more than is due.',
    ...more,
    enough('checkout', (amount, due) => compareDecimals(amount, due) === 0),
  ),
  fault(
    'paid-compared-as-doubles',
    'Compares what was paid with what is due in binary floating point.',
    ...less,
    enough('checkout', (amount, due) => Number(amount) >= Number(due)),
  ),
  fault(
    'paid-compared-in-cents',
    'Compares what was paid with what is due in hundredths.',
    ...less,
    enough('checkout', (amount, due) => Math.round(Number(amount) * 100) >= Math.round(Number(due) * 100)),
  ),
  {
    id: 'cent-of-usdc-forgiven',
    title: 'Takes a payment of a checkout order in USDC that lacks a cent.',
    breaks: 'checkout.payment-rule',
    caughtBy: 'checkout.payments.too-little',
    make: enough(
      'checkout',
      (amount, due, { orderAmount }) =>
        compareDecimals(addDecimals([amount, orderAmount.currency === 'USDC' ? '0.01' : '0']), due) >= 0,
    ),
  },
  fault(
    'one-percent-too-little-taken',
    'Takes a payment that lacks up to one percent.',
    ...less,
    enough('checkout', (amount, due) => Number(amount) >= Number(due) * 0.99),
  ),
  fault(
    'price-enough-without-fees',
    'Takes a payment that comes close to what is due, for the network keeps a little.',
    ...less,
    enough(
      'checkout',
      (amount, due) => compareDecimals(amount, due) >= 0 || Number(subtractDecimals(due, amount)) < 0.000001,
    ),
  ),
];

const final = (state: string): [RequirementId, string] => ['checkout.states.final', `${state}-is-final`];

const finals: readonly Fault[] = [
  fault(
    'checkout-paid-order-cancelled',
    'Lets the merchant cancel a paid checkout order.',
    ...final('succeeded'),
    adding('SUCCEEDED', 'cancelled', 'CLOSED'),
  ),
  fault(
    'checkout-paid-order-fails',
    'Lets a paid checkout order fail when its block is dropped from the chain.',
    ...final('succeeded'),
    adding('SUCCEEDED', 'payment_failed', 'FAILED'),
  ),
  fault(
    'checkout-paid-order-paid-again',
    'Opens a paid checkout order when another transaction comes to its address.',
    ...final('succeeded'),
    adding('SUCCEEDED', 'transaction_detected', 'PROCESSING'),
  ),
  fault(
    'checkout-failed-order-topped-up',
    'Opens a failed checkout order when the rest of its payment comes.',
    ...final('failed'),
    adding('FAILED', 'transaction_detected', 'PROCESSING'),
  ),
  fault(
    'checkout-failed-order-confirmed-later',
    'Takes a failed checkout order for paid when a confirmation comes in.',
    ...final('failed'),
    adding('FAILED', 'payment_confirmed', 'SUCCEEDED'),
  ),
  fault(
    'checkout-failed-order-cancelled',
    'Closes a failed checkout order when the merchant cancels it.',
    ...final('failed'),
    adding('FAILED', 'cancelled', 'CLOSED'),
  ),
  fault(
    'checkout-closed-order-paid-late',
    'Opens a closed checkout order when its payment comes late.',
    ...final('closed'),
    adding('CLOSED', 'transaction_detected', 'PROCESSING'),
  ),
  fault(
    'checkout-closed-order-fails',
    'Lets a closed checkout order fail.',
    ...final('closed'),
    adding('CLOSED', 'payment_failed', 'FAILED'),
  ),
  {
    id: 'checkout-second-payment-added',
    title: 'Adds what comes to the address of a paid checkout order to what was paid.',
    breaks: 'checkout.states.final',
    caughtBy: 'checkout.state.succeeded-is-final',
    make: addingPayments(),
  },
];

/** Keeps an order paid when another transaction arrives, and adds up the amounts sent. */
function addingPayments(): Make {
  const twice = storing((records) => ({
    updateOrder: (order) => {
      const { payment, sequence } = order;
      if (order.status !== 'SUCCEEDED' || !payment || sequence < 3) return records.updateOrder(order);
      const amount = { ...payment.amount, value: addDecimals([payment.amount.value, order.due.value]) };
      return records.updateOrder({ ...order, payment: { ...payment, amount } });
    },
  }));
  const { parts } = adding('SUCCEEDED', 'transaction_detected', 'SUCCEEDED');
  return { parts: (given) => twice(parts?.(given) ?? given) };
}

const expired: [RequirementId, string] = ['checkout.states.expired', 'expired'];

const expiry: readonly Fault[] = [
  fault(
    'checkout-expiry-ignored',
    'Leaves checkout orders open after their time.',
    ...expired,
    lacking('INIT', 'expired'),
  ),
  fault(
    'checkout-expiry-ignored-without-driver',
    'Leaves checkout orders open after their time, and has no driver.',
    ...expired,
    { ...lacking('INIT', 'expired'), configured: ['default'] },
  ),
  fault(
    'checkout-expired-succeeds',
    'Takes an expired checkout order for settled.',
    ...expired,
    leading('INIT', 'expired', 'SUCCEEDED'),
  ),
  fault(
    'checkout-expiry-a-day-late',
    'Closes expired checkout orders once a day.',
    ...expired,
    dueLater('checkout', 86_400_000),
  ),
  fault(
    'checkout-expiry-a-minute-late',
    'Closes checkout orders a minute after their time.',
    ...expired,
    dueLater('checkout', 60_000),
  ),
  fault(
    'checkout-expired-order-paid-late',
    'Shows checkout orders as closed once their time is over, and goes on taking payments for them.',
    'checkout.states.final',
    'expired-is-final',
    closingInViewsOnly('checkout'),
  ),
];

/** Wrong servers whose checkout orders change state in ways that the contract does not allow. */
export const checkoutStateFaults: readonly Fault[] = [...moves, ...amounts, ...finals, ...expiry];
