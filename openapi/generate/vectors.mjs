// Computes the signature vectors: reads inputs.yaml in openapi/vectors, and writes vectors.json and must-not-verify.json
// beside it, or into the folder that --out names. With --check it writes nothing, and exits with 1 if either file is stale.
// It shares no code with the server or the runner, so that the vectors show a mistake in either of them.
import { createHash, createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';

const folder = join(import.meta.dirname, '../vectors');
const { values: options } = parseArgs({
  options: { check: { type: 'boolean', default: false }, out: { type: 'string', default: folder } },
});
const inputs = parse(readFileSync(join(folder, 'inputs.yaml'), 'utf8'));

const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const base64 = (bytes) => Buffer.from(bytes).toString('base64');
const hash = (bytes) => base64(sha256(bytes));

function lookUp(table, name, what) {
  const found = table[name];
  if (found === undefined) throw new Error(`${what} "${name}" does not exist`);
  return found;
}

const secretNamed = (name) => lookUp(inputs.secrets, name, 'secret');

// --- The request -----------------------------------------------------------------------------------------------

/** Splits at the first `?`; the query is null without one, and empty text after a bare one. */
function splitTarget(target) {
  const at = target.indexOf('?');
  return at < 0 ? { path: target, query: null } : { path: target.slice(0, at), query: target.slice(at + 1) };
}

/** A webhook to a callback address without a path goes to `/`. */
function splitCallbackUrl(url) {
  const [, rest] = /^https?:\/\/[^/?#]+(.*)$/.exec(url);
  return splitTarget(rest.startsWith('/') ? rest : `/${rest}`);
}

function bodyOf(input) {
  if (input.bodyBase64 !== undefined) {
    return { body: input.bodyBase64, bodyEncoding: 'base64', bytes: Buffer.from(input.bodyBase64, 'base64') };
  }
  if (input.body === undefined) return { body: null, bodyEncoding: null, bytes: null };
  const text = typeof input.body === 'string' ? input.body : input.body.repeat.repeat(input.body.times);
  return { body: input.body, bodyEncoding: 'utf8', bytes: Buffer.from(text, 'utf8') };
}

// --- The right signature ----------------------------------------------------------------------------------------

/** The bytes whose hash is the fourth component, if there is one. */
function hashInputOf(id, method, query, bytes) {
  if (['POST', 'PUT', 'PATCH'].includes(method)) return { hashInput: 'body', hashed: bytes ?? Buffer.alloc(0) };
  if (bytes !== null) throw new Error(`${id}: the specification has no rule for a ${method} with a body`);
  if (query === null || query === '') return { hashInput: 'none', hashed: null };
  if (method === 'GET') return { hashInput: 'query', hashed: Buffer.from(query, 'utf8') };
  throw new Error(`${id}: the specification has no rule for a ${method} with a query`);
}

function computeVector(input) {
  const { id, title, openPoint, kind = 'request', timestamp, method, callbackUrl } = input;
  const secret = secretNamed(input.secret);
  const { path, query } = kind === 'webhook' ? splitCallbackUrl(callbackUrl) : splitTarget(input.target);
  const { body, bodyEncoding, bytes } = bodyOf(input);
  const methodSigned = method.toUpperCase();
  const { hashInput, hashed } = hashInputOf(id, methodSigned, query, bytes);
  const digest = hashed === null ? null : sha256(hashed);
  const sha256Base64 = digest === null ? null : base64(digest);
  const components = [
    ...(kind === 'webhook' ? ['webhook'] : []),
    ...[timestamp, methodSigned, path],
    ...(sha256Base64 === null ? [] : [sha256Base64]),
  ];
  const signatureString = components.join('\n');
  return {
    ...{ id, title, openPoint, kind, secret, timestamp, method, methodSigned, callbackUrl, path, query },
    ...{ body, bodyEncoding, bodyLength: bytes === null ? null : bytes.length },
    ...{ hashInput, sha256Hex: digest === null ? null : digest.toString('hex'), sha256Base64 },
    ...{ components, signatureString },
    signature: createHmac('sha256', secret).update(signatureString).digest('base64'),
  };
}

// --- The wrong ones ---------------------------------------------------------------------------------------------

/** How a signature is made, step by step; a mistake changes one step. */
const rightSteps = (vector) => ({
  components: vector.components,
  join: (components) => components.join('\n'),
  key: Buffer.from(vector.secret, 'utf8'),
  mac: (text, key) => createHmac('sha256', key).update(text).digest(),
  encode: (digest) => digest.toString('base64'),
});

/** Mistakes replace one component, by its place in a request. A webhook has one more before it. */
const replaced = ({ kind, components }, place, value) => ({
  components: components.with(kind === 'webhook' ? place + 1 : place, value),
});
const timestampAs = (vector, value) => replaced(vector, 0, value);
const methodAs = (vector, value) => replaced(vector, 1, value);
const pathAs = (vector, value) => replaced(vector, 2, value);
const fourthAs = (vector, value) => replaced(vector, 3, value);
const threeOnly = (vector) => ({ components: vector.components.slice(0, 3) });

const mistakes = {
  'signature-hex': () => ({ encode: (digest) => digest.toString('hex') }),
  'signature-without-padding': () => ({ encode: (digest) => digest.toString('base64').replace('=', '') }),
  'signature-base64url': () => ({ encode: (digest) => digest.toString('base64url') }),
  'hmac-plain-sha256': () => ({ mac: (text) => sha256(text) }),
  'hmac-secret-appended': () => ({ mac: (text, key) => sha256(Buffer.concat([Buffer.from(text), key])) }),
  'hmac-sha1': () => ({ mac: (text, key) => createHmac('sha1', key).update(text).digest() }),
  'hmac-sha512': () => ({ mac: (text, key) => createHmac('sha512', key).update(text).digest() }),
  'hmac-swapped': () => ({ mac: (text, key) => createHmac('sha256', text).update(key).digest() }),
  'secret-base64-decoded': (vector) => ({ key: Buffer.from(vector.secret, 'base64') }),
  'secret-hex-decoded': (vector) => ({ key: Buffer.from(vector.secret, 'hex') }),
  'secret-white-space': (vector) => ({ key: Buffer.from(`${vector.secret}\n`, 'utf8') }),
  'secret-replaced': (vector) => ({ key: Buffer.from(vector.path.split('/')[4], 'utf8') }),
  'secret-of-another-merchant': (_, used) => ({ key: Buffer.from(used.secret, 'utf8') }),
  'timestamp-in-seconds': (vector) => timestampAs(vector, vector.timestamp.slice(0, -3)),
  'timestamp-of-another-request': (vector, used) => timestampAs(vector, used.timestamp),
  'method-lower-case': (vector) => methodAs(vector, vector.methodSigned.toLowerCase()),
  'path-full-url': (vector, used) => pathAs(vector, used.origin + vector.path),
  'path-with-query': (vector) => pathAs(vector, `${vector.path}?${vector.query}`),
  'path-decoded': (vector) => pathAs(vector, decodeURIComponent(vector.path)),
  'path-trailing-slash': (vector) => pathAs(vector, `${vector.path}/`),
  'path-without-api-prefix': (vector) => pathAs(vector, vector.path.replace('/api/v1', '')),
  'path-shortened': (vector) => pathAs(vector, vector.path.replace('/api', '')),
  'path-with-prefix': (vector) => pathAs(vector, `/gateway${vector.path}`),
  'query-on-path-only': (vector) =>
    threeOnly({ components: vector.components.with(2, `${vector.path}?${vector.query}`) }),
  'query-with-question-mark': (vector) => fourthAs(vector, hash(`?${vector.query}`)),
  'query-decoded': (vector) => fourthAs(vector, hash(decodeURIComponent(vector.query))),
  'query-re-encoded': (vector) => fourthAs(vector, hash(new URLSearchParams(vector.query).toString())),
  'query-sorted': (vector) => fourthAs(vector, hash(vector.query.split('&').toSorted().join('&'))),
  'query-not-hashed': (vector) => fourthAs(vector, vector.query),
  'query-left-out': threeOnly,
  'body-left-out': threeOnly,
  'body-not-hashed': (vector) => fourthAs(vector, vector.body),
  'body-re-serialised': (vector) => fourthAs(vector, hash(JSON.stringify(JSON.parse(vector.body)))),
  'body-trimmed': (vector) => fourthAs(vector, hash(vector.body.trim())),
  'body-empty-hashed': (vector) => ({ components: [...vector.components, hash('')] }),
  'hash-hex': (vector) => fourthAs(vector, vector.sha256Hex),
  'hash-hex-in-base64': (vector) => fourthAs(vector, base64(vector.sha256Hex)),
  'hash-of-hash-hex': (vector) => fourthAs(vector, hash(vector.sha256Hex)),
  'components-reordered': ({ components: [timestamp, method, ...others] }) => ({
    components: [method, timestamp, ...others],
  }),
  'separator-crlf': () => ({ join: (components) => components.join('\r\n') }),
  'separator-missing': () => ({ join: (components) => components.join('') }),
  'separator-escaped': () => ({ join: (components) => components.join('\\n') }),
  'separator-other': () => ({ join: (components) => components.join('|') }),
  'trailing-line-feed': () => ({ join: (components) => `${components.join('\n')}\n` }),
};

function computeWrong(input, vectorsById) {
  const vector = lookUp(vectorsById, input.vector, 'vector');
  const used = input.used?.secret === undefined ? input.used : { secret: secretNamed(input.used.secret) };
  const steps = { ...rightSteps(vector), ...lookUp(mistakes, input.mistake, 'mistake')(vector, used) };
  const signatureString = steps.join(steps.components);
  const signature = steps.encode(steps.mac(signatureString, steps.key));
  const { kind, secret, timestamp, method, callbackUrl, path, query, body, bodyEncoding } = vector;
  return {
    ...{ id: input.id, mistake: input.mistake, vector: input.vector, used },
    ...{ kind, secret, timestamp, method, callbackUrl, path, query, body, bodyEncoding },
    right: {
      components: vector.components,
      signatureString: vector.signatureString,
      signature: vector.signature,
    },
    wrong: { components: steps.components, signatureString, signature },
  };
}

// --- The files --------------------------------------------------------------------------------------------------

/**
 * JSON with short lists of text on one line, as the formatter wants them, and everything beyond ASCII escaped, so
 * that no editor can normalise a combining mark or drop a byte order mark.
 */
function toJson(value) {
  return `${JSON.stringify(value, null, 2)
    .replace(/^( *"[^"\n]+": )\[\n((?: +"(?:[^"\\\n]|\\.)*",?\n)+) *\](?=,?$)/gm, (list, start, items) => {
      const line = `${start}[${items
        .trim()
        .split('\n')
        .map((item) => item.trim())
        .join(' ')}]`;
      return line.length < 120 ? line : list;
    })
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

const vectors = inputs.vectors.map(computeVector);
const vectorsById = Object.fromEntries(vectors.map((vector) => [vector.id, vector]));
const mustNotVerify = inputs.mustNotVerify.map((input) => computeWrong(input, vectorsById));

const files = {
  'vectors.json': toJson({ $schema: './vectors.schema.json', vectors }),
  'must-not-verify.json': toJson({
    $schema: './must-not-verify.schema.json',
    mistakes: inputs.mistakes,
    vectors: mustNotVerify,
  }),
};

function written(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

for (const [name, content] of Object.entries(files)) {
  const file = join(options.out, name);
  if (!options.check) {
    writeFileSync(file, content);
  } else if (written(file) !== content) {
    console.error(`${name} is stale: run node openapi/generate/vectors.mjs`);
    process.exitCode = 1;
  }
}
