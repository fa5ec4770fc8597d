import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Area, type OpenPointId, openPoints } from '../../generated/catalogue.ts';
import { isDecimalText, shortestDecimal } from '../contract/decimals.ts';
import type { Credentials, Driver, MerchantSettings, OrderStep, StepOutcome } from '../drivers/driver.ts';
import { Inconclusive, NotApplicable } from '../errors/outcomes.ts';
import { hindranceIn, hindrancesIn, longestPrompt } from '../history/hindrances.ts';
import type { History } from '../history/records.ts';
import { idInRun } from '../history/run-ids.ts';
import { type Source, untilRung } from '../wire/bell.ts';
import type { Answer, Exchange } from '../wire/exchange.ts';
import type { ClosedMailbox, Mailbox, TakeArrival } from '../wire/mailbox.ts';
import type { Place } from '../wire/pace.ts';
import type { MailboxFolder, Receiver } from '../wire/receiver.ts';
import type { Recovery } from '../wire/recovery.ts';
import { createTransport, type Transport } from '../wire/transport.ts';
import type { AwaitedEvents } from './awaited-events.ts';
import { isContractual } from './contractual.ts';
import type { FurtherSettings } from './merchant-settings.ts';
import type { Need } from './needs.ts';

import { seededRandom } from './random.ts';
import type { Observation, SeenTransition } from './records.ts';
import { type Restarts, restartsAtOnce } from './restarts.ts';
import { type Role, roleSettings } from './roles.ts';
import type { Session } from './session.ts';
import { isAvailable } from './unmet-needs.ts';

/** The tools that a check works with. */
export interface CheckContext {
  /** Address of the target, without a closing slash. */
  readonly target: string;
  readonly transport: Transport;
  /** What has happened in the run so far. */
  readonly history: History;
  /** True when the target has this area, or the run meets this need. */
  has(what: Area | Need): boolean;
  /** True when the run has limits, so that a check that would ask much should do with less. */
  readonly isThrifty: boolean;
  /** The merchant of a role, the same for this whole check. All checks share it unless its requests are refused for their rate. */
  merchant(role?: Role): Promise<Credentials>;
  /** A merchant for this check alone, whose clock may be moved. The shared one if the driver makes no merchants. */
  ownMerchant(settings?: MerchantSettings): Promise<Credentials>;
  /** The platform id of a configured paid order of the default merchant that was not given out before, or `undefined` when none is left. */
  takePaidOrder(): string | undefined;
  /** How many paid orders of the default merchant are configured. */
  readonly configuredPaidOrders: number;
  /** A merchantOrderId that was not used before, 16 to 64 characters long. */
  newOrderId(): string;
  /** The time on the target's clock, in milliseconds since 1970. It follows the clock when that jumps. */
  now(): number;
  /** How often the target's clock has jumped so far in this run. */
  clockJumps(): number;
  /** The business time of a merchant, in milliseconds since 1970: the time on the target's clock, and what this check has moved it forward. */
  businessTime(merchant: Credentials): number;
  /** The next random number from 0 up to 1. The numbers are the same for the same seed and check. */
  random(): number;
  /** One of several that are alike to the check. What it chooses is the same in every run, whatever the seed, so that no verdict hangs on it. */
  choose<Choice>(choices: readonly [Choice, ...Choice[]]): Choice;
  /** Has the driver revoke the key of a merchant. */
  revokeKey(merchant: Credentials): Promise<void>;
  /** Whether a check has had the key of a merchant revoked, so that no request under it is right any more. */
  isRevoked(merchant: Credentials): boolean;
  /** Has the driver take a step with an order. Throws `Inconclusive` when the driver fails. */
  orderEvent(
    merchant: Credentials,
    orderId: string,
    step: Parameters<NonNullable<Driver['orderEvent']>>[2],
  ): Promise<StepOutcome>;
  /** Has the driver take a step with a refund. Throws `Inconclusive` when the driver fails. */
  refundEvent(
    merchant: Credentials,
    refundOrderId: string,
    step: Parameters<NonNullable<Driver['refundEvent']>>[2],
  ): Promise<StepOutcome>;
  /** Moves a merchant's business time forward by `seconds`. */
  advanceClock(merchant: Credentials, seconds: number): Promise<void>;
  /**
   * Has the driver end the target without warning and start it again, `delay` milliseconds after `begin` was called. Both happen when the checks
   * that share the restart are ready for it. The connections of the run are new afterwards; the target may not answer yet. Throws
   * `Inconclusive` when the driver fails.
   */
  restart(part: { begin(): void; delay: number }): Promise<void>;
  /**
   * A new address for webhooks; `query` begins with `?` and ends the address, and `folder` is a part of its path. Throws `Inconclusive` when
   * the receiver cannot listen.
   */
  mailbox(query?: string, folder?: MailboxFolder): Promise<Mailbox>;
  /** A mailbox whose address has no path, and may end with `query`. Throws `NotApplicable` where the target cannot reach this machine. */
  bareMailbox(query?: string): Promise<Mailbox>;
  /** A mailbox to which webhooks come over HTTP. Throws `NotApplicable` where the target cannot reach this machine. */
  plainMailbox(): Promise<Mailbox>;
  /** A mailbox that breaks off connections until it is opened. Throws `NotApplicable` where the target cannot reach this machine. */
  closedMailbox(): Promise<ClosedMailbox>;
  /** How long to wait for a webhook, in milliseconds. */
  readonly webhookWait: number;
  /**
   * Watches from now on whether something may keep a webhook from coming that says nothing against its sender. The function that it returns
   * says what, in words; `undefined`: nothing was seen.
   */
  watchForHindrances(): () => string | undefined;
  /**
   * Asks again, with growing pauses, until `settled` is true or the configured wait is over. Returns the last answer. `share`:
   * the part of the wait that is enough here.
   */
  poll(ask: () => Promise<Answer>, settled: (answer: Answer) => boolean, share?: number): Promise<Answer>;
  /** Waits until all checks have ended that do not wait for the others themselves. */
  othersEnded(): Promise<void>;
  /** Waits for what another check does for both, and gives its place away meanwhile: the other one may wait for a place. */
  awaitOther<Result>(work: Promise<Result>): Promise<Result>;
  /** Waits for so many milliseconds. Other checks may ask meanwhile. */
  pause(milliseconds: number): Promise<void>;
  /**
   * Waits until `read` finds something; it is asked at once and after every ring. `undefined`: it has found nothing within so many
   * milliseconds. Other checks may ask meanwhile.
   */
  wait<Found>(
    sources: readonly Source[],
    read: () => Found | undefined,
    milliseconds: number,
  ): Promise<Found | undefined>;
  /** Waits for events that a check needs before it can judge. */
  readonly events: AwaitedEvents;
  /** How the run goes on after refusals that may say nothing about a request. */
  readonly recovery: Recovery;
  /**
   * Records the behaviour of the target at an open point: `seen` in words, and `value` as the register names it.
   *
   * `value` is `null`, or a text that the register does not know, when the register has no value for this behaviour; such a
   * behaviour never fits a pinned point. Without a `value` nothing is told. `also` lists further values of the register that
   * fit as well.
   */
  observe(openPoint: OpenPointId, seen: string, value?: string | null, also?: readonly string[]): void;
  /** As `observe`, drawn from these answers. One that the contract could not have given decides nothing: no value is recorded. */
  observeIn(answers: Answer | readonly Answer[], ...observed: Parameters<CheckContext['observe']>): void;
  /** Records a cell of a state grid. */
  sawTransition(transition: SeenTransition): void;
}

/** A context with everything that the check has recorded in it. */
export interface RecordedContext extends CheckContext {
  readonly observations: readonly Observation[];
  readonly transitions: readonly SeenTransition[];
}

/** Why a mailbox is not there that has a port of its own. */
const alwaysThere = 'webhooks.url always leads to the one receiver';

/** What a check has of the others in its run. */
export interface Others {
  /** Its place among those that ask the target at the same time. */
  place: Place;
  restarts: Restarts;
  /** Resolves when all others have ended. */
  ended: Promise<void>;
}

/** A check has no others beside it. */
const noOthers: Others = {
  place: { whileFree: (wait) => wait(), leave: () => undefined },
  restarts: restartsAtOnce,
  ended: Promise.resolve(),
};

/**
 * Makes the context of one check. `others`: absent where it runs alone. `furtherSettings`: what its merchants may have beside the settings that it
 * asks for.
 */
export function createContext(
  session: Session,
  checkId: string,
  { place, restarts, ended }: Others = noOthers,
  furtherSettings: FurtherSettings = [{}],
): RecordedContext {
  const { driver, runId, shared, secrets, connections, limits, timeout, history, patience, pace, overtaking, silence } =
    session;
  const { rateRefusals, rateWaits, absences } = session;
  const pauseFor = (milliseconds: number) =>
    place.whileFree(() => delay(milliseconds, undefined, { signal: limits.stopping }));
  const transport = createTransport({
    connections,
    limits,
    runId,
    check: checkId,
    timeout,
    history,
    patience,
    silence,
    absences,
    overtaking,
    pace,
    rateRefusals,
    rateWaits,
    pause: pauseFor,
  });
  const random = seededRandom(`${session.seed} ${checkId}`);
  const choice = seededRandom(checkId);
  const settingsChoice = seededRandom(`${checkId} settings`);
  const observations: Observation[] = [];
  const transitions: SeenTransition[] = [];
  const moved = new Map<string, number>();
  /** The shared merchants of this check. It keeps one whose successor others take already. */
  const mine = new Map<Role, Promise<Credentials>>();
  let ids = 0;

  const now = () => Date.now() + history.clock.ahead;
  const drawnSettings = () => oneOf(furtherSettings, settingsChoice);
  // A check that does not say that it may call checkout (`mayCall`) may have a merchant that cannot use it.
  const mayUseCheckout = furtherSettings.every(({ checkoutEnabled }) => checkoutEnabled !== false);

  /** A merchant with these settings, and with `further` ones where the driver takes them. */
  async function provision(settings: MerchantSettings, further: MerchantSettings): Promise<Credentials> {
    if (!driver.provisionMerchant) throw new Inconclusive('the driver makes no merchants');
    if (Object.keys(further).length > 0 && session.takesFurtherSettings) {
      try {
        return keepSecret(await driver.provisionMerchant({ ...further, ...settings }, transport));
      } catch {
        const made = keepSecret(await driver.provisionMerchant(settings, transport));
        // Only now is it known that the driver refused the further ones.
        session.takesFurtherSettings = false;
        return made;
      }
    }
    return keepSecret(await driver.provisionMerchant(settings, transport));
  }
  function keepSecret(made: Credentials): Credentials {
    // A key that is the merchant's id stands in every address, and so hides nothing.
    for (const secret of [made.apiSecret, made.apiKey]) if (secret !== made.merchantId) secrets.add(secret);
    return made;
  }
  function merchant(role: Role = 'default'): Promise<Credentials> {
    const configured = session.merchants[role];
    if (configured) return Promise.resolve(configured);
    const taken = mine.get(role) ?? takeShared(role);
    mine.set(role, taken);
    return taken;
  }
  /** The shared merchant of a role, or a new one in its place when its requests are refused for their rate. */
  async function takeShared(role: Role): Promise<Credentials> {
    const further = drawnSettings();
    const kind = JSON.stringify([role, further]);
    const make = () => {
      const made = provision(roleSettings[role], further);
      shared.set(kind, made);
      return made;
    };
    const present = shared.get(kind) ?? make();
    const made = await present;
    if (!rateRefusals.isLimited(made.merchantId)) return made;
    const following = shared.get(kind);
    return following === undefined || following === present ? make() : following;
  }

  /** Has the driver end the target and start it again. Resolves with the exchanges in which it asks for that. */
  async function restartTarget(): Promise<readonly Exchange[]> {
    if (!driver.restart) throw new Inconclusive('the driver does not restart the target');
    absences.endOnPurpose();
    const asked: Exchange[] = [];
    const send: Transport['send'] = async (request) => {
      const answer = await transport.send(request);
      asked.push(...transport.exchanges.slice(answer.exchange - 1, answer.exchange));
      return answer;
    };
    await driver.restart({ ...transport, send });
    connections.renew();
    return asked;
  }

  function receiver(): Promise<Receiver> {
    return session.receiver().catch((error: Error) => {
      throw new Inconclusive(`the receiver of webhooks cannot listen: ${error.message}`);
    });
  }

  /** The receiver, where the target reaches it at any port. */
  async function ownPorts(): Promise<Receiver> {
    if (session.webhooks.url !== undefined) throw new NotApplicable(alwaysThere);
    return receiver();
  }

  /** The mailbox, whose waits keep no other check from asking. */
  function waitingApart<Box extends Mailbox>(mailbox: Box): Box {
    return { ...mailbox, first: (...wait) => place.whileFree(() => mailbox.first(...wait)) };
  }

  const takeArrival: TakeArrival = ({ exchange, address, target, whole, answered, location }) => {
    const { method, headers, body } = exchange.request;
    const [end, kept] = [history.now(), history.keepBody(body, whole)];
    const start = end - exchange.durationMs;
    exchange.request.headers = history.keepHeaders(headers);
    exchange.request.body = kept.text;
    limits.tookWebhook(body.length + Object.entries(headers).flat().join('').length);
    history.add({
      kind: 'webhook',
      start,
      end,
      check: checkId,
      address,
      target,
      method,
      headers: exchange.request.headers,
      body: kept,
      answered,
      ...(location !== undefined && { location }),
    });
    return transport.record(exchange);
  };

  const observe: CheckContext['observe'] = (openPoint, seen, value, also) => {
    if (value === undefined) observations.push({ openPoint, seen });
    else observations.push({ openPoint, seen, value: registeredValue(openPoint, value), ...(also && { also }) });
  };

  return {
    target: session.target,
    transport,
    history,
    observations,
    transitions,
    random,
    choose: (choices) => oneOf(choices, choice),
    isThrifty: limits.isThrifty,
    has: (what) => isAvailable(what, session) && (what !== 'checkout' || mayUseCheckout),
    merchant,
    ownMerchant: (settings = {}) => (driver.provisionMerchant ? provision(settings, drawnSettings()) : merchant()),
    configuredPaidOrders: session.paidOrders.length,
    takePaidOrder: () => {
      session.paidOrdersTaken += 1;
      return session.paidOrders[session.paidOrdersTaken - 1];
    },
    newOrderId: () => {
      ids += 1;
      // The end of a UUID is random, and Node draws many of them at once.
      return idInRun(runId, `${randomUUID().slice(-12)}-${ids}`);
    },
    now,
    clockJumps: () => history.clock.jumps,
    businessTime: ({ merchantId }) => now() + (moved.get(merchantId) ?? 0) * 1000,
    revokeKey: ({ merchantId, apiKey }) => {
      if (!driver.revokeKey) throw new Inconclusive('the driver revokes no keys');
      session.revokedKeys.add(apiKey);
      return driver.revokeKey(merchantId, apiKey, transport);
    },
    isRevoked: ({ apiKey }) => session.revokedKeys.has(apiKey),
    orderEvent: ({ merchantId }, orderId, step) => {
      if (!driver.orderEvent) throw new Inconclusive('the driver makes nothing happen to orders');
      return driver.orderEvent(merchantId, orderId, inShortestForm(step), transport);
    },
    refundEvent: ({ merchantId }, refundOrderId, step) => {
      if (!driver.refundEvent) throw new Inconclusive('the driver makes nothing happen to refunds');
      return driver.refundEvent(merchantId, refundOrderId, step, transport);
    },
    advanceClock: async ({ merchantId }, seconds) => {
      if (!driver.advanceClock) throw new Inconclusive('the driver moves no clock');
      await driver.advanceClock(merchantId, seconds, transport);
      moved.set(merchantId, (moved.get(merchantId) ?? 0) + seconds);
    },
    restart: async ({ begin, delay: milliseconds }) => {
      // Without a place, which all others may hold that wait for this.
      const restart = async () => {
        await delay(milliseconds, undefined, { signal: limits.stopping });
        return restartTarget();
      };
      // A check that waits for others may hold the place that one of them needs.
      const elsewhere = await place.whileFree(() => restarts.take({ begin, restart }));
      for (const exchange of elsewhere) transport.record(exchange);
    },
    mailbox: async (query, folder) => waitingApart((await receiver()).mailbox(takeArrival, query, folder)),
    bareMailbox: async (query) => waitingApart(await (await ownPorts()).bareMailbox(takeArrival, query)),
    plainMailbox: async () => waitingApart(await (await ownPorts()).plainMailbox(takeArrival)),
    closedMailbox: async () => {
      const mailbox = waitingApart(await (await ownPorts()).closedMailbox(takeArrival));
      return { ...mailbox, attempted: (wait) => place.whileFree(() => mailbox.attempted(wait)) };
    },
    webhookWait: session.webhookWait,
    watchForHindrances: () => {
      const start = history.now();
      const longest = longestPrompt(session.webhookWait);
      return () => hindranceIn(hindrancesIn(history.records, longest), { start, end: history.now() })?.why;
    },
    poll: async (ask, settled, share = 1) => {
      const end = Date.now() + session.settle * share;
      for (let pause = 20; ; pause = Math.min(pause * 2, 1000)) {
        // The look counts from its beginning: an invariant relies on how late the last one begins, however slow the answer is.
        const asked = Date.now();
        const answer = await ask();
        if (settled(answer) || asked + pause > end) return answer;
        await pauseFor(pause);
      }
    },
    othersEnded: () => place.whileFree(() => ended),
    awaitOther: (work) => place.whileFree(() => work),
    pause: pauseFor,
    wait: (...wait) => place.whileFree(() => untilRung(...wait)),
    events: session.events,
    recovery: session.recovery,
    observe,
    observeIn: (answers, openPoint, seen, value, also) => {
      const decided = [answers].flat().every((answer) => isContractual(answer, transport.exchanges, session.target));
      if (decided) observe(openPoint, seen, value, also);
      else observe(openPoint, seen);
    },
    sawTransition: (transition) => {
      transitions.push(transition);
    },
  };
}

const oneOf = <Choice>(choices: readonly [Choice, ...Choice[]], random: () => number): Choice =>
  choices[Math.floor(random() * choices.length)] ?? choices[0];

/** A value that the register has at an open point; `null` for any other. */
function registeredValue(openPoint: OpenPointId, value: string | null): string | null {
  const known = openPoints.some(({ id, values }) => id === openPoint && value !== null && Object.hasOwn(values, value));
  return known ? value : null;
}

/** A step whose amount may be that of an answer, and so have more zeros at its end than a driver takes. */
function inShortestForm(step: OrderStep): OrderStep {
  return isDecimalText(step.amount) ? { ...step, amount: shortestDecimal(step.amount) } : step;
}
