import { setAt, valueAt } from '../../../../contract/json.ts';
import { readingCreates, refusingCreates } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';
import { keepingAmounts } from '../../../stand/order-changes.ts';

/** Wrong servers that read or keep the amount and the currency of a create wrongly. */
export const orderCreateAmountFaults: readonly Fault[] = [
  {
    id: 'usd-refused',
    title: 'Prices orders in USDT only.',
    breaks: 'orders.amount.currency-values',
    caughtBy: 'orders.create.both-currencies',
    make: { merchantApi: refusingCreates((body) => valueAt(body, ['orderAmount', 'currency']) === 'USD') },
  },
  {
    id: 'usd-converted-at-once',
    title: 'Shows an order that was priced in USD as one of USDT.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.echo.currency',
    feeds: ['orders.create.both-currencies'],
    make: { merchantApi: readingCreates((body) => setAt(body, ['orderAmount', 'currency'], 'USDT')) },
  },
  {
    id: 'amounts-kept-as-doubles',
    title: 'Keeps amounts in binary floating point.',
    breaks: 'orders.amount.decimal-places',
    caughtBy: 'orders.create.eighteen-decimals',
    make: keepingAmounts('hosted', (value) => String(Number(value))),
  },
  {
    id: 'amounts-cut-to-eight-places',
    title: 'Keeps eight decimal places of an amount.',
    breaks: 'orders.amount.decimal-places',
    caughtBy: 'orders.create.eighteen-decimals',
    make: keepingAmounts('hosted', (value) => value.replace(/(\.[0-9]{8})[0-9]+$/, '$1')),
  },
  {
    id: 'nine-decimal-places-refused',
    title: 'Refuses amounts with more than eight decimal places.',
    breaks: 'orders.amount.decimal-places',
    caughtBy: 'orders.create.eighteen-decimals',
    make: {
      merchantApi: refusingCreates((body) => /\.[0-9]{9}/.test(String(valueAt(body, ['orderAmount', 'value'])))),
    },
  },
  {
    id: 'letters-as-amount',
    title: 'Reads letters as an amount of one.',
    breaks: 'orders.amount.number',
    caughtBy: 'orders.create.orderAmount.value.number',
    make: {
      merchantApi: readingCreates((body) =>
        /[0-9]/.test(String(valueAt(body, ['orderAmount', 'value'])))
          ? body
          : setAt(body, ['orderAmount', 'value'], '1'),
      ),
    },
  },
  {
    id: 'amount-with-suffix-of-a-type',
    title: 'Takes an amount with the suffix behind it that tells a program the type of a number, such as 9.5d.',
    breaks: 'orders.amount.number',
    caughtBy: 'orders.create.orderAmount.value.number',
    make: {
      merchantApi: readingCreates((body) =>
        setAt(
          body,
          ['orderAmount', 'value'],
          String(valueAt(body, ['orderAmount', 'value'])).replace(/(?<=[0-9])[dDfF]$/, ''),
        ),
      ),
    },
  },
];
