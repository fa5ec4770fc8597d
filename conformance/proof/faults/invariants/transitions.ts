import type { RefundsEvent, RefundsState, RequirementId } from '../../../../generated/catalogue.ts';
import { compareDecimals } from '../../../contract/decimals.ts';
import type { JsonObject } from '../../../contract/json.ts';
import {
  changing,
  isCheckout,
  isHosted,
  isHostedCreate,
  isOf,
  onlyFor,
  showing,
  storing,
} from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { changedByRepeats, closingInViewsOnly, dueLater, enough, movesOf } from '../../stand/order-changes.ts';
import { having, isRefundBatch, isRefundCreate, isRefundQuery, showingRefunds } from '../../stand/refund-changes.ts';

/** A wrong server that the rule finds in the exchanges of one check. */
function fault(
  id: string,
  title: string,
  [breaks, caughtBy, feed]: [RequirementId, string, string],
  make: Make,
): Fault {
  return { id, title, breaks, caughtBy, feeds: [feed], make };
}

const hosted = movesOf('orders');
const checkout = movesOf('checkout');
const now = () => new Date().toISOString();

/** A server with one more transition of refunds. */
const movingRefunds = (from: RefundsState, event: RefundsEvent, to: RefundsState): Make => ({
  parts: (parts) => {
    const { refunds } = parts.states;
    const transitions = [...refunds.transitions, { from, event, to }];
    return { ...parts, states: { ...parts.states, refunds: { ...refunds, transitions } } };
  },
});

/** Shows a succeeded refund as still processing. */
const stillWorking = (record: JsonObject): JsonObject => {
  if (record.status !== 'SUCCEEDED') return record;
  const { completedTime: _, ...others } = record;
  return { ...others, status: 'PROCESSING' };
};

const hostedFaults: readonly Fault[] = [
  fault(
    'hosted-order-made-processing',
    'Answers a create of a hosted order as if its payment were under way.',
    ['orders.states.initial', 'orders.create.transitions.initial', 'orders.view.init'],
    { merchantApi: onlyFor(isHostedCreate, showing(having({ status: 'PROCESSING' }))) },
  ),
  fault(
    'hosted-order-charged-back',
    'Lets a hosted order fail whose payment is taken back after it succeeded.',
    ['orders.states.final', 'orders.query.transitions.final', 'orders.state.succeeded-is-final'],
    hosted.adding('SUCCEEDED', 'payment_failed', 'FAILED'),
  ),
  fault(
    'hosted-payment-dated-when-asked',
    'Shows the present time as paidAt of a hosted order whenever it is asked for it.',
    ['orders.view.moments', 'orders.query.transitions.final-view', 'orders.view.stable-when-paid'],
    { merchantApi: onlyFor(isHosted, showing(changing('paidAt', now))) },
  ),
  fault(
    'hosted-repeat-of-another-transaction',
    'Shows another transaction when the create of a paid hosted order is sent again than when the order is asked for.',
    ['orders.view.payment-detail', 'orders.query.transitions.final-view', 'orders.situations.repeated'],
    {
      merchantApi: onlyFor(
        isHostedCreate,
        showing(
          changing('cryptoPaymentDetail.txHash', (hash) =>
            String(hash).replace(/.$/, (last) => (last === '0' ? '1' : '0')),
          ),
        ),
      ),
    },
  ),
  fault(
    'hosted-payment-in-the-newest-block',
    'Shows the newest block of the network as the one that a hosted payment is in.',
    ['orders.view.payment-detail', 'orders.query.transitions.final-view', 'orders.view.stable-when-paid'],
    {
      merchantApi: onlyFor(
        isHosted,
        showing(changing('cryptoPaymentDetail.blockNumber', () => Math.floor(performance.now()))),
      ),
    },
  ),
  fault(
    'hosted-order-cancelled-under-payment',
    'Closes a hosted order that the merchant cancels while its payment is under way.',
    ['orders.states.no-other-moves', 'orders.query.transitions.no-other-moves', 'orders.state.processing.cancelled'],
    hosted.adding('PROCESSING', 'cancelled', 'CLOSED'),
  ),
  fault(
    'hosted-confirmation-pays',
    'Takes a hosted order for paid when a confirmation comes in, whether or not a transaction was seen.',
    ['orders.states.initial', 'orders.query.transitions.waits', 'orders.state.init.payment-confirmed'],
    hosted.adding('INIT', 'payment_confirmed', 'SUCCEEDED'),
  ),
  fault(
    'hosted-detection-suffices',
    'Takes a hosted order for paid without waiting for confirmations.',
    ['orders.states.detected', 'orders.query.transitions.detected', 'orders.state.init.transaction-detected'],
    hosted.leading('INIT', 'transaction_detected', 'SUCCEEDED'),
  ),
  fault(
    'hosted-order-wants-the-exact-amount',
    'Lets a hosted order fail that was paid more than is due.',
    ['orders.states.confirmed', 'orders.query.transitions.confirmed', 'orders.view.crypto-paid-amount'],
    enough('hosted', (amount, due) => compareDecimals(amount, due) === 0),
  ),
  fault(
    'hosted-underpayment-succeeds',
    'Takes a hosted order for paid whatever amount was sent.',
    [
      'orders.states.failed',
      'orders.query.transitions.underpaid',
      'orders.state.processing.payment-confirmed.underpaid',
    ],
    hosted.leading('PROCESSING', 'payment_confirmed', 'SUCCEEDED', 'underpaid'),
  ),
  fault(
    'hosted-failed-payment-succeeds',
    'Takes a hosted order for paid whose payment failed.',
    ['orders.states.failed', 'orders.query.transitions.failed', 'orders.state.processing.payment-failed'],
    hosted.leading('PROCESSING', 'payment_failed', 'SUCCEEDED'),
  ),
  fault(
    'hosted-cancellation-fails',
    'Lets a hosted order fail that the merchant cancels.',
    ['orders.states.cancelled', 'orders.query.transitions.cancelled', 'orders.state.init.cancelled'],
    hosted.leading('INIT', 'cancelled', 'FAILED'),
  ),
  fault(
    'hosted-order-never-expires',
    'Leaves hosted orders open for ever.',
    ['orders.states.expired', 'orders.query.transitions.expired', 'orders.state.init.expired'],
    hosted.lacking('INIT', 'expired'),
  ),
  fault(
    'hosted-order-fails-by-expiry',
    'Lets hosted orders fail whose time has passed.',
    ['orders.states.expired', 'orders.query.transitions.expired', 'orders.state.init.expired'],
    hosted.leading('INIT', 'expired', 'FAILED'),
  ),
  fault(
    'hosted-order-closed-early',
    'Closes hosted orders half a minute before their time has passed.',
    ['orders.states.initial', 'orders.query.transitions.waits', 'orders.situations.expired'],
    dueLater('hosted', -30_000),
  ),
  fault(
    'hosted-order-closed-after-a-day',
    'Closes hosted orders a day after they were made, where they expire later.',
    ['orders.states.initial', 'orders.query.transitions.waits', 'orders.create.days-later'],
    {
      parts: storing((records) => ({
        insertOrder: (order) => {
          const inADay = order.createdAt + 86_400_000;
          const capped = order.product === 'hosted' && order.expiresAt > inADay;
          return records.insertOrder(capped ? { ...order, dueAt: inADay } : order);
        },
      })),
    },
  ),
  fault(
    'hosted-order-paid-after-expiry',
    'Works out that a hosted order has expired only when it is shown, and takes payments for it.',
    ['orders.states.expired', 'orders.query.transitions.late-payment', 'orders.state.expired-is-final'],
    closingInViewsOnly('orders'),
  ),
  fault(
    'hosted-order-opened-by-repeat',
    'Opens a hosted order that was closed when its create is sent again.',
    ['orders.states.final', 'orders.query.transitions.final', 'orders.situations.repeated'],
    changedByRepeats('hosted', (order) => (order.status === 'CLOSED' ? { ...order, status: 'INIT' } : order)),
  ),
  fault(
    'hosted-payment-forgotten-by-repeat',
    'Forgets the payment under way of a hosted order when its create is sent again.',
    ['orders.states.no-other-moves', 'orders.query.transitions.no-other-moves', 'orders.situations.repeated'],
    changedByRepeats('hosted', (order) =>
      order.status === 'PROCESSING' ? { ...order, status: 'INIT', payment: null } : order,
    ),
  ),
  fault(
    'hosted-payment-dated-by-repeat',
    'Shows a hosted order as paid a second later once its create is sent again.',
    ['orders.view.moments', 'orders.query.transitions.final-view', 'orders.situations.repeated'],
    changedByRepeats('hosted', (order) => (order.paidAt === null ? order : { ...order, paidAt: order.paidAt + 1000 })),
  ),
];

const checkoutFaults: readonly Fault[] = [
  fault(
    'checkout-order-made-pending',
    'Answers a create of a checkout order with PENDING.',
    ['checkout.states.initial', 'checkout.create.transitions.initial', 'checkout.view.init'],
    { merchantApi: onlyFor(isOf('checkout.create'), showing(having({ status: 'PENDING' }))) },
  ),
  fault(
    'checkout-order-charged-back',
    'Lets a checkout order fail whose payment is taken back after it succeeded.',
    ['checkout.states.final', 'checkout.query.transitions.final', 'checkout.state.succeeded-is-final'],
    checkout.adding('SUCCEEDED', 'payment_failed', 'FAILED'),
  ),
  fault(
    'checkout-transaction-made-up',
    'Shows another transactionHash whenever it is asked for a paid checkout order.',
    ['checkout.view.payment-detail', 'checkout.query.transitions.final-view', 'checkout.view.stable-when-paid'],
    {
      merchantApi: onlyFor(
        isCheckout,
        showing(changing('cryptoPaymentDetail.transactionHash', () => crypto.randomUUID())),
      ),
    },
  ),
  fault(
    'checkout-order-processing-when-shown',
    'Takes a checkout order for being paid as soon as somebody asks for it.',
    ['checkout.states.initial', 'checkout.query.transitions.waits', 'checkout.query.by-merchant-order-id'],
    {
      merchantApi: onlyFor(
        isOf('checkout.query'),
        showing((view) => (view.status === 'INIT' ? { ...view, status: 'PROCESSING' } : view)),
      ),
    },
  ),
  fault(
    'checkout-order-wants-the-exact-amount',
    'Lets a checkout order fail that was paid more than is due.',
    ['checkout.payment-rule', 'checkout.query.transitions.confirmed', 'checkout.state.payment.more-by-last-decimal'],
    enough('checkout', (amount, due) => compareDecimals(amount, due) === 0),
  ),
  fault(
    'checkout-underpayment-succeeds',
    'Takes a checkout order for paid whose payment differs from what is due in the last decimal place.',
    ['checkout.payment-rule', 'checkout.query.transitions.underpaid', 'checkout.state.payment.less-by-last-decimal'],
    enough('checkout', (amount, due) => Number(amount) >= Number(due)),
  ),
  fault(
    'checkout-order-never-expires',
    'Leaves checkout orders open for ever.',
    ['checkout.states.expired', 'checkout.query.transitions.expired', 'checkout.state.expired'],
    checkout.lacking('INIT', 'expired'),
  ),
  fault(
    'checkout-order-paid-after-expiry',
    'Works out that a checkout order has expired only when it is shown, and takes payments for it.',
    ['checkout.states.expired', 'checkout.query.transitions.late-payment', 'checkout.state.expired-is-final'],
    closingInViewsOnly('checkout'),
  ),
];

const refundFaults: readonly Fault[] = [
  fault(
    'refund-made-processing',
    'Answers a create of a refund as if work on it had begun.',
    ['refunds.create.accepted', 'refunds.create.transitions.initial', 'refunds.record.platform-id'],
    { merchantApi: showingRefunds(having({ status: 'PROCESSING' }), isRefundCreate) },
  ),
  fault(
    'done-refund-begun-again',
    'Begins the work on a refund again that is done.',
    ['refunds.states.final', 'refunds.query.transitions.final', 'refunds.state.succeeded-is-final'],
    movingRefunds('SUCCEEDED', 'processing_started', 'PROCESSING'),
  ),
  fault(
    'refund-dated-when-asked',
    'Shows the present time as completedTime of a refund whenever it is asked for it.',
    ['refunds.record.moments', 'refunds.query.transitions.final-view', 'refunds.state.succeeded-is-final'],
    { merchantApi: showingRefunds(changing('completedTime', now), isRefundQuery) },
  ),
  fault(
    'refund-batch-behind',
    'Shows refunds in a batch as they were some time ago.',
    ['refunds.states.final', 'refunds.batch-query.transitions.final', 'refunds.batch-query.current'],
    { merchantApi: showingRefunds(stillWorking, isRefundBatch) },
  ),
  fault(
    'refund-batch-dated-when-asked',
    'Shows the present time as completedTime of the refunds in a batch.',
    ['refunds.record.moments', 'refunds.batch-query.transitions.final-view', 'refunds.batch-query.current'],
    { merchantApi: showingRefunds(changing('completedTime', now), isRefundBatch) },
  ),
];

/** Wrong servers that show states that do not follow from the events. */
export const transitionFaults: readonly Fault[] = [...hostedFaults, ...checkoutFaults, ...refundFaults];
