import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { standardSignature, webhookHeaders } from './webhook-signature.ts';

interface Vector {
  id: string;
  kind: string;
  secret: string;
  timestamp: string;
  callbackUrl: string;
  body: string;
  signature: string;
}

const { vectors }: { vectors: Vector[] } = JSON.parse(
  readFileSync(new URL('../../openapi/vectors/vectors.json', import.meta.url), 'utf8'),
);
const webhooks = vectors.filter(({ kind }) => kind === 'webhook');

test('there are vectors of webhooks', () => {
  expect(webhooks.length).toBeGreaterThanOrEqual(6);
});

test.each(webhooks)('signs $id as it is written', ({ secret, timestamp, callbackUrl, body, signature }) => {
  const headers = webhookHeaders.prefixed({
    url: callbackUrl,
    payload: body,
    eventId: 'evt.1',
    secrets: [secret],
    now: Number(timestamp),
  });
  expect(headers['Content-Type']).toBe('application/json');
  expect(headers['X-Timestamp']).toBe(timestamp);
  expect(headers['X-Signature']).toBe(signature);
});

test('signs the path that the request line will say', () => {
  const secret = 's3cret';
  const headers = webhookHeaders.both({
    url: 'https://shop.example/a/../hooks/grün?x=1',
    payload: '{}',
    eventId: 'evt.1',
    secrets: [secret],
    now: 1_767_225_900_000,
  });
  const hash = createHash('sha256').update('{}').digest('base64');
  const signed = `1767225900000\nPOST\n/hooks/gr%C3%BCn\n${hash}`;
  expect(headers['X-Signature']).toBe(createHmac('sha256', secret).update(signed).digest('base64'));
});

test("makes the signature of Standard Webhooks' own example", () => {
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const signature = standardSignature(key, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', '{"test": 2432232314}');
  expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('its Standard Webhooks headers verify with the secret as a library takes it', () => {
  const secret = 'gehëim-0001';
  const payload = '{"note":"绿茶 🍵"}';
  const headers = webhookHeaders.both({
    url: 'https://shop.example/',
    payload,
    eventId: 'evt.7',
    secrets: [secret],
    now: 1_767_225_900_999,
  });
  expect(headers['webhook-id']).toBe('evt.7');
  expect(headers['webhook-timestamp']).toBe('1767225900');

  // What libraries for the standard do: the key is what follows whsec_, decoded.
  const given = `whsec_${Buffer.from(secret, 'utf8').toString('base64')}`;
  const key = Buffer.from(given.slice('whsec_'.length), 'base64');
  const content = Buffer.from(`evt.7.1767225900.${payload}`, 'utf8');
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);
});

test('carries the headers of the scheme that is chosen, and no other', () => {
  const attempt = {
    url: 'https://shop.example/',
    payload: '{}',
    eventId: 'evt.7',
    secrets: ['s3cret'],
    now: 1_767_225_900_999,
  };
  const names = (scheme: keyof typeof webhookHeaders) => Object.keys(webhookHeaders[scheme](attempt));
  const ours = ['X-Timestamp', 'X-Signature'];
  const standard = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  expect(names('request-scheme')).toEqual(['Content-Type', ...ours]);
  expect(names('standard-webhooks')).toEqual(['Content-Type', ...standard]);
  expect(names('both')).toEqual(['Content-Type', ...ours, ...standard]);
  expect(names('prefixed')).toEqual(['Content-Type', ...ours, ...standard]);
});

test('signs under each of several secrets', () => {
  const attempt = { url: 'https://shop.example/', payload: '{}', eventId: 'evt.7', now: 1_767_225_900_999 };
  const [one, two, together] = [['new'], ['old'], ['new', 'old']].map((secrets) =>
    webhookHeaders.prefixed({ ...attempt, secrets }),
  );
  for (const name of ['X-Signature', 'webhook-signature']) {
    expect(together?.[name]).toBe(`${one?.[name]} ${two?.[name]}`);
    expect(one?.[name]).not.toBe(two?.[name]);
  }
});
