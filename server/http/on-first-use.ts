import type { RequestHandler } from 'express';

/** A handler that is loaded by the first request for it, so that the server starts sooner. */
export function onFirstUse(load: () => Promise<RequestHandler>): RequestHandler {
  let loading: Promise<RequestHandler> | undefined;
  return async (request, response, next) => {
    loading ??= load();
    const handler = await loading;
    await handler(request, response, next);
  };
}
