import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { checkoutClient, createdOf } from '../tests/support/checkout.ts';
import {
  changeRate,
  type MerchantClient,
  merchantClient,
  newMerchant,
  newOrderId,
  orderEvent,
  startTestServer,
  type TestServer,
} from '../tests/support/server.ts';
import { customer, pathOf } from './testing/customer.ts';

let server: TestServer;
let merchant: MerchantClient;

beforeAll(async () => {
  server = await startTestServer();
  merchant = merchantClient(server, await newMerchant(server));
});

afterEach(() => {
  expect(server.logged.splice(0)).toEqual([]);
});

afterAll(() => server.close());

/** Opens an address as a new customer, without cookies. */
const open = (path: string) => customer(server).get(path);

describe('every answer', () => {
  test.each([
    ['a page', 200, (path: string) => open(path)],
    ['a page that sends elsewhere', 303, (path: string) => open(`${path}/on-chain/base`)],
    ['a page that is none', 404, (path: string) => open(`${path}x`)],
    ['a refused form', 403, (path: string) => customer(server).post(`${path}/simulation`, {})],
    ['the style sheet', 200, () => open('/checkout/assets/checkout.css')],
    ['the script', 200, () => open('/checkout/assets/checkout.js')],
  ])('(%s) keeps the browser from everything that the page does not need', async (_, status, answer) => {
    const { status: answered, headers } = await answer(pathOf(await merchant.create()));
    expect(answered).toBe(status);
    const policy = Object.fromEntries(
      (headers['content-security-policy'] ?? '')
        .toString()
        .split('; ')
        .map((each) => each.split(/ (.*)/)),
    );
    expect(policy).toEqual({
      'default-src': "'none'",
      'style-src': "'self'",
      'script-src': "'self'",
      'img-src': "'self'",
      'connect-src': "'self'",
      'form-action': "'self'",
      'frame-ancestors': "'none'",
      'base-uri': "'none'",
    });
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
      'cache-control': expect.stringMatching(/^no-(store|cache)$/),
    });
  });

  test('that shows an order is kept by no cache', async () => {
    expect((await open(pathOf(await merchant.create()))).headers['cache-control']).toBe('no-store');
  });
});

test('a price in USD is shown at the present rate until a payment is detected, and then at the rate of that moment', async () => {
  const rated = merchantClient(server, await newMerchant(server, { usdRate: '1' }));
  const order = await rated.create({ orderAmount: { value: '10', currency: 'USD' } });
  const total = async () => /<p class="total[^>]*>([^<]*)</.exec((await open(pathOf(order))).text)?.[1];
  expect(await total()).toBe('10 USDT');
  await changeRate(server, rated.merchantId, '1.25');
  expect(await total()).toBe('12.5 USDT');
  await orderEvent(server, order, { type: 'transaction_detected' });
  await changeRate(server, rated.merchantId, '2');
  expect(await total()).toBe('12.5 USDT');
});

describe('an address', () => {
  test('that opens nothing says the same whatever is wrong about it', async () => {
    const { orderId, merchantOrderId } = await merchant.create();
    const checkout = checkoutClient(server, merchant);
    const other = createdOf(await checkout.post(checkout.body()));
    const unknown = [
      'ord.aaaaaaaaaaaaaaaaaaaaaaaaaa',
      orderId.slice(0, -1),
      orderId.toUpperCase(),
      `${orderId}%20`,
      merchantOrderId,
      other.orderId,
      'x',
      '%00',
      'x'.repeat(64),
    ];
    const answers = await Promise.all(unknown.map((id) => open(`/checkout/${id}`)));
    const [first] = answers;
    expect(first?.text).not.toContain(merchant.merchantId);
    for (const { status, text } of answers) expect([status, text]).toEqual([404, first?.text]);
  });

  test('whose encoding is broken is refused', async () => {
    expect((await open('/checkout/%ED%A0%80')).status).toBe(400);
  });

  test('of an order leads to no other order', async () => {
    const [one, two] = [await merchant.create(), await merchant.create()];
    const { text } = await open(pathOf(one));
    expect(text).not.toContain(two.orderId);
    expect(text).not.toContain(two.merchantOrderId);
    // An id has 130 random bits, drawn anew for each order.
    expect(one.orderId).toMatch(/^ord\.[a-z2-7]{26}$/);
  });

  test.each(['/on-chain/base', '/on-chain/nowhere', '/exchange/EXCHANGE_THREE', '/exchange/EXCHANGE_TWO'])(
    'of a method that is not offered (%s) leads to those that are',
    async (step) => {
      const path = pathOf(await merchant.create({ paymentMethodConfig: { allowedPaymentMethods: ['EXCHANGE_ONE'] } }));
      const { status, headers } = await open(`${path}${step}`);
      expect([status, headers.location]).toEqual([303, path]);
    },
  );
});

describe("a merchant's text", () => {
  const hostile = `</p><script>alert(1)</script><img src=x onerror="alert(2)"> ' " & \u202e{{7*7}}`;

  test('is shown as text, wherever it stands', async () => {
    const item = {
      name: hostile,
      quantity: 1,
      amount: { value: '10', currency: 'USDT' as const },
      description: hostile,
    };
    const order = await merchant.create({ description: hostile, items: [item] });
    for (const step of ['', '/on-chain/eth', '/exchange/EXCHANGE_ONE', '/cancelled']) {
      const { text } = await open(`${pathOf(order)}${step}`);
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(text).not.toMatch(/<img|<script>|\u202e/);
      expect(text).not.toMatch(/<[^>]* (on[a-z]+|style)=/);
    }
  });

  test('makes no request: pictures of items are left out', async () => {
    const imageUrl = 'https://images.example/pot.png';
    const amount = { value: '10', currency: 'USDT' as const };
    const order = await merchant.create({ items: [{ name: 'Pot', quantity: 1, amount, imageUrl }] });
    const { text } = await open(pathOf(order));
    expect(text).toContain('Pot');
    expect(text).not.toContain('images.example');
  });

  test.each([
    [
      'a megabyte in one item',
      { items: [{ name: 'x'.repeat(900_000), quantity: 1, amount: { value: '1', currency: 'USDT' as const } }] },
    ],
    ['500 items', { items: Array(500).fill({ name: 'x', quantity: 1e300, amount: { value: '1', currency: 'USDT' } }) }],
  ])('of %s makes no page that is too long', async (_, changes) => {
    const { status, text } = await open(pathOf(await merchant.create(changes)));
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(30_000);
  });

  test('of an amount with 64 digits is shown whole', async () => {
    const value = '9'.repeat(64);
    const order = await merchant.create({ orderAmount: { value, currency: 'USDT' } });
    const { status, text } = await open(`${pathOf(order)}/on-chain/eth`);
    expect(status).toBe(200);
    expect(text).toContain(`data-copy="${value}"`);
  });
});

describe('in production mode', () => {
  const seller = { merchantId: 'M-SHOP', apiKey: 'ak_shop', apiSecret: 'a secret of the shop' };
  let production: TestServer;
  let client: MerchantClient;

  beforeAll(async () => {
    production = await startTestServer({
      mode: 'production',
      seed: [{ ...seller, settings: {} }],
      publicUrl: 'https://pay.example/base',
    });
    client = merchantClient(production, seller);
  });

  afterAll(() => production.close());

  test('nothing simulates, pays or sets a cookie, at any step', async () => {
    const order = await client.create();
    expect(order.checkoutUrl).toBe(`https://pay.example/base/checkout/${order.orderId}`);
    const path = `/checkout/${order.orderId}`;
    for (const step of ['', '/on-chain/tron', '/exchange/EXCHANGE_ONE', '/cancelled']) {
      const { status, text, headers } = await customer(production).get(`${path}${step}`);
      expect(status).toBe(200);
      expect(text).not.toMatch(/<form|<button class="button|Sandbox/i);
      expect(headers).not.toHaveProperty('set-cookie');
    }
    expect((await customer(production).get(`${path}/exchange/EXCHANGE_ONE`)).text).toContain('is not connected');
    for (const form of [
      'simulation',
      'on-chain/tron/simulation',
      'exchange/EXCHANGE_ONE/sign-in',
      'exchange/EXCHANGE_ONE/confirm',
    ]) {
      expect((await customer(production).post(`${path}/${form}`, { act: 'pay-exact' })).status).toBe(404);
    }
    expect((await client.query(order.orderId)).status).toBe('INIT');
  });

  test('shows where to send the money, and that nobody should', async () => {
    const { text } = await customer(production).get(`/checkout/${(await client.create()).orderId}/on-chain/tron`);
    expect(text).toMatch(/data-copy="TTest/);
    expect(text).toContain('Send no real money');
  });

  test('leads to addresses under the public one', async () => {
    const order = await client.create();
    const { text } = await customer(production).get(`/checkout/${order.orderId}`);
    const links = [...text.matchAll(/(?:href|src|action)="([^"]+)"/g)].map(([, link]) => link);
    expect(links.length).toBeGreaterThan(8);
    for (const link of links) expect(link).toMatch(/^\/base\/checkout\//);
  });
});

test('behind HTTPS, cookies travel by HTTPS only and no other host can set them', async () => {
  const secure = await startTestServer({ publicUrl: 'https://pay.example' });
  const order = await merchantClient(secure, await newMerchant(secure)).create();
  const { headers } = await customer(secure).get(`/checkout/${order.orderId}`);
  expect(headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-checkout=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
  ]);
  await secure.close();
});

test('a failure inside is told without its details, and logged', async () => {
  const failing = await startTestServer({
    replace: (parts) => {
      const reads = Object.create(parts.storage.reads, {
        findOrderOfAnyMerchant: { value: () => Promise.reject(new Error('disk on fire')) },
      });
      return { ...parts, storage: { ...parts.storage, reads } };
    },
  });
  const { status, text } = await customer(failing).get(`/checkout/${newOrderId()}`);
  expect(status).toBe(500);
  expect(text).toContain('Something went wrong');
  expect(text).not.toContain('disk');
  expect(failing.logged).toEqual([expect.stringContaining('disk on fire')]);
  await failing.close();
});
