const placeholder = '[redacted]';

/** Shorter than this a secret cannot be told from ordinary text, and hiding it would hide everything. */
const shortest = 6;

/** Headers and settings whose values authenticate; a report has no use for them. */
const secretKeys = new Set([
  ...['authorization', 'proxy-authorization', 'x-api-key', 'x-signature', 'cookie', 'set-cookie'],
  ...['apikey', 'apisecret', 'token', 'controltoken'],
]);

/** A value of JSON with every secret in its texts replaced, wherever it stands: a target may echo what it was sent. */
export function redact<Value>(value: Value, secrets: Iterable<string>): Value {
  const forms = [...new Set([...secrets].flatMap(formsOf))].filter((form) => form.length >= shortest);
  return redactIn(value, forms.length === 0 ? (text) => text : hider(forms));
}

/** A secret as it is, and as it looks in JSON, in an address, in Base64 and in hexadecimal digits. */
function formsOf(secret: string): string[] {
  const percent = encodeURIComponent(secret);
  const hex = Buffer.from(secret).toString('hex');
  const lower = percent.replace(/%../g, (escaped) => escaped.toLowerCase());
  return [secret, JSON.stringify(secret).slice(1, -1), percent, lower, ...base64Forms(secret), hex, hex.toUpperCase()];
}

/** What is always there where text that contains a secret is in Base64: for each way its bytes fall into groups of three. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Characters that carry bits of what stands beside it are left out; each carries six.
    const whole = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** What stands where a text was cut. */
const cutMark = '…';

/** Hides these forms in texts, and their beginnings where a text was cut. Reports are long, so it looks at each place once. */
function hider(forms: readonly string[]): (text: string) => string {
  const byBeginning = new Map<string, string[]>();
  const marked = new Uint8Array(2 ** 20);
  // The longest first, so that no secret is cut by another that it contains.
  for (const form of [...forms].sort((left, right) => right.length - left.length)) {
    const beginning = form.slice(0, shortest);
    byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), form]);
    marked[slotOf(hashOf(beginning))] = 1;
  }

  /** How long the secret is that begins there; 0: none does. */
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

/** 31 to the power of `shortest`: what the first of so many characters counts for in their hash, once another has come. */
const first = 31 ** shortest;

/** The hash of so many characters, from that of those one place before: one enters, one leaves. */
function rolled(hash: number, entering: number, leaving: number): number {
  return (Math.imul(hash, 31) + entering - Math.imul(leaving, first)) | 0;
}

function hashOf(beginning: string): number {
  let hash = 0;
  for (let each = 0; each < beginning.length; each += 1) hash = rolled(hash, beginning.charCodeAt(each), 0);
  return hash;
}

/** A number below 2 ** 20 for a hash. */
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

/** Values of environment variables whose names say that they are secret: a program that inherits them may print them. */
export function environmentSecrets(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value && /secret|token|password|passwd|credential|(^|_)key($|_)/i.test(name) ? [value] : [],
  );
}
