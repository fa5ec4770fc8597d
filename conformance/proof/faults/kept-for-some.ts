import type { RequirementId } from '../../../generated/catalogue.ts';
import type { WebhookRequest } from '../../../server/services/delivery/deliver.ts';
import { compareDecimals } from '../../contract/decimals.ts';
import { isObject, type JsonObject, valueAt } from '../../contract/json.ts';
import { isHostedQuery, isOf, onlyFor, showing, storing } from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { acknowledged, eventOf, sending } from '../stand/webhook-changes.ts';

const moments: Readonly<Record<'orders' | 'checkout', RequirementId>> = {
  orders: 'orders.view.moments',
  checkout: 'checkout.view.moments',
};

/** A server that shows the time of creation as the time of payment, where `has` is true of a view. */
const datedByCreation = (
  area: 'orders' | 'checkout',
  name: string,
  words: string,
  has: (view: JsonObject) => boolean,
): Fault => ({
  id: `${area}-paid-${name}-dated-by-creation`,
  title: `Shows createdAt as paidAt of orders ${words}.`,
  breaks: moments[area],
  caughtBy: `${area}.query.times.paid-at`,
  feeds: [`${area}.situations.time-passes`],
  make: {
    merchantApi: onlyFor(
      area === 'orders' ? isHostedQuery : isOf('checkout.query'),
      showing((view) => (view.paidAt && has(view) ? { ...view, paidAt: view.createdAt } : view)),
    ),
  },
});

const pricedIn = (currency: string) => (view: JsonObject) => valueAt(view, ['orderAmount', 'currency']) === currency;
const paidOver = (network: string) => (view: JsonObject) =>
  isObject(view.cryptoPaymentDetail) && view.cryptoPaymentDetail.network === network;

/** A server that compares what was paid for a hosted order with its price, whatever that came to in USDT. */
const comparingWithPrice: Make = {
  parts: storing((records) => ({
    updateOrder: (order) => {
      const decided = order.status === 'SUCCEEDED' || order.status === 'FAILED';
      if (order.product !== 'hosted' || !order.payment || !decided) return records.updateOrder(order);
      const succeeded = compareDecimals(order.payment.amount.value, order.request.orderAmount.value) >= 0;
      const status = succeeded ? 'SUCCEEDED' : 'FAILED';
      return records.updateOrder({ ...order, status, paidAt: succeeded ? (order.paidAt ?? order.createdAt) : null });
    },
  })),
};

const comparedWithPrice = (id: string, title: string, [breaks, rule]: [RequirementId, string]): Fault => ({
  id,
  title,
  breaks,
  caughtBy: `orders.query.transitions.${rule}`,
  feeds: ['orders.situations.converted'],
  make: comparingWithPrice,
});

/** A server that keeps back a kind of webhooks. */
const unannounced = (
  { id, title }: Pick<Fault, 'id' | 'title'>,
  [breaks, rule, feed]: [RequirementId, string, string],
  isKept: (webhook: WebhookRequest) => boolean,
): Fault => ({
  id,
  title,
  breaks,
  caughtBy: `webhooks.${rule}`,
  feeds: [`webhooks.situations.${feed}`],
  make: sending(async (webhook, send) => (isKept(webhook) ? acknowledged : send(webhook))),
});

/** Wrong servers that keep a rule for some currencies and networks, and break it for one. */
export const keptForSomeFaults: readonly Fault[] = [
  datedByCreation('orders', 'in-usd', 'that are priced in USD', pricedIn('USD')),
  datedByCreation('orders', 'over-bsc', 'that are paid over BSC', paidOver('BSC')),
  datedByCreation('checkout', 'in-usd1', 'that are priced in USD1', pricedIn('USD1')),
  datedByCreation('checkout', 'over-solana', 'that are paid over Solana', paidOver('solana')),
  comparedWithPrice(
    'price-in-dollars-paid-instead-of-amount-due',
    'Takes an order in USD for paid that was paid its price, where more was due.',
    ['orders.states.failed', 'underpaid'],
  ),
  comparedWithPrice(
    'amount-due-paid-instead-of-price-in-dollars',
    'Lets an order in USD fail that was paid what was due, where its price is more.',
    ['orders.states.confirmed', 'confirmed'],
  ),
  unannounced(
    { id: 'expired-order-in-usd-unannounced', title: 'Announces no hosted order in USD that has expired.' },
    ['webhooks.order.expired', 'order.deliveries.expired', 'orders.expired'],
    (webhook) => pricedIn('USD')(eventOf(webhook)) && eventOf(webhook).status === 'CLOSED',
  ),
  unannounced(
    { id: 'refund-in-usdc-unannounced', title: 'Announces no refund in USDC.' },
    ['webhooks.refund.notify-url', 'refund.deliveries.succeeded', 'refunds'],
    (webhook) => eventOf(webhook).refundCurrency === 'USDC',
  ),
];
