import { ordersMachine } from '../../../generated/catalogue.ts';
import type { OrdersState } from '../../../generated/catalogue-ids.ts';
import type { CheckContext } from '../../check/context.ts';
import { isAccepted, needAccepted, needText, statusOf } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { featuresOf } from '../requests/features.ts';
import { createWith, furtherHostedFields } from '../requests/further-fields.ts';
import { rememberMade } from '../requests/made-records.ts';
import { type AnyMadeOrder, bringOrderTo, expire, needSoonAccepted, ordinaryExpiry, soon } from './any-order.ts';
import { type OrderCreateRequest, type OrdersClient, ordersClient } from './client.ts';
import { waysThatMayFindOrder } from './ways-to-ask.ts';

/** Why a check of sub-merchants is skipped. */
export const noSubMerchants = 'this merchant may not send subMerchants (open point sub-merchants-platform-only)';

/** Whether an answer refuses subMerchants as what this merchant may not send: a refusal of the contract with a word about them. */
export function isRefusedSplit(answer: Answer): boolean {
  return (
    !isAccepted(answer) &&
    answer.status === 200 &&
    /sub-?_?\s?merchant|platform/i.test(String(field(answer, 'message')))
  );
}

/** What an ordinary order costs. */
export const ordinaryAmount = { value: '9.50', currency: 'USDT' } as const;

/** The fields by which an order is split among two sub-merchants, which not every merchant may send. */
export const splitInTwo: Pick<OrderCreateRequest, 'orderAmount' | 'subMerchants'> = {
  orderAmount: { value: '9.5', currency: 'USDT' },
  subMerchants: [
    // What is settled to a shop is less than its part, which changes neither what is due nor what is given back.
    { subMerchantId: 'sub-0', name: 'Shop 0', amount: '4.5', settlementRatio: '0.9' },
    { subMerchantId: 'sub-1', name: 'Shop 1', amount: '5' },
  ],
};

/** A small, ordinary create request with an id of its own; `changes` replaces whole fields. */
export function orderRequest(context: CheckContext, changes: Partial<OrderCreateRequest> = {}): OrderCreateRequest {
  return {
    merchantOrderId: context.newOrderId(),
    orderAmount: ordinaryAmount,
    expiresAt: ordinaryExpiry(context),
    returnUrl: 'https://shop.example/return',
    ...changes,
  };
}

/** A hosted order that was made before the judgement. */
export interface MadeOrder extends AnyMadeOrder {
  client: OrdersClient;
  request: OrderCreateRequest;
}

/** What a check holds of a create that is refused: `needAccepted` or `expectAccepted`. */
export type Acceptance = (created: Answer, what: string) => void;

/** Makes an order. A refusal is `Inconclusive`, unless `acceptance` judges it. */
export async function makeOrder(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest> = {},
  acceptance: Acceptance = needAccepted,
): Promise<MadeOrder> {
  const client = ordersClient(context, merchant);
  const expiresAt = ordinaryExpiry(context, merchant);
  const { request, created } = await createWith(context, {
    area: 'orders',
    further: furtherHostedFields(context, expiresAt, changes.orderAmount?.currency),
    requestWith: (further) => orderRequest(context, { expiresAt, ...further, ...changes }),
    create: client.create,
  });
  acceptance(created, 'making an order');
  const orderId = needText(created, 'data.orderId');
  const query = () => client.query(request.merchantOrderId);
  rememberMade(context, {
    area: 'orders',
    merchant,
    id: orderId,
    ownId: request.merchantOrderId,
    kind: request.orderAmount.currency,
    features: featuresOf(request),
    waysToAsk: (by, as = merchant) =>
      waysThatMayFindOrder({ product: 'orders', client: ordersClient(by, as), request, orderId }),
  });
  return { product: 'orders', merchant, client, request, orderId, created, query };
}

/** Makes an order whose expiry can be awaited, or brought about by moving the merchant's clock. */
export const makeExpiringOrder = (context: CheckContext, merchant: Credentials): Promise<MadeOrder> =>
  makeOrder(context, merchant, soon(context), needSoonAccepted(context));

/**
 * Makes a hosted order of a merchant of its own and brings it into `state`. Without a driver for orders, CLOSED is reached by
 * expiry. Throws `Inconclusive` when it does not get there.
 */
export async function makeOrderIn(
  context: CheckContext,
  state: OrdersState,
  changes: Partial<OrderCreateRequest> = {},
): Promise<MadeOrder> {
  const merchant = await context.ownMerchant();
  if (state === 'CLOSED' && !context.has('order-events')) {
    const order = await makeExpiringOrder(context, merchant);
    const ended = await expire(context, order);
    if (statusOf(ended) !== state) throw new Inconclusive('the order that expired is not CLOSED');
    return order;
  }
  const order = await makeOrder(context, merchant, changes);
  await bringOrderTo(context, order, state);
  return order;
}

/** A hosted order in `state`. One in INIT needs no driver, and therefore no merchant of its own. */
export async function orderIn(context: CheckContext, state: OrdersState): Promise<MadeOrder> {
  return state === ordersMachine.initial ? makeOrder(context, await context.merchant()) : makeOrderIn(context, state);
}
