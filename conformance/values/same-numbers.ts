import { createHash } from 'node:crypto';

// Ids of digits that are other texts and the same number: a careless program reads them as numbers before it compares them.

/** Digits of a number that a double holds exactly, made from an id that was not used before. */
function digitsOf(newId: string): string {
  const hash = createHash('sha256').update(newId).digest('hex');
  const digits = BigInt(`0x${hash}`).toString();
  return `7${digits.slice(-14)}`;
}

/**
 * Lists of ids with the characters and the length that the merchantOrderId of an order may have. All of one list are the same number: with more
 * zeros before it, with an exponent and in hexadecimal digits; two that differ in a digit which a double does not hold; and two that are nothing,
 * whatever their exponents.
 */
export function sameNumbers(newId: () => string): readonly [first: string, ...others: string[]][] {
  const digits = digitsOf(newId());
  const many = digitsOf(newId());
  return [
    [`0${digits}`, `00${digits}`, `${digits}e0`, `0x${BigInt(digits).toString(16).padStart(14, '0')}`],
    [`${many}00001`, `${many}00002`],
    [`0e${digitsOf(newId())}`, `0e${digitsOf(newId())}`],
  ];
}

/** The same for ids to which the contract gives no form: also the digits alone, with a sign, and with a fraction of nothing. */
export function sameNumbersOfAnyForm(newId: () => string): readonly [first: string, ...others: string[]][] {
  return sameNumbers(newId).map(([first, ...others]) => {
    const digits = first.replace(/^0+(?=\d)/, '');
    const more = digits === first ? [] : [digits, `+${digits}`, `${digits}.0`];
    return [first, ...others, ...more];
  });
}
