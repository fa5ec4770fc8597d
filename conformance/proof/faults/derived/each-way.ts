import { isObject, type JsonObject } from '../../../contract/json.ts';
import { bodyOf, isOf, queriedId, showingEach } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import type { ProxyRequest } from '../../stand/proxy.ts';

/** A server that answers one way to ask from what the answers to others have shown last. `operation`: that of the way. */
function showingAsSeen(
  operation: string,
  isMeant: (request: ProxyRequest, view: JsonObject) => boolean,
  idIn: (view: JsonObject) => unknown,
): Make {
  const seen = new Map<unknown, JsonObject>();
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const { data } = bodyOf(answer) ?? {};
      if (isObject(data) && !isMeant(request, data)) seen.set(idIn(data), data);
      const showing = showingEach(operation, (view) => (isMeant(request, view) && seen.get(idIn(view))) || view);
      return showing(request, { ...server, forward: () => Promise.resolve(answer) });
    },
  };
}

/** Wrong servers that keep for one way to ask what another has shown. */
export const eachWayFaults: readonly Fault[] = [
  {
    id: 'order-by-platform-id-as-last-seen',
    title: 'Answers a query by the platform id of an order as the last one by its merchantOrderId was.',
    breaks: 'orders.query.by-order-id',
    caughtBy: 'orders.query.each-way-alone',
    make: showingAsSeen(
      'orders.query',
      (request, { orderId }) => isOf('orders.query')(request) && queriedId(request) === orderId,
      ({ orderId }) => orderId,
    ),
  },
  {
    id: 'refunds-in-a-batch-as-last-seen',
    title: 'Answers a batch query with refunds as they were shown alone.',
    breaks: 'refunds.batch-query.known',
    caughtBy: 'refunds.query.each-way-alone',
    make: showingAsSeen(
      'refunds.batch-query',
      (request) => isOf('refunds.batch-query')(request),
      ({ refundOrderId }) => refundOrderId,
    ),
  },
];
