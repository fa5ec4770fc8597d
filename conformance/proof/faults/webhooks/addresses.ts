import { isObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { bodyOf, isOf, storing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import type { Handler } from '../../stand/proxy.ts';
import { acknowledged, eventOf, isOfCheckout, sending, sendingRefundsTo } from '../../stand/webhook-changes.ts';

/** A server that announces one of the checkout orders that expire within a second with the same address. */
function announcingExpiriesOnce(): Make {
  const announced = new Map<string, { id: unknown; at: number }>();
  return sending(async (webhook, send) => {
    const { acquiringOrderId: id, status } = eventOf(webhook);
    if (!isOfCheckout(webhook) || status !== 'CLOSED') return send(webhook);
    const last = announced.get(webhook.url);
    if (last && last.id !== id && Date.now() - last.at < 1000) return acknowledged;
    announced.set(webhook.url, { id, at: Date.now() });
    return send(webhook);
  });
}

/** A server that takes every answer at an address of http for an acknowledgement. */
const sendingPlainlyOnce: Make = sending(async (webhook, send) => {
  const result = await send(webhook);
  return /^http:/i.test(webhook.url) ? acknowledged : result;
});

/** A server that announces a refund without an address of its own where an earlier one of its order was to be announced. */
function keepingTheFirstAddress(): Make {
  const first = new Map<string, string>();
  return {
    parts: storing((records) => ({
      insertRefund: (refund) => {
        const { acquiringOrderId, request } = refund;
        const known = first.get(acquiringOrderId) ?? request.notifyUrl;
        if (known === undefined) return records.insertRefund(refund);
        first.set(acquiringOrderId, known);
        return records.insertRefund({ ...refund, request: { notifyUrl: known, ...request } });
      },
    })),
  };
}

/** A server that keeps of a refund what the last create with its id has named, and so no address where that has none. */
function overwritingAddresses(): Make {
  const withoutAddress = new Set<unknown>();
  const merchantApi: Handler = async (request, server) => {
    const answer = await server.forward(request);
    const sent = bodyOf(request);
    const { code, data } = bodyOf(answer) ?? {};
    const isDone = isOf('refunds.create')(request) && code === successCode;
    if (isDone && sent?.notifyUrl === undefined && isObject(data)) withoutAddress.add(data.refundOrderId);
    return answer;
  };
  return {
    merchantApi,
    ...sendingRefundsTo((delivery, defaultUrl) => {
      const isMeant = 'refundOrderId' in delivery.subject && withoutAddress.has(delivery.subject.refundOrderId);
      return [isMeant ? { ...delivery, url: defaultUrl } : delivery];
    }),
  };
}

/** Wrong servers that send to the wrong one of several addresses, or take one address for one event. */
export const webhookAddressFaults: readonly Fault[] = [
  {
    id: 'expiries-at-one-address-announced-once',
    title: 'Announces one of the checkout orders that expire at once and name the same address.',
    breaks: 'webhooks.order.expired',
    caughtBy: 'webhooks.checkout-order.shared-address',
    make: announcingExpiriesOnce(),
  },
  {
    id: 'events-at-plain-addresses-sent-once',
    title: 'Sends nothing again that was not taken at an address of http.',
    breaks: 'webhooks.retry',
    caughtBy: 'webhooks.checkout-order.plain-address',
    make: sendingPlainlyOnce,
  },
  {
    id: 'second-refund-to-the-first-address',
    title: 'Announces a second refund that names no address at the one that the first had named.',
    breaks: 'webhooks.refund.default-address',
    caughtBy: 'webhooks.refund.second-without-address',
    make: keepingTheFirstAddress(),
  },
  {
    id: 'address-of-a-refund-overwritten',
    title: "Announces a refund at the merchant's default address once its create was sent again without one.",
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.repeat-without-address',
    make: overwritingAddresses(),
  },
];
