import { describe, expect, test } from 'vitest';
import { explainSignature, type RequestToSign, signatureOf } from './signature.ts';
import { requestOf, vectors } from './testing/vectors.ts';

const present = <T>(value: T | null): T | undefined => value ?? undefined;

test.each(vectors)('$id: $title', (vector) => {
  const steps = explainSignature(requestOf(vector), vector.secret);
  expect(steps).toEqual({
    components: vector.components,
    hashInput: vector.hashInput,
    sha256Hex: present(vector.sha256Hex),
    sha256Base64: present(vector.sha256Base64),
    signatureString: vector.signatureString,
    signature: vector.signature,
  });
  expect(signatureOf(requestOf(vector), vector.secret)).toBe(vector.signature);
});

describe('where the vectors are silent', () => {
  const request: RequestToSign = { timestamp: '1767225600000', method: 'GET', path: '/a' };
  const components = (change: Partial<RequestToSign>) => explainSignature({ ...request, ...change }, 's').components;

  test('a DELETE with a query is signed like a GET with it', () => {
    expect(components({ method: 'DELETE', query: 'a=1' })[3]).toBe(components({ query: 'a=1' })[3]);
  });

  test('a POST without a body has the hash of no bytes', () => {
    // openssl dgst -sha256 -binary </dev/null | base64
    expect(components({ method: 'POST' })[3]).toBe('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
  });
});
