/** Text without its percent-encoding. `undefined`: the encoding is broken. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A form's text without its encoding; the text itself where it is no form. */
export const formDecoded = (text: string): string => percentDecoded(text.replaceAll('+', ' ')) ?? text;

/** Text with percent-encoding, as an address holds it. A target's text may have halves of characters, which no encoding can hold. */
export const percentEncoded = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
