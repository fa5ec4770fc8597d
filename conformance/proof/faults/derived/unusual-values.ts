import type { RequirementId } from '../../../../generated/catalogue.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { lengthLimit } from '../../../contract/lengths.ts';
import { bodyOf, hasText, isOf, isRightlySigned, onlyFor, refusal } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import type { Handler, ProxyAnswer } from '../../stand/proxy.ts';
import { refundRefusal } from '../../stand/refund-changes.ts';
import { idOf } from '../invariants/feeds.ts';

/** A server that answers creates for which `is` is true by itself: with the code and status of an order's refusal, or with `ofRefunds`. */
const answeringCreates = (
  operation: string,
  is: (body: JsonObject) => boolean,
  [code, status]: readonly [code: string, status: number],
  ofRefunds: ProxyAnswer,
): Handler =>
  onlyFor(isOf(operation), async (request, server) => {
    const body = bodyOf(request);
    if (!body || !is(body) || !isRightlySigned(request, server)) return server.forward(request);
    return operation === 'refunds.create' ? ofRefunds : { ...refusal(request, code, 'it is not taken'), status };
  });

/** Careless tests of an address: what a server refuses that knows no more of addresses. */
const tests: readonly [name: string, words: string, refuses: (address: string) => boolean][] = [
  ['capital-scheme', 'whose scheme is in capital letters', (address) => /^[A-Z]/.test(address)],
  ['port', 'that has a port', (address) => /^[^/]+:\/\/[^/?#]+:\d/.test(address)],
  ['greatest-port', 'with the greatest port that there is', (address) => address.includes(':65535')],
  ['ipv6-host', 'whose host is an IPv6 address', (address) => address.includes('[')],
  ['escape', 'that has an escape', (address) => address.includes('%')],
  ['at-sign', 'with an @ in its path', (address) => /^[^/]+:\/\/[^/]*\/.*@/.test(address)],
];

const addresses: readonly [operation: string, field: string, breaks: RequirementId][] = [
  ['orders.create', 'callbackUrl', 'orders.create.optional-fields'],
  ['orders.create', 'returnUrl', 'orders.create.accepted'],
  ['refunds.create', 'notifyUrl', 'refunds.create.optional-fields'],
  ['checkout.create', 'callbackUrl', 'checkout.create.optional-fields'],
];

const refusing: readonly Fault[] = addresses.flatMap(([operation, field, breaks]) =>
  tests.map(([name, words, refuses]) => ({
    id: `${idOf(operation)}-${field.toLowerCase()}-refused-with-${name}`,
    title: `Refuses a ${field} ${words} in ${operation}.`,
    breaks,
    caughtBy: `${operation}.address-forms`,
    make: {
      merchantApi: answeringCreates(
        operation,
        hasText(field, refuses),
        ['10001', 200],
        refundRefusal(400, 'INVALID_PARAMETER'),
      ),
    },
  })),
);

const failing: readonly Fault[] = (
  [
    ['orders.create', 'description', 'nul', 'a NUL', '\0'],
    ['refunds.create', 'refundReason', 'nul', 'a NUL', '\0'],
    ['checkout.create', 'description', 'nul', 'a NUL', '\0'],
    ['checkout.create', 'network', 'nul', 'a NUL', '\0'],
    ['refunds.create', 'acquiringOrderId', 'nul', 'a NUL', '\0'],
    ['refunds.create', 'extraData', 'half-a-pair', 'half of a pair of UTF-16', '\ud800'],
    ['checkout.create', 'metadata', 'half-a-pair', 'half of a pair of UTF-16', '\ud800'],
  ] as const
).map(([operation, field, name, words, character]) => ({
  id: `${idOf(operation)}-fails-at-${name}-in-${['network', 'acquiringOrderId'].includes(field) ? field.toLowerCase() : 'text'}`,
  title: `Fails at a ${field} with ${words}, which its database does not take, in ${operation}.`,
  breaks: 'general.lasting-failure',
  caughtBy: `${operation}.unusual-characters`,
  make: {
    merchantApi: answeringCreates(
      operation,
      hasText(field, (text) => text.includes(character)),
      ['99999', 500],
      refundRefusal(500, 'SYSTEM_ERROR'),
    ),
  },
}));

const failingAtNull: readonly Fault[] = (
  [
    ['orders.create', 'an item', ({ items }) => Array.isArray(items) && items.includes(null)],
    ['refunds.create', 'a refundReason', ({ refundReason }) => refundReason === null],
    ['checkout.create', 'a customer', ({ customer }) => customer === null],
  ] as const satisfies readonly [string, string, (body: JsonObject) => boolean][]
).map(([operation, what, is]) => ({
  id: `${idOf(operation)}-fails-at-null-for-${what.split(' ').at(-1)?.toLowerCase()}`,
  title: `Fails at null in the place of ${what} in ${operation}.`,
  breaks: 'general.lasting-failure',
  caughtBy: `${operation}.nulls`,
  make: { merchantApi: answeringCreates(operation, is, ['99999', 500], refundRefusal(500, 'SYSTEM_ERROR')) },
}));

const hasItem =
  (is: (item: JsonObject) => boolean) =>
  ({ items }: JsonObject): boolean =>
    Array.isArray(items) && items.some((item) => isObject(item) && is(item));

const hasCustomer =
  (is: (customer: JsonObject) => boolean) =>
  ({ customer }: JsonObject): boolean =>
    isObject(customer) && is(customer);

/** Servers with rules of their own for fields of which the contract says only that they are text. */
const inventing: readonly Fault[] = (
  [
    [
      'orders.create',
      'items with a name of more than 64 characters',
      hasItem(hasText('name', (text) => text.length > 64)),
    ],
    [
      'orders.create',
      'items with a picture of an unknown kind',
      hasItem(hasText('imageUrl', (text) => !/\.(png|jpe?g|gif|webp)$/.test(text))),
    ],
    [
      'orders.create',
      'customers with an email in capitals',
      hasCustomer(hasText('email', (text) => !/^[a-z0-9.]+@[a-z0-9.]+$/.test(text))),
    ],
    [
      'orders.create',
      'customers with a phone number that is no international one',
      hasCustomer(hasText('phone', (text) => !/^\+[0-9]+$/.test(text))),
    ],
    ['orders.create', 'returnUrls with a fragment', hasText('returnUrl', (text) => text.includes('#'))],
    [
      'refunds.create',
      'refundReasons of fewer than five characters',
      hasText('refundReason', (text) => text.length < 5),
    ],
    [
      'orders.create',
      'items whose description has more than 256 characters',
      hasItem(hasText('description', (text) => text.length > 256)),
    ],
    [
      'orders.create',
      'items whose description is longer than that of an order may be',
      hasItem(hasText('description', (text) => text.length > lengthLimit('orders', 'description', 'maxLength').limit)),
    ],
    [
      'refunds.create',
      'refundReasons that are longer than the description of an order may be',
      hasText('refundReason', (text) => text.length > lengthLimit('orders', 'description', 'maxLength').limit),
    ],
    ['checkout.create', 'descriptions of several lines', hasText('description', (text) => text.includes('\n'))],
    [
      'checkout.create',
      'customers whose name has fewer than two characters',
      hasCustomer(hasText('name', (text) => text.length < 2)),
    ],
    ['checkout.create', 'descriptions with quotation marks', hasText('description', (text) => /['"]/.test(text))],
  ] as const
).map(([operation, what, refuses]) => ({
  id: `${idOf(operation)}-refused-for-${what.replace(/[^a-zA-Z]+/g, '-').toLowerCase()}`,
  title: `Refuses ${what} in ${operation}.`,
  breaks: operation === 'refunds.create' ? 'refunds.create.accepted' : `${operation}.optional-fields`,
  caughtBy: `${operation}.free-texts`,
  make: {
    merchantApi: answeringCreates(operation, refuses, ['10001', 200], refundRefusal(400, 'INVALID_PARAMETER')),
  },
}));

/** Servers that refuse right values which look different from usual ones, or fail at them. */
export const unusualValueFaults: readonly Fault[] = [...refusing, ...failing, ...failingAtNull, ...inventing];
