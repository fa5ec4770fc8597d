import { limit, networks } from '../../../generated/catalogue.ts';
import type { Merchant } from '../../domain/merchant.ts';
import { compareAmounts, numberText } from '../../domain/money.ts';
import {
  type CheckoutOrder,
  type CheckoutOrderCreateRequest,
  newCheckoutOrder,
  type Order,
} from '../../domain/order.ts';
import { orderNotFound } from '../refusal.ts';
import { depositAddress } from '../simulated-chain.ts';
import { isPossibleId } from './id-forms.ts';
import { type OrderServiceParts, orderKeeper } from './order-keeper.ts';
import { checkoutRepeats } from './repeats.ts';
import { expiryFormRule, inThePast, type RequestRule, tooFarAhead } from './rules.ts';

export type CheckoutOrderService = ReturnType<typeof checkoutOrderService>;

/** Checkout orders. `create` and `query` throw a `Refusal` for a request that the merchant got wrong. */
export function checkoutOrderService(parts: OrderServiceParts<'checkout'>) {
  const { storage, ids, machine, choices } = parts;
  const { create, asOfNow } = orderKeeper(parts, {
    product: 'checkout',
    isProduct: isCheckout,
    newOrder: ({ merchantId }, request, now) => {
      const orderId = ids.orderId();
      const address = depositAddress(request.network, orderId);
      return newCheckoutOrder({ orderId, merchantId, request, depositAddress: address, now, machine });
    },
    isRepeat: checkoutRepeats[choices['checkout-repeat']],
  });

  /** The order as it stands now, by merchantOrderId. */
  async function query(merchant: Merchant, merchantOrderId: string): Promise<CheckoutOrder> {
    const { merchantId } = merchant;
    const order = await storage.reads.findOrder({ product: 'checkout', merchantId, merchantOrderId });
    if (!isCheckout(order)) {
      throw orderNotFound(merchantOrderId, isPossibleId.merchantOrderId(merchantOrderId, 'checkout'));
    }
    return asOfNow(merchant, order);
  }

  return { create, query };
}

function isCheckout(order: Order | undefined): order is CheckoutOrder {
  return order?.product === 'checkout';
}

/** The rules of creating a checkout order that its schema cannot express, in the order in which they are checked. */
export const checkoutCreateRules: readonly RequestRule<CheckoutOrderCreateRequest>[] = [
  expiryFormRule('checkout.create.expires-at.form'),
  {
    requirement: 'checkout.create.expires-at.future',
    violation: ({ expiresAt }, facts) => (Date.parse(expiresAt) > facts.now ? undefined : inThePast(facts)),
  },
  {
    requirement: 'checkout.create.expires-at.limit',
    violation: ({ expiresAt }, facts) =>
      Date.parse(expiresAt) - facts.now <= limit('checkout.expires-at.farthest', 'max')
        ? undefined
        : tooFarAhead(facts),
  },
  {
    requirement: 'checkout.create.network',
    violation: ({ network }) =>
      networks.some(({ code }) => code === network)
        ? undefined
        : `network: ${network.slice(0, 40)} is no network of the platform; list the payment methods`,
  },
  {
    requirement: 'checkout.create.pair',
    violation: (request, { merchant }) =>
      methodOf(request, merchant)
        ? undefined
        : `network: ${request.orderAmount.currency} on ${request.network.slice(0, 40)} is none of the merchant's payment methods; list them`,
  },
  {
    requirement: 'checkout.amount.range',
    violation: (request, { merchant }) => {
      const method = methodOf(request, merchant);
      if (!method) return undefined;
      const [least, most] = [numberText(method.minAmount), numberText(method.maxAmount)];
      const { value } = request.orderAmount;
      if (compareAmounts(value, least) >= 0 && compareAmounts(value, most) <= 0) return undefined;
      return `orderAmount.value: must be from ${least} to ${most} for this payment method`;
    },
  },
];

function methodOf({ orderAmount, network }: CheckoutOrderCreateRequest, { settings }: Merchant) {
  return settings.paymentMethods.find(
    (method) => method.cryptoCurrency === orderAmount.currency && method.network === network,
  );
}
