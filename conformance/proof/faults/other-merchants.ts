import { isObject, type JsonObject } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import {
  bodyOf,
  isCheckout,
  isOf,
  isRightlySigned,
  jsonAnswer,
  merchantIdOf,
  onlyFor,
  queriedId,
  refusal,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { followingClocks } from '../stand/order-changes.ts';
import type { Handler, ProxyAnswer, ProxyRequest } from '../stand/proxy.ts';
import {
  isRefundBatch,
  isRefundCreate,
  isRefundQuery,
  ownRefundIdOf,
  parameterOf,
  refundRefusal,
  refundSuccess,
} from '../stand/refund-changes.ts';

/** The last view of each order or refund that any merchant was shown, by one of its ids. */
type Seen = ReadonlyMap<string, { merchantId: string; view: JsonObject }>;

/** A server that answers some requests by what it has shown to another merchant. `undefined`: it answers as it should. */
function answeringByOthers(
  isMeant: (request: ProxyRequest) => boolean,
  keyOf: (view: JsonObject) => unknown,
  askedFor: (request: ProxyRequest) => string | undefined,
  instead: (view: JsonObject, request: ProxyRequest) => ProxyAnswer | undefined,
): Handler {
  const seen = new Map<string, { merchantId: string; view: JsonObject }>();
  return async (request, server) => {
    const merchantId = merchantIdOf(request);
    const found: ReturnType<Seen['get']> = isMeant(request) ? seen.get(askedFor(request) ?? '') : undefined;
    const answer = found && found.merchantId !== merchantId ? instead(found.view, request) : undefined;
    if (answer) return answer;
    const usual = await server.forward(request);
    const { code, data: view } = bodyOf(usual) ?? {};
    if (code === successCode && isObject(view)) seen.set(String(keyOf(view)), { merchantId, view });
    return usual;
  };
}

const ownIdOf = (request: ProxyRequest): string | undefined => {
  const id = queriedId(request) ?? bodyOf(request)?.merchantOrderId;
  return typeof id === 'string' ? id : undefined;
};

/** A server that asks whose a refund is where its order is a hosted one only. */
function showingRefundsOfCheckoutOrders(): Handler {
  const ofCheckout = new Set<unknown>();
  const shows = answeringByOthers(
    isRefundQuery,
    (view) => view.acquiringOrderId,
    (request) => parameterOf(request, 'acquiringOrderId'),
    (view) => (ofCheckout.has(view.acquiringOrderId) ? refundSuccess(view) : undefined),
  );
  return async (request, server) => {
    const answer = await shows(request, server);
    const view = bodyOf(answer)?.data;
    if (isCheckout(request) && isObject(view)) ofCheckout.add(view.orderId);
    return answer;
  };
}

/** A server that does not ask whose an order is where it was refunded more than once. */
function showingSecondRefundsToOthers(): Handler {
  const refundsOf = new Map<unknown, Set<unknown>>();
  const shows = answeringByOthers(
    isRefundQuery,
    (view) => view.acquiringOrderId,
    (request) => parameterOf(request, 'acquiringOrderId'),
    (view) => ((refundsOf.get(view.acquiringOrderId)?.size ?? 0) > 1 ? refundSuccess(view) : undefined),
  );
  return async (request, server) => {
    const answer = await shows(request, server);
    const view = bodyOf(answer)?.data;
    if (isRefundCreate(request) && isObject(view)) {
      const known = refundsOf.get(view.acquiringOrderId) ?? new Set();
      refundsOf.set(view.acquiringOrderId, known.add(view.refundOrderId));
    }
    return answer;
  };
}

/** A server that adds refunds of other merchants to the answer to a batch query that has this id of theirs. */
function batchingRefundsOfOthers(
  idField: 'merchantRefundOrderId' | 'refundOrderId',
  isShown: (view: JsonObject) => boolean,
): Handler {
  const seen = new Map<unknown, { merchantId: string; view: JsonObject }>();
  return async (request, server) => {
    const merchantId = merchantIdOf(request);
    const answer = await server.forward(request);
    const { code, data } = bodyOf(answer) ?? {};
    if (code !== successCode) return answer;
    if (isObject(data)) seen.set(data[idField], { merchantId, view: data });
    if (!isRefundBatch(request) || !Array.isArray(data)) return answer;
    const { merchantRefundOrderIds: ids } = bodyOf(request) ?? {};
    const found = (Array.isArray(ids) ? ids : []).flatMap((id) => seen.get(id) ?? []);
    const others = found.filter((each) => each.merchantId !== merchantId && isShown(each.view));
    return refundSuccess([...data, ...others.map(({ view }) => view)]);
  };
}

const isFinalRefund = ({ status }: JsonObject) => ['SUCCEEDED', 'FAILED', 'CLOSED'].includes(String(status));

/** A server that names the order which another merchant has under an id, when it refuses a create under that for its expiry. */
const namingOrdersOfOthers = (product: 'hosted' | 'checkout'): Handler =>
  answeringByOthers(
    (request) =>
      isCheckout(request) === (product === 'checkout') &&
      request.method === 'POST' &&
      Date.parse(String(bodyOf(request)?.expiresAt)) < Date.now(),
    (view) => view.merchantOrderId,
    ownIdOf,
    (view, request) => refusal(request, '10001', `expiresAt: is over, as that of ${String(view.orderId)}`),
  );

/** A server that no longer looks whose a hosted order is once it is a month old. */
function showingOldOrdersToOthers(): Make {
  const { now, control } = followingClocks();
  const month = 30 * 86_400_000;
  return {
    control,
    merchantApi: answeringByOthers(
      isOf('orders.query'),
      (view) => view.merchantOrderId,
      ownIdOf,
      (view) =>
        Date.parse(String(view.createdAt)) < now(String(view.merchantId)) - month
          ? jsonAnswer({ code: successCode, message: 'Success', data: view })
          : undefined,
    ),
  };
}

/** A server that answers what has a body that it has accepted before as it did then, for whichever merchant. */
function answeringByBody(operation: string): Handler {
  const kept = new Map<string, ProxyAnswer>();
  return onlyFor(isOf(operation), async (request, server) => {
    if (!isRightlySigned(request, server)) return server.forward(request);
    const body = request.body.toString('utf8');
    const answer = kept.get(body) ?? (await server.forward(request));
    if (bodyOf(answer)?.code === successCode) kept.set(body, answer);
    return answer;
  });
}

/** Wrong servers that mistake what another merchant has for a merchant's own, in some of its states. */
export const otherMerchantFaults: readonly Fault[] = [
  {
    id: 'old-orders-shown-to-others',
    title: 'Shows a hosted order that is a month old to every merchant that asks for it.',
    breaks: 'orders.query.other-merchant',
    caughtBy: 'orders.query.months-later',
    make: showingOldOrdersToOthers(),
  },
  {
    id: 'closed-order-shown-to-others',
    title: 'Shows a closed hosted order to every merchant that asks for it.',
    breaks: 'orders.query.other-merchant',
    caughtBy: 'orders.other-merchant.each-state',
    make: {
      merchantApi: answeringByOthers(
        isOf('orders.query'),
        (view) => view.merchantOrderId,
        ownIdOf,
        (view) =>
          view.status === 'CLOSED' ? jsonAnswer({ code: successCode, message: 'Success', data: view }) : undefined,
      ),
    },
  },
  {
    id: 'order-shown-to-others-by-platform-id',
    title:
      'Shows a hosted order that is paid for to every merchant that asks for it by the id that the platform gave it.',
    breaks: 'orders.query.other-merchant',
    caughtBy: 'orders.other-merchant.each-state',
    make: {
      merchantApi: answeringByOthers(
        isOf('orders.query'),
        (view) => view.orderId,
        ownIdOf,
        (view) =>
          view.status === 'INIT' ? undefined : jsonAnswer({ code: successCode, message: 'Success', data: view }),
      ),
    },
  },
  ...(
    [
      ['orders', 'hosted'],
      ['checkout', 'checkout'],
    ] as const
  ).map(
    ([area, product]): Fault => ({
      id: `${area}-refusals-name-orders-of-others`,
      title: `Names another merchant's order of ${area} when it refuses a create under the merchantOrderId of that.`,
      breaks: `${area}.create.other-merchant`,
      caughtBy: `${area}.other-merchant.each-state`,
      make: { merchantApi: namingOrdersOfOthers(product) },
    }),
  ),
  {
    id: 'checkout-ids-of-others-taken-once-paid',
    title: 'Refuses a create under the merchantOrderId of a checkout order of another merchant that was paid.',
    breaks: 'checkout.create.other-merchant',
    caughtBy: 'checkout.other-merchant.each-state',
    make: {
      merchantApi: answeringByOthers(
        (request) => isCheckout(request) && request.method === 'POST',
        (view) => view.merchantOrderId,
        ownIdOf,
        (view, request) =>
          view.status === 'SUCCEEDED' ? refusal(request, '20001', 'merchantOrderId: is taken') : undefined,
      ),
    },
  },
  {
    id: 'refunded-order-of-others-known',
    title: "Says that another merchant's order was refunded already, where it was.",
    breaks: 'refunds.errors.order-not-found',
    caughtBy: 'refunds.other-merchant.each-state',
    make: {
      merchantApi: answeringByOthers(
        isRefundCreate,
        (view) => view.acquiringOrderId,
        (request) => String(bodyOf(request)?.acquiringOrderId),
        () => refundRefusal(400, 'ORDER_ALREADY_REFUNDED'),
      ),
    },
  },
  {
    id: 'ended-refunds-of-others-in-batch',
    title: 'Shows refunds of every merchant that have ended in the answer to a batch query.',
    breaks: 'refunds.batch-query.other-merchant',
    caughtBy: 'refunds.other-merchant.each-state',
    make: { merchantApi: batchingRefundsOfOthers('merchantRefundOrderId', isFinalRefund) },
  },
  {
    id: 'refunds-under-way-of-others-in-batch',
    title:
      'Shows refunds of every merchant that are under way in the answer to a batch query for the ids that the platform gave.',
    breaks: 'refunds.batch-query.other-merchant',
    caughtBy: 'refunds.other-merchant.each-state',
    make: { merchantApi: batchingRefundsOfOthers('refundOrderId', ({ status }) => status === 'PROCESSING') },
  },
  {
    id: 'refunds-of-checkout-orders-shown-to-others',
    title: 'Shows the refund of a checkout order to every merchant that asks for it by its acquiringOrderId.',
    breaks: 'refunds.query.other-merchant',
    caughtBy: 'refunds.other-merchant.each-state',
    make: { merchantApi: showingRefundsOfCheckoutOrders() },
  },
  {
    id: 'refunds-of-orders-refunded-twice-shown-to-others',
    title:
      'Shows a refund of an order that was refunded twice to every merchant that asks for it by its acquiringOrderId.',
    breaks: 'refunds.query.other-merchant',
    caughtBy: 'refunds.other-merchant.each-state',
    make: { merchantApi: showingSecondRefundsToOthers() },
  },
  {
    id: 'refunds-of-others-forbidden',
    title: "Answers a query for another merchant's refund with HTTP 403, which tells that there is one.",
    breaks: 'refunds.errors.refund-not-found',
    caughtBy: 'refunds.query.other-merchant',
    make: {
      merchantApi: answeringByOthers(
        isRefundQuery,
        (view) => view.merchantRefundOrderId,
        ownRefundIdOf,
        () => refundRefusal(403, 'FORBIDDEN'),
      ),
    },
  },
  {
    id: 'refunds-of-others-shown-beside-another-id',
    title: "Shows another merchant's refund to a query that gives its refundOrderId and another id of it.",
    breaks: 'refunds.query.other-merchant',
    caughtBy: 'refunds.query.other-merchant',
    make: {
      merchantApi: answeringByOthers(
        isRefundQuery,
        (view) => view.refundOrderId,
        (request) =>
          parameterOf(request, 'merchantRefundOrderId') ? parameterOf(request, 'refundOrderId') : undefined,
        refundSuccess,
      ),
    },
  },
  {
    id: 'unpaid-order-of-others-known',
    title: "Says that another merchant's order is not paid, where it is not.",
    breaks: 'refunds.errors.order-not-found',
    caughtBy: 'refunds.create.other-merchant.each-state',
    make: {
      merchantApi: answeringByOthers(
        isRefundCreate,
        (view) => view.orderId,
        (request) => String(bodyOf(request)?.acquiringOrderId),
        ({ status }) => (status === 'SUCCEEDED' ? undefined : refundRefusal(400, 'ORDER_NOT_REFUNDABLE')),
      ),
    },
  },
  {
    id: 'ended-refund-of-others-repeated',
    title:
      "Answers a create under the merchantRefundOrderId of another merchant's refund that has ended with that refund.",
    breaks: 'general.isolation',
    caughtBy: 'refunds.other-merchant.each-state',
    make: {
      merchantApi: answeringByOthers(
        isRefundCreate,
        (view) => view.merchantRefundOrderId,
        ownRefundIdOf,
        (view) => (isFinalRefund(view) ? refundSuccess(view) : undefined),
      ),
    },
  },
  ...(['orders', 'checkout'] as const).map(
    (product): Fault => ({
      id: `${product}-creates-kept-by-body`,
      title: `Answers a create ${product === 'orders' ? 'of a hosted order' : 'of a checkout order'} as the same body was answered before, whichever merchant had sent it.`,
      breaks: 'general.isolation',
      caughtBy: `${product}.create.isolation.other-merchant`,
      feeds: [`${product}.combinations`],
      make: { merchantApi: answeringByBody(`${product}.create`) },
    }),
  ),
];
