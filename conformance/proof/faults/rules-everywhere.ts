import { currencies } from '../../../generated/catalogue.ts';
import { isObject, type JsonObject, valueAt } from '../../contract/json.ts';
import { withMatchingTotal } from '../../values/bodies.ts';
import {
  bodyOf,
  hasText,
  isOf,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  readingBodies,
  readingCreates,
  refusal,
} from '../stand/changes.ts';
import type { Fault } from '../stand/fault.ts';
import { followingClocks } from '../stand/order-changes.ts';
import type { Handler } from '../stand/proxy.ts';
import { isRefundBatch, isRefundCreate, refundSuccess } from '../stand/refund-changes.ts';
import { forMerchantsWith } from './merchant-settings.ts';

// Servers that hold a rule for usual requests, and not in a circumstance that has nothing to do with it.

const month = 30 * 86_400_000;

/** A server that reads creates of checkout orders changed, more than a month after their merchant has begun. */
function readingAfterMonth(change: (body: JsonObject, orderAmount: JsonObject) => JsonObject): Fault['make'] {
  const { now, control } = followingClocks();
  return {
    control,
    merchantApi: onlyFor(
      (request) => now(merchantIdOf(request)) > Date.now() + month,
      readingBodies('checkout.create', (body) => (isObject(body.orderAmount) ? change(body, body.orderAmount) : body)),
    ),
  };
}

/** Less than a merchant with payment methods of its own takes at most here. */
const withinRange = 400;

/** Amounts are cut down to what every payment method takes. */
const cuttingAmounts = (body: JsonObject, orderAmount: JsonObject): JsonObject =>
  Number(orderAmount.value) > withinRange
    ? { ...body, orderAmount: { ...orderAmount, value: String(withinRange) } }
    : body;

/** An order by a pair of currency and network that the merchant does not have is one of USDT over tron. */
function listingEveryPair(body: JsonObject, orderAmount: JsonObject): JsonObject {
  const { network } = body;
  const { currency } = orderAmount;
  const isListed = currency === 'USDC' && network === 'eth';
  // What is no currency of checkout orders breaks another rule.
  if (isListed || (currency !== 'USDC' && currency !== 'USDT') || typeof network !== 'string') return body;
  return { ...body, orderAmount: { ...orderAmount, currency: 'USDT' }, network: 'tron' };
}

/** A server that looks for the refunds of a merchant before it reads what it is asked for. */
function notReadingBatchesOfNewcomers(): Handler {
  const refunding = new Set<string>();
  return async (request, server) => {
    const merchantId = merchantIdOf(request);
    if (isRefundCreate(request)) refunding.add(merchantId);
    const isRead = !isRefundBatch(request) || refunding.has(merchantId) || !isRightlySigned(request, server);
    return isRead ? server.forward(request) : refundSuccess([]);
  };
}

/** Wrong servers that hold a rule not everywhere. */
export const rulesEverywhereFaults: readonly Fault[] = [
  {
    id: 'orders-wrong-sum-taken-in-escaped-address',
    title: 'Takes any sum of sub-merchants where the address of a create has needless escapes.',
    breaks: 'orders.create.sub-merchants.sum',
    caughtBy: 'orders.create.rules-everywhere',
    make: {
      merchantApi: onlyFor(
        ({ target }) => target.includes('%'),
        readingCreates((body) => withMatchingTotal(body)),
      ),
    },
  },
  {
    id: 'checkout-amounts-unbounded-after-a-month',
    title: 'Takes amounts above the greatest of a payment method when the clock of the merchant is a month ahead.',
    breaks: 'checkout.amount.range',
    caughtBy: 'checkout.create.rules-everywhere',
    make: readingAfterMonth(cuttingAmounts),
  },
  {
    id: 'checkout-pairs-unlisted-after-a-month',
    title: 'Takes every pair of currency and network when the clock of the merchant is a month ahead.',
    breaks: 'checkout.create.pair',
    caughtBy: 'checkout.create.rules-everywhere',
    make: readingAfterMonth(listingEveryPair),
  },
  {
    id: 'refund-of-automatic-merchant-without-reason',
    title: 'Takes a refund without a reason where the payments of the merchant move by themselves.',
    breaks: 'refunds.create.required-fields',
    caughtBy: 'refunds.create.rules-everywhere',
    make: forMerchantsWith(
      ({ automatic }) => automatic === true,
      (isMeant) =>
        onlyFor(
          (request) => isMeant(merchantIdOf(request)),
          readingBodies('refunds.create', (body) =>
            body.refundReason === undefined ? { ...body, refundReason: 'none given' } : body,
          ),
        ),
    ),
  },
  {
    id: 'refund-finds-order-behind-a-zero',
    title: 'Finds the order of a refund whose id stands behind a 0.',
    breaks: 'refunds.errors.order-not-found',
    caughtBy: 'refunds.create.rules-everywhere',
    make: {
      merchantApi: readingBodies('refunds.create', (body) =>
        hasText('acquiringOrderId', (id) => /^0ord\.[a-z0-9]{26}$/.test(id))(body)
          ? { ...body, acquiringOrderId: String(body.acquiringOrderId).slice(1) }
          : body,
      ),
    },
  },
  {
    id: 'batch-of-newcomer-not-read',
    title: 'Answers each batch query of a merchant that has no refund with an empty list, whatever it asks for.',
    breaks: 'refunds.batch-query.ids.required',
    caughtBy: 'refunds.batch-query.rules-everywhere',
    make: { merchantApi: notReadingBatchesOfNewcomers() },
  },
  {
    id: 'checkout-currency-refused-with-another-code',
    title:
      'Refuses a currency that the contract does not have with 50010, where the merchant has payment methods of its own.',
    breaks: 'checkout.errors.invalid-parameter',
    caughtBy: 'checkout.create.rules-everywhere',
    make: forMerchantsWith(
      ({ paymentMethods }) => Array.isArray(paymentMethods),
      (isMeant) => (request, server) =>
        isOf('checkout.create')(request) &&
        isMeant(merchantIdOf(request)) &&
        isRightlySigned(request, server) &&
        !currencies.some(({ code }) => code === valueAt(bodyOf(request), ['orderAmount', 'currency']))
          ? Promise.resolve(refusal(request, '50010', 'API Checkout is not enabled'))
          : server.forward(request),
    ),
  },
];
