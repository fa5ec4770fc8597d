import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startServer } from '../main.ts';
import { controlOf, failureOf, type OrderView, problemOf } from './support/contract.ts';
import { type Answer, send } from './support/http.ts';
import {
  advance,
  control,
  controlToken,
  merchantClient,
  newMerchant,
  orderEvent,
  startTestServer,
  stoppedClock,
} from './support/server.ts';
import { sharedServer } from './support/shared-server.ts';

const clock = stoppedClock();
const server = await sharedServer({ clock: clock.read, implementation: 'assay/1.2.3' });
const merchant = merchantClient(server, await newMerchant(server));

const events = (order: OrderView, merchantId = order.merchantId) =>
  `/merchants/${merchantId}/orders/${order.orderId}/events`;

describe('the base address', () => {
  test.each(['', '/'])('followed by "%s" tells what there is', async (path) => {
    const { implementation, capabilities } = controlOf(await control(server, 'GET', path), 200, 'Capabilities');
    expect(implementation).toBe('assay/1.2.3');
    expect([...capabilities].sort()).toEqual(['clock', 'deliveries', 'keys', 'merchants', 'orders', 'refunds']);
  });

  test('is the one that the server names', () => {
    expect(server.control).toBe(`${server.url}/sandbox/v1`);
    expect(server.controlToken).toBe(controlToken);
  });
});

describe('without the token', () => {
  const wrong = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer wrong',
    `Bearer ${controlToken}x`,
    controlToken,
    `Basic ${controlToken}`,
  ];

  test.each(wrong)('in Authorization: %s there is 401, whatever else is wrong', async (value) => {
    const headers = value === undefined ? {} : { Authorization: value };
    for (const [method, path, body] of [
      ['GET', '/', undefined],
      ['POST', '/merchants', '{'],
      ['POST', '/merchants/M-nobody/clock', '{}'],
      ['GET', '/nothing', undefined],
    ] as const) {
      const detail = problemOf(await control(server, method, path, body, headers), 401);
      expect(detail).not.toContain(controlToken);
    }
  });

  test("a merchant's credentials open nothing", async () => {
    const headers = { Authorization: `Bearer ${merchant.apiSecret}`, 'X-Api-Key': merchant.apiKey };
    problemOf(await control(server, 'POST', '/merchants', {}, headers), 401);
  });
});

describe('a revoked key', () => {
  const path = ({ merchantId }: { merchantId: string }, key: string) =>
    `/merchants/${merchantId}/keys/${encodeURIComponent(key)}`;

  test('opens nothing any more, and may be revoked again', async () => {
    const own = await newMerchant(server);
    const client = merchantClient(server, own);
    const { orderId } = await client.create();
    expect((await client.query(orderId)).orderId).toBe(orderId);
    for (let time = 0; time < 2; time += 1) {
      expect(await control(server, 'DELETE', path(own, own.apiKey))).toMatchObject({ status: 204 });
      expect(failureOf(await client.get(orderId)).code).toBe('90003');
    }
  });

  test('is one of the merchant', async () => {
    const own = await newMerchant(server);
    for (const other of [
      path(own, merchant.apiKey),
      path(own, 'nobody'),
      path({ merchantId: 'M-nobody' }, own.apiKey),
    ]) {
      problemOf(await control(server, 'DELETE', other), 404);
    }
    await merchantClient(server, own).create();
    await merchant.create();
  });
});

describe('what is refused, in this order', () => {
  const malformed = ['{', '{"type":}', '\u0000', '{} {}'];

  test.each(malformed)('malformed JSON is 400, on an unknown merchant too: %j', async (body) => {
    const order = await merchant.create();
    problemOf(await control(server, 'POST', '/merchants', body), 400);
    problemOf(await control(server, 'POST', '/merchants/M-nobody/clock', body), 400);
    problemOf(await control(server, 'POST', events(order, 'M-nobody'), body), 400);
    problemOf(await control(server, 'POST', events(order), body), 400);
    expect(await merchant.query(order.orderId)).toEqual(order);
  });

  test.each(malformed)('an operation without a body ignores one: %j', async (body) => {
    const of = `/merchants/${merchant.merchantId}/deliveries`;
    const headers = { Authorization: `Bearer ${controlToken}`, 'Content-Length': Buffer.byteLength(body) };
    controlOf(await control(server, 'GET', of, body, headers), 200, 'DeliveryList');
    problemOf(await control(server, 'POST', `${of}/dlv.nothing/replay`, body), 404);
  });

  test('an unknown merchant or order is 404, whatever the body', async () => {
    const order = await merchant.create();
    const other = await newMerchant(server);
    const unknown = [
      '/merchants/M-nobody/clock',
      events(order, 'M-nobody'),
      events(order, other.merchantId),
      events({ ...order, orderId: 'ord.nothing' }),
      events({ ...order, orderId: order.merchantOrderId }),
      '/merchants/%00/clock',
      `/merchants/${merchant.merchantId}/refunds/ref.1/events`,
    ];
    for (const path of unknown) {
      for (const body of [{ type: 'cancelled' }, { advanceSeconds: 1 }, { type: 'nonsense' }, [], null]) {
        problemOf(await control(server, 'POST', path, body), 404);
      }
    }
    expect(await merchant.query(order.orderId)).toEqual(order);
  });

  const unfit: unknown[] = [
    undefined,
    {},
    [],
    null,
    'text',
    { type: 'expired' },
    { type: 'toString' },
    { type: ['cancelled'] },
    { type: 'cancelled', more: 1 },
    { type: 'payment_failed', reason: 'bad luck' },
    ...['0', '0.000', '-1', '1e3', '+1', '', '1.', 10, null].map((amount) => ({
      type: 'transaction_detected',
      amount,
    })),
    { type: 'transaction_detected', network: 'TRON' },
    { type: 'transaction_detected', network: 'bitcoin' },
    { type: 'transaction_detected', paymentMethod: 'CASH' },
  ];

  test.each(unfit)('an event that does not fit is 422, on a closed order too: %j', async (body) => {
    const order = await merchant.create();
    problemOf(await control(server, 'POST', events(order), JSON.stringify(body)), 422);
    expect(await merchant.query(order.orderId)).toEqual(order);
    controlOf(await orderEvent(server, order, { type: 'cancelled' }), 200, 'OrderEventResult');
    problemOf(await control(server, 'POST', events(order), JSON.stringify(body)), 422);
  });

  test.each<[unknown, string]>([
    [{ type: 'nope' }, 'type: must be one of transaction_detected, payment_confirmed, payment_failed, cancelled'],
    [{}, 'type: must be one of transaction_detected, payment_confirmed, payment_failed, cancelled'],
    [{ type: 'payment_failed', reason: 'bad luck' }, 'reason: must be one of timeout, error'],
    [{ type: 'cancelled', more: 1 }, 'body: has no field more; it can be type'],
    [{ type: 'transaction_detected', amount: 10 }, 'amount: must be a string'],
    [
      { type: 'transaction_detected', amount: '1e3' },
      'amount: has the wrong form. A number above 0 as decimal text, without sign or exponent.',
    ],
    [
      { type: 'transaction_detected', amount: `0.${'1'.repeat(19)}` },
      'amount: has the wrong form. An amount has at most 18 decimal places.',
    ],
    [{ type: 'transaction_detected', fromAddress: '' }, 'fromAddress: must not be empty'],
  ])('an event that does not fit is told in words: %j', async (body, detail) => {
    const order = await merchant.create();
    expect(problemOf(await control(server, 'POST', events(order), body), 422)).toBe(detail);
  });

  test('a move that the order does not have is 409', async () => {
    const order = await merchant.create();
    problemOf(await orderEvent(server, order, { type: 'payment_confirmed' }), 409);
    expect(await merchant.query(order.orderId)).toEqual(order);
  });

  test('what the control API does not have is 404', async () => {
    for (const [method, path] of [
      ['GET', '/merchants'],
      ['DELETE', `/merchants/${merchant.merchantId}`],
      ['GET', `/merchants/${merchant.merchantId}/clock`],
      ['PUT', '/'],
      ['GET', '/deliveries'],
    ] as const) {
      problemOf(await control(server, method, path), 404);
    }
  });

  test('broken percent-encoding is no fault of ours', async () => {
    const { status } = await control(server, 'POST', '/merchants/%zz/clock', { advanceSeconds: 1 });
    expect([400, 404]).toContain(status);
  });
});

describe('a new merchant', () => {
  const settings = async (body: unknown) => {
    const { merchantId } = await newMerchant(server, body);
    return (await server.storage.reads.findMerchant(merchantId))?.settings;
  };
  const pairs = {
    USD1: ['eth', 'bsc'],
    USDC: ['eth', 'polygon', 'optimism', 'arbitrum', 'bsc', 'base', 'solana'],
    USDT: ['bsc', 'eth', 'polygon', 'arbitrum', 'optimism', 'solana', 'tron'],
  };

  test('has the defaults, made of an empty object, of no body or of an empty one', async () => {
    for (const body of [{}, undefined, '']) {
      const made = await settings(body);
      expect(made).toMatchObject({
        checkoutEnabled: true,
        balances: { USDT: '1000000', USDC: '1000000', USD1: '1000000' },
        usdRate: '1',
        automatic: false,
      });
      expect(made).not.toHaveProperty('rateLimit');
      expect(made).not.toHaveProperty('defaultNotifyUrl');
      const methods = Object.entries(pairs).flatMap(([cryptoCurrency, networks]) =>
        networks.map((network) => ({ cryptoCurrency, network, minAmount: 1, maxAmount: 1_000_000 })),
      );
      expect(made?.paymentMethods).toHaveLength(16);
      expect(made?.paymentMethods).toEqual(expect.arrayContaining(methods));
    }
  });

  test('has what it was given, and balances replace the default whole', async () => {
    const given = {
      checkoutEnabled: false,
      balances: { USDC: '0.000000000000000001' },
      paymentMethods: [{ cryptoCurrency: 'USDT', network: 'tron', minAmount: 0.5, maxAmount: 0.5 }],
      defaultNotifyUrl: 'https://shop.example/refunds',
      rateLimit: { requests: 5, perSeconds: 60 },
      usdRate: '1.05',
      automatic: true,
    };
    expect(await settings(given)).toEqual(given);
    expect((await settings({ paymentMethods: [], balances: {} }))?.paymentMethods).toEqual([]);
  });

  test('has an id and credentials of its own', async () => {
    const [one, two] = [await newMerchant(server), await newMerchant(server)];
    expect(new Set([...Object.values(one), ...Object.values(two)]).size).toBe(6);
    expect(one.apiSecret.length).toBeGreaterThanOrEqual(32);
  });

  test.each([
    { checkoutEnable: true },
    { checkoutEnabled: 'yes' },
    { balances: { EUR: '1' } },
    { balances: { USDT: '-1' } },
    { balances: { USDT: 1 } },
    { usdRate: '0' },
    { usdRate: 1 },
    { automatic: 1 },
    { rateLimit: { requests: 0, perSeconds: 1 } },
    { rateLimit: { requests: 1 } },
    ...[
      ['USD1', 'tron'],
      ['USDC', 'tron'],
      ['USDT', 'base'],
      ['EUR', 'eth'],
      ['USDT', 'bitcoin'],
      ['USDT', 'toString'],
    ].map(([cryptoCurrency, network]) => ({
      paymentMethods: [{ cryptoCurrency, network, minAmount: 1, maxAmount: 2 }],
    })),
    { paymentMethods: [{ cryptoCurrency: 'USDT', network: 'tron', minAmount: '1', maxAmount: 2 }] },
    { paymentMethods: [{ cryptoCurrency: 'USDT', network: 'tron', minAmount: 1 }] },
    { paymentMethods: [{ cryptoCurrency: 'USDT', network: 'tron', minAmount: 3, maxAmount: 2 }] },
    [],
    'text',
    null,
  ])('is not made of %j', async (body) => {
    problemOf(await control(server, 'POST', '/merchants', JSON.stringify(body)), 422);
  });

  test.each<[unknown, string]>([
    [{ automatic: 1 }, 'automatic: must be true or false'],
    [{ rateLimit: { requests: 0, perSeconds: 1 } }, 'rateLimit.requests: must be at least 1'],
    [{ rateLimit: { requests: 1 } }, 'rateLimit.perSeconds: is missing'],
    [[], 'body: must be an object'],
  ])('says in words why it is not made of %j', async (body, detail) => {
    expect(problemOf(await control(server, 'POST', '/merchants', JSON.stringify(body)), 422)).toBe(detail);
  });

  test('keeps no key of an object that JSON has and JavaScript minds', async () => {
    problemOf(await control(server, 'POST', '/merchants', '{"__proto__":{"automatic":true}}'), 422);
  });
});

describe('the clock', () => {
  test('shows the time after the advance, and adds one to the other', async () => {
    const { merchantId } = await newMerchant(server);
    expect(await advance(server, merchantId, 3600)).toBe(new Date(clock.read() + 3_600_000).toISOString());
    expect(await advance(server, merchantId, 1)).toBe(new Date(clock.read() + 3_601_000).toISOString());
  });

  test('dates the orders that come after', async () => {
    const own = merchantClient(server, await newMerchant(server));
    const now = await advance(server, own.merchantId, 86_400);
    const order = await own.create({ expiresAt: new Date(Date.parse(now) + 1).toISOString() });
    expect(order.createdAt).toBe(now);
    expect(failureOf(await own.post(own.body())).message).toContain('expiresAt');
  });

  test("closes the merchant's due orders before it answers, and no one else's", async () => {
    const [one, other] = [merchantClient(server, await newMerchant(server)), merchant];
    const soon = new Date(clock.read() + 10_000).toISOString();
    const later = new Date(clock.read() + 10_001).toISOString();
    const due = await Promise.all(Array.from({ length: 120 }, () => one.create({ expiresAt: soon })));
    const [open, others] = [await one.create({ expiresAt: later }), await other.create({ expiresAt: soon })];
    await advance(server, one.merchantId, 10);
    const stored = async ({ merchantId, orderId }: OrderView) =>
      (await server.storage.reads.findOrderById(merchantId, orderId))?.status;
    for (const order of due) expect(await stored(order)).toBe('CLOSED');
    expect(await stored(open)).toBe('INIT');
    expect(await stored(others)).toBe('INIT');
  });

  test('cannot be moved beyond the year 9999, and stays where it was', async () => {
    const own = merchantClient(server, await newMerchant(server));
    const order = await own.create();
    const end = Math.floor((Date.parse('9999-12-31T23:59:59.999Z') - clock.read()) / 1000);
    problemOf(await control(server, 'POST', `/merchants/${own.merchantId}/clock`, { advanceSeconds: end + 1 }), 422);
    expect(await own.query(order.orderId)).toEqual(order);
    expect(await advance(server, own.merchantId, 1)).toBe(new Date(clock.read() + 1000).toISOString());
    expect(await advance(server, own.merchantId, end - 1)).toMatch(/^9999-12-31T23:59:59/);
    expect((await own.query(order.orderId)).status).toBe('CLOSED');
    problemOf(await control(server, 'POST', `/merchants/${own.merchantId}/clock`, { advanceSeconds: 1 }), 422);
  });

  test.each([0, -1, 1.5, '60', null, 1e300, true])('does not move by %j', async (advanceSeconds) => {
    const { merchantId } = await newMerchant(server);
    const path = `/merchants/${merchantId}/clock`;
    problemOf(await control(server, 'POST', path, { advanceSeconds }), 422);
    expect(await advance(server, merchantId, 1)).toBe(new Date(clock.read() + 1000).toISOString());
  });

  test('does not move without a body, or with more than it asks', async () => {
    const path = `/merchants/${merchant.merchantId}/clock`;
    for (const body of [undefined, '', {}, [], null, { advanceSeconds: 1, more: 1 }]) {
      problemOf(await control(server, 'POST', path, body === null ? 'null' : body), 422);
    }
  });

  test('loses none of many advances at once', async () => {
    const { merchantId } = await newMerchant(server);
    await Promise.all(Array.from({ length: 20 }, () => advance(server, merchantId, 1)));
    expect(await advance(server, merchantId, 1)).toBe(new Date(clock.read() + 21_000).toISOString());
  });
});

test('an answer to a body that cannot be read is a problem document that says why', async () => {
  const headers = { Authorization: `Bearer ${controlToken}` };
  const bodies: [string | Buffer, object, number, RegExp][] = [
    [Buffer.from('{"type":"\xff"}', 'latin1'), {}, 422, /type/],
    [gzipSync('{'), { 'Content-Encoding': 'gzip' }, 400, /^the body is not JSON/],
    ['{}', { 'Content-Encoding': 'gzip' }, 400, /^the body cannot be read: .*Content-Encoding/],
    ['{}', { 'Content-Encoding': 'nonsense' }, 400, /^the body cannot be read: .*Content-Encoding/],
    ['['.repeat(10_000) + ']'.repeat(10_000), {}, 422, /object/],
    [' '.repeat(2 * 1024 * 1024), {}, 400, /^the body is too large; send at most [0-9]+ kB$/],
  ];
  for (const [body, more, status, detail] of bodies) {
    const order = await merchant.create();
    const answer: Answer = await send(server.url, {
      method: 'POST',
      target: `/sandbox/v1${events(order)}`,
      headers: { ...headers, ...more },
      body,
    });
    expect(problemOf(answer, status)).toMatch(detail);
  }
});

test('production mode has none of it, token or not', async () => {
  const production = await startTestServer({ mode: 'production' });
  expect(production).not.toHaveProperty('control');
  expect(production).not.toHaveProperty('controlToken');
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/'],
    ['POST', '/merchants'],
  ] as const) {
    expect((await control(production, method, path)).status).toBe(404);
    expect((await control(production, method, path, undefined, {})).status).toBe(404);
  }
  await production.close();
});

test('a token is made for each start when none is given', async () => {
  const options = {
    host: '127.0.0.1',
    port: 0,
    database: ':memory:',
    mode: 'sandbox',
    implementation: 'assay/1',
  } as const;
  const servers = [await startServer(options), await startServer(options)];
  const [one = '', two = ''] = servers.map(({ controlToken: token }) => token);
  expect(one.length).toBeGreaterThanOrEqual(32);
  expect(two).not.toBe(one);
  for (const running of servers) {
    const headers = { Authorization: `Bearer ${one}` };
    expect((await control(running, 'GET', '/', undefined, headers)).status).toBe(
      running.controlToken === one ? 200 : 401,
    );
    await running.close();
  }
});
