import { isObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { answeringJson, isOf, onlyFor, refusing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { feeds, idOf } from './feeds.ts';

/** A server whose refusals of an operation show a field of `data` as the success before has it. */
function showingTheOneBefore(operation: string, field: 'merchantId' | 'merchantOrderId'): Make {
  let last: unknown;
  return {
    merchantApi: onlyFor(
      isOf(operation),
      answeringJson((envelope) => {
        const { code, data } = envelope;
        if (!isObject(data)) return envelope;
        if (code === successCode) last = data[field];
        return code === successCode || last === undefined
          ? envelope
          : { ...envelope, data: { ...data, [field]: last } };
      }),
    ),
  };
}

/** A server whose refusals of an operation show a merchantOrderId as `change` makes it of the one that the request names. */
const changingTheId = (operation: string, change: (id: string) => string): Make => ({
  merchantApi: onlyFor(
    isOf(operation),
    refusing((envelope) => {
      const { data } = envelope;
      return isObject(data) && typeof data.merchantOrderId === 'string' && data.merchantOrderId !== ''
        ? { ...envelope, data: { ...data, merchantOrderId: change(data.merchantOrderId) } }
        : envelope;
    }),
  ),
});

const escapedForHtml = (id: string): string => id.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);

/** What becomes of an id, in words. */
const changesOfIds: readonly (readonly [id: string, words: string, change: (id: string) => string])[] = [
  ['in-lower-case', 'in lower case', (id) => id.toLowerCase()],
  ['in-capitals', 'in capital letters', (id) => id.toUpperCase()],
  ['cut', 'cut to 32 characters', (id) => id.slice(0, 32)],
  ['masked', 'with all but its end masked', (id) => `***${id.slice(-4)}`],
  ['without-marks', 'without its marks', (id) => id.replace(/[_-]/g, '')],
];

/** Wrong servers whose refusals name an order otherwise than the request does. */
const changedIds: readonly Fault[] = (['orders.create', 'orders.query'] as const).flatMap((operation) =>
  changesOfIds.map(
    ([id, words, change]): Fault => ({
      id: `${idOf(operation)}-refusals-name-the-order-${id}`,
      title: `Names the order in refusals of ${operation} ${words}.`,
      breaks: 'orders.envelope.failure-names-request',
      caughtBy: `${operation}.refusals.ids`,
      feeds: ['orders.errors.request-id-echoed'],
      make: changingTheId(operation, change),
    }),
  ),
);

/** Wrong servers whose refusals of creates name an order otherwise whose id keeps no rule. */
const changedWrongIds: readonly Fault[] = (
  [
    ['escaped', 'with the marks of HTML escaped', 'orders.create.merchantOrderId.pattern', escapedForHtml],
    ['trimmed', 'without the blanks around it', 'orders.create.merchantOrderId.pattern', (id) => id.trim()],
    ['cut-to-64', 'cut to 64 characters', 'orders.create.merchantOrderId.maxLength', (id) => id.slice(0, 64)],
  ] satisfies [id: string, words: string, feed: string, change: (id: string) => string][]
).map(([id, words, feed, change]) => ({
  id: `orders-create-refusals-name-the-order-${id}`,
  title: `Names the order in refusals of creates ${words}.`,
  breaks: 'orders.envelope.failure-names-request',
  caughtBy: 'orders.create.refusals.ids',
  feeds: [feed],
  make: changingTheId('orders.create', change),
}));

/** Wrong servers whose refusals name what another request named. */
const idsOfOthers: readonly Fault[] = (
  [
    ['orders.create', 'merchantOrderId', 'order'],
    ['orders.query', 'merchantOrderId', 'order'],
    ['orders.query', 'merchantId', 'merchant'],
  ] as const
).map(([operation, field, noun]) => ({
  id: `${idOf(operation)}-refusals-name-the-${noun}-before`,
  title: `Names in refusals of ${operation} the ${noun} of the success before.`,
  breaks: 'orders.envelope.failure',
  caughtBy: `${operation}.refusals.ids`,
  // The last one has a success before its refusals, in whichever order the checks run.
  feeds: [
    ...[feeds[operation]?.success ?? '', feeds[operation]?.refusal ?? ''],
    ...['orders.query.other-merchant', 'orders.errors.request-id-echoed'],
  ],
  make: showingTheOneBefore(operation, field),
}));

/** Wrong servers whose refusals name no order, although the request was read. */
const namingNone: readonly Fault[] = (
  [
    ['20001', 'taken', 'that say that an id is taken', 'orders.situations.repeated'],
    ['10001', 'split', 'whose sub-merchants do not add up', 'orders.create.sub-merchants.sum-too-small'],
  ] as const
).map(([code, id, words, feed]) => ({
  id: `orders-create-refusals-name-no-order-${id}`,
  title: `Names no order in refusals of creates ${words}.`,
  breaks: 'orders.envelope.failure-names-request',
  caughtBy: 'orders.create.refusals.ids',
  feeds: [feed],
  make: {
    merchantApi: onlyFor(
      isOf('orders.create'),
      refusing((envelope) => {
        const { data } = envelope;
        const isMeant = envelope.code === code && (code !== '10001' || /subMerchants/.test(String(envelope.message)));
        return isMeant && isObject(data) ? { ...envelope, data: { ...data, merchantOrderId: null } } : envelope;
      }),
    ),
  },
}));

/** Wrong servers whose refusals name something else than their requests. */
export const refusalIdFaults: readonly Fault[] = [...idsOfOthers, ...changedIds, ...changedWrongIds, ...namingNone];
