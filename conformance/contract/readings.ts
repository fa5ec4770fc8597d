import { isObject, parseJson } from './json.ts';
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

/** The JSON that parts of a signed token, such as a JWS, hold. Other long words decode to noise, in which a short id may stand by chance. */
const base64Decoded = (text: string): string[] =>
  (text.match(/[A-Za-z0-9_+/-]{40,}/g) ?? [])
    .map((part) => Buffer.from(part, 'base64').toString('utf8'))
    .filter((part) => isObject(parseJson(part)))
    .map(jsonDecoded);

/**
 * The texts as which a webhook's body can be read. The contract leaves its form open, so that it may be JSON with any escapes, an HTML form
 * or a signed token. Whatever looks for a word in a body looks for it in these.
 */
export function readingsOf(body: string): string[] {
  const text = jsonDecoded(body);
  return [text, formDecoded(text), ...base64Decoded(text)];
}
