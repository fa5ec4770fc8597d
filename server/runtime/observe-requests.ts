import { randomUUID } from 'node:crypto';
import type { Express } from 'express';
import type { Place } from '../http/operation-index.ts';
import type { SendResult } from '../services/deliver.ts';
import { splitTarget } from '../signing/request-target.ts';

/** A request that has been dealt with. Nothing in it is a credential. */
export interface AnsweredRequest extends Place {
  requestId: string;
  method: string;
  /** Without the query; the end of a very long one is cut off. */
  path: string;
  /** `undefined`: the client was gone before the answer. */
  status: number | undefined;
  /** The code in the answer's envelope, where it has one. */
  code: string | undefined;
  /** From the request's headers to the end of the answer, in milliseconds. */
  durationMs: number;
}

/** Is told what the server does. */
export interface Observer {
  requestAnswered(request: AnsweredRequest): void;
  webhookAttempted(result: SendResult): void;
}

/** An id of the client's own that can stand in a log as it is. */
const plainId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const longestPath = 512;

/**
 * Gives every request of `app` an id, the one in X-Request-Id where that is short and plain, and answers with it in
 * X-Request-Id; it is in `response.locals.requestId` for whoever comes after. Reports every request when its answer has ended.
 */
export function observeRequests(
  app: Express,
  place: (method: string, path: string) => Place,
  answered: Observer['requestAnswered'],
): void {
  const sendJson = app.response.json;
  app.response.json = function json(body) {
    this.locals.code = codeOf(body);
    return sendJson.call(this, body);
  };
  app.use((request, response, next) => {
    const startedAt = performance.now();
    const presented = request.headers['x-request-id'];
    const requestId = typeof presented === 'string' && plainId.test(presented) ? presented : randomUUID();
    response.locals.requestId = requestId;
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const { method } = request;
      const { path } = splitTarget(request.originalUrl);
      const { area, operation, merchantId } = place(method, path);
      answered({
        requestId,
        method,
        path: path.slice(0, longestPath),
        area,
        operation,
        merchantId,
        status: response.headersSent ? response.statusCode : undefined,
        code: response.locals.code,
        durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
      });
    });
    next();
  });
}

function codeOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('code' in body)) return undefined;
  return typeof body.code === 'string' ? body.code : undefined;
}
