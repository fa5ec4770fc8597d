import { Decimal } from 'decimal.js';

// decimal.js rounds to 20 digits by default, which two amounts of 18 places already exceed.
const Exact = Decimal.clone({ precision: 100 });

/** True for plain decimal text, as the contract writes amounts. */
export function isDecimalText(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9]+(\.[0-9]+)?$/.test(text);
}

/** -1, 0 or 1: how `left` compares with `right`, both decimal text. */
export function compareDecimals(left: string, right: string): number {
  return new Exact(left).cmp(new Exact(right));
}

/** `left` minus `right`, both decimal text, as decimal text. */
export function subtractDecimals(left: string, right: string): string {
  return new Exact(left).minus(new Exact(right)).toFixed();
}

/** The exact sum of decimal texts. */
export function addDecimals(values: readonly string[]): string {
  return values.reduce((sum, value) => sum.plus(value), new Exact(0)).toFixed();
}

/** A JSON number, as the bounds of a payment method are written, as decimal text. */
export function numberText(number: number): string {
  return new Exact(number).toFixed();
}

/**
 * True when what a request carries as an amount, text or number, is above `bound`, decimal text. Whatever a target might
 * read as a number is read here; what is none at all is not above.
 */
export function isAbove(amount: unknown, bound: string): boolean {
  if (typeof amount !== 'string' && typeof amount !== 'number') return false;
  try {
    return new Exact(typeof amount === 'string' ? amount.trim() : amount).gt(bound);
  } catch {
    return false;
  }
}
