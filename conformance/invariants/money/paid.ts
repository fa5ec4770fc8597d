import { currencies, type Network, networks } from '../../../generated/catalogue.ts';
import { compareDecimals, isDecimalText, multiplyRoundedUp } from '../../contract/decimals.ts';
import type { AskedEvent, Money, OrderEventRecord } from '../../history/records.ts';
import { type Book, type Entity, type Exchanged, textAt } from '../book.ts';
import { onceForEach } from '../once-for-each.ts';

/** The payment of an order, as far as the run knows it. */
export interface KnownPayment {
  /** What shows how the order was paid. */
  record: OrderEventRecord;
  /** Decimal text in the currency that is due; absent: the run cannot tell how much was paid. */
  value?: string;
  /** The payment as the driver vouches for it. */
  detail: Omit<AskedEvent, 'type'>;
  /** What the price came to in USDT at the rate that the driver set, as decimal text; absent: the price was not converted, or another amount was sent. */
  converted?: string;
  /** How it was made, where the driver vouches for it, as the driver names it. */
  method?: string;
  /** Whether it was made on chain; absent: the run cannot tell. */
  onChain?: boolean;
}

/** Decimal places to which the control API rounds the amount due for a price in USD, upwards. */
const convertedPlaces = 6;

/** The texts that the creates of an entity gave in a field. Empty: one of them cannot be read, or the run made none. */
export function givenIn({ origins }: Entity, ...path: readonly string[]): string[] {
  const given = origins.flatMap(({ sent }: Exchanged) => textAt(sent, ...path) ?? []);
  return given.length === origins.length ? [...new Set(given)] : [];
}

/** The one text that every create of an entity gave in a field; `undefined` where they differ, or cannot be read. */
export function givenAs(entity: Entity, ...path: readonly string[]): string | undefined {
  const [value, ...others] = givenIn(entity, ...path);
  return others.length === 0 ? value : undefined;
}

/** The currencies in which an order can be paid: the stablecoin of hosted orders, or the one that a checkout order is priced in. */
export function paidCurrencies(order: Entity): readonly string[] {
  if (order.area === 'checkout') return givenIn(order, 'orderAmount', 'currency');
  return currencies.filter(({ products }) => products.includes('hosted')).map(({ code }) => code);
}

/**
 * The payment of an order that succeeded; `undefined` where the run let no payment happen, or where more than one may have
 * happened: nothing says then which of them counts.
 */
export function paymentOf(book: Book, order: Entity): KnownPayment | undefined {
  const [record, ...others] = order.events.filter(
    (event): event is OrderEventRecord => event.step === 'orderEvent' && mayHavePaid(event),
  );
  if (!record || others.length > 0 || !('done' in record.result) || !record.result.done) return undefined;
  const { due, payment: detail = {} } = record.result;
  const value = detail.amount ?? record.event.amount ?? due?.value ?? unnamedDue(book, order);
  const method = detail.paymentMethod ?? record.event.paymentMethod;
  const price = givenAs(order, 'orderAmount', 'value');
  // A payment of the price itself may show a driver that sets no rate.
  const isRated = value !== undefined && (!isSameAmount(value, price) || paidAtRate(book).has(order.merchantId));
  const converted = record.event.amount === undefined && isRated ? convertedPrice(book, order) : undefined;
  return {
    record,
    detail,
    ...(detail.paymentMethod !== undefined && { method: detail.paymentMethod }),
    ...(converted !== undefined && { converted }),
    ...(isDecimalText(value) && { value }),
    ...(order.area === 'checkout'
      ? { onChain: true }
      : method !== undefined && { onChain: method === 'ON_CHAIN_TRANSFER' }),
  };
}

const isSameAmount = (one: string | undefined, other: string | undefined): boolean =>
  isDecimalText(one) && isDecimalText(other) && compareDecimals(one, other) === 0;

/** The merchants with a payment in USD that shows that the driver has set their rate: what was due is not the price. */
const paidAtRate = onceForEach((book: Book): ReadonlySet<string> => {
  const isRated = (order: Entity) =>
    order.events.some(
      ({ result }) =>
        'done' in result &&
        result.done &&
        result.due !== undefined &&
        convertedPrice(book, order) !== undefined &&
        !isSameAmount(result.due.value, givenAs(order, 'orderAmount', 'value')),
    );
  return new Set(book.entities.filter(isRated).map(({ merchantId }) => merchantId));
});

const mayHavePaid = ({ event, result }: OrderEventRecord): boolean =>
  event.type === 'transaction_detected' && !('done' in result && !result.done);

/** The amount due of an order whose driver does not name it, as far as it follows from what was ordered. */
function unnamedDue(book: Book, order: Entity): string | undefined {
  if (order.area === 'checkout') return shownDue(order)?.value;
  const [value, currency] = [givenAs(order, 'orderAmount', 'value'), givenAs(order, 'orderAmount', 'currency')];
  if (!isDecimalText(value) || currency === undefined) return undefined;
  return paidCurrencies(order).includes(currency) ? value : convertedPrice(book, order);
}

/** The price of a hosted order at the rate that the driver set for its merchant. `undefined`: it is not converted, or no rate was set. */
function convertedPrice(book: Book, order: Entity): string | undefined {
  const [value, currency] = [givenAs(order, 'orderAmount', 'value'), givenAs(order, 'orderAmount', 'currency')];
  if (order.area !== 'orders' || currency === undefined || paidCurrencies(order).includes(currency)) return undefined;
  const rate = book.provisions.get(order.merchantId)?.settings.usdRate;
  return isDecimalText(value) && isDecimalText(rate) ? multiplyRoundedUp(value, rate, convertedPlaces) : undefined;
}

/** What a checkout order asked its payer for; `undefined` where its answers do not agree. */
function shownDue({ sightings }: Entity): Money | undefined {
  const [first, ...others] = sightings.map(({ view }): Money | undefined => {
    const [value, currency] = [
      textAt(view, 'cryptoPaymentAmount', 'value'),
      textAt(view, 'cryptoPaymentAmount', 'currency'),
    ];
    return value === undefined || currency === undefined ? undefined : { value, currency };
  });
  return others.every((each) => each?.value === first?.value) ? first : undefined;
}

/** The name of a network in hosted orders, where the specification gives it. */
export const hostedNetworkName = (code: string): string | undefined =>
  networks.find((network: Network) => network.code === code && network.confirmationsSource === 'specification')
    ?.hostedName;
