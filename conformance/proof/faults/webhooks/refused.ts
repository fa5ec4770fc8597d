import type { JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { bodyOf, isOf, isRightlySigned, merchantIdOf, storing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import type { ProxyRequest, ServerBehind } from '../../stand/proxy.ts';
import { acknowledged, eventOf, isOfCheckout, isOfRefund, sendAs, sending } from '../../stand/webhook-changes.ts';

type Webhook = Parameters<typeof eventOf>[0];

/** What webhooks tell of. */
interface Kind {
  name: 'order' | 'checkout-order' | 'refund';
  noun: string;
  create: string;
  addressField: 'callbackUrl' | 'notifyUrl';
  idField: 'merchantOrderId' | 'merchantRefundOrderId';
  has(webhook: Webhook): boolean;
}

const kinds: readonly Kind[] = [
  {
    name: 'order',
    noun: 'hosted order',
    create: 'orders.create',
    addressField: 'callbackUrl',
    idField: 'merchantOrderId',
    has: (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook),
  },
  {
    name: 'checkout-order',
    noun: 'checkout order',
    create: 'checkout.create',
    addressField: 'callbackUrl',
    idField: 'merchantOrderId',
    has: isOfCheckout,
  },
  {
    name: 'refund',
    noun: 'refund',
    create: 'refunds.create',
    addressField: 'notifyUrl',
    idField: 'merchantRefundOrderId',
    has: isOfRefund,
  },
];

/** Causes for which creates are refused. */
interface Cause {
  name: string;
  words: string;
  is(code: unknown, request: ProxyRequest, server: ServerBehind): boolean;
}

const conflicts = ['20001', 'IDEMPOTENCY_CONFLICT'];
const unsigned: Cause = {
  name: 'unsigned',
  words: 'its signature',
  is: (_, request, server) => !isRightlySigned(request, server),
};
const conflicting: Cause = {
  name: 'conflicting',
  words: 'what it says under a used id',
  is: (code) => conflicts.includes(String(code)),
};
const invalid: Cause = {
  name: 'invalid',
  words: 'a field',
  is: (code, request, server) => !conflicts.includes(String(code)) && isRightlySigned(request, server),
};
const uncovered: Cause = {
  name: 'uncovered',
  words: 'want of balance',
  is: (code) => code === 'INSUFFICIENT_BALANCE',
};

/** How orders end that name no address, and the end of the id of the check in which they do. */
const endsWithoutAddress = [
  { end: 'paid', status: 'SUCCEEDED', words: 'was paid', feed: '' },
  { end: 'failed', status: 'FAILED', words: 'has failed', feed: '' },
  { end: 'cancelled', status: 'CLOSED', words: 'was cancelled', feed: '' },
  { end: 'expired', status: 'CLOSED', words: 'has expired', feed: '.expired' },
] as const;

/** What a create that was refused for a cause has sent; `undefined` for every other request. */
function refusedOf(
  { create, addressField, idField }: Kind,
  { is }: Cause,
  [request, answer, server]: [ProxyRequest, { body: Buffer }, ServerBehind],
): { id: string; url: string; sent: JsonObject } | undefined {
  const sent = isOf(create)(request) ? bodyOf(request) : undefined;
  const code = bodyOf(answer)?.code;
  const [id, url] = [sent?.[idField], sent?.[addressField]];
  if (!sent || typeof id !== 'string' || typeof url !== 'string' || !url.startsWith('https://127.0.0.1'))
    return undefined;
  return code === successCode || !is(code, request, server) ? undefined : { id, url, sent };
}

/** A server that announces what has an id at the address that a refused create under that id has named. */
function takingAddressOver(kind: Kind, cause: Cause): Make {
  const urls = new Map<string, string>();
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const refused = refusedOf(kind, cause, [request, answer, server]);
      if (refused) urls.set(`${merchantIdOf(request)} ${refused.id}`, refused.url);
      return answer;
    },
    parts: storing((records) => ({
      insertDelivery: (delivery) => {
        const event = bodyOf({ body: Buffer.from(delivery.payload) }) ?? {};
        const isOne = kind.has({ url: delivery.url, headers: {}, body: delivery.payload });
        const url = isOne ? urls.get(`${delivery.merchantId} ${event[kind.idField]}`) : undefined;
        return records.insertDelivery(url === undefined ? delivery : { ...delivery, url });
      },
    })),
  };
}

/** A server that announces nothing of an order under an id that it has refused before. */
function silentAfterRefusal(kind: Kind): Make {
  const [refused, made] = [new Set<string>(), new Set<string>()];
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      if (!isOf(kind.create)(request)) return answer;
      const id = `${merchantIdOf(request)} ${bodyOf(request)?.[kind.idField]}`;
      if (bodyOf(answer)?.code === successCode) made.add(id);
      else if (!made.has(id)) refused.add(id);
      return answer;
    },
    parts: storing((records) => ({
      insertDelivery: async (delivery) => {
        const event = bodyOf({ body: Buffer.from(delivery.payload) }) ?? {};
        if (!refused.has(`${delivery.merchantId} ${event[kind.idField]}`)) await records.insertDelivery(delivery);
      },
    })),
  };
}

/** A server that announces a create which it refuses as a failure. */
const announcingRefused = (kind: Kind, cause: Cause): Make => ({
  merchantApi: async (request, server) => {
    const answer = await server.forward(request);
    const refused = refusedOf(kind, cause, [request, answer, server]);
    if (!refused) return answer;
    const { url, sent } = refused;
    const body = JSON.stringify({ ...sent, status: 'FAILED' });
    await sendAs('POST', { url, headers: { 'Content-Type': 'application/json' }, body });
    return answer;
  },
});

/** A server that counts attempts for each address, and makes no further one there at the same event after so many. */
function countingForEachAddress({ has }: Kind, most: number): Make {
  const attempts = new Map<string, number>();
  return sending(async (webhook, send) => {
    const result = await send(webhook);
    if (!has(webhook)) return result;
    const count = (attempts.get(webhook.url) ?? 0) + 1;
    attempts.set(webhook.url, count);
    return count > most ? acknowledged : result;
  });
}

/** A server that announces orders in a status at the address configured for the refunds of their merchant, where they name none. */
const toDefaultWithoutAddress = ({ name }: Kind, status: string): Make => ({
  parts: storing((records) => ({
    updateOrder: async (order) => {
      const isOne = (order.product === 'hosted') === (name === 'order') && order.request.callbackUrl === undefined;
      const url = (await records.findMerchant(order.merchantId))?.settings.defaultNotifyUrl;
      if (isOne && url?.startsWith('https://127.0.0.1') && order.status === status) {
        const { orderId: acquiringOrderId, merchantOrderId } = order;
        const body = JSON.stringify({ acquiringOrderId, merchantOrderId, status });
        await sendAs('POST', { url, headers: { 'Content-Type': 'application/json' }, body });
      }
      return records.updateOrder(order);
    },
  })),
});

/** A server that sends what tells of the same status of the same order once to an address, whichever refund of the order it is. */
function announcingOnceThere(status: string): Make {
  const firsts = new Map<string, unknown>();
  return sending(async (webhook, send) => {
    const event = eventOf(webhook);
    if (!isOfRefund(webhook) || event.status !== status) return send(webhook);
    const key = `${webhook.url} ${event.acquiringOrderId}`;
    const first = firsts.get(key) ?? event.refundOrderId;
    firsts.set(key, first);
    return first === event.refundOrderId ? send(webhook) : acknowledged;
  });
}

/** Wrong servers that let what they refuse have an effect on webhooks, and that mix up the events at one address. */
export const refusedWebhookFaults: readonly Fault[] = [
  ...kinds.flatMap((kind) => {
    const { name, noun } = kind;
    const isRefund = name === 'refund';
    return [
      ...[conflicting, unsigned, invalid].map(
        (cause): Fault => ({
          id: `${name}-to-address-of-refused-${cause.name}`,
          title: `Announces a ${noun} at the address of a create under its id that was refused for ${cause.words}.`,
          breaks: isRefund ? 'webhooks.refund.notify-url' : 'webhooks.order.post',
          caughtBy: `webhooks.${name}.${isRefund ? 'refused-repeat' : 'refused-creates'}`,
          make: takingAddressOver(kind, cause),
        }),
      ),
      ...[unsigned, invalid, ...(isRefund ? [uncovered] : [])].flatMap((cause): Fault[] => {
        const fault: Fault = {
          id: `${name}-refused-${cause.name}-announced`,
          title: `Announces as failed a ${noun} whose create it refuses for ${cause.words}.`,
          breaks: isRefund ? 'webhooks.refund.after-result' : 'webhooks.order.after-change',
          caughtBy: `webhooks.${name}.refused-creates`,
          make: announcingRefused(kind, cause),
        };
        const { id, caughtBy } = fault;
        const rule = `webhooks.${name}.deliveries.after-change`;
        return [fault, { ...fault, id: `${id}-in-the-history`, caughtBy: rule, feeds: [caughtBy] }];
      }),
      ...(isRefund ? [] : [kind]).map(
        (each): Fault => ({
          id: `${name}-under-refused-id-not-announced`,
          title: `Announces nothing of a ${noun} under whose id a create was refused before.`,
          breaks: 'webhooks.order.post',
          caughtBy: `webhooks.${name}.refused-creates`,
          make: silentAfterRefusal(each),
        }),
      ),
      {
        id: `${name}-attempts-counted-for-each-address`,
        title: `Sends no event of a ${noun} again at an address to which it has sent four.`,
        breaks: isRefund ? 'webhooks.refund.retry' : 'webhooks.retry',
        caughtBy: `webhooks.${name}.address-that-failed`,
        make: countingForEachAddress(kind, 4),
      } satisfies Fault,
      ...(isRefund ? [] : endsWithoutAddress).map(
        ({ end, status, words, feed }): Fault => ({
          id: `${name}-without-address-${end}-announced-by-default`,
          title: `Announces that a ${noun} without a callbackUrl ${words} at the address configured for its merchant's refunds.`,
          breaks: 'webhooks.order.post',
          caughtBy: `webhooks.${name}.deliveries.address`,
          feeds: [`webhooks.situations.${name}s${feed}`],
          make: toDefaultWithoutAddress(kind, status),
        }),
      ),
    ];
  }),
  ...['FAILED', 'CLOSED'].map(
    (status): Fault => ({
      id: `refunds-of-an-order-${status.toLowerCase()}-announced-once-at-an-address`,
      title: `Announces at an address one of the refunds of an order that are ${status}.`,
      breaks: 'webhooks.refund.notify-url',
      caughtBy: 'webhooks.refund.second-of-order',
      make: announcingOnceThere(status),
    }),
  ),
];
