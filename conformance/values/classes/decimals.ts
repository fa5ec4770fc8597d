import { addDecimals, subtractDecimals } from '../../contract/decimals.ts';
import { besideIt, type ConstrainedValue, type ValueClass } from './value-class.ts';

/** The smallest step of an amount with 18 decimal places, and one that every currency has. */
const [smallest, cent] = ['0.000000000000000001', '0.01'];

/** Steps that no number of a double beside a bound has, and most decimal types have not: where the places are not bounded, they count. */
const smaller = ['0.00000000000000000001', `0.${'1'.padStart(40, '0')}`];

/** Decimal places that an amount may have. One place more can be no double rounded. */
const places = 18;

/** True for the pattern of decimal text: it takes 0.5, as no pattern of an id or a code does. */
const isDecimalPattern = ({ constraint: { keyword, value } }: ConstrainedValue) =>
  keyword === 'pattern' && new RegExp(String(value)).test('0.5');

/** True for the pattern that bounds the decimal places and no more. */
const boundsPlaces = (of: ConstrainedValue) =>
  isDecimalPattern(of) && new RegExp(String(of.constraint.value)).test('x');

/** A class of notations in which a number may be written, although the contract's own form is plain decimal text. */
const notation = (
  name: string,
  title: string,
  derivation: string,
  write: (amount: string) => readonly string[],
): ValueClass => ({
  id: `decimal.${name}`,
  title,
  keywords: ['pattern'],
  derivation,
  free: 'orders-amount-limits',
  make: (of) => (isDecimalPattern(of) && !boundsPlaces(of) ? write(String(of.sample)) : []),
});

const wholeOf = (amount: unknown) => String(amount).split('.')[0] ?? '';

/** Decimal text: amounts, ratios and their bounds. */
export const decimalClasses: readonly ValueClass[] = [
  {
    id: 'decimal.no-number',
    title: 'no number',
    keywords: ['x-decimal.number'],
    derivation:
      'Letters, nothing, names of values that are no number, signs alone, a number with letters, also such as programs write behind one, or with signs of money and of reckoning, or in one of two lines, and hexadecimal digits.',
    make: ({ sample }) => [
      'abc',
      '',
      ...['NaN', 'Infinity', '-Infinity', 'null', 'nine', ' ', '.', '-'],
      ...[`${sample}abc`, `abc${sample}`, `${sample} USDT`, '0x9', '1.2.3', '--1'],
      ...['d', 'f', 'm', 'L', 'n'].map((suffix) => `${sample}${suffix}`),
      ...[`${sample}\nabc`, `abc\n${sample}`],
      ...[`$${sample}`, `${sample} $`, `${sample}%`, `${sample}/2`, '10/2', `${sample}*1`, `(${sample})`, `${sample}-`],
    ],
  },
  {
    id: 'decimal.separator',
    title: 'a number with separators between its digits',
    keywords: ['x-decimal.number'],
    derivation:
      'Commas, blanks, apostrophes and underscores separate the thousands, and an underscore the last two digits.',
    make: ({ sample }) => [
      ...['1,000.00', '1 000.00', "1'000.00", '1_000', '1,000,000'],
      ...[String(sample).replace(/([0-9])([0-9])$/, '$1_$2')].filter((text) => text !== String(sample)),
    ],
  },
  notation('sign', 'a number with a sign', 'A sign stands in front of the amount.', (amount) => [
    `+${amount}`,
    `-${amount}`,
  ]),
  notation('exponent', 'a number with an exponent', 'An exponent stands behind the amount.', (amount) => [
    `${amount}e0`,
    `${amount}E+0`,
    '1e2',
  ]),
  notation(
    'bare-point',
    'a number without digits on one side of its point',
    'No digit stands before the point, or none behind it.',
    () => ['.5', '5.'],
  ),
  notation('leading-zeros', 'a number with zeros in front', 'Two zeros stand in front of the amount.', (amount) => [
    `00${amount}`,
    '00.1',
  ]),
  notation('comma', 'a number with a comma for its point', 'A comma stands for the point.', (amount) => [
    amount.replace('.', ','),
    '1,5',
  ]),
  notation(
    'blank',
    'a number with blanks or a line feed around it',
    'A space, a tab or a line feed stands before the amount, behind it, or on both sides.',
    besideIt,
  ),
  notation(
    'other-digits',
    'a number in digits of another script',
    'Digits of other scripts stand for those of ASCII.',
    (amount) => [fromDigits(amount, 0x0660), fromDigits(amount, 0xff10)],
  ),
  {
    id: 'decimal.most-places',
    title: 'a number with as many decimal places as are permitted',
    keywords: ['pattern'],
    derivation: 'The fraction is filled up to the last permitted place.',
    keeps: true,
    make: (of) => (boundsPlaces(of) ? [`${wholeOf(of.sample)}.${'1'.padStart(places, '0')}`] : []),
  },
  {
    id: 'decimal.too-many-places',
    title: 'a number with too many decimal places',
    keywords: ['pattern'],
    derivation:
      'The fraction is one place longer than permitted, also where zeros end it and where the amount is tiny, and much longer.',
    make: (of) =>
      boundsPlaces(of)
        ? [
            ...['1'.padStart(places + 1, '0'), '1'.padEnd(places + 1, '0'), '1'.padStart(40, '0')].map(
              (fraction) => `${wholeOf(of.sample)}.${fraction}`,
            ),
            `0.${'1'.repeat(12).padStart(places + 1, '0')}`,
          ]
        : [],
  },
  {
    id: 'decimal.at-bound',
    title: 'an amount at the bound',
    keywords: ['x-decimal.minimum', 'x-decimal.maximum', 'x-decimal.exclusiveMinimum'],
    derivation:
      'The bound itself or, where it is not permitted, an amount that lies a cent and one that lies the last decimal place above it.',
    keeps: true,
    make: ({ constraint: { keyword, value } }) =>
      keyword === 'x-decimal.exclusiveMinimum'
        ? [addDecimals([String(value), cent]), addDecimals([String(value), smallest])]
        : [value],
  },
  {
    id: 'decimal.beyond-bound',
    title: 'an amount beyond the bound',
    keywords: ['x-decimal.minimum', 'x-decimal.maximum', 'x-decimal.exclusiveMinimum'],
    derivation:
      'Amounts that lie the last decimal place, a cent and far beyond the bound, and where the places are not bounded in the 20th and the 40th place; the bound, however it is written, where it is not permitted.',
    make: ({ constraint: { keyword, value }, sample }) => {
      const bound = String(value);
      if (keyword === 'x-decimal.maximum') {
        return [cent, smallest, ...smaller].map((step) => addDecimals([bound, step])).concat(`${bound}00`);
      }
      const below = [...[cent, smallest, ...smaller].map((step) => subtractDecimals(bound, step)), `-${sample}`];
      if (keyword === 'x-decimal.minimum') return below;
      return [bound, `${bound}${bound.includes('.') ? '' : '.'}00`, '0', ...below];
    },
  },
];

/** The amount with each digit replaced by the one of a script whose zero has this code point. */
function fromDigits(amount: string, zero: number): string {
  return amount.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}
