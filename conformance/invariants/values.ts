/** True for an amount as a request writes it where nothing is left open: plain decimal text with at most 18 places and without leading zeros. */
export function isPlainAmount(value: unknown): value is string {
  return typeof value === 'string' && /^(0|[1-9][0-9]*)(\.[0-9]{1,18})?$/.test(value);
}

/** The hexadecimal digits of a hash or an address in one form: either case is right, and so is a `0x` before them. */
const hexadecimal = (text: string) => /^(?:0x)?([0-9a-f]+)$/i.exec(text)?.[1]?.toLowerCase();

/** Whether two texts name the same hash or address of a chain: hexadecimal ones in either case, others letter for letter. */
export function isSameOnChain(left: string, right: string): boolean {
  return left === right || (hexadecimal(left) !== undefined && hexadecimal(left) === hexadecimal(right));
}
