import type { JsonObject } from '../../contract/json.ts';
import {
  answeringJson,
  bodyOf,
  hasText,
  isCheckout,
  isOf,
  isRightlySigned,
  onlyFor,
  refusingBodies,
  showing,
} from '../stand/changes.ts';
import { type Fault, faultsCaughtBy } from '../stand/fault.ts';
import type { ProxyRequest } from '../stand/proxy.ts';
import { parameterOf, refundRefusal, refusingCreates, showingRefunds } from '../stand/refund-changes.ts';

const fault = faultsCaughtBy('');

const isLong = hasText('metadata', ({ length }) => length > 4000);

/** A server that shows the extraData of refunds or the metadata of checkout orders as its database keeps it. */
const keeping = (field: string, kept: (text: string) => string) => (view: JsonObject) =>
  typeof view[field] === 'string' ? { ...view, [field]: kept(view[field]) } : view;

/** The beginning of a text, as long as a column of so many bytes holds. */
const inBytes = (text: string, bytes: number) =>
  Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd$/, '');

const kinds: readonly [string, string, (text: string) => string][] = [
  ['cut', 'cuts it after 4000 characters', (text) => text.slice(0, 4000)],
  ['composed', 'composes its letters', (text) => text.normalize('NFC')],
  ['line-ends', 'writes its line ends as line feeds', (text) => text.replaceAll('\r\n', '\n')],
  ['unseen', 'leaves characters out that nobody sees', (text) => text.replace(/[\u00ad\u200b\u2060\ufeff]/g, '')],
  ['del', 'leaves DEL out', (text) => text.replaceAll('\u007f', '')],
  ['line-separators', 'writes its separators of lines as spaces', (text) => text.replace(/[\u0085\u2028\u2029]/g, ' ')],
  [
    'three-bytes',
    'puts ? for characters beyond the basic plane',
    (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  ],
];

/** Rules for extraData that no sentence has: which texts a server refuses. */
const wrongTests: readonly [name: string, does: string, refuses: (text: string) => boolean][] = [
  ['long', 'Takes extraData up to 4000 characters.', ({ length }) => length > 4000],
  ['longer-than-a-column', 'Takes extraData up to 255 characters.', ({ length }) => length > 255],
];

/** A server that shows a refund with the first 255 characters of its extraData where this is true of the request. */
const cuttingWhere = (applies: (request: ProxyRequest) => boolean) =>
  showingRefunds(
    keeping('extraData', (text) => text.slice(0, 255)),
    applies,
  );

/** True for a query by this id of a refund alone. */
const asksBy = (name: string) => (request: ProxyRequest) =>
  isOf('refunds.query')(request) &&
  new URL(request.target, 'http://localhost').search.split('&').length === 1 &&
  parameterOf(request, name) !== undefined;

/** True for a create that was sent before. */
function isRepeat(): (request: ProxyRequest) => boolean {
  const known = new Set<string>();
  return (request) => {
    if (!isOf('refunds.create')(request)) return false;
    const key = request.body.toString();
    const isKnown = known.has(key);
    known.add(key);
    return isKnown;
  };
}

/** Wrong servers that refuse long texts of a merchant's own, or keep them in another form. */
export const longTextFaults: readonly Fault[] = [
  fault(
    'long-hosted-metadata-refused',
    'Counts the metadata of hosted orders as it is escaped.',
    'orders.create.accepted',
    'orders.situations.long-texts',
    refusingBodies('orders.create', (body) => isLong(body) && JSON.stringify(body.metadata).length > 5000),
  ),
  fault(
    'long-checkout-metadata-refused',
    'Takes metadata of checkout orders up to 4000 characters.',
    'checkout.create.accepted',
    'checkout.situations.long-texts',
    refusingBodies('checkout.create', isLong),
  ),
  fault(
    'refunds-with-extra-data-refused',
    'Refuses refunds with extraData.',
    'refunds.create.accepted',
    'refunds.situations.long-texts',
    onlyFor(isOf('refunds.create'), async (request, server) =>
      bodyOf(request)?.extraData !== undefined && isRightlySigned(request, server)
        ? refundRefusal(400, 'INVALID_PARAMETER')
        : server.forward(request),
    ),
  ),
  fault(
    'long-refund-reason-refused',
    'Takes a refundReason of up to 100 characters.',
    'refunds.create.accepted',
    'refunds.situations.long-texts',
    refusingCreates(({ refundReason }) => String(refundReason).length > 100),
  ),
  ...wrongTests.map(([name, does, refuses]) =>
    fault(
      `extra-data-${name}-refused`,
      does,
      'refunds.create.accepted',
      'refunds.situations.long-texts',
      refusingCreates(hasText('extraData', refuses)),
    ),
  ),
  ...kinds.flatMap(([name, does, kept]): Fault[] => [
    {
      ...fault(
        `extra-data-${name}`,
        `Keeps extraData and ${does}.`,
        'refunds.record.extra-data',
        'refunds.query.echo.extra-data',
        showingRefunds(keeping('extraData', kept), isOf('refunds.query')),
      ),
      feeds: ['refunds.situations.long-texts'],
    },
    {
      ...fault(
        `metadata-${name}`,
        `Keeps metadata of checkout orders and ${does}.`,
        'checkout.create.metadata.unchanged',
        'checkout.query.echo.metadata',
        onlyFor((request: ProxyRequest) => isCheckout(request), showing(keeping('metadata', kept))),
      ),
      feeds: ['checkout.situations.long-texts'],
    },
  ]),
  ...(['merchantRefundOrderId', 'acquiringOrderId', 'refundOrderId'] as const).map(
    (name): Fault => ({
      ...fault(
        `extra-data-cut-to-255-by-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
        `Shows 255 characters of extraData in the answer to a query by ${name} alone.`,
        'refunds.record.extra-data',
        'refunds.query.echo.extra-data',
        cuttingWhere(asksBy(name)),
      ),
      feeds: ['refunds.situations.long-texts'],
    }),
  ),
  {
    ...fault(
      'extra-data-cut-to-255-in-repeats',
      'Shows 255 characters of extraData in the answer to a create that is sent again.',
      'refunds.record.extra-data',
      'refunds.create.echo.extra-data',
      cuttingWhere(isRepeat()),
    ),
    feeds: ['refunds.situations.long-texts'],
  },
  ...(
    [
      ['create', 'cut-at-64-kib', 'cuts it after 65,535 characters', (text) => text.slice(0, 65_535)],
      ['query', 'cut-at-64-kib', 'cuts it after 65,535 characters', (text) => text.slice(0, 65_535)],
      // Longer than that in bytes alone.
      [
        'query',
        'cut-in-bytes',
        'cuts letters beyond ASCII after 65,535 bytes',
        (text) => (text.length < 65_535 ? inBytes(text, 65_535) : text),
      ],
    ] as [on: 'create' | 'query', name: string, does: string, kept: (text: string) => string][]
  ).map(
    ([on, name, does, kept]): Fault => ({
      ...fault(
        `extra-data-${name}-by-${on}`,
        `Shows extraData in the answer to a ${on} and ${does}.`,
        'refunds.record.extra-data',
        `refunds.${on}.echo.extra-data`,
        showingRefunds(keeping('extraData', kept), isOf(`refunds.${on}`)),
      ),
      feeds: ['refunds.situations.long-texts'],
    }),
  ),
  {
    ...fault(
      'metadata-cut-at-nul',
      'Keeps metadata of checkout orders and cuts it at a NUL.',
      'checkout.create.metadata.unchanged',
      'checkout.query.echo.metadata',
      onlyFor(
        (request: ProxyRequest) => isCheckout(request),
        showing(keeping('metadata', (text) => text.split('\0', 1)[0] ?? '')),
      ),
    ),
    feeds: ['checkout.situations.long-texts'],
  },
  fault(
    'long-batch-cut',
    'Leaves refunds out of the answer to a batch query that would be longer than 64 KiB.',
    'refunds.batch-query.known',
    'refunds.situations.long-texts',
    onlyFor(
      isOf('refunds.batch-query'),
      answeringJson((envelope) => {
        let length = 0;
        const isShort = (refund: unknown) => {
          length += JSON.stringify(refund).length;
          return length < 65_536;
        };
        return Array.isArray(envelope.data) ? { ...envelope, data: envelope.data.filter(isShort) } : envelope;
      }),
    ),
  ),
  fault(
    'items-must-be-the-price',
    "Refuses items whose prices are not the order's.",
    'orders.create.optional-fields',
    'orders.create.free-texts',
    refusingBodies('orders.create', ({ items, orderAmount }) => {
      const prices = Array.isArray(items) ? items.map((item) => Number(Object(Object(item).amount).value)) : [];
      const sum = prices.reduce((total, price) => total + price, 0);
      return prices.length > 0 && sum !== Number(Object(orderAmount).value);
    }),
  ),
  {
    id: 'order-ids-of-refunds-cut-to-50',
    title: 'Shows 50 characters of the merchantOrderId of an order in the records of its refunds.',
    breaks: 'refunds.record.references',
    caughtBy: 'refunds.query.echo.merchant-order-id',
    feeds: ['refunds.situations.long-texts'],
    make: {
      merchantApi: showingRefunds((record) => ({
        ...record,
        merchantOrderId:
          typeof record.merchantOrderId === 'string' ? record.merchantOrderId.slice(0, 50) : record.merchantOrderId,
      })),
    },
  },
];
