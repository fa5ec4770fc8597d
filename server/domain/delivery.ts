import type { Choices } from '../../generated/catalogue.ts';

/** One webhook: an event on its way to one address. Times are business time, in milliseconds, where nothing else is said. */
export interface Delivery {
  deliveryId: string;
  /** The same in every attempt, so that a receiver can recognise a repetition. */
  eventId: string;
  merchantId: string;
  /** The platform id of the order or refund that the event reports on. */
  subject: { orderId: string } | { refundOrderId: string };
  url: string;
  status: 'pending' | 'delivered' | 'exhausted';
  attempts: DeliveryAttempt[];
  createdAt: number;
  /** When the next attempt is due; null when none is. */
  dueAt: number | null;
  /**
   * Real time in milliseconds until which an instance works on the delivery; null: no instance does. When an instance
   * dies, another one takes over after that time.
   */
  claimedUntil: number | null;
}

/** A delivery with its body, which may be large and never changes. */
export interface DeliveryWithPayload extends Delivery {
  /** The body, JSON text, as it is sent in every attempt. */
  payload: string;
}

/** One attempt: when it ended, and the receiver's HTTP status or the reason why there is none. */
export type DeliveryAttempt = { at: number } & ({ httpStatus: number } | { error: string });

/** Waits between attempts, in milliseconds of business time; after the last one a delivery is given up. */
export type RetryDelays = readonly number[];

/** The schedules of open point `webhook-retry`. */
export const retryDelays: Readonly<Record<Choices['webhook-retry'], RetryDelays>> = {
  growing: [5_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 5 * 3_600_000, 10 * 3_600_000, 10 * 3_600_000],
  even: [60_000, 60_000, 60_000, 60_000],
};

/** The delivery after an attempt: delivered for exactly 200, otherwise due again, or exhausted after the last retry. */
export function afterAttempt(delivery: Delivery, attempt: DeliveryAttempt, delays: RetryDelays): Delivery {
  const attempts = [...delivery.attempts, attempt];
  const done = { ...delivery, attempts, claimedUntil: null, dueAt: null };
  if ('httpStatus' in attempt && attempt.httpStatus === 200) return { ...done, status: 'delivered' };
  const wait = delays[attempts.length - 1];
  if (wait === undefined) return { ...done, status: 'exhausted' };
  return { ...done, status: 'pending', dueAt: attempt.at + wait };
}

/**
 * The stored delivery after an attempt that was made for the delivery as it was `claimed`. A replay in the meantime keeps the
 * delivery due. If the claim has run out and another instance has taken over, this attempt is only noted.
 */
export function recordAttempt(
  stored: Delivery,
  claimed: Pick<Delivery, 'claimedUntil' | 'dueAt'>,
  attempt: DeliveryAttempt,
  delays: RetryDelays,
): Delivery {
  const attempts = [...stored.attempts, attempt];
  if (stored.claimedUntil !== claimed.claimedUntil) return { ...stored, attempts };
  if (stored.dueAt !== claimed.dueAt) return { ...stored, attempts, claimedUntil: null };
  return afterAttempt(stored, attempt, delays);
}

/**
 * The delivery, made due at `now` whatever its status. Its attempts are kept: automatic retries go on from their number, and
 * a delivery with a used-up schedule gets this one attempt more. An attempt that is under way now comes first.
 */
export function dueAgain(delivery: Delivery, now: number): Delivery {
  return { ...delivery, status: 'pending', dueAt: now };
}
