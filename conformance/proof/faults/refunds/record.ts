import { addDecimals } from '../../../contract/decimals.ts';
import {
  answeringJson,
  bodyOf,
  isOf,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  recordOfEvent,
  storing,
} from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { eightHoursAhead } from '../../stand/order-changes.ts';
import { type ProxyRequest, resigned } from '../../stand/proxy.ts';
import {
  having,
  isRefundBatch,
  isRefundQuery,
  showingIn,
  showingRefunds,
  storingRefunds,
  without,
} from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('refunds.record.');

/** A server that shows another cause, in the answers to some requests, for refunds that fail while they are PENDING. */
function failingUnbegun(isAsked: (request: ProxyRequest) => boolean): Make {
  const unbegun = new Set<unknown>();
  return {
    parts: storing((records) => ({
      updateRefund: async (refund) => {
        const before = await records.findRefundById(refund.merchantId, refund.refundOrderId);
        if (refund.status === 'FAILED' && before?.status === 'PENDING') unbegun.add(refund.refundOrderId);
        return records.updateRefund(refund);
      },
    })),
    merchantApi: showingRefunds(
      (record) => (unbegun.has(record.refundOrderId) ? { ...record, errorCode: 'SYSTEM_ERROR' } : record),
      isAsked,
    ),
  };
}

const now = new Date().toISOString();

const shapes: readonly Fault[] = [
  fault(
    'pending-refund-has-nulls',
    'Shows the fields of other states as null.',
    'refunds.record.omitted',
    'pending',
    showingIn('PENDING', having({ completedTime: null, failedTime: null, closedTime: null })),
  ),
  fault(
    'pending-refund-completed',
    'Shows when a refund that waits will be done as its completedTime.',
    'refunds.record.completed',
    'pending',
    showingIn('PENDING', having({ completedTime: now })),
  ),
  fault(
    'pending-refund-accepted',
    'Calls refunds that wait ACCEPTED when it is asked for them.',
    'refunds.states.values',
    'pending',
    showingRefunds(having({ status: 'ACCEPTED' }), isRefundQuery),
  ),
  fault(
    'refund-query-without-message',
    'Answers refund queries without a message.',
    'refunds.envelope.success',
    'pending',
    onlyFor(
      isRefundQuery,
      answeringJson((envelope) => without('message')(envelope)),
    ),
  ),
  fault(
    'refund-times-in-words',
    'Writes the times of refunds as a person would.',
    'refunds.record.times',
    'pending',
    showingRefunds((record) => ({ ...record, createdTime: new Date(String(record.createdTime)).toUTCString() })),
  ),
  fault(
    'processing-refund-without-creation',
    'Leaves the creation time of refunds out once work on them begins.',
    'refunds.record.fields',
    'processing',
    showingIn('PROCESSING', without('createdTime')),
  ),
  fault(
    'processing-refund-has-error',
    'Has an errorMessage for refunds that are worked on.',
    'refunds.record.failed',
    'processing',
    showingIn('PROCESSING', having({ errorMessage: 'none' })),
  ),
  fault(
    'processing-refund-null-error',
    'Has an errorCode of null for refunds that are worked on.',
    'refunds.record.omitted',
    'processing',
    showingIn('PROCESSING', having({ errorCode: null })),
  ),
  fault(
    'done-refund-without-time',
    'Does not say when a refund was done.',
    'refunds.record.completed',
    'succeeded',
    showingIn('SUCCEEDED', without('completedTime')),
  ),
  fault(
    'done-refund-closed-too',
    'Closes refunds that are done.',
    'refunds.record.closed',
    'succeeded',
    showingIn('SUCCEEDED', (record) => ({ ...record, closedTime: record.completedTime })),
  ),
  fault(
    'done-refund-at-a-number',
    'Writes when a refund was done in milliseconds.',
    'refunds.record.times',
    'succeeded',
    showingIn('SUCCEEDED', having({ completedTime: Date.now() })),
  ),
  fault(
    'failed-refund-without-code',
    'Says in words only why a refund failed.',
    'refunds.record.failed',
    'failed',
    showingIn('FAILED', without('errorCode')),
  ),
  fault(
    'failed-refund-without-message',
    'Does not say in words why a refund failed.',
    'refunds.record.failed',
    'failed',
    showingIn('FAILED', without('errorMessage')),
  ),
  fault(
    'failed-refund-completed',
    'Has a completedTime for every refund that is over.',
    'refunds.record.completed',
    'failed',
    showingIn('FAILED', (record) => ({ ...record, completedTime: record.failedTime })),
  ),
  fault(
    'closed-refund-without-time',
    'Does not say when a refund was closed.',
    'refunds.record.closed',
    'closed',
    showingIn('CLOSED', without('closedTime')),
  ),
  fault(
    'closed-refund-failed',
    'Shows a closed refund as one that failed.',
    'refunds.record.failed',
    'closed',
    showingIn('CLOSED', (record) => ({ ...record, failedTime: record.closedTime })),
  ),
  fault(
    'closed-refund-cancelled',
    'Calls closed refunds CANCELLED in their errorMessage, and has no errorCode.',
    'refunds.record.failed',
    'closed',
    showingIn('CLOSED', having({ errorMessage: 'CANCELLED' })),
  ),
];

/** Shows the refund amount as `change` makes it. */
const amountAs = (change: (value: string) => string) =>
  showingRefunds((record) => ({ ...record, refundAmount: change(String(record.refundAmount)) }));

/** Stores the price of the order as the amount of the refund. */
const ofThePrice: Make = storingRefunds(async (refund, records) => {
  const order = await records.findOrderById(refund.merchantId, refund.acquiringOrderId);
  const value = order?.request.orderAmount.value ?? refund.amount.value;
  return { ...refund, amount: { ...refund.amount, value } };
});

/** Stores the amount of the refund of a checkout order to eight places. */
const ofCheckoutOrderToEightPlaces: Make = storingRefunds(async (refund, records) => {
  const order = await records.findOrderById(refund.merchantId, refund.acquiringOrderId);
  if (order?.product !== 'checkout') return refund;
  return { ...refund, amount: { ...refund.amount, value: refund.amount.value.replace(/(\.[0-9]{8})[0-9]+$/, '$1') } };
});

/** Stores the first part of an order that is split as the amount of the refund. */
const ofTheFirstPart: Make = storingRefunds(async (refund, records) => {
  const order = await records.findOrderById(refund.merchantId, refund.acquiringOrderId);
  const [first] = order && 'subMerchants' in order.request ? (order.request.subMerchants ?? []) : [];
  return first ? { ...refund, amount: { ...refund.amount, value: first.amount } } : refund;
});

/** Numbers each merchant's refunds from 1, and uses the numbers as ids. */
function numbering(): Make {
  const merchants = new Map<string, string[]>();
  const idsOf = (merchantId: string) => {
    const ids = merchants.get(merchantId) ?? [];
    merchants.set(merchantId, ids);
    return ids;
  };
  const behind = (merchantId: string, id: string) => idsOf(merchantId)[Number(/^ref-(\d+)$/.exec(id)?.[1]) - 1] ?? id;
  const showing = showingRefunds((record, request) => {
    const [ids, id] = [idsOf(merchantIdOf(request)), String(record.refundOrderId)];
    if (!ids.includes(id)) ids.push(id);
    return { ...record, refundOrderId: `ref-${ids.indexOf(id) + 1}` };
  });
  return {
    merchantApi: (request, server) => {
      const target = request.target.replace(
        /([?&]refundOrderId=)([^&]+)/,
        (_, before: string, id: string) => `${before}${behind(merchantIdOf(request), id)}`,
      );
      const owner = server.owner(request.headers['x-api-key'] ?? '');
      const asked = owner && isRightlySigned(request, server) ? resigned({ ...request, target }, owner) : request;
      return showing(asked, server);
    },
    control: (request, server) => {
      const target = request.target.replace(
        /(\/merchants\/)([^/]+)(\/refunds\/)([^/]+)/,
        (_, before: string, merchantId: string, between: string, id: string) =>
          `${before}${merchantId}${between}${behind(merchantId, id)}`,
      );
      return server.forward({ ...request, target });
    },
  };
}

/** A small or large number with an exponent, as a floating-point number is often written. */
const withExponent = (value: unknown) =>
  Number(value) < 0.000001 || Number(value) > 1e12 ? Number(value).toExponential() : value;

/** Servers that write an amount of refunds with an exponent in one state, where they are asked for in one way. */
const inLaterStates: readonly Fault[] = (
  [
    ['query', 'SUCCEEDED', 'merchantDeductAmount', 'refunds.record.deduct-amount'],
    ['batch-query', 'PROCESSING', 'merchantDeductAmount', 'refunds.record.deduct-amount'],
    ['batch-query', 'FAILED', 'refundAmount', 'refunds.record.amount'],
    ['query', 'CLOSED', 'refundAmount', 'refunds.record.amount'],
  ] as const
).map(([operation, state, name, breaks]) => ({
  id: `${state.toLowerCase()}-refund-with-exponent-in-${operation}`,
  title: `Writes ${name} of a refund that is ${state} with an exponent in the answer to a ${operation}, where it is small or large.`,
  breaks,
  caughtBy: `refunds.${operation}.money.form`,
  feeds: ['refunds.record.amount.sizes'],
  make: {
    merchantApi: showingRefunds(
      (record) => (record.status === state ? { ...record, [name]: withExponent(record[name]) } : record),
      isOf(`refunds.${operation}`),
    ),
  },
}));

const values: readonly Fault[] = [
  fault(
    'refund-names-platform-id-twice',
    "Shows the order's platform id as its merchantOrderId.",
    'refunds.record.references',
    'references',
    showingRefunds((record) => ({ ...record, merchantOrderId: record.acquiringOrderId })),
  ),
  fault(
    'refund-names-its-order-in-small-letters',
    "Shows the merchantOrderId of a refund's order in small letters.",
    'refunds.record.references',
    'references',
    showingRefunds((record) => ({ ...record, merchantOrderId: String(record.merchantOrderId).toLowerCase() })),
  ),
  fault(
    'refund-names-itself-as-order',
    'Shows the refund in the place of its order.',
    'refunds.record.references',
    'references',
    showingRefunds((record) => ({ ...record, acquiringOrderId: record.refundOrderId })),
  ),
  fault(
    'refund-ids-of-each-merchant',
    "Numbers each merchant's refunds from 1 on.",
    'refunds.record.platform-id',
    'platform-id',
    numbering(),
  ),
  fault(
    'refund-minus-fee',
    'Keeps one percent of each refund back.',
    'refunds.record.amount',
    'amount',
    amountAs((value) => (Number(value) * 0.99).toFixed(6)),
  ),
  fault(
    'refund-currency-of-price',
    'Shows the currency of a refund as USD.',
    'refunds.record.amount',
    'amount',
    showingRefunds(having({ refundCurrency: 'USD' })),
  ),
  fault(
    'refund-small-with-exponent',
    'Writes small amounts of refunds with an exponent.',
    'refunds.record.amount',
    'amount.sizes',
    amountAs((value) => (Number(value) < 0.000001 ? String(Number(value)) : value)),
  ),
  fault(
    'refund-large-with-exponent',
    'Writes large amounts of refunds with an exponent.',
    'refunds.record.amount',
    'amount.sizes',
    amountAs((value) => (Number(value) > 1e18 ? Number(value).toExponential() : value)),
  ),
  fault(
    'refund-of-28-digits',
    'Keeps 28 digits of the amounts of refunds.',
    'refunds.record.amount',
    'amount.sizes',
    amountAs((value) => {
      const [whole = '', places = ''] = value.split('.');
      return whole.length + places.length > 28 ? `${whole}.${places.slice(0, 28 - whole.length)}` : value;
    }),
  ),
  fault(
    'refund-of-checkout-order-to-eight-places',
    'Cuts the amount of the refund of a checkout order off after eight places.',
    'refunds.record.amount',
    'amount.sizes',
    ofCheckoutOrderToEightPlaces,
  ),
  fault(
    'refund-of-the-first-part',
    'Refunds the first part of an order that is split among sub-merchants.',
    'refunds.record.amount',
    'amount.split',
    ofTheFirstPart,
  ),
  fault(
    'refund-in-doubles',
    'Reads the amount of a refund into a double.',
    'refunds.record.amount',
    'amount.eighteen-decimals',
    amountAs((value) => String(Number(value))),
  ),
  fault(
    'refund-to-six-places',
    'Cuts the amount of a refund off after six places.',
    'refunds.record.amount',
    'amount.eighteen-decimals',
    amountAs((value) => value.replace(/(\.[0-9]{6})[0-9]+$/, '$1')),
  ),
  fault(
    'overpaid-refund-rounded-up',
    'Refunds the next hundredth of what was paid.',
    'refunds.record.amount',
    'amount.overpaid',
    amountAs((value) => value.replace(/(\.[0-9]{2})[0-9]{3,}$/, '$11')),
  ),
  fault(
    'refund-of-the-usd-price',
    'Refunds as many USDT as the price is USD.',
    'refunds.record.amount',
    'amount.usd-price',
    ofThePrice,
  ),
  fault(
    'done-refund-without-deduction',
    'Never says what a refund takes from its merchant.',
    'refunds.record.deduct-amount',
    'succeeded',
    showingRefunds(without('merchantDeductAmount')),
  ),
  fault(
    'deduction-unknown-when-done',
    'Does not know any more what a refund that is done has taken from its merchant.',
    'refunds.record.deduct-amount',
    'deduct-amount',
    showingIn('SUCCEEDED', without('merchantDeductAmount')),
  ),
  fault(
    'deduction-as-number',
    'Writes what is taken from the merchant as a JSON number.',
    'refunds.record.deduct-amount',
    'deduct-amount',
    showingRefunds((record) => ({ ...record, merchantDeductAmount: Number(record.merchantDeductAmount) })),
  ),
  fault(
    'deduction-with-sign',
    'Writes what is taken from the merchant with a minus.',
    'refunds.record.deduct-amount',
    'deduct-amount',
    showingRefunds((record) => ({ ...record, merchantDeductAmount: `-${record.merchantDeductAmount}` })),
  ),
  fault(
    'refund-payment-method-empty',
    'Has no name for how the order was paid.',
    'refunds.record.payment-method',
    'payment-method',
    showingRefunds(having({ paymentMethod: '' })),
  ),
  fault(
    'refund-times-local',
    'Writes the local time of refunds as if it were UTC.',
    'refunds.record.times',
    'times',
    showingRefunds((record) => ({ ...record, createdTime: eightHoursAhead(record.createdTime) })),
  ),
  fault(
    'refund-estimate-in-days',
    'Says in how many days a refund will be done.',
    'refunds.record.times',
    'times',
    showingRefunds(having({ estimatedCompletionTime: '3 days' })),
  ),
  fault(
    'refund-error-renamed',
    'Has a code of its own for too small funds at the exchange.',
    'refunds.record.error-code',
    'error-code',
    showingIn('FAILED', having({ errorCode: 'INSUFFICIENT_FUNDS' })),
  ),
  ...[['refunds.query', isRefundQuery] as const, ['refunds.batch-query', isRefundBatch] as const].map(
    ([operation, isAsked]): Fault => ({
      id: `${operation.replace('.', '-')}-error-of-refunds-never-begun`,
      title: `Shows a system error as the cause in ${operation} where a refund failed before its processing began.`,
      breaks: 'refunds.record.error-code',
      caughtBy: `${operation}.failed.error-code`,
      feeds: ['refunds.situations.ended'],
      make: failingUnbegun(isAsked),
    }),
  ),
  {
    id: 'error-of-the-refund-before',
    title:
      'Shows the errorCode of the refund that failed before, where none is given for the next one of its merchant.',
    breaks: 'refunds.record.error-code',
    caughtBy: 'refunds.query.failed.error-code',
    feeds: ['refunds.situations.time-passes'],
    make: failingAsBefore(),
  },
  fault(
    'refund-amount-doubled-at-query',
    'Adds what is taken from the merchant to the amount of a refund when it is asked.',
    'refunds.record.amount',
    'amount',
    showingRefunds(
      (record) => ({ ...record, refundAmount: addDecimals([String(record.refundAmount), '0.01']) }),
      isRefundQuery,
    ),
  ),
];

/** A server that keeps the reason for which the last refund of a merchant failed, where one was given. */
function failingAsBefore(): Make {
  const reasons = new Map<string, unknown>();
  return {
    control: (request, server) => {
      const { type, errorCode = reasons.get(merchantIdOf(request)), ...event } = bodyOf(request) ?? {};
      if (recordOfEvent('refunds', request) === undefined || type !== 'failed' || errorCode === undefined) {
        return server.forward(request);
      }
      reasons.set(merchantIdOf(request), errorCode);
      return server.forward({ ...request, body: Buffer.from(JSON.stringify({ type, errorCode, ...event })) });
    },
  };
}

/** Wrong servers that show refunds incorrectly. */
export const refundRecordFaults: readonly Fault[] = [...shapes, ...values, ...inLaterStates];
