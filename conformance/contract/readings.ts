import { percentDecoded } from './percent-encoding.ts';

/** A JSON text in which every string stands without escapes; the text itself where it is no JSON. Numbers stay as they are written. */
export function jsonDecoded(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, (written) => `"${JSON.parse(written)}"`);
}

/** A form's text without its encoding; the text itself where it is no form. */
const formDecoded = (text: string): string => percentDecoded(text.replaceAll('+', ' ')) ?? text;

/** What the parts of a signed token, such as a JWS, hold. */
const base64Decoded = (text: string): string[] =>
  (text.match(/[A-Za-z0-9_+/-]{40,}/g) ?? []).map((part) => jsonDecoded(Buffer.from(part, 'base64').toString('utf8')));

/**
 * The texts as which a webhook's body can be read. The contract leaves its form open, so that it may be JSON with any escapes, an HTML form
 * or a signed token. Whatever looks for a word in a body looks for it in these.
 */
export function readingsOf(body: string): string[] {
  const text = jsonDecoded(body);
  return [text, formDecoded(text), ...base64Decoded(text)];
}
