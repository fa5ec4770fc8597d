import { describe, expect, it } from 'vitest';
import { wrongSignatures } from '../../conformance/wire/signing/mistakes.ts';
import { bodyOf, vectors } from '../../conformance/wire/signing/testing/vectors.ts';
import { signatureMistakes } from '../../generated/catalogue.ts';
import mustNotVerify from '../../openapi/vectors/must-not-verify.json' with { type: 'json' };
import { sign } from './request-signature.ts';
import { signatureHint } from './signature-hint.ts';
import type { RefusedRequest } from './signature-mistakes.ts';

const host = 'sandbox.payments.example';
const apiKey = 'test_key_merchant_0001';
const origin = `https://${host}`;

/** The mistakes that no server can tell from a request and the secret. */
const untold = ['secret-of-another-merchant', 'timestamp-of-another-request'];

/** The request of a vector, as the server hands it on. */
function requestOf(vector: Parameters<typeof bodyOf>[0]): RefusedRequest {
  const { timestamp, method, path, query } = vector;
  const body = Buffer.from(bodyOf(vector) ?? []);
  return { timestamp, method, path, query: query || undefined, sentQuery: query ?? undefined, host, apiKey, body };
}

/** The mistake that a hint names, if it names one. */
const namedIn = (hint: string) => /^[a-z0-9-]+(?=: )/.exec(hint)?.[0];

describe('the hint at a wrong signature', () => {
  const told = mustNotVerify.vectors.filter(({ mistake, kind }) => kind === 'request' && !untold.includes(mistake));

  it.each(told.map((vector) => [vector.id, vector] as const))('names the mistake in %s', (_id, vector) => {
    const { secret, wrong, right, mistake } = vector;
    const hint = signatureHint(requestOf(vector), secret, wrong.signature);
    expect(namedIn(hint)).toBe(mistake);
    for (const component of right.components) expect(hint).toContain(JSON.stringify(component));
    expect(hint).not.toContain(secret);
    expect(hint).not.toContain(right.signature);
  });

  it('covers every mistake of the catalogue but those that no server can tell', () => {
    const codes = signatureMistakes.map(({ code }) => code);
    expect(codes.filter((code) => !told.some(({ mistake }) => mistake === code))).toEqual(untold);
  });

  const sought = vectors.filter((vector) => requestOf(vector).body.length <= 16_384);

  it.each(sought.map((vector) => [vector.id, vector] as const))(
    'names what `assay sign` names for %s',
    (_id, vector) => {
      const { secret, method } = vector;
      const request = { ...requestOf(vector), method: method.toUpperCase() };
      const toSign = { ...request, query: request.sentQuery };
      // Where two mistakes lead to one signature, the first in the catalogue is named: it is set last.
      const named = new Map<string, string>();
      for (const { code } of signatureMistakes.toReversed()) {
        for (const wrong of wrongSignatures[code](toSign, secret, { origin, apiKey })) named.set(wrong, code);
      }
      expect(named.size).toBeGreaterThan(signatureMistakes.length / 2);
      for (const [wrong, code] of named) expect(namedIn(signatureHint(request, secret, wrong)), wrong).toBe(code);
    },
  );

  const post = (body: Buffer): RefusedRequest => ({
    ...{ timestamp: '1767225600000', method: 'POST', path: '/a', query: undefined, sentQuery: undefined },
    ...{ host, body },
  });

  const indented = JSON.stringify({ deep: [1, ']'] }, null, 2);
  it.each([
    ['is small and shallow', (text: string) => text, true],
    ['is large', (text: string) => `{"a":"${'a'.repeat(16_384)}","b":${text}}`, false],
    ['is eight deep', (text: string) => `${'['.repeat(6)}${text}${']'.repeat(6)}`, true],
    ['is nine deep', (text: string) => `${'['.repeat(7)}${text}${']'.repeat(7)}`, false],
    ['is nine deep behind brackets in texts', (text: string) => `${'["]",'.repeat(7)}${text}${']'.repeat(7)}`, false],
  ])('writes a body again only where it %s', (_what, wrap, again) => {
    const request = post(Buffer.from(wrap(indented)));
    const compact = sign({ ...request, body: Buffer.from(JSON.stringify(JSON.parse(`${request.body}`))) }, 'secret');
    expect(namedIn(signatureHint(request, 'secret', compact))).toBe(again ? 'body-re-serialised' : undefined);
  });

  it('names a mistake beside a large body, if it is not in the body', () => {
    const request = post(Buffer.alloc(100_000));
    const wrong = Buffer.from(sign(request, 'secret'), 'base64').toString('hex');
    expect(namedIn(signatureHint(request, 'secret', wrong))).toBe('signature-hex');
  });

  it('says that the body is hashed where a query is sent with it', () => {
    const request = { ...post(Buffer.from('{}')), query: 'b=1', sentQuery: 'b=1' };
    expect(signatureHint(request, 'secret', 'AAAA')).toMatch(/; the last is Base64\(SHA256\(2 bytes of body\)\)$/);
  });

  it('shows what the server signs where no usual mistake explains the signature', () => {
    const request = { ...post(Buffer.alloc(0)), method: 'GET' };
    const hint = signatureHint(request, 'secret', sign(request, 'another secret'));
    expect(hint).toBe('The server joins these parts by line feeds and signs them: "1767225600000", "GET", "/a"');
  });
});
