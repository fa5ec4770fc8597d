import type { AppParts } from '../../../server/app.ts';
import { startServer } from '../../../server/main.ts';
import type { Credentials } from '../../drivers/driver.ts';

/** The reference server as somebody else's implementation. */
export interface Target {
  url: string;
  /** The control API's address and token. */
  control: string;
  controlToken: string;
  /** Makes a merchant by the control API. */
  newMerchant(): Promise<Credentials>;
  close(): Promise<void>;
}

/** Starts the reference server as somebody else's implementation. `replace` exchanges parts of it. */
export async function startTarget(
  replace?: (parts: AppParts) => AppParts,
  options: { controlToken?: string } = {},
): Promise<Target> {
  const server = await startServer(
    {
      host: '127.0.0.1',
      port: 0,
      database: ':memory:',
      mode: 'sandbox',
      implementation: 'other/1',
      // On a busy machine the server would otherwise close connections in which a request waits to be read.
      keepAliveTimeout: 0,
      ...options,
    },
    replace,
  );
  const { url, control = '', controlToken = '', close } = server;
  return {
    url,
    control,
    controlToken,
    close,
    newMerchant: async () => {
      const headers = { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' };
      const answer = await fetch(`${control}/merchants`, { method: 'POST', headers, body: '{}' });
      const credentials: Credentials = JSON.parse(await answer.text());
      return credentials;
    },
  };
}

/** A fault for `startTarget`: closed orders can be paid, so that one check fails. */
export function reopening(parts: AppParts): AppParts {
  const { orders } = parts.states;
  const transition = { from: 'CLOSED', event: 'transaction_detected', to: 'PROCESSING' } as const;
  const transitions = [...orders.transitions, transition];
  return { ...parts, states: { ...parts.states, orders: { ...orders, transitions } } };
}

/** Credentials as the environment gives them to the command. */
export function merchantEnvironment({ merchantId, apiKey, apiSecret }: Credentials): Record<string, string> {
  return { ASSAY_MERCHANT_ID: merchantId, ASSAY_API_KEY: apiKey, ASSAY_API_SECRET: apiSecret };
}
