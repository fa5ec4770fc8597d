/** The digests that signatures are made of. Node and browsers have different ones, so the caller passes them in. */
export interface Digests {
  sha256(bytes: Uint8Array): Uint8Array;
  hmac(algorithm: 'sha1' | 'sha256' | 'sha512', key: Uint8Array, message: Uint8Array): Uint8Array;
}

// Everything below works without Node, because a page of the docs site uses it.

const utf8 = new TextEncoder();

/** Text as UTF-8; bytes as they are. */
export const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? utf8.encode(content) : content;

/** The Base64 text of bytes, or of a text's UTF-8 bytes. */
export function base64(content: string | Uint8Array): string {
  let binary = '';
  for (const byte of bytesOf(content)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The bytes that lenient decoders read from text that may be Base64. Both alphabets count; other characters are skipped. */
export function fromBase64(text: string): Uint8Array {
  const [symbols = ''] = text.replaceAll('-', '+').replaceAll('_', '/').split('=', 1);
  const digits = symbols.replace(/[^A-Za-z0-9+/]/g, '');
  // A single digit at the end holds no whole byte.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
}

/** Bytes as hexadecimal digits in lower case. */
export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The bytes of an even number of hexadecimal digits. */
export const fromHex = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
