import { setTimeout as delay } from 'node:timers/promises';
import type { RequirementId } from '../../../generated/catalogue.ts';
import type { Refund } from '../../../server/domain/refund.ts';
import type { WebhookRequest } from '../../../server/services/delivery/deliver.ts';
import type { Product } from '../../arrange/orders/any-order.ts';
import {
  bodyOf,
  isCheckout,
  isHosted,
  isOf,
  merchantIdOf,
  onlyFor,
  recordOfEvent,
  refusal,
  showing,
  storing,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import type { ProxyRequest } from '../stand/proxy.ts';
import { crediting, refundRefusal } from '../stand/refund-changes.ts';
import { acknowledged, eventOf, isOfCheckout, isOfRefund, sendAs, sending } from '../stand/webhook-changes.ts';

/** A server whose orders of a product expire only where a clock is moved: after as many seconds of real time they still wait. */
const waitingForDriver = (product: Product, words: string, breaks: RequirementId): Fault => ({
  id: `${product === 'orders' ? 'order' : 'checkout-order'}-expires-by-moved-clock-only`,
  title: `Shows a ${words} as waiting for its payment until somebody moves the clock, however late it is.`,
  breaks,
  caughtBy: `${product}.states.expires-unaided`,
  make: {
    merchantApi: onlyFor(
      product === 'orders' ? isHosted : isCheckout,
      showing((view) =>
        view.status === 'CLOSED' && Date.parse(String(view.expiresAt)) <= Date.now()
          ? { ...view, status: 'INIT' }
          : view,
      ),
    ),
  },
});

/** A server that fails at every query of an order which has expired without a driver and names no address for its webhook. */
function failingWithoutAddress(product: Product, words: string, breaks: RequirementId): Fault {
  const untold = new Set<unknown>();
  const hasExpired = (view: Record<string, unknown>) =>
    view.status === 'CLOSED' && Date.parse(String(view.expiresAt)) <= Date.now();
  return {
    id: `${product === 'orders' ? 'order' : 'checkout-order'}-without-callback-fails-when-expired`,
    title: `Fails at every query of a ${words} without a callbackUrl once its time has run out.`,
    breaks,
    caughtBy: `${product}.states.expires-unaided`,
    make: {
      merchantApi: onlyFor(product === 'orders' ? isHosted : isCheckout, async (request, server) => {
        const answer = await server.forward(request);
        const view = Object(bodyOf(answer)?.data);
        if (request.method === 'POST' && bodyOf(request)?.callbackUrl === undefined) untold.add(view.orderId);
        return untold.has(view.orderId) && hasExpired(view) ? refusal(request, '99999', 'the service failed') : answer;
      }),
    },
  };
}

/** A server that fails at every query of a refund that it has moved on by itself. */
function failingAtOwnMoves(): Fault {
  const driven = new Set<string>();
  return {
    id: 'refund-fails-after-its-own-moves',
    title: 'Fails at every query of a refund that has come to its end without a driver.',
    breaks: 'refunds.query.by-refund-order-id',
    caughtBy: 'refunds.query.unaided',
    make: {
      control: (request, server) => {
        const refundOrderId = recordOfEvent('refunds', request);
        if (refundOrderId !== undefined) driven.add(refundOrderId);
        return server.forward(request);
      },
      merchantApi: onlyFor(isOf('refunds.query'), async (request, server) => {
        const answer = await server.forward(request);
        const { refundOrderId, status } = Object(bodyOf(answer)?.data);
        return status === 'SUCCEEDED' && !driven.has(refundOrderId) ? refundRefusal(500, 'SYSTEM_ERROR') : answer;
      }),
    },
  };
}

/** A server that ends an order of a product at a query where it has not looked for expired ones itself yet, and announces nothing then. */
function silentWhereQueriesFindTheEnd(product: Product, words: string): Fault {
  const found = new Set<unknown>();
  /** How long after an expiry the server itself looks at the latest, in milliseconds. */
  const ownLook = 500;
  return {
    id: `${product === 'orders' ? 'order' : 'checkout-order'}-ended-by-query-unannounced`,
    title: `Announces nothing of a ${words} that has expired where a query finds that before the server itself does.`,
    breaks: 'webhooks.order.expired',
    caughtBy: `${product}.states.expires-unaided`,
    make: {
      merchantApi: onlyFor(
        product === 'orders' ? isHosted : isCheckout,
        showing((view) => {
          const late = Date.now() - Date.parse(String(view.expiresAt));
          if (view.status === 'CLOSED' && late >= 0 && late < ownLook) found.add(view.orderId);
          return view;
        }),
      ),
      ...sending(async (webhook, send) => {
        await delay(ownLook);
        return found.has(eventOf(webhook).orderId) ? acknowledged : send(webhook);
      }),
    },
  };
}

/** A server that announces an end of this kind only where a driver has brought it about. */
function silentAboutOwnMoves(
  noun: string,
  {
    name,
    id,
    events,
    breaks,
  }: { name: string; id: 'orderId' | 'refundOrderId'; events: 'orders' | 'refunds'; breaks: RequirementId },
  isMeant: (webhook: WebhookRequest) => boolean,
  status: 'SUCCEEDED' | 'FAILED' = 'SUCCEEDED',
): Fault {
  const [driven, ended] = [new Set<unknown>(), ['payment_confirmed', 'completed']];
  return {
    id: `${name}-${status === 'FAILED' ? 'failed' : 'ended'}-alone-unannounced`,
    title: `Announces no ${status === 'FAILED' ? 'failure' : 'success'} of a ${noun} that it has moved on by itself.`,
    breaks,
    caughtBy: `webhooks.${name}.unaided`,
    make: {
      control: (request, server) => {
        const moved = recordOfEvent(events, request);
        if (moved !== undefined && ended.includes(String(bodyOf(request)?.type))) driven.add(moved);
        return server.forward(request);
      },
      ...sending(async (webhook, send) => {
        const event = eventOf(webhook);
        const isAlone = isMeant(webhook) && event.status === status && !driven.has(event[id]);
        return isAlone ? acknowledged : send(webhook);
      }),
    },
  };
}

/** For how long a server that waits for a question waits at most, in milliseconds, and how often it looks. */
const [longestWait, look] = [5000, 50];

/** A server that announces the success of a refund that no driver has ended when the refund is asked for. */
function announcingWhatIsAskedFor(): Make {
  const [driven, asked] = [new Set<unknown>(), new Set<unknown>()];
  return {
    control: (request, server) => {
      driven.add(recordOfEvent('refunds', request));
      return server.forward(request);
    },
    merchantApi: onlyFor(
      isOf('refunds.query'),
      showing((view) => {
        if (view.status === 'SUCCEEDED') asked.add(view.refundOrderId);
        return view;
      }),
    ),
    ...sending(async (webhook, send) => {
      const { refundOrderId, status } = eventOf(webhook);
      if (!isOfRefund(webhook) || status !== 'SUCCEEDED' || driven.has(refundOrderId)) return send(webhook);
      for (let waited = 0; waited < longestWait && !asked.has(refundOrderId); waited += look) await delay(look);
      return asked.has(refundOrderId) ? send(webhook) : acknowledged;
    }),
  };
}

/** A server that announces the success of a refund that moves on by itself when it begins to work on it, beside the right webhook. */
function announcingOwnMovesEarly(): Make {
  return {
    parts: storing((records) => ({
      updateRefund: async (refund) => {
        await records.updateRefund(refund);
        const { status, dueAt, refundOrderId, merchantRefundOrderId, request } = refund;
        const { notifyUrl } = request;
        if (status !== 'PROCESSING' || dueAt === null || !notifyUrl?.startsWith('https://127.0.0.1')) return;
        const event = JSON.stringify({ refundOrderId, merchantRefundOrderId, status: 'SUCCEEDED' });
        sendAs('POST', { url: notifyUrl, headers: { 'Content-Type': 'application/json' }, body: event }).catch(
          () => undefined,
        );
      },
    })),
  };
}

/** A server that compares what was paid with what is due only where a driver confirms the payment. */
function confirmingWhateverCame(product: Product, words: string, breaks: RequirementId, least = 0): Fault {
  const driven = new Set<unknown>();
  const paid = new Map<unknown, number>();
  const name = product === 'orders' ? 'order' : 'checkout-order';
  return {
    id: `${name}-confirmed-alone-${least > 0 ? 'when-nearly-paid' : 'whatever-came'}`,
    title: `Takes a ${words} for paid, ${least > 0 ? 'where nearly all that is due' : 'however little'} was paid, where it confirms the payment by itself.`,
    breaks,
    caughtBy: `${product}.states.confirmed-unaided`,
    make: {
      control: (request, server) => {
        const orderId = recordOfEvent('orders', request);
        const type = String(bodyOf(request)?.type);
        if (orderId !== undefined && type !== 'transaction_detected') driven.add(orderId);
        if (type === 'transaction_detected') paid.set(orderId, Number(bodyOf(request)?.amount));
        return server.forward(request);
      },
      merchantApi: onlyFor(
        product === 'orders' ? isHosted : isCheckout,
        showing((view) => {
          const isTaken = !driven.has(view.orderId) && (paid.get(view.orderId) ?? 0) >= least;
          return view.status === 'FAILED' && isTaken ? { ...view, status: 'SUCCEEDED' } : view;
        }),
      ),
    },
  };
}

/** What a platform moves on by itself, the event by which it fails before, and how queries name it. */
interface Timed {
  noun: string;
  events: 'orders' | 'refunds';
  failing: string;
  id: 'orderId' | 'refundOrderId';
  isOfProduct(request: ProxyRequest): boolean;
}

/** A server that goes on with something at its own time, although it has failed before that. */
function goingOnAfterFailure(
  { noun, events, failing, id, isOfProduct }: Timed,
  breaks: RequirementId,
  caughtBy: string,
): Fault {
  const [automatic, failed, moved] = [new Set<unknown>(), new Map<unknown, string>(), new Set<unknown>()];
  return {
    id: `${noun.replaceAll(' ', '-')}-failed-moves-on-alone`,
    title: `Takes a ${noun} that has failed to its success at the time at which it would have got there by itself.`,
    breaks,
    caughtBy,
    make: {
      control: async (request, server) => {
        const [answer, merchantId] = [await server.forward(request), merchantIdOf(request)];
        if (bodyOf(request)?.automatic === true) automatic.add(bodyOf(answer)?.merchantId);
        if (request.target.endsWith('/clock')) moved.add(merchantId);
        const record = recordOfEvent(events, request);
        if (bodyOf(request)?.type === failing && automatic.has(merchantId)) failed.set(record, merchantId);
        return answer;
      },
      merchantApi: onlyFor(
        isOfProduct,
        showing((view) =>
          view.status === 'FAILED' && moved.has(failed.get(view[id])) ? { ...view, status: 'SUCCEEDED' } : view,
        ),
      ),
    },
  };
}

/** Servers that show another time at the end of something that a driver has ended, once their own time to do so has come. */
const confirmedAgain: readonly Fault[] = (
  [
    [
      'hosted order',
      'orders',
      'orders.query',
      'payment_confirmed',
      'orderId',
      'paidAt',
      'orders.view.moments',
      'orders.states.confirmed-unaided',
    ],
    [
      'checkout order',
      'orders',
      'checkout.query',
      'payment_confirmed',
      'orderId',
      'paidAt',
      'checkout.view.moments',
      'checkout.states.confirmed-unaided',
    ],
    [
      'refund',
      'refunds',
      'refunds.query',
      'completed',
      'refundOrderId',
      'completedTime',
      'refunds.record.moments',
      'refunds.query.unaided',
    ],
  ] as const
).map(([noun, events, query, type, id, field, breaks, feed]) => {
  const [automatic, ended, moved] = [new Set<unknown>(), new Map<unknown, string>(), new Set<unknown>()];
  return {
    id: `${noun.replaceAll(' ', '-')}-ended-again-alone`,
    title: `Ends a ${noun} that has succeeded once more at the time at which it would have done so by itself.`,
    breaks,
    caughtBy: `${query}.transitions.final-view`,
    feeds: [feed],
    make: {
      control: async (request, server) => {
        const [answer, merchantId] = [await server.forward(request), merchantIdOf(request)];
        if (bodyOf(request)?.automatic === true) automatic.add(bodyOf(answer)?.merchantId);
        if (request.target.endsWith('/clock')) moved.add(merchantId);
        const isEnd = bodyOf(request)?.type === type && automatic.has(merchantId);
        if (isEnd) ended.set(recordOfEvent(events, request), merchantId);
        return answer;
      },
      merchantApi: onlyFor(
        isOf(query),
        showing((view) =>
          moved.has(ended.get(view[id]))
            ? { ...view, [field]: new Date(Date.parse(String(view[field])) + 19_000).toISOString() }
            : view,
        ),
      ),
    },
  };
});

/** A server whose unpaid orders never end where it moves the payments of their merchant by itself. */
function expiringNoneAlone(product: Product, words: string, breaks: RequirementId): Fault {
  const automatic = new Set<unknown>();
  return {
    id: `${product === 'orders' ? 'order' : 'checkout-order'}-of-automatic-merchant-never-expires`,
    title: `Shows an unpaid ${words} of a merchant whose payments move by themselves as waiting for ever.`,
    breaks,
    caughtBy: `${product}.states.confirmed-unaided`,
    make: {
      control: async (request, server) => {
        const answer = await server.forward(request);
        if (bodyOf(request)?.automatic === true) automatic.add(bodyOf(answer)?.merchantId);
        return answer;
      },
      merchantApi: onlyFor(
        product === 'orders' ? isHosted : isCheckout,
        showing((view) =>
          view.status === 'CLOSED' && automatic.has(view.merchantId) ? { ...view, status: 'INIT' } : view,
        ),
      ),
    },
  };
}

/** A server that gives the money of the refunds of automatic merchants back once they have succeeded. */
function givingBackWhatItCompletes(): Make {
  const completed = new Map<string, Refund>();
  return {
    parts: storing((records) => ({
      updateRefund: async (refund) => {
        if (refund.status === 'SUCCEEDED') completed.set(refund.merchantId, refund);
        return records.updateRefund(refund);
      },
      updateMerchant: async (merchant) => {
        const refund = merchant.settings.automatic ? completed.get(merchant.merchantId) : undefined;
        completed.delete(merchant.merchantId);
        const ledger = refund
          ? crediting(merchant.ledger, refund.amount.currency, refund.deductAmount)
          : merchant.ledger;
        return records.updateMerchant({ ...merchant, ledger });
      },
    })),
  };
}

/** A server that says of a refund which it has completed by itself, in one step of the clock right after it was made, that this was an hour earlier. */
function datingOwnStepsBack(): Make {
  const madeAt = new Map<string, number>();
  /** How soon after its creation a step of the clock comes that was no pause, in milliseconds. */
  const soon = 3000;
  return {
    parts: storing((records) => ({
      insertRefund: (refund) => {
        madeAt.set(refund.refundOrderId, Date.now());
        return records.insertRefund(refund);
      },
      updateRefund: async (refund) => {
        const merchant = await records.findMerchant(refund.merchantId);
        const isMeant =
          merchant?.settings.automatic === true && Date.now() - (madeAt.get(refund.refundOrderId) ?? 0) < soon;
        const { status, endedAt } = refund;
        const back = isMeant && status === 'SUCCEEDED' && endedAt !== null ? endedAt - 3_600_000 : endedAt;
        await records.updateRefund({ ...refund, endedAt: back });
      },
    })),
  };
}

/** Wrong servers that are right where a driver leads them. */
export const unaidedFaults: readonly Fault[] = [
  {
    id: 'refund-completed-in-one-step-before-it-was-made',
    title:
      'Shows as completedTime of a refund that it completes by itself in one step of the clock a time an hour before that.',
    breaks: 'refunds.record.moments',
    caughtBy: 'refunds.query.times.end-time',
    feeds: ['refunds.query.unaided'],
    make: datingOwnStepsBack(),
  },
  {
    id: 'refunds-completed-alone-cost-nothing',
    title: 'Gives back what a refund has taken from the balance, when it completes the refund by itself.',
    breaks: 'refunds.errors.insufficient-balance',
    caughtBy: 'refunds.balance.unaided',
    make: givingBackWhatItCompletes(),
  },
  waitingForDriver('orders', 'hosted order', 'orders.states.expired'),
  waitingForDriver('checkout', 'checkout order', 'checkout.states.expired'),
  failingWithoutAddress('orders', 'hosted order', 'orders.states.expired'),
  failingWithoutAddress('checkout', 'checkout order', 'checkout.states.expired'),
  failingAtOwnMoves(),
  silentWhereQueriesFindTheEnd('orders', 'hosted order'),
  silentWhereQueriesFindTheEnd('checkout', 'checkout order'),
  silentAboutOwnMoves(
    'hosted order',
    { name: 'order', id: 'orderId', events: 'orders', breaks: 'webhooks.order.paid' },
    (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook),
  ),
  silentAboutOwnMoves(
    'checkout order',
    { name: 'checkout-order', id: 'orderId', events: 'orders', breaks: 'webhooks.order.paid' },
    isOfCheckout,
  ),
  silentAboutOwnMoves(
    'hosted order',
    { name: 'order', id: 'orderId', events: 'orders', breaks: 'webhooks.order.failed' },
    (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook),
    'FAILED',
  ),
  silentAboutOwnMoves(
    'checkout order',
    { name: 'checkout-order', id: 'orderId', events: 'orders', breaks: 'webhooks.order.failed' },
    isOfCheckout,
    'FAILED',
  ),
  {
    id: 'refund-ended-alone-announced-when-asked-for',
    title: 'Announces a refund that it has moved on by itself once somebody asks for it.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.unaided',
    make: announcingWhatIsAskedFor(),
  },
  silentAboutOwnMoves(
    'refund',
    { name: 'refund', id: 'refundOrderId', events: 'refunds', breaks: 'webhooks.refund.notify-url' },
    isOfRefund,
  ),
  {
    id: 'refund-announced-when-own-work-begins',
    title: 'Announces the success of a refund that moves on by itself as soon as it begins to work on it.',
    breaks: 'webhooks.refund.after-result',
    caughtBy: 'webhooks.refund.while-processing',
    make: announcingOwnMovesEarly(),
  },
  confirmingWhateverCame('orders', 'hosted order', 'orders.states.failed'),
  confirmingWhateverCame('checkout', 'checkout order', 'checkout.payment-rule'),
  confirmingWhateverCame('orders', 'hosted order', 'orders.states.failed', 1),
  confirmingWhateverCame('checkout', 'checkout order', 'checkout.payment-rule', 1),
  ...confirmedAgain,
  expiringNoneAlone('orders', 'hosted order', 'orders.states.expired'),
  expiringNoneAlone('checkout', 'checkout order', 'checkout.states.expired'),
  goingOnAfterFailure(
    { noun: 'hosted order', events: 'orders', failing: 'payment_failed', id: 'orderId', isOfProduct: isHosted },
    'orders.states.final',
    'orders.states.confirmed-unaided',
  ),
  goingOnAfterFailure(
    { noun: 'checkout order', events: 'orders', failing: 'payment_failed', id: 'orderId', isOfProduct: isCheckout },
    'checkout.states.final',
    'checkout.states.confirmed-unaided',
  ),
  goingOnAfterFailure(
    { noun: 'refund', events: 'refunds', failing: 'failed', id: 'refundOrderId', isOfProduct: isOf('refunds.query') },
    'refunds.states.final',
    'refunds.query.unaided',
  ),
];
