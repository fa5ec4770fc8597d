import { merchantIdOf } from './changes.ts';
import type { Make } from './fault.ts';
import type { ProxyRequest } from './proxy.ts';

/** The merchant and the key in a request of the control API that revokes a key. */
const revocation = /\/merchants\/([^/]+)\/keys\/[^/]+$/;

/**
 * A server that notes when the key of a merchant is revoked and does not end it. What comes from the merchant afterwards goes to the
 * server as `change` makes it; it is given the milliseconds that have passed.
 */
export function keepingKeys(change: (request: ProxyRequest, since: number, keysSince: number) => ProxyRequest): Make {
  const revokedAt = new Map<string, number>();
  return {
    control: async (request, server) => {
      const merchantId = request.method === 'DELETE' ? revocation.exec(request.target)?.[1] : undefined;
      if (merchantId === undefined) return server.forward(request);
      revokedAt.set(decodeURIComponent(merchantId), Date.now());
      return { status: 204, headers: {}, body: Buffer.alloc(0) };
    },
    merchantApi: (request, server) => {
      const merchantId = merchantIdOf(request);
      const at = revokedAt.get(merchantId);
      if (at === undefined) return server.forward(request);
      const keysSince = revokedAt.size - 1 - [...revokedAt.keys()].indexOf(merchantId);
      return server.forward(change(request, Date.now() - at, keysSince));
    },
  };
}
