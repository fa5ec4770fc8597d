import type { RequestHandler } from 'express';
import { contextOf } from './request-context.ts';

/**
 * Takes the condition off requests for an operation. Its answers have no version, and express would answer `If-None-Match: *`
 * with HTTP 304 and no body, which no operation declares. The files of the checkout page have versions and keep their conditions.
 */
export function unconditional(): RequestHandler {
  return (request, _response, next) => {
    if (contextOf(request).route.area !== undefined) delete request.headers['if-none-match'];
    next();
  };
}
