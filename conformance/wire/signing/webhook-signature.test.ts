import { describe, expect, test } from 'vitest';
import { signatureOf } from './signature.ts';
import { bodyOf, requestOf, webhookVectors, wrongWebhookVectors } from './testing/vectors.ts';
import { verifyingSchemes, webhookMistake } from './webhook-signature.ts';

type Vector = (typeof webhookVectors)[number] | (typeof wrongWebhookVectors)[number];

const webhookOf = (vector: Vector, signature: string) => ({
  method: 'POST',
  paths: [vector.path],
  query: '',
  headers: { 'x-timestamp': vector.timestamp, 'x-signature': signature },
  body: Buffer.from(bodyOf(vector) ?? []),
});

describe('the scheme of a webhook', () => {
  test.each(webhookVectors)('$id: is that with the line first', (vector) => {
    expect(verifyingSchemes(webhookOf(vector, vector.signature), vector.secret)).toEqual(['prefixed']);
  });

  test.each(webhookVectors)('$id: is that of requests without the line', (vector) => {
    const signature = signatureOf(requestOf(vector), vector.secret);
    expect(verifyingSchemes(webhookOf(vector, signature), vector.secret)).toEqual(['request-scheme']);
  });

  test.each(webhookVectors)('$id: is found among several signatures, in any place', (vector) => {
    const other = signatureOf(requestOf(vector), 'another secret');
    for (const signatures of [`${other} ${vector.signature}`, `${vector.signature} ${other}`])
      expect(verifyingSchemes(webhookOf(vector, signatures), vector.secret)).toEqual(['prefixed']);
  });

  test.each(wrongWebhookVectors)('$id: is none', (vector) => {
    expect(verifyingSchemes(webhookOf(vector, vector.wrong.signature), vector.secret)).toEqual([]);
  });

  test.each(webhookVectors)('$id: is none under another secret', (vector) => {
    expect(verifyingSchemes(webhookOf(vector, vector.signature), 'another secret')).toEqual([]);
  });
});

describe('the mistake in the signature of a webhook', () => {
  const merchant = { merchantId: 'M-1', apiKey: 'ak_of_it', apiSecret: '' };

  test.each(webhookVectors)('$id: is its encoding, or the key as the secret', (vector) => {
    const { signature, secret } = vector;
    const bytes = Buffer.from(signature, 'base64');
    const told = (text: string) => webhookMistake(webhookOf(vector, text), { ...merchant, apiSecret: secret });
    expect(told(bytes.toString('hex'))).toContain('hexadecimal');
    expect(told(bytes.toString('base64url'))).toContain('URL-safe');
    const byKey = signatureOf(requestOf(vector), merchant.apiKey);
    expect(told(byKey)).toContain('the API key');
  });

  test.each(webhookVectors)('$id: is the query that is signed too, also where another signature is right', (vector) => {
    const { path, secret } = vector;
    const [request, query] = [requestOf(vector), '?shop=7'];
    const withQuery = signatureOf({ ...request, path: `${path}${query}` }, secret);
    const webhook = { ...webhookOf(vector, `${vector.signature} ${withQuery}`), query };
    expect(webhookMistake(webhook, { ...merchant, apiSecret: secret })).toContain('the path alone');
    expect(webhookMistake({ ...webhook, query: '' }, { ...merchant, apiSecret: secret })).toBeUndefined();
  });

  test.each([
    ['/Shop%2BA/h', '/Shop+A/h', 'is signed decoded'],
    ['/', '', 'an empty path'],
  ])('is the path of an address %s that is signed as "%s"', (path, instead, words) => {
    const [vector] = webhookVectors;
    if (vector === undefined) throw new Error('there are no vectors of webhooks');
    const { secret } = vector;
    const signature = signatureOf({ ...requestOf(vector), path: instead }, secret);
    const webhook = { ...webhookOf(vector, signature), paths: [path] };
    expect(verifyingSchemes(webhook, secret)).toEqual([]);
    expect(webhookMistake(webhook, { ...merchant, apiSecret: secret })).toContain(words);
  });

  test.each(wrongWebhookVectors)('$id: is none of those', (vector) => {
    const other = signatureOf(requestOf(vector), 'another secret');
    expect(webhookMistake(webhookOf(vector, other), { ...merchant, apiSecret: vector.secret })).toBeUndefined();
  });
});
