import { randomBytes } from 'node:crypto';
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
import { type RestartableWork, restartableWork, startWork } from './runtime/work.ts';
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

/**
 * Starts the reference server; resolves once it accepts requests. `replace` exchanges parts of it, for tests and for the
 * proof of the conformance checks.
 */
export async function startServer(
  options: ServerOptions,
  replace: (parts: AppParts) => AppParts = (parts) => parts,
): Promise<RunningServer> {
  const { host, port, mode, metricsPort, seed = [], logger = silentLogger } = options;
  const { choices = referenceChoices, keepAliveTimeout = serverLimits.keepAliveTimeout } = options;
  const log = failureLog(logger);
  const token = controlTokenOf(options);
  const closing: (() => Promise<void>)[] = [];
  // Parts end in the reverse order of their start.
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    // A sandbox has nobody's money, and a disk takes milliseconds for each commit that a power cut must not undo.
    const durability = mode === 'sandbox' ? 'process-end' : 'power-cut';
    const storage = await openStorage(options.database, options.encryptionKeys, durability);
    closing.push(storage.close);
    await provision(storage, seed, mode);
    const metrics =
      metricsPort === undefined ? undefined : await startMetrics(host, metricsPort, { storage, clock: Date.now, log });
    if (metrics) closing.push(metrics.close);

    const { prepareFor, ...classes } = preparedPrototypes();
    const server = limitedServer({ ...serverLimits, keepAliveTimeout }, classes);
    const { url, close: closeServer } = await listen(server, host, port);
    let work: RestartableWork | undefined;
    closing.push(async () => {
      // Requests end before the work that they may begin.
      await closeServer();
      await work?.finish();
    });
    const restart = options.restart === 'in-process' ? () => work?.restart() : options.restart;
    work = restartableWork(server, () => {
      const { storage: ownStorage, sever } =
        options.restart === 'in-process' ? severable(storage) : { storage, sever: () => {} };
      const parts = replace({
        ...partsOfMode(mode),
        contract,
        constraints,
        states: { orders: ordersMachine, checkout: checkoutMachine, refunds: refundsMachine },
        choices,
        storage: ownStorage,
        clock: Date.now,
        ids: randomIds,
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
      const app = createApp(parts);
      prepareFor(app.handler);
      return startWork(server, app, parts.log, sever);
    });

    const { fields, message } = startMessage(options, { url, ...(metrics && { metrics: metrics.url }), choices });
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

/** The parts in which a sandbox differs from a server in production. */
function partsOfMode(
  mode: ServerOptions['mode'],
): Pick<AppParts, 'validateResponses' | 'explainSignatures' | 'simulates' | 'rules' | 'send'> {
  const isSandbox = mode === 'sandbox';
  return {
    validateResponses: isSandbox,
    explainSignatures: isSandbox,
    simulates: isSandbox,
    rules: rulesOf(mode),
    send: createSender(mode),
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
