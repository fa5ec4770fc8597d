import { show } from '../contract/show.ts';

const plain = /^[\x21-\x7e]+( [\x21-\x7e]+)*$/;
const beyondAscii = /[^\x20-\x7e]/gu;

/** A value as a finding names it: a text with blanks at its ends, or with characters beyond printable ASCII, in quotes and with escapes. */
export function printed(value: unknown): string {
  const text = show(value);
  if (plain.test(text)) return text;
  const quoted = typeof value === 'string' ? JSON.stringify(text) : text;
  return quoted.replace(beyondAscii, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
