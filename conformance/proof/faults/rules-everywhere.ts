import { isObject } from '../../contract/json.ts';
import { withMatchingTotal } from '../../values/bodies.ts';
import { merchantIdOf, onlyFor, readingBodies, readingCreates } from '../stand/changes.ts';
import type { Fault } from '../stand/fault.ts';
import { followingClocks } from '../stand/order-changes.ts';
import { forMerchantsWith } from './merchant-settings.ts';

// Servers that hold a rule for usual requests, and not in a circumstance that has nothing to do with it.

const month = 30 * 86_400_000;

/** More than a month after merchants have begun, amounts are cut down to the most that a payment method takes. */
function withoutRangeAfterMonth(): Fault['make'] {
  const { now, control } = followingClocks();
  return {
    control,
    merchantApi: onlyFor(
      (request) => now(merchantIdOf(request)) > Date.now() + month,
      readingBodies('checkout.create', (body) => {
        const { orderAmount } = body;
        if (!isObject(orderAmount) || !(Number(orderAmount.value) > 400)) return body;
        return { ...body, orderAmount: { ...orderAmount, value: '400' } };
      }),
    ),
  };
}

/** More than a month after merchants have begun, an order by a pair that they do not have is one of USDT over tron. */
function withoutListAfterMonth(): Fault['make'] {
  const { now, control } = followingClocks();
  return {
    control,
    merchantApi: onlyFor(
      (request) => now(merchantIdOf(request)) > Date.now() + month,
      readingBodies('checkout.create', (body) => {
        const { orderAmount, network } = body;
        const { currency } = Object(orderAmount);
        if (
          !isObject(orderAmount) ||
          typeof currency !== 'string' ||
          (currency === 'USDC' && network === 'eth') ||
          typeof network !== 'string'
        )
          return body;
        return { ...body, orderAmount: { ...orderAmount, currency: 'USDT' }, network: 'tron' };
      }),
    ),
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
    make: withoutRangeAfterMonth(),
  },
  {
    id: 'checkout-pairs-unlisted-after-a-month',
    title: 'Takes every pair of currency and network when the clock of the merchant is a month ahead.',
    breaks: 'checkout.create.pair',
    caughtBy: 'checkout.create.rules-everywhere',
    make: withoutListAfterMonth(),
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
];
