import type { RequirementId } from '../../../../generated/catalogue.ts';
import { isObject, type JsonObject, parseJson, valueAt } from '../../../contract/json.ts';
import { lengthLimit } from '../../../contract/lengths.ts';
import { successCode } from '../../../contract/success-code.ts';
import {
  answeringJson,
  endsInside,
  hasText,
  isOf,
  onlyFor,
  readingBodies,
  refusingBodies,
  showing,
  storing,
} from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { keepingAmounts, keyedBy } from '../../stand/order-changes.ts';
import type { ProxyAnswer } from '../../stand/proxy.ts';

const isCreate = isOf('checkout.create');

const hour = 3_600_000;

/** Whether a time is written in another zone than UTC. */
const isInZone = (text: string): boolean => /[+-]\d\d:\d\d$/.test(text);

/** A server that refuses a create if `refuses` is true of it. */
const refusingCreates = (refuses: (body: JsonObject) => boolean, code = '10001'): Make => ({
  merchantApi: refusingBodies('checkout.create', refuses, code),
});

/** A server that reads each create as `change` makes it. */
const readingCreates = (change: (body: JsonObject) => unknown): Make => ({
  merchantApi: readingBodies('checkout.create', change),
});

/** A server that shows the order as `change` makes it in the answer to a create. */
const showingCreated = (change: (view: JsonObject) => JsonObject): Make => ({
  merchantApi: onlyFor(isCreate, showing(change)),
});

/** A server that answers successful creates as `change` makes the envelope. */
const answeringCreates = (change: (envelope: JsonObject) => JsonObject): Make => ({
  merchantApi: onlyFor(
    isCreate,
    answeringJson((envelope) => (envelope.code === successCode ? change(envelope) : envelope)),
  ),
});

/** The JSON value in the text, or the text itself if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const some = (value: unknown, test: (each: JsonObject) => boolean) =>
  Array.isArray(value) && value.filter(isObject).some(test);

const accepting: readonly Fault[] = [
  {
    id: 'checkout-callback-url-demanded',
    title: 'Refuses a checkout order without a callbackUrl, which is optional.',
    breaks: 'checkout.create.accepted',
    caughtBy: 'checkout.create.minimal',
    make: refusingCreates((body) => body.callbackUrl === undefined),
  },
  {
    id: 'checkout-create-not-stored',
    title: 'Answers a checkout create as it should, and keeps nothing.',
    breaks: 'checkout.query.by-merchant-order-id',
    caughtBy: 'checkout.create.minimal',
    make: { parts: storing(() => ({ insertOrder: async () => true })) },
  },
  {
    id: 'checkout-success-code-number',
    title: 'Answers checkout creates with the number 0 as their code.',
    breaks: 'general.success-code',
    caughtBy: 'checkout.create.minimal',
    make: answeringCreates((envelope) => ({ ...envelope, code: 0 })),
  },
  {
    id: 'checkout-quote-demanded',
    title: 'Makes a checkout order only from a quote that was asked for before.',
    breaks: 'checkout.create.accepted',
    caughtBy: 'checkout.create.minimal',
    make: refusingCreates((body) => body.quoteId === undefined),
  },
  {
    id: 'checkout-items-refused',
    title: 'Refuses a checkout order with items.',
    breaks: 'checkout.create.optional-fields',
    caughtBy: 'checkout.create.every-optional-field',
    make: refusingCreates((body) => body.items !== undefined),
  },
  {
    id: 'checkout-items-need-customer',
    title: 'Refuses a checkout order with items and without a customer.',
    breaks: 'checkout.create.optional-fields',
    caughtBy: 'checkout.create.every-optional-field',
    make: refusingCreates(({ items, customer }) => items !== undefined && customer === undefined),
  },
  {
    id: 'checkout-ipv6-refused',
    title: 'Knows IPv4 addresses of checkout customers only.',
    breaks: 'checkout.create.optional-fields',
    caughtBy: 'checkout.create.every-optional-field',
    make: refusingCreates(hasText('customerIp', (text) => text.includes(':'))),
  },
  {
    id: 'checkout-customer-email-demanded',
    title: 'Refuses a customer without an email address.',
    breaks: 'checkout.create.optional-fields',
    caughtBy: 'checkout.create.optional-parts',
    make: refusingCreates(({ customer }) => isObject(customer) && customer.email === undefined),
  },
  {
    id: 'checkout-item-quantity-demanded',
    title: 'Wants a quantity and a price in each item, as hosted orders do.',
    breaks: 'checkout.create.optional-fields',
    caughtBy: 'checkout.create.optional-parts',
    make: refusingCreates(({ items }) =>
      some(items, (item) => item.quantity === undefined || item.price === undefined),
    ),
  },
  {
    id: 'checkout-item-quantity-demanded-beside-others',
    title: 'Wants a quantity in each item that has two other fields.',
    breaks: 'checkout.create.optional-fields',
    caughtBy: 'checkout.create.optional-parts',
    make: refusingCreates(({ items }) =>
      some(items, (item) => item.quantity === undefined && Object.keys(item).length === 2),
    ),
  },
  {
    id: 'checkout-empty-fields-refused-together',
    title: 'Refuses an order with an empty list of items and an empty description.',
    breaks: 'checkout.create.optional-fields',
    caughtBy: 'checkout.create.pairs-of-fields',
    make: refusingCreates(({ items, description }) => Array.isArray(items) && items.length === 0 && description === ''),
  },
  {
    id: 'checkout-limit-wider-in-other-zones',
    title: 'Takes an expiresAt up to half an hour beyond the limit where it is written in another zone than UTC.',
    breaks: 'checkout.create.expires-at.limit',
    caughtBy: 'checkout.create.expires-at.zones',
    make: readingCreates((body) => {
      const ahead = Date.parse(String(body.expiresAt)) - Date.now();
      const isBeyond = ahead > 24 * hour && ahead <= 24.5 * hour;
      return isBeyond && hasText('expiresAt', isInZone)(body)
        ? { ...body, expiresAt: new Date(Date.now() + 23 * hour).toISOString() }
        : body;
    }),
  },
  {
    id: 'checkout-limit-narrower-in-zones-ahead',
    title: 'Takes the offset of a zone that is ahead of UTC from the time that an order may have at most.',
    breaks: 'checkout.create.expires-at.limit',
    caughtBy: 'checkout.create.expires-at.zones',
    make: refusingCreates(
      hasText('expiresAt', (text) => {
        const [, hours] = /\+(\d\d):\d\d$/.exec(text) ?? [];
        const ahead = Date.parse(text) - Date.now();
        return ahead > 20 * hour && ahead > (24 - Number(hours)) * hour;
      }),
      '10005',
    ),
  },
  {
    id: 'checkout-quantity-of-32-bits',
    title: 'Fails at an item of a checkout order whose quantity is beyond 32 bits with a sign.',
    breaks: 'checkout.create.accepted',
    caughtBy: 'checkout.situations.created',
    make: refusingCreates(
      ({ items }) => Array.isArray(items) && items.some((item) => Number(Object(item).quantity) >= 2 ** 31),
      '99999',
    ),
  },
  {
    id: 'checkout-empty-items-refused',
    title: 'Refuses items without any field.',
    breaks: 'checkout.create.optional-fields',
    caughtBy: 'checkout.create.optional-parts',
    make: refusingCreates(({ items }) => some(items, (item) => Object.keys(item).length === 0)),
  },
  {
    id: 'checkout-lists-without-items-refused',
    title: 'Refuses a list of no items.',
    breaks: 'checkout.create.optional-fields',
    caughtBy: 'checkout.create.optional-parts',
    make: refusingCreates(({ items }) => Array.isArray(items) && items.length === 0),
  },
  {
    id: 'checkout-item-name-demanded',
    title: 'Wants a name in each item.',
    breaks: 'checkout.create.optional-fields',
    caughtBy: 'checkout.create.optional-parts',
    make: refusingCreates(({ items }) => some(items, (item) => item.name === undefined)),
  },
  {
    id: 'checkout-hyphen-in-id-refused',
    title: 'Takes letters and digits only in the merchantOrderId of a checkout order that begins with neither.',
    breaks: 'checkout.create.merchant-order-id.characters',
    caughtBy: 'checkout.create.merchant-order-id.alphabet',
    make: refusingCreates(hasText('merchantOrderId', (text) => !/^[A-Za-z0-9]/.test(text))),
  },
  {
    id: 'checkout-id-upper-cased',
    title: 'Writes the merchantOrderId of a checkout order in capital letters when it keeps it.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.create.merchant-order-id.alphabet',
    make: readingCreates((body) => ({ ...body, merchantOrderId: String(body.merchantOrderId).toUpperCase() })),
  },
  {
    id: 'checkout-ids-cut-to-sixty',
    title: 'Cuts the merchantOrderIds of checkout orders down to 60 characters.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.create.merchant-order-id.distinct',
    make: keyedBy('checkout', (id) => id.slice(0, 60)),
  },
  {
    id: 'checkout-ids-without-case',
    title:
      'Keeps the merchantOrderIds of checkout orders in a column that does not tell capital letters from small ones.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.create.merchant-order-id.distinct',
    make: keyedBy('checkout', (id) => id.toLowerCase()),
  },
  ...(
    [
      ['description', 'description'],
      ['user-agent', 'userAgent'],
      ['metadata', 'metadata'],
    ] as const
  ).map(([id, name]): Fault => {
    const { limit, requirement } = lengthLimit('checkout', name, 'maxLength');
    return {
      id: `checkout-${id}-counted-in-bytes`,
      title: `Counts the bytes of a checkout order's ${name}, not its characters.`,
      breaks: requirement,
      caughtBy: 'checkout.create.lengths-in-characters',
      make: refusingCreates(hasText(name, (text) => Buffer.byteLength(text) > limit)),
    };
  }),
  {
    id: 'checkout-description-cut-inside-character',
    title: 'Fails at a description of a checkout order whose 100th byte is not the last one of a character.',
    breaks: 'checkout.create.description.length',
    caughtBy: 'checkout.create.lengths-in-characters',
    make: refusingCreates(hasText('description', endsInside(100)), '99999'),
  },
  {
    id: 'base-not-implemented',
    title: 'Lists Base, and cannot make an order that is paid there.',
    breaks: 'checkout.create.listed-pairs',
    caughtBy: 'checkout.create.listed-pairs',
    make: refusingCreates(({ network }) => network === 'base', '10011'),
  },
  {
    id: 'usd1-not-implemented',
    title: 'Lists USD1, and fails when an order is in it.',
    breaks: 'checkout.create.listed-pairs',
    caughtBy: 'checkout.create.listed-pairs',
    make: refusingCreates((body) => valueAt(body, ['orderAmount', 'currency']) === 'USD1', '99999'),
  },
  {
    id: 'polygon-orders-on-ethereum',
    title: 'Makes orders on Ethereum that were asked for on Polygon, since the addresses are the same.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.create.listed-pairs',
    make: readingCreates((body) => (body.network === 'polygon' ? { ...body, network: 'eth' } : body)),
  },
  {
    id: 'parallel-creates-mixed-up',
    title: 'Keeps the order that it is making where the next create finds it.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.create.listed-pairs',
    make: sharingState(),
  },
  {
    id: 'checkout-callback-url-of-http-refused',
    title: 'Wants https for the callbackUrl of checkout orders too.',
    breaks: 'checkout.create.optional-fields',
    caughtBy: 'checkout.create.address-forms',
    make: refusingCreates(hasText('callbackUrl', (url) => /^http:/i.test(url))),
  },
];

/** Answers each create with the answer to the create that arrived last. */
function sharingState(): Make {
  let last: Promise<ProxyAnswer> | undefined;
  return {
    merchantApi: onlyFor(isCreate, async (request, server) => {
      last = server.forward(request);
      await last;
      return last;
    }),
  };
}

const answers: readonly Fault[] = [
  {
    id: 'checkout-starts-in-processing',
    title: 'Makes checkout orders that are being processed before anybody has paid.',
    breaks: 'checkout.states.initial',
    caughtBy: 'checkout.create.initial-state',
    make: {
      parts: (parts) => ({
        ...parts,
        states: { ...parts.states, checkout: { ...parts.states.checkout, initial: 'PROCESSING' } },
      }),
    },
  },
  {
    id: 'checkout-create-answers-pending',
    title: 'Answers a checkout create with PENDING, as the example of hosted orders does.',
    breaks: 'checkout.states.initial',
    caughtBy: 'checkout.create.initial-state',
    make: showingCreated((view) => ({ ...view, status: 'PENDING' })),
  },
  {
    id: 'checkout-create-without-status',
    title: 'Leaves the status out of the answer to a checkout create.',
    breaks: 'checkout.view.fields',
    caughtBy: 'checkout.create.success-envelope',
    make: showingCreated(({ status: _left, ...view }) => view),
  },
  {
    id: 'deposit-address-comes-later',
    title: 'Answers a checkout create before the order has a deposit address.',
    breaks: 'checkout.view.fields',
    caughtBy: 'checkout.create.success-envelope',
    make: showingCreated((view) => ({ ...view, depositAddress: null })),
  },
  {
    id: 'deposit-address-empty',
    title: 'Answers a checkout create with an empty deposit address.',
    breaks: 'checkout.view.fields',
    caughtBy: 'checkout.create.success-envelope',
    make: showingCreated((view) => ({ ...view, depositAddress: '' })),
  },
  {
    id: 'deposit-address-in-parts',
    title: 'Answers a checkout create with a deposit address in parts.',
    breaks: 'checkout.view.fields',
    caughtBy: 'checkout.create.success-envelope',
    make: showingCreated((view) => ({ ...view, depositAddress: { address: view.depositAddress, memo: null } })),
  },
  {
    id: 'checkout-page-instead-of-address',
    title: 'Answers a checkout create with a checkoutUrl in place of address and amount.',
    breaks: 'checkout.view.fields',
    caughtBy: 'checkout.create.success-envelope',
    make: showingCreated(({ depositAddress: _address, cryptoPaymentAmount: _amount, ...view }) => ({
      ...view,
      checkoutUrl: `https://pay.example/${view.orderId}`,
    })),
  },
  {
    id: 'checkout-success-without-message',
    title: 'Leaves out the message when a checkout order was made.',
    breaks: 'checkout.envelope.success',
    caughtBy: 'checkout.create.success-envelope',
    make: answeringCreates(({ message: _left, ...envelope }) => envelope),
  },
  {
    id: 'checkout-view-beside-code',
    title: "Writes a checkout order's fields beside code and message, not under data.",
    breaks: 'checkout.envelope.success',
    caughtBy: 'checkout.create.success-envelope',
    make: answeringCreates(({ data, ...envelope }) => ({ ...Object(data), ...envelope })),
  },
  {
    id: 'payment-amount-as-text',
    title: 'Writes what is to be paid as text, without its currency.',
    breaks: 'checkout.view.amounts',
    caughtBy: 'checkout.create.success-envelope',
    make: showingCreated((view) => ({ ...view, cryptoPaymentAmount: Object(view.cryptoPaymentAmount).value })),
  },
  {
    id: 'checkout-expiry-in-seconds-left',
    title: 'Writes the seconds that are left as expiresAt.',
    breaks: 'checkout.view.times',
    caughtBy: 'checkout.create.success-envelope',
    make: showingCreated((view) => ({ ...view, expiresAt: 1800 })),
  },
];

const money: readonly Fault[] = [
  {
    id: 'checkout-amounts-kept-as-doubles',
    title: 'Keeps the amounts of checkout orders in binary floating point.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.create.exact-amount',
    make: keepingAmounts('checkout', (value) => String(Number(value))),
  },
  {
    id: 'checkout-amounts-cut-to-six-places',
    title: 'Takes any amount and keeps the six places that the token has.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.create.exact-amount',
    make: keepingAmounts('checkout', (value) => value.replace(/(\.[0-9]{6})[0-9]+$/, '$1')),
  },
  {
    id: 'checkout-amounts-rounded-to-cents',
    title: 'Rounds the amounts of checkout orders to hundredths.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.create.exact-amount',
    make: keepingAmounts('checkout', (value) => Number(value).toFixed(2)),
  },
];

const isEmptyIn = (name: string) => (value: unknown) => isObject(value) && value[name] === '';

/** Optional texts that have no shortest length, each with what finds it empty. */
const emptied: readonly [slug: string, words: string, breaks: RequirementId, refuses: (body: JsonObject) => boolean][] =
  [
    ['description', 'description', 'checkout.create.description.length', isEmptyIn('description')],
    ['user-agent', 'userAgent', 'checkout.create.user-agent.length', isEmptyIn('userAgent')],
    ['customer-ip', 'customerIp', 'checkout.create.customer-ip.length', isEmptyIn('customerIp')],
    [
      'customer-name',
      'name of the customer',
      'checkout.create.optional-fields',
      ({ customer }) => isEmptyIn('name')(customer),
    ],
    ['item-name', 'name of an item', 'checkout.create.optional-fields', ({ items }) => some(items, isEmptyIn('name'))],
  ];

const emptyTexts: readonly Fault[] = emptied.map(([slug, words, breaks, refuses]) => ({
  id: `checkout-empty-${slug}-refused`,
  title: `Refuses a checkout order with an empty ${words}.`,
  breaks,
  caughtBy: 'checkout.create.empty-texts',
  make: refusingCreates(refuses),
}));

const metadata: readonly Fault[] = [
  {
    id: 'checkout-metadata-json-demanded',
    title: 'Wants the metadata of a checkout order to be JSON.',
    breaks: 'checkout.create.metadata.any-text',
    caughtBy: 'checkout.create.metadata.any-text',
    make: refusingCreates(hasText('metadata', (text) => parseJson(text) === undefined)),
  },
  {
    id: 'checkout-metadata-json-object-demanded',
    title: 'Takes other text as the metadata of a checkout order, but no JSON that is not an object.',
    breaks: 'checkout.create.metadata.any-text',
    caughtBy: 'checkout.create.metadata.any-text',
    make: refusingCreates(
      hasText('metadata', (text) => {
        const value = parseJson(text);
        return value !== undefined && !isObject(value);
      }),
    ),
  },
  {
    id: 'checkout-metadata-null-dropped',
    title: 'Takes the metadata null for none.',
    breaks: 'checkout.create.metadata.unchanged',
    caughtBy: 'checkout.create.metadata.any-text',
    make: {
      merchantApi: answeringJson((envelope) => {
        const { metadata, ...data }: JsonObject = Object(envelope.data);
        return metadata === 'null' ? { ...envelope, data } : envelope;
      }),
    },
  },
  {
    id: 'display-name-empty',
    title: 'Answers a checkout create with an empty display name of the network.',
    breaks: 'checkout.view.fields',
    caughtBy: 'checkout.create.success-envelope',
    make: showingCreated((view) => ({ ...view, networkDisplayName: '' })),
  },
  ...(
    [
      ['parsed', 'Answers with the metadata of a checkout order as the JSON that it holds.', parsed],
      [
        'written-again',
        'Writes the metadata of a checkout order anew after reading it.',
        (text) => (parsed(text) === text ? text : JSON.stringify(parsed(text))),
      ],
      [
        'filled-in',
        'Takes the metadata of a checkout order for a pattern whose signs of percent are doubled.',
        (text) => text.replaceAll('%%', '%'),
      ],
      ['trimmed', 'Cuts the space around the metadata of a checkout order.', (text) => text.trim()],
      [
        'escaped',
        'Makes the metadata of a checkout order fit for a page.',
        (text) => text.replaceAll('<', '&lt;').replaceAll('&', '&amp;'),
      ],
    ] satisfies [string, string, (text: string) => unknown][]
  ).map(
    ([id, title, change]): Fault => ({
      id: `checkout-metadata-${id}`,
      title,
      breaks: 'checkout.create.metadata.unchanged',
      caughtBy: 'checkout.create.metadata.unchanged',
      make: {
        merchantApi: showing((view) =>
          typeof view.metadata === 'string' ? { ...view, metadata: change(view.metadata) } : view,
        ),
      },
    }),
  ),
];

/** Wrong servers of what a checkout create takes and answers. */
export const checkoutCreateFaults: readonly Fault[] = [...accepting, ...answers, ...money, ...emptyTexts, ...metadata];
