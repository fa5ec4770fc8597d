import type { CurrencyCode } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { statusOf } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, NotApplicable } from '../../errors/outcomes.ts';
import { confirmed } from '../orders/payments.ts';
import { letHappen } from '../situations/situations.ts';
import { type MadeCheckoutOrder, makeCheckoutOrder } from './checkout-orders.ts';
import { checkoutClient } from './client.ts';
import type { OptionalFields } from './optional-fields.ts';
import { amountFor, paymentMethodsOf } from './payment-methods.ts';

/**
 * A paid checkout order of `merchant` in a currency: of `value`, decimal text, or else of an amount that the payment method allows. Throws
 * `NotApplicable` where the merchant has no method for the currency, and `Inconclusive` when paying does not work.
 */
export async function makePaidCheckoutOrder(
  context: CheckContext,
  merchant: Credentials,
  currency: CurrencyCode,
  value?: string,
  changes: OptionalFields = {},
): Promise<MadeCheckoutOrder> {
  const methods = await paymentMethodsOf(checkoutClient(context, merchant));
  const method = methods.find((each) => each.currency === currency);
  if (!method) throw new NotApplicable(`the merchant has no method for ${currency}`);
  const orderAmount = { value: value ?? amountFor(method), currency };
  const order = await makeCheckoutOrder(context, merchant, { ...changes, orderAmount, network: method.network });
  const paid = await letHappen(context, order, [{ type: 'transaction_detected' }, confirmed]);
  if (statusOf(paid) !== 'SUCCEEDED') throw new Inconclusive('a checkout order could not be paid');
  return order;
}
