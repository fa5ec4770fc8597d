import { randomBytes } from 'node:crypto';
import type { Area } from '../../generated/catalogue.ts';
import type { MerchantsByRole } from '../check/roles.ts';
import type { Session } from '../check/session.ts';
import type { Driver } from '../drivers/driver.ts';
import { httpDriver } from '../drivers/http-driver.ts';
import { objectDriver } from '../drivers/module-driver.ts';
import { namedDriver } from '../drivers/named-driver.ts';
import { recordedDriver } from '../drivers/recorded-driver.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import { Unreachable } from '../errors/usage-errors.ts';
import { createRecorder } from '../history/recorder.ts';
import { environmentSecrets, redact } from '../text/redact.ts';
import { openConnections, proxyPasswords, type TlsSettings } from '../wire/connections.ts';
import { guardLimits, hostOf, type Limits } from '../wire/limits.ts';
import { openReceiver, type Receiver, type WebhookSettings } from '../wire/receiver.ts';
import { createTransport, type Transport } from '../wire/transport.ts';
import type { Pins } from './verdict.ts';
import { version } from './version.ts';

/** What a run needs to know of its target. Times in milliseconds. */
export interface SessionOptions {
  target: string;
  /** The sandbox control API of the target. */
  control?: { url: string; token: string } | undefined;
  /** Instead of it: a driver, or what names one, the file of a module or `command:` with a command line. */
  driver?: Driver | string | undefined;
  merchants: MerchantsByRole;
  /** Areas that the target has; absent: all. Authentication and what is common to all are always there. */
  areas?: readonly Area[] | undefined;
  /** Platform ids of paid orders of the default merchant that may be refunded. */
  paidOrders?: readonly string[] | undefined;
  /** Certificates for connections to the target and its control API. */
  tls?: TlsSettings | undefined;
  /** What the run may do at most. Where it names no hosts, the target's and the control API's may be contacted. */
  limits?: Limits | undefined;
  /** Where webhooks are received; absent: on a free port of this machine. */
  webhooks?: WebhookSettings | undefined;
  seed: number;
  concurrency: number;
  timeout: number;
  settle: number;
  /** How long to wait for a webhook. */
  webhookWait?: number | undefined;
  /** Open points that the configuration pins. */
  pins?: Pins;
}

/** Below this the `Date` header, which counts seconds, says nothing about a clock. In milliseconds. */
export const smallestSkew = 2000;

/** What is needed to send something for the run. */
type Sending = Pick<Session, 'runId' | 'connections' | 'limits' | 'timeout'>;

/** Opens what a run shares: connections, the driver, the target's clock. Throws `Unreachable`. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const session = await reachTarget(options);
  try {
    session.driver = recordedDriver(await openDriver(options, session), session.history);
    return session;
  } catch (error) {
    await session.close();
    throw unreachable(error, session.secrets);
  }
}

/** The same without its driver. Throws `Unreachable`. */
export async function reachTarget(options: SessionOptions): Promise<Session> {
  const { control, merchants, seed, timeout, settle } = options;
  const target = options.target.replace(/\/$/, '');
  const runId = randomBytes(4).toString('hex');
  const connections = openConnections({ maximum: options.concurrency * 2, timeout, tls: options.tls });
  const addresses = [target, ...(control ? [control.url] : [])];
  const hosts = addresses.map(hostOf);
  const limits = guardLimits({ allowHosts: hosts, ...options.limits });
  const configured = Object.values(merchants).flatMap(({ apiKey, apiSecret }) => [apiKey, apiSecret]);
  const secrets = new Set([
    ...configured,
    ...(control ? [control.token] : []),
    ...proxyPasswords(addresses),
    ...(typeof options.driver === 'string' ? environmentSecrets(process.env) : []),
  ]);
  const session = { runId, connections, limits, timeout };
  const webhooks = options.webhooks ?? { host: '127.0.0.1', port: 0 };
  let receiver: Promise<Receiver> | undefined;
  try {
    const ahead = (await clockAhead(target, session)) ?? 0;
    const clockSkew = Math.abs(ahead) >= smallestSkew ? ahead : 0;
    const webhookWait = options.webhookWait ?? 20_000;
    return {
      ...session,
      target,
      seed,
      driver: {},
      areas: options.areas,
      // Copied: what checks find out about a merchant holds for this run only.
      merchants: structuredClone(merchants),
      paidOrders: [...(options.paidOrders ?? [])],
      webhooks,
      receiver: () => {
        receiver ??= openReceiver(webhooks);
        return receiver;
      },
      history: createRecorder({
        suite: version,
        target,
        seed,
        clockAhead: clockSkew,
        settle,
        webhookWait,
        pins: options.pins ?? {},
      }),
      clockSkew,
      settle,
      webhookWait,
      shared: new Map(),
      secrets,
      close: async () => {
        connections.close();
        const opened = await receiver?.catch(() => undefined);
        await opened?.close();
      },
    };
  } catch (error) {
    connections.close();
    throw unreachable(error, secrets);
  }
}

/** The driver that the options name; one without any steps where they name none. Throws `Inconclusive`. */
export async function openDriver(
  { driver, control, timeout }: Pick<SessionOptions, 'driver' | 'control' | 'timeout'>,
  session: Sending,
): Promise<Driver> {
  if (typeof driver === 'string') return namedDriver(driver, timeout);
  if (driver) return objectDriver(driver, timeout);
  return control ? httpDriver(control.url, control.token, runTransport(session)) : {};
}

/** Sends what belongs to the run and to no check. */
function runTransport(session: Sending): Transport {
  const { connections, limits, runId, timeout } = session;
  return createTransport({ connections, limits, runId, timeout });
}

/**
 * Milliseconds by which the target's clock is ahead of ours, as whatever answers at its address says: a gateway's clock will
 * do, even where it has nothing behind that path. `undefined` when the answer has no date. Throws `Inconclusive` when there
 * is none.
 */
export async function clockAhead(target: string, session: Sending): Promise<number | undefined> {
  const transport = runTransport(session);
  const { origin, pathname } = new URL(target);
  const sent = transport.send({ method: 'GET', origin, target: pathname, headers: {}, provokes429: true });
  await sent.catch((error: unknown) => {
    if (transport.exchanges.at(-1)?.response === undefined) throw error;
  });
  const date = Date.parse(transport.exchanges.at(-1)?.response?.headers.date ?? '');
  return Number.isNaN(date) ? undefined : date - Date.now();
}

function unreachable(error: unknown, secrets: Iterable<string>): unknown {
  return error instanceof Inconclusive ? new Unreachable(redact(error.message, secrets)) : error;
}
