import type { RequirementId } from '../../../generated/catalogue.ts';
import { isObject, type JsonObject, valueAt } from '../../contract/json.ts';
import { lengthLimit } from '../../contract/lengths.ts';
import { successCode } from '../../contract/success-code.ts';
import {
  bodyOf,
  hasText,
  isOf,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  refusal,
  refusingBodies,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { sharedNamespace } from '../stand/order-changes.ts';
import type { Handler } from '../stand/proxy.ts';
import { refundRefusal } from '../stand/refund-changes.ts';

const priceOf = ({ orderAmount }: JsonObject): JsonObject => (isObject(orderAmount) ? orderAmount : {});
const costs = (test: (value: string) => boolean) => (body: JsonObject) => hasText('value', test)(priceOf(body));
const isIn = (currency: string) => (body: JsonObject) => priceOf(body).currency === currency;
const always = () => true;

/** A server that refuses an id if an earlier refused request of the same merchant used it. */
function burningIds(operation: string, field: string): Handler {
  const burnt = new Set<string>();
  return onlyFor(isOf(operation), async (request, server) => {
    const key = `${merchantIdOf(request)} ${bodyOf(request)?.[field]}`;
    if (burnt.has(key) && isRightlySigned(request, server))
      return refusal(request, '10001', `${field}: was used before`);
    const answer = await server.forward(request);
    if (bodyOf(answer)?.code !== successCode) burnt.add(key);
    return answer;
  });
}

/** A server that refuses a correct create if `refuses` is true of its body. */
const refusing = (
  operation: 'orders.create' | 'checkout.create' | 'refunds.create',
  caughtBy: string,
  what: string,
  refuses: (body: JsonObject) => boolean,
): Fault => ({
  id: `refused-${caughtBy.replaceAll('.', '-')}`,
  title: `Refuses ${what}.`,
  breaks: requirementOf[operation],
  caughtBy,
  make: { merchantApi: refusingBodies(operation, refuses) },
});

const requirementOf = {
  'orders.create': 'orders.create.accepted',
  'checkout.create': 'checkout.create.accepted',
  'refunds.create': 'refunds.create.accepted',
} as const satisfies Record<string, RequirementId>;

const burning = (area: 'orders' | 'checkout' | 'refunds', field: string): Fault => ({
  id: `refused-${area}-situations-repeated`,
  title: 'Takes no id again that a refused request had.',
  breaks: requirementOf[`${area}.create`],
  caughtBy: `${area}.situations.repeated`,
  make: { merchantApi: burningIds(`${area}.create`, field) },
});

/** A server that refuses what a merchant without API Checkout creates by this operation. */
function refusingWithoutCheckout(operation: 'orders.create' | 'refunds.create'): Make {
  const without = new Set<unknown>();
  return {
    control: async (request, server) => {
      const answer = await server.forward(request);
      if (bodyOf(request)?.checkoutEnabled === false) without.add(bodyOf(answer)?.merchantId);
      return answer;
    },
    merchantApi: onlyFor(isOf(operation), async (request, server) => {
      if (!without.has(merchantIdOf(request)) || !isRightlySigned(request, server)) return server.forward(request);
      return operation === 'orders.create'
        ? refusal(request, '50010', 'API Checkout is not enabled')
        : refundRefusal(400, 'ORDER_NOT_REFUNDABLE');
    }),
  };
}

/** Wrong servers that refuse correct requests and so never reach the situations in which invariants judge a server. */
export const situationFaults: readonly Fault[] = [
  ...(
    [
      ['orders.create', 'hosted order', 'orders.create.accepted'],
      ['refunds.create', 'refund', 'refunds.create.accepted'],
    ] as const
  ).map(
    ([operation, noun, breaks]): Fault => ({
      id: `${noun.replace(' ', '-')}-refused-without-checkout`,
      title: `Refuses a ${noun} of a merchant without API Checkout.`,
      breaks,
      caughtBy: 'refunds.situations.without-checkout',
      make: refusingWithoutCheckout(operation),
    }),
  ),
  refusing(
    'orders.create',
    'orders.situations.created',
    'prices with 18 decimal places',
    costs((value) => /\.\d{18}$/.test(value)),
  ),
  {
    id: 'more-than-100-items-refused',
    title: 'Refuses hosted orders of more than 100 items.',
    breaks: 'orders.create.accepted',
    caughtBy: 'orders.situations.created',
    make: {
      merchantApi: refusingBodies('orders.create', ({ items }) => Array.isArray(items) && items.length > 100),
    },
  },
  {
    id: 'quantities-above-1000-refused',
    title: 'Refuses hosted orders of more than 1,000 of an item.',
    breaks: 'orders.create.accepted',
    caughtBy: 'orders.situations.created',
    make: {
      merchantApi: refusingBodies(
        'orders.create',
        ({ items }) => Array.isArray(items) && items.some((item) => Number(valueAt(item, ['quantity'])) > 1000),
      ),
    },
  },
  burning('orders', 'merchantOrderId'),
  refusing(
    'orders.create',
    'orders.situations.other-merchant',
    'ids as long as they may be',
    hasText('merchantOrderId', ({ length }) => length === lengthLimit('orders', 'merchantOrderId', 'maxLength').limit),
  ),
  refusing('orders.create', 'orders.situations.paid-on-chain', 'prices in USD', isIn('USD')),
  refusing(
    'orders.create',
    'orders.situations.paid-by-exchange',
    'prices of more than 30',
    costs((value) => Number(value) > 30),
  ),
  refusing(
    'orders.create',
    'orders.situations.paid-amounts',
    'prices with zeros at their end',
    costs((value) => /\..*0$/.test(value)),
  ),
  refusing(
    'orders.create',
    'orders.situations.converted',
    'prices with more than two decimals',
    costs((value) => /\.\d{3}/.test(value)),
  ),
  refusing('orders.create', 'orders.situations.unpaid', 'prices in USD', isIn('USD')),
  refusing('orders.create', 'orders.situations.time-passes', 'every hosted order', always),
  refusing('orders.create', 'orders.situations.expired', 'prices in USD', isIn('USD')),
  refusing('orders.create', 'orders.situations.paid-late', 'prices in USD', isIn('USD')),
  refusing(
    'checkout.create',
    'checkout.situations.created',
    'orders over a network that it lists',
    ({ network }) => network === 'polygon',
  ),
  burning('checkout', 'merchantOrderId'),
  {
    id: 'refused-checkout-situations-other-merchant',
    title: 'Has one namespace for the checkout orders of all merchants.',
    breaks: 'checkout.create.accepted',
    caughtBy: 'checkout.situations.other-merchant',
    make: sharedNamespace('checkout', { leaking: false }),
  },
  refusing(
    'checkout.create',
    'checkout.situations.paid',
    'orders over a network that it lists',
    ({ network }) => network === 'solana',
  ),
  refusing('checkout.create', 'checkout.situations.unpaid', 'prices in USDC', isIn('USDC')),
  refusing('checkout.create', 'checkout.situations.time-passes', 'every checkout order', always),
  refusing('checkout.create', 'checkout.situations.expired', 'prices in USD1', isIn('USD1')),
  refusing('checkout.create', 'checkout.situations.paid-late', 'prices in USDC', isIn('USDC')),
  burning('refunds', 'merchantRefundOrderId'),
  ...['other-merchant', 'ended', 'converted', 'of-every-payment', 'escaped-ids', 'time-passes', 'days-later'].map(
    (name) => refusing('refunds.create', `refunds.situations.${name}`, 'every refund', always),
  ),
  refusing('checkout.create', 'refunds.situations.of-checkout-orders', 'prices in USD1', isIn('USD1')),
  ...(['', '.expired'] as const).flatMap((end) => [
    refusing(
      'orders.create',
      `webhooks.situations.orders${end}`,
      'addresses with an escape',
      hasText('callbackUrl', (url) => url.includes('%')),
    ),
    refusing(
      'checkout.create',
      `webhooks.situations.checkout-orders${end}`,
      'addresses with an escape',
      hasText('callbackUrl', (url) => url.includes('%')),
    ),
  ]),
  refusing(
    'refunds.create',
    'webhooks.situations.refunds',
    'addresses with a query',
    hasText('notifyUrl', (url) => url.includes('?')),
  ),
];
