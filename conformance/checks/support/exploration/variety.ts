import { makeCheckoutOrder, orderedBy } from '../../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../../arrange/checkout-orders/client.ts';
import { paymentMethodsOf } from '../../../arrange/checkout-orders/payment-methods.ts';
import type { OrderCreateRequest } from '../../../arrange/orders/client.ts';
import { makeOrder } from '../../../arrange/orders/orders.ts';
import { ifTaken } from '../../../arrange/situations/situations.ts';
import type { CheckContext } from '../../../check/context.ts';
import { needText } from '../../../check/expect.ts';
import { addDecimals, compareDecimals } from '../../../contract/decimals.ts';
import type { Credentials } from '../../../drivers/driver.ts';
import type { ModelOrder } from './model.ts';

// In what the orders of a sequence differ, so that what goes wrong only with two of their features is met: price, currency, network, further fields.

/** An order as the model knows it when it has just been made. */
type Made = Pick<ModelOrder, 'made' | 'due' | 'repeat'>;

const prices = ['9.50', '1.1', '2.2', '3.000000000000000001', '0.123456789'] as const;

/** Further fields that every target takes. */
const furtherFields: readonly Partial<OrderCreateRequest>[] = [
  {},
  { description: 'Two tickets' },
  {},
  { metadata: '{"cart":"c-17"}', userAgent: 'Mozilla/5.0' },
  { customer: { customerId: 'c-1' }, customerIp: '198.51.100.7' },
  {},
  { paymentMethodConfig: { allowedPaymentMethodTypes: ['ON_CHAIN_TRANSFER'] } },
];

/** The item at a place of a list that begins again at its end. */
export function pickOf<Item>(items: readonly Item[], pick: number): Item {
  const item = items[pick % items.length];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

/** Makes a hosted order of a merchant that expires at a time, ISO 8601. Throws `Inconclusive` when that does not work. */
export async function makeVariedOrder(
  context: CheckContext,
  merchant: Credentials,
  pick: number,
  expiresAt: string,
): Promise<Made> {
  const makeFor = async (value: string): Promise<Made> => {
    const due = { value, currency: 'USDT' } as const;
    const made = await makeOrder(context, merchant, { ...pickOf(furtherFields, pick), expiresAt, orderAmount: due });
    return { made, due, repeat: () => made.client.create(made.request) };
  };
  // A target may have a smallest amount (open point `orders-amount-limits`).
  return (await ifTaken(makeFor(pickOf(prices, pick)))) ?? makeFor(prices[0]);
}

/** Makes a checkout order of a merchant by one of its payment methods that expires at a time, ISO 8601. Throws `Inconclusive` when that does not work. */
export async function makeVariedCheckoutOrder(
  context: CheckContext,
  merchant: Credentials,
  pick: number,
  expiresAt: string,
): Promise<Made> {
  const method = pickOf(await paymentMethodsOf(checkoutClient(context, merchant)), pick);
  const { orderAmount, network } = orderedBy(method);
  // How many places a target takes, and with what fee it asks for more, is not said.
  const longer = addDecimals([orderAmount.value, '0.000125']);
  const isLonger = pick % 3 === 0 && compareDecimals(longer, method.maxAmount) <= 0;
  const changes = { expiresAt, network, orderAmount: { ...orderAmount, value: isLonger ? longer : orderAmount.value } };
  const made = await makeCheckoutOrder(context, merchant, changes);
  const due = { value: needText(made.created, 'data.cryptoPaymentAmount.value'), currency: method.currency };
  return { made, due, repeat: () => made.client.create(made.request) };
}
