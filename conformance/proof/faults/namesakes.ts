import type { Order } from '../../../server/domain/order.ts';
import type { WebhookRequest } from '../../../server/services/delivery/deliver.ts';
import { isObject, type JsonObject, valueAt } from '../../contract/json.ts';
import { bodyOf, isHosted, isOf, onlyFor, queriedId, refusal, showing, storing } from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import type { Handler, ProxyAnswer, ProxyRequest } from '../stand/proxy.ts';
import { parameterOf } from '../stand/refund-changes.ts';
import { acknowledged, eventOf, isOfCheckout, isOfRefund, sending } from '../stand/webhook-changes.ts';

/** A server that announces the same only once, where `keyOf` says what is the same. */
const announcingOnce = (isMeant: (webhook: WebhookRequest) => boolean, keyOf: (event: JsonObject) => unknown): Make => {
  const owners = new Map<string, unknown>();
  return sending(async (webhook, send) => {
    const event = eventOf(webhook);
    const key = JSON.stringify([keyOf(event), event.status]);
    const id = event.refundOrderId ?? event.acquiringOrderId;
    if (!isMeant(webhook)) return send(webhook);
    const owner = owners.get(key) ?? id;
    owners.set(key, owner);
    return owner === id ? send(webhook) : acknowledged;
  });
};

/** A server with one timer for each merchantOrderId: an order that another merchant makes under the same one takes the timer away. */
function losingTimers(): Make {
  const newest = new Map<unknown, unknown>();
  const lost = new Set<unknown>();
  return {
    merchantApi: onlyFor(
      isHosted,
      showing((view, request) => {
        const { merchantOrderId, orderId } = view;
        const earlier = newest.get(merchantOrderId);
        if (isOf('orders.create')(request)) {
          if (earlier !== undefined && earlier !== orderId) lost.add(earlier);
          newest.set(merchantOrderId, orderId);
        }
        return lost.has(orderId) && view.status === 'CLOSED' ? { ...view, status: 'INIT' } : view;
      }),
    ),
  };
}

/** A server that reads a field by an id of merchants alone: it shows what the first one was shown under it. */
function showingTheFirsts(operation: string, id: string, field: string): Handler {
  const first = new Map<unknown, unknown>();
  return onlyFor(
    isOf(operation),
    showing((view) => {
      if (!first.has(view[id])) first.set(view[id], view[field]);
      const shown = first.get(view[id]);
      return typeof shown === 'string' ? { ...view, [field]: shown } : view;
    }),
  );
}

/** A server that remembers by `keyOf` what it has shown, for good once that has ended. It looks nowhere else then. */
function rememberingEnds(
  operation: string,
  keyOf: (request: ProxyRequest) => string | undefined,
  statuses: readonly unknown[],
): Handler {
  const known = new Map<string, ProxyAnswer>();
  return onlyFor(isOf(operation), async (request, server) => {
    const key = keyOf(request);
    const remembered = key === undefined ? undefined : known.get(key);
    if (remembered) return remembered;
    const answer = await server.forward(request);
    const { data } = bodyOf(answer) ?? {};
    const records = [data].flat();
    const hasEnded = records.length > 0 && records.every((each) => isObject(each) && statuses.includes(each.status));
    if (key !== undefined && hasEnded) known.set(key, answer);
    return answer;
  });
}

/** A server that takes the orders of a product with it that other merchants have under the same id, where one comes to this status. */
function movingOrdersOfOthers(product: Order['product'], to: Order['status'], from: Order['status'] = 'INIT'): Make {
  const merchants = new Map<string, Set<string>>();
  return {
    parts: storing((records) => ({
      insertOrder: (order) => {
        const known = merchants.get(order.merchantOrderId) ?? new Set();
        merchants.set(order.merchantOrderId, known.add(order.merchantId));
        return records.insertOrder(order);
      },
      updateOrder: async (order) => {
        await records.updateOrder(order);
        if (order.product !== product || order.status !== to) return;
        const { merchantOrderId } = order;
        for (const merchantId of merchants.get(merchantOrderId) ?? []) {
          const other = await records.findOrder({ product, merchantId, merchantOrderId });
          if (other?.status === from) await records.updateOrder({ ...other, status: to, paidAt: order.paidAt });
        }
      },
    })),
  };
}

/** A server that sends what goes to a default address to that of the merchant that had an order under the same id first. */
function sendingToTheFirst(): Make {
  const first = new Map<string, string>();
  return {
    parts: storing((records) => ({
      insertOrder: (order) => {
        if (!first.has(order.merchantOrderId)) first.set(order.merchantOrderId, order.merchantId);
        return records.insertOrder(order);
      },
      insertDelivery: async (delivery) => {
        const { merchantId, subject, url } = delivery;
        const refund =
          'refundOrderId' in subject ? await records.findRefundById(merchantId, subject.refundOrderId) : undefined;
        const order = refund && (await records.findOrderById(merchantId, refund.acquiringOrderId));
        const other = order && (await records.findMerchant(first.get(order.merchantOrderId) ?? merchantId));
        await records.insertDelivery({ ...delivery, url: other?.settings.defaultNotifyUrl ?? url });
      },
    })),
  };
}

/** A server that closes an order with that of the other product under the same id. */
function closingWithTheOther(moved: Order['product'], other: Order['product']): Make {
  return {
    parts: storing((records) => ({
      updateOrder: async (order) => {
        await records.updateOrder(order);
        if (order.product !== moved || order.status !== 'CLOSED') return;
        const { merchantId, merchantOrderId } = order;
        const found = await records.findOrder({ product: other, merchantId, merchantOrderId });
        if (found?.status === 'INIT') await records.updateOrder({ ...found, status: 'CLOSED' });
      },
    })),
  };
}

/** A server that closes with a refund those of other merchants under the same id. */
function closingRefundsOfOthers(): Make {
  const merchants = new Map<string, Set<string>>();
  return {
    parts: storing((records) => ({
      insertRefund: (refund) => {
        const known = merchants.get(refund.merchantRefundOrderId) ?? new Set();
        merchants.set(refund.merchantRefundOrderId, known.add(refund.merchantId));
        return records.insertRefund(refund);
      },
      updateRefund: async (refund) => {
        await records.updateRefund(refund);
        if (refund.status !== 'CLOSED') return;
        for (const merchantId of merchants.get(refund.merchantRefundOrderId) ?? []) {
          const other = await records.findRefund(merchantId, refund.merchantRefundOrderId);
          const { endedAt } = refund;
          if (other?.status === 'PENDING') await records.updateRefund({ ...other, status: 'CLOSED', endedAt });
        }
      },
    })),
  };
}

/** A server that answers a query of one product for an id that the other has as if a create had named it. */
function refusingIdsOf(other: 'orders' | 'checkout', area: 'orders' | 'checkout', code: string): Handler {
  const ids = new Set<unknown>();
  return async (request, server) => {
    if (isOf(`${other}.create`)(request)) ids.add(bodyOf(request)?.merchantOrderId);
    const answer = await server.forward(request);
    const isTaken = isOf(`${area}.query`)(request) && ids.has(queriedId(request)) && bodyOf(answer)?.code === '40001';
    return isTaken ? refusal(request, code, 'the merchantOrderId is used') : answer;
  };
}

/** A server that finds the price of a refunded order by its merchantOrderId, whichever product's order was made first under that. */
function refundingTheNamesake(): Make {
  const prices = new Map<unknown, unknown>();
  const ids = new Map<unknown, unknown>();
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const { data } = bodyOf(answer) ?? {};
      if (isObject(data) && (isOf('orders.create')(request) || isOf('checkout.create')(request))) {
        const { orderId, merchantOrderId } = data;
        ids.set(orderId, merchantOrderId);
        if (!prices.has(merchantOrderId)) prices.set(merchantOrderId, valueAt(data, ['orderAmount', 'value']));
      }
      if (!isOf('refunds.create')(request) || !isObject(data)) return answer;
      const refundAmount = prices.get(ids.get(data.acquiringOrderId)) ?? data.refundAmount;
      return showing((view) => ({ ...view, refundAmount }))(request, {
        ...server,
        forward: () => Promise.resolve(answer),
      });
    },
  };
}

/** Wrong servers that look things up by an id that is not theirs alone. */
export const namesakeFaults: readonly Fault[] = [
  {
    id: 'orders-of-one-id-announced-once',
    title: 'Announces what happens to one of two hosted orders under the same merchantOrderId of two merchants.',
    breaks: 'webhooks.order.paid',
    caughtBy: 'webhooks.order.namesakes',
    make: announcingOnce(
      (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook),
      ({ merchantOrderId }) => merchantOrderId,
    ),
  },
  {
    id: 'checkout-orders-of-one-id-announced-once',
    title: 'Announces what happens to one of two checkout orders under the same merchantOrderId of two merchants.',
    breaks: 'webhooks.order.paid',
    caughtBy: 'webhooks.checkout-order.namesakes',
    make: announcingOnce(isOfCheckout, ({ merchantOrderId }) => merchantOrderId),
  },
  {
    id: 'orders-of-both-products-announced-once',
    title: 'Announces what happens to one of two orders under the same merchantOrderId of both products.',
    breaks: 'webhooks.order.paid',
    caughtBy: 'webhooks.order.namesakes-of-both-products',
    make: announcingOnce(
      (webhook) => !isOfRefund(webhook),
      ({ merchantId, merchantOrderId }) => [merchantId, merchantOrderId],
    ),
  },
  {
    id: 'refunds-of-one-id-announced-once',
    title: 'Announces one of two refunds under the same merchantRefundOrderId of two merchants.',
    breaks: 'webhooks.refund.notify-url',
    caughtBy: 'webhooks.refund.namesakes',
    make: announcingOnce(isOfRefund, ({ merchantRefundOrderId }) => merchantRefundOrderId),
  },
  {
    id: 'refunds-announced-to-the-default-address-of-a-namesake',
    title:
      'Announces a refund at the default address of the merchant that had an order under the same merchantOrderId first.',
    breaks: 'webhooks.refund.default-address',
    caughtBy: 'webhooks.refund.namesakes',
    make: sendingToTheFirst(),
  },
  {
    id: 'expiry-of-namesakes-forgotten',
    title: 'Lets a hosted order never expire where another merchant has made one under the same merchantOrderId later.',
    breaks: 'orders.states.expired',
    caughtBy: 'webhooks.order.namesakes',
    make: losingTimers(),
  },
  {
    id: 'metadata-of-the-first-namesake',
    title: 'Shows the metadata of the first checkout order under a merchantOrderId for those of other merchants.',
    breaks: 'checkout.create.metadata.unchanged',
    caughtBy: 'checkout.query.echo.metadata',
    feeds: ['checkout.situations.namesakes'],
    make: { merchantApi: showingTheFirsts('checkout.query', 'merchantOrderId', 'metadata') },
  },
  {
    id: 'extra-data-of-the-first-namesake',
    title: 'Shows the extraData of the first refund under a merchantRefundOrderId for those of other merchants.',
    breaks: 'refunds.record.extra-data',
    caughtBy: 'refunds.query.echo.extra-data',
    feeds: ['refunds.situations.namesakes'],
    make: { merchantApi: showingTheFirsts('refunds.query', 'merchantRefundOrderId', 'extraData') },
  },
  {
    id: 'cancelled-with-its-namesake',
    title: 'Closes with a hosted order those that other merchants have under the same merchantOrderId.',
    breaks: 'orders.states.initial',
    caughtBy: 'orders.situations.namesakes',
    make: movingOrdersOfOthers('hosted', 'CLOSED'),
  },
  {
    id: 'confirmed-with-its-namesake',
    title:
      'Confirms with the payment of a hosted order those of orders that other merchants have under the same merchantOrderId.',
    breaks: 'orders.states.initial',
    caughtBy: 'orders.situations.namesakes',
    make: movingOrdersOfOthers('hosted', 'SUCCEEDED', 'PROCESSING'),
  },
  {
    id: 'failed-with-its-namesake',
    title: 'Lets a checkout order fail when one of another merchant under the same merchantOrderId does.',
    breaks: 'checkout.states.initial',
    caughtBy: 'checkout.situations.namesakes',
    make: movingOrdersOfOthers('checkout', 'FAILED'),
  },
  {
    id: 'hosted-order-closed-with-the-checkout-order',
    title: 'Closes with a checkout order the hosted order that its merchant has under the same id.',
    breaks: 'orders.states.initial',
    caughtBy: 'orders.situations.namesakes-of-both-products',
    make: closingWithTheOther('checkout', 'hosted'),
  },
  {
    id: 'checkout-order-closed-with-the-hosted-order',
    title: 'Closes with a hosted order the checkout order that its merchant has under the same id.',
    breaks: 'checkout.states.initial',
    caughtBy: 'checkout.situations.namesakes-of-both-products',
    make: closingWithTheOther('hosted', 'checkout'),
  },
  {
    id: 'refund-closed-with-its-namesake',
    title: 'Closes with a refund those that other merchants have under the same merchantRefundOrderId.',
    breaks: 'refunds.create.accepted',
    caughtBy: 'refunds.situations.namesakes',
    make: closingRefundsOfOthers(),
  },
  ...(['FAILED', 'CLOSED'] as const).map(
    (status): Fault => ({
      id: `refunds-remembered-once-${status.toLowerCase()}`,
      title: `Remembers of a refund that is ${status} what a query for it shows by its merchantRefundOrderId alone, for every merchant.`,
      breaks: 'refunds.query.other-merchant',
      caughtBy: 'refunds.situations.namesakes',
      make: {
        merchantApi: rememberingEnds('refunds.query', (request) => parameterOf(request, 'merchantRefundOrderId'), [
          status,
        ]),
      },
    }),
  ),
  {
    id: 'batches-remembered-once-ended',
    title: 'Remembers the answer to a batch query whose refunds have ended by its ids alone, for every merchant.',
    breaks: 'refunds.batch-query.other-merchant',
    caughtBy: 'refunds.situations.namesakes',
    make: {
      merchantApi: rememberingEnds(
        'refunds.batch-query',
        (request) => JSON.stringify(bodyOf(request)?.merchantRefundOrderIds),
        ['SUCCEEDED', 'FAILED', 'CLOSED'],
      ),
    },
  },
  ...(['orders', 'checkout'] as const).map(
    (area): Fault => ({
      id: `${area}-remembered-once-closed`,
      title: `Remembers of one of the ${area} that is CLOSED what a query shows by its merchantOrderId alone, for every merchant.`,
      breaks: `${area}.query.other-merchant`,
      caughtBy: `${area}.situations.namesakes`,
      make: { merchantApi: rememberingEnds(`${area}.query`, queriedId, ['CLOSED']) },
    }),
  ),
  ...(['orders', 'checkout'] as const).map(
    (area): Fault => ({
      id: `paid-${area}-remembered-in-any-case`,
      title: `Remembers of one of the ${area} that was paid what a query shows by its id in small letters.`,
      breaks: `${area}.query.by-merchant-order-id`,
      caughtBy: `${area}.situations.similar-ids`,
      make: {
        merchantApi: rememberingEnds(`${area}.query`, (request) => request.target.toLowerCase(), ['SUCCEEDED']),
      },
    }),
  ),
  {
    id: 'ended-refunds-remembered-in-any-case',
    title: 'Remembers of a refund that has ended what a query shows by its id in small letters.',
    breaks: 'refunds.query.by-merchant-refund-order-id',
    caughtBy: 'refunds.situations.similar-ids',
    make: {
      merchantApi: rememberingEnds('refunds.query', ({ target }) => target.toLowerCase(), [
        'SUCCEEDED',
        'FAILED',
        'CLOSED',
      ]),
    },
  },
  {
    id: 'refund-of-a-namesake-of-the-other-product',
    title:
      'Gives back the price of the first order, of either product, that has the merchantOrderId of the refunded one.',
    breaks: 'refunds.record.amount',
    caughtBy: 'refunds.create.money.refund-amount',
    feeds: ['refunds.situations.of-checkout-orders'],
    make: refundingTheNamesake(),
  },
  ...(
    [
      ['orders', 'checkout'],
      ['checkout', 'orders'],
    ] as const
  ).map(
    ([area, other]): Fault => ({
      id: `${area}-query-for-id-of-other-product-finds-it-taken`,
      title: `Answers ${area}.query for the id of an order of the other product with 20001.`,
      breaks: `${area}.errors.unknown-order`,
      caughtBy: `${area}.query.refusals.unknown`,
      feeds: ['checkout.query.other-product'],
      make: { merchantApi: refusingIdsOf(other, area, '20001') },
    }),
  ),
  {
    id: 'orders-query-for-id-of-checkout-order-malformed',
    title: 'Answers a hosted query for the id of a checkout order with 10001.',
    breaks: 'orders.errors.unknown-order',
    caughtBy: 'orders.query.refusals.unknown',
    feeds: ['checkout.query.other-product'],
    make: { merchantApi: refusingIdsOf('checkout', 'orders', '10001') },
  },
];
