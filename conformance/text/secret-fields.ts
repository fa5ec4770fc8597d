/** Headers, settings and fields whose values authenticate, in small letters and without hyphens and underscores. */
const names = new Set([
  ...['authorization', 'proxyauthorization', 'xapikey', 'xsignature', 'cookie', 'setcookie'],
  ...['apikey', 'apisecret', 'token', 'controltoken', 'accesstoken', 'clientsecret', 'password'],
]);

/** Every name above holds one of these words. */
const hint = /auth|key|signature|cookie|secret|token|password/i;

/** True for the name of a header, a setting or a field whose value authenticates. Reports never need such a value. */
export function isSecretField(name: string): boolean {
  return name.length < 60 && names.has(name.toLowerCase().replace(/[-_]/g, ''));
}

/** A part of a text, from `start` up to before `end`. */
export interface Place {
  start: number;
  end: number;
}

/** The longest name that is looked at, in characters as written. With every character escaped it is six times as long. */
const longestName = 120;

/**
 * The values of secret fields in a JSON text, also where it is cut or stands inside another text: the places between their quotes. `meant`
 * removes the escapes of a name. Takes time linear in the length of the text.
 */
export function secretFieldValues(text: string, meant: (name: string) => string): Place[] {
  const found: Place[] = [];
  let quote = text.indexOf('"');
  while (quote >= 0) {
    const value = valueOfSecret(text, quote, meant);
    if (value && value.end > value.start) found.push(value);
    quote = text.indexOf('"', value?.end ?? quote + 1);
  }
  return found;
}

/** The value of a secret field whose name begins with this quote. */
function valueOfSecret(text: string, quote: number, meant: (name: string) => string): Place | undefined {
  const near = text.slice(quote + 1, quote + longestName + 2);
  const length = near.indexOf('"');
  if (length < 0) return undefined;
  between.lastIndex = quote + length + 1;
  const colon = between.exec(text);
  if (!colon) return undefined;
  const written = near.slice(0, length);
  const name = /[\\%]/.test(written) ? meant(written) : written;
  if (!hint.test(name) || !isSecretField(name)) return undefined;
  const start = between.lastIndex;
  return { start, end: endOfText(text, start) };
}

/** The characters between the name and the value of a field, which is a text. */
const between = /"\s{0,20}:\s{0,20}"/y;

/** The place of the quote that ends a JSON text, or the end of everything. */
function endOfText(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '"') return at;
  }
  return text.length;
}
