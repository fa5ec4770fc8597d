import { isObject } from '../../../../contract/json.ts';
import {
  bodyOf,
  endsInside,
  hasText,
  isHostedCreate,
  orderCreateSchema,
  readingCreates,
  refusal,
  refusingBodies,
  refusingCreates,
  withSchema,
} from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';
import type { Handler } from '../../../stand/proxy.ts';
import { longest } from './lengths.ts';

/** Refuses a create whose field is too long, but makes the order. */
function makingWhatItRefuses(field: string): Handler {
  const most = longest(field);
  const shortened = readingCreates((body) => {
    const value = body[field];
    return typeof value === 'string' && value.length > most ? { ...body, [field]: value.slice(0, most) } : body;
  });
  return async (request, server) => {
    const value = isHostedCreate(request) ? bodyOf(request)?.[field] : undefined;
    const answer = await shortened(request, server);
    const tooLong = typeof value === 'string' && value.length > most;
    return tooLong ? refusal(request, '10001', `${field}: is too long`) : answer;
  };
}

/** Whether an address has a part that is longer than a short column of a database takes. */
const isLongIn = (part: 'hash' | 'search' | 'hostname', most: number) => (text: string) =>
  URL.canParse(text) && new URL(text)[part].length > most;

/** Parts of an address, in words, with a test of addresses whose part is long. */
const longParts: readonly (readonly [id: string, words: string, isLong: (text: string) => boolean])[] = [
  ['host', 'host is longer than 100 characters', isLongIn('hostname', 100)],
  ['query', 'query is longer than 255 characters', isLongIn('search', 255)],
  ['escapes', 'query has more than 255 escapes', (text) => (text.split('?')[1]?.match(/%/g)?.length ?? 0) > 255],
];

/** Refuses addresses of a permitted length for the length of one of their parts. */
const longPartsRefused: readonly Fault[] = (
  [
    ['return-url', 'returnUrl', 'orders.create.return-url.length'],
    ['callback-url', 'callbackUrl', 'orders.create.callback-url.length'],
  ] as const
).flatMap(([slug, field, breaks]) => {
  const fragments = ['fragment', 'fragment is longer than 255 characters', isLongIn('hash', 255)] as const;
  return [...longParts, ...(field === 'returnUrl' ? [fragments] : [])].map(
    ([id, words, isLong]): Fault => ({
      id: `${slug}-long-${id}-refused`,
      title: `Refuses a ${field} whose ${words}.`,
      breaks,
      caughtBy: `orders.create.${field}.maxLength`,
      make: { merchantApi: refusingCreates(hasText(field, isLong)) },
    }),
  );
});

/** Wrong servers that count, cut or limit the texts of a create wrongly. */
export const orderCreateTextFaults: readonly Fault[] = [
  ...longPartsRefused,
  {
    id: 'empty-user-agent-refused',
    title: 'Refuses an empty userAgent.',
    breaks: 'orders.create.user-agent.length',
    caughtBy: 'orders.create.empty-texts',
    make: { parts: withSchema(`${orderCreateSchema}/properties/userAgent`, { minLength: 1 }) },
  },
  {
    id: 'empty-description-refused',
    title: 'Refuses an empty description.',
    breaks: 'orders.create.description.length',
    caughtBy: 'orders.create.empty-texts',
    make: { parts: withSchema(`${orderCreateSchema}/properties/description`, { minLength: 1 }) },
  },
  {
    id: 'empty-customer-name-refused',
    title: 'Refuses an empty name of the customer.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.empty-texts',
    make: { merchantApi: refusingCreates(({ customer }) => isObject(customer) && customer.name === '') },
  },
  {
    id: 'empty-customer-phone-refused',
    title: 'Refuses an empty phone of the customer.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.empty-texts',
    make: { merchantApi: refusingCreates(({ customer }) => isObject(customer) && customer.phone === '') },
  },
  {
    id: 'refused-description-makes-order',
    title: 'Says that a description is too long, and makes the order.',
    breaks: 'orders.errors.refused',
    caughtBy: 'orders.create.description.maxLength',
    make: { merchantApi: makingWhatItRefuses('description') },
  },
  {
    id: 'refused-user-agent-makes-order',
    title: 'Says that a userAgent is too long, and makes the order.',
    breaks: 'orders.errors.refused',
    caughtBy: 'orders.create.userAgent.maxLength',
    make: { merchantApi: makingWhatItRefuses('userAgent') },
  },
  {
    id: 'callback-url-counted-as-rewritten',
    title: 'Counts a callbackUrl as a library rewrites it, with a slash behind a host that has no path.',
    breaks: 'orders.create.callback-url.length',
    caughtBy: 'orders.create.callbackUrl.maxLength',
    make: {
      merchantApi: refusingCreates(
        hasText('callbackUrl', (text) => URL.canParse(text) && new URL(text).href.length > longest('callbackUrl')),
      ),
    },
  },
  ...(
    [
      ['description', 'description', 'orders.create.description.length'],
      ['user-agent', 'userAgent', 'orders.create.user-agent.length'],
    ] as const
  ).map(
    ([id, field, breaks]): Fault => ({
      id: `${id}-counted-in-bytes`,
      title: `Counts the bytes of ${field}, not its characters.`,
      breaks,
      caughtBy: 'orders.create.lengths-in-characters',
      make: { merchantApi: refusingCreates(hasText(field, (text) => Buffer.byteLength(text) > longest(field))) },
    }),
  ),
  {
    id: 'sub-merchant-name-counted-in-bytes',
    title: "Counts the bytes of a sub-merchant's name, not its characters.",
    breaks: 'orders.create.sub-merchants.name-length',
    caughtBy: 'orders.create.lengths-in-characters',
    make: {
      merchantApi: refusingCreates(({ subMerchants }) =>
        [subMerchants]
          .flat()
          .some((part) => Buffer.byteLength(String(Object(part).name)) > longest('subMerchants.name')),
      ),
    },
  },
  {
    id: 'metadata-counted-in-bytes',
    title: 'Counts the bytes of metadata, not its characters.',
    breaks: 'orders.create.metadata.length',
    caughtBy: 'orders.create.lengths-in-characters',
    make: {
      merchantApi: refusingCreates(hasText('metadata', (text) => Buffer.byteLength(text) > longest('metadata'))),
    },
  },
  {
    id: 'description-cut-inside-character',
    title: 'Fails at a description whose 100th byte is not the last one of a character.',
    breaks: 'orders.create.description.length',
    caughtBy: 'orders.create.lengths-in-characters',
    make: { merchantApi: refusingBodies('orders.create', hasText('description', endsInside(100)), '99999') },
  },
  {
    id: 'return-url-fragment-not-counted',
    title: 'Does not count the fragment of a returnUrl.',
    breaks: 'orders.create.return-url.length',
    caughtBy: 'orders.create.returnUrl.maxLength',
    make: {
      merchantApi: readingCreates((body) =>
        hasText('returnUrl', (text) => text.includes('#'))(body)
          ? { ...body, returnUrl: String(body.returnUrl).split('#')[0] }
          : body,
      ),
    },
  },
  {
    id: 'lengths-cut-silently',
    title: 'Cuts a returnUrl that is too long and takes the order.',
    breaks: 'orders.create.return-url.length',
    caughtBy: 'orders.create.returnUrl.maxLength',
    make: {
      merchantApi: readingCreates((body) =>
        hasText('returnUrl', (text) => text.length > longest('returnUrl'))(body)
          ? { ...body, returnUrl: String(body.returnUrl).slice(0, longest('returnUrl')) }
          : body,
      ),
    },
  },
];
