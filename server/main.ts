import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { checkoutMachine, constraints, ordersMachine, refundsMachine } from '../generated/catalogue.ts';
import { contract } from '../generated/contract.ts';
import { type AppParts, createApp } from './app.ts';
import type { ServerOptions } from './config.ts';
import { checkoutCreateRules } from './services/checkout-orders.ts';
import { randomIds } from './services/ids.ts';
import { refundCreateRules } from './services/refunds.ts';
import { orderCreateRules } from './services/rules.ts';
import { openStorage } from './storage/open-storage.ts';
import { addressRule } from './webhooks/address-rule.ts';
import { createSender } from './webhooks/sender.ts';

/** A server that accepts requests. */
export interface RunningServer {
  url: string;
  /** The control API's address and token; sandbox mode only. */
  control?: string;
  controlToken?: string;
  /** Ends it: no new requests, those under way are answered, the database is closed. */
  close(): Promise<void>;
}

/** How often the server looks for orders and refunds whose time has come, in milliseconds. */
const dueInterval = 250;

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
    explainSignatures: mode === 'sandbox',
    states: { orders: ordersMachine, checkout: checkoutMachine, refunds: refundsMachine },
    rules: rulesOf(mode),
    storage,
    clock: Date.now,
    ids: randomIds,
    send: createSender(mode),
    publicUrl: options.publicUrl ?? url,
    ...(mode === 'sandbox' ? { control: { token, implementation: options.implementation } } : {}),
    log,
  });
  const app = createApp(parts);
  server.on('request', app.handler);
  const due = repeat(dueInterval, app.moveDue);
  app.deliveries.start();

  return {
    url,
    ...(mode === 'sandbox' ? { control: `${url}/sandbox/v1`, controlToken: token } : {}),
    close: async () => {
      due.stop();
      // Connections that are busy now end with their answer; 0 would keep them.
      server.keepAliveTimeout = 1;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
      await due.ended();
      await app.deliveries.stop();
      await storage.close();
    },
  };
}

/** The rules of this mode: in production a webhook may not be sent to an address inside. */
function rulesOf(mode: ServerOptions['mode']): AppParts['rules'] {
  const addresses = mode === 'production';
  return {
    createOrder: [...orderCreateRules, ...(addresses ? [addressRule('callbackUrl', 'orders.create.url-forms')] : [])],
    createCheckoutOrder: [
      ...checkoutCreateRules,
      ...(addresses ? [addressRule('callbackUrl', 'checkout.create.callback-url.form')] : []),
    ],
    createRefund: [
      ...refundCreateRules,
      ...(addresses ? [addressRule('notifyUrl', 'refunds.create.notify-url.form')] : []),
    ],
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
        .catch((error: unknown) => log('moving what is due failed; it is tried again', error))
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
