import { peel } from './peel.ts';
import { type Place, secretFieldValues } from './secret-fields.ts';
import { cutMark, type SecretFinder, secretFinder, shortest } from './secret-finder.ts';

export const placeholder = '[redacted]';

/** How secrets are hidden in a text. */
export interface HidingRules {
  /** Secrets that are ordinary words stay. In the runner's own texts they are words, and not secrets. */
  strongOnly?: boolean;
}

/** Hides secrets in a text. */
export type Hider = (text: string, rules?: HidingRules) => string;

/** How many layers of escapes are removed in the search. */
const mostLayers = 6;

/** How often text inside Base64 is looked into. */
const deepestBase64 = 2;

/** Base64 that may hold a secret: text of at least this many digits. */
const base64Run = /[A-Za-z0-9+/_-]{16,}/g;

/** What a secret has at least, in whatever escapes: most of what looks like Base64 is none, and decodes to bytes without it. */
const readable = new RegExp(`[\\x20-\\x7e]{${shortest}}`);

/**
 * Makes a function that hides these secrets, and the values of secret fields, in whatever escapes they are written. A text that
 * is JSON stays JSON. The function takes time linear in the length of the text.
 */
export function secretHider(secrets: Iterable<string>): Hider {
  const search = searchFor(secretFinder(withPeeled(secrets)), deepestBase64);
  const hiding = (strongOnly: boolean) =>
    remembering((text) => {
      const places = placesIn(text, search, strongOnly);
      if (places.length === 0) return text;
      const hidden = replaced(text, places);
      return isJson(text) && !isJson(hidden) ? JSON.stringify(placeholder) : hidden;
    });
  const [hideAll, hideStrong] = [hiding(false), hiding(true)];
  return (text, { strongOnly = false } = {}) => (strongOnly ? hideStrong : hideAll)(text);
}

/** The longest text whose result is remembered, in characters, and how many are. Names and values of headers, and addresses, come again and again. */
const [longestRemembered, mostRemembered] = [200, 20_000];

/** The function, which remembers what it made of short texts. */
function remembering<Result>(work: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, { result: Result }>();
  return (text) => {
    if (text.length > longestRemembered) return work(text);
    const kept = known.get(text);
    if (kept) return kept.result;
    if (known.size >= mostRemembered) known.clear();
    const result = work(text);
    known.set(text, { result });
    return result;
  };
}

/** The secrets, and each of them without its own escapes, because the search removes these as well. */
function withPeeled(secrets: Iterable<string>): Set<string> {
  const all = new Set(secrets);
  for (const secret of secrets) {
    for (let peeled = peel(secret)?.text; peeled !== undefined && !all.has(peeled); peeled = peel(peeled)?.text) {
      all.add(peeled);
    }
  }
  return all;
}

/** How secrets are looked for. */
interface Search {
  finder: SecretFinder;
  /** Whether text that may be Base64 holds a secret. Absent: nothing looks into it. */
  isSecretInside?: (run: string) => boolean;
}

/** A search that looks into so many layers of Base64. */
function searchFor(finder: SecretFinder, base64Depth: number): Search {
  if (base64Depth === 0 || finder.isEmpty) return { finder };
  const inner = searchFor(finder, base64Depth - 1);
  const isSecretInside = remembering((run) => {
    const decoded = Buffer.from(run, 'base64').toString('latin1');
    return readable.test(decoded) && placesIn(decoded, inner, true).length > 0;
  });
  return { finder, isSecretInside };
}

/** The places of secrets, of the text as it is written. They may overlap. */
function placesIn(text: string, { finder, isSecretInside }: Search, strongOnly: boolean): Place[] {
  const places: Place[] = [];
  // The place in the written text for each place of the layer. Absent: they are the same.
  let origin: Uint32Array | undefined;
  let layer = text;
  for (let depth = 0; depth <= mostLayers; depth += 1) {
    const found = [
      ...finder.find(layer, strongOnly),
      ...(strongOnly ? [] : secretFieldValues(layer, (name) => peel(name)?.text ?? name)),
      ...(isSecretInside ? base64Places(layer, isSecretInside) : []),
    ];
    for (const { start, end } of found) {
      places.push({ start: origin?.[start] ?? start, end: origin?.[end] ?? end });
    }
    const peeled = peel(layer);
    if (!peeled) break;
    const before = origin;
    origin = before ? peeled.places.map((place) => before[place] ?? place) : peeled.places;
    layer = peeled.text;
  }
  return places;
}

function base64Places(text: string, isSecretInside: (run: string) => boolean): Place[] {
  return [...text.matchAll(base64Run)].flatMap(({ 0: run, index }) =>
    isSecretInside(run) ? [{ start: index, end: index + run.length }] : [],
  );
}

function replaced(text: string, places: Place[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of places.sort((left, right) => left.start - right.start)) {
    if (end <= from) continue;
    // A place that begins inside the one before continues it.
    if (start >= from) parts.push(text.slice(from, start), placeholder);
    from = end;
  }
  return [...parts, text.slice(from)].join('');
}

function isJson(text: string): boolean {
  if (!/^\s*[[{"\d]/.test(text) || text.endsWith(cutMark)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
