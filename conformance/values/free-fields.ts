import { isObject } from '../contract/json.ts';

// Fields of which the contract says no more than that they are text: every ordinary text is right there.

/** Texts that are ordinary and look different: as short as can be, a number, long, with every mark of a keyboard, and with the words of queries and programs. */
const texts: readonly string[] = [
  'x',
  '0',
  'Notebook, dotted, 120 g paper, with a ribbon and a pocket at the back '.repeat(5).slice(0, 300),
  `O'Neill & Sons (No. 5/7): 50% off, "A+" #1; [b] {c} <3 \\ | ~ ^ _ * = @ ! ? \``,
  // What programs take for places to be filled in.
  '100 %% of %s, %n {0} {name} $1 \\1 %20 &amp; \\n ${shop}',
  // What a filter before a service takes for an attack.
  'Union Select: <script> for beginners -- 1 or 1=1, see ../../etc',
  "Select your gifts from our list; insert into cart, then drop table (sleep(1) && echo ${price} {{7*7}} javascript:alert(1) onload='x')",
];

/** Longer texts, which may have several lines. */
const longerTexts: readonly string[] = [
  ...texts.slice(0, 2),
  'Notebook, dotted, 120 g paper, with a ribbon and a pocket at the back '.repeat(8).slice(0, 500),
  ...texts.slice(3).map((text) => `Two lines:\n${text}`),
];

/** Longer than any field may be that has a bound for a description. */
const longest = 'Notebook, dotted, 120 g paper, with a ribbon and a pocket at the back '.repeat(9).slice(0, 600);
const withLongest = (others: readonly string[]) => [...others.slice(0, 2), longest, ...others.slice(3)];

/** Right values of fields that the contract does not bind further, by the name of the field, each as right as the others. */
const valuesOfField: Readonly<Record<string, readonly string[]>> = {
  customerId: texts,
  name: texts,
  description: longerTexts,
  userAgent: texts,
  'items.description': withLongest(longerTexts),
  refundReason: withLongest(texts),
  email: ['a@b.co', 'ADA@SHOP.EXAMPLE', "ada.o'neill+news@mail.shop.example", `${'a'.repeat(64)}@shop.example`],
  phone: ['112', '+48 22 123 45 67', '(022) 123-45-67', '0048221234567'],
  imageUrl: [
    'https://shop.example/@items/42',
    'http://shop.example/p?id=42&size=large',
    'HTTPS://shop.example/a%20b.webp#front',
    `https://shop.example/${'images/'.repeat(40)}1.avif`,
  ],
  returnUrl: [
    'https://shop.example',
    'http://shop.example/@me/thanks.php?order=42&lang=en&by=ada@shop.example',
    'https://shop.example/#/orders/42',
    'https://shop.example:8443/a%20b?c=d#e',
  ],
};

/**
 * Characters that nobody sees, or that end a line in some languages: a clean-up of texts drops them, or writes a space in their place. DEL, the next line
 * of Latin-1, a soft hyphen, a grapheme joiner, a space of no width, a joiner, a mark of direction, separators of lines and paragraphs, a
 * word joiner, a variant of an emoji, a byte order mark, a mark of replacement and one for private use.
 */
export const unseenCharacters: readonly string[] = [
  ...['\u007f', '\u0085', '\u00ad', '\u034f', '\u200b', '\u200d', '\u202e', '\u2028', '\u2029'],
  ...['\u2060', '\ufe0f', '\ufeff', '\ufffd', '\ue000'],
];

/** A place in a body, and the right values that may stand there. */
export interface FreeField {
  path: readonly string[];
  values: readonly string[];
}

/** The values for a place by the names of its field and of what has it, or by the first alone. */
function valuesAt(path: readonly string[]): readonly string[] | undefined {
  const names = path.filter((step) => !/^[0-9]+$/.test(step));
  return valuesOfField[names.slice(-2).join('.')] ?? valuesOfField[names.at(-1) ?? ''];
}

/** The fields of a body, at any depth, for which there are other right values. */
export function freeFields(value: unknown, path: readonly string[] = []): FreeField[] {
  const values = typeof value === 'string' ? valuesAt(path) : undefined;
  if (values) return [{ path, values }];
  if (Array.isArray(value)) return value.flatMap((each, index) => freeFields(each, [...path, String(index)]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => freeFields(each, [...path, name]));
}

/** How many right values a field has at most. */
export const mostValues = Math.max(...Object.values(valuesOfField).map(({ length }) => length));
