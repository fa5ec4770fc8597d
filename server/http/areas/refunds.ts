import type { Request, Response } from 'express';
import { refundErrorCodes } from '../../../generated/catalogue.ts';
import type { components } from '../../../generated/types.ts';
import type { RefundCreateRequest } from '../../domain/refund.ts';
import type { Clock } from '../../services/ports.ts';
import type { RateLimiter } from '../../services/rate-limiter.ts';
import { refundView } from '../../services/refund-view.ts';
import type { RefundQuery, RefundService } from '../../services/refunds.ts';
import type { CommonRefusalReason, RefundRefusalReason, RefusalReason } from '../../services/refusal.ts';
import { type Area, success } from './area.ts';

type Schemas = components['schemas'];

/** The code of each refusal in refund operations; its HTTP status stands in the catalogue. */
const codes: Record<CommonRefusalReason | RefundRefusalReason, Schemas['RefundErrorCode']> = {
  'invalid-parameter': 'INVALID_PARAMETER',
  'unknown-merchant': 'INVALID_API_KEY',
  'invalid-signature': 'INVALID_SIGNATURE',
  'timestamp-expired': 'TIMESTAMP_EXPIRED',
  'invalid-api-key': 'INVALID_API_KEY',
  'system-error': 'SYSTEM_ERROR',
  'order-not-found': 'ORDER_NOT_FOUND',
  'refund-not-found': 'REFUND_NOT_FOUND',
  'order-not-refundable': 'ORDER_NOT_REFUNDABLE',
  'order-already-refunded': 'ORDER_ALREADY_REFUNDED',
  'refund-period-expired': 'REFUND_PERIOD_EXPIRED',
  'insufficient-balance': 'INSUFFICIENT_BALANCE',
  'idempotency-conflict': 'IDEMPOTENCY_CONFLICT',
  'rate-limit-exceeded': 'RATE_LIMIT_EXCEEDED',
};

/** Refunds: create, query, batch query. Every answer has a request id and a timestamp. */
export function refundsArea(parts: { refunds: RefundService; rateLimiter: RateLimiter; clock: Clock }): Area {
  const { refunds, rateLimiter, clock } = parts;
  const trace = (requestId: string) => ({ requestId, timestamp: clock() });

  return {
    segment: 'refunds',
    apiKey: 'required',
    admit: ({ merchantId, settings }) => rateLimiter.count(merchantId, settings.rateLimit),
    refuse: ({ reason, message, retryAfter }, { requestId }) => {
      const code = codeOf(reason);
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
    addRoutes: (router) => {
      router.post(
        '/api/v1/merchants/:merchantId/refunds',
        async (request: Request<unknown, unknown, RefundCreateRequest>, response: Response) => {
          const data = refundView(await refunds.create(response.locals.merchant, request.body));
          response.json({ ...success, data, ...trace(response.locals.requestId) } satisfies Schemas['RefundSuccess']);
        },
      );
      router.get(
        '/api/v1/merchants/:merchantId/refunds',
        async (request: Request<unknown, unknown, unknown, RefundQuery>, response: Response) => {
          const data = refundView(await refunds.query(response.locals.merchant, request.query));
          response.json({ ...success, data, ...trace(response.locals.requestId) } satisfies Schemas['RefundSuccess']);
        },
      );
      router.post(
        '/api/v1/merchants/:merchantId/refunds/batch-query',
        async (request: Request<unknown, unknown, Schemas['RefundBatchQueryRequest']>, response: Response) => {
          const found = await refunds.batchQuery(response.locals.merchant, request.body.merchantRefundOrderIds);
          const data = found.map(refundView);
          response.json({
            ...success,
            data,
            ...trace(response.locals.requestId),
          } satisfies Schemas['RefundBatchSuccess']);
        },
      );
    },
  };
}

function codeOf(reason: RefusalReason): Schemas['RefundErrorCode'] {
  const known: Partial<Record<RefusalReason, Schemas['RefundErrorCode']>> = codes;
  return known[reason] ?? codes['system-error'];
}
