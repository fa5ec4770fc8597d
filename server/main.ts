import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import {
  checkoutMachine,
  constraints,
  ordersMachine,
  referenceChoices,
  refundsMachine,
} from '../generated/catalogue.ts';
import { contract } from '../generated/contract.ts';
import { type AppParts, controlBase, createApp } from './app.ts';
import type { ServerOptions } from './options.ts';
import { limitedServer, serverLimits } from './runtime/limited-server.ts';
import { listen } from './runtime/listen.ts';
import { type FailureLog, failureLog, silentLogger } from './runtime/logger.ts';
import { preparedPrototypes } from './runtime/prepared-prototypes.ts';
import { startMessage } from './runtime/start-message.ts';
import { merchantService, type SeedMerchant } from './services/control/merchants.ts';
import { randomIds } from './services/ids.ts';
import { checkoutCreateRules } from './services/orders/checkout-orders.ts';
import { refundCreateRules } from './services/orders/refunds.ts';
import { orderCreateRules } from './services/orders/rules.ts';
import type { Clock, Storage } from './services/ports.ts';
import { openStorage } from './storage/open-storage.ts';
import { severable } from './storage/severable.ts';
import { createGuard } from './webhooks/address-guard.ts';
import { addressRule } from './webhooks/address-rule.ts';
import { createSender } from './webhooks/sender.ts';

/** A server that accepts requests. */
export interface RunningServer {
  url: string;
  /** The control API's address and token; sandbox mode only. */
  control?: string;
  controlToken?: string;
  /** Accepts no more requests, finishes the requests and webhooks under way, and closes the database. */
  close(): Promise<void>;
}

/** How often the server looks for orders and refunds that are due, in milliseconds. */
const dueInterval = 250;

/** For how long a server that restarts in its process is away, in milliseconds. */
const absence = 20;

/**
 * Starts the reference server; resolves once it accepts requests. `replace` exchanges parts of it, for tests and for the
 * proof of the conformance checks.
 */
export async function startServer(
  options: ServerOptions,
  replace: (parts: AppParts) => AppParts = (parts) => parts,
): Promise<RunningServer> {
  const { host, port, mode, metricsPort, seed = [], logger = silentLogger } = options;
  const { keepAliveTimeout = serverLimits.keepAliveTimeout } = options;
  const log = failureLog(logger);
  const token = controlTokenOf(options);
  const closing: (() => Promise<void>)[] = [];
  // Parts end in the reverse order of their start.
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const storage = await openStorage(options.database, options.encryptionKeys);
    closing.push(storage.close);
    await provision(storage, seed, mode);
    const metrics =
      metricsPort === undefined ? undefined : await startMetrics(host, metricsPort, { storage, clock: Date.now, log });
    if (metrics) closing.push(metrics.close);

    const { prepareFor, ...classes } = preparedPrototypes();
    const server = limitedServer({ ...serverLimits, keepAliveTimeout }, classes);
    const { url, close: closeServer } = await listen(server, host, port);
    let life: Life | undefined;
    closing.push(async () => {
      // Requests end before the work that they may begin.
      await closeServer();
      await life?.end();
    });
    const restart = options.restart === 'in-process' ? () => dieAndLiveAgain() : options.restart;
    const partsOn = (store: Storage) =>
      replace({
        contract,
        constraints,
        validateResponses: mode === 'sandbox',
        explainSignatures: mode === 'sandbox',
        simulates: mode === 'sandbox',
        states: { orders: ordersMachine, checkout: checkoutMachine, refunds: refundsMachine },
        choices: options.choices ?? referenceChoices,
        rules: rulesOf(mode),
        storage: store,
        clock: Date.now,
        ids: randomIds,
        send: createSender(mode),
        publicUrl: options.publicUrl ?? url,
        ...(mode === 'sandbox' && {
          control: { token, implementation: options.implementation, ...(restart && { restart }) },
        }),
        log,
        observer: {
          requestAnswered: (request) => {
            logger.info(request, 'request');
            metrics?.requestAnswered(request);
          },
          webhookAttempted: (result) => metrics?.webhookAttempted(result),
        },
      });
    const live = (): AppParts => {
      const store = options.restart === 'in-process' ? severable(storage) : { storage, sever: () => {} };
      const parts = partsOn(store.storage);
      const app = createApp(parts);
      prepareFor(app.handler);
      life = beginLife(server, app, parts.log, store.sever);
      return parts;
    };
    let returning: NodeJS.Timeout | undefined;
    closing.push(async () => clearTimeout(returning));
    function dieAndLiveAgain(): void {
      life?.die();
      // As while a process starts, nobody gets an answer for a moment. Whoever asked for the restart sees that it has begun.
      const breakOff = ({ socket }: IncomingMessage) => socket.destroy();
      server.on('request', breakOff);
      returning = setTimeout(() => {
        server.off('request', breakOff);
        live();
      }, absence);
    }
    const { choices } = live();

    const { fields, message } = startMessage(options, {
      url,
      ...(metrics && { metrics: metrics.url }),
      choices,
    });
    logger.info(fields, message);
    return {
      url,
      ...(mode === 'sandbox' ? { control: `${url}${controlBase}`, controlToken: token } : {}),
      close: async () => {
        logger.info({}, 'stopping');
        await close();
        logger.info({}, 'stopped');
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The work of a server from its start to its end. */
interface Life {
  /** Finishes the work under way. */
  end(): Promise<void>;
  /** Breaks off everything at once, as a kill of the process would. */
  die(): void;
}

/** Assembles the server and lets it work. `sever`: cuts its storage off. */
function beginLife(server: Server, app: ReturnType<typeof createApp>, log: AppParts['log'], sever: () => void): Life {
  server.on('request', app.handler);
  const due = repeat(dueInterval, app.moveDue, log);
  app.deliveries.start();
  const end = async () => {
    await due.stop();
    await app.deliveries.stop();
  };
  return {
    end,
    die: () => {
      sever();
      server.off('request', app.handler);
      server.closeAllConnections();
      // What it still tries fails, because it has no storage any more.
      end().catch((error: unknown) => log('ending failed', error));
    },
  };
}

/** The fewest characters of a control token, which must be too long to be guessed. */
const shortestToken = 16;

/** The token of the control API; a new one unless one is given. Throws for a short one. */
function controlTokenOf({ mode, controlToken }: ServerOptions): string {
  const token = controlToken ?? randomBytes(24).toString('base64url');
  if (mode === 'production' || token.length >= shortestToken) return token;
  throw new Error(`the control token must have at least ${shortestToken} characters; leave it out to get a new one`);
}

/** Serves metrics on a port of their own. Their modules are loaded only here. */
async function startMetrics(host: string, port: number, parts: { storage: Storage; clock: Clock; log: FailureLog }) {
  const { createMetrics, metricsServer } = await import('./runtime/metrics.ts');
  const metrics = createMetrics(parts);
  const { url, close } = await listen(metricsServer(metrics, parts.log), host, port);
  return { ...metrics, url: `${url}/metrics`, close };
}

/** Creates the merchants of the seed configuration. */
async function provision(storage: Storage, seed: readonly SeedMerchant[], mode: ServerOptions['mode']): Promise<void> {
  const simulated = seed.find(({ settings }) => settings.automatic);
  if (mode === 'production' && simulated) {
    throw new Error(`merchant ${simulated.merchantId} cannot be automatic: production mode has no simulation`);
  }
  await merchantService({ storage, clock: Date.now, ids: randomIds }).seed(seed);
}

/** The rules of this mode. The URL of a webhook must be one to which this mode delivers. */
function rulesOf(mode: ServerOptions['mode']): AppParts['rules'] {
  const guard = createGuard(mode);
  return {
    createOrder: [...orderCreateRules, addressRule('callbackUrl', 'orders.create.url-forms', guard)],
    createCheckoutOrder: [
      ...checkoutCreateRules,
      addressRule('callbackUrl', 'checkout.create.callback-url.form', guard),
    ],
    createRefund: [...refundCreateRules, addressRule('notifyUrl', 'refunds.create.notify-url.form', guard)],
  };
}

/** Does `work` at once and repeats it, each time `interval` milliseconds after the last run has ended. */
function repeat(interval: number, work: () => Promise<unknown>, log: FailureLog) {
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer = schedule(0);
  function schedule(pause: number): NodeJS.Timeout {
    return setTimeout(() => {
      running = work()
        .catch((error: unknown) => log('moving what is due failed; it is tried again', error))
        .finally(() => {
          if (!stopped) timer = schedule(interval);
        });
    }, pause).unref();
  }
  return {
    /** Starts no further run, and resolves when the present one has ended. */
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
