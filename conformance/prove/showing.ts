import { isDeepStrictEqual } from 'node:util';
import type { Make, WebhookHandler } from '../proof/stand/fault.ts';
import type { Handler, ProxyAnswer, ProxyRequest } from '../proof/stand/proxy.ts';

/** A wrong server, and whether it has been different in any exchange so far. */
export interface Watched {
  make: Make;
  hasShown(): boolean;
}

/** Watches a wrong server. It shows where it passes on something else than it received, or nothing, or more than once. */
export function watched(make: Make): Watched {
  let shown = false;

  const watchedHandler =
    (handler: Handler): Handler =>
    async (request, server) => {
      const passed: [sent: ProxyRequest, answer: ProxyAnswer][] = [];
      const given = await handler(request, {
        ...server,
        forward: async (sent) => {
          shown ||= !isDeepStrictEqual(sent, request);
          const answer = await server.forward(sent);
          passed.push([sent, answer]);
          return answer;
        },
      });
      shown ||= !isDeepStrictEqual(passed, [[request, given]]);
      return given;
    };

  const watchedSender = (makeSender: () => WebhookHandler) => (): WebhookHandler => {
    const handle = makeSender();
    return async (webhook, send) => {
      const passed: unknown[] = [];
      const given = await handle(webhook, async (sent) => {
        // A check may judge what it received before the server is done.
        shown ||= !isDeepStrictEqual(sent, webhook);
        const result = await send(sent);
        passed.push([sent, result]);
        return result;
      });
      shown ||= !isDeepStrictEqual(passed, [[webhook, given]]);
      return given;
    };
  };

  const { merchantApi, control, webhooks } = make;
  return {
    make: {
      ...make,
      ...(merchantApi && { merchantApi: watchedHandler(merchantApi) }),
      ...(control && { control: watchedHandler(control) }),
      ...(webhooks && { webhooks: watchedSender(webhooks) }),
    },
    hasShown: () => shown,
  };
}
