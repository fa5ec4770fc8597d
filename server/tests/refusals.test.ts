import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { failureOf, orderOf } from './support/contract.ts';
import { merchantClient, newMerchant } from './support/server.ts';
import { sharedServer } from './support/shared-server.ts';
import { signedHeaders } from './support/signing.ts';

const server = await sharedServer();
const merchant = merchantClient(server, await newMerchant(server));

describe('a body that cannot be used is refused in the failure envelope', () => {
  const deep = 10_000;
  const bodies: [string, string | Buffer][] = [
    ['none', ''],
    ['spaces', '   '],
    ['malformed JSON', '{"merchantOrderId":'],
    ['two values', '{} {}'],
    ['a byte order mark alone', '\ufeff'],
    ['null', 'null'],
    ['an array', '[]'],
    ['text', '"text"'],
    ['a number', '1e999'],
    ['an empty object', '{}'],
    ['a NUL byte', '{"merchantOrderId":"\0"}'],
    ['deep arrays', '['.repeat(deep) + ']'.repeat(deep)],
    ['deep objects', `${'{"items":'.repeat(deep)}1${'}'.repeat(deep)}`],
    ['an unclosed nest', '['.repeat(deep)],
    ['a whole megabyte of nests', '['.repeat(500_000) + ']'.repeat(500_000)],
  ];

  test.each(bodies)('%s', async (_, body) => {
    const { code, data } = failureOf(await merchant.post(body));
    expect(code).toBe('10001');
    expect(data).toMatchObject({ merchantId: merchant.merchantId, merchantOrderId: null });
  });

  test('a right one cut short', async () => {
    const body = JSON.stringify(merchant.body());
    expect(failureOf(await merchant.post(body.slice(0, -1))).code).toBe('10001');
  });

  test('of bytes that are no UTF-8, though it is right otherwise', async () => {
    const body = merchant.body({ description: '\u00ff\u00fe' });
    const failure = failureOf(await merchant.post(Buffer.from(JSON.stringify(body), 'latin1')));
    expect(failure).toMatchObject({ code: '10001', message: expect.stringContaining('UTF-8') });
    expect(failureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
  });

  test('larger than 1 MiB, though it is right otherwise', async () => {
    const body = { ...merchant.body(), customer: { name: 'x'.repeat(1024 * 1024) } };
    const { message, code } = failureOf(await merchant.post(body));
    expect({ code, message }).toEqual({ code: '10001', message: expect.stringMatching(/^body:/) });
    expect(failureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
  });

  test('compressed', async () => {
    const body = merchant.body();
    const headers = { 'Content-Encoding': 'gzip' };
    const failure = failureOf(await merchant.post(gzipSync(JSON.stringify(body)), { headers }));
    expect(failure).toMatchObject({ code: '10001', message: expect.stringContaining('compressed') });
    expect(failureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
  });

  test.each([undefined, '', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'json'])(
    'of content type %s',
    async (type) => {
      const body = merchant.body();
      const { code, message } = failureOf(await merchant.post(body, { headers: { 'Content-Type': type } }));
      expect({ code, message }).toEqual({ code: '10001', message: expect.stringMatching(/content-type/i) });
      expect(failureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
    },
  );

  test.each(['application/json; charset=utf-8', 'Application/JSON'])(
    'but one of content type %s is taken',
    async (type) => {
      orderOf(await merchant.post(merchant.body(), { headers: { 'Content-Type': type } }));
    },
  );
});

describe('keys with a meaning in JavaScript have none in a body', () => {
  test.each(['__proto__', 'constructor', 'prototype'])('%s does not stand in for a required field', async (key) => {
    const { merchantOrderId, ...rest } = merchant.body();
    const text = JSON.stringify({ ...rest, KEY: { merchantOrderId } }).replace('KEY', key);
    expect(failureOf(await merchant.post(text))).toMatchObject({ code: '10001', data: { merchantOrderId: null } });
  });

  test.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])('%s is an unknown field', async (key) => {
    const body = merchant.body();
    const text = JSON.stringify({ ...body, KEY: { status: 'SUCCEEDED', polluted: true } }).replace('KEY', key);
    expect(orderOf(await merchant.post(text)).status).toBe('INIT');
    expect(await merchant.query(body.merchantOrderId)).toMatchObject({ status: 'INIT' });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

test('an unknown field may be nested 10,000 levels deep', async () => {
  const body = merchant.body();
  const text = JSON.stringify({ ...body, unknown: 'NEST' }).replace('"NEST"', '['.repeat(10_000) + ']'.repeat(10_000));
  orderOf(await merchant.post(text));
  expect((await merchant.query(body.merchantOrderId)).status).toBe('INIT');
});

describe('what is no operation is refused in the failure envelope', () => {
  test.each([
    ['GET', ''],
    ['GET', '/'],
    ['POST', '/'],
    ['GET', '/order-000000000001/payments'],
    ['GET', '//order-000000000001'],
    ['POST', '/order-000000000001'],
    ['PUT', ''],
    ['PATCH', '/order-000000000001'],
    ['DELETE', '/order-000000000001'],
    ['OPTIONS', ''],
    ['PROPFIND', ''],
  ])('%s orders%s', async (method, rest) => {
    const body = ['POST', 'PUT', 'PATCH'].includes(method) ? JSON.stringify(merchant.body()) : undefined;
    const { code, data } = failureOf(await merchant.request(method, merchant.ordersPath + rest, body));
    expect(code).toBe('10001');
    expect(data.merchantId).toBe(merchant.merchantId);
  });

  test('HEAD, which has no body, with HTTP status 200', async () => {
    expect(await merchant.request('HEAD', merchant.ordersPath)).toMatchObject({ status: 200, text: '' });
  });

  test('a path that is like ours but for its case', async () => {
    expect((await merchant.request('GET', merchant.ordersPath.toUpperCase())).status).toBe(404);
  });
});

describe('an id that could not exist is not found', () => {
  test.each([
    ['a NUL', '%00'],
    ['a NUL inside', 'order%00-000000000001'],
    ['a slash', 'order%2F000000000001'],
    ['8,000 characters', 'a'.repeat(8000)],
    ['SQL', "'%20OR%201=1--"],
    ['half a surrogate', '%ED%A0%80'],
    ['dots', '%2E%2E'],
    ['other letters', '%E2%82%AC'],
  ])('%s', async (_, id) => {
    const failure = failureOf(await merchant.get(id));
    expect(['10001', '40001']).toContain(failure.code);
    expect(failure.data.merchantId).toBe(merchant.merchantId);
    expect(failure.message.length).toBeLessThan(200);
  });

  test.each(['%', '%zz', '%E0%A4', 'order-%2'])('broken percent-encoding: %s', async (id) => {
    expect(failureOf(await merchant.get(id)).data.merchantOrderId).toBe(id);
  });

  test.each(['%zz', '%00', 'a'.repeat(8000)])('a merchant of that kind: %.20s', async (id) => {
    const failure = failureOf(await merchant.request('GET', `/api/v1/merchants/${id}/orders/order-000000000001`));
    expect(failure.code).not.toBe('00000');
  });
});

test('a chunked body is taken as any other', async () => {
  const body = JSON.stringify(merchant.body());
  orderOf(await merchant.post(body, { headers: { 'Transfer-Encoding': 'chunked' } }));
});

test('a request that ends halfway makes no order and no noise', async () => {
  const body = merchant.body();
  const text = JSON.stringify(body);
  const request = { method: 'POST', target: merchant.ordersPath, body: text, timestamp: String(Date.now()) };
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': text.length,
    ...signedHeaders(merchant, request),
  };
  const lines = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}`);
  const { hostname, port } = new URL(server.url);
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`POST ${request.target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text.slice(0, 20)}`, () =>
        socket.destroy(),
      );
    });
    socket.once('close', () => resolve()).once('error', reject);
  });
  expect(failureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
});
