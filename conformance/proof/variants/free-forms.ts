import { isDecimalText } from '../../contract/decimals.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { answering, firstOf, readingBodies, refusingBodies } from '../stand/changes.ts';
import type { Variant } from '../stand/fault.ts';

/** The body with an expiry on a leap second read as the beginning of the next minute. */
function atLeapSecond(body: JsonObject): JsonObject {
  const text = String(body.expiresAt);
  if (!text.endsWith(':60Z')) return body;
  return { ...body, expiresAt: new Date(Date.parse(text.replace(':60Z', ':59Z')) + 1000).toISOString() };
}

/** The body with a returnUrl that leads into an application, which the reference server refuses, read as one that it takes. */
function intoApplications(body: JsonObject): JsonObject {
  const { returnUrl } = body;
  const isOther =
    typeof returnUrl === 'string' && /^[a-z][a-z0-9+.-]*:/i.test(returnUrl) && !/^https?:/i.test(returnUrl);
  return isOther ? { ...body, returnUrl: 'https://shop.example/return' } : body;
}

/** Whether an item has a price that is no plain decimal number, or one in a currency in which no order is priced. */
function hasStrangeItem({ items }: JsonObject): boolean {
  return [items].flat().some((item) => {
    if (!isObject(item)) return false;
    const { price, currency } = item;
    const isStrange = typeof price === 'string' && !isDecimalText(price);
    return isStrange || (typeof currency === 'string' && !['USDC', 'USDT', 'USD1'].includes(currency));
  });
}

/** A server that has a question mark where a text held half of a pair of UTF-16. JSON is written with an escape for those alone. */
const withoutHalves = answering((answer) => ({
  ...answer,
  body: Buffer.from(answer.body.toString('utf8').replace(/(?<!\\)\\ud[89a-f][0-9a-f]{2}/g, '?')),
}));

/** Conforming servers that decide otherwise about forms of fields which the specification leaves open. None is failed or warned about. */
export const freeFormVariants: readonly Variant[] = [
  {
    id: 'orders-any-address',
    title: 'Takes a returnUrl of any scheme, and hosted orders that expire on a leap second.',
    area: 'orders',
    make: {
      merchantApi: readingBodies('orders.create', (body) => intoApplications(atLeapSecond(body))),
    },
  },
  {
    id: 'checkout-strict-items',
    title: 'Takes items with plain prices in stablecoins only, and checkout orders that expire on a leap second.',
    area: 'checkout',
    make: {
      merchantApi: firstOf(
        refusingBodies('checkout.create', hasStrangeItem),
        readingBodies('checkout.create', atLeapSecond),
      ),
    },
  },
  {
    id: 'halves-of-pairs-replaced',
    title: 'Keeps a question mark where a text holds half of a pair of UTF-16, which is no character.',
    make: { merchantApi: withoutHalves },
  },
];
