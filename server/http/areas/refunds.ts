import { type Choices, refundErrorCodes } from '../../../generated/catalogue.ts';
import type { components } from '../../../generated/types.ts';
import type { RefundQuery } from '../../services/orders/refund-query.ts';
import type { RefundService } from '../../services/orders/refunds.ts';
import type { Clock } from '../../services/ports.ts';
import type { RateLimiter } from '../../services/rate-limiter.ts';
import { type CommonRefusalReason, type RefundRefusalReason, Refusal } from '../../services/refusal.ts';
import { isDecodable, type RequestTarget } from '../../signing/request-target.ts';
import { success } from '../../views/envelope.ts';
import type { Views } from '../../views/index.ts';
import { type Area, answerTo } from '../area.ts';
import { operation } from '../operation.ts';

type Schemas = components['schemas'];

type Code = Schemas['RefundErrorCode'];
type Codes = Readonly<Record<CommonRefusalReason | RefundRefusalReason, Code>>;

/** The codes that the contract fixes. */
const named = {
  'refund-not-found': 'REFUND_NOT_FOUND',
  'refund-period-expired': 'REFUND_PERIOD_EXPIRED',
  'insufficient-balance': 'INSUFFICIENT_BALANCE',
} as const;

/** The code of each refusal in refund operations (open point `refund-error-codes`). The catalogue has its HTTP status. */
const codes: Readonly<Record<Choices['refund-error-codes'], Omit<Codes, 'malformed-id'>>> = {
  'by-cause': {
    ...named,
    'invalid-parameter': 'INVALID_PARAMETER',
    'order-not-refundable': 'ORDER_NOT_REFUNDABLE',
    'order-already-refunded': 'ORDER_ALREADY_REFUNDED',
    'idempotency-conflict': 'IDEMPOTENCY_CONFLICT',
    'invalid-signature': 'INVALID_SIGNATURE',
    'timestamp-expired': 'TIMESTAMP_EXPIRED',
    'invalid-api-key': 'INVALID_API_KEY',
    'unknown-merchant': 'INVALID_API_KEY',
    'order-not-found': 'ORDER_NOT_FOUND',
    'rate-limit-exceeded': 'RATE_LIMIT_EXCEEDED',
    'system-error': 'SYSTEM_ERROR',
  },
  'by-status': {
    ...named,
    'invalid-parameter': 'INVALID_PARAMETER',
    'order-not-refundable': 'INVALID_PARAMETER',
    'order-already-refunded': 'INVALID_PARAMETER',
    'idempotency-conflict': 'INVALID_PARAMETER',
    'invalid-signature': 'INVALID_SIGNATURE',
    'timestamp-expired': 'INVALID_SIGNATURE',
    'invalid-api-key': 'INVALID_SIGNATURE',
    'unknown-merchant': 'INVALID_SIGNATURE',
    'order-not-found': 'ORDER_NOT_FOUND',
    'rate-limit-exceeded': 'RATE_LIMIT_EXCEEDED',
    'system-error': 'SYSTEM_ERROR',
  },
};

/** The code for an id that no refund can have (open point `query-malformed-id`). */
const malformedId: Readonly<Record<Choices['query-malformed-id'], Code>> = {
  'not-found': 'REFUND_NOT_FOUND',
  'invalid-parameter': 'INVALID_PARAMETER',
};

/** The refunds area: creating and querying refunds. Every answer has a request id and a timestamp. */
export function refundsArea(parts: {
  refunds: RefundService;
  view: Views['refund'];
  rateLimiter: RateLimiter;
  clock: Clock;
  choices: Choices;
}): Area {
  const { refunds, view, rateLimiter, clock, choices } = parts;
  const answers: Codes = {
    ...codes[choices['refund-error-codes']],
    'malformed-id': malformedId[choices['query-malformed-id']],
  };
  const trace = (requestId: string) => ({ requestId, timestamp: clock() });

  return {
    name: 'refunds',
    apiKey: 'required',
    admit: ({ merchantId, settings }) => rateLimiter.count(merchantId, settings.rateLimit),
    refuse: ({ reason, message, retryAfter }, { requestId }) => {
      const code = answerTo(answers, reason);
      const known = refundErrorCodes.find((each) => each.code === code);
      const body: Schemas['RefundFailure'] = {
        code,
        message: known?.meaning ?? code,
        details: message,
        ...trace(requestId),
      };
      return {
        status: known?.httpStatus ?? 500,
        ...(retryAfter !== undefined && { headers: { 'Retry-After': String(retryAfter) } }),
        body,
      };
    },
    operations: [
      operation('createRefund', async ({ merchant, body, requestId }) => {
        return { ...success, data: view(await refunds.create(merchant, body)), ...trace(requestId) };
      }),
      operation(
        'getRefund',
        async ({ merchant, query, target, requestId }) => {
          expectDecodable(target, query);
          return { ...success, data: view(await refunds.query(merchant, query)), ...trace(requestId) };
        },
        { ignored: besideRefundOrderId },
      ),
      operation('batchQueryRefunds', async ({ merchant, body, requestId }) => {
        const found = await refunds.batchQuery(merchant, body.merchantRefundOrderIds);
        return { ...success, data: found.map(view), ...trace(requestId) };
      }),
    ],
  };
}

/** Everything in a query that does not count: beside a refundOrderId, all the rest (requirement `refunds.query.priority`). */
function besideRefundOrderId(query: object): string[] {
  return 'refundOrderId' in query ? Object.keys(query).filter((name) => name !== 'refundOrderId') : [];
}

const queryIds: readonly (keyof RefundQuery)[] = ['refundOrderId', 'merchantRefundOrderId', 'acquiringOrderId'];

/** Throws a `Refusal` for one of the `ids` whose percent-encoding is broken: the id that was read is not the one that was sent. */
function expectDecodable({ query }: RequestTarget, ids: RefundQuery): void {
  for (const parameter of query?.split('&') ?? []) {
    const [name = ''] = parameter.split('=', 1);
    const counts = queryIds.some((id) => id === name && ids[id] !== undefined);
    if (!counts || isDecodable(parameter)) continue;
    throw new Refusal('malformed-id', `${name}: its percent-encoding is broken; there is no such id`);
  }
}
