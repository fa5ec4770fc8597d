import type { Choices } from '../../generated/catalogue.ts';
import { checkoutViews } from './checkout-order.ts';
import { orderViews, paymentDetails } from './order.ts';
import { refundViews } from './refund.ts';

/** How records are shown, in answers and in webhooks. */
export type Views = ReturnType<typeof createViews>;

/** `checkoutUrl`: address under which order ids are checkout pages, without a closing slash. */
export function createViews(parts: { checkoutUrl: string; choices: Choices }) {
  const { choices } = parts;
  return {
    order: orderViews(parts),
    payment: paymentDetails(choices),
    checkout: checkoutViews(choices),
    refund: refundViews(choices),
  };
}
