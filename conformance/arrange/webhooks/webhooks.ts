import type { CheckContext } from '../../check/context.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';
import { makeCheckoutOrder } from '../checkout-orders/checkout-orders.ts';
import { type AnyMadeOrder, bringOrderTo, type Lifetime, lifeOf, type Product } from '../orders/any-order.ts';
import type { OrderCreateRequest } from '../orders/client.ts';
import { makeOrder } from '../orders/orders.ts';
import { needWebhook, type Party } from './waiting.ts';

/** An order whose webhooks go to a mailbox of its own. */
export interface NotifiedOrder<Box extends Mailbox = Mailbox> extends AnyMadeOrder, Party {
  mailbox: Box;
  merchantOrderId: string;
  /** Sends its create again, over another amount where one is given. */
  repeat(amount?: string): Promise<Answer>;
}

/** What an order that names an address is like beside that. */
interface NotifiedOrderSettings {
  /** Absent: a merchant of its own. */
  merchant?: Credentials;
  /** The expiry of one with a short life can be awaited. */
  lifetime?: Lifetime;
  metadata?: string;
  /** The price of a hosted order. */
  hostedAmount?: OrderCreateRequest['orderAmount'];
  /** Absent: half an hour after it was made. */
  expiresAt?: string;
  /** Absent: one that was not used before. */
  merchantOrderId?: string;
}

/** Makes an order that names `mailbox` as its callbackUrl. */
export async function makeNotifiedOrder<Box extends Mailbox>(
  context: CheckContext,
  product: Product,
  mailbox: Box,
  { merchant: given, lifetime = 'ordinary', hostedAmount, ...fields }: NotifiedOrderSettings = {},
): Promise<NotifiedOrder<Box>> {
  const merchant = given ?? (await context.ownMerchant());
  const { life, acceptance } = lifeOf(context, lifetime);
  const changes = { callbackUrl: mailbox.url, ...fields, ...life };
  const price = hostedAmount && { orderAmount: hostedAmount };
  const made =
    product === 'orders'
      ? await makeOrder(context, merchant, { ...changes, ...price }, acceptance)
      : await makeCheckoutOrder(context, merchant, changes, acceptance);
  const { client, request } = made;
  const { merchantOrderId, orderAmount } = request;
  const repeat = (value = orderAmount.value) =>
    client.createAnything({ ...request, orderAmount: { ...orderAmount, value } });
  return { ...made, mailbox, merchantOrderId, repeat, ids: [merchantOrderId], address: 'webhooks.order.post' };
}

/** The same, where the merchant then makes another order of the product that names another address: the newest that it has named. */
export async function makeNeighbouredOrder(
  context: CheckContext,
  product: Product,
  mailbox: Mailbox,
  lifetime: Lifetime = 'ordinary',
): Promise<NotifiedOrder> {
  const order = await makeNotifiedOrder(context, product, mailbox, { lifetime });
  const { merchant } = order;
  const neighbour = await makeNotifiedOrder(context, product, await context.mailbox(), { merchant, lifetime });
  return { ...order, others: [neighbour.mailbox] };
}

/** A hosted order that was cancelled, which takes the fewest steps, and the webhook that announced it. */
export async function makeCancelledOrder(
  context: CheckContext,
  merchant?: Credentials,
): Promise<{ order: NotifiedOrder; webhook: Webhook }> {
  const order = await makeNotifiedOrder(context, 'orders', await context.mailbox(), merchant && { merchant });
  await bringOrderTo(context, order, 'CLOSED');
  const webhook = await needCancelled(context, order);
  return { order, webhook };
}

/** Waits for a webhook of a hosted order that was cancelled, as `needWebhook` does. */
export const needCancelled = (context: CheckContext, order: NotifiedOrder): Promise<Webhook> =>
  needWebhook(context, order, () => true, 'a webhook of the order that was cancelled', 'webhooks.order.cancelled');
