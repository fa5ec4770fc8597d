import { Decimal } from 'decimal.js';

// decimal.js rounds to 20 digits by default, which two amounts of 18 places already exceed. The contract bounds an amount to
// 64 characters and a list to 500 amounts (open point `request-bounds`). Their products and sums have fewer than 256 digits,
// so nothing is rounded here.
const Exact = Decimal.clone({ precision: 256 });

const plainDecimal = /^[0-9]+(\.[0-9]+)?$/;

/** Places that a converted amount has at most. */
const conversionPlaces = 6;

/** True for plain decimal text: digits, with a point and more digits or without; no sign, no exponent. */
export function isDecimalText(text: string): boolean {
  return plainDecimal.test(text);
}

/** -1, 0 or 1: how `left` compares with `right`, both decimal text. Throws on other text. */
export function compareAmounts(left: string, right: string): number {
  return parse(left).cmp(parse(right));
}

/** The exact sum of decimal texts, as decimal text; "0" for none. Throws on other text. */
export function sumAmounts(values: readonly string[]): string {
  return values.reduce((total, value) => total.plus(parse(value)), new Exact(0)).toFixed();
}

/** The exact sum of two decimal texts. */
export function addAmounts(left: string, right: string): string {
  return sumAmounts([left, right]);
}

/** `left` minus `right`, both decimal text, exactly. Throws when the result is below 0, which no amount is. */
export function subtractAmounts(left: string, right: string): string {
  const difference = parse(left).minus(parse(right));
  if (difference.isNegative() && !difference.isZero()) throw new RangeError(`${left} is less than ${right}`);
  return difference.abs().toFixed();
}

/** A JSON number as decimal text, exactly as the number is written. */
export function numberText(number: number): string {
  return new Exact(number).toFixed();
}

/** The amount that is owed after conversion: `value` times `rate`, both decimal text, rounded up to 6 places. */
export function convertAmount(value: string, rate: string): string {
  return parse(value).times(parse(rate)).toDecimalPlaces(conversionPlaces, Decimal.ROUND_UP).toFixed();
}

/** The exact product of two decimal texts, such as an amount and a factor. */
export function multiplyAmounts(left: string, right: string): string {
  return parse(left).times(parse(right)).toFixed();
}

/** An amount, decimal text, in units of its last of `places` decimals, as text without a point. Throws when it has more. */
export function inSmallestUnits(value: string, places: number): string {
  const units = parse(value).times(new Exact(10).pow(places));
  if (!units.isInteger()) throw new RangeError(`${value} has more than ${places} decimal places`);
  return units.toFixed();
}

function parse(text: string): Decimal {
  if (!isDecimalText(text)) throw new RangeError(`not plain decimal text: ${text.slice(0, 40)}`);
  return new Exact(text);
}
