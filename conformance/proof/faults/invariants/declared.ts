import type { RequirementId } from '../../../../generated/catalogue.ts';
import { errorCode } from '../../../contract/error-codes.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { OperationArea } from '../../../contract/operations.ts';
import { successCode } from '../../../contract/success-code.ts';
import {
  answering,
  answeringJson,
  bodyOf,
  changing,
  isAuthFailure,
  isHosted,
  isOf,
  onlyFor,
  refusing,
  showingEach,
} from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import type { Handler, ProxyRequest } from '../../stand/proxy.ts';
import { isOfRefunds, showsRefunds, withStatus } from '../../stand/refund-changes.ts';
import { feeds, idOf } from './feeds.ts';

/** A mistake that a server makes in the successes or refusals of one operation. */
interface Wrong {
  /** The last word of the rule's id. */
  rule: string;
  /** The last word of the fault's id. */
  id: string;
  title: string;
  breaks: RequirementId | Readonly<Record<OperationArea, RequirementId>>;
  /** The answers in which the mistake shows. It takes both to see it where one of them is compared with the other. */
  shows: 'success' | 'refusal' | 'both';
  handler: Handler;
  applies?: (operation: string) => boolean;
  /** The requests that the server answers wrongly. Default: the requests of the operation. */
  on?: (request: ProxyRequest) => boolean;
}

const isOrders = (operation: string) => operation.startsWith('orders.');
const isRefunds = (operation: string) => operation.startsWith('refunds.');

const succeeding = (change: (envelope: JsonObject) => JsonObject): Handler =>
  answeringJson((envelope) => (envelope.code === successCode ? change(envelope) : envelope));

/** What the reference server says of a success. */
const successMessage = 'Success';

const inSeconds = (envelope: JsonObject): JsonObject => ({
  ...envelope,
  timestamp: Math.floor(Number(envelope.timestamp) / 1000),
});

const failure = {
  orders: 'orders.envelope.failure',
  checkout: 'checkout.envelope.failure',
  refunds: 'refunds.envelope.failure',
} as const;
const success = {
  orders: 'orders.envelope.success',
  checkout: 'checkout.envelope.success',
  refunds: 'refunds.envelope.success',
} as const;

const wrongs: readonly Wrong[] = [
  {
    rule: 'json',
    id: 'as-text',
    title: 'says that its answers are plain text',
    breaks: 'general.json',
    shows: 'success',
    handler: answering((answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } })),
  },
  {
    rule: 'success',
    id: 'without-message',
    title: 'has a message in refusals only',
    breaks: success,
    shows: 'success',
    handler: succeeding(({ message: _left, ...envelope }) => envelope),
    applies: (operation) => operation !== 'refunds.batch-query',
  },
  {
    rule: 'success',
    id: 'without-message',
    title: 'has a message in refusals only',
    breaks: 'refunds.envelope.batch',
    shows: 'success',
    handler: succeeding(({ message: _left, ...envelope }) => envelope),
    applies: (operation) => operation === 'refunds.batch-query',
  },
  {
    rule: 'success',
    id: 'standard-message-empty',
    title: 'has empty text as standardResponseMessage',
    breaks: 'orders.view.standard-response',
    shows: 'success',
    handler: succeeding((envelope) =>
      isObject(envelope.data) ? { ...envelope, data: { ...envelope.data, standardResponseMessage: '' } } : envelope,
    ),
    applies: isOrders,
  },
  {
    rule: 'refusal',
    id: 'message-null',
    title: 'has a null message in refusals',
    breaks: failure,
    shows: 'refusal',
    handler: refusing((envelope) => ({ ...envelope, message: null })),
  },
  {
    rule: 'refusal',
    id: 'problem-document',
    title: 'refuses with a problem document instead of the envelope',
    breaks: failure,
    shows: 'refusal',
    handler: refusing(({ message }) => ({ type: 'about:blank', title: message, status: 400 })),
  },
  {
    rule: 'refusal',
    id: 'empty-code',
    title: 'refuses with an empty code',
    breaks: failure,
    shows: 'refusal',
    handler: refusing((envelope) => ({ ...envelope, code: '' })),
  },
  {
    rule: 'status',
    id: 'status-by-kind',
    title: 'refuses with HTTP 422',
    breaks: 'orders.http-200',
    shows: 'refusal',
    handler: answering((answer) => (bodyOf(answer)?.code === successCode ? answer : withStatus(422)(answer))),
    applies: isOrders,
  },
  {
    rule: 'status',
    id: 'refused-with-200',
    title: 'refuses with HTTP 200',
    breaks: 'refunds.errors.success-status',
    shows: 'refusal',
    handler: answering(withStatus(200)),
    applies: isRefunds,
  },
  {
    rule: 'standard-response',
    id: 'standard-code-as-word',
    title: 'has a word for the code as standardResponseCode',
    breaks: 'orders.view.standard-response',
    shows: 'refusal',
    handler: answeringJson((envelope) =>
      isObject(envelope.data) ? { ...envelope, data: { ...envelope.data, standardResponseCode: 'ERROR' } } : envelope,
    ),
    applies: isOrders,
  },
  {
    rule: 'standard-response',
    id: 'standard-message-of-success',
    title: 'says in refusals what the code of a success means',
    breaks: 'orders.view.standard-response',
    shows: 'both',
    handler: refusing((envelope) =>
      isObject(envelope.data)
        ? { ...envelope, data: { ...envelope.data, standardResponseMessage: successMessage } }
        : envelope,
    ),
    applies: isOrders,
  },
  {
    rule: 'request-id',
    id: 'request-id-constant',
    title: 'has the same requestId as in every other answer',
    breaks: 'refunds.envelope.request-id-unique',
    shows: 'refusal',
    handler: answeringJson((envelope) => ({ ...envelope, requestId: 'req-1' })),
    applies: isRefunds,
    on: isOfRefunds,
  },
  {
    rule: 'refusal',
    id: 'request-id-empty',
    title: 'has an empty requestId in refusals',
    breaks: 'refunds.envelope.request-id',
    shows: 'refusal',
    handler: refusing((envelope) => ({ ...envelope, requestId: '' })),
    applies: isRefunds,
  },
  {
    rule: 'timestamp',
    id: 'timestamp-in-seconds',
    title: 'counts seconds in the timestamp of successes',
    breaks: 'refunds.envelope.timestamp',
    shows: 'success',
    handler: succeeding(inSeconds),
    applies: isRefunds,
  },
];

/** A hosted refusal says its code where it is to say what the code means. */
const withoutWords: Fault = {
  id: 'standard-message-is-the-code',
  title: 'Has the code as standardResponseMessage of a hosted order that is refused.',
  breaks: 'orders.view.standard-response',
  caughtBy: 'orders.create.declared.standard-response',
  feeds: ['auth.orders.create.too-old'],
  make: {
    merchantApi: onlyFor(
      isOf('orders.create'),
      answeringJson((envelope) =>
        isObject(envelope.data)
          ? { ...envelope, data: { ...envelope.data, standardResponseMessage: envelope.code } }
          : envelope,
      ),
    ),
  },
};

/** A hosted refusal for a timestamp says in its data that the key was wrong. */
const ofStandardCodes: readonly Fault[] = ['orders.create', 'orders.query'].map((operation) => ({
  id: `${idOf(operation)}-standard-code-of-another-refusal`,
  title: `Has the code of a wrong key as standardResponseCode where a timestamp is wrong in ${operation}.`,
  breaks: 'orders.view.standard-response',
  caughtBy: `${operation}.declared.standard-response`,
  feeds: [`auth.${operation}.too-old`],
  make: {
    merchantApi: onlyFor(
      isOf(operation),
      answeringJson((envelope) =>
        envelope.code === errorCode('orders', 'TIMESTAMP_EXPIRED') && isObject(envelope.data)
          ? { ...envelope, data: { ...envelope.data, standardResponseCode: errorCode('orders', 'INVALID_API_KEY') } }
          : envelope,
      ),
    ),
  },
}));

/** Refusals of refund operations that have nothing to do with what was asked for: their HTTP status, and the check that provokes one. */
const causes = [
  { status: 429, words: 'that is one too many', feed: (operation: string) => `${operation}.rate-limit` },
  { status: 401, words: 'without a signature', feed: (operation: string) => `auth.${operation}.unsigned` },
] as const;

/** Envelopes that are wrong in such refusals only. */
const envelopes: readonly (Pick<Wrong, 'rule' | 'id' | 'title'> & {
  breaks: RequirementId;
  change(envelope: JsonObject): JsonObject;
})[] = [
  {
    rule: 'refusal',
    id: 'with-null-data',
    title: 'with data of null',
    breaks: 'refunds.envelope.failure',
    change: (envelope) => ({ ...envelope, data: null }),
  },
  {
    rule: 'timestamp',
    id: 'timestamp-in-seconds',
    title: 'with a timestamp in seconds',
    breaks: 'refunds.envelope.timestamp',
    change: inSeconds,
  },
];

const ofCauses: readonly Fault[] = Object.keys(feeds)
  .filter(isRefunds)
  .flatMap((operation) =>
    causes.flatMap(({ status, words, feed }) =>
      envelopes.map(
        ({ rule, id, title, breaks, change }): Fault => ({
          id: `${idOf(operation)}-${status}-${id}`,
          title: `Refuses a request of ${operation} ${words} ${title}.`,
          breaks,
          caughtBy: `${operation}.declared.${rule}`,
          feeds: [feed(operation)],
          make: {
            merchantApi: onlyFor(
              isOf(operation),
              answering((answer) =>
                answer.status === status
                  ? { ...answer, body: Buffer.from(JSON.stringify(change(bodyOf(answer) ?? {}))) }
                  : answer,
              ),
            ),
          },
        }),
      ),
    ),
  );

const ofOperations: readonly Fault[] = Object.entries(feeds).flatMap(([operation, { area, ...shown }]) =>
  wrongs
    .filter(({ applies = () => true }) => applies(operation))
    .map(({ rule, id, title, breaks, shows, handler, on = isOf(operation) }) => ({
      id: `${idOf(operation)}-${id}`,
      title: `In ${operation} it ${title}.`,
      breaks: typeof breaks === 'string' ? breaks : breaks[area],
      caughtBy: `${operation}.declared.${rule}`,
      feeds: shows === 'both' ? [shown.success, shown.refusal] : [shown[shows]],
      make: { merchantApi: onlyFor(on, handler) },
    })),
);

/** Counts and bounds that a server shows below 0: where, in which check's exchanges, and what it breaks. */
const negative: readonly [operation: string, path: string, rule: string, feed: string, breaks: RequirementId][] = [
  [
    'orders.query',
    'cryptoPaymentDetail.blockNumber',
    'declared.success',
    'orders.view.succeeded',
    'orders.view.payment-detail',
  ],
  [
    'orders.query',
    'cryptoPaymentDetail.confirmations',
    'declared.success',
    'orders.view.succeeded',
    'orders.view.payment-detail',
  ],
  [
    'checkout.query',
    'cryptoPaymentDetail.requiredConfirmations',
    'declared.success',
    'checkout.situations.paid',
    'checkout.view.payment-detail',
  ],
  [
    'checkout.payment-methods',
    'paymentMethods.*.estimatedConfirmationTimeSec',
    'declared.success',
    'checkout.payment-methods.list',
    'checkout.payment-methods.fields',
  ],
  [
    'checkout.payment-methods',
    'paymentMethods.*.minAmount',
    'money.form',
    'checkout.payment-methods.list',
    'checkout.payment-methods.bounds',
  ],
];

const belowZero: readonly Fault[] = negative.map(([operation, path, rule, feed, breaks]) => {
  const field = path.split('.').at(-1) ?? '';
  return {
    id: `${idOf(operation)}-${field.toLowerCase()}-below-zero`,
    title: `Shows -1 as ${field} in ${operation}.`,
    breaks,
    caughtBy: `${operation}.${rule}`,
    feeds: [feed],
    make: {
      merchantApi: showingEach(
        operation,
        changing(path, () => -1),
      ),
    },
  };
});

/** Wrong servers that the invariant `declared` must find, and the form of amounts by the same schemas. */
export const declaredFaults: readonly Fault[] = [
  ...ofOperations,
  ...ofCauses,
  ...ofStandardCodes,
  withoutWords,
  ...belowZero,
  {
    id: 'hosted-query-miss-by-escaped-id-as-404',
    title: 'Answers a query for a hosted order that does not exist with HTTP 404 where its id is written with escapes.',
    breaks: 'orders.http-200',
    caughtBy: 'orders.query.declared.status',
    feeds: ['orders.query.impossible-id'],
    make: {
      merchantApi: onlyFor(
        (request) => isOf('orders.query')(request) && request.target.includes('%'),
        answering((answer) => (bodyOf(answer)?.code === '40001' ? withStatus(404)(answer) : answer)),
      ),
    },
  },
  {
    id: 'refund-query-miss-as-400',
    title: 'Answers a query that finds no refund with HTTP 400.',
    breaks: 'refunds.errors.refund-not-found',
    caughtBy: 'refunds.query.declared.status',
    feeds: ['refunds.errors.request-id'],
    make: {
      merchantApi: onlyFor(
        showsRefunds,
        answering((answer) => (answer.status === 404 ? withStatus(400)(answer) : answer)),
      ),
    },
  },
  {
    id: 'refund-business-refusal-as-422',
    title: 'Refuses refunds for reasons of business with HTTP 422.',
    breaks: 'refunds.errors.business',
    caughtBy: 'refunds.create.declared.status',
    feeds: ['refunds.errors.invalid-parameter'],
    make: {
      merchantApi: onlyFor(
        isOfRefunds,
        answering((answer) => (answer.status === 400 ? withStatus(422)(answer) : answer)),
      ),
    },
  },
  {
    id: 'refund-failed-authentication-as-text',
    title: 'Says that refusals of refund operations for their authentication are plain text.',
    breaks: 'general.json',
    caughtBy: 'refunds.query.declared.json',
    feeds: ['auth.refunds.query.unsigned'],
    make: {
      merchantApi: onlyFor(
        isOfRefunds,
        answering((answer) =>
          answer.status === 401 ? { ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } } : answer,
        ),
      ),
    },
  },
  {
    id: 'checkout-code-of-failed-authentication-as-number',
    title: 'Writes the code of a checkout refusal for its authentication as a number.',
    breaks: 'checkout.envelope.failure',
    caughtBy: 'checkout.create.declared.refusal',
    feeds: ['auth.checkout.create.unsigned'],
    make: {
      merchantApi: onlyFor(
        isOf('checkout.create'),
        refusing((envelope) => ({
          ...envelope,
          code: isAuthFailure(envelope.code) ? Number(envelope.code) : envelope.code,
        })),
      ),
    },
  },
  {
    id: 'hosted-refusal-of-no-merchant',
    title: 'Names no merchant, by an empty merchantId, in the refusals of hosted operations.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.create.declared.refusal',
    feeds: ['orders.errors.envelope'],
    make: {
      merchantApi: onlyFor(
        isHosted,
        refusing((envelope) => ({ ...envelope, data: { ...Object(envelope.data), merchantId: '' } })),
      ),
    },
  },
  {
    id: 'hosted-success-with-status-paid',
    title: 'Calls an order PAID that has SUCCEEDED.',
    breaks: 'orders.states.values',
    caughtBy: 'orders.query.declared.success',
    feeds: ['orders.view.succeeded'],
    make: {
      merchantApi: onlyFor(
        isHosted,
        succeeding((envelope) => {
          const data: JsonObject = Object(envelope.data);
          return data.status === 'SUCCEEDED' ? { ...envelope, data: { ...data, status: 'PAID' } } : envelope;
        }),
      ),
    },
  },
];
