import { describe, expect, test } from 'vitest';
import { send } from './support/http.ts';
import { controlToken, startTestServer } from './support/server.ts';
import { sharedServer } from './support/shared-server.ts';

const server = await sharedServer({ publicUrl: 'https://pay.example:444/base' });
const { port } = new URL(server.url);

const asked = async (target: string, headers: Record<string, string>) =>
  (await send(server.url, { method: 'GET', target, headers: { Authorization: `Bearer ${controlToken}`, ...headers } }))
    .status;

describe.each(['/sandbox/v1', '/checkout/assets/checkout.css'])('%s', (target) => {
  test.each(['127.0.0.1', 'localhost', 'shop.localhost', '[::1]', 'pay.example', 'LOCALHOST'])(
    'is there under the name %s',
    async (name) => {
      expect(await asked(target, { Host: `${name}:${port}` })).toBe(200);
      expect(await asked(target, { Host: name })).toBe(200);
    },
  );

  test.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', 'pay.example.evil', '10.0.0.1', '%'])(
    'is not there under the name %s',
    async (name) => expect(await asked(target, { Host: name })).toBe(403),
  );

  test.each(['https://pay.example:444', 'http://localhost:1234'])('answers a page of %s', async (origin) => {
    expect(await asked(target, { Host: 'localhost:1234', Origin: origin })).toBe(200);
  });

  test.each(['https://evil.example', 'http://localhost:1235', 'https://pay.example', 'file://', 'nonsense'])(
    'refuses a page of %s',
    async (origin) => expect(await asked(target, { Host: 'localhost:1234', Origin: origin })).toBe(403),
  );
});

test('a page without an address may use the checkout page only, whose forms have a token', async () => {
  expect(await asked('/sandbox/v1', { Origin: 'null' })).toBe(403);
  expect(await asked('/checkout/assets/checkout.css', { Origin: 'null' })).toBe(200);
});

test('production answers under every name', async () => {
  const production = await startTestServer({ mode: 'production' });
  const headers = { Host: 'pay.example', Origin: 'https://shop.example' };
  expect((await send(production.url, { method: 'GET', target: '/health/live', headers })).status).toBe(200);
  expect((await send(production.url, { method: 'GET', target: '/checkout/assets/checkout.css', headers })).status).toBe(
    200,
  );
  await production.close();
});

test.each(['', 'fifteen-letters'])('a sandbox does not start with the control token "%s"', async (token) => {
  await expect(startTestServer({ controlToken: token })).rejects.toThrow('at least 16 characters');
});
