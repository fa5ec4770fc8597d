import type { RequirementId } from '../../../../generated/catalogue.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { bodyOf, isOf, isRightlySigned, onlyFor, queriedId, recordOfEvent, showingEach } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { type Handler, type ProxyRequest, resigned } from '../../stand/proxy.ts';
import { parameterOf } from '../../stand/refund-changes.ts';

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

/** A server that shows the state before PROCESSING in some queries as long as that lasts. */
const lateIn = (before: string, isMeant: (request: ProxyRequest) => boolean): Make => ({
  merchantApi: onlyFor(isMeant, (request, server) =>
    showingEach(operationOf(request), (view) => (view.status === 'PROCESSING' ? { ...view, status: before } : view))(
      request,
      server,
    ),
  ),
});

/** A server that finds checkout orders by their platform ids, too, and answers the queries by these in the way given. */
function findingCheckoutByPlatformId(answerTo: Handler, control?: Handler): Make {
  const ownIds = new Map<string, string>();
  return {
    ...(control && { control }),
    merchantApi: async (request, server) => {
      const own = isOf('checkout.query')(request) ? ownIds.get(queriedId(request) ?? '') : undefined;
      const owner = server.owner(request.headers['x-api-key'] ?? '');
      if (own !== undefined && owner && isRightlySigned(request, server)) {
        const target = request.target.replace(/(?<=\/orders\/)[^/?]+/, encodeURIComponent(own));
        return answerTo(resigned({ ...request, target }, owner), server);
      }
      const answer = await server.forward(request);
      const { data } = isOf('checkout.create')(request) ? (bodyOf(answer) ?? {}) : {};
      if (isObject(data)) ownIds.set(String(data.orderId), String(data.merchantOrderId));
      return answer;
    },
  };
}

/**
 * What keeps the views that one way to ask has shown and empties this at every event but those given. Time alone is no event.
 */
function keepingViews(
  kind: 'orders' | 'refunds',
  idIn: (view: JsonObject) => unknown,
  ...exceptAt: readonly string[]
): { control: Handler; answering: Handler } {
  const kept = new Map<unknown, JsonObject>();
  return {
    control: (request, server) => {
      const record = recordOfEvent(kind, request);
      if (record !== undefined && !exceptAt.includes(String(bodyOf(request)?.type))) kept.delete(record);
      return server.forward(request);
    },
    answering: (request, server) =>
      showingEach(operationOf(request), (view) => {
        const shown = kept.get(idIn(view)) ?? view;
        kept.set(idIn(view), shown);
        return shown;
      })(request, server),
  };
}

const [idOfOrder, idOfRefund] = [
  ({ orderId }: JsonObject) => orderId,
  ({ refundOrderId }: JsonObject) => refundOrderId,
];

/** Such a server for the requests that `isMeant` selects. */
function keepingIn(isMeant: typeof isByPlatformId, ...kept: Parameters<typeof keepingViews>): Make {
  const { control, answering } = keepingViews(...kept);
  return { control, merchantApi: onlyFor(isMeant, answering) };
}

/** Such a server that finds checkout orders by their platform ids, too, and keeps what it shows by these. */
function keepingByPlatformIdOfCheckout(...exceptAt: readonly string[]): Make {
  const { control, answering } = keepingViews('orders', idOfOrder, ...exceptAt);
  return findingCheckoutByPlatformId(answering, control);
}

const operationOf = (request: ProxyRequest): string =>
  ['orders.query', 'checkout.query', 'refunds.query', 'refunds.batch-query'].find((each) => isOf(each)(request)) ?? '';

const isByPlatformId = (request: ProxyRequest) => queriedId(request)?.startsWith('ord.') === true;

/** Whether a refund query has these parameters and no others. */
const asksBy =
  (...names: string[]) =>
  (request: ProxyRequest): boolean =>
    isOf('refunds.query')(request) &&
    ['refundOrderId', 'merchantRefundOrderId', 'acquiringOrderId'].every(
      (name) => names.includes(name) === (parameterOf(request, name) !== undefined),
    );

/** The ways to ask for a refund, with the requirement that each keeps. */
const refundWays: readonly [name: string, words: string, breaks: RequirementId, isMeant: typeof isByPlatformId][] = [
  ['by-refund-order-id', 'by refundOrderId', 'refunds.query.by-refund-order-id', asksBy('refundOrderId')],
  ['by-acquiring-order-id', 'by acquiringOrderId', 'refunds.query.by-acquiring-order-id', asksBy('acquiringOrderId')],
  [
    'by-merchant-refund-order-id',
    'by merchantRefundOrderId',
    'refunds.query.by-merchant-refund-order-id',
    asksBy('merchantRefundOrderId'),
  ],
  ['in-a-batch', 'in batches', 'refunds.batch-query.known', isOf('refunds.batch-query')],
  [
    'by-two-ids',
    'by refundOrderId and merchantRefundOrderId',
    'refunds.query.priority',
    asksBy('refundOrderId', 'merchantRefundOrderId'),
  ],
];

/** Wrong servers that do not show PROCESSING in one way to ask, and every other state in all. */
const processingHidden: readonly Fault[] = [
  {
    id: 'order-processing-hidden-by-platform-id',
    title: 'Shows an order in INIT that is PROCESSING, where it is asked for by its platform id.',
    breaks: 'orders.query.by-order-id',
    caughtBy: 'orders.query.each-way-alone',
    make: lateIn('INIT', (request) => isOf('orders.query')(request) && isByPlatformId(request)),
  },
  {
    id: 'order-processing-hidden-by-own-id',
    title: 'Shows an order in INIT that is PROCESSING, where it is asked for by its merchantOrderId.',
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.query.each-way-alone',
    make: lateIn('INIT', (request) => isOf('orders.query')(request) && !isByPlatformId(request)),
  },
  {
    id: 'checkout-processing-hidden-by-platform-id',
    title: 'Finds a checkout order by its platform id, too, and then shows it in INIT while it is PROCESSING.',
    breaks: 'checkout.query.by-merchant-order-id',
    caughtBy: 'checkout.query.each-way-alone',
    make: findingCheckoutByPlatformId(
      showingEach('checkout.query', (view) => (view.status === 'PROCESSING' ? { ...view, status: 'INIT' } : view)),
    ),
  },
  ...refundWays.map(
    ([name, words, breaks, isMeant]): Fault => ({
      id: `refund-processing-hidden-${name}`,
      title: `Shows a refund as PENDING that is PROCESSING, where it is asked for ${words}.`,
      breaks,
      caughtBy: 'refunds.query.each-way-alone',
      make: lateIn('PENDING', isMeant),
    }),
  ),
];

const isHostedQueryBy = (platformId: boolean) => (request: ProxyRequest) =>
  isOf('orders.query')(request) && isByPlatformId(request) === platformId;

/** Wrong servers that keep what one way to ask has shown, and do not notice one of the ends. */
const endsHidden: readonly Fault[] = [
  {
    id: 'order-by-platform-id-kept-when-cancelled',
    title: 'Keeps what it shows of an order by its platform id, and forgets it at every event but a cancellation.',
    breaks: 'orders.query.by-order-id',
    caughtBy: 'orders.query.each-way-alone',
    make: keepingIn(isHostedQueryBy(true), 'orders', idOfOrder, 'cancelled'),
  },
  {
    id: 'order-by-own-id-kept-when-payment-failed',
    title:
      'Keeps what it shows of an order by its merchantOrderId, and forgets it at every event but a failed payment.',
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.query.each-way-alone',
    make: keepingIn(isHostedQueryBy(false), 'orders', idOfOrder, 'payment_failed'),
  },
  {
    id: 'order-by-platform-id-kept-when-expired',
    title: 'Keeps what it shows of an order by its platform id until something happens to it, which its expiry is not.',
    breaks: 'orders.query.by-order-id',
    caughtBy: 'orders.query.each-way-alone',
    make: keepingIn(isHostedQueryBy(true), 'orders', idOfOrder),
  },
  {
    id: 'order-by-own-id-kept-when-expired',
    title:
      'Keeps what it shows of an order by its merchantOrderId until something happens to it, which its expiry is not.',
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.query.each-way-alone',
    make: keepingIn(isHostedQueryBy(false), 'orders', idOfOrder),
  },
  {
    id: 'checkout-by-platform-id-kept-when-cancelled',
    title: 'Finds a checkout order by its platform id, too, and shows it then as before its cancellation.',
    breaks: 'checkout.query.by-merchant-order-id',
    caughtBy: 'checkout.query.each-way-alone',
    make: keepingByPlatformIdOfCheckout('cancelled'),
  },
  {
    id: 'checkout-by-platform-id-kept-when-expired',
    title: 'Finds a checkout order by its platform id, too, and shows it then as before its expiry.',
    breaks: 'checkout.query.by-merchant-order-id',
    caughtBy: 'checkout.query.each-way-alone',
    make: keepingByPlatformIdOfCheckout(),
  },
  ...refundWays.slice(0, 4).flatMap(([name, words, breaks, isMeant]) =>
    (['closed', 'failed'] as const).map(
      (event): Fault => ({
        id: `refund-${name}-kept-when-${event}`,
        title: `Keeps what it shows of a refund that is asked for ${words}, and forgets it at every event but \`${event}\`.`,
        breaks,
        caughtBy: 'refunds.query.each-way-alone',
        make: keepingIn(isMeant, 'refunds', idOfRefund, event),
      }),
    ),
  ),
];

/** Wrong servers that keep for one way to ask what another has shown. */
export const eachWayFaults: readonly Fault[] = [
  ...processingHidden,
  ...endsHidden,
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
