import { type Delivery, dueAgain, type RetryDelays, recordAttempt } from '../../domain/delivery.ts';
import { businessTime, isActive } from '../../domain/merchant.ts';
import type { Clock, Records, Storage } from '../ports.ts';
import { createLanes, type LaneLimits } from './lanes.ts';

/** One POST to a receiver. `url` stands here as the merchant gave it. */
export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What came of it. `error` is a short text without secrets. */
export type SendResult = { httpStatus: number } | { error: string };

/** Sends a webhook; takes `sendTimeout` at most and never rejects. */
export type Send = (request: WebhookRequest) => Promise<SendResult>;

/** What an attempt's headers are made from. `now` is real time in milliseconds. */
export interface SignedAttempt {
  url: string;
  payload: string;
  eventId: string;
  secret: string;
  now: number;
}

/** How long a receiver may take to answer, in milliseconds of real time (open point `webhook-retry`). */
export const sendTimeout = 10_000;

/** How long a claim keeps other instances away, in milliseconds of real time. */
const lease = 30_000;

/** What an attempt needs of its claim when it starts: the time to send, and some to record the outcome. */
const leaseForAttempt = sendTimeout + 5_000;

/** How often the worker looks for what has become due, in milliseconds. */
const pollInterval = 500;

/** How many deliveries one transaction claims. */
const batch = 100;

/** Some receivers may be slow or away for long: what waits is about what a fast one takes in while a claim lasts. */
const defaultLimits: LaneLimits = { perLane: 8, overall: 256, waitingPerLane: 10_000 };

export interface DeliveryParts {
  storage: Storage;
  clock: Clock;
  send: Send;
  /** The signed headers of an attempt. */
  headersOf: (attempt: SignedAttempt) => Record<string, string>;
  retryDelays: RetryDelays;
  /** Receives what went wrong inside; never a secret. */
  log: (message: string, error: unknown) => void;
  /** How many are sent at once; a lane is a receiver's host and port. */
  limits?: Partial<LaneLimits>;
}

export type DeliveryWorker = ReturnType<typeof deliveryWorker>;

/**
 * Sends webhooks that are due and records what came of them. Any number of workers may share a database: a delivery is
 * claimed before it is sent, and one whose outcome could not be recorded is sent again when its claim has run out.
 */
export function deliveryWorker({ storage, clock, send, headersOf, retryDelays, log, limits }: DeliveryParts) {
  let stopped = false;
  /** Whether the last look left something behind because all places were taken. */
  let moreIsDue = false;
  let timer: NodeJS.Timeout | undefined;
  /** The look at the database that is under way, and the one that was asked for after it had begun. */
  let looking: Promise<number> | undefined;
  let lookingNext: Promise<number> | undefined;

  const lanes = createLanes(
    { ...defaultLimits, ...limits },
    (claimed: Delivery) =>
      deliver(claimed).catch((error: unknown) => log(`webhook ${claimed.deliveryId} is tried again later`, error)),
    () => {
      if (moreIsDue) wake();
    },
  );

  /** Claims what is due now and starts it; resolves with how many that were, and rejects when the database fails. */
  function run(): Promise<number> {
    if (!looking) {
      looking = claimDue().finally(() => {
        looking = undefined;
      });
      return looking;
    }
    // What the caller has written may be too late for the look under way. One more is enough for all who ask now.
    lookingNext ??= looking
      .catch(() => 0)
      .then(() => {
        lookingNext = undefined;
        return run();
      });
    return lookingNext;
  }

  async function claimDue(): Promise<number> {
    let claimed = 0;
    while (!stopped) {
      moreIsDue = !lanes.hasPlace();
      if (moreIsDue) break;
      const now = clock();
      const due = await storage.transaction((records) => records.claimDueDeliveries(now, batch, now + lease));
      // One that its lane does not take is claimed all the same: so the next look passes over it, until the claim runs out.
      for (const delivery of due) lanes.add(receiverOf(delivery.url), delivery);
      claimed += due.length;
      if (due.length < batch) break;
    }
    return claimed;
  }

  async function deliver(claimed: Delivery): Promise<void> {
    const { merchantId, deliveryId, eventId, url, payload } = claimed;
    // Nothing is read for what has waited too long: it comes again when its claim has run out.
    if (!claimLasts(claimed)) return;
    const merchant = await storage.reads.findMerchant(merchantId);
    if (!merchant) throw new Error(`There is no merchant ${merchantId}.`);
    const secret = await newestSecret(merchantId);
    if (!claimLasts(claimed)) return;
    const result = await attempt(url, payload, eventId, secret);
    // By the offset from before it was sent: a clock that the receiver moves forward makes the retry due.
    const at = businessTime(merchant, clock());
    const recorded = await storage.transaction(async (records) => {
      const stored = await records.lockDelivery(merchantId, deliveryId);
      if (!stored) throw new Error(`There is no delivery ${deliveryId}.`);
      const after = recordAttempt(stored, claimed, { at, ...result }, retryDelays);
      await records.updateDelivery(after);
      return after;
    });
    if (recorded.status === 'pending') wake();
  }

  function claimLasts({ claimedUntil }: Delivery): boolean {
    return claimedUntil !== null && claimedUntil - clock() >= leaseForAttempt;
  }

  /** Of the merchant's newest key that is active now. */
  async function newestSecret(merchantId: string): Promise<string | undefined> {
    const keys = await storage.reads.listApiKeys(merchantId);
    const now = clock();
    return keys.findLast((key) => isActive(key, now))?.apiSecret;
  }

  async function attempt(url: string, payload: string, eventId: string, secret?: string): Promise<SendResult> {
    if (!URL.canParse(url)) return { error: 'the address is not a URL' };
    if (secret === undefined) return { error: 'the merchant has no active API key to sign with' };
    return send({ url, headers: headersOf({ url, payload, eventId, secret, now: clock() }), body: payload });
  }

  /** Looks at once for what is due; for after a commit. A failure is logged, and the next look makes up for it. */
  function wake(): void {
    if (stopped) return;
    run().catch((error: unknown) => log('looking for due webhooks failed; it is tried again', error));
  }

  /** Begins to look again and again by itself, without keeping the process alive. */
  function start(): void {
    timer ??= setInterval(wake, pollInterval).unref();
  }

  /** Resolves when all that was claimed has been attempted and recorded, retries that are due by then included. */
  async function idle(): Promise<void> {
    do {
      await lanes.idle();
      await (lookingNext ?? looking)?.catch(() => 0);
    } while (looking || lookingNext || lanes.isBusy());
  }

  /** Claims nothing more, gives back what has not begun, and resolves when what is under way has ended. */
  async function stop(): Promise<void> {
    stopped = true;
    clearInterval(timer);
    await (lookingNext ?? looking)?.catch(() => 0);
    await release(lanes.clear()).catch((error: unknown) => log('webhooks stay claimed for a while', error));
    await lanes.idle();
  }

  async function release(claimed: Delivery[]): Promise<void> {
    if (claimed.length === 0) return;
    await storage.transaction(async (records) => {
      for (const { merchantId, deliveryId, claimedUntil } of claimed) {
        const stored = await records.lockDelivery(merchantId, deliveryId);
        if (stored?.claimedUntil === claimedUntil) await records.updateDelivery({ ...stored, claimedUntil: null });
      }
    });
  }

  return { run, wake, start, idle, stop };
}

/** Host and port; what is no URL is a receiver of its own. */
function receiverOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/**
 * Makes a delivery due at once, whatever became of it, and resolves with it; `undefined` when the merchant has no such
 * delivery. `now` is business time in milliseconds. Wake the worker after the commit.
 */
export async function replay(
  records: Records,
  merchantId: string,
  deliveryId: string,
  now: number,
): Promise<Delivery | undefined> {
  const stored = await records.lockDelivery(merchantId, deliveryId);
  if (!stored) return undefined;
  const due = dueAgain(stored, now);
  await records.updateDelivery(due);
  return due;
}
