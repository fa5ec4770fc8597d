import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Area, type OpenPointId, openPoints } from '../../generated/catalogue.ts';
import type { Credentials, Driver, MerchantSettings, StepOutcome } from '../drivers/driver.ts';
import { Inconclusive, NotApplicable } from '../errors/outcomes.ts';
import type { Answer } from '../wire/exchange.ts';
import type { ClosedMailbox, Mailbox, Receiver } from '../wire/receiver.ts';
import { createTransport, type Transport } from '../wire/transport.ts';
import { isAvailable, type Need } from './needs.ts';
import { seededRandom } from './random.ts';
import type { Role, Session } from './session.ts';

/** The settings with which a merchant is made for its role, where none is configured. */
const roleSettings: Readonly<Record<Role, MerchantSettings>> = {
  default: {},
  other: {},
  checkoutDisabled: { checkoutEnabled: false },
  lowBalance: { balances: { USDT: '0.01', USDC: '0.01', USD1: '0.01' } },
};

/** What a target does at an open point. */
export interface Observation {
  openPoint: OpenPointId;
  /** The value of the register; `null`: none of its values fits; absent: the answers do not tell. */
  value?: string | null;
  /** Further values of the register that fit as well. */
  also?: readonly string[];
  /** The behaviour in a few words. */
  seen: string;
}

/** The result of one cell of a state grid. */
export interface SeenTransition {
  machine: 'orders' | 'checkout' | 'refunds';
  from: string;
  event: string;
  /** The state after the event by the contract, or by the reference server where the contract leaves the move free. */
  expected: string;
  seen: string;
  /** The contract leaves this move free. */
  free?: true;
}

/** The means by which a check asks, arranges and records. */
export interface CheckContext {
  /** Address of the target, without a closing slash. */
  readonly target: string;
  readonly transport: Transport;
  /** Whether the target has an area, or the run what a check needs. */
  has(name: Area | Need): boolean;
  /** A merchant that all checks of the run share. */
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
  /** Takes a step of the driver for an order. Throws `Inconclusive` when the driver fails. */
  orderEvent(
    merchant: Credentials,
    orderId: string,
    step: Parameters<NonNullable<Driver['orderEvent']>>[2],
  ): Promise<StepOutcome>;
  /** Takes a step of the driver for a refund. Throws `Inconclusive` when the driver fails. */
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
  /** Asks again, with growing pauses, until the answer is `settled` or the configured wait is over. Returns the last answer. */
  poll(ask: () => Promise<Answer>, settled: (answer: Answer) => boolean): Promise<Answer>;
  /**
   * Records what the target does at an open point: in words, and as a value of the register. A value that the register does
   * not have is left out. `null` says that no value of the register fits, and so none that the point is pinned to. `also` are
   * further values that fit.
   */
  observe(openPoint: OpenPointId, seen: string, value?: string | null, also?: readonly string[]): void;
  /** Records a cell of a state grid. */
  sawTransition(transition: SeenTransition): void;
}

/** A context with the records that the check made in it. */
export interface RecordedContext extends CheckContext {
  readonly observations: readonly Observation[];
  readonly transitions: readonly SeenTransition[];
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
    has: (name) => isAvailable(name, session),
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
