import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { equalInConstantTime, type SignedRequest, sign, signatureString } from './request-signature.ts';

interface Vector {
  id: string;
  kind: string;
  secret: string;
  timestamp: string;
  method: string;
  path: string;
  query: string | null;
  body: string | { repeat: string; times: number } | null;
  bodyEncoding: 'utf8' | 'base64' | null;
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../openapi/vectors/${name}`, import.meta.url), 'utf8'));
const isRequest = ({ kind }: Vector) => kind === 'request';
const right: { vectors: (Vector & { signatureString: string; signature: string })[] } = read('vectors.json');
const wrong: { vectors: (Vector & { right: { signature: string }; wrong: { signature: string } })[] } =
  read('must-not-verify.json');
const vectors = right.vectors.filter(isRequest);
const wrongVectors = wrong.vectors.filter(isRequest);

function signedRequest({ timestamp, method, path, query, body, bodyEncoding }: Vector): SignedRequest {
  const text = typeof body === 'string' ? body : (body?.repeat.repeat(body.times) ?? '');
  return { timestamp, method, path, query: query || undefined, body: Buffer.from(text, bodyEncoding ?? 'utf8') };
}

describe('signs each vector as it is written', () => {
  test('and there are vectors', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(30);
    expect(wrongVectors.length).toBeGreaterThanOrEqual(15);
  });

  test.each(vectors)('$id', (vector) => {
    expect(signatureString(signedRequest(vector))).toBe(vector.signatureString);
    expect(sign(signedRequest(vector), vector.secret)).toBe(vector.signature);
  });
});

describe('verifies none of the mistakes', () => {
  test.each(wrongVectors)('$id', (vector) => {
    const signature = sign(signedRequest(vector), vector.secret);
    expect(equalInConstantTime(vector.right.signature, signature)).toBe(true);
    expect(equalInConstantTime(vector.wrong.signature, signature)).toBe(false);
  });
});
