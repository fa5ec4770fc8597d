import { valueAt } from '../../../contract/json.ts';
import { hasText, refusingBodies, refusingCreates as refusingOrders } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { refusingCreates as refusingRefunds } from '../../stand/refund-changes.ts';

/** Wrong servers that the invariant `right-creates` must find. The checks that send what they refuse can do without it. */
export const rightCreateFaults: readonly Fault[] = [
  {
    id: 'orders-expiry-in-whole-seconds-or-milliseconds',
    title: 'Refuses an expiresAt of a hosted order that has one or two digits of a second.',
    breaks: 'orders.create.accepted',
    caughtBy: 'orders.create.refusals.right-fields',
    feeds: ['orders.situations.created'],
    make: { merchantApi: refusingOrders(hasText('expiresAt', (text) => /\.\d\d?Z$/.test(text))) },
  },
  {
    id: 'checkout-items-in-its-currency-only',
    title: 'Refuses a checkout order with an item in another currency.',
    breaks: 'checkout.create.accepted',
    caughtBy: 'checkout.create.refusals.right-fields',
    feeds: ['checkout.situations.created'],
    make: {
      merchantApi: refusingBodies('checkout.create', (body) => {
        const currency = valueAt(body, ['orderAmount', 'currency']);
        const items = Array.isArray(body.items) ? body.items : [];
        return items.some((item) => ![currency, undefined].includes(valueAt(item, ['currency'])));
      }),
    },
  },
  {
    id: 'refund-addresses-of-https-only',
    title: 'Refuses a notifyUrl whose scheme is http.',
    breaks: 'refunds.create.accepted',
    caughtBy: 'refunds.create.refusals.right-fields',
    feeds: ['webhooks.refund.plain-address'],
    make: { merchantApi: refusingRefunds(hasText('notifyUrl', (text) => text.startsWith('http:'))) },
  },
  {
    id: 'orders-do-not-return-to-private-hosts',
    title: 'Refuses a returnUrl of a host that only its own network knows.',
    breaks: 'orders.create.accepted',
    caughtBy: 'orders.situations.created',
    make: {
      merchantApi: refusingOrders(hasText('returnUrl', (text) => /^https?:\/\/(localhost|192\.168\.)/.test(text))),
    },
  },
];
