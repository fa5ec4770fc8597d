/** The bytes of a body up to which mistakes are sought in it, and the depth of JSON up to which it is written again for that. */
const [largestBody, deepestRewritten] = [16 * 1024, 8];

/** A text of JSON, whose brackets and separators mean nothing. */
const jsonText = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const jsonTexts = new RegExp(jsonText, 'g');
const textsAndSeparators = new RegExp(`${jsonText}|[,:]`, 'g');

/** Whether a body is so small that mistakes are sought in it. Each of them hashes the body again. */
export const isSmall = (body: Buffer): boolean => body.length <= largestBody;

/** The body without the white space at both ends, at its end, and without its last line end; none where it is not UTF-8. */
export function trimmed(body: Buffer): string[] {
  const text = textOf(body);
  return text === undefined ? [] : [text.trim(), text.trimEnd(), text.replace(/\r?\n$/, '')];
}

/** The body as common JSON libraries write its value; none where it is not JSON or deep. Indenting deep JSON makes it very much larger. */
export function reSerialised(body: Buffer): string[] {
  const text = textOf(body)?.replace(/^\uFEFF/, '');
  if (text === undefined || depthOf(text) > deepestRewritten) return [];
  const value = parsed(text);
  if (value === undefined) return [];
  const compact = JSON.stringify(value);
  const sorted = JSON.stringify(parsed(text, withSortedKeys));
  const forms = [compact, asPython(compact), sorted, JSON.stringify(value, null, 2), JSON.stringify(value, null, 4)];
  return [...new Set([...forms, ...forms.map(asciiOnly), compact.replaceAll('/', '\\/')])];
}

/** The text of UTF-8 with its byte order mark, if it has one. */
function textOf(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text; `undefined` where it is none. */
function parsed(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

function withSortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Compact JSON with a blank behind each comma and colon. */
const asPython = (compact: string) =>
  compact.replace(textsAndSeparators, (token) => (token.length === 1 ? `${token} ` : token));

/** JSON with every character beyond ASCII as an escape. */
const asciiOnly = (json: string) =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** How deep the arrays and objects of a JSON text are nested. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const [bracket] of text.replace(jsonTexts, '').matchAll(/[[{}\]]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
