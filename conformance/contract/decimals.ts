import { Decimal } from 'decimal.js';

// decimal.js rounds to 20 digits by default, which two amounts of 18 places already exceed.
const Exact = Decimal.clone({ precision: 100 });

/** True for plain decimal text, the form of amounts in the contract. */
export function isDecimalText(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9]+(\.[0-9]+)?$/.test(text);
}

/** Compares two decimal texts: -1 when `left` is smaller, 0 when they are equal, 1 when `left` is larger. */
export function compareDecimals(left: string, right: string): number {
  return new Exact(left).cmp(new Exact(right));
}

/** Whether two texts are the same amount: decimal texts of one number, or else the same text. */
export const isSameAmount = (left: string, right: string): boolean =>
  left === right || (isDecimalText(left) && isDecimalText(right) && compareDecimals(left, right) === 0);

/** The exact difference of two decimal texts, `left` minus `right`, as decimal text. */
export function subtractDecimals(left: string, right: string): string {
  return new Exact(left).minus(new Exact(right)).toFixed();
}

/** The exact sum of decimal texts, as decimal text. */
export function addDecimals(values: readonly string[]): string {
  return values.reduce((sum, value) => sum.plus(value), new Exact(0)).toFixed();
}

/** A decimal text in its shortest form: without zeros in front, and without zeros at the end of the fraction. */
export function shortestDecimal(text: string): string {
  return new Exact(text).toFixed();
}

/** The product of two decimal texts with at most `places` decimal places, as decimal text. What lies beyond is rounded up. */
export function multiplyRoundedUp(left: string, right: string, places: number): string {
  return new Exact(left).times(right).toDecimalPlaces(places, Decimal.ROUND_UP).toFixed();
}

/** A JSON number as decimal text. The bounds of a payment method are JSON numbers. */
export function numberText(number: number): string {
  return new Exact(number).toFixed();
}

/**
 * True when the amount of a request is above `bound`, decimal text. The amount may be text or a number, in every form that a
 * target might read as a number. A value that is no number is not above the bound.
 */
export function isAbove(amount: unknown, bound: string): boolean {
  if (typeof amount !== 'string' && typeof amount !== 'number') return false;
  try {
    return new Exact(typeof amount === 'string' ? amount.trim() : amount).gt(bound);
  } catch {
    return false;
  }
}
