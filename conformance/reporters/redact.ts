const placeholder = '[redacted]';

/** Headers and settings whose values authenticate; a report has no use for them. */
const secretKeys = new Set([
  ...['authorization', 'proxy-authorization', 'x-api-key', 'x-signature', 'cookie', 'set-cookie'],
  ...['apikey', 'apisecret', 'token', 'controltoken'],
]);

/** A value of JSON with every secret in its texts replaced, wherever it stands: a target may echo what it was sent. */
export function redact<Value>(value: Value, secrets: Iterable<string>): Value {
  const known = [...secrets].filter((secret) => secret.length > 0).sort((left, right) => right.length - left.length);
  // JSON's own escapes are in the way of a secret that needs them, so that its escaped form is looked for as well.
  const forms = known.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  return redactIn(value, forms);
}

function redactIn<Value>(value: Value, forms: readonly string[]): Value;
function redactIn(value: unknown, forms: readonly string[]): unknown {
  if (typeof value === 'string') return forms.reduce((text, form) => text.replaceAll(form, placeholder), value);
  if (Array.isArray(value)) return value.map((each) => redactIn(each, forms));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      redactIn(key, forms),
      typeof each === 'string' && secretKeys.has(key.toLowerCase()) ? placeholder : redactIn(each, forms),
    ]),
  );
}
