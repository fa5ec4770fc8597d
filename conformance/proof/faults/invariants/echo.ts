import type { RequirementId } from '../../../../generated/catalogue.ts';
import type { Order, Product } from '../../../../server/domain/order.ts';
import { isObject, type JsonObject, parseJson } from '../../../contract/json.ts';
import {
  answeringJson,
  changing,
  isOf,
  onlyFor,
  readingBodies,
  showing,
  showingEach,
  storing,
} from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { eightHoursAhead, keepingAmounts } from '../../stand/order-changes.ts';
import { storingRefunds } from '../../stand/refund-changes.ts';

/** A field that differs from the value given: the server's behaviour in words, and the change of its views. */
interface Distortion {
  rule: string;
  words: string;
  breaks?: RequirementId;
  change(view: JsonObject): JsonObject;
}

const upperCase = (value: unknown) => String(value).toUpperCase();
/** JSON text parsed and serialised again: the same value in other bytes. */
const rewritten = (text: unknown) => {
  const value = parseJson(String(text));
  return value === undefined ? text : JSON.stringify(value);
};

const ofOrders: readonly Distortion[] = [
  {
    rule: 'merchant-order-id',
    words: 'writes merchantOrderId in capitals',
    change: changing('merchantOrderId', upperCase),
  },
  {
    rule: 'amount',
    words: 'rounds the price to hundredths',
    change: changing('orderAmount.value', (value) => Number(value).toFixed(2)),
  },
  { rule: 'currency', words: 'shows every price in USD1', change: changing('orderAmount.currency', () => 'USD1') },
  {
    rule: 'expires-at',
    words: 'shows the expiry in local time as UTC',
    change: changing('expiresAt', eightHoursAhead),
  },
  {
    rule: 'merchant-id',
    words: 'shows an account number of its own as merchantId',
    change: changing('merchantId', () => '100042'),
  },
];

const ofCheckoutOrders: readonly Distortion[] = [
  ...ofOrders.filter(({ rule }) => rule !== 'currency'),
  { rule: 'currency', words: 'shows every price in USD', change: changing('orderAmount.currency', () => 'USD') },
  { rule: 'network', words: 'writes networks in capitals', change: changing('network', upperCase) },
  {
    rule: 'metadata',
    words: 'reads metadata as JSON and writes it anew',
    breaks: 'checkout.create.metadata.unchanged',
    change: changing('metadata', rewritten),
  },
];

const ofRefunds: readonly Distortion[] = [
  {
    rule: 'merchant-refund-order-id',
    words: 'writes merchantRefundOrderId in capitals',
    change: changing('merchantRefundOrderId', upperCase),
  },
  {
    rule: 'acquiring-order-id',
    words: "shows the merchant's own id of the order as acquiringOrderId",
    change: (view) => ({ ...view, acquiringOrderId: view.merchantOrderId }),
  },
  {
    rule: 'merchant-order-id',
    words: "shows the platform's id of the order as merchantOrderId",
    change: (view) => ({ ...view, merchantOrderId: view.acquiringOrderId }),
  },
  {
    rule: 'extra-data',
    words: 'reads extraData as JSON and writes it anew',
    breaks: 'refunds.record.extra-data',
    change: changing('extraData', rewritten),
  },
];

/** A wrong server for each operation and field, since servers often build each operation's answer in separate code. */
const distorting = (
  operations: readonly string[],
  breaks: RequirementId,
  feeds: readonly string[],
  distortions: readonly Distortion[],
): Fault[] =>
  operations.flatMap((operation) =>
    distortions.map(({ rule, words, change, breaks: own = breaks }) => ({
      id: `echo-${operation.replace('.', '-')}-${rule}`,
      title: `In answers of ${operation} it ${words}.`,
      breaks: own,
      caughtBy: `${operation}.echo.${rule}`,
      feeds,
      make: { merchantApi: showingEach(operation, change) },
    })),
  );

/** A server that stores a product's orders as `change` makes them. */
const keepingOrders = (product: Product, change: (order: Order) => Order): Make => ({
  parts: storing((records) => ({
    insertOrder: (order) => records.insertOrder(order.product === product ? change(order) : order),
  })),
});

const toTheSecond = (order: Order): Order => ({ ...order, expiresAt: Math.floor(order.expiresAt / 1000) * 1000 });
/** Seconds in a signed number of 32 bits, which ends in 2038. */
const in32Bits = (order: Order): Order => ({ ...order, expiresAt: (Math.floor(order.expiresAt / 1000) | 0) * 1000 });
/** Nanoseconds in a signed number of 64 bits, which ends in 2262. */
const inNanoseconds = (order: Order): Order => ({
  ...order,
  expiresAt: Number(BigInt.asIntN(64, BigInt(order.expiresAt) * 1_000_000n) / 1_000_000n),
});
/** Reads the offset of a zone behind UTC as that of one ahead of it. */
const aheadOfUtc = (body: JsonObject): JsonObject => ({
  ...body,
  expiresAt: String(body.expiresAt).replace(/-(\d\d:\d\d)$/, '+$1'),
});
/** Reads the sign of an offset from its hours, so that hours of 0 have none. */
const aheadWithinTheHour = (body: JsonObject): JsonObject => ({
  ...body,
  expiresAt: String(body.expiresAt).replace(/-(00:\d\d)$/, '+$1'),
});
/** Reads the digits behind the seconds as a count of milliseconds, whatever their number. */
const countingMilliseconds = (body: JsonObject): JsonObject => ({
  ...body,
  expiresAt: String(body.expiresAt).replace(
    /\.(\d+)/,
    (_, digits: string) => `.${digits.slice(0, 3).padStart(3, '0')}`,
  ),
});
/** Has no month of 31 days. */
const beyondTheMonth = (time: unknown) => String(time).replace(/-31T/, '-30T');
const asDouble = (value: string) => String(Number(value));

/** Wrong servers that show other values than the merchant gave. */
export const echoFaults: readonly Fault[] = [
  ...distorting(['orders.create', 'orders.query'], 'orders.view.echo', ['orders.situations.created'], ofOrders),
  ...distorting(
    ['checkout.create', 'checkout.query'],
    'checkout.view.echo',
    ['checkout.situations.created'],
    ofCheckoutOrders,
  ),
  ...distorting(
    ['refunds.create', 'refunds.query', 'refunds.batch-query'],
    'refunds.record.references',
    ['refunds.situations.repeated'],
    ofRefunds,
  ),
  {
    id: 'echo-orders-amounts-in-doubles',
    title: 'Keeps the prices of hosted orders as binary floating point.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.query.echo.amount',
    feeds: ['orders.situations.created'],
    make: keepingAmounts('hosted', asDouble),
  },
  {
    id: 'echo-checkout-amounts-in-doubles',
    title: 'Keeps the prices of checkout orders as binary floating point.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.query.echo.amount',
    feeds: ['checkout.situations.created'],
    make: keepingAmounts('checkout', asDouble),
  },
  {
    id: 'echo-orders-expiry-in-seconds',
    title: 'Keeps the expiry of hosted orders in whole seconds and shows milliseconds.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.query.echo.expires-at',
    feeds: ['orders.situations.created'],
    make: keepingOrders('hosted', toTheSecond),
  },
  {
    id: 'echo-checkout-expiry-in-seconds',
    title: 'Keeps the expiry of checkout orders in whole seconds and shows milliseconds.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.query.echo.expires-at',
    feeds: ['checkout.situations.created'],
    make: keepingOrders('checkout', toTheSecond),
  },
  {
    id: 'echo-orders-expiry-in-32-bits',
    title: 'Keeps the expiry of hosted orders as seconds in 32 bits.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.query.echo.expires-at',
    feeds: ['orders.situations.created'],
    make: keepingOrders('hosted', in32Bits),
  },
  {
    id: 'echo-orders-expiry-in-nanoseconds',
    title: 'Keeps the expiry of hosted orders as nanoseconds in 64 bits.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.query.echo.expires-at',
    feeds: ['orders.situations.created'],
    make: keepingOrders('hosted', inNanoseconds),
  },
  ...(['orders', 'checkout'] as const).map(
    (area): Fault => ({
      id: `echo-${area}-expiry-without-sign-within-the-hour`,
      title: `Overlooks in creates of ${area} that the offset of an expiry is negative where it is less than an hour.`,
      breaks: `${area}.view.echo`,
      caughtBy: `${area}.create.echo.expires-at`,
      feeds: [`${area}.situations.created`],
      make: { merchantApi: readingBodies(`${area}.create`, aheadWithinTheHour) },
    }),
  ),
  ...(['orders', 'checkout'] as const).map(
    (area): Fault => ({
      id: `echo-${area}-expiry-without-sign`,
      title: `Overlooks in creates of ${area} that the offset of an expiry is negative.`,
      breaks: `${area}.view.echo`,
      caughtBy: `${area}.create.echo.expires-at`,
      feeds: [`${area}.situations.created`],
      make: { merchantApi: readingBodies(`${area}.create`, aheadOfUtc) },
    }),
  ),
  {
    id: 'echo-refunds-of-checkout-orders',
    title: "Shows the platform's id as merchantOrderId of refunds of checkout orders.",
    breaks: 'refunds.record.references',
    caughtBy: 'refunds.query.echo.merchant-order-id',
    feeds: ['refunds.situations.of-checkout-orders'],
    make: storingRefunds(async (refund, records) => {
      const order = await records.lockOrder(refund.merchantId, refund.acquiringOrderId);
      return order?.product === 'checkout' ? { ...refund, merchantOrderId: refund.acquiringOrderId } : refund;
    }),
  },
  {
    id: 'echo-refunds-extra-data-until-ended',
    title: 'Leaves extraData out of refunds that have ended.',
    breaks: 'refunds.record.extra-data',
    caughtBy: 'refunds.query.echo.extra-data',
    feeds: ['refunds.situations.ended'],
    make: {
      merchantApi: showingEach('refunds.query', ({ extraData, ...record }) =>
        /^(PENDING|PROCESSING)$/.test(String(record.status)) ? { ...record, extraData } : record,
      ),
    },
  },
  {
    id: 'echo-refunds-extra-data-of-the-first',
    title: 'Shows extraData of the first refund of a batch for all of them.',
    breaks: 'refunds.record.extra-data',
    caughtBy: 'refunds.batch-query.echo.extra-data',
    feeds: ['refunds.situations.ended'],
    make: {
      merchantApi: onlyFor(
        isOf('refunds.batch-query'),
        answeringJson((envelope) => {
          const { data } = envelope;
          if (!Array.isArray(data)) return envelope;
          const records = data.filter(isObject);
          return { ...envelope, data: records.map((each) => ({ ...each, extraData: records[0]?.extraData })) };
        }),
      ),
    },
  },
  ...(['orders', 'checkout'] as const).flatMap((area): Fault[] => [
    {
      id: `echo-${area}-expiry-fraction-counted`,
      title: `Reads in creates of ${area} the decimal places of an expiry as a number of milliseconds.`,
      breaks: `${area}.view.echo`,
      caughtBy: `${area}.create.echo.expires-at`,
      feeds: [`${area}.situations.created`],
      make: { merchantApi: readingBodies(`${area}.create`, countingMilliseconds) },
    },
    {
      id: `echo-${area}-expiry-on-the-31st`,
      title: `Shows in creates of ${area} the 31st of a month as the 30th.`,
      breaks: `${area}.view.echo`,
      caughtBy: `${area}.create.echo.expires-at`,
      feeds: [`${area}.create.expires-at.impossible-date`],
      make: { merchantApi: onlyFor(isOf(`${area}.create`), showing(changing('expiresAt', beyondTheMonth))) },
    },
  ]),
];
