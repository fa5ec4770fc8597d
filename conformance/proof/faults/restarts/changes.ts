import { isObject, type JsonObject } from '../../../contract/json.ts';
import { bodyOf, merchantIdOf } from '../../stand/changes.ts';
import type { Make } from '../../stand/fault.ts';
import { type Handler, type ProxyAnswer, type ProxyRequest, signed } from '../../stand/proxy.ts';
import { noticingRestarts } from '../../stand/restart-changes.ts';

/** How long a server keeps in memory what it has acknowledged, in milliseconds. */
export const writtenAfter = 200;

/** The id of its own that a create gives what it makes; undefined in every other request. */
export const idIn = (request: ProxyRequest): string | undefined => {
  const { merchantOrderId, merchantRefundOrderId } = bodyOf(request) ?? {};
  const id = merchantRefundOrderId ?? merchantOrderId;
  return request.method === 'POST' && typeof id === 'string' ? id : undefined;
};

/** The request about the record under another id. */
export function renamed(
  request: ProxyRequest,
  server: Parameters<Handler>[1],
  id: string,
  other: string,
): ProxyRequest {
  const merchant = server.merchant(merchantIdOf(request));
  const body = Buffer.from(request.body.toString('utf8').replaceAll(id, other));
  const moved = { ...request, target: request.target.replaceAll(id, other), body };
  return merchant ? signed(moved, merchant) : moved;
}

/**
 * A server that shows records as `handler` does when it has started again and reads them. A create shows what it has made rightly, even then.
 * `before` handles everything else.
 */
export function showingAfterStart(
  handler: Handler,
  before: Handler = (request, server) => server.forward(request),
): Make {
  let hasStartedAgain = false;
  return {
    restarts: true,
    control: noticingRestarts(() => {
      hasStartedAgain = true;
    }),
    merchantApi: (request, server) => (hasStartedAgain && request.method === 'GET' ? handler : before)(request, server),
  };
}

/** The amount as a store of floating-point numbers gives it back. */
export const asDouble = (amount: unknown): string => String(Number(amount));

/** A text as a column of 255 characters keeps it. */
export const cut = (text: unknown): string => String(text).slice(0, 255);

/** A time as a column keeps it that has whole seconds only. */
export const inWholeSeconds = (time: unknown): string => String(time).replace(/\.\d+/, '');

/** The order or the refund that an answer shows. `undefined`: it shows none. */
export function shownIn({ body }: ProxyAnswer): JsonObject | undefined {
  const data = bodyOf({ body })?.data;
  return isObject(data) ? data : undefined;
}
