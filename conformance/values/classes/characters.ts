import { isDecimalText } from '../../contract/decimals.ts';
import { besideIt, type ConstrainedValue, type ValueClass } from './value-class.ts';

/** Where in a text a character is put. */
type Place = 'beginning' | 'middle' | 'end';
const places: readonly Place[] = ['middle', 'beginning', 'end'];

/** The text with the character at a place replaced. */
function replacedAt(text: string, place: Place, character: string, random: () => number): string {
  const characters = [...text];
  const inner = Math.max(characters.length - 2, 0);
  const index = {
    beginning: 0,
    middle: Math.min(1 + Math.floor(random() * inner), characters.length - 1),
    end: characters.length - 1,
  };
  characters[index[place]] = character;
  return characters.join('');
}

/** Patterns of texts made of single characters, such as ids and codes: neither decimal text nor addresses. */
const isOfCharacters = ({ constraint: { value } }: ConstrainedValue) => {
  const pattern = new RegExp(String(value));
  return !pattern.test('0.5') && !pattern.test('https://shop.example/');
};

const keeps = ({ constraint: { value } }: ConstrainedValue, text: string) => new RegExp(String(value)).test(text);

const printable = Array.from({ length: 0x7e - 0x21 + 1 }, (_, index) => String.fromCharCode(0x21 + index));

/** The printable ASCII characters that may not stand in the text, but whose neighbour in ASCII may. */
function neighbours(of: ConstrainedValue): string[] {
  const text = String(of.sample);
  const permitted = (code: number) =>
    keeps(
      of,
      replacedAt(text, 'end', String.fromCharCode(code), () => 0),
    );
  return printable.filter((character) => {
    const code = character.charCodeAt(0);
    return !permitted(code) && (permitted(code - 1) || permitted(code + 1));
  });
}

/** The printable ASCII characters that may stand in the text, but one of whose neighbours in ASCII may not. */
function rangeEnds(of: ConstrainedValue): string[] {
  const text = String(of.sample);
  const permitted = (code: number) => keeps(of, replacedAt(text, 'end', String.fromCharCode(code), of.random));
  return printable.filter((character) => {
    const code = character.charCodeAt(0);
    return permitted(code) && !(permitted(code - 1) && permitted(code + 1));
  });
}

/** A class of characters that are put into a text. The first stands at every place, each further one at the next place. */
const characterClass = (
  name: string,
  title: string,
  derivation: string,
  characters: (of: ConstrainedValue) => readonly string[],
): ValueClass => ({
  id: `text.${name}`,
  title,
  keywords: ['pattern'],
  derivation,
  make: (of) => {
    if (!isOfCharacters(of)) return [];
    const [first, ...others] = characters(of);
    if (first === undefined) return [];
    const put = (character: string, place: Place) => replacedAt(String(of.sample), place, character, of.random);
    return [
      ...places.map((place) => put(first, place)),
      ...others.map((character, index) => put(character, places[index % places.length] ?? 'middle')),
    ];
  },
});

/** A class of whole texts that are made from the sample. */
const textClass = (
  name: string,
  title: string,
  derivation: string,
  change: (text: string) => string[],
): ValueClass => ({
  id: `text.${name}`,
  title,
  keywords: ['pattern'],
  derivation,
  make: (of) => (isOfCharacters(of) ? change(String(of.sample)) : []),
});

/** The text in the wide forms of its letters, digits and marks, which compatibility normalisation (NFKC) takes for the text itself. */
export const inWideForms = (text: string): string =>
  text.replace(/[!-~]/g, (character) => String.fromCodePoint(character.charCodeAt(0) + 0xfee0));

const blanksInside = characterClass('blank', 'text with a blank', '', () => [' ', '\t', '\u00a0']);

/** Texts of a pattern: characters that it does not permit, and too few or too many of those that it permits. */
export const characterClasses: readonly ValueClass[] = [
  characterClass(
    'punctuation',
    'text with a mark that is not permitted',
    'A dot stands at each place of the text, and further marks of paths, markup and queries at one place each.',
    () => ['.', '!', '/', '\\', '%', '"', "'", '<', '&', '+', '*', '#', '~'],
  ),
  textClass(
    'wildcard',
    'text with the wildcard of a search',
    'A wildcard of SQL or of file names stands for the last character, and one for the whole text.',
    (text) => [`${text.slice(0, -1)}%`, '%', `${text.slice(0, -1)}*`],
  ),
  characterClass(
    'neighbour',
    'text with a character next to a permitted range',
    'The neighbours in ASCII of permitted characters stand in the text.',
    neighbours,
  ),
  {
    ...blanksInside,
    derivation:
      'A space stands at each place, a tab and a no-break space at one each, and a space, a tab or a line feed before the right text, behind it, or on both sides.',
    make: (of) => [...blanksInside.make(of), ...(isOfCharacters(of) ? besideIt(String(of.sample)) : [])],
  },
  characterClass(
    'control-character',
    'text with a control character',
    'NUL stands at each place, and further control and invisible characters at one each.',
    () => ['\0', '\r', '\n', '\u007f', '\u200b', '\ufeff'],
  ),
  characterClass(
    'other-script',
    'text with a letter or digit of another script',
    'Letters and digits of other scripts stand in the text, those that a comparison without regard to case takes for k and s, and one character beyond the basic plane.',
    () => ['ż', '٣', '３', 'Ａ', 'а', 'é', '𝟗', '\u212a', '\u017f'],
  ),
  textClass(
    'escaped',
    'text with a character that is written as an escape',
    'The first character is written as an escape of addresses, of HTML and of JSON: a reader that decodes once too often finds the right text.',
    (text) => {
      const code = text.charCodeAt(0);
      const hexadecimal = code.toString(16).padStart(2, '0');
      return [`%${hexadecimal}`, `&#${code};`, `\\u00${hexadecimal}`].map((written) => written + text.slice(1));
    },
  ),
  textClass(
    'wide',
    'the right text in wide forms of its letters and digits',
    'Every character stands in its wide form: a reader or a database that normalises text finds the right one.',
    (text) => [inWideForms(text)],
  ),
  textClass(
    'more-behind',
    'the right text with more behind it',
    'A mark and more text stand behind the right text: a reader of its beginning finds that.',
    (text) => [`${text}.5`, `${text}.json`, `${text},0`, `${text};x`, `${text} x`, `${text}\0x`],
  ),
  textClass(
    'line-feed-at-end',
    'text with a line feed at its end',
    'A line feed is appended to the right text, or stands for its last character.',
    (text) => [`${text}\n`, `${text.slice(0, -1)}\n`],
  ),
  textClass(
    'second-line',
    'text with a second line',
    'A line that keeps the rule stands beside one that breaks it.',
    (text) => [`${text.slice(0, -3)}\n!!`, `!!\n${text.slice(3)}`],
  ),
  {
    id: 'text.other-case',
    title: 'text in letters of the other case',
    keywords: ['pattern'],
    derivation:
      'Capital letters become small ones; in an id without a form of its own, small ones become capitals as well.',
    make: (of) => (isOfCharacters(of) && !keeps(of, 'a'.repeat(4)) ? [String(of.sample).toLowerCase()] : []),
  },
  {
    id: 'text.letter-for-digit',
    title: 'text with a letter in the place of a digit',
    keywords: ['pattern'],
    derivation: 'A letter stands at each place of a text of digits.',
    make: (of) =>
      isOfCharacters(of) &&
      !keeps(
        of,
        replacedAt(String(of.sample), 'end', 'a', () => 0),
      )
        ? places.map((place) => replacedAt(String(of.sample), place, 'a', of.random))
        : [],
  },
  {
    id: 'text.number-form',
    title: 'a number in another form than digits',
    keywords: ['pattern'],
    derivation:
      'A sign, a point, an exponent or the mark of hexadecimal digits stands in a text of digits, within its length; and the same number is written with a sign, zeros, a fraction, an exponent, separators or other digits.',
    make: (of) => {
      const digits = String(of.sample);
      if (!isOfCharacters(of) || !/^[0-9]{4,}$/.test(digits)) return [];
      const [most, thousand] = [digits.slice(0, -3), digits.slice(-3)];
      return [
        `+${digits}`,
        `0${digits}`,
        `${digits}.0`,
        `${most}.${thousand}e3`,
        `${most},${thousand}`,
        `${most}_${thousand}`,
        `${most} ${thousand}`,
        `0x${BigInt(digits).toString(16)}`,
        `+${digits.slice(1)}`,
        `-${digits.slice(1)}`,
        `${digits.slice(0, -2)}.0`,
        `${digits.slice(0, -2)}e1`,
        `0x${digits.slice(2)}`,
      ];
    },
  },
  {
    id: 'text.permitted-character',
    title: 'text with another permitted character',
    keywords: ['pattern'],
    derivation:
      'Each character at an end of a permitted range stands first in the text and last, such as 0 in a code of digits.',
    keeps: true,
    make: (of) => {
      if (!isOfCharacters(of)) return [];
      return rangeEnds(of).flatMap((character) =>
        (['beginning', 'end'] as const).map((place) => replacedAt(String(of.sample), place, character, of.random)),
      );
    },
  },
  {
    id: 'text.lowest-and-highest-number',
    title: 'a low or a high number in a code of digits',
    keywords: ['pattern'],
    derivation:
      'Zeros stand before 1 and 42 in the place of the digits, and zeros and nines in the place of all of them: a code of digits is no number.',
    keeps: true,
    make: (of) => {
      const digits = String(of.sample);
      if (!isOfCharacters(of) || !/^[0-9]{3,}$/.test(digits) || keeps(of, `${digits.slice(1)}a`)) return [];
      return ['0', '1', '42'].map((number) => number.padStart(digits.length, '0')).concat('9'.repeat(digits.length));
    },
  },
  textClass('shorter', 'text that is one character too short', 'The last character is left out.', (text) => [
    text.slice(0, -1),
  ]),
  textClass(
    'longer',
    'text that is one character too long',
    'The last character stands twice, and the whole text stands twice.',
    (text) => [`${text}${text.slice(-1)}`, `${text}${text}`],
  ),
  {
    id: 'text.empty',
    title: 'empty text in a required field',
    keywords: ['pattern'],
    derivation: 'No character is left.',
    make: (of) => (of.isRequired && isOfCharacters(of) ? [''] : []),
  },
];

const tail = (text: string, length: number) => (length > 0 ? text.slice(-length) : '');

/** The text made longer where free text may stand: JSON stays JSON, an address stays one, and an amount the same amount. */
function grown(sample: unknown, length: number): string {
  const text = String(sample);
  if (isDecimalText(sample)) return text.padStart(length, '0');
  if (!text.startsWith('{')) return text.padEnd(length, 'a');
  return JSON.stringify({ text: 'a'.repeat(length - '{"text":""}'.length) });
}

/** The same of other characters: bytes are counted where there are more of them than characters, and a text that is escaped or left out is not counted. */
function filledWith(character: string, sample: unknown, length: number): string[] {
  const text = String(sample);
  if (isDecimalText(sample) || (text.startsWith('{') && character === '"')) return [];
  if (!text.startsWith('{')) return [text.padEnd(length, character)];
  return [grown(sample, length).replace(/a{2,}/, (run) => character.repeat(run.length))];
}

const isAddress = (sample: unknown): boolean => /^https?:/.test(String(sample));

/** A host of as many characters as a name may have: three labels of the greatest length, and a shorter one, before the last. */
const longHost = [
  ...Array.from({ length: 3 }, () => 'a'.repeat(63)),
  'a'.repeat(253 - 3 * 64 - '.example'.length),
  'example',
];

/**
 * Addresses of so many characters with escapes, with a query, without a path, with escapes in the query behind a long host, and with the port that
 * need not be named: a careless count takes an escape for one character, leaves the query out, or counts what a library has made of the address.
 */
function otherLongAddresses(sample: unknown, length: number): string[] {
  const [address = ''] = String(sample).split(/[?#]/);
  const [origin = ''] = /^https?:\/\/[^/]+/.exec(address) ?? [];
  const escapes = '/%C5%BC'.repeat(Math.max(0, Math.floor((length - address.length) / '/%C5%BC'.length)));
  const withPort = origin.startsWith('https:') ? [`${origin}:443/`] : [];
  const ofLongHost = `https://${longHost.join('.')}/?list=`;
  const escapedQuery = `${ofLongHost}${'%2C'.repeat(Math.max(0, Math.floor((length - ofLongHost.length) / '%2C'.length)))}`;
  return [`${address}${escapes}`, `${address}?list=`, `${origin}?list=`, escapedQuery, ...withPort].map((begun) =>
    begun.padEnd(length, 'a'),
  );
}

/** An address of so many characters, most of which are its fragment. */
const withLongFragment = (sample: unknown, length: number) =>
  `${String(sample).replace(/#.*$/, '')}#`.padEnd(length, 'a');

/** The address is one to which a browser goes. Nothing is sent to the fragment of another one, which a target need not take. */
const isForBrowsers = ({ path }: ConstrainedValue['constraint']) => path?.at(-1) === 'returnUrl';

/** Short texts with every mark of ASCII between them: who takes a text for an id, a name or a path of their own refuses one of them. */
const textsOfMarks = ['S.1', 'S 1', 'S/1:2', '#1 (A&B), +*=?@!', `'S' "1" <2> [3];`, '\\{4}|~^`$5% _-'];

/** The field is an id, which most often may have letters, digits, underscores and hyphens. */
const isId = ({ path }: ConstrainedValue['constraint']) => /Id$/.test(path?.at(-1) ?? '');

/** Texts of so many characters in which each kind stands that an id may have: a rule may be held only for ids without one of them. */
const ofEachKind = (length: number): string[] =>
  length < 2 ? [] : ['a_b', 'a-b', 'AB', '01', 'aB'].map((text) => text.repeat(length).slice(0, length));

/** What a proxy makes of the address of a payer who comes over several: a list, of so many characters at least. */
const listsOf = ({ path }: ConstrainedValue['constraint'], length: number): string[] =>
  path?.at(-1) === 'customerIp'
    ? ['203.0.113.7', '2001:db8::17'].map((address) =>
        Array.from({ length: Math.ceil(length / address.length) }, () => address).join(', '),
      )
    : [];

/** Lengths of texts, in characters. */
export const lengthClasses: readonly ValueClass[] = [
  {
    id: 'length.at-bound',
    title: 'text of a permitted length, at the bound',
    keywords: ['minLength', 'maxLength'],
    derivation:
      'The text is cut or filled to exactly as many characters as the bound says, and one within it. A text of one character is 0, which is a text like any other. The length of an address lies in its path, its escapes, its query and its host in turn, and in the fragment of one to which a browser goes.',
    keeps: true,
    make: ({ constraint, sample }) => {
      const { keyword, value } = constraint;
      const bound = Number(value);
      if (keyword === 'minLength')
        return [bound === 1 ? '0' : tail(String(sample), bound), tail(String(sample), bound + 1)];
      return [
        grown(sample, bound),
        grown(sample, bound - 1),
        ...(isAddress(sample) ? otherLongAddresses(sample, bound) : []),
        ...(isAddress(sample) && isForBrowsers(constraint) ? [withLongFragment(sample, bound)] : []),
      ];
    },
  },
  {
    id: 'length.other-characters',
    title: 'text of a permitted length, of any characters of ASCII',
    keywords: ['maxLength'],
    derivation:
      'Dots, blanks, slashes and every other mark of a keyboard stand in the text, where its length is the only rule that it has.',
    keeps: true,
    make: ({ constraint, sample }) =>
      isAddress(sample) || isDecimalText(sample)
        ? []
        : textsOfMarks.map((text) => text.slice(0, Number(constraint.value))),
  },
  {
    id: 'length.too-short',
    title: 'text that is too short',
    keywords: ['minLength'],
    derivation:
      'The text is cut to one character fewer than the bound, to one character and to none; an id is made as short, and of three characters, with each kind of character that it may have.',
    make: ({ constraint, sample, isRequired }) => {
      const fewer = Number(constraint.value) - 1;
      const ofKinds = isId(constraint) ? [fewer, Math.min(fewer, 3)].flatMap(ofEachKind) : [];
      const shorter = [tail(String(sample), fewer), tail(String(sample), 1), ...ofKinds];
      return isRequired ? [...shorter, ''] : shorter;
    },
  },
  {
    id: 'length.too-long',
    title: 'text that is too long',
    keywords: ['maxLength'],
    derivation:
      'The text is filled to one character more than the bound, and to twice as many; an address with escapes, with a query, with a long host, with a fragment, without a path or with the usual port to one more, and every other text with blanks, with letters of another script and with quotation marks at its end; an id is made as long with each kind of character that it may have, and the addresses of a payer as a list of them.',
    make: ({ constraint, sample }) => {
      const bound = Number(constraint.value);
      const otherwise = isAddress(sample)
        ? [...otherLongAddresses(sample, bound + 1), withLongFragment(sample, bound + 1)]
        : [
            String(sample).padEnd(bound + 1, ' '),
            ...['ż', '"'].flatMap((character) => filledWith(character, sample, bound + 1)),
            ...listsOf(constraint, bound + 1),
            ...(isId(constraint) ? ofEachKind(bound + 1) : []),
          ];
      return [grown(sample, bound + 1), grown(sample, bound * 2), ...otherwise];
    },
  },
  {
    id: 'length.beyond-basic-plane',
    title: 'text of the longest permitted length in characters beyond the basic plane',
    keywords: ['maxLength'],
    derivation:
      'As many characters as the bound says, each of which takes two units of UTF-16 and four bytes of UTF-8.',
    free: 'field-forms',
    make: ({ constraint, sample }) =>
      isAddress(sample) || String(sample).startsWith('{') || isDecimalText(sample)
        ? []
        : ['🧾'.repeat(Number(constraint.value))],
  },
];
