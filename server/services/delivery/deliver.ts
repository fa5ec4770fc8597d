import { type Delivery, dueAgain, type RetryDelays, recordAttempt } from '../../domain/delivery.ts';
import { businessTime, isActive } from '../../domain/merchant.ts';
import type { ClaimedDelivery, Clock, Records, Storage } from '../ports.ts';
import { createLanes, type LaneItem, type LaneLimits } from './lanes.ts';

/** One POST to a receiver. `url` is unchanged from the merchant's request. */
export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The outcome of a POST. `error` is a short text without secrets. */
export type SendResult = { httpStatus: number } | { error: string };

/** Sends a webhook; takes `sendTimeout` at most and never rejects. */
export type Send = (request: WebhookRequest) => Promise<SendResult>;

/** The facts from which the headers of an attempt are made. `now` is real time in milliseconds. */
export interface SignedAttempt {
  url: string;
  payload: string;
  eventId: string;
  /** The secrets to sign with, each on its own; at least one. */
  secrets: readonly string[];
  now: number;
}

/** How long a receiver may take to answer, in milliseconds of real time (open point `webhook-retry`). */
export const sendTimeout = 10_000;

/** How long a claim keeps other instances away, in milliseconds of real time. */
const lease = 30_000;

/** The time that a claim must still last when an attempt starts: enough to send, and to record the outcome; milliseconds. */
const leaseForAttempt = sendTimeout + 5_000;

/** How often the worker looks for due deliveries, in milliseconds. */
const pollInterval = 500;

/** How many deliveries one transaction claims. On SQLite all else waits meanwhile. */
const batch = 100;

/** About as many deliveries may wait in a lane as a fast receiver takes in while a claim lasts. Some receivers are slow for long. */
const defaultLimits: LaneLimits = {
  perLane: 8,
  overall: 256,
  waitingPerLane: 10_000,
  waitingBytes: 16 * 1024 * 1024,
};

/** The part of a stored delivery that takes one place while it is sent, so that large payloads are sent a few at a time. */
const bytesPerPlace = 64 * 1024;

/** The most keys of a merchant that sign a webhook, so that its headers stay small enough for every receiver. */
const mostSignatures = 5;

/** About how many bytes of memory a waiting delivery takes beside its URL. */
const bytesOfWaiting = 500;

export interface DeliveryParts {
  storage: Storage;
  clock: Clock;
  send: Send;
  /** The signed headers of an attempt. */
  headersOf: (attempt: SignedAttempt) => Record<string, string>;
  retryDelays: RetryDelays;
  /** Receives failures of the server itself; never a secret. */
  log: (message: string, error: unknown) => void;
  /** How many are sent at once. An owner is a merchant, and a lane a receiver's host and port. */
  limits?: Partial<LaneLimits>;
}

export type DeliveryWorker = ReturnType<typeof deliveryWorker>;

/**
 * Sends due webhooks and records the outcomes. Any number of workers may share a database: a delivery is claimed before it
 * is sent, and is sent again after the claim has run out if its outcome could not be recorded.
 */
export function deliveryWorker({ storage, clock, send, headersOf, retryDelays, log, limits }: DeliveryParts) {
  let stopped = false;
  /** Whether the last look left due deliveries behind because all places were taken. */
  let moreIsDue = false;
  let timer: NodeJS.Timeout | undefined;
  /** The look at the database that is under way, and the next one, which was asked for after the first had begun. */
  let looking: Promise<number> | undefined;
  let lookingNext: Promise<number> | undefined;

  const lanes = createLanes(
    { ...defaultLimits, ...limits },
    (claimed: ClaimedDelivery) =>
      deliver(claimed).catch((error: unknown) => log(`webhook ${claimed.deliveryId} is tried again later`, error)),
    () => {
      if (moreIsDue) wake();
    },
  );

  /** Claims and starts the deliveries that are due now. Resolves with their number; rejects when the database fails. */
  function run(): Promise<number> {
    if (!looking) {
      looking = claimDue().finally(() => {
        looking = undefined;
      });
      return looking;
    }
    // The caller's write may be too late for the look under way. One more look is enough for all callers who ask now.
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
      // A delivery for which its lane has no room stays claimed, so that looks pass over it until the claim runs out.
      for (const delivery of due) lanes.add(laneItem(delivery));
      claimed += due.length;
      if (due.length < batch) break;
    }
    return claimed;
  }

  async function deliver(claimed: ClaimedDelivery): Promise<void> {
    const { merchantId, deliveryId } = claimed;
    // A delivery that has waited too long is skipped. It comes again when its claim has run out.
    if (!claimLasts(claimed)) return;
    const merchant = await storage.reads.findMerchant(merchantId);
    if (!merchant) throw new Error(`There is no merchant ${merchantId}.`);
    const secrets = await activeSecrets(merchantId);
    const loaded = await storage.reads.findDelivery(merchantId, deliveryId);
    // Another instance has taken over if the claim is another one.
    if (loaded?.claimedUntil !== claimed.claimedUntil || !claimLasts(claimed)) return;
    const { url, payload, eventId } = loaded;
    const result = await attempt(url, payload, eventId, secrets);
    // The clock offset is the one from before the attempt. A receiver that moves the clock forward so makes the retry due.
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

  function claimLasts({ claimedUntil }: ClaimedDelivery): boolean {
    return claimedUntil - clock() >= leaseForAttempt;
  }

  /** The secrets of the merchant's newest keys that are active now, the newest first. */
  async function activeSecrets(merchantId: string): Promise<string[]> {
    const keys = await storage.reads.listApiKeys(merchantId);
    const now = clock();
    const active = keys.filter((key) => isActive(key, now)).reverse();
    return active.slice(0, mostSignatures).map(({ apiSecret }) => apiSecret);
  }

  async function attempt(
    url: string,
    payload: string,
    eventId: string,
    secrets: readonly string[],
  ): Promise<SendResult> {
    if (!URL.canParse(url)) return { error: 'the address is not a URL' };
    if (secrets.length === 0) return { error: 'the merchant has no active API key to sign with' };
    return send({ url, headers: headersOf({ url, payload, eventId, secrets, now: clock() }), body: payload });
  }

  /** Looks for due deliveries at once; to be called after a commit. A failure is logged, and the next look makes up for it. */
  function wake(): void {
    if (stopped) return;
    run().catch((error: unknown) => log('looking for due webhooks failed; it is tried again', error));
  }

  /** Begins to look again and again by itself, without keeping the process alive. */
  function start(): void {
    timer ??= setInterval(wake, pollInterval).unref();
  }

  /** Resolves when every claimed delivery was attempted and recorded, including retries that are due by then. */
  async function idle(): Promise<void> {
    do {
      await lanes.idle();
      await (lookingNext ?? looking)?.catch(() => 0);
    } while (looking || lookingNext || lanes.isBusy());
  }

  /** Claims nothing more, gives back claims on deliveries that have not begun, and resolves when attempts under way have ended. */
  async function stop(): Promise<void> {
    stopped = true;
    clearInterval(timer);
    await (lookingNext ?? looking)?.catch(() => 0);
    await release(lanes.clear()).catch((error: unknown) => log('webhooks stay claimed for a while', error));
    await lanes.idle();
  }

  async function release(claimed: ClaimedDelivery[]): Promise<void> {
    if (claimed.length > 0) await storage.transaction((records) => records.releaseDeliveries(claimed));
  }

  return { run, wake, start, idle, stop };
}

function laneItem(claimed: ClaimedDelivery): LaneItem<ClaimedDelivery> {
  return {
    item: claimed,
    owner: claimed.merchantId,
    lane: receiverOf(claimed.url),
    places: Math.max(1, Math.ceil(claimed.bytes / bytesPerPlace)),
    bytes: bytesOfWaiting + 2 * claimed.url.length,
  };
}

/** The host and port of a URL. Text that is not a URL counts as a receiver of its own. */
function receiverOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/**
 * Makes a delivery due at once, whatever its status, and resolves with it; `undefined` when the merchant has no such
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
