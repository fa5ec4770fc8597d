import type { RequirementId } from '../../../../generated/catalogue.ts';
import { compareDecimals, isDecimalText } from '../../../contract/decimals.ts';
import { setAt, valueAt } from '../../../contract/json.ts';
import { classedValues } from '../../../values/classed-values.ts';
import { ofOtherStructure } from '../../../values/classes/presence.ts';
import { readingBodies, refusingBodies } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { faultOf, inText, judged, keepingRules, misreading, noRules, of } from './misreading.ts';

// Servers that read a value as a careless implementation does: they take what must be refused, and work on with what they made of it.

/** Texts of single characters, held to their pattern wrongly. */
const patterns: readonly Fault[] = of('pattern')
  .filter(({ constraint }) => !/[(]/.test(String(constraint.value)))
  .flatMap((probed) => [
    ...misreading(
      probed,
      'line-feed-taken',
      'Takes a line feed for the end of the text',
      inText((text) => text.replace(/\n$/, '')),
    ),
    ...misreading(
      probed,
      'first-line-read',
      'Holds a single line of the text to its pattern',
      inText((text) => text.split('\n').find((line) => line.length > 3 && !line.includes('!')) ?? text),
    ),
    ...misreading(
      probed,
      'letters-of-all-scripts-taken',
      'Takes letters and digits of every script',
      inText((text) => text.replace(/[^\0-~]/gu, (character) => (/\p{N}/u.test(character) ? '7' : 'A'))),
    ),
    ...misreading(
      probed,
      'case-folded',
      'Compares letters without regard to case in every script, so that the sign of the kelvin is a k',
      inText((text) => text.replaceAll('\u212a', 'k').replaceAll('\u017f', 's')),
    ),
    ...misreading(
      probed,
      'normalised',
      'Normalises text, so that wide forms of letters and digits are the usual ones',
      inText((text) => text.normalize('NFKC')),
    ),
    ...misreading(
      probed,
      'escape-decoded',
      'Decodes escapes in the text',
      inText((text) => text.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))),
    ),
    ...misreading(
      probed,
      'beginning-matched',
      'Looks at no more than the beginning of the text',
      inText((text) => text.replace(/[.,; ].*$/s, '')),
    ),
    ...misreading(
      probed,
      'nul-dropped',
      'Leaves control characters out of the text',
      inText((text) => text.replace(/[\0\r\u007f]/g, '7')),
    ),
  ]);

/** Lists of permitted texts, compared wrongly. */
const lists: readonly Fault[] = of('enum', 'const').flatMap((probed) => {
  const members = [probed.constraint.value].flat().map(String);
  const memberLike = (alike: (member: string, text: string) => boolean) =>
    inText((text) => members.find((member) => alike(member, text)) ?? text);
  return [
    ...misreading(
      probed,
      'case-ignored',
      'Compares without regard to case',
      memberLike((member, text) => member.toLowerCase() === text.toLowerCase()),
    ),
    ...misreading(
      probed,
      'beginning-compared',
      'Compares no further than the member goes',
      memberLike((member, text) => text.startsWith(member)),
    ),
    ...misreading(
      probed,
      'other-lists-taken',
      'Takes members of other lists',
      memberLike((_, text) => /^(US|EXCHANGE_|ON_CHAIN_)/.test(text)),
    ),
    ...misreading(
      probed,
      'names-of-other-platforms-taken',
      'Takes a name of the same kind that other platforms have',
      memberLike((_, text) => ['TUSD', 'EURC', 'BINANCE', 'WALLET_TRANSFER'].includes(text)),
    ),
    ...misreading(
      probed,
      'stems-taken',
      'Takes a member without its last word',
      memberLike((member, text) => member.startsWith(`${text}_`)),
    ),
    ...misreading(
      probed,
      'later-members-taken',
      'Takes a member that its list may have one day',
      memberLike((member, text) => text === member.replace(/_[A-Z]+$/, '_THREE')),
    ),
    ...misreading(
      probed,
      'names-of-refunds-taken',
      'Takes the names that refunds have for ways to pay',
      memberLike((member, text) => [`${member}_PAY`, member.replace(/_[A-Z]+$/, '_PAY')].includes(text)),
    ),
    ...misreading(
      probed,
      'letters-compared',
      'Compares letters and digits only',
      memberLike((member, text) => member.replaceAll('_', '') === text.replace(/[^A-Z0-9]/g, '')),
    ),
    ...misreading(
      probed,
      'last-member-compared-by-its-beginning',
      'Compares no further than the last member goes',
      memberLike((member, text) => member === members.at(-1) && text.startsWith(member)),
    ),
    ...misreading(probed, 'no-text-taken', 'Takes what is no text for a member', (value) =>
      typeof value === 'string' ? value : members[0],
    ),
  ];
});

/** Text that is no number, read as a number. */
const numbers: readonly Fault[] = of('x-decimal.number').flatMap((probed) => [
  ...misreading(
    probed,
    'prefix-read',
    'Reads the number with which a text begins',
    inText((text) => /^[0-9]+(\.[0-9]+)?/.exec(text)?.[0] ?? text),
  ),
  ...misreading(
    probed,
    'separators-dropped',
    'Drops separators between thousands',
    inText((text) => text.replace(/(?<=[0-9])[, '_](?=[0-9]{3})/g, '')),
  ),
  ...keepingRules(
    misreading(
      probed,
      'hexadecimal-read',
      'Reads hexadecimal digits',
      inText((text) => (/^0x/.test(text) ? String(Number(text)) : text)),
    ),
  ),
  ...misreading(
    probed,
    'signs-of-money-dropped',
    'Leaves signs of money and brackets out',
    inText((text) => text.replace(/^[$(]|[)]$/g, '')),
  ),
  ...keepingRules(
    misreading(
      probed,
      'fraction-computed',
      'Computes a fraction',
      inText((text) => (/^[0-9.]+\/2$/.test(text) ? String(Number.parseFloat(text) / 2) : text)),
    ),
  ),
  ...misreading(
    probed,
    'not-a-number-compared',
    'Takes what is neither below nor above a bound',
    inText((text) => (/^-?(NaN|Infinity)$/.test(text) ? '12' : text)),
  ),
]);

/** A field that must be given, with null or another structure for it. */
const presence: readonly Fault[] = of('required')
  .filter(({ constraint }) => constraint.path.at(-1) !== 'acquiringOrderId')
  .flatMap((probed) => {
    const right = valueAt(probed.example, probed.constraint.path);
    const structures = ofOtherStructure(right).map((value) => JSON.stringify(value));
    return [
      ...misreading(probed, 'null-taken', 'Takes null for a value', (value) => (value === null ? right : value)),
      ...misreading(probed, 'structure-taken', 'Takes a value of every structure', (value) =>
        structures.includes(JSON.stringify(value)) ? right : value,
      ),
    ];
  });

/** Texts that are cut to their longest length in silence, or counted without a part of them. */
const lengths: readonly Fault[] = of('maxLength').flatMap((probed) => {
  const ofCounted = (counted: (text: string) => string) =>
    inText((text) => (counted(text).length > Number(probed.constraint.value) ? text : counted(text)));
  return [
    ...misreading(
      probed,
      'cut',
      'Cuts what is too long',
      inText((text) => text.slice(0, Number(probed.constraint.value))),
    ),
    ...misreading(
      probed,
      'marks-not-counted',
      'Counts neither underscores nor hyphens',
      ofCounted((text) => text.replace(/[_-]/g, '')),
    ),
    ...misreading(
      probed,
      'first-of-list-counted',
      'Counts the first address of a list only',
      ofCounted((text) => text.replace(/, .*$/s, '')),
    ),
    ...misreading(
      probed,
      'blanks-at-end-not-counted',
      'Counts no blanks at the end of a text',
      ofCounted((text) => text.trimEnd()),
    ),
    ...misreading(
      probed,
      'escapes-counted-once',
      'Counts an escape of an address as one character',
      ofCounted((text) => text.replace(/%[0-9a-f]{2}/gi, 'x')),
    ),
    ...misreading(
      probed,
      'query-not-counted',
      'Counts an address without its query',
      ofCounted((text) => text.replace(/\?.*$/s, '')),
    ),
    ...misreading(
      probed,
      'usual-port-not-counted',
      'Counts an address without its port where that is the usual one',
      ofCounted((text) => text.replace(/^(https:\/\/[^/:]+):443/, '$1')),
    ),
  ];
});

/** Ids of which some are held to no least length. */
const shortIds: readonly Fault[] = of('minLength').flatMap((probed) => [
  ...misreading(
    probed,
    'short-with-underscore-taken',
    'Takes a text of any length that has an underscore',
    inText((text) => (text.includes('_') ? text.padEnd(Number(probed.constraint.value), '0') : text)),
  ),
  ...misreading(
    probed,
    'short-of-digits-taken',
    'Takes a text of more than one character and any length that has digits only',
    inText((text) => (/^[0-9]{2,}$/.test(text) ? text.padEnd(Number(probed.constraint.value), '0') : text)),
  ),
]);

const quantities: readonly Fault[] = of('type').flatMap((probed) =>
  Object.entries({ floor: Math.floor, ceil: Math.ceil, round: Math.round }).flatMap(([name, whole]) =>
    misreading(probed, `${name}-of-fraction`, `Takes a fraction, rounded (${name})`, (value) =>
      typeof value === 'number' ? whole(value) : value,
    ),
  ),
);

const places: readonly Fault[] = of('pattern')
  .filter(({ constraint }) => constraint.requirement === 'orders.amount.decimal-places')
  .flatMap((probed) =>
    misreading(
      probed,
      'places-rounded',
      'Rounds to 18 decimal places',
      inText((text) => text.replace(/^([0-9]+\.[0-9]{18})[0-9]+$/, '$1')),
    ),
  );

/** Texts that are read without what stands beside them. */
const trimmed: readonly Fault[] = of('format', 'anyOf', 'enum', 'const', 'pattern', 'x-decimal.number').flatMap(
  (probed) => [
    ...misreading(
      probed,
      'blanks-cut-off',
      'Cuts blanks, tabs and line ends around the text off',
      inText((text) => text.trim()),
    ),
    ...misreading(
      probed,
      'tabs-cut-off',
      'Cuts tabs before and behind the text off',
      inText((text) => text.replace(/^\t+|\t+$/g, '')),
    ),
  ],
);

/** Servers with a rule for the characters of a text whose only rule is its length. */
const inventedRules: readonly Fault[] = of('maxLength').flatMap((probed) => {
  const { constraint, example } = probed;
  const isRight = classedValues(probed, example).some(({ valueClass }) => valueClass.id === 'length.other-characters');
  const refusing = (name: string, title: string, refused: RegExp): Fault => {
    const refuses = (body: unknown) => refused.test(String(valueAt(body, constraint.path) ?? ''));
    return faultOf(constraint, name, title, { merchantApi: refusingBodies(constraint.operation, refuses) });
  };
  if (!isRight) return [];
  return [
    refusing('dots-refused', 'Refuses a text of two parts with a dot between them', /^[A-Z]\.[^. ]+$/),
    refusing('blanks-refused', 'Refuses a text of two short parts with a blank between them', /^[A-Z] [0-9]$/),
    refusing('marks-refused', 'Refuses a text with marks of pages and paths', /[<>\\]/),
  ];
});

/** Lists of which only the first entries are looked at. */
const entries: readonly Fault[] = judged
  .filter(({ constraint: { path } }) => path.includes('*'))
  .flatMap(({ constraint }) => {
    const list = constraint.path.slice(0, constraint.path.indexOf('*'));
    const withFirst = (count: number) => (body: unknown) => {
      const all = valueAt(body, list);
      return Array.isArray(all) ? setAt(body, list, all.slice(0, count)) : body;
    };
    const lookingAt = (count: number, name: string, words: string) =>
      faultOf(constraint, `${name}-checked`, `Looks at the first ${words} of a list only`, {
        parts: noRules,
        merchantApi: readingBodies(constraint.operation, withFirst(count)),
      });
    return [
      lookingAt(1, 'first-entry', 'entry'),
      // A list of texts has no more than two in a check.
      ...(constraint.path.at(-1) === '*' ? [] : [lookingAt(10, 'first-ten-entries', 'ten entries')]),
    ];
  });

/** A single fault of a value in hosted creates. */
const single = (id: string, title: string, breaks: RequirementId, caughtBy: string, make: Fault['make']): Fault => ({
  id,
  title,
  breaks,
  caughtBy,
  make,
});

const readsTime = (name: string, title: string, test: RegExp): Fault[] =>
  of('format').flatMap((probed) =>
    misreading(
      probed,
      name,
      title,
      inText((text) => (test.test(text) ? new Date(Date.now() + 3_600_000).toISOString() : text)),
    ),
  );

/** The time that a text shows when what is beyond the range of its part is carried over, where the text is of this form. */
const carried = (form: RegExp) => (text: string) => {
  const [, day, hours, minutes, seconds] = /^(.{10})T([0-9]+):([0-9]+):([0-9.]+)Z$/.exec(text) ?? [];
  if (!form.test(text) || day === undefined) return text;
  const time = Date.parse(day) + ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return Number.isNaN(time) ? text : new Date(time).toISOString();
};

const others: readonly Fault[] = [
  ...readsTime('mail-date-taken', 'Reads every date that a library can read', /^[A-Z][a-z]{2}, /),
  ...readsTime('count-of-milliseconds-taken', 'Reads a count of milliseconds', /^[0-9]{13}$/),
  ...readsTime('offset-beyond-range-taken', 'Takes an offset that no zone has', /[+-](25:00|00:60)$/),
  ...of('format').flatMap((probed) =>
    keepingRules([
      ...misreading(probed, 'minute-60-taken', 'Takes a minute 60 for the next hour', inText(carried(/:60:00Z$/))),
      ...misreading(probed, 'second-61-taken', 'Takes a second 61 for the next minute', inText(carried(/:61Z$/))),
      ...misreading(
        probed,
        'hours-carried-over',
        'Takes an hour beyond 24 for one of the next day',
        inText(carried(/T(2[5-9]|[34][0-9]):/)),
      ),
    ]),
  ),
  ...readsTime('day-rolled-over', 'Moves a day that does not exist to the next month', /-(02-29|02-30|04-31|32)T/),
  single(
    'split-amount-as-double',
    'Compares the parts of a split as doubles.',
    'orders.create.sub-merchants.amount-minimum',
    'orders.create.subMerchants.amount.exclusiveMinimum',
    {
      merchantApi: refusingBodies('orders.create', ({ subMerchants }) =>
        [subMerchants].flat().some((part) => {
          const amount = valueAt(part, ['amount']);
          return isDecimalText(amount) && Number(amount) <= 0.01 && compareDecimals(amount, '0.01') > 0;
        }),
      ),
    },
  ),
  ...of('x-decimal.maximum').flatMap((probed) =>
    misreading(
      probed,
      'as-double',
      'Compares as doubles',
      inText((text) => (Number(text) === 1 ? '1' : text)),
    ),
  ),
  ...of('x-decimal.maximum').flatMap((probed) =>
    misreading(
      probed,
      'with-18-places',
      'Compares no more than 18 decimal places',
      inText((text) => text.replace(/^(1\.0{18})[0-9]+$/, '$1')),
    ),
  ),
  ...of('x-decimal.minimum').flatMap((probed) =>
    misreading(
      probed,
      'with-18-places',
      'Compares no more than 18 decimal places',
      inText((text) => text.replace(/^-(0\.0{18})[0-9]+$/, '$1')),
    ),
  ),
  ...of('anyOf').flatMap((probed) => [
    ...misreading(
      probed,
      'octets-unbounded',
      'Takes four numbers of any size for an address',
      inText((text) => (/^([0-9]{1,3}\.){3}[0-9]{1,3}$/.test(text) ? '203.0.113.7' : text)),
    ),
    ...misreading(
      probed,
      'colons-taken',
      'Takes hexadecimal digits and colons for an address',
      inText((text) => (/^[0-9a-f:]+$/.test(text) ? '2001:db8::1' : text)),
    ),
    ...misreading(
      probed,
      'words-of-proxies-taken',
      'Takes what proxies write where they know no address, and nothing',
      inText((text) => (['unknown', '-', ''].includes(text) ? '203.0.113.7' : text)),
    ),
    ...misreading(
      probed,
      'first-of-list-taken',
      'Takes the first address of a list, or the one before a zone',
      inText((text) => text.replace(/(, |%).*$/, '')),
    ),
  ]),
];

/** Servers that misread values. */
export const valueFaults: readonly Fault[] = [
  ...[...patterns, ...lists, ...numbers, ...presence, ...lengths, ...shortIds],
  ...[...quantities, ...places, ...trimmed, ...inventedRules, ...entries, ...others],
];
