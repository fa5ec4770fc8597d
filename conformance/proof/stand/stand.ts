import type { AppParts } from '../../../server/app.ts';
import { type RunningServer, startServer } from '../../../server/main.ts';
import { createSender } from '../../../server/webhooks/sender.ts';
import type { Check } from '../../check/check.ts';
import { allChecks } from '../../checks/index.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { type ConformanceResult, runConformance, runDefaults } from '../../run/run-conformance.ts';
import { runChecks } from '../../run/runner.ts';
import { openSession, type SessionOptions } from '../../run/session.ts';
import type { CheckResult } from '../../run/verdict.ts';
import type { Make } from './fault.ts';
import { startProxy } from './proxy.ts';

/**
 * How long checks wait for what a conforming server answers, shows or sends, in milliseconds: nobody waits in vain for that,
 * and a busy machine takes its time.
 */
export const patience = { settle: runDefaults.settle, webhookWait: 20_000, timeout: 60_000 };

/** What conforming servers wait for receivers of webhooks, in milliseconds: less would lose attempts on a busy machine. */
export const patientReceiver = 5000;

/** Judges servers that are made for the proof. Waiting times are in milliseconds. */
export interface Stand {
  /** What these checks say of a server; `settle` is how long they wait for what nothing dates. */
  judge(
    make: Make,
    checks: readonly Check[],
    options?: { concurrency?: number; settle?: number; webhookWait?: number; timeout?: number },
  ): Promise<CheckResult[]>;
  /** A whole run against a server, with its report. */
  run(make: Make): Promise<ConformanceResult>;
  close(): Promise<void>;
}

/**
 * Opens a stand. All servers that differ only by what stands in front of them share one reference server.
 *
 * @param receiverTimeout how long a receiver of webhooks may take, in milliseconds: checks have to wait for it to be over
 */
export async function openStand(receiverTimeout = 1000): Promise<Stand> {
  const startReference = referenceStarter(receiverTimeout);
  const shared = await startReference();

  /** Starts the server, does `work` with what a run needs to know of it, and ends it. */
  async function against<Result>(make: Make, work: (target: Target) => Promise<Result>): Promise<Result> {
    const server = make.parts ? await startReference(make.parts) : shared;
    const proxy = make.merchantApi || make.control ? await startProxy(server.url, make) : undefined;
    try {
      const address = proxy?.url ?? server.url;
      const control = { url: `${address}/sandbox/v1`, token: server.controlToken ?? '' };
      return await work({
        target: `${address}${make.prefix ?? ''}`,
        control: make.configured && !make.control ? undefined : control,
        merchants: await configured(control, make.configured ?? []),
        ...(make.areas && { areas: make.areas }),
        seed: 1,
      });
    } finally {
      // Also when the proxy tells of a fault that failed by itself.
      await Promise.all([proxy?.close(), server !== shared && server.close()]);
    }
  }

  return {
    judge: (make, checks, { concurrency = 1, settle = 300, webhookWait = 1500, timeout = 10_000 } = {}) =>
      against(make, async (target) => {
        const session = await openSession({ ...target, concurrency, settle, webhookWait, timeout });
        try {
          return await runChecks(session, checks, { concurrency, bail: false, pins: {} });
        } finally {
          await session.close();
        }
      }),
    run: (make) =>
      against(make, (target) =>
        runConformance({
          ...target,
          timeout: 10_000,
          checks: allChecks,
          concurrency: 16,
          settle: 1000,
          webhookWait: 1500,
        }),
      ),
    close: () => shared.close(),
  };
}

type Target = Omit<SessionOptions, 'concurrency' | 'settle' | 'webhookWait' | 'timeout'>;

/** Starts reference servers, whose log would tell of faults that are meant. */
function referenceStarter(receiverTimeout: number) {
  const options = {
    host: '127.0.0.1',
    port: 0,
    database: ':memory:',
    mode: 'sandbox',
    implementation: 'proof/1',
  } as const;
  const send = createSender('sandbox', { timeout: receiverTimeout });
  // Without its own validation of answers: that they are wrong is for the checks to find.
  return (replace: (parts: AppParts) => AppParts = (parts) => parts): Promise<RunningServer> =>
    startServer(options, (parts) => replace({ ...parts, send, validateResponses: false, log: () => undefined }));
}

/** Merchants that a configuration would name, made beforehand. */
async function configured(
  { url, token }: { url: string; token: string },
  roles: readonly string[],
): Promise<Record<string, Credentials>> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const made = roles.map(async (role): Promise<[string, Credentials]> => {
    const answer = await fetch(`${url}/merchants`, { method: 'POST', headers, body: '{}' });
    return [role, credentials(await answer.json())];
  });
  return Object.fromEntries(await Promise.all(made));
}

function credentials(answer: unknown): Credentials {
  if (typeof answer !== 'object' || answer === null) throw new Error('the control API made no merchant');
  const [merchantId, apiKey, apiSecret] = ['merchantId', 'apiKey', 'apiSecret'].map((name) =>
    String(Reflect.get(answer, name)),
  );
  if (!merchantId || !apiKey || !apiSecret) throw new Error('the control API made no merchant');
  return { merchantId, apiKey, apiSecret };
}
