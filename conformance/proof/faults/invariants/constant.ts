import type { RequirementId } from '../../../../generated/catalogue.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { answeringJson, changing, isOf, merchantIdOf, onlyFor, showing, storing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { eightHoursAhead, followingClocks } from '../../stand/order-changes.ts';
import type { Handler } from '../../stand/proxy.ts';

/** A field that changes: the server's behaviour in words, and the change of its later views. */
interface Change {
  rule: string;
  words: string;
  change(view: JsonObject): JsonObject;
  /** The sentence that is broken, where it is not that on all constant fields. */
  breaks?: RequirementId;
}

/**
 * A server that first shows a record correctly, and changes it with `change` in every later answer of one operation.
 */
function showingLater(operation: string, change: Change['change']): Handler {
  const seen = new Set<unknown>();
  return answeringJson((envelope, request) => {
    const { code, data } = envelope;
    if (code !== successCode) return envelope;
    const shown = (view: unknown) => {
      if (!isObject(view)) return view;
      const id = view.refundOrderId ?? view.orderId;
      const isLater = seen.has(id);
      seen.add(id);
      return isLater && isOf(operation)(request) ? change(view) : view;
    };
    return { ...envelope, data: Array.isArray(data) ? data.map(shown) : shown(data) };
  });
}

/** A server whose checkout orders get another deposit address when they have waited for twelve hours. */
function renewingAddresses(isMeant: (view: JsonObject) => boolean): Make {
  const { now, control } = followingClocks();
  const merchantApi = onlyFor(
    isOf('checkout.query'),
    showing((view, request) => {
      const waited = now(merchantIdOf(request)) - Date.parse(String(view.createdAt));
      const isOld = view.status === 'INIT' && waited > 12 * 3_600_000 && isMeant(view);
      return isOld ? { ...view, depositAddress: `pool-${view.orderId}` } : view;
    }),
  );
  return { control, merchantApi };
}

const upperCase = (value: unknown) => String(value).toUpperCase();
const aCentMore = (value: unknown) => (Number(value) + 0.01).toFixed(2);

const ofOrders: readonly Change[] = [
  {
    rule: 'merchant-order-id',
    words: 'merchantOrderId is in capitals',
    change: changing('merchantOrderId', upperCase),
  },
  { rule: 'created-at', words: 'createdAt is in local time', change: changing('createdAt', eightHoursAhead) },
  { rule: 'expires-at', words: 'expiresAt is in local time', change: changing('expiresAt', eightHoursAhead) },
  {
    rule: 'checkout-url',
    words: 'checkoutUrl has a token that is made for each answer',
    change: changing('checkoutUrl', (url) => `${url}?token=${crypto.randomUUID()}`),
  },
  { rule: 'amount', words: 'the price has a fee in it', change: changing('orderAmount.value', aCentMore) },
];

const ofCheckoutOrders: readonly Change[] = [
  ...ofOrders.slice(0, 3),
  {
    rule: 'deposit-address',
    words: 'depositAddress is another one',
    change: changing('depositAddress', (address) => [...String(address)].toReversed().join('')),
  },
  {
    rule: 'payment-amount',
    words: 'the amount to pay has a fee in it',
    change: changing('cryptoPaymentAmount.value', aCentMore),
  },
  {
    rule: 'payment-currency',
    words: 'the amount to pay is in USD',
    change: changing('cryptoPaymentAmount.currency', () => 'USD'),
  },
  { rule: 'metadata', words: 'metadata is that of another order', change: changing('metadata', () => '{"other":1}') },
  {
    rule: 'network-display-name',
    words: "networkDisplayName is the network's code in capitals",
    change: (view) => ({ ...view, networkDisplayName: upperCase(view.network) }),
    breaks: 'checkout.network-display-name',
  },
];

const ofRefunds: readonly Change[] = [
  {
    rule: 'merchant-refund-order-id',
    words: 'merchantRefundOrderId is in capitals',
    change: changing('merchantRefundOrderId', upperCase),
  },
  {
    rule: 'acquiring-order-id',
    words: "acquiringOrderId is the merchant's own id of the order",
    change: (view) => ({ ...view, acquiringOrderId: view.merchantOrderId }),
  },
  {
    rule: 'merchant-order-id',
    words: "merchantOrderId is the platform's id of the order",
    change: (view) => ({ ...view, merchantOrderId: view.acquiringOrderId }),
  },
  { rule: 'created-time', words: 'createdTime is in local time', change: changing('createdTime', eightHoursAhead) },
  { rule: 'refund-amount', words: 'refundAmount has a fee in it', change: changing('refundAmount', aCentMore) },
  { rule: 'refund-currency', words: 'refundCurrency is USD', change: changing('refundCurrency', () => 'USD') },
  { rule: 'payment-method', words: 'paymentMethod is BALANCE', change: changing('paymentMethod', () => 'BALANCE') },
  {
    rule: 'extra-data',
    words: 'extraData is that of another refund',
    change: changing('extraData', () => '{"other":1}'),
  },
];

/** A wrong server for each operation and field. For a create, the later answer is the answer to a repeat. */
const changingLater = (
  operations: readonly string[],
  breaks: RequirementId,
  feeds: readonly string[],
  changes: readonly Change[],
): Fault[] =>
  operations.flatMap((operation) =>
    changes.map(({ rule, words, change, breaks: own = breaks }) => ({
      id: `constant-${operation.replace('.', '-')}-${rule}`,
      title: `In later answers of ${operation} ${words}.`,
      breaks: own,
      caughtBy: `${operation}.constant.${rule}`,
      feeds,
      make: { merchantApi: showingLater(operation, change) },
    })),
  );

/** Servers that name the network of a checkout order as hosted orders name it, in one operation and once the order is paid. */
const displayNamesOfPaid = (['checkout.create', 'checkout.query'] as const).map(
  (operation): Fault => ({
    id: `constant-${operation.replace('.', '-')}-network-named-otherwise-when-paid`,
    title: `Shows another networkDisplayName in ${operation} once a checkout order SUCCEEDED.`,
    breaks: 'checkout.network-display-name',
    caughtBy: `${operation}.constant.network-display-name`,
    feeds: ['checkout.situations.repeated'],
    make: {
      merchantApi: onlyFor(
        isOf(operation),
        showing((view) =>
          view.status === 'SUCCEEDED' ? { ...view, networkDisplayName: upperCase(view.network) } : view,
        ),
      ),
    },
  }),
);

/** Wrong servers whose records change although they must stay the same. */
export const constantFaults: readonly Fault[] = [
  ...changingLater(['orders.create', 'orders.query'], 'orders.view.constant', ['orders.situations.repeated'], ofOrders),
  ...changingLater(
    ['checkout.create', 'checkout.query'],
    'checkout.view.constant',
    ['checkout.situations.repeated'],
    ofCheckoutOrders,
  ),
  ...changingLater(
    ['refunds.create', 'refunds.query', 'refunds.batch-query'],
    'refunds.record.constant',
    ['refunds.situations.repeated'],
    ofRefunds,
  ),
  {
    id: 'constant-orders-extended-by-payment',
    title: 'Gives a hosted order half an hour more when its payment is seen.',
    breaks: 'orders.view.constant',
    caughtBy: 'orders.query.constant.expires-at',
    feeds: ['orders.situations.time-passes'],
    make: {
      parts: storing((records) => ({
        updateOrder: (order) => records.updateOrder({ ...order, expiresAt: order.expiresAt + 30 * 60_000 }),
      })),
    },
  },
  ...displayNamesOfPaid,
  {
    id: 'constant-refunds-create-paid-from-balance-when-ended',
    title: 'Answers the repeated create of a refund that came to its end with another paymentMethod.',
    breaks: 'refunds.record.constant',
    caughtBy: 'refunds.create.constant.payment-method',
    feeds: ['refunds.situations.ended'],
    make: {
      merchantApi: onlyFor(
        isOf('refunds.create'),
        showing((view) =>
          ['SUCCEEDED', 'FAILED', 'CLOSED'].includes(String(view.status))
            ? { ...view, paymentMethod: 'BALANCE' }
            : view,
        ),
      ),
    },
  },
  {
    id: 'constant-checkout-address-given-back',
    title: 'Shows another deposit address once a checkout order has come to its end.',
    breaks: 'checkout.view.constant',
    caughtBy: 'checkout.query.constant.deposit-address',
    feeds: ['checkout.situations.unpaid'],
    make: {
      parts: storing((records) => ({
        updateOrder: (order) =>
          records.updateOrder(
            order.product === 'checkout' ? { ...order, depositAddress: `pool-${order.orderId}` } : order,
          ),
      })),
    },
  },
  {
    id: 'constant-checkout-address-renewed',
    title: 'Shows another deposit address for a checkout order that has waited for its payment for twelve hours.',
    breaks: 'checkout.view.constant',
    caughtBy: 'checkout.query.constant.deposit-address',
    feeds: ['checkout.situations.time-passes'],
    make: renewingAddresses(() => true),
  },
  {
    id: 'constant-checkout-address-renewed-on-solana',
    title:
      'Shows another deposit address on Solana for a checkout order that has waited for its payment for twelve hours.',
    breaks: 'checkout.view.constant',
    caughtBy: 'checkout.query.constant.deposit-address',
    feeds: ['checkout.situations.time-passes'],
    make: renewingAddresses(({ network }) => network === 'solana'),
  },
  {
    id: 'constant-refunds-settled-in-cents',
    title: 'Shows a refund rounded to hundredths once it is worked on.',
    breaks: 'refunds.record.constant',
    caughtBy: 'refunds.query.constant.refund-amount',
    feeds: ['refunds.situations.ended'],
    make: {
      parts: storing((records) => ({
        updateRefund: (refund) => {
          const value = Number(refund.amount.value).toFixed(2);
          return records.updateRefund({ ...refund, amount: { ...refund.amount, value } });
        },
      })),
    },
  },
];
