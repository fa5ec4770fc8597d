import type { Order } from '../../../server/domain/order.ts';
import { compareDecimals, subtractDecimals } from '../../contract/decimals.ts';
import { valueAt } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import {
  bodyOf,
  changing,
  isHostedCreate,
  isHostedQuery,
  isOf,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  queriedId,
  refusal,
  showing,
  storing,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { enough } from '../stand/order-changes.ts';
import type { Handler, ProxyAnswer } from '../stand/proxy.ts';
import { parameterOf } from '../stand/refund-changes.ts';
import { acknowledged, eventOf, sending } from '../stand/webhook-changes.ts';

// Servers that do as they must with usual orders, and do not with ones that are paid over another network, by other amounts or in another course.

/** A server that answers a query as it did before while something is in this status. */
function keepingViewsOf(operation: string, status: string): Make {
  const kept = new Map<string, ProxyAnswer>();
  return {
    merchantApi: onlyFor(isOf(operation), async (request, server) => {
      const answer = await server.forward(request);
      const { code, data } = bodyOf(answer) ?? {};
      if (code !== successCode) return answer;
      const before = kept.get(request.target);
      if (valueAt(data, ['status']) === status) return before ?? answer;
      kept.set(request.target, answer);
      return answer;
    }),
  };
}

const staleViews: readonly Fault[] = [
  {
    id: 'checkout-views-kept-when-cancelled',
    title: 'Goes on showing a checkout order as it was before it was cancelled, where somebody had asked for it.',
    breaks: 'checkout.query.by-merchant-order-id',
    caughtBy: 'checkout.query.asked-before',
    make: keepingViewsOf('checkout.query', 'CLOSED'),
  },
  {
    id: 'hosted-views-kept-when-failed',
    title: 'Goes on showing a hosted order as it was before it failed, where somebody had asked for it by the same id.',
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.query.asked-before',
    make: keepingViewsOf('orders.query', 'FAILED'),
  },
  {
    id: 'refund-views-kept-when-closed',
    title: 'Goes on showing a refund as it was before it was closed, where somebody had asked for it in the same way.',
    breaks: 'refunds.query.by-merchant-refund-order-id',
    caughtBy: 'refunds.query.asked-before',
    make: keepingViewsOf('refunds.query', 'CLOSED'),
  },
];

/** Shows an order that was refunded as CLOSED to whoever asks for it by its platform id. */
function closingTheRefunded(): Make {
  const refunded = new Set<string>();
  return {
    parts: storing((records) => ({
      updateRefund: async (refund) => {
        await records.updateRefund(refund);
        if (refund.status === 'SUCCEEDED') refunded.add(refund.acquiringOrderId);
      },
    })),
    merchantApi: onlyFor(
      isHostedQuery,
      showing((view, request) =>
        queriedId(request) === view.orderId && refunded.has(String(view.orderId))
          ? { ...view, status: 'CLOSED' }
          : view,
      ),
    ),
  };
}

/** Shows orders that have failed to every merchant that asks for their id. */
function showingTheFailedToAll(): Handler {
  const failed = new Map<string, ProxyAnswer>();
  return onlyFor(isHostedQuery, async (request, server) => {
    const answer = await server.forward(request);
    const id = queriedId(request) ?? '';
    if (valueAt(bodyOf(answer)?.data, ['status']) === 'FAILED' && bodyOf(answer)?.code === successCode)
      failed.set(id, answer);
    return isRightlySigned(request, server) ? (failed.get(id) ?? answer) : answer;
  });
}

const otherwiseByAnotherId: readonly Fault[] = [
  {
    id: 'failed-orders-shown-to-all',
    title: 'Shows a hosted order that has failed to every merchant.',
    breaks: 'orders.query.other-merchant',
    caughtBy: 'orders.situations.at-the-end',
    feeds: ['orders.state.final-by-every-way'],
    make: { merchantApi: showingTheFailedToAll() },
  },
  {
    id: 'refunded-order-closed-by-its-platform-id',
    title: 'Shows a hosted order whose refund has succeeded as CLOSED where it is asked for by its platform id.',
    breaks: 'orders.query.by-order-id',
    caughtBy: 'orders.situations.at-the-end',
    feeds: ['orders.state.final-by-every-way'],
    make: closingTheRefunded(),
  },
  {
    id: 'failed-checkout-order-not-found',
    title: 'Finds no checkout order that has failed.',
    breaks: 'checkout.query.by-merchant-order-id',
    caughtBy: 'checkout.situations.at-the-end',
    feeds: ['checkout.state.final-by-every-way'],
    make: {
      merchantApi: onlyFor(isOf('checkout.query'), async (request, server) => {
        const answer = await server.forward(request);
        const hasFailed = valueAt(bodyOf(answer)?.data, ['status']) === 'FAILED';
        return hasFailed ? refusal(request, '40001', 'there is no such order') : answer;
      }),
    },
  },
  {
    id: 'failed-refund-processing-by-its-platform-id',
    title: 'Shows a refund that has failed as PROCESSING where it is asked for by its refundOrderId.',
    breaks: 'refunds.query.by-refund-order-id',
    caughtBy: 'refunds.situations.at-the-end',
    feeds: ['refunds.state.final-by-every-way'],
    make: {
      merchantApi: onlyFor(
        isOf('refunds.query'),
        showing((view, request) =>
          parameterOf(request, 'refundOrderId') !== undefined && view.status === 'FAILED'
            ? { ...view, status: 'PROCESSING' }
            : view,
        ),
      ),
    },
  },
];

/** Less than what is due by the last of 18 decimal places is enough, where the order and its payment are such. */
const forgivingTheLastPlace = (
  product: Order['product'],
  isMeant: (request: Order['request'], network: string) => boolean,
): Make =>
  enough(product, (paid, due, request, { network }) => {
    const least = isMeant(request, network) ? subtractDecimals(due, '0.000000000000000001') : due;
    return compareDecimals(paid, least) >= 0;
  });

/** Counts six decimal places of what is paid over a network. */
const cuttingPayments = (product: Order['product'], over: string): Make =>
  enough(product, (paid, due, _request, { network }) => {
    const counted = network === over ? (/^\d+(\.\d{0,6})?/.exec(paid)?.[0] ?? paid) : paid;
    return compareDecimals(counted, due) >= 0;
  });

const misjudged: readonly Fault[] = [
  {
    id: 'last-place-of-usdc-over-polygon-forgiven',
    title: 'Takes a payment of a checkout order in USDC over Polygon that lacks the last of 18 decimal places.',
    breaks: 'checkout.payment-rule',
    caughtBy: 'checkout.payments.too-little',
    make: forgivingTheLastPlace(
      'checkout',
      ({ orderAmount }, network) => orderAmount.currency === 'USDC' && network === 'polygon',
    ),
  },
  {
    id: 'last-place-over-bsc-forgiven',
    title: 'Takes a payment of a hosted order over BNB Smart Chain that lacks the last of 18 decimal places.',
    breaks: 'orders.states.failed',
    caughtBy: 'orders.payments.compared',
    make: forgivingTheLastPlace('hosted', (_request, network) => network === 'bsc'),
  },
  {
    id: 'payments-over-base-cut-to-six-places',
    title: 'Counts six decimal places of a payment of a checkout order over Base, and all places of what is due.',
    breaks: 'checkout.payment-rule',
    caughtBy: 'checkout.payments.too-little',
    make: cuttingPayments('checkout', 'base'),
  },
  {
    id: 'hosted-payments-over-polygon-cut-to-six-places',
    title: 'Counts six decimal places of a payment of a hosted order over Polygon, and all places of what is due.',
    breaks: 'orders.states.confirmed',
    caughtBy: 'orders.payments.compared',
    make: cuttingPayments('hosted', 'polygon'),
  },
];

const shownPaid = (operation: 'orders.query' | 'checkout.query', path: string, change: (value: unknown) => unknown) => {
  const changed = changing(path, change);
  const isMeant = operation === 'orders.query' ? isHostedQuery : isOf(operation);
  return {
    merchantApi: onlyFor(
      isMeant,
      showing((view) => (view.status === 'SUCCEEDED' ? changed(view) : view)),
    ),
  };
};

/** A text as it comes back from a column for numbers: one that reads as a number is printed as such. */
const asNumber = (text: unknown) => (/^\d+(e\d+)?$/.test(String(text)) ? String(Number(text)) : text);

const misread: readonly Fault[] = [
  {
    id: 'hosted-hash-of-digits-as-number',
    title: 'Shows the transaction of a hosted order as a number where it has digits only.',
    breaks: 'orders.view.payment-detail',
    caughtBy: 'orders.query.money.transaction',
    feeds: ['orders.situations.paid-on-chain'],
    make: shownPaid('orders.query', 'cryptoPaymentDetail.txHash', asNumber),
  },
  {
    id: 'checkout-hash-without-zeros',
    title: 'Shows the transaction of a checkout order without the zeros in front.',
    breaks: 'checkout.view.payment-detail',
    caughtBy: 'checkout.query.money.transaction',
    feeds: ['checkout.situations.paid'],
    make: shownPaid('checkout.query', 'cryptoPaymentDetail.transactionHash', (hash) =>
      String(hash).replace(/^(0x)?00+/, '$1'),
    ),
  },
  {
    id: 'checkout-large-paid-amount-to-twelve-places',
    title: 'Cuts what was paid of a checkout order to 12 decimal places where it is a million or more.',
    breaks: 'checkout.view.paid-amount',
    caughtBy: 'checkout.query.money.paid-amount',
    feeds: ['checkout.situations.paid'],
    make: shownPaid('checkout.query', 'cryptoPaidAmount.value', (value) =>
      Number(value) >= 1e6 ? String(value).replace(/(\.\d{12})\d+$/, '$1') : value,
    ),
  },
];

/**
 * A server that drops the events of an end of an order while another event of the order waits for its next attempt, where it is not paid over the
 * most usual network.
 */
function droppingEnds(product: Order['product'], status: Order['status']): Make {
  const waiting = new Map<unknown, unknown>();
  const orders = new Map<unknown, Order>();
  const isMeant = (orderId: unknown) => {
    const order = orders.get(orderId);
    return order?.product === product && order.payment?.network !== 'tron';
  };
  const { webhooks } = sending(async (webhook, send) => {
    const { acquiringOrderId, eventId, status: said } = eventOf(webhook);
    const first = waiting.get(acquiringOrderId);
    if (first !== undefined && first !== eventId && said === status && isMeant(acquiringOrderId)) return acknowledged;
    const result = await send(webhook);
    if ('httpStatus' in result && result.httpStatus === 200) waiting.delete(acquiringOrderId);
    else waiting.set(acquiringOrderId, eventId);
    return result;
  });
  return {
    ...(webhooks && { webhooks }),
    parts: storing((records) => ({
      updateOrder: (order) => {
        orders.set(order.orderId, order);
        return records.updateOrder(order);
      },
    })),
  };
}

/** A server whose timer forgets the expiry of an order whose create is sent again, so that only a query finds it. */
function forgettingExpiry(product: Order['product']): Make {
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  const isMeant = product === 'hosted' ? isHostedCreate : isOf('checkout.create');
  return {
    merchantApi: onlyFor(isMeant, (request, server) => {
      const key = `${merchantIdOf(request)} ${String(bodyOf(request)?.merchantOrderId)}`;
      (seen.has(key) ? repeated : seen).add(key);
      return server.forward(request);
    }),
    parts: storing((records) => ({
      lockDueOrders: async (...due) =>
        (await records.lockDueOrders(...due)).filter(
          (order) =>
            order.product !== product ||
            order.status !== 'INIT' ||
            !repeated.has(`${order.merchantId} ${order.merchantOrderId}`),
        ),
    })),
  };
}

const lostEvents: readonly Fault[] = [
  {
    id: 'checkout-end-dropped-while-waiting-on-other-networks',
    title:
      'Drops the event of a checkout order that was paid over another network than Tron while an earlier one of it waits for its next attempt.',
    breaks: 'webhooks.order.paid',
    caughtBy: 'webhooks.checkout-order.retry.newer-event',
    make: droppingEnds('checkout', 'SUCCEEDED'),
  },
  {
    id: 'hosted-failure-dropped-while-waiting-on-other-networks',
    title:
      'Drops the event of a hosted order that failed, paid over another network than Tron, while an earlier one of it waits for its next attempt.',
    breaks: 'webhooks.order.failed',
    caughtBy: 'webhooks.retry.newer-event',
    make: droppingEnds('hosted', 'FAILED'),
  },
  ...(['hosted', 'checkout'] as const).map((product): Fault => {
    const name = product === 'hosted' ? 'order' : 'checkout-order';
    return {
      id: `${name}-expiry-forgotten-by-repeat`,
      title: `Closes orders of one product (${product}) whose create was sent again only when somebody asks for them.`,
      breaks: 'webhooks.order.expired',
      caughtBy: `webhooks.${name}.expired-unseen`,
      make: forgettingExpiry(product),
    };
  }),
];

/** Wrong servers whose fault shows with seldom orders alone. */
export const seldomFaults: readonly Fault[] = [
  ...staleViews,
  ...otherwiseByAnotherId,
  ...misjudged,
  ...misread,
  ...lostEvents,
];
