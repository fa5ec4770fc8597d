const placeholder = '[redacted]';

/** The shortest secret that is hidden, in characters. A shorter one also occurs in ordinary text, which would be hidden with it. */
const shortest = 6;

/** Headers and settings whose values authenticate. Reports never need these values. */
const secretKeys = new Set([
  ...['authorization', 'proxy-authorization', 'x-api-key', 'x-signature', 'cookie', 'set-cookie'],
  ...['apikey', 'apisecret', 'token', 'controltoken'],
]);

/** A copy of a JSON value without secrets. They are replaced in every text, because a target may echo a request anywhere. */
export function redact<Value>(value: Value, secrets: Iterable<string>): Value {
  const forms = [...new Set([...secrets].flatMap(formsOf))].filter((form) => form.length >= shortest);
  return redactIn(value, forms.length === 0 ? (text) => text : hider(forms));
}

/** The forms of a secret: as it is, and as JSON, URLs, Base64 and hexadecimal digits write it. */
function formsOf(secret: string): string[] {
  const percent = encodeURIComponent(secret);
  const hex = Buffer.from(secret).toString('hex');
  const lower = percent.replace(/%../g, (escaped) => escaped.toLowerCase());
  return [secret, JSON.stringify(secret).slice(1, -1), percent, lower, ...base64Forms(secret), hex, hex.toUpperCase()];
}

/** The Base64 digits of a secret inside longer text: one form for each of the three positions at which its bytes may begin. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Each digit carries six bits. Digits that also carry bits of the neighbouring text are left out.
    const whole = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** The mark at the end of a text that was cut. Before it, redaction also recognises the beginning of a secret. */
export const cutMark = '…';

/**
 * A function that hides these forms in a text. In a text that was cut, it also hides the beginning of a form before the mark.
 * Reports are long, so a rolling hash finds the places where a form may begin in one pass.
 */
function hider(forms: readonly string[]): (text: string) => string {
  const byBeginning = new Map<string, string[]>();
  const marked = new Uint8Array(2 ** 20);
  // Longer forms come first, so that a secret is hidden whole when it contains another.
  for (const form of [...forms].sort((left, right) => right.length - left.length)) {
    const beginning = form.slice(0, shortest);
    byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), form]);
    marked[slotOf(hashOf(beginning))] = 1;
  }

  /** The length of the secret that begins at this place; 0 when none does. */
  function secretAt(text: string, at: number): number {
    const candidates = byBeginning.get(text.slice(at, at + shortest)) ?? [];
    const whole = candidates.find((form) => text.startsWith(form, at));
    if (whole !== undefined) return whole.length;
    const cut = candidates.length > 0 ? text.indexOf(cutMark, at) : -1;
    return cut >= 0 && candidates.some((form) => form.startsWith(text.slice(at, cut))) ? cut - at : 0;
  }
  return (text) => {
    const parts: string[] = [];
    let from = 0;
    let hash = 0;
    for (let end = 0; end < text.length; end += 1) {
      const at = end + 1 - shortest;
      hash = rolled(hash, text.charCodeAt(end), at > 0 ? text.charCodeAt(at - 1) : 0);
      if (at < from || marked[slotOf(hash)] !== 1) continue;
      const length = secretAt(text, at);
      if (length === 0) continue;
      parts.push(text.slice(from, at), placeholder);
      from = at + length;
    }
    return [...parts, text.slice(from)].join('');
  };
}

/** 31 to the power of `shortest`: the weight of the character that leaves the hash. */
const leavingWeight = 31 ** shortest;

/** The hash after moving one place on: one character enters, one leaves. */
function rolled(hash: number, entering: number, leaving: number): number {
  return (Math.imul(hash, 31) + entering - Math.imul(leaving, leavingWeight)) | 0;
}

function hashOf(beginning: string): number {
  let hash = 0;
  for (let each = 0; each < beginning.length; each += 1) hash = rolled(hash, beginning.charCodeAt(each), 0);
  return hash;
}

/** The slot of a hash, a number below 2 ** 20. */
function slotOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> 12;
}

function redactIn<Value>(value: Value, hide: (text: string) => string): Value;
function redactIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((each) => redactIn(each, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      hide(key),
      typeof each === 'string' && secretKeys.has(key.toLowerCase()) ? placeholder : redactIn(each, hide),
    ]),
  );
}

/** The values of environment variables with a name that marks a secret. A program that inherits them may print them. */
export function environmentSecrets(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value && /secret|token|password|passwd|credential|(^|_)key($|_)/i.test(name) ? [value] : [],
  );
}
