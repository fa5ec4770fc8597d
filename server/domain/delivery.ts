import type { Choices } from '../../generated/catalogue.ts';

/** One webhook: an event on its way to one address. Times are business time, in milliseconds, where nothing else is said. */
export interface Delivery {
  deliveryId: string;
  /** The same in every attempt; what a receiver deduplicates by. */
  eventId: string;
  merchantId: string;
  /** What it reports on, by platform id. */
  subject: { orderId: string } | { refundOrderId: string };
  url: string;
  /** The body, JSON text, as it is sent in every attempt. */
  payload: string;
  status: 'pending' | 'delivered' | 'exhausted';
  attempts: DeliveryAttempt[];
  createdAt: number;
  /** When the next attempt is due; null when none is. */
  dueAt: number | null;
  /**
   * Real time in milliseconds until which an instance is at work on it; null: none is. An instance that died leaves it
   * behind, and after that time another takes over.
   */
  claimedUntil: number | null;
}

/** One try, and when it ended: what the receiver answered, or why it did not. */
export type DeliveryAttempt = { at: number } & ({ httpStatus: number } | { error: string });

/** Waits between attempts, in milliseconds of business time; after the last one a delivery is given up. */
export type RetryDelays = readonly number[];

/** The schedules of open point `webhook-retry`. */
export const retryDelays: Readonly<Record<Choices['webhook-retry'], RetryDelays>> = {
  growing: [5_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 5 * 3_600_000, 10 * 3_600_000, 10 * 3_600_000],
  even: [60_000, 60_000, 60_000, 60_000],
};

/** The delivery after an attempt: received with exactly 200, else due again, else given up. */
export function afterAttempt(delivery: Delivery, attempt: DeliveryAttempt, delays: RetryDelays): Delivery {
  const attempts = [...delivery.attempts, attempt];
  const done = { ...delivery, attempts, claimedUntil: null, dueAt: null };
  if ('httpStatus' in attempt && attempt.httpStatus === 200) return { ...done, status: 'delivered' };
  const wait = delays[attempts.length - 1];
  if (wait === undefined) return { ...done, status: 'exhausted' };
  return { ...done, status: 'pending', dueAt: attempt.at + wait };
}

/**
 * The stored delivery after an attempt that was made for it as it was `claimed`. In the meantime a replay may have made it
 * due again, which stands, or the claim may have run out and another instance taken over, whose business it is then: this
 * attempt is only noted.
 */
export function recordAttempt(
  stored: Delivery,
  claimed: Delivery,
  attempt: DeliveryAttempt,
  delays: RetryDelays,
): Delivery {
  const attempts = [...stored.attempts, attempt];
  if (stored.claimedUntil !== claimed.claimedUntil) return { ...stored, attempts };
  if (stored.dueAt !== claimed.dueAt) return { ...stored, attempts, claimedUntil: null };
  return afterAttempt(stored, attempt, delays);
}

/**
 * The delivery, whatever its status, due at `now`. Its attempts are kept and count: automatic retries go on from their
 * number, and where the schedule is used up there is this one attempt more. One that is under way now comes before it.
 */
export function dueAgain(delivery: Delivery, now: number): Delivery {
  return { ...delivery, status: 'pending', dueAt: now };
}
