import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { constraints, ordersMachine } from '../generated/catalogue.ts';
import { contract } from '../generated/contract.ts';
import { type AppParts, createApp } from './app.ts';
import type { ServerOptions } from './config.ts';
import { moveDueOrders } from './services/due-orders.ts';
import { randomIds } from './services/ids.ts';
import { orderCreateRules } from './services/rules.ts';
import { openStorage } from './storage/open-storage.ts';

/** A server that accepts requests. */
export interface RunningServer {
  url: string;
  /** The control API's address and token; sandbox mode only. */
  control?: string;
  controlToken?: string;
  /** Ends it: no new requests, those under way are answered, the database is closed. */
  close(): Promise<void>;
}

/** How often the server looks for orders whose time has come, in milliseconds. */
const dueOrdersInterval = 250;

/**
 * Starts the reference server; resolves once it accepts requests. `replace` exchanges parts of it, for tests and for the
 * proof of the conformance checks.
 */
export async function startServer(
  options: ServerOptions,
  replace: (parts: AppParts) => AppParts = (parts) => parts,
): Promise<RunningServer> {
  const { host, port, mode } = options;
  const storage = await openStorage(options.database);
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve());
  }).catch(async (error: unknown) => {
    await storage.close();
    throw error;
  });
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`;
  const token = options.controlToken ?? randomBytes(24).toString('base64url');

  const parts = replace({
    contract,
    constraints,
    validateResponses: mode === 'sandbox',
    states: { orders: ordersMachine },
    rules: { createOrder: orderCreateRules },
    storage,
    clock: Date.now,
    ids: randomIds,
    publicUrl: options.publicUrl ?? url,
    ...(mode === 'sandbox' ? { control: { token, implementation: options.implementation } } : {}),
    log,
  });
  server.on('request', createApp(parts));
  const dueOrders = repeat(dueOrdersInterval, () => moveDueOrders({ ...parts, machine: parts.states.orders }));

  return {
    url,
    ...(mode === 'sandbox' ? { control: `${url}/sandbox/v1`, controlToken: token } : {}),
    close: async () => {
      dueOrders.stop();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
      await dueOrders.ended();
      await storage.close();
    },
  };
}

/** Does `work` again and again, never twice at once, `interval` milliseconds after the last time. */
function repeat(interval: number, work: () => Promise<unknown>) {
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer = schedule();
  function schedule(): NodeJS.Timeout {
    return setTimeout(() => {
      running = work()
        .catch((error: unknown) => log('moving due orders failed; it is tried again', error))
        .finally(() => {
          if (!stopped) timer = schedule();
        });
    }, interval).unref();
  }
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
    ended: () => running,
  };
}

function log(message: string, error: unknown): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), message, reason })}\n`);
}
