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
  // A secret is looked for in the escaped forms as well in which JSON or an address would carry it; the longest first, so
  // that no secret is cut by another that it contains.
  const forms = [...secrets].flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
  ]);
  const known = [...new Set(forms)]
    .filter((form) => form.length >= shortest)
    .sort((left, right) => right.length - left.length);
  const pattern = known.map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return redactIn(value, pattern === '' ? undefined : new RegExp(pattern, 'g'));
}

function redactIn<Value>(value: Value, secret: RegExp | undefined): Value;
function redactIn(value: unknown, secret: RegExp | undefined): unknown {
  if (typeof value === 'string') return secret ? value.replace(secret, placeholder) : value;
  if (Array.isArray(value)) return value.map((each) => redactIn(each, secret));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      redactIn(key, secret),
      typeof each === 'string' && secretKeys.has(key.toLowerCase()) ? placeholder : redactIn(each, secret),
    ]),
  );
}
