import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type SignatureMistakeCode, signatureMistakes } from '../../../generated/catalogue.ts';
import { findMistake, type SignedInstead, wrongSignatures } from './mistakes.ts';
import { explainSignature, type RequestToSign, signatureOf } from './signature.ts';
import { requestOf, vectorNamed, vectors, wrongVectors } from './testing/vectors.ts';

const codes = signatureMistakes.map(({ code }) => code);
const everything: SignedInstead = {
  secret: 'test_secret_of_somebody_else',
  timestamp: '1767225599999',
  apiKey: 'test_key_merchant_0001',
  origin: 'https://sandbox.payments.example',
};

describe('signatures that must not verify', () => {
  test.each(wrongVectors)('$id: is found as its own mistake, and as no other', (vector) => {
    const request = requestOf(vector);
    const yielding = codes.filter((code) =>
      wrongSignatures[code](request, vector.secret, vector.used).includes(vector.wrong.signature),
    );
    expect(yielding).toEqual([vector.mistake]);
    expect(findMistake(request, vector.secret, vector.wrong.signature, vector.used)?.code).toBe(vector.mistake);
  });

  test('each mistake is among them', () => {
    expect(new Set(wrongVectors.map(({ mistake }) => mistake))).toEqual(new Set(codes));
  });

  test.each(['secret', 'timestamp', 'origin'])('without the %s that was used, no mistake is named', (what) => {
    const guessed = wrongVectors.filter(({ used }) => used !== undefined && what in used);
    expect(guessed.length).toBeGreaterThan(0);
    for (const vector of guessed) {
      expect(findMistake(requestOf(vector), vector.secret, vector.wrong.signature)).toBeUndefined();
    }
  });
});

describe('the right signature', () => {
  test.each(vectors)('$id: is nobody’s mistake', (vector) => {
    const request = requestOf(vector);
    for (const code of codes) {
      const made = wrongSignatures[code](request, vector.secret, everything);
      expect(made, code).not.toContain(vector.signature);
      expect(made, code).toEqual([...new Set(made)]);
    }
    expect(findMistake(request, vector.secret, vector.signature, everything)).toBeUndefined();
  });

  test('even where the value used instead is the right one', () => {
    const vector = vectorNamed('orders-query');
    const { timestamp, secret } = vector;
    expect(wrongSignatures['timestamp-of-another-request'](requestOf(vector), secret, { timestamp })).toEqual([]);
    expect(wrongSignatures['secret-of-another-merchant'](requestOf(vector), secret, { secret })).toEqual([]);
  });
});

const secret = 'test_secret_merchant_0001';
const get = (path: string, query?: string): RequestToSign => ({
  ...{ timestamp: '1767225600500', method: 'GET', path, query },
});
const post = (body: string | Uint8Array, query?: string): RequestToSign => ({
  ...{ timestamp: '1767225600500', method: 'POST', path: '/api/v1/merchants/M-1/orders', query },
  body: Buffer.from(body),
});

describe('a mistake that cannot be made of a request', () => {
  const order = post('{"a":1}');
  const lookup = get('/api/v1/merchants/M-1/orders/order-1');
  const search = get('/api/v1/merchants/M-1/refunds', 'b=1');

  test.each<[SignatureMistakeCode, string, RequestToSign]>([
    ['path-with-query', 'there is no query', lookup],
    ['query-on-path-only', 'there is no query', lookup],
    ['query-on-path-only', 'the query is not signed', post('{}', 'a=1')],
    ['query-with-question-mark', 'there is no query', lookup],
    ['query-with-question-mark', 'the query is not signed', post('{}', 'a=1')],
    ['query-decoded', 'nothing is encoded', search],
    ['query-decoded', 'it cannot be decoded', get('/a', 'b=%E5%A4')],
    ['query-re-encoded', 'it would be encoded the same', search],
    ['query-sorted', 'it is sorted', search],
    ['query-not-hashed', 'the query is not signed', post('{}', 'a=1')],
    ['query-left-out', 'there is no query', lookup],
    ['query-left-out', 'the query is not signed', post('{}', 'a=1')],
    ['body-left-out', 'there is no body', lookup],
    ['body-not-hashed', 'there is no body', search],
    ['body-re-serialised', 'there is no body', search],
    ['body-re-serialised', 'it is no JSON', post('{"a":')],
    ['body-re-serialised', 'it is no UTF-8', post(Buffer.from('{"a":"\xe9"}', 'latin1'))],
    ['body-trimmed', 'there is nothing around it', order],
    ['body-trimmed', 'it ends in a byte that is a space in Latin-1 only', post('à')],
    ['body-empty-hashed', 'there is a body', order],
    ['body-empty-hashed', 'there is a query', search],
    ['hash-hex', 'there is no hash', lookup],
    ['hash-hex-in-base64', 'there is no hash', lookup],
    ['hash-of-hash-hex', 'there is no hash', lookup],
    ['path-decoded', 'nothing is encoded', lookup],
    ['path-decoded', 'it cannot be decoded', get('/a/100%')],
    ['path-without-api-prefix', 'there is no prefix', get('/hooks/api/v11/orders')],
    ['secret-hex-decoded', 'the secret is no hex', lookup],
    ['timestamp-in-seconds', 'the timestamp is in seconds as it is', { ...lookup, timestamp: '1767225600' }],
  ])('%s: %s', (code, _, request) => {
    expect(wrongSignatures[code](request, secret, everything)).toEqual([]);
  });

  test('secret-base64-decoded: nothing of the secret is Base64', () => {
    expect(wrongSignatures['secret-base64-decoded'](lookup, '秘密')).toEqual([]);
  });
});

describe('variants of a mistake', () => {
  /** The signature where the body was this one when it was hashed. */
  const overBody = (body: string) => (request: RequestToSign) =>
    signatureOf({ ...request, body: Buffer.from(body) }, secret);
  const overQuery = (query: string) => (request: RequestToSign) => signatureOf({ ...request, query }, secret);
  const overTimestamp = (timestamp: string) => (request: RequestToSign) =>
    signatureOf({ ...request, timestamp }, secret);
  const overPath = (path: string) => (request: RequestToSign) => signatureOf({ ...request, path }, secret);
  const overMethod = (method: string) => (request: RequestToSign) => {
    const { components } = explainSignature(request, secret);
    return createHmac('sha256', secret).update(components.with(1, method).join('\n')).digest('base64');
  };
  const joinedBy = (separator: string) => (request: RequestToSign) =>
    createHmac('sha256', secret).update(explainSignature(request, secret).components.join(separator)).digest('base64');
  const inOrder =
    (...places: number[]) =>
    (request: RequestToSign) => {
      const { components } = explainSignature(request, secret);
      const text = places.map((place) => components[place]).join('\n');
      return createHmac('sha256', secret).update(text).digest('base64');
    };
  const right = (request: RequestToSign) => signatureOf(request, secret);

  const order = post('{"b":"é/x","a":[1,{"c":","}]}');
  const search = get('/api/v1/merchants/M-1/refunds', 'id=2&id=1');

  test.each<[SignatureMistakeCode, string, RequestToSign, (request: RequestToSign) => string]>([
    ['timestamp-in-seconds', 'cut', search, overTimestamp('1767225600')],
    ['timestamp-in-seconds', 'with a fraction', search, overTimestamp('1767225600.5')],
    ['method-lower-case', 'as it was given', { ...search, method: 'Get' }, overMethod('Get')],
    ['body-re-serialised', 'spaces', order, overBody('{"b": "é/x", "a": [1, {"c": ","}]}')],
    ['body-re-serialised', 'spaces and escapes', order, overBody('{"b": "\\u00e9/x", "a": [1, {"c": ","}]}')],
    ['body-re-serialised', 'keys sorted', order, overBody('{"a":[1,{"c":","}],"b":"é/x"}')],
    ['body-re-serialised', 'slashes escaped', order, overBody('{"b":"é\\/x","a":[1,{"c":","}]}')],
    ['body-re-serialised', 'a byte order mark dropped', post('\uFEFF{"a":1}'), overBody('{"a":1}')],
    ['body-trimmed', 'the last line end only', post(' {}\n\n'), overBody(' {}\n')],
    ['body-trimmed', 'the end only', post(' {} \r\n'), overBody(' {}')],
    ['query-decoded', 'plus as a space', get('/a', 'n=two+words'), overQuery('n=two words')],
    ['query-re-encoded', 'a space as %20', get('/a', 'n=two+words'), overQuery('n=two%20words')],
    ['query-re-encoded', 'an apostrophe left alone', get('/a', 'n=%27%20'), overQuery("n='%20")],
    ['query-sorted', 'by name only', get('/a', 'id=2&id=1&a=3'), overQuery('a=3&id=2&id=1')],
    ['query-sorted', 'by name and value', get('/a', 'id=2&id=1&a=3'), overQuery('a=3&id=1&id=2')],
    ['path-decoded', 'encoded slashes left', get('/a%2Fb%20c'), overPath('/a%2Fb c')],
    ['path-with-query', 'a bare question mark', get('/a', ''), overPath('/a?')],
    [
      'path-full-url',
      'with the query',
      search,
      overPath('https://sandbox.payments.example/api/v1/merchants/M-1/refunds?id=2&id=1'),
    ],
    [
      'signature-hex',
      'in capitals',
      order,
      (request) => Buffer.from(right(request), 'base64').toString('hex').toUpperCase(),
    ],
    [
      'signature-base64url',
      'with its padding',
      search,
      (request) => right(request).replaceAll(/[+/]/g, (symbol) => (symbol === '+' ? '-' : '_')),
    ],
    [
      'secret-white-space',
      'a carriage return with the line feed',
      order,
      (request) => signatureOf(request, `${secret}\r\n`),
    ],
    ['secret-white-space', 'a space before it', order, (request) => signatureOf(request, ` ${secret}`)],
    ['path-trailing-slash', 'left out', get('/a/'), overPath('/a')],
    ['path-shortened', 'its first slash', search, overPath('api/v1/merchants/M-1/refunds')],
    ['path-shortened', 'all but its last part', search, overPath('/refunds')],
    ['path-with-prefix', 'a base address written twice', search, overPath('/api/v1/api/v1/merchants/M-1/refunds')],
    ['secret-replaced', 'the API key', order, (request) => signatureOf(request, 'test_key_merchant_0001')],
    ['secret-replaced', 'the merchant id', order, (request) => signatureOf(request, 'M-1')],
    ['secret-replaced', 'nothing', order, (request) => signatureOf(request, '')],
    ['components-reordered', 'the path first', order, inOrder(2, 0, 1, 3)],
    ['components-reordered', 'the hash before the path', order, inOrder(0, 1, 3, 2)],
    ['components-reordered', 'without a hash', get('/a'), inOrder(1, 2, 0)],
    ['separator-other', 'a comma', order, joinedBy(',')],
  ])('%s: %s', (code, _, request, wrong) => {
    expect(findMistake(request, secret, wrong(request), everything)?.code).toBe(code);
  });

  test('a body that is no text is signed as it is, in place of its hash', () => {
    const request = post(Buffer.from([0xff, 0x00]));
    // printf '1767225600500\nPOST\n/api/v1/merchants/M-1/orders\n\377\000' |
    //   openssl dgst -sha256 -hmac test_secret_merchant_0001 -binary | base64
    expect(wrongSignatures['body-not-hashed'](request, secret)).toContain(
      'VEk7U9rj8mZxOd3xamIA+mYeC20f3mD2a9w+ZKLZRs8=',
    );
  });
});

test('where two mistakes make the same signature, the first in the catalogue is named', () => {
  // Decoding and encoding again agree on `*`: both hash `a=*`.
  const request = get('/a', 'a=%2A');
  const [signature] = wrongSignatures['query-decoded'](request, secret);
  expect(wrongSignatures['query-re-encoded'](request, secret)).toContain(signature);
  expect(findMistake(request, secret, signature ?? '')?.code).toBe('query-decoded');
});

test('a signature that no mistake explains names none', () => {
  expect(findMistake(post('{}'), secret, 'HAs9u5gwpySeLlfzjgOXPTSU2EZLFD36WxvVPoFAmg4=')).toBeUndefined();
});
