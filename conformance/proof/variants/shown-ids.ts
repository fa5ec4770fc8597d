import { isObject } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import {
  bodyOf,
  decoded,
  firstOf,
  isHostedCreate,
  isHostedQuery,
  isRightlySigned,
  merchantIdOf,
  queriedId,
  readingBodies,
} from '../stand/changes.ts';
import type { Make } from '../stand/fault.ts';
import { type Handler, type ProxyAnswer, type ProxyRequest, resigned } from '../stand/proxy.ts';
import { sharedByProducts } from './checkout.ts';
import { refusingIdsOfOthers } from './refunds.ts';
import { rewriting } from './webhooks.ts';

const orderIds = /ord\.[a-z2-7]{26}/g;
const refundIds = /ref\.[a-z2-7]{26}/g;

/** Ids that a server shows in the place of the reference server's. */
interface ShownIds {
  /** The ids of the reference server that others stand for. */
  replaced: RegExp;
  /** The id of what is shown for the first time, in this answer to a merchant. */
  idOf(merchantId: string, id: string, answer: Pick<ProxyAnswer, 'body'>): string;
  /** The places of a request's target that have such an id. */
  places: readonly RegExp[];
}

/** A server that shows other ids. Its webhooks are signed by Standard Webhooks alone. */
function showing({ replaced, idOf, places }: ShownIds): Make & Required<Pick<Make, 'merchantApi'>> {
  const shown = new Map<string, string>();
  const meant = new Map<string, string>();
  const show = (merchantId: string, own: string, answer: Pick<ProxyAnswer, 'body'>) => {
    const known = shown.get(own);
    if (known !== undefined) return known;
    const id = idOf(merchantId, own, answer);
    shown.set(own, id);
    meant.set(`${merchantId} ${id}`, own);
    return id;
  };
  const answered = <Answer extends Pick<ProxyAnswer, 'body'>>(merchantId: string, answer: Answer): Answer => {
    const text = answer.body
      .toString()
      .replaceAll(replaced, (id) => JSON.stringify(show(merchantId, id, answer)).slice(1, -1));
    return { ...answer, body: Buffer.from(text) };
  };
  const asked = (merchantId: string, request: ProxyRequest): ProxyRequest => {
    const mean = (id: string) => meant.get(`${merchantId} ${decoded(id)}`) ?? id;
    const target = places.reduce((text, place) => text.replace(place, mean), request.target);
    const sent = bodyOf(request);
    const orderId = meant.get(`${merchantId} ${sent?.acquiringOrderId}`);
    if (orderId === undefined) return { ...request, target };
    return { ...request, target, body: Buffer.from(JSON.stringify({ ...sent, acquiringOrderId: orderId })) };
  };
  const merchantApi: Handler = async (request, server) => {
    const merchantId = merchantIdOf(request);
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    const meantRequest = asked(merchantId, request);
    const right = owner && isRightlySigned(request, server);
    return answered(merchantId, await server.forward(right ? resigned(meantRequest, owner) : request));
  };
  const control: Handler = async (request, server) => {
    const merchantId = merchantIdOf(request);
    return answered(merchantId, await server.forward(asked(merchantId, request)));
  };
  const webhooks = rewriting((body) => [answered('', { body: Buffer.from(body) }).body.toString(), 'application/json']);
  return { ...webhooks, merchantApi, control };
}

/** A server that counts the orders of each merchant from 1, so that two merchants have orders with the same platform id. */
export function countingForEachMerchant(): Make {
  const counts = new Map<string, number>();
  return showing({
    replaced: orderIds,
    idOf: (merchantId) => {
      const count = (counts.get(merchantId) ?? 0) + 1;
      counts.set(merchantId, count);
      return String(count);
    },
    places: [/(?<=\/orders\/)[0-9]+(?=$|\/events$)/, /(?<=[?&]acquiringOrderId=)(?:[0-9]|%3[0-9])+(?=$|&)/],
  });
}

/** The platform's id of an order, made of that which its merchant gave it. By its characters, so that it is made alike for two merchants. */
function madeOf(merchantId: string, merchantOrderId: string): string {
  const ways = [merchantOrderId, `${merchantId}.${merchantOrderId}`, `o.${merchantOrderId}`] as const;
  const sum = Buffer.from(merchantOrderId).reduce((total, byte) => total + byte, 0);
  return ways[sum % ways.length] ?? merchantOrderId;
}

/**
 * A server with one namespace for the orders of both products, which makes their ids of the merchant's own: it takes one as it is, or puts the
 * merchant's id or a letter before it.
 */
export function namingAfterMerchants(): Make {
  const idOf: ShownIds['idOf'] = (merchantId, orderId, answer) => {
    const data = bodyOf(answer)?.data;
    if (!isObject(data) || data.orderId !== orderId) return orderId;
    return madeOf(merchantId, String(data.merchantOrderId));
  };
  // The merchant's own ids have no dot, and a query for one of them means the same order.
  const places = [
    /(?<=\/orders\/)[^/?]+\.[^/?]+$/,
    /(?<=\/orders\/)[^/?]+(?=\/events$)/,
    /(?<=[?&]acquiringOrderId=)[^&]+(?=$|&)/,
  ];
  const [shown, shared] = [showing({ replaced: orderIds, idOf, places }), sharedByProducts()];
  const parts: Make['parts'] = (given) => shared.parts(shown.parts?.(given) ?? given);
  return { ...shown, parts };
}

/** A server that takes the merchant's id of a refund for its own. No two merchants can have refunds of the same id. */
export function namingRefundsAfterMerchants(): Make {
  const shown = showing({
    replaced: refundIds,
    idOf: (_merchantId, refundOrderId, answer) => {
      const data = bodyOf(answer)?.data;
      const isShown = isObject(data) && data.refundOrderId === refundOrderId;
      return isShown ? String(data.merchantRefundOrderId) : refundOrderId;
    },
    places: [/(?<=[?&]refundOrderId=)[^&]+(?=$|&)/, /(?<=\/refunds\/)[^/?]+(?=\/events$)/],
  });
  return { ...shown, merchantApi: firstOf(refusingIdsOfOthers(), shown.merchantApi) };
}

/** A server that makes another hosted order for each create, also under an id that is used. `shown`: which of them a query for that id shows. */
export function makingFurtherOrders(shown: 'first' | 'last'): Make {
  const last = new Map<string, string>();
  const given = new Map<string, string>();
  const made = /again-[0-9a-f-]{36}/g;
  const asGiven = (text: string) => text.replaceAll(made, (id) => given.get(id) ?? id);
  const keyOf = (request: ProxyRequest, id: unknown) => `${merchantIdOf(request)} ${id}`;
  const makingFurther = readingBodies('orders.create', (body) => {
    const id = `again-${crypto.randomUUID()}`;
    given.set(id, String(body.merchantOrderId));
    return { ...body, merchantOrderId: id };
  });
  const making: Handler = async (request, server) => {
    const id = bodyOf(request)?.merchantOrderId;
    if (id === undefined) return server.forward(request);
    const key = keyOf(request, id);
    const answer = await (last.has(key) ? makingFurther(request, server) : server.forward(request));
    const { code, data } = bodyOf(answer) ?? {};
    if (code === successCode && isObject(data)) last.set(key, String(data.merchantOrderId));
    return answer;
  };
  const asking: Handler = (request, server) => {
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    const id = last.get(keyOf(request, queriedId(request)));
    if (!owner || id === undefined || !isRightlySigned(request, server)) return server.forward(request);
    return server.forward(resigned({ ...request, target: request.target.replace(/[^/]+$/, id) }, owner));
  };
  const merchantApi: Handler = async (request, server) => {
    const asks = shown === 'last' && isHostedQuery(request);
    const handler = isHostedCreate(request) ? making : asks ? asking : server.forward;
    const answer = await handler(request, server);
    return { ...answer, body: Buffer.from(asGiven(answer.body.toString())) };
  };
  return { ...rewriting((body) => [asGiven(body), 'application/json']), merchantApi };
}
