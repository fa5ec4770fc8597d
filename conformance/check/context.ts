import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Area, type OpenPointId, openPoints } from '../../generated/catalogue.ts';
import type { Credentials, Driver, MerchantSettings, StepOutcome } from '../drivers/driver.ts';
import { Inconclusive, NotApplicable } from '../errors/outcomes.ts';
import { type Connections, isLoopback } from '../wire/connections.ts';
import type { Answer } from '../wire/exchange.ts';
import { hostOf, type LimitGuard } from '../wire/limits.ts';
import type { ClosedMailbox, Mailbox, Receiver, WebhookSettings } from '../wire/receiver.ts';
import { createTransport, type Transport } from '../wire/transport.ts';
import type { Need } from './needs.ts';

/** What one run has and all of its checks share. */
export interface Session {
  /** Address of the target, with a path prefix where it has one, without a closing slash. */
  target: string;
  runId: string;
  seed: number;
  driver: Driver;
  /** Areas that the target has; absent: all. */
  areas?: readonly Area[] | undefined;
  /** Configured credentials by role, for targets without a driver that makes merchants. */
  merchants: Readonly<Partial<Record<Role, Credentials>>>;
  /** Platform ids of configured paid orders of the default merchant that no check has taken yet. */
  paidOrders: string[];
  webhooks: WebhookSettings;
  /** Receives webhooks for all checks; begins to listen when it is first asked for. */
  receiver(): Promise<Receiver>;
  connections: Connections;
  limits: LimitGuard;
  /** Milliseconds by which the target's clock is ahead of ours. */
  clockSkew: number;
  timeout: number;
  /** How long to wait for what the contract dates nowhere, in milliseconds. */
  settle: number;
  /** How long to wait for a webhook, in milliseconds. */
  webhookWait: number;
  /** Merchants made for the whole run, by role. */
  shared: Map<Role, Promise<Credentials>>;
  /** Everything that must never be shown. */
  secrets: Set<string>;
  /** Ends what the session has opened. */
  close(): Promise<void>;
}

/** What merchants are there for. */
export type Role = 'default' | 'other' | 'checkoutDisabled' | 'lowBalance';

/** How a merchant is made for its role, where it is not configured. */
const roleSettings: Readonly<Record<Role, MerchantSettings>> = {
  default: {},
  other: {},
  checkoutDisabled: { checkoutEnabled: false },
  lowBalance: { balances: { USDT: '0.01', USDC: '0.01', USD1: '0.01' } },
};

/** What was seen at an open point. */
export interface Observation {
  openPoint: OpenPointId;
  /** The register's name for what was seen; `null`: it is none of them; absent: none can be told from it. */
  value?: string | null;
  /** Further values of the register that what was seen is too. */
  also?: readonly string[];
  /** What was seen, in a few words. */
  seen: string;
}

/** What a cell of a state grid showed. */
export interface SeenTransition {
  machine: 'orders' | 'checkout' | 'refunds';
  from: string;
  event: string;
  /** The state that the contract wants after it, or that the reference server would show where the move is free. */
  expected: string;
  seen: string;
  /** The contract does not bind this move. */
  free?: true;
}

/** What a check works with. */
export interface CheckContext {
  /** Address of the target, without a closing slash. */
  readonly target: string;
  readonly transport: Transport;
  /** Whether the target has an area, and the run what a check needs. */
  has(what: Area | Need): boolean;
  /** A merchant that the run's checks share; its orders have ids of their own. */
  merchant(role?: Role): Promise<Credentials>;
  /** A merchant that nobody else uses, whose clock may be moved. Without a driver that makes merchants, the shared one. */
  ownMerchant(settings?: MerchantSettings): Promise<Credentials>;
  /** The platform id of a configured paid order of the default merchant, for this check alone; `undefined`: none is left. */
  takePaidOrder(): string | undefined;
  /** A merchantOrderId of this run that was not used before; 16 to 64 characters. */
  newOrderId(): string;
  /** The target's real time, in milliseconds. */
  now(): number;
  /** A number from 0 up to 1, the same for the same seed and check. */
  random(): number;
  /** Lets something happen to an order. Throws `Inconclusive` when the driver fails. */
  orderEvent(
    merchant: Credentials,
    orderId: string,
    step: Parameters<NonNullable<Driver['orderEvent']>>[2],
  ): Promise<StepOutcome>;
  /** Lets something happen to a refund. Throws `Inconclusive` when the driver fails. */
  refundEvent(
    merchant: Credentials,
    refundOrderId: string,
    step: Parameters<NonNullable<Driver['refundEvent']>>[2],
  ): Promise<StepOutcome>;
  /** Moves a merchant's business time forward by `seconds`. */
  advanceClock(merchant: Credentials, seconds: number): Promise<void>;
  /** A new address that webhooks can be sent to. Throws `Inconclusive` when the receiver cannot listen. */
  mailbox(): Promise<Mailbox>;
  /** One that refuses connections until it is opened. Throws `NotApplicable` where the target cannot reach this machine. */
  closedMailbox(): Promise<ClosedMailbox>;
  /** How long to wait for a webhook, in milliseconds. */
  readonly webhookWait: number;
  /** Asks again, with growing pauses, until `settled` or the configured wait is over; the last answer. */
  poll(ask: () => Promise<Answer>, settled: (answer: Answer) => boolean): Promise<Answer>;
  /**
   * Records what the target does at an open point: in words, and as the register's value where one can be told. A value
   * that the register does not have is left out; `null`: what was seen is none of them, and so never what a point was pinned
   * to. `also`: further values that what was seen is too.
   */
  observe(openPoint: OpenPointId, seen: string, value?: string | null, also?: readonly string[]): void;
  /** Records a cell of a state grid. */
  sawTransition(transition: SeenTransition): void;
}

/** A context with what the check left behind in it. */
export interface RecordedContext extends CheckContext {
  readonly observations: readonly Observation[];
  readonly transitions: readonly SeenTransition[];
}

/** For each need, why a check cannot be run on this target; `undefined` when it can. */
const missing: Readonly<Record<Need, (session: Session) => string | undefined>> = {
  'order-events': ({ driver }) => unless(driver.orderEvent, 'no driver makes things happen to orders'),
  'refund-events': ({ driver }) => unless(driver.refundEvent, 'no driver makes things happen to refunds'),
  clock: ({ driver }) =>
    unless(driver.advanceClock && driver.provisionMerchant, 'no driver moves business time for merchants of its own'),
  'paid-order': (session) =>
    unless(
      (session.driver.orderEvent && !missingArea(['orders'], session)) || session.paidOrders.length > 0,
      'there is no paid order: configure fixtures.paidOrders, or a driver that pays hosted orders',
    ),
  'own-merchant': ({ driver }) => unless(driver.provisionMerchant, 'no driver makes merchants'),
  'other-merchant': (session) => unless(hasRole(session, 'other'), 'there is no second merchant (role other)'),
  'checkout-disabled': (session) =>
    unless(hasRole(session, 'checkoutDisabled'), 'there is no merchant without API Checkout (role checkoutDisabled)'),
  'webhook-receiver': ({ webhooks, target }) =>
    unless(
      webhooks.url ?? isLoopback(hostOf(target)),
      'the target cannot reach a receiver of webhooks on this machine: give webhooks.url',
    ),
  'low-balance': (session) =>
    unless(
      session.driver.orderEvent && hasRole(session, 'lowBalance'),
      'there is no merchant with a small balance whose orders can be paid (role lowBalance, and a driver)',
    ),
};

const unless = (there: unknown, reason: string) => (there ? undefined : reason);
const hasRole = ({ driver, merchants }: Session, role: Role) => driver.provisionMerchant ?? merchants[role];

const isNeed = (what: Area | Need): what is Need => Object.hasOwn(missing, what);

/** Why a check that calls operations of any of these areas cannot be run on this target; `undefined` when it can. */
export function missingArea(areas: readonly Area[], session: Session): string | undefined {
  const there = (area: Area) => area === 'auth' || area === 'general' || session.areas?.includes(area) !== false;
  return unless(areas.some(there), `the configuration says that the target does not have ${areas.join(' or ')}`);
}

/** Why a check cannot be run on this target, as words for its report; `undefined` when it can. */
export function missingNeed(needs: readonly Need[], session: Session): string | undefined {
  if (!hasRole(session, 'default')) return 'there is no merchant: configure one, or a driver that makes merchants';
  for (const need of needs) {
    const reason = missing[need](session);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The context of one check. */
export function createContext(session: Session, checkId: string): RecordedContext {
  const { driver, runId, shared, secrets, connections, limits, timeout } = session;
  const transport = createTransport({ connections, limits, runId, check: checkId, timeout });
  const random = seededRandom(`${session.seed} ${checkId}`);
  const observations: Observation[] = [];
  const transitions: SeenTransition[] = [];
  let ids = 0;

  async function provision(settings: MerchantSettings, via: Transport): Promise<Credentials> {
    if (!driver.provisionMerchant) throw new Inconclusive('the driver makes no merchants');
    const made = await driver.provisionMerchant(settings, via);
    secrets.add(made.apiSecret).add(made.apiKey);
    return made;
  }
  function merchant(role: Role = 'default'): Promise<Credentials> {
    const configured = session.merchants[role];
    if (configured) return Promise.resolve(configured);
    const made = shared.get(role) ?? provision(roleSettings[role], transport);
    shared.set(role, made);
    return made;
  }

  function receiver(): Promise<Receiver> {
    return session.receiver().catch((error: Error) => {
      throw new Inconclusive(`the receiver of webhooks cannot listen: ${error.message}`);
    });
  }

  return {
    target: session.target,
    transport,
    observations,
    transitions,
    random,
    has: (what) => (isNeed(what) ? missing[what](session) : missingArea([what], session)) === undefined,
    merchant,
    ownMerchant: (settings = {}) => (driver.provisionMerchant ? provision(settings, transport) : merchant()),
    takePaidOrder: () => session.paidOrders.shift(),
    newOrderId: () => {
      ids += 1;
      return `asy-${runId}-${randomBytes(6).toString('hex')}-${ids}`;
    },
    now: () => Date.now() + session.clockSkew,
    orderEvent: ({ merchantId }, orderId, step) => {
      if (!driver.orderEvent) throw new Inconclusive('the driver makes nothing happen to orders');
      return driver.orderEvent(merchantId, orderId, step, transport);
    },
    refundEvent: ({ merchantId }, refundOrderId, step) => {
      if (!driver.refundEvent) throw new Inconclusive('the driver makes nothing happen to refunds');
      return driver.refundEvent(merchantId, refundOrderId, step, transport);
    },
    advanceClock: ({ merchantId }, seconds) => {
      if (!driver.advanceClock) throw new Inconclusive('the driver moves no clock');
      return driver.advanceClock(merchantId, seconds, transport);
    },
    mailbox: async () => (await receiver()).mailbox(transport.record),
    closedMailbox: async () => {
      if (session.webhooks.url !== undefined) throw new NotApplicable('webhooks.url always leads to a receiver');
      return (await receiver()).closedMailbox(transport.record);
    },
    webhookWait: session.webhookWait,
    poll: async (ask, settled) => {
      const end = Date.now() + session.settle;
      for (let pause = 20; ; pause = Math.min(pause * 2, 1000)) {
        const answer = await ask();
        if (settled(answer) || Date.now() + pause > end) return answer;
        await delay(pause);
      }
    },
    observe: (openPoint, seen, value, also) => {
      const known =
        value === null ||
        (value !== undefined && openPoints.some(({ id, values }) => id === openPoint && Object.hasOwn(values, value)));
      observations.push({ openPoint, seen, ...(known && { value, ...(also && { also }) }) });
    },
    sawTransition: (transition) => {
      transitions.push(transition);
    },
  };
}

/** Random numbers from 0 up to 1 that follow from a text (mulberry32). */
export function seededRandom(text: string): () => number {
  let state = [...text].reduce(
    (hash, character) => Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193),
    0x811c9dc5,
  );
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
