import { storing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { followingClocks } from '../../stand/order-changes.ts';
import { acknowledged, eventOf, isOfRefund, sending } from '../../stand/webhook-changes.ts';

/** A server that takes an answer to a further attempt for an acknowledgement where it would not at the first one. */
const takingAtFurtherAttempts = (isTaken: (result: { httpStatus?: number; error?: string }) => boolean): Make => {
  const attempts = new Map<unknown, number>();
  return sending(async (webhook, send) => {
    const { eventId } = eventOf(webhook);
    const attempt = (attempts.get(eventId) ?? 0) + 1;
    attempts.set(eventId, attempt);
    const result = await send(webhook);
    return attempt > 1 && isTaken(result) ? acknowledged : result;
  });
};

const secondAttempt = (id: string, title: string, make: Make): Fault => ({
  id,
  title,
  breaks: 'webhooks.retry',
  caughtBy: 'webhooks.retry.second-attempt',
  make,
});

/** How many events of a merchant are sent. */
const mostEvents = 20;

/** A server that sends no more than so many events of each merchant. */
function sendingTheFirst(): Make {
  const sent = new Map<unknown, Set<unknown>>();
  return sending(async (webhook, send) => {
    const { merchantId, eventId } = eventOf(webhook);
    const events = (sent.get(merchantId) ?? new Set()).add(eventId);
    sent.set(merchantId, events);
    return events.size > mostEvents ? acknowledged : send(webhook);
  });
}

const threeDays = 3 * 86_400_000;

/** A server that drops what it should have sent days ago, such as an expiry that it had not looked at. */
function droppingTheStale(): Make {
  const { now, control } = followingClocks();
  return {
    control,
    webhooks: () => async (webhook, send) => {
      const { status, expiresAt, merchantId } = eventOf(webhook);
      const isStale = status === 'CLOSED' && Date.parse(String(expiresAt)) < now(String(merchantId)) - threeDays;
      return isStale ? acknowledged : send(webhook);
    },
  };
}

/** A server that announces the end of what moves on by itself when that begins to move, beside the right webhook. */
function announcingTheAutomatic(applies: (webhook: Parameters<typeof eventOf>[0]) => boolean): Make {
  const automatic = new Set<unknown>();
  return {
    parts: storing((records) => ({
      insertMerchant: (merchant) => {
        if (merchant.settings.automatic) automatic.add(merchant.merchantId);
        return records.insertMerchant(merchant);
      },
    })),
    webhooks: () => async (webhook, send) => {
      const event = eventOf(webhook);
      if (applies(webhook) && automatic.has(event.merchantId) && event.status === 'PROCESSING') {
        await send({ ...webhook, body: JSON.stringify({ ...event, status: 'SUCCEEDED' }) });
      }
      return send(webhook);
    },
  };
}

/** Wrong servers that lose webhooks, or send them too early, under a condition that the usual ones do not meet. */
export const lostWebhookFaults: readonly Fault[] = [
  secondAttempt(
    'second-attempt-acknowledged-by-any-success',
    'Takes every status of the 200s for an acknowledgement from the second attempt on.',
    takingAtFurtherAttempts(({ httpStatus = 0 }) => httpStatus >= 200 && httpStatus < 300),
  ),
  secondAttempt(
    'second-attempt-without-answer-is-the-last',
    'Gives an event up whose second attempt gets no answer.',
    takingAtFurtherAttempts(({ error }) => error !== undefined),
  ),
  {
    id: 'first-events-of-merchant-sent',
    title: `Sends the first ${mostEvents} events of each merchant, and no more.`,
    breaks: 'webhooks.order.paid',
    caughtBy: 'webhooks.checkout-order.every-shape.paid',
    make: sendingTheFirst(),
  },
  {
    id: 'stale-expiries-not-announced',
    title: 'Does not announce an expiry that it notices more than three days later.',
    breaks: 'webhooks.order.expired',
    caughtBy: 'webhooks.order.weeks-later',
    make: droppingTheStale(),
  },
  {
    id: 'automatic-orders-announced-when-payment-is-seen',
    title: 'Announces an order as paid when its payment is seen, where payments are confirmed without the driver.',
    breaks: 'webhooks.order.after-change',
    caughtBy: 'webhooks.order.while-processing',
    make: announcingTheAutomatic((webhook) => !isOfRefund(webhook)),
  },
];
