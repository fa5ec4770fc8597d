import type { RequestHandler } from 'express';
import { contextOf } from '../http/request-context.ts';
import type { SendResult } from '../services/delivery/deliver.ts';

/** A request that has been answered. It holds no credential. */
export interface AnsweredRequest {
  requestId: string;
  method: string;
  /** Without the query; the end of a very long one is cut off. */
  path: string;
  /** `orders`, `refunds`, `checkout` or `control`; `undefined` for any other path. */
  area: string | undefined;
  /** The operation's short name; `undefined` where the request is for none. */
  operation: string | undefined;
  merchantId: string | undefined;
  /** `undefined`: the client was gone before the answer. */
  status: number | undefined;
  /** The code in the answer's envelope, where it has one. */
  code: string | undefined;
  /** From the request's headers to the end of the answer, in milliseconds. */
  durationMs: number;
}

/** Hears what the server does. */
export interface Observer {
  requestAnswered(request: AnsweredRequest): void;
  webhookAttempted(result: SendResult): void;
}

const longestPath = 512;

/** Reports every request that has a context when its answer has ended. */
export function observeRequests(answered: Observer['requestAnswered']): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    const context = contextOf(request);
    response.once('close', () => {
      const { requestId, path, route, code } = context;
      answered({
        requestId,
        method: request.method,
        path: path.slice(0, longestPath),
        area: route.area,
        operation: route.operation?.name,
        merchantId: route.parameters.merchantId,
        status: response.headersSent ? response.statusCode : undefined,
        code,
        durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
      });
    });
    next();
  };
}
