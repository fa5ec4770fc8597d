import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type OpenPointId, type OrdersEvent, type OrdersState, openPoints } from '../generated/catalogue.ts';
import { Inconclusive, type Need } from './check.ts';
import type { Credentials, Driver, MerchantSettings, StepOutcome } from './drivers/driver.ts';
import type { Answer } from './exchange.ts';
import { type Connections, createTransport, type Transport } from './transport.ts';

/** What one run has and all of its checks share. */
export interface Session {
  /** Address of the target, with a path prefix where it has one, without a closing slash. */
  target: string;
  runId: string;
  seed: number;
  driver: Driver;
  /** Configured credentials by role, for targets without a driver that makes merchants. */
  merchants: Readonly<Record<string, Credentials>>;
  connections: Connections;
  /** Milliseconds by which the target's clock is ahead of ours. */
  clockSkew: number;
  timeout: number;
  /** How long to wait for what the contract dates nowhere, in milliseconds. */
  settle: number;
  /** Merchants made for the whole run, by role. */
  shared: Map<string, Promise<Credentials>>;
  /** Everything that must never be shown. */
  secrets: Set<string>;
}

/** What was seen at an open point. */
export interface Observation {
  openPoint: OpenPointId;
  /** The register's name for what was seen; absent where none of its values can be told from it. */
  value?: string;
  /** What was seen, in a few words. */
  seen: string;
}

/** What a cell of a state grid showed. */
export interface SeenTransition {
  machine: 'orders' | 'checkout' | 'refunds';
  from: OrdersState;
  event: OrdersEvent | string;
  /** The state that the contract wants after it. */
  expected: string;
  seen: string;
}

/** What a check works with. */
export interface CheckContext {
  /** Address of the target, without a closing slash. */
  readonly target: string;
  readonly transport: Transport;
  /** A merchant that the run's checks share; its orders have ids of their own. */
  merchant(): Promise<Credentials>;
  /** A second merchant, shared likewise. */
  otherMerchant(): Promise<Credentials>;
  /** A merchant that nobody else uses, whose clock may be moved. */
  ownMerchant(settings?: MerchantSettings): Promise<Credentials>;
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
  /** Moves a merchant's business time forward by `seconds`. */
  advanceClock(merchant: Credentials, seconds: number): Promise<void>;
  /** Asks again, with growing pauses, until `settled` or the configured wait is over; the last answer. */
  poll(ask: () => Promise<Answer>, settled: (answer: Answer) => boolean): Promise<Answer>;
  /**
   * Records what the target does at an open point: in words, and as the register's value where one can be told. A value
   * that the register does not have is left out.
   */
  observe(openPoint: OpenPointId, seen: string, value?: string): void;
  /** Records a cell of a state grid. */
  sawTransition(transition: SeenTransition): void;
}

/** A context with what the check left behind in it. */
export interface RecordedContext extends CheckContext {
  readonly observations: readonly Observation[];
  readonly transitions: readonly SeenTransition[];
}

/** Why a check cannot be run on this target, as words for its report; `undefined` when it can. */
export function missingNeed(needs: readonly Need[], { driver, merchants }: Session): string | undefined {
  const provisions = driver.provisionMerchant !== undefined;
  if (!provisions && !merchants.default) return 'there is no merchant: configure one, or a driver that makes merchants';
  for (const need of needs) {
    if (need === 'order-events' && !driver.orderEvent) return 'no driver makes things happen to orders';
    if (need === 'clock' && !(driver.advanceClock && provisions)) {
      return 'no driver moves business time for merchants of its own';
    }
    if (need === 'other-merchant' && !provisions && !merchants.other) return 'there is no second merchant (role other)';
  }
  return undefined;
}

/** The context of one check. */
export function createContext(session: Session, checkId: string): RecordedContext {
  const { driver, runId, shared, secrets } = session;
  const userAgent = `assay (run ${runId}; check ${checkId})`;
  const transport = createTransport({ connections: session.connections, userAgent, timeout: session.timeout });
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
  function sharedMerchant(role: string): Promise<Credentials> {
    const configured = session.merchants[role];
    if (configured) return Promise.resolve(configured);
    const made = shared.get(role) ?? provision({}, transport);
    shared.set(role, made);
    return made;
  }

  return {
    target: session.target,
    transport,
    observations,
    transitions,
    random,
    merchant: () => sharedMerchant('default'),
    otherMerchant: () => sharedMerchant('other'),
    ownMerchant: (settings = {}) =>
      driver.provisionMerchant ? provision(settings, transport) : sharedMerchant('default'),
    newOrderId: () => {
      ids += 1;
      return `asy-${runId}-${randomBytes(6).toString('hex')}-${ids}`;
    },
    now: () => Date.now() + session.clockSkew,
    orderEvent: ({ merchantId }, orderId, step) => {
      if (!driver.orderEvent) throw new Inconclusive('the driver makes nothing happen to orders');
      return driver.orderEvent(merchantId, orderId, step, transport);
    },
    advanceClock: ({ merchantId }, seconds) => {
      if (!driver.advanceClock) throw new Inconclusive('the driver moves no clock');
      return driver.advanceClock(merchantId, seconds, transport);
    },
    poll: async (ask, settled) => {
      const end = Date.now() + session.settle;
      for (let pause = 20; ; pause = Math.min(pause * 2, 1000)) {
        const answer = await ask();
        if (settled(answer) || Date.now() + pause > end) return answer;
        await delay(pause);
      }
    },
    observe: (openPoint, seen, value) => {
      const known =
        value !== undefined && openPoints.some(({ id, values }) => id === openPoint && Object.hasOwn(values, value));
      observations.push({ openPoint, seen, ...(known && { value }) });
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
