import type { OrdersState } from '../../generated/catalogue-ids.ts';
import type { CheckContext } from '../check/context.ts';
import type { Credentials } from '../drivers/driver.ts';
import type { Answer } from '../wire/exchange.ts';
import {
  bringCheckoutOrderTo,
  checkoutMerchant,
  checkoutRequest,
  type MadeCheckoutOrder,
  makeCheckoutOrder,
} from './checkout-orders/checkout-orders.ts';
import { type CheckoutClient, type CheckoutOrderCreateRequest, checkoutClient } from './checkout-orders/client.ts';
import { type AnyMadeOrder, bringOrderTo, type Product } from './orders/any-order.ts';
import { type OrderCreateRequest, type OrdersClient, ordersClient } from './orders/client.ts';
import { type Acceptance, type MadeOrder, makeOrder, orderRequest } from './orders/orders.ts';

/** Text fields that create requests of both products have. */
type CommonFields = 'merchantOrderId' | 'description' | 'userAgent' | 'metadata';
export type CommonChanges = Partial<Pick<OrderCreateRequest & CheckoutOrderCreateRequest, CommonFields>>;

/** A create of a new order, and the answer to it. */
export interface SentCreate {
  client: OrdersClient | CheckoutClient;
  merchantOrderId: string;
  answer: Answer;
}

/** How orders of one product are made. */
export interface ProductArrangement {
  readonly product: Product;
  /** An order of the product, for titles and messages, without and with its article. */
  readonly noun: string;
  readonly aNoun: string;
  client(context: CheckContext, merchant: Credentials): OrdersClient | CheckoutClient;
  /** Makes an order before the judgement. Throws `Inconclusive` when that does not work, unless `acceptance` judges the answer. */
  make(
    context: CheckContext,
    merchant: Credentials,
    changes?: CommonChanges,
    acceptance?: Acceptance,
  ): Promise<MadeOrder | MadeCheckoutOrder>;
  /** Sends an ordinary create with `changes` for the shared merchant; its answer is judged by the check. */
  create(context: CheckContext, changes: CommonChanges): Promise<SentCreate>;
}

export const hostedOrders: ProductArrangement = {
  product: 'orders',
  noun: 'order',
  aNoun: 'an order',
  client: ordersClient,
  make: makeOrder,
  create: sendOrderCreate,
};

export const checkoutOrders: ProductArrangement = {
  product: 'checkout',
  noun: 'checkout order',
  aNoun: 'a checkout order',
  client: checkoutClient,
  make: makeCheckoutOrder,
  create: sendCheckoutCreate,
};

/**
 * Brings an order of either product from INIT into `state`. Throws `Inconclusive` when it does not get there, and `PermittedChoice` where the target
 * leaves a state of checkout orders out.
 */
export const bringAnyOrderTo = (context: CheckContext, order: AnyMadeOrder, state: OrdersState): Promise<void> =>
  (order.product === 'orders' ? bringOrderTo : bringCheckoutOrderTo)(context, order, state);

/** Sends a create of a hosted order with `changes` for the shared merchant. */
export async function sendOrderCreate(
  context: CheckContext,
  changes: Partial<OrderCreateRequest> = {},
): Promise<SentCreate & { client: OrdersClient }> {
  const client = ordersClient(context, await context.merchant());
  const request = orderRequest(context, changes);
  return { client, merchantOrderId: request.merchantOrderId, answer: await client.create(request) };
}

/** Sends a create of a checkout order with `changes` for the shared merchant. */
export async function sendCheckoutCreate(
  context: CheckContext,
  changes: Partial<CheckoutOrderCreateRequest> = {},
): Promise<SentCreate & { client: CheckoutClient }> {
  const { client, method } = await checkoutMerchant(context, await context.merchant());
  const request = checkoutRequest(context, method, changes);
  return { client, merchantOrderId: request.merchantOrderId, answer: await client.create(request) };
}
