import { type Choices, limit } from '../../../generated/catalogue.ts';
import type { Merchant } from '../../domain/merchant.ts';
import { compareAmounts, numberText } from '../../domain/money.ts';
import {
  type CheckoutOrder,
  type CheckoutOrderCreateRequest,
  isDue,
  newCheckoutOrder,
  type OrderMachine,
} from '../../domain/order.ts';
import type { Clock, Ids, Records, Storage } from '../ports.ts';
import { orderExists, orderNotFound } from '../refusal.ts';
import { depositAddress } from '../simulated-chain.ts';
import { couldBe } from './id-forms.ts';
import { businessTime, type Moves } from './moves.ts';
import { insertOrders } from './namespaces.ts';
import { checkoutRepeats } from './repeats.ts';
import { brokenRule, type RequestRule } from './rules.ts';

export type CheckoutOrderService = ReturnType<typeof checkoutOrderService>;

/** Checkout orders: create and query. Both throw a `Refusal` for what the merchant has to hear. */
export function checkoutOrderService(parts: {
  storage: Storage;
  clock: Clock;
  ids: Ids;
  machine: OrderMachine;
  moves: Moves;
  rules: readonly RequestRule<CheckoutOrderCreateRequest>[];
  choices: Choices;
}) {
  const { storage, clock, ids, machine, moves, rules, choices } = parts;
  const insert = insertOrders[choices['id-namespaces']];
  const isRepeat = checkoutRepeats[choices['checkout-repeat']];

  /** Creates the order, or answers with the one that exists. The request has passed the contract's schema. */
  async function create(merchant: Merchant, request: CheckoutOrderCreateRequest): Promise<CheckoutOrder> {
    const now = businessTime(merchant, clock());
    const { merchantId } = merchant;
    const { merchantOrderId, network } = request;
    const problem = brokenRule(rules, request, { now, merchant, choices });
    if (!problem) {
      const orderId = ids.orderId();
      const order = newCheckoutOrder({
        orderId,
        merchantId,
        request,
        depositAddress: depositAddress(network, orderId),
        now,
        machine,
      });
      if (await insert(storage, order)) return order;
    }
    return storage.transaction(async (records) => {
      // A repeat is answered as what it repeats, though its expiry may have passed since.
      const first = await records.findOrder({ product: 'checkout', merchantId, merchantOrderId });
      if (first?.product !== 'checkout') throw problem ?? orderExists(merchantOrderId);
      const existing = await current(records, first);
      if (isRepeat(existing, request, machine)) return existing;
      throw orderExists(merchantOrderId);
    });
  }

  /** The order as it stands now, by merchantOrderId. */
  async function query(merchant: Merchant, merchantOrderId: string): Promise<CheckoutOrder> {
    const { merchantId } = merchant;
    const order = await storage.reads.findOrder({ product: 'checkout', merchantId, merchantOrderId });
    if (order?.product !== 'checkout') {
      throw orderNotFound(merchantOrderId, couldBe.merchantOrderId(merchantOrderId, 'checkout'));
    }
    if (!isDue(order, businessTime(merchant, clock()))) return order;
    return storage.transaction((records) => current(records, order));
  }

  async function current(records: Records, order: CheckoutOrder): Promise<CheckoutOrder> {
    const merchant = await records.findMerchant(order.merchantId);
    const locked = await records.lockOrder(order.merchantId, order.orderId);
    if (!merchant || locked?.product !== 'checkout') throw new Error(`order ${order.orderId} is gone`);
    return moves.catchUpOrder(records, locked, businessTime(merchant, clock()));
  }

  return { create, query };
}

/** The rules of creating a checkout order that its schema cannot express, in the order in which they are looked at. */
export const checkoutCreateRules: readonly RequestRule<CheckoutOrderCreateRequest>[] = [
  {
    requirement: 'checkout.create.expires-at.future',
    violation: ({ expiresAt }, { now }) =>
      Date.parse(expiresAt) > now ? undefined : 'expiresAt: is in the past; set a time in the future',
  },
  {
    requirement: 'checkout.create.expires-at.limit',
    violation: ({ expiresAt }, { now }) =>
      Date.parse(expiresAt) - now <= limit('checkout.expires-at.farthest', 'max')
        ? undefined
        : 'expiresAt: is more than 24 hours ahead; set an earlier time',
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
