import { limit, type RequirementId } from '../../generated/catalogue.ts';
import { contract } from '../../generated/contract.ts';
import { branches } from '../contract/branches.ts';
import { compareDecimals, isDecimalText } from '../contract/decimals.ts';
import { fieldErrorCodes } from '../contract/error-codes.ts';
import { atPointer, isObject, type JsonObject, ownValue, parseJson, valueAt } from '../contract/json.ts';
import { instantOf } from '../contract/moments.ts';
import { hasUnnamedField } from '../contract/named-fields.ts';
import { contractOperation, type OperationArea } from '../contract/operations.ts';
import { schemaFaults } from '../contract/schema.ts';
import { show } from '../contract/show.ts';
import { type Book, type Exchanged, isCreate, merchantIdField, textAt, withoutAnswer } from './book.ts';
import { codeOf, isOrdinary, isRefused, saysSomethingOf } from './bound-answers.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';
import { onceForEach } from './once-for-each.ts';

const areas: readonly OperationArea[] = ['orders', 'checkout', 'refunds'];

const accepted: Readonly<Record<OperationArea, RequirementId>> = {
  orders: 'orders.create.accepted',
  checkout: 'checkout.create.accepted',
  refunds: 'refunds.create.accepted',
};

const ruleId = (area: OperationArea) => `${area}.create.refusals.right-fields`;

const rules: readonly InvariantRule[] = areas.map((area) => ({
  id: ruleId(area),
  title: `No ${area}.create whose fields keep every rule is refused for one of them`,
  requirements: [accepted[area]],
}));

/**
 * A create of which each field keeps the contract's rules is not refused for one of them, whichever check has sent it and whether or not that
 * check can do without it. What a sentence or an open point lets a target refuse is not judged.
 */
export const rightCreates: Invariant = { name: 'right-creates', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  for (const exchanged of book.exchanged) {
    const { operation, area, record } = exchanged;
    if (!isCreate(operation)) continue;
    const rule = ruleId(area);
    if (exchanged.accepted) {
      yield { rule, records: [record] };
      continue;
    }
    const code = codeOf(exchanged);
    if (code === undefined || !fieldErrorCodes[area].includes(code)) continue;
    if (!saysSomethingOf(exchanged) || !isRightCreate(book, exchanged)) continue;
    // The details of a refund's refusal name the field.
    const words = ['message', 'details'].flatMap((name) => textAt(exchanged.answered, name) ?? []);
    yield {
      rule,
      records: [record],
      fault: {
        expected: 'the create is accepted, because each of its fields keeps the rules of the contract',
        actual: `it is refused with code = ${show(code)}${words.map((each) => `: ${show(each)}`).join('')}`,
      },
    };
  }
}

/** Whether a create must be accepted: it was sent as every target takes requests, and nothing that it says may be refused. */
export const isRightCreate = (book: Book, exchanged: Exchanged): boolean =>
  isOrdinary(book, exchanged) && isRight(book, exchanged);

/** Whether nothing that a create says may be refused, nor what is known of its merchant and of what it is about. */
function isRight(book: Book, exchanged: Exchanged): boolean {
  const { area, operation, sent } = exchanged;
  const pointer = contractOperation(operation).bodySchema;
  if (!isObject(sent) || pointer === undefined || usedIds(book).get(keyOfId(exchanged)) !== 1) return false;
  const schema = atPointer(contract, pointer);
  if (schemaFaults(sent, pointer).length > 0 || hasUnnamedField(sent, schema)) return false;
  if (![...textsIn(sent, branches(schema))].every(isBoundText)) return false;
  if (area === 'refunds') return isRightRefund(book, exchanged);
  return isRightPrice(book, exchanged) && isRightExpiry(book, exchanged) && !isSplit(sent) && hasOneCurrency(sent);
}

/** How often a merchant's creates have named each id. Products may share their ids (open point `id-namespaces`). */
const usedIds = onceForEach(({ exchanged }: Book): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const each of exchanged) {
    if (isCreate(each.operation)) counts.set(keyOfId(each), (counts.get(keyOfId(each)) ?? 0) + 1);
  }
  return counts;
});

const keyOfId = ({ area, merchantId, sent }: Exchanged) =>
  JSON.stringify([area === 'refunds' ? area : 'orders', merchantId, textAt(sent, merchantIdField[area])]);

/** Every text in a body, with the schemas that it must keep. */
function* textsIn(value: unknown, schemas: readonly JsonObject[]): Iterable<{ text: string; schemas: typeof schemas }> {
  if (typeof value === 'string') yield { text: value, schemas };
  else if (Array.isArray(value)) {
    const entries = schemas.flatMap(({ items }) => branches(items));
    for (const entry of value) yield* textsIn(entry, entries);
  } else if (isObject(value)) {
    for (const [name, held] of Object.entries(value)) {
      yield* textsIn(
        held,
        schemas.flatMap(({ properties }) => branches(ownValue(properties, name))),
      );
    }
  }
}

/** How many characters a target must take of a text for which the contract sets no bound. */
const boundless = 300;

/** The same for JSON text, which may be as long as that for which it sets one. */
const boundlessJson = limit('orders.metadata.length', 'max');

const plainTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d{1,3})?Z$/;
const plainAmount = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/;
/** With a host by its name or number, and a port above 0 where there is one. */
const plainAddress = /^https?:\/\/[a-z0-9]+([.-][a-z0-9]+)*(:[1-9][0-9]{0,4})?([/?#].*)?$/;

/** Text in a form that no sentence and no open point lets a target refuse: its characters, its length, and how it writes a time, an address or an amount. */
function isBoundText({ text, schemas }: { text: string; schemas: readonly JsonObject[] }): boolean {
  const has = (keyword: string) => schemas.some((schema) => schema[keyword] !== undefined);
  if (!/^[\x20-\x7e]+$/.test(text)) return false;
  if (schemas.some(({ format }) => format === 'date-time') && !plainTime.test(text)) return false;
  if (schemas.some(({ format }) => format === 'uri') && !plainAddress.test(text)) return false;
  if (has('x-decimal') && !plainAmount.test(text)) return false;
  // Whether JSON of another kind is taken is open (open point `field-forms`).
  if (has('contentMediaType') && !isObject(parseJson(text))) return false;
  return has('maxLength') || text.length <= (has('contentMediaType') ? boundlessJson : boundless);
}

/**
 * The amounts of orders that were accepted, by what they have in common with others that must be, too. An order for nothing says nothing of the
 * smallest amount: a target may take it and have one (open point `orders-amount-limits`).
 */
const acceptedPrices = onceForEach((book: Book): ReadonlyMap<string, readonly string[]> => {
  const prices = new Map<string, string[]>();
  for (const exchanged of book.exchanged) {
    const price = textAt(exchanged.sent, 'orderAmount', 'value');
    if (!exchanged.accepted || !isCreate(exchanged.operation) || !isDecimalText(price)) continue;
    if (compareDecimals(price, '0') <= 0) continue;
    const key = keyOfPrice(book, exchanged);
    const known = prices.get(key);
    if (known) known.push(price);
    else prices.set(key, [price]);
  }
  return prices;
});

/** Merchants have ways to pay of their own where the driver was asked for them. Those whom it was asked for the same have the same. */
function keyOfPrice({ provisions }: Book, { area, merchantId, sent }: Exchanged): string {
  const provision = provisions.get(merchantId);
  const owner = provision ? JSON.stringify(provision.settings.paymentMethods) : merchantId;
  return JSON.stringify([area, owner, textAt(sent, 'orderAmount', 'currency'), textAt(sent, 'network')]);
}

/** How many decimal places a target must take of a price in stablecoin, of which the contract does not say how many it may have. */
const placesOfCheckout = 6;

/** The price lies between two that were accepted, over the same network where the merchant names one. */
function isRightPrice(book: Book, exchanged: Exchanged): boolean {
  const price = textAt(exchanged.sent, 'orderAmount', 'value') ?? '';
  const [, places = ''] = price.split('.');
  if (exchanged.area === 'checkout' && places.length > placesOfCheckout) return false;
  const others = acceptedPrices(book).get(keyOfPrice(book, exchanged)) ?? [];
  return (
    others.some((other) => compareDecimals(other, price) <= 0) &&
    others.some((other) => compareDecimals(other, price) >= 0)
  );
}

const minute = 60_000;
const day = limit('checkout.expires-at.farthest', 'max');

/** The time of expiry lies at least a minute ahead, and less than a day: an order that ends very soon may be over before it is made. */
function isRightExpiry({ clock }: Book, { merchantId, record, sent }: Exchanged): boolean {
  const { earliest, latest } = clock.between(merchantId, record.start, record.end);
  const expiry = instantOf(valueAt(sent, ['expiresAt']));
  return expiry > latest + minute && expiry < earliest + day - minute;
}

/** How an order is split is open for a merchant that is no platform. */
const isSplit = (sent: unknown): boolean => {
  const parts = valueAt(sent, ['subMerchants']);
  return Array.isArray(parts) && parts.length > 0;
};

/** Whether the items of a hosted order are in its currency, as a target may demand (open point `item-currency`). */
function hasOneCurrency(sent: unknown): boolean {
  const items = valueAt(sent, ['items']);
  const currency = textAt(sent, 'orderAmount', 'currency');
  return (
    !Array.isArray(items) || items.every((item) => [currency, undefined].includes(textAt(item, 'amount', 'currency')))
  );
}

/**
 * The refund is of a hosted order that was seen to be paid, not long ago, of which no other refund was made, and by a merchant whose balance the run
 * did not set. A refusal of anything else may have a code that says only that it is one.
 */
function isRightRefund(book: Book, { merchantId, record, sent }: Exchanged): boolean {
  const orderId = textAt(sent, 'acquiringOrderId') ?? '';
  const provision = book.provisions.get(merchantId);
  if (!provision || provision.settings.balances !== undefined) return false;
  // Of which characters an id of a refund may be is not said. One that an order may have must be taken.
  if (schemaFaults(textAt(sent, 'merchantRefundOrderId'), idOfOrder).length > 0) return false;
  if (ordersRefunded(book).has(JSON.stringify([merchantId, orderId]))) return false;
  const paid = book
    .entity('orders', merchantId, orderId)
    ?.sightings.find((sighting) => sighting.status === 'SUCCEEDED' && sighting.record.end <= record.start);
  const { latest } = book.clock.between(merchantId, record.start, record.end);
  return paid !== undefined && latest - instantOf(paid.view.paidAt) < shortPeriod;
}

/** The schema of an order's id that its merchant gives. */
const idOfOrder = '/components/schemas/OrderCreateRequest/properties/merchantOrderId';

/** In milliseconds. A period of refunds may be shorter than that of the contract (open point `refund-period`), but hardly this short. */
const shortPeriod = 86_400_000;

/** The orders of which a refund was made, or may have been made, by their merchants. */
const ordersRefunded = onceForEach(({ exchanged, unanswered }: Book): ReadonlySet<string> => {
  const silent = unanswered.flatMap((record) => withoutAnswer(record) ?? []);
  return new Set(
    [...exchanged.filter((each) => !isRefused(each)), ...silent]
      .filter(({ operation }) => operation === 'refunds.create')
      .map(({ merchantId, sent }) => JSON.stringify([merchantId, textAt(sent, 'acquiringOrderId')])),
  );
});
