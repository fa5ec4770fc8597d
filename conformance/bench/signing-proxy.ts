import { type ServerBehind, signed, startProxy } from '../proof/stand/proxy.ts';
import type { BenchServer } from './server.ts';

/** A proxy in front of the server that signs the requests of its merchant. */
export interface SigningProxy {
  url: string;
  merchantId: string;
  close(): Promise<void>;
}

/** Starts a signing proxy, for tools that cannot sign, and makes its merchant. */
export async function startSigningProxy({ url, controlToken }: BenchServer): Promise<SigningProxy> {
  const authorization = `Bearer ${controlToken}`;
  const proxy = await startProxy(url, {
    merchantApi: (request, server) => server.forward(signed(request, owner(server))),
    control: (request, server) => server.forward({ ...request, headers: { ...request.headers, authorization } }),
  });
  const made = await fetch(`${proxy.url}/sandbox/v1/merchants`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  });
  const merchantId = String(Object(await made.json()).merchantId);
  return { url: proxy.url, merchantId, close: proxy.close };
}

function owner(server: ServerBehind) {
  const [only] = server.merchants();
  if (!only) throw new Error('the proxy has no merchant whose requests it could sign');
  return only;
}
