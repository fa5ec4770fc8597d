import type { Check } from '../check/check.ts';
import { allChecks } from '../checks/index.ts';
import { currentId } from '../checks/replaced-ids.ts';
import { successCode } from '../contract/success-code.ts';
import type { Credentials } from '../drivers/driver.ts';
import { bodyOf } from '../proof/stand/changes.ts';
import type { Make } from '../proof/stand/fault.ts';
import { controlPrefix, type Forward, forwardOver, startProxy } from '../proof/stand/proxy.ts';
import { applyBaseline, type BaselineEntry } from '../run/baseline.ts';
import { runChecks } from '../run/runner.ts';
import { openSession, type SessionOptions } from '../run/session.ts';
import type { CheckResult, Pins } from '../run/verdict.ts';
import { isLoopback, openConnections } from '../wire/connections.ts';
import { guardLimits, hostOf } from '../wire/limits.ts';
import { placesAtFirst } from '../wire/pace.ts';
import { openWebhookRelay } from './webhook-relay.ts';

/** The settings with which a team judges its target. */
export interface GateOptions {
  target: Omit<SessionOptions, 'seed' | 'concurrency'>;
  baseline: readonly BaselineEntry[];
  pins: Pins;
  seed: number;
  /** Ends everything when it is aborted. Its `reason` is the reason as text. */
  stop: AbortSignal;
}

/** What the gate says of a target behind a wrong server. */
export interface GateResult {
  /** The results, with the baseline applied. */
  results: CheckResult[];
  /** Whether every session can make merchants of its own. */
  makesMerchants: boolean;
}

/** How many ask the target at the same time. */
export interface Places {
  /** How many checks behind one wrong server. */
  checks: number;
  /** How many wrong servers, which share what the target takes in a second. */
  servers: number;
}

/** A team's gate, in front of which wrong servers can be put. */
export interface Gate {
  /** Has checks judge the target behind a wrong server. Rejects when the server breaks off, because that proves nothing. */
  judge(make: Make, checks: readonly Check[], places?: Places): Promise<GateResult>;
  /** The limit of the configuration that was reached. `undefined`: none. */
  limitReached(): string | undefined;
  close(): Promise<void>;
}

/** How many connections are open to a target at once. */
const mostConnections = 128;

/** The longest answer that is passed on, in bytes; the runner itself reads less. */
const longestAnswer = 16 * 1024 * 1024;

/** Opens a team's gate. Rejects when webhooks cannot be received where the settings say. */
export async function openGate({ target: options, baseline, pins, seed, stop }: GateOptions): Promise<Gate> {
  const { control, webhooks = { host: '127.0.0.1', port: 0 }, timeout, tls } = options;
  const target = new URL(options.target);
  const { requestsPerSecond, ...bounds } = options.limits ?? {};
  const connections = openConnections({ maximum: mostConnections, timeout, tls });
  const guard = guardLimits(bounds);
  const relay = await openWebhookRelay(webhooks);
  const known = baseline.map((entry) => ({ ...entry, check: currentId(entry.check) }));
  // A proxy on this machine stands for a target that may be elsewhere, from where no receiver on this machine can be reached.
  const reachesReceiver = webhooks.url !== undefined || isLoopback(hostOf(options.target));
  const without = [...(options.without ?? []), ...(reachesReceiver ? [] : (['webhook-receiver'] as const))];
  let paidOrdersTaken = 0;

  const forwardTo = (origin: string): Forward => forwardOver(connections.routeTo(origin), { longest: longestAnswer });
  const toTarget = forwardTo(target.origin);
  const toControl = control && forwardTo(new URL(control.url).origin);

  /** Passes a request on within the limits of all sessions together. */
  const forward: Forward = async (request) => {
    if (toControl && control && request.target.startsWith(controlPrefix)) {
      const base = new URL(control.url).pathname.replace(/\/$/, '');
      return toControl({ ...request, target: `${base}${request.target.slice(controlPrefix.length)}` });
    }
    const limited = { ...request, origin: target.origin };
    guard.admit(limited, performance.now());
    const answer = await toTarget(request);
    if (answer.status === 429 || bodyOf(answer)?.code !== successCode) guard.refused(limited);
    return answer;
  };

  return {
    limitReached: () => guard.reached,
    judge: async (make, checks, { checks: concurrency, servers } = { checks: placesAtFirst, servers: 1 }) => {
      const merchants = new Map(
        Object.values(options.merchants).map((each): [string, Credentials] => [each.merchantId, each]),
      );
      const proxy = await startProxy(forward, make, merchants);
      const lane = relay.lane(make.webhooks?.());
      try {
        const session = await openSession({
          ...options,
          target: `${proxy.url}${target.pathname.replace(/\/$/, '')}`,
          ...(control && make.control && { control: { ...control, url: `${proxy.url}${controlPrefix}` } }),
          limits: requestsPerSecond === undefined ? {} : { requestsPerSecond: requestsPerSecond / servers },
          paidOrders: options.paidOrders?.slice(paidOrdersTaken),
          webhooks: lane.settings,
          ...{ without, pins, seed, concurrency, stop },
        });
        lane.leadTo(session.receiver);
        const { provisionMerchant } = session.driver;
        if (provisionMerchant) {
          session.driver = {
            ...session.driver,
            provisionMerchant: async (settings, transport) => {
              const made = await provisionMerchant(settings, transport);
              merchants.set(made.merchantId, made);
              return made;
            },
          };
        }
        try {
          const { results } = applyBaseline(await runChecks(session, checks, { bail: false, pins }), known, {
            today: new Date().toISOString().slice(0, 10),
            known: allChecks.map(({ id }) => id),
          });
          paidOrdersTaken += session.paidOrdersTaken;
          return { results, makesMerchants: provisionMerchant !== undefined };
        } finally {
          await session.close();
        }
      } finally {
        lane.close();
        await proxy.close();
      }
    },
    close: async () => {
      connections.close();
      await relay.close();
    },
  };
}
