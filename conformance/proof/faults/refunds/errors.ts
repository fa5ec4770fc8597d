import { businessTime } from '../../../../server/domain/merchant.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { answering, answeringJson, bodyOf, onlyFor, storing } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { servingTheKeysMerchant } from '../../stand/order-changes.ts';
import type { Handler } from '../../stand/proxy.ts';
import {
  acceptingRefunds,
  isOfRefunds,
  isRefundBatch,
  isRefundCreate,
  isRefundQuery,
  keepingRefused,
  refusingRefunds,
  type SeenRefusal,
  withCode,
  without,
  withStatus,
} from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('refunds.');

/** A server that changes its refund answers with `change`. */
const everyAnswer = (change: (envelope: JsonObject) => JsonObject): Handler =>
  onlyFor(
    isOfRefunds,
    answeringJson((envelope) => change(envelope)),
  );

/** A server that changes its refusals of refund requests with `change`. */
const everyRefusal = (change: (envelope: JsonObject) => JsonObject): Handler =>
  everyAnswer((envelope) => (envelope.code === successCode ? envelope : change(envelope)));

const envelopes: readonly Fault[] = [
  fault(
    'refund-refusal-with-null-data',
    'Refuses with data of null.',
    'refunds.envelope.failure',
    'errors.envelope',
    everyRefusal((envelope) => ({ ...envelope, data: null })),
  ),
  fault(
    'refund-refusal-without-details',
    'Refuses without details.',
    'refunds.envelope.failure',
    'errors.envelope',
    everyRefusal(without('details')),
  ),
  ...(
    [
      ['create', isRefundCreate],
      ['query', isRefundQuery],
      ['batch-query', isRefundBatch],
    ] as const
  ).map(
    ([operation, applies]): Fault =>
      fault(
        `refund-${operation}-unauthenticated-untraced`,
        `Has no requestId where it finds the signature of refunds.${operation} wrong.`,
        'refunds.envelope.failure',
        'errors.envelope',
        onlyFor(
          applies,
          answeringJson((envelope) =>
            envelope.code === 'INVALID_SIGNATURE' ? without('requestId')(envelope) : envelope,
          ),
        ),
      ),
  ),
  fault(
    'refund-refusal-as-error-object',
    'Refuses with an error object in the place of code and message.',
    'refunds.envelope.failure',
    'errors.envelope',
    everyRefusal(({ code, message, ...envelope }) => ({ ...envelope, error: { code, message } })),
  ),
  fault(
    'refund-refusal-timestamp-iso',
    'Writes the timestamp of refusals in ISO 8601.',
    'refunds.envelope.timestamp',
    'errors.envelope',
    everyRefusal((envelope) => ({ ...envelope, timestamp: new Date().toISOString() })),
  ),
  fault(
    'refund-answers-as-text',
    'Says that refund answers are plain text.',
    'general.json',
    'errors.content-type',
    onlyFor(
      isOfRefunds,
      answering((answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } })),
    ),
  ),
  fault(
    'refund-refusals-as-problem',
    'Says that refusals of refund requests are problem documents.',
    'general.json',
    'errors.content-type',
    onlyFor(
      isOfRefunds,
      answering((answer) =>
        answer.status === 200
          ? answer
          : { ...answer, headers: { ...answer.headers, 'content-type': 'application/problem+json' } },
      ),
    ),
  ),
  fault(
    'refund-timestamp-in-seconds',
    'Counts seconds in timestamp.',
    'refunds.envelope.timestamp',
    'errors.timestamp',
    everyAnswer((envelope) => ({ ...envelope, timestamp: Math.floor(Number(envelope.timestamp) / 1000) })),
  ),
  fault(
    'refund-timestamp-of-refusals-zero',
    'Has a timestamp of 0 in refusals.',
    'refunds.envelope.timestamp',
    'errors.timestamp',
    everyRefusal((envelope) => ({ ...envelope, timestamp: 0 })),
  ),
  fault(
    'refund-request-id-empty',
    'Has an empty requestId.',
    'refunds.envelope.request-id',
    'errors.request-id',
    everyAnswer((envelope) => ({ ...envelope, requestId: '' })),
  ),
];

const isInvalid = ({ code }: SeenRefusal) => code === 'INVALID_PARAMETER';
const isLate = ({ code }: SeenRefusal) => code === 'REFUND_PERIOD_EXPIRED';
const isTooMany = ({ status }: SeenRefusal) => status === 429;

/** A server without an end to the refund period of orders. */
const forEver: Make = {
  parts: storing((records) => ({
    lockOrder: async (merchantId, orderId) => {
      const order = await records.lockOrder(merchantId, orderId);
      return order?.status === 'SUCCEEDED' ? { ...order, paidAt: Date.now() + 10 ** 12 } : order;
    },
  })),
};

/** A server whose count of the milliseconds since a payment begins again after so many. */
const beginningAgainEvery = (milliseconds: number): Make => ({
  parts: storing((records) => ({
    lockOrder: async (merchantId, orderId) => {
      const [order, merchant] = [await records.lockOrder(merchantId, orderId), await records.findMerchant(merchantId)];
      if (!order?.paidAt || !merchant) return order;
      const now = businessTime(merchant, Date.now());
      return { ...order, paidAt: now - ((now - order.paidAt) % milliseconds) };
    },
  })),
});

const codes: readonly Fault[] = [
  fault(
    'invalid-refund-as-422',
    'Refuses refund requests that break a rule with HTTP 422.',
    'refunds.errors.invalid-parameter',
    'errors.invalid-parameter',
    refusingRefunds(isInvalid, withStatus(422)),
  ),
  fault(
    'invalid-refund-as-200',
    'Refuses refund requests that break a rule with HTTP 200.',
    'refunds.errors.invalid-parameter',
    'errors.invalid-parameter',
    refusingRefunds(isInvalid, withStatus(200)),
  ),
  fault(
    'refund-without-reason-accepted',
    'Accepts refund requests without a reason.',
    'refunds.create.required-fields',
    'errors.invalid-parameter',
    acceptingRefunds((_, request) => bodyOf(request)?.refundReason === undefined),
  ),
  fault(
    'invalid-refund-kept',
    'Refuses refund requests that break a rule, and shows their record.',
    'refunds.errors.refused',
    'errors.invalid-parameter',
    keepingRefused(isInvalid),
  ),
  fault(
    'invalid-refund-in-batches',
    'Refuses refund requests that break a rule, and shows them as FAILED in batch queries.',
    'refunds.errors.refused',
    'errors.invalid-parameter',
    keepingRefused(isInvalid, 'batch query'),
  ),
  fault(
    'refunds-of-the-keys-merchant',
    'Serves the merchant of the key, whoever stands in the path of a refund request.',
    'refunds.errors.unknown-merchant',
    'errors.unknown-merchant',
    onlyFor(isOfRefunds, servingTheKeysMerchant),
  ),
  fault(
    'refund-period-ignored',
    'Refunds orders however long ago they were paid.',
    'refunds.errors.period-expired',
    'errors.period-expired',
    forEver,
  ),
  fault(
    'refund-period-counted-in-32-bits',
    'Counts the milliseconds since a payment in 32 bits.',
    'refunds.errors.period-expired',
    'errors.period-expired',
    beginningAgainEvery(2 ** 32),
  ),
  fault(
    'refund-period-other-code',
    'Answers a late refund with ORDER_NOT_REFUNDABLE.',
    'refunds.errors.period-expired',
    'errors.period-expired',
    refusingRefunds(isLate, withCode('ORDER_NOT_REFUNDABLE')),
  ),
  fault(
    'refund-period-as-410',
    'Answers a late refund with HTTP 410.',
    'refunds.errors.business',
    'errors.period-expired',
    refusingRefunds(isLate, withStatus(410)),
  ),
  fault(
    'late-refund-kept',
    'Refuses a late refund, and shows its record.',
    'refunds.errors.refused',
    'errors.period-expired',
    keepingRefused(isLate),
  ),
  fault(
    'rate-limit-as-503',
    'Answers too many refund requests with HTTP 503.',
    'refunds.errors.rate-limit',
    'query.rate-limit',
    refusingRefunds(isTooMany, withStatus(503)),
  ),
  fault(
    'rate-limit-as-400',
    'Takes one refund request too many for a wrong one.',
    'refunds.errors.rate-limit',
    'query.rate-limit',
    refusingRefunds(isTooMany, withStatus(400)),
  ),
  fault(
    'rate-limit-without-details',
    'Says that there were too many requests in an envelope without details.',
    'refunds.envelope.failure',
    'query.rate-limit',
    refusingRefunds(isTooMany, (answer) => ({
      ...answer,
      body: Buffer.from(JSON.stringify(without('details')(bodyOf(answer) ?? {}))),
    })),
  ),
];

type Move = { from: 'SUCCEEDED' | 'FAILED' | 'CLOSED'; event: 'processing_started'; to: 'PROCESSING' | 'PENDING' };

/** A server with one more transition of refunds. */
const adding = (move: Move): Make => ({
  parts: (parts) => {
    const { refunds } = parts.states;
    const changed = { ...refunds, transitions: [...refunds.transitions, move] };
    return { ...parts, states: { ...parts.states, refunds: changed }, validateResponses: false };
  },
});

const finals: readonly Fault[] = (['SUCCEEDED', 'FAILED', 'CLOSED'] as const).map((from) => {
  const name = from.toLowerCase();
  return fault(
    `${name}-refund-taken-up`,
    `Takes refunds that are ${from} up again.`,
    'refunds.states.final',
    `state.${name}-is-final`,
    adding({ from, event: 'processing_started', to: 'PROCESSING' }),
  );
});

/** Accepts a refund that it has refused for a business reason when the same request comes again. */
function acceptingAgain(): Handler {
  const seen = new Set<string>();
  return acceptingRefunds(({ status }, { body }) => {
    const text = body.toString();
    const isKnown = seen.has(text);
    if (status === 400) seen.add(text);
    return isKnown;
  });
}

const takenAgain: readonly Fault[] = (
  [
    [
      'uncovered',
      'that the balance does not cover',
      'refunds.errors.insufficient-balance',
      'errors.insufficient-balance',
    ],
    ['unpaid', 'of an order that is not paid', 'refunds.create.completed-payments', 'create.unpaid-order.init'],
  ] as const
).map(([name, words, breaks, caughtBy]) =>
  fault(
    `refused-refund-${name}-taken-again`,
    `Takes a refund ${words}, which it has refused, when it is sent again.`,
    breaks,
    caughtBy,
    acceptingAgain(),
  ),
);

/** Wrong servers that refuse refund requests incorrectly, or whose refunds never end. */
export const refundErrorFaults: readonly Fault[] = [...envelopes, ...codes, ...finals, ...takenAgain];
