import { randomBytes } from 'node:crypto';
import type { Area } from '../../generated/catalogue.ts';
import { createAwaitedEvents } from '../check/awaited-events.ts';
import type { Need } from '../check/needs.ts';
import type { MerchantsByRole } from '../check/roles.ts';
import type { Session } from '../check/session.ts';
import type { Driver } from '../drivers/driver.ts';
import { httpDriver } from '../drivers/http-driver.ts';
import { objectDriver } from '../drivers/module-driver.ts';
import { namedDriver } from '../drivers/named-driver.ts';
import { withNewMerchants } from '../drivers/new-merchants.ts';
import { recordedDriver } from '../drivers/recorded-driver.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import { Unreachable } from '../errors/usage-errors.ts';
import { createRecorder } from '../history/recorder.ts';
import { environmentSecrets, redact } from '../text/redact.ts';
import { createAbsenceWatch } from '../wire/absence.ts';
import { openConnections, proxyPasswords, type TlsSettings } from '../wire/connections.ts';
import { type Answer, field } from '../wire/exchange.ts';
import { guardLimits, hostOf, type Limits } from '../wire/limits.ts';
import { createOvertakingWatch } from '../wire/overtaken.ts';
import { createPace, placesAtFirst } from '../wire/pace.ts';
import { createPatience } from '../wire/patience.ts';
import { createRateRefusals } from '../wire/rate-refusals.ts';
import { createRateWaits, type RateWait } from '../wire/rate-waits.ts';
import { openReceiver, type Receiver, type WebhookSettings } from '../wire/receiver.ts';
import { createRecovery } from '../wire/recovery.ts';
import { createSilenceWatch } from '../wire/silence.ts';
import { createTransport, type Transport } from '../wire/transport.ts';
import type { Pins } from './verdict.ts';
import { version } from './version.ts';

/** The settings of a session with a target. Times in milliseconds. */
export interface SessionOptions {
  target: string;
  /** The sandbox control API of the target. */
  control?: { url: string; token: string } | undefined;
  /** A driver in place of the control API: an object, the file of a module, or `command:` with a command line. */
  driver?: Driver | string | undefined;
  merchants: MerchantsByRole;
  /** Areas that the target has. Absent: all. The areas `auth` and `general` are always included. */
  areas?: readonly Area[] | undefined;
  /** Platform ids of paid orders of the default merchant that may be refunded. */
  paidOrders?: readonly string[] | undefined;
  /** Certificates for connections to the target and its control API. */
  tls?: TlsSettings | undefined;
  /** No connection is used for a second request. Absent: they are kept. */
  oneRequestEach?: boolean | undefined;
  /** The limits of the run. Without `allowHosts`, it may contact the hosts of the target and of the control API. */
  limits?: Limits | undefined;
  /** The receiver of webhooks. Absent: it listens on free ports of this machine. */
  webhooks?: WebhookSettings | undefined;
  seed: number;
  /** How many checks run at the same time. Absent: as many as the target answers well. */
  concurrency?: number | undefined;
  timeout: number;
  settle: number;
  /** How long to wait for a webhook. */
  webhookWait: number;
  /** Needs that are left out of the scope on purpose, because the target cannot offer them. */
  without?: readonly Need[] | undefined;
  /** Open points that the configuration pins. */
  pins?: Pins;
  /** Called with each wait because the target has refused a request for its rate. */
  onRateWait?: ((wait: RateWait) => void) | undefined;
  /** Ends the run when it is aborted. Its `reason` is the reason as text. */
  stop?: AbortSignal | undefined;
}

/** The smallest difference of clocks that counts, in milliseconds. The `Date` header counts whole seconds. */
export const smallestSkew = 2000;

/** A race needs three requests at the same time, and the clock of the target a fourth. */
const fewestConnections = 4;

/** The parts of a session that sending needs. */
type Sending = Pick<Session, 'runId' | 'connections' | 'limits' | 'timeout'>;

/** Opens a session: connects to the target, compares clocks, and opens the driver. Throws `Unreachable`. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const session = await reachTarget(options);
  try {
    const driver = await unlessStopped(openDriver(options, session), session.limits.stopping);
    session.driver = recordedDriver(withNewMerchants(driver ?? {}), session.history);
    return session;
  } catch (error) {
    await session.close();
    throw unreachable(error, session.secrets);
  }
}

/** The secrets that a run has been given: keys, tokens, passwords of proxies, and for a program as a driver what its environment holds. */
export function secretsOf({ target, control, merchants, driver }: Omit<SessionOptions, 'seed'>): Set<string> {
  const addresses = [target, ...(control ? [control.url] : [])];
  const configured = Object.values(merchants).flatMap(({ merchantId, apiKey, apiSecret }) =>
    [apiKey, apiSecret].filter((secret) => secret !== merchantId),
  );
  // A text of an address is known to everybody, and hiding it would hide the address.
  const isPublic = (secret: string) => addresses.some((address) => address.includes(secret));
  return new Set([
    ...[...configured, ...(control ? [control.token] : [])].filter((secret) => !isPublic(secret)),
    ...proxyPasswords(addresses),
    ...(typeof driver === 'string' ? environmentSecrets(process.env) : []),
  ]);
}

/** The result of a step. `undefined`: the run was stopped before the step ended, and its result will not be used. */
async function unlessStopped<Result>(step: Promise<Result>, stopping: AbortSignal): Promise<Result | undefined> {
  const stopped = new Promise<undefined>((resolve) => {
    if (stopping.aborted) resolve(undefined);
    stopping.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    return await Promise.race([step, stopped]);
  } catch (error) {
    if (stopping.aborted) return undefined;
    throw error;
  }
}

/** Opens a session without a driver. Throws `Unreachable`. */
export async function reachTarget(options: SessionOptions): Promise<Session> {
  const { control, merchants, seed, timeout, settle } = options;
  const target = options.target.replace(/\/$/, '');
  const runId = randomBytes(4).toString('hex');
  const connections = openConnections({
    maximum: Math.max(fewestConnections, (options.concurrency ?? placesAtFirst) * 2),
    timeout,
    tls: options.tls,
    oneRequestEach: options.oneRequestEach,
  });
  const addresses = [target, ...(control ? [control.url] : [])];
  const hosts = addresses.map(hostOf);
  const limits = guardLimits({ allowHosts: hosts, ...options.limits });
  const { stop } = options;
  if (stop?.aborted) limits.stop(String(stop.reason));
  stop?.addEventListener('abort', () => limits.stop(String(stop.reason)), { once: true });
  const secrets = secretsOf(options);
  const session = { runId, connections, limits, timeout };
  const webhooks = options.webhooks ?? { host: '127.0.0.1', port: 0 };
  let receiver: Promise<Receiver> | undefined;
  try {
    const ahead = (await unlessStopped(clockAhead(target, session), limits.stopping)) ?? 0;
    const clockSkew = Math.abs(ahead) >= smallestSkew ? ahead : 0;
    const { webhookWait } = options;
    // A target gets no more requests at once than twice as many as there are checks; the others wait for a connection.
    const pace = createPace(options.concurrency, undefined, (places) =>
      connections.resize(Math.max(fewestConnections, places * 2)),
    );
    const rateRefusals = createRateRefusals(() => opened.driver.provisionMerchant !== undefined);
    const rateWaits = createRateWaits(options.onRateWait);
    const history = createRecorder({
      suite: version,
      target,
      seed,
      clockAhead: clockSkew,
      settle,
      webhookWait,
      pins: options.pins ?? {},
    });
    const opened: Session = {
      ...session,
      pace,
      recovery: createRecovery(limits, rateRefusals, pace.refusedForRate, rateWaits),
      rateRefusals,
      rateWaits,
      silence: createSilenceWatch(timeout, limits.stop),
      // A target that was started again may have forgotten the merchants that were made for all checks.
      absences: createAbsenceWatch({ stopping: limits.stopping, onBack: () => opened.shared.clear() }),
      overtaking: createOvertakingWatch(connections, pace),
      patience: createPatience(timeout),
      events: createAwaitedEvents(),
      target,
      seed,
      driver: {},
      areas: options.areas,
      without: options.without,
      // A copy, because checks may note something about a merchant that holds for this run only.
      merchants: structuredClone(merchants),
      paidOrders: options.paidOrders ?? [],
      paidOrdersTaken: 0,
      webhooks,
      receiver: () => {
        receiver ??= openReceiver(webhooks, history.failHandshake);
        return receiver;
      },
      history,
      settle,
      webhookWait,
      shared: new Map(),
      takesFurtherSettings: true,
      revokedKeys: new Set(),
      secrets,
      close: async () => {
        // A check that was given up must not begin another wait or request.
        limits.stop('the run is over');
        connections.close();
        const listening = await receiver?.catch(() => undefined);
        await listening?.close();
      },
    };
    opened.absences.answered(new URL(target).origin);
    return opened;
  } catch (error) {
    connections.close();
    throw unreachable(error, secrets);
  }
}

/** Opens the driver that the options name. If they name none, the driver has no steps. Throws `Inconclusive`. */
export async function openDriver(
  { driver, control, timeout }: Pick<SessionOptions, 'driver' | 'control' | 'timeout'>,
  session: Sending,
): Promise<Driver> {
  if (typeof driver === 'string') return namedDriver(driver, timeout);
  if (driver) return objectDriver(driver, timeout);
  return control ? httpDriver(control.url, control.token, runTransport(session)) : {};
}

/** A transport for requests that belong to the run and to no check. */
function runTransport(session: Sending): Transport {
  const { connections, limits, runId, timeout } = session;
  return createTransport({ connections, limits, runId, timeout });
}

/** How far the target's own time may be from that of a gateway that dates its answers, or else from ours, in milliseconds. */
const farthestOwnTime = 5 * 60_000;

/** What is asked of a target to see whether it answers, under the path of a merchant that does not exist. */
const firstQueries = ['refunds', 'orders/unknown'] as const;

/**
 * The difference by which the target's clock is ahead of ours, in milliseconds. The answer to an unsigned refund query is asked, because
 * its envelope shows the target's own time; where it does not, any answer from its address will do, even that of a gateway or to another
 * query. `undefined`: the answer shows no time. Throws `Inconclusive` when no answer comes.
 */
export async function clockAhead(target: string, session: Sending): Promise<number | undefined> {
  const transport = runTransport(session);
  const { origin, pathname } = new URL(target);
  const lastResponse = () => transport.exchanges.at(-1)?.response;

  /** `undefined`: an answer came that is none of the target's. */
  async function ask([first, ...others]: readonly string[]): Promise<Answer | undefined> {
    const path = `${pathname.replace(/\/$/, '')}/api/v1/merchants/unknown/${first}`;
    try {
      return await transport.send({ method: 'GET', origin, target: path, headers: {}, provokes429: true });
    } catch (error) {
      if (lastResponse()) return undefined;
      if (others.length === 0) throw error;
      // One operation may be silent where the others answer.
      return ask(others);
    }
  }

  const answer = await ask(firstQueries);
  const date = Date.parse(lastResponse()?.headers.date ?? '');
  const dated = Number.isNaN(date) ? undefined : date - Date.now();
  const shown = answer && field(answer, 'timestamp');
  const own = typeof shown === 'number' ? shown - Date.now() : Number.NaN;
  // A time that no other clock shows was not read off a clock.
  const isOwnTime = [dated ?? 0, 0].some((other) => Math.abs(own - other) <= farthestOwnTime);
  return isOwnTime ? own : dated;
}

function unreachable(error: unknown, secrets: Iterable<string>): unknown {
  return error instanceof Inconclusive ? new Unreachable(redact(error.message, secrets)) : error;
}
