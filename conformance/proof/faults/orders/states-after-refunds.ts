import { isObject, type JsonObject } from '../../../contract/json.ts';
import { bodyOf, isHostedQuery, isOf, jsonAnswer, recordOfEvent, showing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import type { ProxyRequest } from '../../stand/proxy.ts';

/** A server whose hosted orders fail by an event that they refuse once a refund of them has succeeded. */
function failingOnceRefunded(): Make {
  const [orders, refunded, failed] = [new Map<unknown, unknown>(), new Set<unknown>(), new Set<unknown>()];
  return {
    control: async (request, server) => {
      const answer = await server.forward(request);
      const { type } = bodyOf(request) ?? {};
      const [refund, order] = [recordOfEvent('refunds', request), recordOfEvent('orders', request)];
      if (refund && type === 'completed' && answer.status === 200) refunded.add(orders.get(refund));
      if (order && type === 'payment_failed' && refunded.has(order)) failed.add(order);
      return answer;
    },
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const { data } = bodyOf(answer) ?? {};
      if (isOf('refunds.create')(request) && isObject(data)) orders.set(data.refundOrderId, data.acquiringOrderId);
      if (!isHostedQuery(request) || !isObject(data) || !failed.has(data.orderId)) return answer;
      return showing((view) => ({ ...view, status: 'FAILED' }))(request, {
        ...server,
        forward: () => Promise.resolve(answer),
      });
    },
  };
}

/**
 * A server that shows orders as CLOSED once their payment, which `isMeant` knows from a record of its refund, was given back, in the answers to
 * requests that `isShown` names.
 */
function closedByRefunds(
  isMeant: (refund: JsonObject) => boolean = () => true,
  isShown: (request: ProxyRequest) => boolean = isHostedQuery,
): Make {
  const orders = new Map<string, string>();
  const closed = new Set<unknown>();
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const { data } = bodyOf(answer) ?? {};
      if (!isObject(data)) return answer;
      if (isOf('refunds.create')(request) && isMeant(data)) {
        orders.set(String(data.refundOrderId), String(data.acquiringOrderId));
      }
      if (!isShown(request) || !closed.has(data.orderId)) return answer;
      return jsonAnswer({ ...bodyOf(answer), data: { ...data, status: 'CLOSED' } });
    },
    control: (request, server) => {
      const refund = recordOfEvent('refunds', request);
      const order = refund && orders.get(refund);
      if (order !== undefined && bodyOf(request)?.type === 'completed') closed.add(order);
      return server.forward(request);
    },
  };
}

/** Wrong servers whose orders change their state with a refund. */
export const stateAfterRefundFaults: readonly Fault[] = [
  {
    id: 'refunded-orders-fail',
    title: 'Lets a hosted order fail whose refund has succeeded.',
    breaks: 'orders.states.final',
    caughtBy: 'orders.state.final-by-every-way',
    make: failingOnceRefunded(),
  },
  {
    id: 'order-closed-by-its-refund',
    title: 'Shows an order as CLOSED once its payment was given back.',
    breaks: 'orders.states.final',
    caughtBy: 'orders.query.transitions.final',
    feeds: ['refunds.situations.time-passes'],
    make: closedByRefunds(),
  },
  ...(
    [
      ['orders', 'orders.states.final'],
      ['checkout', 'checkout.states.final'],
    ] as const
  ).map(
    ([area, breaks]): Fault => ({
      id: `${area}-repeat-of-a-refunded-order-closed`,
      title: `Answers a create of ${area} that is sent again after its order was refunded with an order that is CLOSED.`,
      breaks,
      caughtBy: `${area}.states.repeated-after-refund`,
      make: closedByRefunds(() => true, isOf(`${area}.create`)),
    }),
  ),
  {
    id: 'order-of-an-exchange-closed-by-its-refund',
    title: 'Shows an order that an exchange paid as CLOSED once its payment was given back.',
    breaks: 'orders.states.final',
    caughtBy: 'orders.query.transitions.final',
    feeds: ['refunds.situations.of-every-payment'],
    make: closedByRefunds(({ paymentMethod }) => String(paymentMethod).startsWith('EXCHANGE')),
  },
];
