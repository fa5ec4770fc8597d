import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Express, RequestHandler, Response } from 'express';
import { splitTarget } from '../signing/request-target.ts';
import type { FindRoute, Route } from './route-table.ts';

/** What the server knows of a request from its beginning to the end of its answer. */
export interface RequestContext {
  /** The id in X-Request-Id, of the request where it is short and plain, and of the answer. */
  requestId: string;
  /** The path of the request as it was sent, without the query. */
  path: string;
  route: Route;
  /** The code in the envelope of the answer, once that is sent. */
  code?: string | undefined;
}

const contexts = new WeakMap<IncomingMessage, RequestContext>();

/** An id of the client's own that can stand in a log as it is. */
const plainId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Gives every request its context, and its answer the id of the request in X-Request-Id. Runs before all that uses these. */
export function withContext(findRoute: FindRoute): RequestHandler {
  return (request, response, next) => {
    const presented = request.headers['x-request-id'];
    const requestId = typeof presented === 'string' && plainId.test(presented) ? presented : randomUUID();
    const { path } = splitTarget(request.originalUrl);
    contexts.set(request, { requestId, path, route: findRoute(request.method, path) });
    response.setHeader('X-Request-Id', requestId);
    next();
  };
}

/**
 * Makes all JSON answers of an app in their one form, and notes the code in the envelope. For each answer, express would look
 * for a version, a charset and a type.
 */
export function answerInJson({ response }: Express): void {
  response.json = function json(this: Response, body: unknown) {
    const context = contexts.get(this.req);
    if (context) context.code = codeOf(body) ?? context.code;
    const text = JSON.stringify(body);
    this.setHeader('Content-Type', 'application/json; charset=utf-8');
    this.setHeader('Content-Length', Buffer.byteLength(text));
    this.end(text);
    return this;
  };
}

function codeOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('code' in body)) return undefined;
  return typeof body.code === 'string' ? body.code : undefined;
}

/** The context of a request; throws when `withContext` has not seen the request. */
export function contextOf(request: IncomingMessage): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error('the request has no context: withContext must run first');
  return context;
}
