import { setAt, valueAt } from '../../../contract/json.ts';
import { withMatchingTotal } from '../../../values/bodies.ts';
import { readingCreates } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';

/** The entries of a list of a body, as `change` makes them. */
const eachOf = (body: unknown, list: string, change: (entry: unknown) => unknown): unknown => {
  const entries = valueAt(body, [list]);
  return Array.isArray(entries) ? setAt(body, [list], entries.map(change)) : body;
};

/** A server that takes this value for a field that is absent where an order is split. */
const ofSplitOrders = (path: readonly string[], value: string) =>
  readingCreates((body) =>
    Array.isArray(body.subMerchants) && valueAt(body, path) === undefined ? setAt(body, path, value) : body,
  );

/** Wrong servers that hold a field to its rule, but not beside every value of another field. */
export const surroundingsFaults: readonly Fault[] = [
  {
    id: 'smallest-part-taken-in-usd',
    title: 'Takes a part of 0.01 where the order is priced in USD, in which it is a whole cent.',
    breaks: 'orders.create.sub-merchants.amount-minimum',
    caughtBy: 'orders.create.subMerchants.amount.exclusiveMinimum',
    make: {
      merchantApi: readingCreates((body) => {
        const isCent = (part: unknown) => valueAt(part, ['amount']) === '0.01';
        const inUsd = valueAt(body, ['orderAmount', 'currency']) === 'USD';
        if (!inUsd || ![body.subMerchants].flat().some(isCent)) return body;
        return withMatchingTotal(
          eachOf(body, 'subMerchants', (part) => (isCent(part) ? setAt(part, ['amount'], '0.02') : part)),
        );
      }),
    },
  },
  {
    id: 'split-order-without-currency-taken',
    title: 'Takes an order without a currency that is split among sub-merchants.',
    breaks: 'orders.amount.required-fields',
    caughtBy: 'orders.create.orderAmount.currency.required',
    make: { merchantApi: ofSplitOrders(['orderAmount', 'currency'], 'USDT') },
  },
  {
    id: 'split-order-without-return-url-taken',
    title: 'Takes an order without a returnUrl that is split among sub-merchants.',
    breaks: 'orders.create.required-fields',
    caughtBy: 'orders.create.returnUrl.required',
    make: { merchantApi: ofSplitOrders(['returnUrl'], 'https://shop.example/return') },
  },
  {
    id: 'currency-of-a-free-item-unread',
    title: 'Takes any currency for an item that costs nothing.',
    breaks: 'orders.amount.currency-form',
    caughtBy: 'orders.create.items.amount.currency.pattern',
    make: {
      merchantApi: readingCreates((body) => {
        const currency = valueAt(body, ['orderAmount', 'currency']);
        const isFree = (item: unknown) => Number(valueAt(item, ['amount', 'value'])) === 0;
        const isRead = (item: unknown) => !isFree(item) || valueAt(item, ['amount', 'currency']) === currency;
        if ([body.items].flat().every(isRead)) return body;
        return eachOf(body, 'items', (item) => (isRead(item) ? item : setAt(item, ['amount', 'currency'], currency)));
      }),
    },
  },
];
