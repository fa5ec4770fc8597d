import { isDecimalText } from '../../contract/decimals.ts';
import { isObject, type JsonObject, parseJson } from '../../contract/json.ts';
import { readMoment } from '../../contract/moments.ts';
import { successCode } from '../../contract/success-code.ts';
import {
  answering,
  answeringJson,
  bodyOf,
  firstOf,
  isRightlySigned,
  onlyFor,
  slowly,
  storing,
} from '../stand/changes.ts';
import type { Make, Variant } from '../stand/fault.ts';
import { inTexts, mendingBodies, outsideTexts } from '../stand/lenient-json.ts';
import { idsOfMerchantsForm } from '../stand/order-changes.ts';
import type { Handler, ProxyAnswer } from '../stand/proxy.ts';
import { isRefundBatch, refundRefusal } from '../stand/refund-changes.ts';
import {
  countingForEachMerchant,
  makingFurtherOrders,
  namingAfterMerchants,
  namingRefundsAfterMerchants,
} from './shown-ids.ts';

/** A value with every object and text in it changed, from the inside out. `name`: the field that it stands in. */
function deeply(
  value: unknown,
  change: { object?: (each: JsonObject, name: string) => JsonObject; text?: (each: string, name: string) => string },
  name = '',
): unknown {
  if (typeof value === 'string') return change.text?.(value, name) ?? value;
  if (Array.isArray(value)) return value.map((each) => deeply(each, change, name));
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, deeply(each, change, key)]));
  return change.object?.(inner, name) ?? inner;
}

/** Fields of the contract that hold a merchant's own text, which comes back unchanged. */
const ownTexts: readonly string[] = ['metadata', 'extraData', 'merchantOrderId', 'merchantRefundOrderId'];

/** An object with further fields after its own: numbers beyond a double, an empty list, a name that looks like a path. */
const withFurtherFields = (each: JsonObject): JsonObject => ({
  ...each,
  schemaVersion: 2,
  'x-links/self': [],
  ratio: 1e-7,
  sequence: 1.8446744073709552e19,
});

/** A message in another language, after which the server's own words name the field. */
const translated = (message: string) => `Zażółć — не удалось: ${message}`;

/** JSON with escaped slashes and, beyond ASCII, escapes in capitals; numbers have places, where they are whole. */
function escaped(value: unknown): string {
  const text = JSON.stringify(value, null, '\t').replaceAll('/', '\\/');
  return text.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

/** A server that writes headers and JSON in an unusual way, with further ones of both. */
const writtenOtherwise: Handler = answering((answer): ProxyAnswer => {
  const envelope = bodyOf(answer);
  if (!envelope) return answer;
  const message = typeof envelope.message === 'string' ? { message: translated(envelope.message) } : {};
  const further = deeply({ ...envelope, ...message }, { object: withFurtherFields });
  const headers = Object.entries(answer.headers).map(([name, value]) => [name.toUpperCase(), value]);
  return {
    ...answer,
    headers: { ...Object.fromEntries(headers), 'X-REQUEST-ID': '0', 'SET-COOKIE': 'lb=1; Path=/', VIA: '1.1 edge' },
    body: Buffer.from(`\r\n${escaped(further)}\n`),
  };
});

/** What a reader takes that comes with a language and extends JSON, written as JSON. */
function readingExtensions(text: string): string {
  const quoted = text.includes('"') ? text : text.replaceAll("'", '"');
  const escaped = inTexts((each) =>
    each
      .replaceAll('\\x', '\\u00')
      .replace(/\p{Cc}/gu, (unit) => `\\u00${unit.charCodeAt(0).toString(16).padStart(2, '0')}`),
  )(quoted);
  const [first = ''] = outsideTexts(/\/\*.*?\*\/|\/\/[^\n]*\n?|\0/, '')(escaped).split('\n{');
  const read = [
    outsideTexts(/NaN|-?Infinity/, 'null'),
    outsideTexts(/,(?=[}\]])/, ''),
    outsideTexts(/(?<=:)0(?=[0-9])/, ''),
    (json: string) => json.replace(/(?<=[{,])([A-Za-z]+):/g, '"$1":'),
  ].reduce((json, take) => take(json), first);
  return parseJson(read) === undefined ? read.slice(0, -1) : read;
}

/** How many decimal places an amount has at most. */
const mostPlaces = 18;

let turn = 0;
/**
 * The same with a further field in each object, which has another value each time, and with every other object the other way round, in turn.
 * Every other amount has all places, and every other time an offset.
 */
const inAnyOrder = (envelope: JsonObject) =>
  deeply(envelope, {
    object: (each) => {
      turn += 1;
      const fields = Object.entries({ ...each, servedAs: turn });
      return Object.fromEntries(turn % 2 === 0 ? fields : fields.reverse());
    },
    text: (each, name) => {
      if (ownTexts.includes(name) || turn % 2 === 0) return each;
      if (isDecimalText(each) && each.includes('.')) return each.padEnd(each.indexOf('.') + 1 + mostPlaces, '0');
      return readMoment(each) ? each.replace(/Z$/, '+00:00') : each;
    },
  });

/** A server that takes a signature for a wrong one when it has come before. */
function takingSignaturesOnce(): Handler {
  const used = new Set<string>();
  return (request, server) => {
    const signature = request.headers['x-signature'];
    if (signature === undefined || !isRightlySigned(request, server)) return server.forward(request);
    const isUsed = used.has(signature);
    used.add(signature);
    const headers = { ...request.headers, 'x-signature': `${'A'.repeat(43)}=` };
    return server.forward(isUsed ? { ...request, headers } : request);
  };
}

/** A server that takes no list of ids in which one stands twice. */
const refusingDoubledIds: Handler = onlyFor(
  isRefundBatch,
  answering((answer, request) => {
    const ids = bodyOf(request)?.merchantRefundOrderIds;
    const isDoubled = Array.isArray(ids) && new Set(ids).size < ids.length;
    return answer.status === 200 && isDoubled
      ? refundRefusal(400, 'INVALID_PARAMETER', 'an id stands there twice')
      : answer;
  }),
);

/** An RFC 3339 time with microseconds and an offset: of hosted and checkout orders +00:00, of refunds another one. */
function timeWithOffset(iso: string, name: string): string {
  if (!/^[0-9-]+T[0-9:]+\.[0-9]{3}Z$/.test(iso)) return iso;
  if (!name.endsWith('Time')) return iso.replace('Z', '000+00:00');
  const ahead = 5.5 * 3_600_000;
  return new Date(Date.parse(iso) + ahead).toISOString().replace('Z', '000+05:30');
}

const amounts: readonly string[] = ['value', 'amount', 'refundAmount', 'merchantDeductAmount'];

/** Decimal text with all 18 places. */
function padded(value: string): string {
  const [whole = '0', places = ''] = value.split('.');
  return `${whole}.${places.padEnd(18, '0')}`;
}

const withLongForms: Handler = answeringJson((envelope) => ({
  ...envelope,
  ...('data' in envelope && {
    data: deeply(envelope.data, {
      text: (each, name) => {
        if (ownTexts.includes(name)) return each;
        return amounts.includes(name) && /^[0-9.]+$/.test(each) ? padded(each) : timeWithOffset(each, name);
      },
    }),
  }),
}));

/** A server that shows a change of an order or a refund only `lag` milliseconds after it happened, and takes so many for each answer. */
function behind(lag: number, milliseconds: [number, number]): Make {
  const changedAt = new Map<string, number>();
  const shown = new Map<string, JsonObject>();
  const late = (view: unknown) => {
    if (!isObject(view)) return view;
    const id = view.orderId ?? view.refundOrderId;
    if (typeof id !== 'string') return view;
    const last = shown.get(id);
    if (last && Date.now() - (changedAt.get(id) ?? 0) < lag) return last;
    shown.set(id, view);
    return view;
  };
  return {
    parts: storing((records) => ({
      updateOrder: (order) => {
        changedAt.set(order.orderId, Date.now());
        return records.updateOrder(order);
      },
      updateRefund: (refund) => {
        changedAt.set(refund.refundOrderId, Date.now());
        return records.updateRefund(refund);
      },
    })),
    merchantApi: firstOf(
      slowly(...milliseconds),
      answeringJson((envelope) => {
        const { code, data } = envelope;
        if (code !== successCode) return envelope;
        return { ...envelope, data: Array.isArray(data) ? data.map(late) : late(data) };
      }),
    ),
  };
}

/**
 * A server whose queries for orders by the platform's id, and whose batch queries, are answered from a copy of the data that shows a change of
 * status only `lag` milliseconds later than all other answers.
 */
function withCopyBehind(lag: number): Make {
  const shown = new Map<string, { view: JsonObject; former?: JsonObject; changedAt: number }>();
  const present = (view: unknown, isOfCopy: (view: JsonObject) => boolean) => {
    if (!isObject(view)) return view;
    const id = view.orderId ?? view.refundOrderId;
    if (typeof id !== 'string') return view;
    const last = shown.get(id);
    const hasChanged = last?.view.status !== view.status;
    const { former, changedAt } = last && !hasChanged ? last : { former: last?.view, changedAt: Date.now() };
    shown.set(id, { view, changedAt, ...(former && { former }) });
    return former && Date.now() - changedAt < lag && isOfCopy(view) ? former : view;
  };
  return {
    merchantApi: answeringJson((envelope, request) => {
      const { code, data } = envelope;
      if (code !== successCode) return envelope;
      const isOfCopy = ({ orderId }: JsonObject) =>
        isRefundBatch(request) || (request.method === 'GET' && request.target.endsWith(`/${orderId}`));
      return {
        ...envelope,
        data: Array.isArray(data) ? data.map((view) => present(view, isOfCopy)) : present(data, isOfCopy),
      };
    }),
  };
}

let serial = 0;
/** A number of so many digits, another one each time. */
const digits = (length: number) => () => {
  serial += 1;
  return `9${String(serial).padStart(length - 1, '0')}`;
};

/** An id with what an address needs escaped around it. */
const ofAnyCharacters = (id: string) => `\u{1F600}/${id}?#%41 +;&="'\\ö\u{1F600}`;

/** 1, 2, 3 and so on. */
const counted = () => {
  let count = 0;
  return () => {
    count += 1;
    return String(count);
  };
};

/** Conforming servers that use what HTTP, JSON and the forms of ids, times and amounts leave free. */
export const freeWireVariants: readonly Variant[] = [
  {
    id: 'written-otherwise',
    title:
      'Has further fields in every object, escapes in its JSON, headers in capitals, and messages in other languages.',
    make: { merchantApi: writtenOtherwise },
  },
  {
    id: 'fields-in-any-order',
    title:
      'Writes the fields of every object in another order each time, one more in each, which is never the same, and amounts and times in two forms.',
    make: { merchantApi: answeringJson(inAnyOrder) },
  },
  {
    id: 'refunds-batches-of-different-ids',
    title: 'Refuses batch queries that give an id twice.',
    area: 'refunds',
    make: { merchantApi: refusingDoubledIds },
  },
  {
    id: 'long-forms',
    title: 'Writes times with microseconds and an offset, and every amount with 18 places.',
    make: { merchantApi: withLongForms },
  },
  {
    id: 'ids-like-numbers',
    title: 'Gives ids that look like numbers, of refunds with 64 digits, and keys that do as well.',
    make: {
      parts: (parts) => ({
        ...parts,
        ids: {
          ...parts.ids,
          orderId: digits(20),
          refundOrderId: digits(64),
          eventId: digits(18),
          merchantId: digits(10),
          apiKey: digits(32),
        },
      }),
    },
  },
  {
    id: 'ids-of-any-characters',
    title: 'Gives ids with blanks, marks that addresses are made of, and characters of two halves at both ends.',
    make: {
      parts: (parts) => ({
        ...parts,
        ids: {
          ...parts.ids,
          orderId: () => ofAnyCharacters(parts.ids.orderId()),
          refundOrderId: () => ofAnyCharacters(parts.ids.refundOrderId()),
          merchantId: () => ofAnyCharacters(parts.ids.merchantId()),
        },
      }),
    },
  },
  {
    id: 'ids-that-count',
    title: 'Counts its orders and refunds from 1, so that a short number is the id of one.',
    make: {
      parts: (parts) => ({
        ...parts,
        ids: { ...parts.ids, orderId: counted(), refundOrderId: counted() },
      }),
    },
  },
  {
    id: 'ids-that-count-for-each-merchant',
    title: 'Counts the orders of each merchant from 1, so that two merchants have orders with the same id.',
    make: countingForEachMerchant(),
  },
  {
    id: 'signatures-taken-once',
    title: 'Takes no signature a second time, against requests that are replayed.',
    make: { merchantApi: takingSignaturesOnce() },
  },
  {
    id: 'ids-after-the-merchants',
    title:
      "Makes the ids of orders of the merchant's own: takes one as it is, or puts the merchant's id or a letter before it.",
    make: namingAfterMerchants(),
  },
  {
    id: 'refund-ids-of-the-merchants',
    title: "Takes the merchant's id of a refund for its own, and refuses an id that another merchant has used.",
    area: 'refunds',
    make: namingRefundsAfterMerchants(),
  },
  {
    id: 'orders-made-again',
    title:
      'Makes another hosted order for each create, also under an id that is used, and shows the first one for that id.',
    area: 'orders',
    make: makingFurtherOrders('first'),
  },
  {
    id: 'last-of-orders-made-again',
    title:
      'Makes another hosted order for each create, also under an id that is used, and shows the last one for that id.',
    area: 'orders',
    make: makingFurtherOrders('last'),
  },
  {
    id: 'more-than-json',
    title:
      'Reads JSON with comments, single quotes, bare names, commas too many, control characters, NaN, leading zeros and escapes of JavaScript, and nothing that stands behind its object.',
    make: mendingBodies(({ method }) => method === 'POST', readingExtensions),
  },
  {
    id: 'ids-in-the-form-of-merchants',
    title:
      "Has platform ids in the form of a merchant's own. Where an id is both, a query shows the order to which the merchant gave it.",
    make: idsOfMerchantsForm,
  },
];

/** Conforming servers that are late. */
export const lateVariants: readonly Variant[] = [
  {
    id: 'behind-by-a-second',
    title: 'Takes 200 milliseconds for each answer, and shows a change a second late.',
    make: behind(1000, [200, 220]),
  },
  {
    id: 'copy-behind',
    title:
      'Answers batch queries, and queries for orders by their platform id, from a copy that shows a change of status two seconds later.',
    make: withCopyBehind(2000),
  },
];
