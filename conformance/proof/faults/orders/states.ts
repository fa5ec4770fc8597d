import type { RequirementId } from '../../../../generated/catalogue.ts';
import type { Payment } from '../../../../server/domain/order.ts';
import { addDecimals, compareDecimals } from '../../../contract/decimals.ts';
import type { JsonObject } from '../../../contract/json.ts';
import {
  bodyOf,
  isHosted,
  jsonAnswer,
  onlyFor,
  queriedId,
  recordOfEvent,
  showing,
  storing,
} from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { closingInViewsOnly, dueLater, enough, movesOf, reopeningAfter, timingOut } from '../../stand/order-changes.ts';
import { eventOf, sending } from '../../stand/webhook-changes.ts';

const { lacking, leading, adding } = movesOf('orders');

const fault = faultsCaughtBy('orders.state.');

const detected: [RequirementId, string] = ['orders.states.detected', 'init.transaction-detected'];
const cancelled: [RequirementId, string] = ['orders.states.cancelled', 'init.cancelled'];
const expired: [RequirementId, string] = ['orders.states.expired', 'init.expired'];
const confirmed: [RequirementId, string] = ['orders.states.confirmed', 'processing.payment-confirmed.paid-in-full'];
const underpaid: [RequirementId, string] = ['orders.states.failed', 'processing.payment-confirmed.underpaid'];
const failed: [RequirementId, string] = ['orders.states.failed', 'processing.payment-failed'];

/** An amount in units of the 18th decimal place, in as many bits as the largest numbers of a language have. */
const in128Bits = (amount: string): bigint => {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt.asUintN(128, BigInt(`${whole}${fraction.padEnd(18, '0')}`));
};

/** A server whose hosted orders are shown in `status` once events have happened to them that `applies` says it of. */
function movedBy(status: string, applies: (events: readonly JsonObject[], orderId: unknown) => boolean): Make {
  const eventsOf = new Map<unknown, JsonObject[]>();
  const moved = new Set<unknown>();
  return {
    control: async (request, server) => {
      const orderId = recordOfEvent('orders', request);
      const event = bodyOf(request);
      if (orderId === undefined || !event) return server.forward(request);
      const events = [...(eventsOf.get(orderId) ?? []), event];
      eventsOf.set(orderId, events);
      if (!applies(events, orderId)) return server.forward(request);
      moved.add(orderId);
      return jsonAnswer({ status });
    },
    merchantApi: onlyFor(
      isHosted,
      showing((view) => (moved.has(view.orderId) ? { ...view, status } : view)),
    ),
  };
}

const has = (events: readonly JsonObject[], type: string) => events.some((event) => event.type === type);

const asTextOfOneLength = (amount: string, due: string): boolean =>
  amount.length === due.length ? amount >= due : compareDecimals(amount, due) >= 0;

const failingUnpaid = movedBy(
  'FAILED',
  (events) => events.at(-1)?.reason === 'error' && !has(events, 'transaction_detected') && !has(events, 'cancelled'),
);

const paidAfterTimeout = movedBy('PROCESSING', (events) => {
  const end = events.findIndex(({ reason }) => reason === 'timeout');
  const before = events.slice(0, Math.max(end, 0));
  const hasFailed = has(before, 'transaction_detected') && !has(before, 'payment_confirmed');
  return hasFailed && events.at(-1)?.type === 'transaction_detected';
});

/** A server whose hosted orders go on when such a payment comes after an event that has ended them. */
const paidAfterTheEnd = (hasEnded: (event: JsonObject) => boolean, revives: (payment: JsonObject) => boolean): Make =>
  movedBy('PROCESSING', (events) => {
    const last = events.at(-1);
    return events.slice(0, -1).some(hasEnded) && last?.type === 'transaction_detected' && revives(last);
  });

/** Whether the first payment of an order was seen to be less than `price`. */
const isShort = (events: readonly JsonObject[], price: number): boolean =>
  Number(events.find(({ type }) => type === 'transaction_detected')?.amount ?? price) < price;

const isType = (type: string) => (event: JsonObject) => event.type === type;

/** A server that does not notice the transactions of orders whose amount `isOverlooked`. */
const overlooking = (isOverlooked: (amount: number) => boolean): Make => ({
  control: (request, server) => {
    const { type, amount } = bodyOf(request) ?? {};
    const isSeen = recordOfEvent('orders', request) === undefined || type !== 'transaction_detected';
    if (isSeen || amount === undefined || !isOverlooked(Number(amount))) return server.forward(request);
    return Promise.resolve(jsonAnswer({ status: 'INIT' }));
  },
});

/** A server whose cancelled orders are paid when they are confirmed once more. */
const paidByTheSecondConfirmation = movedBy('SUCCEEDED', (events) => {
  const isConfirmation = isType('payment_confirmed');
  const confirmations = events.slice(events.findIndex(isType('cancelled'))).filter(isConfirmation).length;
  const last = events.at(-1);
  return events[0]?.type === 'cancelled' && confirmations > 1 && last !== undefined && isConfirmation(last);
});

/** A server whose paid orders still fail where an answer to their first webhook did not acknowledge it. */
function failingUnheard(): Make {
  const unheard = new Set<unknown>();
  return {
    ...movedBy(
      'FAILED',
      (events, orderId) =>
        unheard.has(orderId) && events.some(isType('payment_confirmed')) && events.at(-1)?.type === 'payment_failed',
    ),
    ...sending(async (webhook, send) => {
      const result = await send(webhook);
      if (!('httpStatus' in result) || result.httpStatus >= 300) unheard.add(eventOf(webhook).orderId);
      return result;
    }),
  };
}

/** A server that shows an order that has failed as PROCESSING to whoever asks by its platform id. */
const staleByPlatformId: Make = {
  merchantApi: onlyFor(
    isHosted,
    showing((view, request) => {
      const isStale = queriedId(request) === view.orderId && view.status === 'FAILED';
      return isStale ? { ...view, status: 'PROCESSING' } : view;
    }),
  ),
};

const wrongMoves: readonly Fault[] = [
  {
    id: 'failed-order-stale-by-platform-id',
    title: 'Shows an order that has failed as PROCESSING when it is asked for by its platform id.',
    breaks: 'orders.states.final',
    caughtBy: 'orders.query.by-order-id.each-end',
    make: staleByPlatformId,
  },
  fault(
    'paid-by-a-second-confirmation',
    'Takes a cancelled order for paid that is confirmed a second time.',
    'orders.states.final',
    'final-by-every-way',
    paidByTheSecondConfirmation,
  ),
  {
    id: 'cancelled-while-underpaid',
    title: 'Lets the merchant cancel a hosted order of which too little is paid.',
    breaks: 'orders.states.no-other-moves',
    caughtBy: 'orders.payments.courses',
    make: movedBy('CLOSED', (events) => events.at(-1)?.type === 'cancelled' && isShort(events, 9.5)),
  },
  fault(
    'paid-order-fails-unheard',
    'Moves a paid order to FAILED when its payment is said to have failed, if its first webhook was not acknowledged.',
    'orders.states.final',
    'final-by-every-way',
    failingUnheard(),
  ),
  fault(
    'overpaid-after-cancellation',
    'Takes a payment for an order that was cancelled, if it is more than its price.',
    'orders.states.final',
    'final-by-every-way',
    paidAfterTheEnd(
      ({ type }) => type === 'cancelled',
      ({ amount }) => Number(amount) > 50,
    ),
  ),
  fault(
    'paid-by-exchange-after-failure',
    'Takes a payment from an exchange for an order whose payment went wrong.',
    'orders.states.final',
    'final-by-every-way',
    paidAfterTheEnd(
      ({ reason }) => reason === 'error',
      ({ paymentMethod }) => String(paymentMethod).startsWith('EXCHANGE'),
    ),
  ),
  fault(
    'unpaid-order-fails-by-error',
    'Moves an order to FAILED that nobody has paid, when its payment is said to have failed because of an error.',
    'orders.states.no-other-moves',
    'init.payment-failed',
    failingUnpaid,
  ),
  fault(
    'paid-again-after-timeout',
    'Takes another payment for an order that failed because its payment took too long.',
    'orders.states.final',
    'final-by-every-way',
    paidAfterTimeout,
  ),
  fault('detection-ignored', 'Does not notice transactions.', ...detected, lacking('INIT', 'transaction_detected')),
  fault(
    'tiny-detection-ignored',
    'Does not notice transactions of less than a cent.',
    ...detected,
    overlooking((amount) => amount < 0.01),
  ),
  fault(
    'insufficient-detection-ignored',
    'Does not notice transactions of less than half of the price.',
    ...detected,
    overlooking((amount) => amount < 4.75),
  ),
  fault(
    'excessive-detection-ignored',
    'Does not notice transactions of more than the price.',
    ...detected,
    overlooking((amount) => amount > 9.5),
  ),
  fault(
    'paid-without-confirmation',
    'Takes an order for paid as soon as a transaction is seen.',
    ...detected,
    leading('INIT', 'transaction_detected', 'SUCCEEDED'),
  ),
  fault('cancellation-ignored', 'Does not close cancelled orders.', ...cancelled, lacking('INIT', 'cancelled')),
  fault('cancelled-fails', 'Moves cancelled orders to FAILED.', ...cancelled, leading('INIT', 'cancelled', 'FAILED')),
  fault('expiry-ignored', 'Leaves orders open after their time.', ...expired, lacking('INIT', 'expired')),
  fault('expiry-ignored-without-driver', 'Leaves orders open after their time, and has no driver.', ...expired, {
    ...lacking('INIT', 'expired'),
    configured: ['default'],
  }),
  fault('expiry-a-minute-late', 'Closes orders a minute after their time.', ...expired, dueLater('hosted', 60_000)),
  fault('expired-fails', 'Moves expired orders to FAILED.', ...expired, leading('INIT', 'expired', 'FAILED')),
  fault(
    'confirmation-ignored',
    'Leaves paid orders in PROCESSING.',
    ...confirmed,
    lacking('PROCESSING', 'payment_confirmed', 'paidInFull'),
  ),
  fault(
    'paid-order-closed',
    'Closes orders once they are paid.',
    ...confirmed,
    leading('PROCESSING', 'payment_confirmed', 'CLOSED', 'paidInFull'),
  ),
  fault(
    'underpayment-accepted',
    'Takes an order for paid that was paid too little.',
    ...underpaid,
    leading('PROCESSING', 'payment_confirmed', 'SUCCEEDED', 'underpaid'),
  ),
  fault(
    'underpayment-waits',
    'Leaves an order that was paid too little in PROCESSING.',
    ...underpaid,
    lacking('PROCESSING', 'payment_confirmed', 'underpaid'),
  ),
  fault('failure-ignored', 'Leaves failed payments in PROCESSING.', ...failed, lacking('PROCESSING', 'payment_failed')),
  fault(
    'failed-payment-reopens',
    'Moves an order back to INIT when its payment fails.',
    ...failed,
    leading('PROCESSING', 'payment_failed', 'INIT'),
  ),
  ...(
    [
      ['doubles', 'in binary floating point', Number],
      ['cents', 'in hundredths', (amount: string) => Math.round(Number(amount) * 100)],
    ] as const
  ).map(([id, words, read]) =>
    fault(
      `order-payments-compared-in-${id}`,
      `Compares what was paid with what an order costs ${words}.`,
      'orders.states.failed',
      'underpaid-by-last-decimal',
      enough('hosted', (amount, due) => read(amount) >= read(due)),
    ),
  ),
  ...(
    [
      ['as-text', 'as text', (amount, due) => amount >= due],
      ['as-text-of-one-length', 'as text where both are equally long', asTextOfOneLength],
      ['by-length', 'by its number of characters', (amount, due) => amount.length >= due.length],
      ['in-128-bits', 'in whole numbers of 128 bits', (amount, due) => in128Bits(amount) >= in128Bits(due)],
      ['as-whole-coins', 'in whole coins', (amount, due) => Math.trunc(Number(amount)) >= Math.trunc(Number(due))],
    ] as const satisfies readonly [string, string, (amount: string, due: string) => boolean][]
  ).map(([id, words, isEnough]) =>
    faultsCaughtBy('orders.payments.')(
      `order-payments-compared-${id}`,
      `Compares what was paid with what an order costs ${words}.`,
      'orders.states.failed',
      'compared',
      enough('hosted', isEnough),
    ),
  ),
  fault(
    'order-in-usd-forgiven-a-cent',
    'Takes an order in USD for paid where less than a cent is missing.',
    'orders.states.failed',
    'underpaid-by-last-decimal',
    enough('hosted', (amount, due, { orderAmount }) =>
      orderAmount.currency === 'USD' ? Number(amount) > Number(due) - 0.01 : compareDecimals(amount, due) >= 0,
    ),
  ),
  fault(
    'exchange-payment-always-enough',
    'Takes an order for paid, however little came from an exchange.',
    'orders.states.failed',
    'underpaid-by-last-decimal',
    enough('hosted', (amount, due, _request, { paymentMethod }) =>
      paymentMethod === 'ON_CHAIN_TRANSFER' ? compareDecimals(amount, due) >= 0 : true,
    ),
  ),
  {
    id: 'overpayment-fails',
    title: 'Lets orders fail that were paid more than they cost.',
    breaks: 'orders.states.confirmed',
    caughtBy: 'orders.view.crypto-paid-amount',
    make: {
      parts: storing((records) => ({
        updateOrder: (order) => {
          const overpaid = Number(order.payment?.amount.value ?? 0) > Number(order.due.value);
          const status = overpaid && order.status === 'SUCCEEDED' ? 'FAILED' : order.status;
          return records.updateOrder({ ...order, status });
        },
      })),
    },
  },
];

const noOther = (cell: string): [RequirementId, string] => ['orders.states.no-other-moves', cell];

const addedMoves: readonly Fault[] = [
  fault(
    'confirmed-without-transaction',
    'Takes an order for paid whose payment nobody has seen.',
    ...noOther('init.payment-confirmed'),
    adding('INIT', 'payment_confirmed', 'SUCCEEDED'),
  ),
  fault(
    'failed-without-transaction',
    'Lets an order fail whose payment nobody has seen.',
    ...noOther('init.payment-failed'),
    adding('INIT', 'payment_failed', 'FAILED'),
  ),
  fault(
    'second-transaction-confirms',
    'Takes a second transaction for the confirmation of the first.',
    ...noOther('processing.transaction-detected'),
    adding('PROCESSING', 'transaction_detected', 'SUCCEEDED'),
  ),
  fault(
    'cancelled-while-paying',
    'Lets the merchant cancel an order whose payment is under way.',
    ...noOther('processing.cancelled'),
    adding('PROCESSING', 'cancelled', 'CLOSED'),
  ),
  {
    id: 'expiry-closes-paid-orders',
    title: 'Closes an order that is over, although its payment waits for confirmations.',
    breaks: 'orders.states.processing-timeout',
    caughtBy: 'orders.state.processing.expired',
    make: timingOut('CLOSED'),
  },
  {
    id: 'slow-payment-reopens',
    title: 'Opens an order again whose payment has waited for its confirmations for an hour.',
    breaks: 'orders.states.no-other-moves',
    caughtBy: 'orders.query.transitions.no-other-moves',
    feeds: ['orders.situations.time-passes'],
    make: reopeningAfter(3_600_000),
  },
];

const final = (state: string): [RequirementId, string] => ['orders.states.final', `${state}-is-final`];

const finalMoves: readonly Fault[] = [
  fault(
    'expired-order-paid-late',
    'Shows orders as closed once their time is over, and goes on taking payments for them.',
    'orders.states.final',
    'expired-is-final',
    closingInViewsOnly('orders'),
  ),
  fault(
    'paid-order-cancelled',
    'Lets the merchant cancel a paid order.',
    ...final('succeeded'),
    adding('SUCCEEDED', 'cancelled', 'CLOSED'),
  ),
  fault(
    'paid-order-fails',
    'Lets a paid order fail when its payment turns out wrong.',
    ...final('succeeded'),
    adding('SUCCEEDED', 'payment_failed', 'FAILED'),
  ),
  fault(
    'paid-order-paid-again',
    'Opens a paid order when another transaction comes in.',
    ...final('succeeded'),
    adding('SUCCEEDED', 'transaction_detected', 'PROCESSING'),
  ),
  fault(
    'failed-order-paid-later',
    'Opens a failed order when another transaction comes in.',
    ...final('failed'),
    adding('FAILED', 'transaction_detected', 'PROCESSING'),
  ),
  fault(
    'failed-order-confirmed-later',
    'Takes a failed order for paid when a confirmation comes in.',
    ...final('failed'),
    adding('FAILED', 'payment_confirmed', 'SUCCEEDED'),
  ),
  fault(
    'closed-order-paid-later',
    'Opens a closed order when a transaction comes in.',
    ...final('closed'),
    adding('CLOSED', 'transaction_detected', 'PROCESSING'),
  ),
  fault(
    'closed-order-fails',
    'Lets a closed order fail.',
    ...final('closed'),
    adding('CLOSED', 'payment_failed', 'FAILED'),
  ),
];

/** The place of the payment that an exchange made among events; -1: there is none. */
const exchangePayment = (events: readonly JsonObject[], exchange = 'EXCHANGE'): number =>
  events.findIndex(({ paymentMethod }) => String(paymentMethod).startsWith(exchange));

/** True where the last event is one of this type or for this reason, and comes behind a payment from an exchange. */
const endsAfterExchange = (events: readonly JsonObject[], last: Partial<JsonObject>): boolean =>
  exchangePayment(events.slice(0, -1)) >= 0 &&
  Object.entries(last).every(([name, value]) => events.at(-1)?.[name] === value);

const paymentFault = faultsCaughtBy('orders.payments.');

/** Payments that servers compare with the price as it is written. */
const pricedPayments: readonly (readonly [id: string, words: string, isMeant: (payment: Payment) => boolean])[] = [
  ['exchange-payment', 'what an exchange pays', ({ paymentMethod }) => paymentMethod.startsWith('EXCHANGE')],
  [
    'second-exchange-payment',
    'what the second exchange pays',
    ({ paymentMethod }) => paymentMethod.startsWith('EXCHANGE_TWO'),
  ],
  [
    'ethereum-payment',
    'what is paid over Ethereum',
    ({ paymentMethod, network }) => paymentMethod === 'ON_CHAIN_TRANSFER' && network === 'eth',
  ],
];

/** Servers that keep the table for payments over networks, and not for those from exchanges. */
const exchangeMoves: readonly Fault[] = [
  paymentFault(
    'exchange-payment-cancelled',
    'Lets the merchant cancel an order that an exchange is paying.',
    'orders.states.no-other-moves',
    'courses',
    movedBy('CLOSED', (events) => endsAfterExchange(events, { type: 'cancelled' })),
  ),
  paymentFault(
    'exchange-payment-error-closes',
    'Closes an order whose payment from an exchange goes wrong.',
    'orders.states.failed',
    'courses',
    movedBy('CLOSED', (events) => endsAfterExchange(events, { type: 'payment_failed', reason: 'error' })),
  ),
  paymentFault(
    'exchange-payment-confirmed-after-error',
    'Takes a payment from an exchange that went wrong for made when it is confirmed.',
    'orders.states.final',
    'courses',
    movedBy(
      'SUCCEEDED',
      (events) => has(events, 'payment_failed') && endsAfterExchange(events, { type: 'payment_confirmed' }),
    ),
  ),
  paymentFault(
    'cancelled-order-paid-by-exchange',
    'Opens a cancelled order when an exchange pays it.',
    'orders.states.final',
    'courses',
    movedBy('PROCESSING', (events) => {
      const paid = exchangePayment(events);
      return paid >= 0 && has(events.slice(0, paid), 'cancelled');
    }),
  ),
  paymentFault(
    'expired-order-paid-by-any-means',
    'Opens an expired order when a payment comes in.',
    'orders.states.final',
    'in-time',
    adding('CLOSED', 'transaction_detected', 'PROCESSING'),
  ),
  paymentFault(
    'half-a-payment-from-an-exchange-enough',
    'Takes half of what is due for enough where an exchange pays it.',
    'orders.states.failed',
    'courses',
    enough(
      'hosted',
      (paid, due, _request, { paymentMethod }) =>
        compareDecimals(addDecimals(paymentMethod.startsWith('EXCHANGE') ? [paid, paid] : [paid]), due) >= 0,
    ),
  ),
  ...pricedPayments.map(([id, words, isMeant]) =>
    paymentFault(
      `${id}-compared-with-price`,
      `Compares ${words} with the price in USD, and not with what it comes to at the rate.`,
      'orders.states.failed',
      'rated',
      enough(
        'hosted',
        (paid, due, { orderAmount }, payment) => compareDecimals(paid, isMeant(payment) ? orderAmount.value : due) >= 0,
      ),
    ),
  ),
  paymentFault(
    'exchange-payment-short-by-less-than-a-cent',
    'Takes an order in USD for paid by an exchange where less than a cent is missing at a rate other than 1.',
    'orders.states.failed',
    'rated',
    enough('hosted', (paid, due, { orderAmount }, { paymentMethod }) => {
      const isForgiven = paymentMethod.startsWith('EXCHANGE') && Number(orderAmount.value) !== Number(due);
      return isForgiven ? Number(paid) > Number(due) - 0.01 : compareDecimals(paid, due) >= 0;
    }),
  ),
  paymentFault(
    'exchange-payment-at-full-price',
    'Wants the price in USD from exchanges also where it comes to less at the rate.',
    'orders.states.confirmed',
    'rated',
    enough('hosted', (paid, due, { orderAmount }, { paymentMethod }) => {
      const isWanted = paymentMethod.startsWith('EXCHANGE') && compareDecimals(orderAmount.value, due) > 0;
      return compareDecimals(paid, isWanted ? orderAmount.value : due) >= 0;
    }),
  ),
];

/** Wrong servers whose orders change state in ways that the contract's table does not allow. */
export const stateFaults: readonly Fault[] = [...wrongMoves, ...addedMoves, ...finalMoves, ...exchangeMoves];
