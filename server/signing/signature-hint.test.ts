import { describe, expect, it } from 'vitest';
import mustNotVerify from '../../openapi/vectors/must-not-verify.json' with { type: 'json' };
import { type SignedRequest, sign } from './request-signature.ts';
import { signatureHint } from './signature-hint.ts';

/** The part that each mistake of the vectors concerns, where a server can tell from the signature alone. */
const parts: Readonly<Record<string, string>> = {
  'signature-hex': 'signature',
  'separator-crlf': 'separator',
  'separator-missing': 'separator',
  'trailing-line-feed': 'separator',
  'timestamp-in-seconds': 'timestamp',
  'method-lower-case': 'method',
  'path-with-query': 'path',
  'path-decoded': 'path',
  'path-without-api-prefix': 'path',
  'body-left-out': 'hash',
  'query-left-out': 'hash',
  'hash-hex': 'hash',
  'query-with-question-mark': 'query',
  'query-sorted': 'query',
  'body-re-serialised': 'body',
};

const vectors = mustNotVerify.vectors.filter(({ mistake, kind }) => kind === 'request' && mistake in parts);

describe('the hint at a wrong signature', () => {
  it.each(vectors.map((vector) => [vector.id, vector] as const))('names the part that differs in %s', (_id, vector) => {
    const { timestamp, method, path, query, body, secret, wrong, right, mistake } = vector;
    const request: SignedRequest = {
      timestamp,
      method,
      path,
      query: query || undefined,
      body: Buffer.from(typeof body === 'string' ? body : '', 'utf8'),
    };
    const hint = signatureHint(request, secret, wrong.signature);
    expect(hint).toContain(`The ${parts[mistake]} differs`);
    for (const component of right.components) expect(hint).toContain(JSON.stringify(component));
    expect(hint).not.toContain(secret);
    expect(hint).not.toContain(right.signature);
  });

  const indented = JSON.stringify({ deep: [1, ']'] }, null, 2);
  it.each([
    ['is small and shallow', (text: string) => text, true],
    ['is large', (text: string) => `{"a":"${'a'.repeat(16_384)}","b":${text}}`, false],
    ['is deep', (text: string) => `${'['.repeat(33)}${text}${']'.repeat(33)}`, false],
    ['is deep behind brackets in texts', (text: string) => `${'["]",'.repeat(33)}${text}${']'.repeat(33)}`, false],
  ])('writes a body again only where it %s', (_what, wrap, again) => {
    const body = Buffer.from(wrap(indented));
    const request = { timestamp: '1767225600000', method: 'POST', path: '/a', query: undefined, body };
    const compact = sign({ ...request, body: Buffer.from(JSON.stringify(JSON.parse(body.toString()))) }, 'secret');
    expect(signatureHint(request, 'secret', compact).startsWith('The body differs')).toBe(again);
  });

  it('covers every mistake that it says it can tell', () => {
    expect(Object.keys(parts).filter((mistake) => !vectors.some((vector) => vector.mistake === mistake))).toEqual([]);
  });

  it('shows what the server signs where no usual mistake explains the signature', () => {
    const request = { timestamp: '1767225600000', method: 'GET', path: '/a', query: undefined, body: Buffer.alloc(0) };
    const hint = signatureHint(request, 'secret', sign(request, 'another secret'));
    expect(hint).toBe('The server joins these parts by line feeds and signs them: "1767225600000", "GET", "/a"');
  });
});
