import type { AppParts } from '../../../../server/app.ts';
import type { Order } from '../../../../server/domain/order.ts';
import { compareDecimals } from '../../../contract/decimals.ts';
import { type JsonObject, valueAt } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import {
  answeringJson,
  bodyOf,
  firstOf,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  storing,
} from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { asFirstMet, formlessNumberReadings, numberReadings } from '../../stand/number-ids.ts';
import type { Handler } from '../../stand/proxy.ts';
import {
  acceptingRefunds,
  having,
  isOfRefunds,
  isRefundBatch,
  isRefundCreate,
  isRefundQuery,
  keepingRefunds,
  keepingRefused,
  parameterOf,
  refundRefusal,
  refusingCreates,
  refusingRefunds,
  type SeenRefusal,
  sending,
  showingRefunds,
  without,
  withStatus,
} from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('refunds.create.');

/** How the unique index of a database compares ids that the program takes for different ones, and what becomes of its complaint. */
const collations = [
  {
    name: 'for-blanks-at-the-end',
    words: 'in blanks at the end',
    compared: (id: string) => id.replace(/ +$/, ''),
    status: 500,
    code: 'SYSTEM_ERROR',
  },
  {
    name: 'for-blanks-at-the-beginning',
    words: 'in blanks at the beginning',
    compared: (id: string) => id.replace(/^ +/, ''),
    status: 400,
    code: 'INVALID_PARAMETER',
  },
  {
    name: 'for-the-width-of-letters',
    words: 'in the width of letters',
    compared: (id: string) => id.normalize('NFKC'),
    status: 400,
    code: 'ORDER_ALREADY_REFUNDED',
  },
] as const;

/** A server that refuses an id which is equal to an earlier one of its merchant in the eyes of its database alone. */
function refusingAlike(compared: (id: string) => string, status: number, code: string): Handler {
  const known = new Map<string, unknown>();
  return onlyFor(isRefundCreate, (request, server) => {
    const id = bodyOf(request)?.merchantRefundOrderId;
    if (typeof id !== 'string') return server.forward(request);
    const key = JSON.stringify([merchantIdOf(request), compared(id)]);
    if ((known.get(key) ?? id) !== id) return Promise.resolve(refundRefusal(status, code));
    known.set(key, id);
    return server.forward(request);
  });
}

/** A server whose refunds start in another state. */
const beginningIn = (initial: AppParts['states']['refunds']['initial']): Make => ({
  parts: (parts) => ({ ...parts, states: { ...parts.states, refunds: { ...parts.states.refunds, initial } } }),
});

/** The record with its extraData changed by `change`. */
const extraDataAs = (change: (text: string) => string) => (record: JsonObject) =>
  typeof record.extraData === 'string' ? { ...record, extraData: change(record.extraData) } : record;

/** Stores and finds refunds under `kept(id)`, and so confuses refunds whose ids differ. */
const keyedBy = (kept: (id: string) => string): Make =>
  keepingRefunds(
    (records) => ({
      insertRefund: (refund) =>
        records.insertRefund({ ...refund, merchantRefundOrderId: kept(refund.merchantRefundOrderId) }),
      findRefund: (merchantId, id) => records.findRefund(merchantId, kept(id)),
    }),
    (reads) => ({ findRefund: (merchantId, id) => reads.findRefund(merchantId, kept(id)) }),
  );

const accepted: readonly Fault[] = [
  fault(
    'refund-begins-processing',
    'Begins to work on a refund before it answers, and says so.',
    'refunds.create.accepted',
    'minimal',
    beginningIn('PROCESSING'),
  ),
  fault(
    'refund-begins-init',
    'Answers a refund request with the record in INIT.',
    'refunds.create.accepted',
    'minimal',
    showingRefunds(having({ status: 'INIT' }), isRefundCreate),
  ),
  fault(
    'refund-accepted-as-201',
    'Answers an accepted refund with HTTP 201.',
    'refunds.create.accepted',
    'minimal',
    onlyFor(isRefundCreate, async (request, server) => {
      const answer = await server.forward(request);
      return answer.status === 200 ? withStatus(201)(answer) : answer;
    }),
  ),
  fault(
    'refund-success-code-zero',
    'Writes success of refund operations as code 0.',
    'general.success-code',
    'minimal',
    onlyFor(
      isOfRefunds,
      answeringJson((envelope) => (envelope.code === successCode ? { ...envelope, code: '0' } : envelope)),
    ),
  ),
  fault(
    'refund-demands-notify-url',
    'Refuses refund requests without notifyUrl.',
    'refunds.create.accepted',
    'minimal',
    refusingCreates(({ notifyUrl }) => notifyUrl === undefined),
  ),
  fault(
    'refund-found-by-platform-id-only',
    'Does not find refunds by the id that the merchant gave them.',
    'refunds.query.by-merchant-refund-order-id',
    'minimal',
    onlyFor(isRefundQuery, async (request, server) =>
      parameterOf(request, 'merchantRefundOrderId') === undefined
        ? server.forward(request)
        : refundRefusal(404, 'REFUND_NOT_FOUND'),
    ),
  ),
  fault(
    'refund-extra-data-refused',
    'Refuses refund requests with extraData.',
    'refunds.create.optional-fields',
    'every-optional-field',
    refusingCreates(({ extraData }) => extraData !== undefined),
  ),
  fault(
    'refund-notify-url-refused',
    'Refuses a notifyUrl beside the address that is configured.',
    'refunds.create.optional-fields',
    'every-optional-field',
    refusingCreates(({ notifyUrl }) => notifyUrl !== undefined),
  ),
  fault(
    'refund-success-without-message',
    'Answers successes of refund operations without a message.',
    'refunds.envelope.success',
    'success-envelope',
    onlyFor(
      isRefundCreate,
      answeringJson((envelope) => without('message')(envelope)),
    ),
  ),
  fault(
    'refund-success-without-trace',
    'Has requestId and timestamp in refusals only.',
    'refunds.envelope.success',
    'success-envelope',
    onlyFor(
      isRefundCreate,
      answeringJson((envelope) =>
        envelope.code === successCode ? without('requestId', 'timestamp')(envelope) : envelope,
      ),
    ),
  ),
  fault(
    'refund-answered-without-amount',
    'Answers an accepted refund without its amount and currency.',
    'refunds.record.fields',
    'success-envelope',
    showingRefunds(without('refundAmount', 'refundCurrency'), isRefundCreate),
  ),
  fault(
    'refund-without-estimate',
    'Does not say when a refund will be done.',
    'refunds.create.estimated-completion',
    'estimated-completion',
    showingRefunds(without('estimatedCompletionTime')),
  ),
  fault(
    'refund-ids-cut-short',
    'Keeps all of a merchantRefundOrderId but its last character.',
    'refunds.create.accepted',
    'merchant-refund-order-id.distinct',
    keyedBy((id) => id.slice(0, -1)),
  ),
  fault(
    'refund-ids-by-hash',
    'Takes merchantRefundOrderIds for the same that have the same hash in Java, as Aa and BB have.',
    'refunds.create.accepted',
    'merchant-refund-order-id.distinct',
    keyedBy((id) => id.replaceAll('Aa', 'BB')),
  ),
  ...collations.map(({ name, words, compared, status, code }) =>
    fault(
      `refund-ids-refused-${name}`,
      `Refuses a merchantRefundOrderId with HTTP ${status} where it has one that differs ${words} only.`,
      'refunds.create.accepted',
      'merchant-refund-order-id.distinct',
      refusingAlike(compared, status, code),
    ),
  ),
  fault(
    'refund-ids-in-the-form-of-order-ids',
    'Refuses a merchantRefundOrderId of less than 16 characters, as it refuses a merchantOrderId.',
    'refunds.create.accepted',
    'merchant-refund-order-id.short',
    refusingCreates(({ merchantRefundOrderId }) => String(merchantRefundOrderId).length < 16),
  ),
  fault(
    'refund-ids-without-case',
    'Compares merchantRefundOrderIds without regard to case.',
    'refunds.create.accepted',
    'merchant-refund-order-id.distinct',
    keyedBy((id) => id.toLowerCase()),
  ),
  fault(
    'refund-ids-without-marks',
    'Compares merchantRefundOrderIds without regard to the marks of letters.',
    'refunds.create.accepted',
    'merchant-refund-order-id.distinct',
    keyedBy((id) => id.normalize('NFD').replace(/\p{M}/gu, '')),
  ),
  fault(
    'refund-ids-composed',
    'Keeps merchantRefundOrderIds with letters and marks that stand apart as single letters (NFC).',
    'refunds.create.accepted',
    'merchant-refund-order-id.distinct',
    keyedBy((id) => id.normalize('NFC')),
  ),
  fault(
    'refund-ids-shown-composed',
    'Shows merchantRefundOrderIds with letters and marks that stand apart as single letters (NFC).',
    'refunds.record.references',
    'merchant-refund-order-id.distinct',
    showingRefunds((record) => ({
      ...record,
      merchantRefundOrderId: String(record.merchantRefundOrderId).normalize('NFC'),
    })),
  ),
  ...[...numberReadings, ...formlessNumberReadings].map((reading) =>
    fault(
      `refund-ids-as-numbers-${reading.name}`,
      `Takes merchantRefundOrderIds for the same that differ ${reading.words}.`,
      'refunds.create.accepted',
      'merchant-refund-order-id.distinct',
      keyedBy(asFirstMet(reading)),
    ),
  ),
  ...[64, 255].map((most) =>
    fault(
      `refund-ids-cut-to-${most}`,
      `Keeps ${most} characters of a merchantRefundOrderId.`,
      'refunds.create.accepted',
      'merchant-refund-order-id.distinct',
      keyedBy((id) => id.slice(0, most)),
    ),
  ),
  fault(
    'refund-ids-in-small-letters',
    'Shows merchantRefundOrderIds in small letters.',
    'refunds.record.references',
    'merchant-refund-order-id.distinct',
    showingRefunds((record) => ({
      ...record,
      merchantRefundOrderId: String(record.merchantRefundOrderId).toLowerCase(),
    })),
  ),
  fault(
    'refund-of-a-part',
    'Refunds the amount that a request names, where it names one.',
    'refunds.create.whole-payment',
    'whole-payment',
    showingRefunds((record, request) => {
      const { refundAmount } = bodyOf(request) ?? {};
      return refundAmount === undefined ? record : { ...record, refundAmount };
    }, isRefundCreate),
  ),
  {
    id: 'refunded-order-under-another-name',
    title: 'Takes the orderId of a create for the acquiringOrderId that it lacks.',
    breaks: 'refunds.create.required-fields',
    caughtBy: 'refunds.errors.invalid-parameter',
    make: {
      merchantApi: onlyFor(isRefundCreate, (request, server) => {
        const body = bodyOf(request);
        const isMeant = body?.acquiringOrderId === undefined && body?.orderId !== undefined;
        const isRead = isMeant && isRightlySigned(request, server);
        return server.forward(isRead ? sending(request, { ...body, acquiringOrderId: body.orderId }, server) : request);
      }),
    },
  },
  fault(
    'refund-of-a-part-as-an-object',
    'Refunds the amount that a request names as an object of value and currency.',
    'refunds.create.whole-payment',
    'whole-payment',
    showingRefunds((record, request) => {
      const refundAmount = valueAt(bodyOf(request)?.refundAmount, ['value']);
      return refundAmount === undefined ? record : { ...record, refundAmount };
    }, isRefundCreate),
  ),
  fault(
    'extra-data-rewritten',
    'Reads extraData as JSON and writes it anew.',
    'refunds.record.extra-data',
    'extra-data.unchanged',
    showingRefunds(extraDataAs((text) => JSON.stringify(JSON.parse(text)))),
  ),
  fault(
    'extra-data-trimmed',
    'Cuts the space around extraData off.',
    'refunds.record.extra-data',
    'extra-data.unchanged',
    showingRefunds(extraDataAs((text) => text.trim())),
  ),
  fault(
    'extra-data-escaped',
    'Makes extraData fit for a page.',
    'refunds.record.extra-data',
    'extra-data.unchanged',
    showingRefunds(extraDataAs((text) => text.replaceAll('<', '&lt;'))),
  ),
  fault(
    'extra-data-not-in-batches',
    'Leaves extraData out of the answers to batch queries.',
    'refunds.record.extra-data',
    'extra-data.unchanged',
    showingRefunds(without('extraData'), isRefundBatch),
  ),
];

const ofOrderIn =
  (state: string) =>
  ({ code, details }: SeenRefusal): boolean =>
    code === 'ORDER_NOT_REFUNDABLE' && details.includes(state);

const unpaid: readonly Fault[] = (['INIT', 'PROCESSING', 'FAILED', 'CLOSED'] as const).flatMap((state) => {
  const name = state.toLowerCase();
  const check = `unpaid-order.${name}`;
  return [
    fault(
      `refund-of-${name}-order-accepted`,
      `Accepts refunds of orders that are ${state}.`,
      'refunds.create.completed-payments',
      check,
      acceptingRefunds(ofOrderIn(state)),
    ),
    fault(
      `refund-of-${name}-order-as-404`,
      `Answers the refund of an order that is ${state} as if there were no such order.`,
      'refunds.errors.business',
      check,
      refusingRefunds(ofOrderIn(state), withStatus(404)),
    ),
    fault(
      `refund-of-${name}-order-kept`,
      `Refuses the refund of an order that is ${state}, and shows its record.`,
      'refunds.errors.refused',
      check,
      keepingRefused(ofOrderIn(state)),
    ),
    fault(
      `refund-of-${name}-order-in-batches`,
      `Refuses the refund of an order that is ${state}, and shows it as FAILED in batch queries.`,
      'refunds.errors.refused',
      check,
      keepingRefused(ofOrderIn(state), 'batch query'),
    ),
    fault(
      `refund-of-${name}-order-kept-by-order`,
      `Refuses the refund of an order that is ${state}, and shows its record to a query for that order.`,
      'refunds.errors.refused',
      check,
      keepingRefused(ofOrderIn(state), 'acquiringOrderId'),
    ),
  ];
});

/** A server that refunds an order whose payment has come whole and failed afterwards. */
function refundingFailedPayments(): Make {
  const failed = new Set<string>();
  return {
    control: (request, server) => {
      const orderId = /\/orders\/([^/]+)\/events$/.exec(request.target)?.[1];
      if (orderId !== undefined && bodyOf(request)?.type === 'payment_failed') failed.add(decodeURIComponent(orderId));
      return server.forward(request);
    },
    merchantApi: acceptingRefunds(
      (refused, request) => ofOrderIn('FAILED')(refused) && failed.has(String(bodyOf(request)?.acquiringOrderId)),
    ),
  };
}

const isUnknown = ({ code }: SeenRefusal) => code === 'ORDER_NOT_FOUND';

/** Lets every merchant refund any order whose id it knows. */
function sharedOrders(): Make {
  const owners = new Map<string, string>();
  return {
    parts: storing((records) => ({
      insertOrder: (order) => {
        owners.set(order.orderId, order.merchantId);
        return records.insertOrder(order);
      },
      lockOrder: (merchantId, orderId) => records.lockOrder(owners.get(orderId) ?? merchantId, orderId),
    })),
  };
}

/** Reveals that an order belongs to another merchant. */
function tellingOfOthers(): Handler {
  const known = new Set<unknown>();
  const noting: Handler = async (request, server) => {
    const answer = await server.forward(request);
    const { data } = bodyOf(answer) ?? {};
    known.add(Object(data).orderId);
    return answer;
  };
  return firstOf(
    refusingRefunds(
      (refused, request) => isUnknown(refused) && known.has(bodyOf(request)?.acquiringOrderId),
      withStatus(403),
    ),
    noting,
  );
}

/** A server that refunds an order again once the clock of its merchant was moved so often, as one that keeps the refunds of some time only. */
function forgettingRefundedOrders(steps: number): Make {
  const moved = new Map<string, number>();
  return {
    control: (request, server) => {
      const written = /\/merchants\/([^/]+)\/clock$/.exec(request.target)?.[1];
      const merchantId = written === undefined ? undefined : decodeURIComponent(written);
      if (merchantId !== undefined) moved.set(merchantId, (moved.get(merchantId) ?? 0) + 1);
      return server.forward(request);
    },
    merchantApi: acceptingRefunds(
      ({ code }, request) => code === 'ORDER_ALREADY_REFUNDED' && (moved.get(merchantIdOf(request)) ?? 0) >= steps,
    ),
  };
}

/** A server that refunds such orders again whose refund has succeeded. */
function refundingAgainWhere(isOne: (order: Order) => boolean): Make {
  return {
    parts: storing((records) => ({
      listRefundsOfOrder: async (merchantId, orderId) => {
        const refunds = await records.listRefundsOfOrder(merchantId, orderId);
        const order = await records.findOrderById(merchantId, orderId);
        return order && isOne(order) ? refunds.filter(({ status }) => status !== 'SUCCEEDED') : refunds;
      },
    })),
  };
}

const isPricedIn = (currency: string, { request }: Order) => request.orderAmount.currency === currency;

const isOverpaid = ({ due, payment }: Order) =>
  payment !== null && compareDecimals(payment.amount.value, due.value) > 0;

/** Orders that a careless server refunds twice, by how they were paid. */
const ofSomeOrders: readonly [name: string, words: string, isOne: (order: Order) => boolean][] = [
  ['overpaid-in-usd', 'priced in USD and overpaid', (order) => isPricedIn('USD', order) && isOverpaid(order)],
  [
    'overpaid-in-usdt',
    'a hosted order priced in USDT and overpaid',
    (order) => order.product === 'hosted' && isPricedIn('USDT', order) && isOverpaid(order),
  ],
  [
    'in-usd-by-exchange',
    'priced in USD and paid from an exchange',
    (order) => isPricedIn('USD', order) && order.payment?.paymentMethod === 'EXCHANGE_TWO',
  ],
  [
    'of-another-currency',
    'a checkout order in another currency than USDT',
    (order) => order.product === 'checkout' && !isPricedIn('USDT', order),
  ],
];

const refusals: readonly Fault[] = [
  fault(
    'refund-of-failed-whole-payment-accepted',
    'Refunds an order that has FAILED, where what was due had come.',
    'refunds.create.completed-payments',
    'unpaid-order.failed',
    refundingFailedPayments(),
  ),
  fault(
    'order-refunded-again',
    'Refunds an order again whose refund has succeeded.',
    'refunds.create.second-after-success',
    'second.after-success',
    acceptingRefunds(({ code }) => code === 'ORDER_ALREADY_REFUNDED'),
  ),
  ...ofSomeOrders.map(([name, words, isOne]) =>
    fault(
      `order-refunded-again-${name}`,
      `Refunds an order again whose refund has succeeded, if it is ${words}.`,
      'refunds.create.second-after-success',
      'second.after-success',
      refundingAgainWhere(isOne),
    ),
  ),
  fault(
    'order-refunded-again-after-a-failure',
    'Looks only at the first refund of an order, to see whether it can be refunded.',
    'refunds.create.second-after-success',
    'second.after-success',
    {
      parts: storing((records) => ({
        listRefundsOfOrder: async (...which) => (await records.listRefundsOfOrder(...which)).slice(0, 1),
      })),
    },
  ),
  fault(
    'refund-of-an-order-id-with-nul-fails',
    'Fails at a refund of an order whose id has a NUL, which its database does not take.',
    'refunds.errors.malformed-order-id',
    'unknown-order',
    {
      merchantApi: onlyFor(
        (request) => isRefundCreate(request) && String(bodyOf(request)?.acquiringOrderId).includes('\0'),
        async () => refundRefusal(500, 'SYSTEM_ERROR'),
      ),
    },
  ),
  fault(
    'refund-of-a-long-order-id-fails',
    'Fails at a refund of an order whose id is longer than its column.',
    'refunds.errors.malformed-order-id',
    'unknown-order',
    {
      merchantApi: onlyFor(
        (request) => isRefundCreate(request) && String(bodyOf(request)?.acquiringOrderId).length > 64,
        async () => refundRefusal(500, 'SYSTEM_ERROR'),
      ),
    },
  ),
  fault(
    'order-refunded-again-later',
    'Knows only of refunds of the present day when it looks whether an order was refunded.',
    'refunds.create.second-after-success',
    'second.after-success',
    forgettingRefundedOrders(1),
  ),
  fault(
    'order-refunded-again-a-week-later',
    'Knows only of refunds of the last week when it looks whether an order was refunded.',
    'refunds.create.second-after-success',
    'second.after-success',
    // The clock moves by three days first, and then by six.
    forgettingRefundedOrders(2),
  ),
  fault(
    'refund-of-unknown-order-accepted',
    'Accepts refunds without looking for the order.',
    'refunds.errors.order-not-found',
    'unknown-order',
    acceptingRefunds(isUnknown),
  ),
  fault(
    'refund-of-unknown-order-as-422',
    'Refuses the refund of an unknown order with HTTP 422.',
    'refunds.errors.order-not-found',
    'unknown-order',
    refusingRefunds(isUnknown, withStatus(422)),
  ),
  fault(
    'refund-of-unknown-order-kept',
    'Refuses the refund of an unknown order, and shows its record.',
    'refunds.errors.refused',
    'unknown-order',
    keepingRefused(isUnknown),
  ),
  fault(
    'refund-of-anybodys-order',
    'Lets a merchant refund any order whose id it knows.',
    'refunds.create.other-merchant',
    'other-merchant',
    sharedOrders(),
  ),
  fault(
    'refund-of-others-order-as-403',
    'Forbids the refund of an order that another merchant has, and so tells that there is one.',
    'refunds.errors.order-not-found',
    'other-merchant',
    tellingOfOthers(),
  ),
  fault(
    'refund-of-others-order-kept',
    "Refuses the refund of another merchant's order, and shows a record of it to who asked.",
    'refunds.errors.refused',
    'other-merchant',
    keepingRefused(isUnknown),
  ),
  fault(
    'refund-of-others-order-in-batches',
    "Refuses the refund of another merchant's order, and shows it in batch queries to who asked.",
    'refunds.errors.refused',
    'other-merchant',
    keepingRefused(isUnknown, 'batch query'),
  ),
];

/** Counterpart of the constraint faults for a create without acquiringOrderId. */
const withoutOrder: Fault = {
  id: 'refund-of-no-order-accepted',
  title: 'Accepts refund requests that name no order.',
  breaks: 'refunds.create.required-fields',
  caughtBy: 'refunds.create.acquiringOrderId.required',
  make: { merchantApi: acceptingRefunds((_, request) => bodyOf(request)?.acquiringOrderId === undefined) },
};

/** Wrong servers that accept refunds they should refuse, refuse refunds they should accept, or answer wrongly. */
export const refundCreateFaults: readonly Fault[] = [...accepted, ...unpaid, ...refusals, withoutOrder];
