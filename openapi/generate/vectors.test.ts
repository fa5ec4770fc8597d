import { spawnSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, onTestFinished, test } from 'vitest';

interface Sent {
  id: string;
  kind: 'request' | 'webhook';
  secret: string;
  timestamp: string;
  method: string;
  callbackUrl?: string;
  path: string;
  query: string | null;
  body: string | { repeat: string; times: number } | null;
  bodyEncoding: 'utf8' | 'base64' | null;
}

interface Vector extends Sent {
  title: string;
  openPoint?: string;
  methodSigned: string;
  bodyLength: number | null;
  hashInput: 'body' | 'query' | 'none';
  sha256Hex: string | null;
  sha256Base64: string | null;
  components: string[];
  signatureString: string;
  signature: string;
}

interface Signing {
  components: string[];
  signatureString: string;
  signature: string;
}

interface WrongVector extends Sent {
  mistake: string;
  vector: string;
  used?: { secret?: string; timestamp?: string; origin?: string };
  right: Signing;
  wrong: Signing;
}

interface VectorsFile {
  vectors: Vector[];
}

interface MustNotVerifyFile {
  mistakes: { code: string; what: string; cure: string }[];
  vectors: WrongVector[];
}

const readJson = (name: string) => JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8'));

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false });
const isVectorsFile = ajv.compile<VectorsFile>(readJson('vectors.schema.json'));
const isMustNotVerifyFile = ajv.compile<MustNotVerifyFile>(readJson('must-not-verify.schema.json'));

/** Reads a file and holds it against its schema; throws with every fault the schema finds. */
function load<T>(name: string, validate: ValidateFunction<T>): T {
  const data: unknown = readJson(name);
  if (!validate(data)) throw new Error(`${name}: ${ajv.errorsText(validate.errors)}`);
  return data;
}

const { vectors } = load('vectors.json', isVectorsFile);
const { mistakes, vectors: wrongVectors } = load('must-not-verify.json', isMustNotVerifyFile);

function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`${what} is missing`);
  return value;
}

function bodyBytes({ body, bodyEncoding }: Sent): Buffer {
  const text = body === null ? '' : typeof body === 'string' ? body : body.repeat.repeat(body.times);
  return Buffer.from(text, bodyEncoding ?? 'utf8');
}

const bodyText = (sent: Sent): string => bodyBytes(sent).toString('utf8');
const digestOf = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const hashOf = (data: string | Buffer): string => digestOf(data).toString('base64');
const macOf = (text: string, key: string | Buffer, algorithm = 'sha256'): Buffer =>
  createHmac(algorithm, key).update(text).digest();

/** The bytes to hash. This repeats the rule on purpose: they depend on the method and on whether there is a query. */
function hashed(sent: Sent): Buffer | null {
  if (/^(post|put|patch)$/i.test(sent.method)) return bodyBytes(sent);
  return sent.query ? Buffer.from(sent.query) : null;
}

function lines(sent: Sent, changed: { timestamp?: string; method?: string; path?: string; fourth?: string } = {}) {
  const toHash = hashed(sent);
  const fourth = changed.fourth ?? (toHash === null ? null : hashOf(toHash));
  const all = [
    ...(sent.kind === 'webhook' ? ['webhook'] : []),
    changed.timestamp ?? sent.timestamp,
    changed.method ?? sent.method.toUpperCase(),
    changed.path ?? sent.path,
  ];
  return fourth === null ? all : [...all, fourth];
}

const text = (...args: Parameters<typeof lines>): string => lines(...args).join('\n');
const fourth = (value: string) => (sent: Sent) => text(sent, { fourth: value });
const firstThree = (sent: Sent, path = sent.path): string => lines(sent, { path }).slice(0, 3).join('\n');
const query = (sent: Sent): string => present(sent.query, `${sent.id}: query`);
const hashHex = (sent: Sent): string => digestOf(present(hashed(sent), `${sent.id}: hash input`)).toString('hex');

/** Mistakes in the string that is signed: from a request to the wrong string. */
const wrongStrings: Record<string, (sent: WrongVector) => string> = {
  'timestamp-in-seconds': (sent) => text(sent, { timestamp: String(Number(sent.timestamp) / 1000) }),
  'timestamp-of-another-request': (sent) =>
    text(sent, { timestamp: present(sent.used?.timestamp, `${sent.id}: used.timestamp`) }),
  'method-lower-case': (sent) => text(sent, { method: sent.method.toLowerCase() }),
  'path-full-url': (sent) => text(sent, { path: `${present(sent.used?.origin, `${sent.id}: origin`)}${sent.path}` }),
  'path-with-query': (sent) => text(sent, { path: `${sent.path}?${query(sent)}` }),
  'path-decoded': (sent) => text(sent, { path: decodeURIComponent(sent.path) }),
  'path-trailing-slash': (sent) => text(sent, { path: `${sent.path}/` }),
  'path-without-api-prefix': (sent) => text(sent, { path: sent.path.slice('/api/v1'.length) }),
  'path-shortened': (sent) => text(sent, { path: sent.path.slice('/api'.length) }),
  'path-with-prefix': (sent) => text(sent, { path: `/gateway${sent.path}` }),
  'query-on-path-only': (sent) => firstThree(sent, `${sent.path}?${query(sent)}`),
  'query-with-question-mark': (sent) => fourth(hashOf(`?${query(sent)}`))(sent),
  'query-decoded': (sent) => fourth(hashOf(decodeURIComponent(query(sent))))(sent),
  'query-re-encoded': (sent) => fourth(hashOf(`${new URLSearchParams(query(sent))}`))(sent),
  'query-sorted': (sent) => fourth(hashOf([...query(sent).split('&')].sort().join('&')))(sent),
  'query-not-hashed': (sent) => fourth(query(sent))(sent),
  'query-left-out': (sent) => firstThree(sent),
  'body-left-out': (sent) => firstThree(sent),
  'body-not-hashed': (sent) => fourth(bodyText(sent))(sent),
  'body-re-serialised': (sent) => fourth(hashOf(JSON.stringify(JSON.parse(bodyText(sent)))))(sent),
  'body-trimmed': (sent) => fourth(hashOf(bodyText(sent).trim()))(sent),
  'body-empty-hashed': (sent) => fourth('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')(sent),
  'hash-hex': (sent) => fourth(hashHex(sent))(sent),
  'hash-hex-in-base64': (sent) => fourth(Buffer.from(hashHex(sent)).toString('base64'))(sent),
  'hash-of-hash-hex': (sent) => fourth(hashOf(hashHex(sent)))(sent),
  'components-reordered': (sent) => {
    const [timestamp = '', method = '', ...others] = lines(sent);
    return [method, timestamp, ...others].join('\n');
  },
  'separator-crlf': (sent) => lines(sent).join('\r\n'),
  'separator-missing': (sent) => lines(sent).join(''),
  'separator-escaped': (sent) => lines(sent).join(String.raw`\n`),
  'separator-other': (sent) => lines(sent).join('|'),
  'trailing-line-feed': (sent) => `${text(sent)}\n`,
};

/** Mistakes after it: from a request and the right string to the wrong signature. */
const wrongSignatures: Record<string, (string: string, sent: WrongVector) => string> = {
  'signature-hex': (string, { secret }) => macOf(string, secret).toString('hex'),
  'signature-without-padding': (string, { secret }) => macOf(string, secret).toString('base64').slice(0, 43),
  'signature-base64url': (string, { secret }) =>
    macOf(string, secret).toString('base64').replaceAll('+', '-').replaceAll('/', '_').replace('=', ''),
  'hmac-plain-sha256': (string) => hashOf(string),
  'hmac-secret-appended': (string, { secret }) => hashOf(string + secret),
  'hmac-sha1': (string, { secret }) => macOf(string, secret, 'sha1').toString('base64'),
  'hmac-sha512': (string, { secret }) => macOf(string, secret, 'sha512').toString('base64'),
  'hmac-swapped': (string, { secret }) => macOf(secret, string).toString('base64'),
  'secret-base64-decoded': (string, { secret }) => macOf(string, Buffer.from(secret, 'base64')).toString('base64'),
  'secret-hex-decoded': (string, { secret }) => macOf(string, Buffer.from(secret, 'hex')).toString('base64'),
  'secret-white-space': (string, { secret }) => macOf(string, `${secret}\n`).toString('base64'),
  'secret-replaced': (string, { id, path }) =>
    macOf(string, present(/\/merchants\/([^/]+)/.exec(path)?.[1], `${id}: merchant id`)).toString('base64'),
  'secret-of-another-merchant': (string, { id, used }) =>
    macOf(string, present(used?.secret, `${id}: used.secret`)).toString('base64'),
};

const repeated = (values: string[]): string[] => values.filter((value, index) => values.indexOf(value) !== index);

describe('vectors.json', () => {
  test('has at least 30 vectors, each with an id of its own', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(30);
    expect(repeated(vectors.map(({ id }) => id))).toEqual([]);
  });

  test('no two requests that differ in what is signed share a signature', () => {
    const signed = vectors.map(({ secret, signatureString }) => `${secret}\n${signatureString}`);
    expect(new Set(vectors.map(({ signature }) => signature)).size).toBe(new Set(signed).size);
  });

  test('covers every kind of request and webhook', () => {
    const kinds = vectors.map((vector) => `${vector.kind} ${vector.methodSigned} ${vector.hashInput}`);
    expect([...new Set(kinds)].sort()).toEqual([
      'request DELETE none',
      'request GET none',
      'request GET query',
      'request PATCH body',
      'request POST body',
      'request PUT body',
      'webhook POST body',
    ]);
  });

  test('agrees with an answer made by another tool', () => {
    // printf '1767225605000\nGET\n/api/v1/merchants/M-1042/orders/order-2026-000001' |
    //   openssl dgst -sha256 -hmac test_secret_merchant_0001 -binary | base64
    expect(vectors.find(({ id }) => id === 'orders-query')?.signature).toBe(
      'XWUazPFHvjJ10sk3lgtnypAx2W+B9CjMHRrtfoJvjMg=',
    );
  });

  test.each(vectors)('$id: every value follows from what is sent', (vector) => {
    const toHash = hashed(vector);
    const digest = toHash === null ? null : digestOf(toHash);
    const fromUrl = vector.callbackUrl === undefined ? undefined : new URL(vector.callbackUrl);
    expect(vector).toMatchObject({
      methodSigned: vector.method.toUpperCase(),
      path: fromUrl?.pathname ?? vector.path,
      query: fromUrl === undefined ? vector.query : fromUrl.search.slice(1) || null,
      bodyLength: vector.body === null ? null : bodyBytes(vector).length,
      hashInput: digest === null ? 'none' : vector.method.toUpperCase().startsWith('P') ? 'body' : 'query',
      sha256Hex: digest?.toString('hex') ?? null,
      sha256Base64: digest?.toString('base64') ?? null,
      components: lines(vector),
      signatureString: text(vector),
      signature: macOf(text(vector), vector.secret).toString('base64'),
    });
  });
});

describe('must-not-verify.json', () => {
  test('has at least 15 vectors, each with an id of its own', () => {
    expect(wrongVectors.length).toBeGreaterThanOrEqual(15);
    expect(repeated(wrongVectors.map(({ id }) => id))).toEqual([]);
  });

  test('each mistake has a code of its own and is shown by a vector; no vector shows another', () => {
    const codes = mistakes.map(({ code }) => code);
    expect(repeated(codes)).toEqual([]);
    expect([...new Set(wrongVectors.map(({ mistake }) => mistake))].sort()).toEqual(codes.toSorted());
  });

  test.each(wrongVectors)('$id: is a request that vectors.json signs rightly', (sent) => {
    const twin = present(
      vectors.find(({ id }) => id === sent.vector),
      sent.vector,
    );
    const { id: _, mistake, vector, used, right, wrong, ...request } = sent;
    expect(twin).toMatchObject({ ...request, ...right });
  });

  test.each(wrongVectors)('$id: is not the right signature, and is what the mistake makes', (sent) => {
    const rightString = text(sent);
    expect(sent.right.signature).toBe(macOf(rightString, sent.secret).toString('base64'));
    expect(sent.wrong.signature).not.toBe(sent.right.signature);

    const wrongString = wrongStrings[sent.mistake]?.(sent);
    const wrongSignature = wrongSignatures[sent.mistake]?.(rightString, sent);
    expect([wrongString, wrongSignature].filter((made) => made !== undefined)).toHaveLength(1);
    expect(sent.wrong.signatureString).toBe(wrongString ?? rightString);
    expect(sent.wrong.signature).toBe(wrongSignature ?? macOf(wrongString ?? '', sent.secret).toString('base64'));
  });
});

describe('the schemas', () => {
  const order = vectors.find(({ id }) => id === 'orders-create');
  const query = vectors.find(({ id }) => id === 'orders-query');
  const webhook = vectors.find(({ id }) => id === 'webhook-order');
  const wrong = wrongVectors.find(({ id }) => id === 'signature-hex');
  const others = <T>(all: T[], one: T | undefined): T[] => all.filter((vector) => vector !== one);

  test.each([
    ['a signature in hex', order, { signature: '0'.repeat(64) }],
    ['a timestamp in seconds', order, { timestamp: '1767225600' }],
    ['an id that is not kebab-case', order, { id: 'ordersCreate' }],
    ['a body without its encoding', order, { bodyEncoding: null }],
    ['a fourth component without a digest', order, { sha256Base64: null }],
    ['a digest without a fourth component', query, { sha256Base64: 'hSqW4MWlFFPs2KpM8Z/m3oINAh/WFzTqXYCa0dmC2gg=' }],
    ['a GET that hashes a body', query, { hashInput: 'body' }],
    ['a callback address on a request', order, { callbackUrl: 'https://shop.example/hooks' }],
    ['a webhook without a callback address', webhook, { callbackUrl: undefined }],
    ['a webhook without its first component', webhook, { components: webhook?.components.slice(1) }],
    ['a path with its query', order, { path: '/api/v1/merchants/M-1042/refunds?a=1' }],
    ['a path without its first slash', order, { path: 'api/v1' }],
    ['a field nobody knows', order, { note: '' }],
  ])('vectors: refuse %s', (_, vector, change) => {
    const file = (last: unknown) =>
      JSON.parse(JSON.stringify({ $schema: './vectors.schema.json', vectors: [...others(vectors, vector), last] }));
    expect(isVectorsFile(file(vector))).toBe(true);
    expect(isVectorsFile(file({ ...vector, ...change }))).toBe(false);
  });

  test.each([
    ['no code of a mistake', { mistake: undefined }],
    ['no right signature beside the wrong one', { right: undefined }],
    ['a code that is not kebab-case', { mistake: 'Signature in hex' }],
  ])('must-not-verify: refuse %s', (_, change) => {
    const file = (last: unknown) =>
      JSON.parse(
        JSON.stringify({
          $schema: './must-not-verify.schema.json',
          mistakes,
          vectors: [...others(wrongVectors, wrong), last],
        }),
      );
    expect(isMustNotVerifyFile(file(wrong))).toBe(true);
    expect(isMustNotVerifyFile(file({ ...wrong, ...change }))).toBe(false);
  });
});

describe('vectors.mjs', () => {
  const program = fileURLToPath(new URL('vectors.mjs', import.meta.url));
  const compute = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
      encoding: 'utf8',
    });
    return { status, stderr };
  };

  test('--check finds the committed files to be what inputs.yaml makes', () => {
    expect(compute('--check')).toEqual({ status: 0, stderr: '' });
  });

  test('--check exits 1 and names the files that are missing or changed', () => {
    const out = mkdtempSync(join(tmpdir(), 'vectors-'));
    onTestFinished(() => rmSync(out, { recursive: true }));
    expect(compute('--check', '--out', out)).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^vectors\.json is stale.*\nmust-not-verify\.json is stale/),
    });
    compute('--out', out);
    expect(compute('--check', '--out', out)).toEqual({ status: 0, stderr: '' });
    appendFileSync(join(out, 'vectors.json'), '\n');
    expect(compute('--check', '--out', out)).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^vectors\.json is stale[^\n]*\n$/),
    });
  });
});
