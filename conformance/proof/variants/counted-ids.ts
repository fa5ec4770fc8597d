import { bodyOf, isRightlySigned, merchantIdOf } from '../stand/changes.ts';
import type { Make } from '../stand/fault.ts';
import { type Handler, type ProxyAnswer, type ProxyRequest, resigned } from '../stand/proxy.ts';
import { rewriting } from './webhooks.ts';

const orderIds = /ord\.[a-z2-7]{26}/g;

/** The places of a request's target that have the platform id of an order: the two paths, and the query of refunds, where it may be escaped. */
const places = [/(?<=\/orders\/)[0-9]+(?=$|\/events$)/, /(?<=[?&]acquiringOrderId=)(?:[0-9]|%3[0-9])+(?=$|&)/];

/**
 * A server that counts the orders of each merchant from 1, so that two merchants have orders with the same platform id. Its webhooks are
 * signed by Standard Webhooks alone.
 */
export function countingForEachMerchant(): Make {
  const shown = new Map<string, string>();
  const meant = new Map<string, string>();
  const counts = new Map<string, number>();
  const show = (merchantId: string, orderId: string) => {
    const known = shown.get(orderId);
    if (known !== undefined) return known;
    const count = (counts.get(merchantId) ?? 0) + 1;
    counts.set(merchantId, count);
    shown.set(orderId, String(count));
    meant.set(`${merchantId} ${count}`, orderId);
    return String(count);
  };
  const showIn = (merchantId: string, text: string) => text.replaceAll(orderIds, (id) => show(merchantId, id));
  const answered = (merchantId: string, answer: ProxyAnswer): ProxyAnswer => ({
    ...answer,
    body: Buffer.from(showIn(merchantId, answer.body.toString())),
  });
  const asked = (merchantId: string, request: ProxyRequest): ProxyRequest => {
    const mean = (count: string) => meant.get(`${merchantId} ${decodeURIComponent(count)}`) ?? count;
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
  const webhooks = rewriting((body) => [showIn('', body), 'application/json']);
  return { ...webhooks, merchantApi, control };
}
