import type { RequirementId } from '../../../../generated/catalogue.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { isCheckout, isHosted, onlyFor, readingBodies, refusingBodies, showing } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import type { Handler } from '../../stand/proxy.ts';
import { showingRefunds } from '../../stand/refund-changes.ts';

/** Ways in which a text is shown that was taken for a number. */
const mistakes: readonly [name: string, words: string, read: (text: string) => unknown][] = [
  [
    'zeros',
    'without the zeros before its digits',
    (text) => (/^[0-9]+$/.test(text) ? text.replace(/^0+(?=.)/, '') : text),
  ],
  [
    'whole',
    'as a JSON number where it is a whole number of 64 bits',
    (text) => (/^[1-9][0-9]{0,17}$/.test(text) ? Number(text) : text),
  ],
  [
    'exponent',
    'with its exponent written out',
    (text) => (/^[0-9]+e[0-9]+$/.test(text) ? `${BigInt(Number(text))}` : text),
  ],
  [
    'hexadecimal',
    'in decimal digits where it is hexadecimal',
    (text) => (/^0x[0-9a-f]+$/.test(text) ? `${BigInt(text)}` : text),
  ],
];

type Change = (view: JsonObject) => JsonObject;

const servers: readonly {
  operation: string;
  field: string;
  breaks: RequirementId;
  accepted: RequirementId;
  handler: (change: Change) => Handler;
}[] = [
  {
    operation: 'orders.create',
    field: 'merchantOrderId',
    breaks: 'orders.view.echo',
    accepted: 'orders.create.accepted',
    handler: (change) => onlyFor(isHosted, showing(change)),
  },
  {
    operation: 'checkout.create',
    field: 'merchantOrderId',
    breaks: 'checkout.view.echo',
    accepted: 'checkout.create.accepted',
    handler: (change) => onlyFor(isCheckout, showing(change)),
  },
  {
    operation: 'refunds.create',
    field: 'merchantRefundOrderId',
    breaks: 'refunds.record.references',
    accepted: 'refunds.create.accepted',
    handler: showingRefunds,
  },
];

/** Servers that show an id which looks like a number as that number. */
const ids: readonly Fault[] = servers.flatMap(({ operation, field, breaks, handler }) =>
  mistakes.map(([name, words, read]) => ({
    id: `${operation.replace('.', '-')}-id-read-as-number-${name}`,
    title: `Shows a ${field} of ${operation} ${words}.`,
    breaks,
    caughtBy: `${operation}.look-alike-texts`,
    make: {
      merchantApi: handler((view) => ({ ...view, [field]: read(String(view[field])) })),
    },
  })),
);

const whereText = (field: string, change: (text: string) => unknown) => (view: JsonObject) => {
  const text = view[field];
  return typeof text === 'string' ? { ...view, [field]: change(text) } : view;
};

/** Decimal text as a JSON number. */
const asNumber = (text: string) => (/^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : text);

/** Servers that take the merchant's own data for a number, or for nothing. */
const data: readonly Fault[] = [
  {
    id: 'checkout-metadata-as-number',
    title: 'Shows metadata of checkout orders as a JSON number where it is decimal text.',
    breaks: 'checkout.create.metadata.unchanged',
    caughtBy: 'checkout.create.echo.metadata',
    feeds: ['checkout.create.look-alike-texts'],
    make: { merchantApi: onlyFor(isCheckout, showing(whereText('metadata', asNumber))) },
  },
  {
    id: 'checkout-metadata-digits-lost',
    title: 'Shows metadata of checkout orders that is a number of many digits as a double holds it.',
    breaks: 'checkout.create.metadata.unchanged',
    caughtBy: 'checkout.create.echo.metadata',
    feeds: ['checkout.create.look-alike-texts'],
    make: {
      merchantApi: onlyFor(
        isCheckout,
        showing(whereText('metadata', (text) => (/^[0-9]{17,}$/.test(text) ? String(BigInt(Number(text))) : text))),
      ),
    },
  },
  {
    id: 'checkout-metadata-as-sexagesimal',
    title: 'Shows metadata of checkout orders that is a time of day as a number, as YAML reads it.',
    breaks: 'checkout.create.metadata.unchanged',
    caughtBy: 'checkout.create.echo.metadata',
    feeds: ['checkout.create.look-alike-texts'],
    make: {
      merchantApi: onlyFor(
        isCheckout,
        showing(
          whereText('metadata', (text) => {
            const [, hours, minutes, seconds] = /^([0-9]+):([0-9]+):([0-9]+)$/.exec(text) ?? [];
            return hours === undefined ? text : String(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
          }),
        ),
      ),
    },
  },
  {
    id: 'checkout-metadata-stripped-of-nul',
    title: 'Cuts blanks, line ends and NULs off the end of metadata of checkout orders.',
    breaks: 'checkout.create.metadata.unchanged',
    caughtBy: 'checkout.create.echo.metadata',
    feeds: ['checkout.create.look-alike-texts'],
    make: {
      merchantApi: onlyFor(isCheckout, showing(whereText('metadata', (text) => text.replace(/[\s\0]+$/, '')))),
    },
  },
  {
    id: 'refund-extra-data-as-number',
    title: 'Shows extraData as a JSON number where it is decimal text.',
    breaks: 'refunds.record.extra-data',
    caughtBy: 'refunds.create.look-alike-texts',
    make: { merchantApi: showingRefunds(whereText('extraData', asNumber)) },
  },
  {
    id: 'refund-extra-data-fraction-of-zero-dropped',
    title: 'Shows the whole numbers of extraData without a fraction of zero.',
    breaks: 'refunds.record.extra-data',
    caughtBy: 'refunds.create.look-alike-texts',
    make: { merchantApi: showingRefunds(whereText('extraData', (text) => text.replace(/(?<=:\d+)\.0(?=[,}])/g, ''))) },
  },
  {
    id: 'refund-extra-data-repeated-name-dropped',
    title: 'Shows one of two values of extraData that have the same name.',
    breaks: 'refunds.record.extra-data',
    caughtBy: 'refunds.create.look-alike-texts',
    make: { merchantApi: showingRefunds(whereText('extraData', (text) => text.replace(/("a":)1,\1/, '$1'))) },
  },
  {
    id: 'refund-extra-data-zero-left-out',
    title: 'Takes extraData that is the text 0 for none.',
    breaks: 'refunds.record.extra-data',
    caughtBy: 'refunds.create.look-alike-texts',
    make: { merchantApi: showingRefunds(whereText('extraData', (text) => (text === '0' ? undefined : text))) },
  },
];

const trimmed: Fault = {
  id: 'refund-id-trimmed',
  title: 'Shows the ids of refunds without the blanks around them.',
  breaks: 'refunds.record.references',
  caughtBy: 'refunds.create.look-alike-texts',
  make: { merchantApi: showingRefunds(whereText('merchantRefundOrderId', (id) => id.trim())) },
};

const colonsLost: Fault = {
  id: 'refund-id-colon-lost',
  title: 'Shows the ids of refunds without a colon at their beginning, which marks names in its language.',
  breaks: 'refunds.record.references',
  caughtBy: 'refunds.create.look-alike-texts',
  make: { merchantApi: showingRefunds(whereText('merchantRefundOrderId', (id) => id.replace(/^:/, ''))) },
};

const blanksSqueezed: Fault = {
  id: 'refund-id-blanks-squeezed',
  title: 'Shows the ids of refunds with one blank for several.',
  breaks: 'refunds.record.references',
  caughtBy: 'refunds.create.look-alike-texts',
  make: { merchantApi: showingRefunds(whereText('merchantRefundOrderId', (id) => id.replace(/ {2,}/g, ' '))) },
};

/** Characters that a clean-up of texts drops, each of which some server drops alone. */
const dropped: readonly (readonly [slug: string, words: string, character: string])[] = [
  ['del', 'DEL', '\u007f'],
  ['next-line', 'the next line of Latin-1', '\u0085'],
  ['soft-hyphen', 'soft hyphens', '\u00ad'],
  ['zero-width-space', 'spaces of no width', '\u200b'],
  ['line-separator', 'separators of lines', '\u2028'],
  ['byte-order-mark', 'byte order marks', '\ufeff'],
];

/** What a filter of logs hides. */
const hidden: readonly (readonly [slug: string, words: string, pattern: RegExp])[] = [
  ['emails', 'addresses of e-mail', /[\w.]+(?=@[\w.]+\.\w)/g],
  ['card-numbers', 'the numbers of cards', /\b(?:\d{4} ?){3}(?=\d{4}\b)/g],
];

const masked: readonly Fault[] = hidden.map(([slug, words, pattern]) => ({
  id: `checkout-metadata-${slug}-hidden`,
  title: `Hides ${words} in the metadata of checkout orders.`,
  breaks: 'checkout.create.metadata.unchanged',
  caughtBy: 'checkout.create.echo.metadata',
  feeds: ['checkout.create.look-alike-texts'],
  make: { merchantApi: onlyFor(isCheckout, showing(whereText('metadata', (text) => text.replaceAll(pattern, '***')))) },
}));

const cleanedUp: readonly Fault[] = [
  ...dropped.map(([slug, words, character]) => ({
    id: `checkout-metadata-${slug}-dropped`,
    title: `Drops ${words} from the metadata of checkout orders.`,
    breaks: 'checkout.create.metadata.unchanged' as const,
    caughtBy: 'checkout.create.echo.metadata',
    feeds: ['checkout.create.look-alike-texts'],
    make: {
      merchantApi: onlyFor(isCheckout, showing(whereText('metadata', (text) => text.replaceAll(character, '')))),
    },
  })),
  // Control characters are refused in the ids of refunds of the reference server.
  ...dropped
    .filter(([, , character]) => !/\p{Cc}/u.test(character))
    .map(([slug, words, character]) => ({
      id: `refund-id-${slug}-dropped`,
      title: `Drops ${words} from the ids of refunds.`,
      breaks: 'refunds.record.references' as const,
      caughtBy: 'refunds.create.look-alike-texts',
      make: { merchantApi: showingRefunds(whereText('merchantRefundOrderId', (id) => id.replaceAll(character, ''))) },
    })),
];

/** Servers that look for some refunds of a batch query under another id than the one that was asked for. */
const changedInBatches: readonly Fault[] = (
  [
    ['ids-trimmed', 'Cuts the blanks around the ids of a batch query off.', 'look-alike-texts', (id) => id.trim()],
    [
      'ids-unescaped',
      'Takes a backslash in the ids of a batch query for the mark of an escape.',
      'look-alike-texts',
      (id) => id.replaceAll(/\\(.?)/g, '$1'),
    ],
    [
      'null-word',
      'Looks for no refund of a batch query whose id is the word NULL.',
      'words-of-languages',
      (id) => id.replace(/^NULL$/, 'no-id'),
    ],
  ] as const satisfies readonly (readonly [
    slug: string,
    title: string,
    check: string,
    change: (id: string) => string,
  ])[]
).map(([slug, title, check, change]) => ({
  id: `refund-batch-${slug}`,
  title,
  breaks: 'refunds.batch-query.known',
  caughtBy: `refunds.create.${check}`,
  make: {
    merchantApi: readingBodies('refunds.batch-query', (body) => {
      const ids = [body.merchantRefundOrderIds].flat();
      const changed = ids.map((id) => (typeof id === 'string' ? change(id) : id));
      return changed.some((id, index) => id !== ids[index]) ? { ...body, merchantRefundOrderIds: changed } : body;
    }),
  },
}));

/** Servers that keep records in an object of JavaScript, which seems to have some that nobody made. */
const known: readonly Fault[] = servers.map(({ operation, field, accepted }) => ({
  id: `${operation.replace('.', '-')}-id-known-to-objects`,
  title: `Refuses a ${field} of ${operation} under which every object of JavaScript has something.`,
  breaks: accepted,
  caughtBy: `${operation}.words-of-languages`,
  make: {
    merchantApi: refusingBodies(operation, (body) => typeof body[field] === 'string' && body[field] in {}),
  },
}));

/** Servers that take texts for the values that they look like. */
export const lookAlikeTextFaults: readonly Fault[] = [
  ...ids,
  ...known,
  ...data,
  ...masked,
  ...cleanedUp,
  trimmed,
  colonsLost,
  blanksSqueezed,
  ...changedInBatches,
];
