/** Text without its percent-encoding. `undefined`: the encoding is broken. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Characters that `encodeURIComponent` leaves as they are, although they are none of letters, digits and `-._~`. */
const leftByLibrary = /[!'()*]/g;

/** A character of ASCII as the escape that means it. */
export const escapeOf = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

/** Text with percent-encoding, as an address holds it. A target's text may have halves of characters, which no encoding can hold. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(leftByLibrary, escapeOf);
