import type { Send, WebhookRequest } from '../../../../server/services/delivery/deliver.ts';
import type { JsonObject } from '../../../contract/json.ts';
import {
  bodyOf,
  isHostedCreate,
  merchantIdOf,
  onlyFor,
  recordOfEvent,
  showingEach,
  storing,
} from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { followingClocks } from '../../stand/order-changes.ts';
import type { Handler } from '../../stand/proxy.ts';
import { acknowledged, eventOf, isOfCheckout, isOfRefund, sending } from '../../stand/webhook-changes.ts';

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

/** A server that sends no event about what `marks` has marked by its platform id. */
const losingMarked = (marks: (mark: (id: unknown) => void) => Handler, idOf: (event: JsonObject) => unknown): Make => {
  const marked = new Set<unknown>();
  return {
    merchantApi: marks((id) => marked.add(id)),
    ...sending((webhook, send) => (marked.has(idOf(eventOf(webhook))) ? Promise.resolve(acknowledged) : send(webhook))),
  };
};

/** The platform's id of an order in an event of a status; the events of other statuses hold none. */
const orderIn = (wanted: string) => (event: JsonObject) => (event.status === wanted ? event.orderId : undefined);

/** Marks hosted orders whose create is sent again, by their platform ids. */
const repeatedOrders = (mark: (id: unknown) => void): Handler => {
  const made = new Map<string, unknown>();
  return onlyFor(isHostedCreate, async (request, server) => {
    const answer = await server.forward(request);
    const key = `${merchantIdOf(request)} ${bodyOf(request)?.merchantOrderId}`;
    if (made.has(key)) mark(made.get(key));
    else made.set(key, Object(bodyOf(answer)?.data).orderId);
    return answer;
  });
};

/** Marks the refunds that a batch query shows. */
const refundsOfBatches = (mark: (id: unknown) => void): Handler =>
  showingEach('refunds.batch-query', (view) => {
    mark(view.refundOrderId);
    return view;
  });

/** A server that announces one refund of each order. */
function announcingFirstRefunds(): Make {
  const announced = new Map<unknown, unknown>();
  return sending(async (webhook, send) => {
    if (!isOfRefund(webhook)) return send(webhook);
    const { acquiringOrderId, refundOrderId } = eventOf(webhook);
    const first = announced.get(acquiringOrderId) ?? refundOrderId;
    announced.set(acquiringOrderId, first);
    return first === refundOrderId ? send(webhook) : acknowledged;
  });
}

/** A server that sends beside the news of a payment that was seen one that says it is confirmed. */
const announcedTooEarly = (name: string, has: (webhook: WebhookRequest) => boolean): Fault => ({
  id: `${name}-announced-as-paid-when-payment-is-seen`,
  title: 'Announces an order as paid when its payment is seen, beside the right webhook.',
  breaks: 'webhooks.order.after-change',
  caughtBy: `webhooks.${name}.while-processing`,
  make: sending((webhook, send) => alsoAsPaid(webhook, send, has(webhook))),
});

/** Sends a webhook; where it tells of a payment that was seen, and `applies`, also one that says it is confirmed. */
async function alsoAsPaid(webhook: WebhookRequest, send: Send, applies: boolean): ReturnType<Send> {
  const event = eventOf(webhook);
  if (applies && event.status === 'PROCESSING') {
    await send({ ...webhook, body: JSON.stringify({ ...event, status: 'SUCCEEDED' }) });
  }
  return send(webhook);
}

/** What is paid for an order at least, and at most, that costs what those of the checks usually do. */
const leastUsual = 1;
const mostUsual = 50;

/** A server that announces an order of which the driver has said how much is paid, by that amount, when the payment is seen. */
function announcedByAmount(name: string, isMeant: (amount: number) => boolean): Fault {
  const meant = new Set<unknown>();
  return {
    id: `${name}-announced-as-paid-when-payment-is-seen`,
    title: `Announces an order of which ${name.replaceAll('-', ' ')} as paid when that is seen, beside the right webhook.`,
    breaks: 'webhooks.order.after-change',
    caughtBy: 'webhooks.checkout-order.while-processing',
    make: {
      control: (request, server) => {
        const { amount } = bodyOf(request) ?? {};
        if (amount !== undefined && isMeant(Number(amount))) meant.add(recordOfEvent('orders', request));
        return server.forward(request);
      },
      ...sending((webhook, send) => alsoAsPaid(webhook, send, meant.has(eventOf(webhook).acquiringOrderId))),
    },
  };
}

/** A server that keeps one webhook for each order, status and address, of the order or of its refund. */
function oneForEachStatus(): Make {
  const sent = new Set<unknown>();
  return sending((webhook, send) => {
    const { status, acquiringOrderId } = eventOf(webhook);
    const key = `${acquiringOrderId} ${status} ${webhook.url}`;
    if (isOfRefund(webhook)) return sent.has(key) ? Promise.resolve(acknowledged) : send(webhook);
    sent.add(key);
    return send(webhook);
  });
}

/** A server that holds back for a moment what it has seen of a payment, and drops it where the order has moved on by then. */
function droppingPassedStates(): Make {
  const paid = new Set<unknown>();
  const moment = 300;
  return sending(async (webhook, send) => {
    const { status, acquiringOrderId } = eventOf(webhook);
    if (status === 'SUCCEEDED') paid.add(acquiringOrderId);
    if (status !== 'PROCESSING') return send(webhook);
    await new Promise((resolve) => setTimeout(resolve, moment));
    return paid.has(acquiringOrderId) ? acknowledged : send(webhook);
  });
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
    breaks: 'webhooks.order.expired',
    caughtBy: 'webhooks.checkout-order.many-at-once',
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
    id: 'repeated-hosted-order-not-announced',
    title: 'Announces nothing of a hosted order whose create was sent again.',
    breaks: 'webhooks.order.paid',
    caughtBy: 'webhooks.order.deliveries.paid',
    feeds: ['webhooks.situations.orders'],
    make: losingMarked(repeatedOrders, ({ orderId }) => orderId),
  },
  {
    id: 'cancelled-repeated-order-not-announced',
    title: 'Does not announce that a hosted order is cancelled whose create was sent again.',
    breaks: 'webhooks.order.cancelled',
    caughtBy: 'webhooks.order.deliveries.cancelled',
    feeds: ['webhooks.situations.orders'],
    make: losingMarked(repeatedOrders, orderIn('CLOSED')),
  },
  {
    id: 'refund-in-batch-not-announced',
    title: 'Announces nothing of a refund that a batch query has shown.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.deliveries.succeeded',
    feeds: ['webhooks.situations.refunds'],
    make: losingMarked(refundsOfBatches, ({ refundOrderId }) => refundOrderId),
  },
  {
    id: 'automatic-orders-announced-when-payment-is-seen',
    title: 'Announces an order as paid when its payment is seen, where payments are confirmed without the driver.',
    breaks: 'webhooks.order.after-change',
    caughtBy: 'webhooks.order.while-processing',
    make: announcingTheAutomatic((webhook) => !isOfRefund(webhook)),
  },
  {
    id: 'one-webhook-for-each-status-of-an-order',
    title: 'Takes the webhook of a refund for sent that names the status and the address of one of its order.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.shared-with-its-order',
    make: oneForEachStatus(),
  },
  {
    id: 'passed-states-not-announced',
    title: 'Announces no state that an order has left a moment later.',
    breaks: 'webhooks.order.processing',
    caughtBy: 'webhooks.order.processing',
    make: droppingPassedStates(),
  },
  announcedTooEarly('order', (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook)),
  announcedTooEarly('checkout-order', isOfCheckout),
  announcedByAmount('more-than-due-is-paid', (amount) => amount > mostUsual),
  announcedByAmount('almost-nothing-is-paid', (amount) => amount < leastUsual),
  {
    id: 'one-refund-of-each-order-announced',
    title: 'Takes the result of a second refund of an order for announced with that of the first.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.second-of-order',
    make: announcingFirstRefunds(),
  },
  {
    id: 'webhooks-cut-to-two-thousand-characters',
    title: 'Keeps two thousand characters of the body of a webhook.',
    breaks: 'webhooks.content-type',
    caughtBy: 'webhooks.checkout-order.deliveries.content-type',
    feeds: ['checkout.combinations'],
    make: sending((webhook, send) => send({ ...webhook, body: webhook.body.slice(0, 2000) })),
  },
];
