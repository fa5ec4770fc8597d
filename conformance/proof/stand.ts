import type { AppParts } from '../../server/app.ts';
import { type RunningServer, startServer } from '../../server/main.ts';
import { createSender } from '../../server/webhooks/sender.ts';
import { makePaidOrder } from '../arrange/refunds/paid-orders.ts';
import type { Check } from '../check/check.ts';
import { createContext } from '../check/context.ts';
import type { MerchantsByRole } from '../check/roles.ts';
import type { Credentials } from '../drivers/driver.ts';
import { withoutSecrets } from '../history/recorder.ts';
import type { History } from '../history/records.ts';
import { type ConformanceResult, runConformance } from '../run/run-conformance.ts';
import { runDefaults } from '../run/run-defaults.ts';
import { runChecks } from '../run/runner.ts';
import { openSession, type SessionOptions } from '../run/session.ts';
import type { CheckResult } from '../run/verdict.ts';
import type { Make } from './stand/fault.ts';
import { credentialsIn, startProxy } from './stand/proxy.ts';

/**
 * How long checks wait for an answer, a change or a webhook of a conforming server, in milliseconds. They come in the end, so
 * a long wait costs nothing, and a busy machine may need it.
 */
export const patience = { settle: runDefaults.settle, webhookWait: runDefaults.webhookWait, timeout: 60_000 };

/** How long conforming servers wait for receivers of webhooks, in milliseconds: less would lose attempts on a busy machine. */
export const patientReceiver = 5000;

/** What checks say of a server, and what happened meanwhile, without secrets. */
export interface Judgement {
  results: CheckResult[];
  history(): History;
}

/** Judges servers that are made for the proof. Waiting times are in milliseconds. */
export interface Stand {
  /** Starts a server, calls `work` with the target that a run needs, and stops the server. */
  against<Result>(make: Make, work: (target: Target) => Promise<Result>): Promise<Result>;
  /** What these checks say of a server; `settle` is how long they wait for a change without a deadline. */
  judge(
    make: Make,
    checks: readonly Check[],
    options?: { concurrency?: number; settle?: number; webhookWait?: number; timeout?: number; seed?: number },
  ): Promise<Judgement>;
  /** A run of these checks against a server, with its report. */
  run(make: Make, checks: readonly Check[]): Promise<ConformanceResult>;
  close(): Promise<void>;
}

/**
 * Opens a stand. Servers that differ only by a handler share one reference server.
 *
 * @param receiverTimeout how long servers wait for a receiver of webhooks, in milliseconds; checks have to wait as long
 */
export async function openStand(receiverTimeout = 1000): Promise<Stand> {
  const startReference = referenceStarter(receiverTimeout);
  const shared = await startReference();

  async function against<Result>(make: Make, work: (target: Target) => Promise<Result>): Promise<Result> {
    const ownParts = make.parts || make.webhooks ? partsOf(make) : undefined;
    const server = ownParts || make.restarts ? await startReference(ownParts, make.restarts) : shared;
    const proxy = make.merchantApi || make.control ? await startProxy(server.url, make) : undefined;
    try {
      const address = proxy?.url ?? server.url;
      const control = { url: `${address}/sandbox/v1`, token: server.controlToken ?? '' };
      const merchants = await configured(control, make.configured ?? []);
      return await work({
        target: `${address}${make.prefix ?? ''}`,
        control: make.configured && !make.control ? undefined : control,
        merchants,
        ...(make.paidOrders !== undefined && { paidOrders: await paid(server, merchants, make.paidOrders) }),
        ...(make.areas && { areas: make.areas }),
        seed: 1,
      });
    } finally {
      // The server is closed even when closing the proxy rejects with an error of a handler.
      await Promise.all([proxy?.close(), server !== shared && server.close()]);
    }
  }

  return {
    against,
    judge: (make, checks, { concurrency = 1, settle = 300, webhookWait = 1500, timeout = 10_000, seed = 1 } = {}) =>
      against(make, async (target) => {
        const session = await openSession({ ...target, concurrency, settle, webhookWait, timeout, seed });
        try {
          const results = await runChecks(session, checks, { bail: false, pins: {} });
          const { run, records } = session.history;
          return { results, history: () => withoutSecrets({ run, records }, session.secrets) };
        } finally {
          await session.close();
        }
      }),
    run: (make, checks) =>
      against(make, (target) =>
        runConformance({
          ...target,
          timeout: 10_000,
          checks,
          concurrency: 16,
          settle: 1000,
          webhookWait: 1500,
        }),
      ),
    close: () => shared.close(),
  };
}

/** The parts of a server of its own: what is inside, and how it sends webhooks. */
function partsOf({ parts: inside = (parts) => parts, webhooks }: Make): (parts: AppParts) => AppParts {
  return (given) => {
    const parts = inside(given);
    const handle = webhooks?.();
    return handle ? { ...parts, send: (webhook) => handle(webhook, parts.send) } : parts;
  };
}

/** The address of a server and what a run has to know about it. */
export type Target = Omit<SessionOptions, 'concurrency' | 'settle' | 'webhookWait' | 'timeout'>;

/** A function that starts reference servers without a log, which would be full of the faults made here. */
function referenceStarter(receiverTimeout: number) {
  const options = {
    host: '127.0.0.1',
    port: 0,
    database: ':memory:',
    mode: 'sandbox',
    implementation: 'proof/1',
    // On a busy machine the server would otherwise close connections in which a request waits to be read.
    keepAliveTimeout: 0,
  } as const;
  const send = createSender('sandbox', { timeout: receiverTimeout });
  // The server does not validate its own answers: the checks must find the wrong ones.
  return (replace: (parts: AppParts) => AppParts = (parts) => parts, restarts?: true): Promise<RunningServer> =>
    startServer({ ...options, ...(restarts && { restart: 'in-process' }) }, (parts) =>
      replace({ ...parts, send, validateResponses: false, log: () => undefined }),
    );
}

/** Makes paid orders of the default merchant, and returns their platform ids. */
async function paid(
  { url, controlToken = '' }: RunningServer,
  merchants: MerchantsByRole,
  count: number,
): Promise<string[]> {
  const control = { url: `${url}/sandbox/v1`, token: controlToken };
  const session = await openSession({ ...patience, target: url, control, merchants, seed: 1, concurrency: 1 });
  try {
    const context = createContext(session, 'fixtures');
    const merchant = await context.merchant();
    const orders = Array.from({ length: count }, () => makePaidOrder(context, merchant));
    return (await Promise.all(orders)).map(({ orderId }) => orderId);
  } finally {
    await session.close();
  }
}

/** Makes the merchants that a configuration names. */
async function configured(
  { url, token }: { url: string; token: string },
  roles: readonly string[],
): Promise<Record<string, Credentials>> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const made = roles.map(async (role): Promise<[string, Credentials]> => {
    const answer = await fetch(`${url}/merchants`, { method: 'POST', headers, body: '{}' });
    return [role, credentialsIn(await answer.json())];
  });
  return Object.fromEntries(await Promise.all(made));
}
