import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { addressesWithoutHostOrPort } from './support/addresses.ts';
import {
  type CheckoutClient,
  type CheckoutView,
  checkoutClient,
  checkoutFailureOf,
  createdOf,
} from './support/checkout.ts';
import { contractOf, controlOf, failureOf, problemOf } from './support/contract.ts';
import { advance, merchantClient, newMerchant, newOrderId, orderEvent, stoppedClock } from './support/server.ts';
import { sharedServer } from './support/shared-server.ts';

const clock = stoppedClock();
const server = await sharedServer({ clock: clock.read });
const merchant = checkoutClient(server, await newMerchant(server));

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
const day = 86_400_000;

async function event(order: CheckoutView, body: object) {
  return controlOf(await orderEvent(server, order, body), 200, 'OrderEventResult');
}

/** Refused with that code, and no order came to be. */
async function expectRefused(
  body: { merchantOrderId: string; [field: string]: unknown },
  code: string,
  client = merchant,
): Promise<string> {
  const failure = checkoutFailureOf(await client.post(body));
  expect(failure.code).toBe(code);
  expect(checkoutFailureOf(await client.get(body.merchantOrderId)).code).toBe('40001');
  return failure.message;
}

async function methodsOf(client: CheckoutClient) {
  return contractOf(await client.methods(), 200, 'CheckoutPaymentMethodsSuccess').data;
}

describe('payment methods', () => {
  test('are by default all pairs of the platform, from 1 to 1000000', async () => {
    const { merchantId, paymentMethods } = await methodsOf(merchant);
    expect(merchantId).toBe(merchant.merchantId);
    const pairs: Record<string, string[]> = {};
    for (const { cryptoCurrency, network } of paymentMethods) {
      pairs[cryptoCurrency] = [...(pairs[cryptoCurrency] ?? []), network].sort();
    }
    expect(pairs).toEqual({
      USD1: ['bsc', 'eth'],
      USDC: ['arbitrum', 'base', 'bsc', 'eth', 'optimism', 'polygon', 'solana'],
      USDT: ['arbitrum', 'bsc', 'eth', 'optimism', 'polygon', 'solana', 'tron'],
    });
    for (const method of paymentMethods) {
      expect(method).toMatchObject({ paymentMethodType: 'ON_CHAIN_TRANSFER', minAmount: 1, maxAmount: 1_000_000 });
      expect(method.estimatedConfirmationTimeSec).toBeGreaterThan(0);
      expect(method.networkDisplayName).not.toBe('');
    }
    const order = paymentMethods.map(({ displayOrder }) => displayOrder);
    expect(order).toEqual([...new Set(order)].sort((one, other) => one - other));
  });

  test("are the merchant's only, with its numbers, in its order", async () => {
    const paymentMethods = [
      { cryptoCurrency: 'USDC', network: 'solana', minAmount: 0.000001, maxAmount: 99.5 },
      { cryptoCurrency: 'USD1', network: 'eth', minAmount: 0, maxAmount: 1e21 },
    ];
    const own = checkoutClient(server, await newMerchant(server, { paymentMethods }));
    const listed = (await methodsOf(own)).paymentMethods;
    expect(listed).toHaveLength(2);
    expect(listed[0]).toMatchObject({ ...paymentMethods[0], networkDisplayName: 'Solana' });
    expect(listed[1]).toMatchObject({ ...paymentMethods[1], networkDisplayName: 'Ethereum (ERC20)' });
    expect(listed[0]?.displayOrder).toBeLessThan(listed[1]?.displayOrder ?? 0);
  });

  test('are none for a merchant that has none', async () => {
    const none = checkoutClient(server, await newMerchant(server, { paymentMethods: [] }));
    expect((await methodsOf(none)).paymentMethods).toEqual([]);
    await expectRefused(none.body(), '10011', none);
  });
});

describe('create', () => {
  test('answers with the new order, without the fields of a payment', async () => {
    const body = merchant.body({
      orderAmount: { value: '10.50', currency: 'USDT' },
      expiresAt: iso(clock.read() + 1_800_000).replace('Z', '+00:00'),
    });
    const order = createdOf(await merchant.post(body));
    expect(order).toEqual({
      orderId: expect.stringMatching(/^ord\.[a-z2-7]{26}$/),
      merchantId: merchant.merchantId,
      merchantOrderId: body.merchantOrderId,
      status: 'INIT',
      orderAmount: { value: '10.50', currency: 'USDT' },
      cryptoPaymentAmount: { value: '10.50', currency: 'USDT' },
      depositAddress: expect.any(String),
      network: 'tron',
      networkDisplayName: 'Tron (TRC20)',
      createdAt: iso(clock.read()),
      expiresAt: iso(clock.read() + 1_800_000),
    });
    expect(await merchant.query(body.merchantOrderId)).toEqual(order);
  });

  test('takes every optional field, and fields that the contract does not name', async () => {
    const metadata = ' {"b": 1,\t"a":"\\u00e9é🍵"} not quite JSON';
    const body = {
      ...merchant.body({ metadata }),
      customer: { customerId: 'c-1', email: 'a@shop.example', name: 'Zoë \u0000 🍵' },
      description: 'x'.repeat(512),
      items: [{}, { name: 'tea', quantity: 1, price: '10', currency: 'USDT' }],
      customerIp: 'x'.repeat(64),
      userAgent: 'x'.repeat(512),
      callbackUrl: `http://127.0.0.1:9/${'a'.repeat(2048 - 19)}`,
      somethingElse: { nested: [null, true] },
    };
    const order = createdOf(await merchant.post(body));
    expect(order).toMatchObject({ metadata });
    expect(await merchant.query(body.merchantOrderId)).toMatchObject({ metadata });
  });

  test.each([
    ['merchantOrderId', undefined],
    ['merchantOrderId', 'a'.repeat(15)],
    ['merchantOrderId', 'a'.repeat(65)],
    ['merchantOrderId', 'order-000000000.1'],
    ['merchantOrderId', 1234567890123456],
    ['orderAmount', undefined],
    ['orderAmount', { currency: 'USDT' }],
    ['orderAmount.value', { value: 10, currency: 'USDT' }],
    ['orderAmount.value', { value: '1e1', currency: 'USDT' }],
    ['orderAmount.value', { value: '+1', currency: 'USDT' }],
    ['orderAmount.value', { value: '10.', currency: 'USDT' }],
    ['paymentMethodType', undefined],
    ['paymentMethodType', 'EXCHANGE_TRANSFER'],
    ['network', undefined],
    ['network', 7],
    ['expiresAt', undefined],
    ['expiresAt', 'tomorrow'],
    ['expiresAt', '2026-02-30T00:00:00Z'],
    ['expiresAt', '2025-12-31T23:59:60Z'],
    ['expiresAt', '2026-01-01T23:59:60Z'],
    ['expiresAt', '2026-01-01T00:10:00'],
    ['description', 'x'.repeat(513)],
    ['customerIp', 'x'.repeat(65)],
    ['userAgent', 'x'.repeat(513)],
    ['metadata', 'x'.repeat(4097)],
    ['callbackUrl', `https://shop.example/${'a'.repeat(2048)}`],
    ['callbackUrl', 'ftp://shop.example/'],
    ['callbackUrl', '/hook'],
    ['customer', 'Zoë'],
    ['items', [{ quantity: 1.5 }]],
  ])('answers 10001 and names %s when it does not fit', async (field, value) => {
    const body = merchant.body();
    const { code, message } = checkoutFailureOf(
      await merchant.post({ ...body, [field.split('.')[0] ?? field]: value }),
    );
    expect(code).toBe('10001');
    expect(message).toContain(field);
    expect(checkoutFailureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
  });

  test.each(addressesWithoutHostOrPort)('refuses the callbackUrl http:%s', async (rest) => {
    expect(await expectRefused(merchant.body({ callbackUrl: `http:${rest}` }), '10001')).toContain('callbackUrl');
  });

  test.each(['{', '[]', 'null', '', '"text"'])('answers 10001 to the body %j', async (body) => {
    expect(checkoutFailureOf(await merchant.post(body)).code).toBe('10001');
  });

  test.each(['0', '0.000', '-0', '-1.5'])('answers 10004 to the amount %s, which is not above 0', async (value) => {
    const orderAmount = { value, currency: 'USDT' as const };
    expect(await expectRefused(merchant.body({ orderAmount }), '10004')).toContain('orderAmount');
  });

  test.each([
    ['0.5', true],
    ['0.499999999999999999', false],
    ['99.75', true],
    ['99.7500', true],
    ['99.750000000000000001', false],
    ['100', false],
    ['9'.repeat(64), false],
  ])('holds %s against the range from 0.5 to 99.75: %s', async (value, within) => {
    const paymentMethods = [
      { cryptoCurrency: 'USDC', network: 'eth', minAmount: 1, maxAmount: 1000 },
      { cryptoCurrency: 'USDT', network: 'tron', minAmount: 0.5, maxAmount: 99.75 },
    ];
    const ranged = checkoutClient(server, await newMerchant(server, { paymentMethods }));
    const body = ranged.body({ orderAmount: { value, currency: 'USDT' } });
    if (within) expect(createdOf(await ranged.post(body)).orderAmount.value).toBe(value);
    else expect(await expectRefused(body, '10004', ranged)).toContain('orderAmount');
  });

  test.each([
    [-1, '10005'],
    [0, '10005'],
    [1, undefined],
    [day, undefined],
    [day + 1, '10005'],
    [-1000 * day, '10005'],
  ])('with an expiry %i ms ahead: %s', async (ahead, code) => {
    const body = merchant.body({ expiresAt: iso(clock.read() + ahead) });
    if (code === undefined) expect(createdOf(await merchant.post(body)).expiresAt).toBe(body.expiresAt);
    else expect(await expectRefused(body, code)).toContain('expiresAt');
  });

  test("measures the 24 hours by the merchant's own clock", async () => {
    const ahead = checkoutClient(server, await newMerchant(server));
    await advance(server, ahead.merchantId, 3600);
    await expectRefused(ahead.body({ expiresAt: iso(clock.read() + 3_600_000) }), '10005', ahead);
    const latest = iso(clock.read() + 3_600_000 + day);
    expect((await ahead.create({ expiresAt: latest })).createdAt).toBe(iso(clock.read() + 3_600_000));
  });

  test.each([
    ['USD1', 'tron'],
    ['USDC', 'tron'],
    ['USDT', 'base'],
    ['USDT', 'TRON'],
    ['USDT', 'bitcoin'],
    ['USDT', ''],
    ['USDT', 'toString'],
  ] as const)('answers 10011 to %s on %j, which the platform does not have', async (currency, network) => {
    await expectRefused(merchant.body({ orderAmount: { value: '10', currency }, network }), '10011');
  });

  test.each(['USD', 'EUR', 'usdt'])(
    'answers 10011 to the currency %s, which is none of the platform',
    async (currency) => {
      const body = { ...merchant.body(), orderAmount: { value: '10', currency } };
      const { code, message } = checkoutFailureOf(await merchant.post(body));
      expect({ code, message }).toEqual({ code: '10011', message: expect.stringContaining('orderAmount.currency') });
      expect(checkoutFailureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
    },
  );

  test('answers 10011 to a pair that the merchant does not have', async () => {
    const paymentMethods = [
      { cryptoCurrency: 'USDC', network: 'eth', minAmount: 1, maxAmount: 1000 },
      { cryptoCurrency: 'USDT', network: 'bsc', minAmount: 1, maxAmount: 1000 },
    ];
    const few = checkoutClient(server, await newMerchant(server, { paymentMethods }));
    const usdt = { value: '10', currency: 'USDT' as const };
    await expectRefused(few.body({ orderAmount: usdt, network: 'eth' }), '10011', few);
    await expectRefused(few.body({ orderAmount: usdt, network: 'tron' }), '10011', few);
    expect((await few.create({ orderAmount: usdt, network: 'bsc' })).network).toBe('bsc');
  });
});

describe('the deposit address', () => {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  function base58(text: string): Buffer {
    const value = [...text].reduce((sum, each) => sum * 58n + BigInt(alphabet.indexOf(each)), 0n).toString(16);
    return Buffer.from(value.padStart(value.length + (value.length % 2), '0'), 'hex');
  }
  const evm = (address: string) => /^0x[0-9a-f]{40}$/i.test(address) && address.includes('7e57');
  const tron = (address: string) => {
    const bytes = base58(address);
    const checksum = sha256(sha256(bytes.subarray(0, 21))).subarray(0, 4);
    return bytes.length === 25 && bytes[0] === 0x41 && checksum.equals(bytes.subarray(21)) && address.includes('Test');
  };
  const solana = (address: string) => base58(address).length === 32 && address.includes('Test');

  test.each([
    ['tron', 'USDT', tron],
    ['eth', 'USD1', evm],
    ['bsc', 'USD1', evm],
    ['polygon', 'USDC', evm],
    ['arbitrum', 'USDT', evm],
    ['optimism', 'USDT', evm],
    ['base', 'USDC', evm],
    ['solana', 'USDC', solana],
  ] as const)(
    "on %s (%s) has its form, says that it is a test, and is the order's own",
    async (network, currency, fits) => {
      const changes = { network, orderAmount: { value: '10', currency } };
      const orders = await Promise.all([merchant.create(changes), merchant.create(changes), merchant.create(changes)]);
      const addresses = orders.map(({ depositAddress }) => depositAddress);
      expect(addresses.filter(fits)).toEqual(addresses);
      expect(new Set(addresses).size).toBe(3);
      for (const order of orders) {
        expect((await merchant.query(order.merchantOrderId)).depositAddress).toBe(order.depositAddress);
      }
    },
  );
});

describe('the same create again', () => {
  test('is the same order, by value of the amount', async () => {
    const body = merchant.body({ orderAmount: { value: '10.5', currency: 'USDT' } });
    const first = createdOf(await merchant.post(body));
    expect(createdOf(await merchant.post(body))).toEqual(first);
    const written = { ...body, orderAmount: { value: '10.50', currency: 'USDT' }, metadata: 'other' };
    expect(createdOf(await merchant.post(written))).toEqual(first);
  });

  const ways: [string, string[]][] = [
    ['PROCESSING', ['transaction_detected']],
    ['SUCCEEDED', ['transaction_detected', 'payment_confirmed']],
    ['FAILED', ['transaction_detected', 'payment_failed']],
    ['CLOSED', ['cancelled']],
  ];

  test.each(ways)('shows that it is %s, and no field of the payment', async (status, way) => {
    const body = merchant.body();
    const first = createdOf(await merchant.post(body));
    for (const type of way) await event(first, { type });
    expect(createdOf(await merchant.post(body))).toEqual({ ...first, status });
  });

  test.each([...ways, ['CLOSED', []] as [string, string[]]])(
    'after its expiry shows that it is %s',
    async (status, way) => {
      const own = checkoutClient(server, await newMerchant(server));
      const body = own.body();
      const first = createdOf(await own.post(body));
      for (const type of way) await event(first, { type });
      await advance(server, own.merchantId, 3600);
      expect(createdOf(await own.post(body))).toEqual({ ...first, status });
    },
  );

  test.each([
    ['another amount', { orderAmount: { value: '10.000000000000000001', currency: 'USDT' } }],
    ['another currency', { orderAmount: { value: '10', currency: 'USDC' } }],
    ['another network', { network: 'eth' }],
  ])('is refused with 20001 over %s, and the first stays as it was', async (_, changes) => {
    const body = merchant.body({ network: 'bsc' });
    const first = createdOf(await merchant.post(body));
    expect(checkoutFailureOf(await merchant.post({ ...body, ...changes })).code).toBe('20001');
    expect(await merchant.query(body.merchantOrderId)).toEqual(first);
  });

  test('20 times at once makes one order', async () => {
    const body = merchant.body();
    const answers = await Promise.all(Array.from({ length: 20 }, () => merchant.post(body)));
    const ids = new Set(answers.map((answer) => createdOf(answer).orderId));
    expect([...ids]).toEqual([(await merchant.query(body.merchantOrderId)).orderId]);
  });

  test('over 20 amounts at once makes one order', async () => {
    const body = merchant.body();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        merchant.post({ ...body, orderAmount: { value: String(index + 1), currency: 'USDT' } }),
      ),
    );
    const accepted = answers.filter(({ text }) => text.includes('"00000"')).map(createdOf);
    expect(accepted).toEqual([await merchant.query(body.merchantOrderId)]);
    const refused = answers.filter(({ text }) => !text.includes('"00000"')).map((each) => checkoutFailureOf(each).code);
    expect(refused).toEqual(Array(19).fill('20001'));
  });
});

describe('a payment', () => {
  test('shows in the query once it has succeeded', async () => {
    const order = await merchant.create({ orderAmount: { value: '10.50', currency: 'USDC' }, network: 'polygon' });
    expect(
      await event(order, { type: 'transaction_detected', fromAddress: '0xpayer', transactionHash: '0xabc' }),
    ).toEqual({
      status: 'PROCESSING',
      due: order.cryptoPaymentAmount,
    });
    expect(await merchant.query(order.merchantOrderId)).toEqual({ ...order, status: 'PROCESSING' });
    clock.advance(5000);
    await event(order, { type: 'payment_confirmed' });
    expect(await merchant.query(order.merchantOrderId)).toEqual({
      ...order,
      status: 'SUCCEEDED',
      cryptoPaidAmount: { value: '10.50', currency: 'USDC' },
      paidAt: iso(clock.read()),
      cryptoPaymentDetail: {
        network: 'polygon',
        cryptoCurrency: 'USDC',
        transactionHash: '0xabc',
        fromAddress: '0xpayer',
        toAddress: order.depositAddress,
        amount: '10.50',
        confirmations: 64,
        requiredConfirmations: 64,
      },
    });
  });

  test.each([
    ['10.000000000000000001', 'SUCCEEDED'],
    ['10.000000000000000002', 'SUCCEEDED'],
    ['10', 'FAILED'],
    ['10.000000000000000000', 'FAILED'],
    ['10.1', 'SUCCEEDED'],
  ])('of %s where 10.000000000000000001 is due: %s', async (amount, status) => {
    const orderAmount = { value: '10.000000000000000001', currency: 'USDT' as const };
    const order = await merchant.create({ orderAmount });
    expect((await event(order, { type: 'transaction_detected', amount })).status).toBe('PROCESSING');
    expect((await event(order, { type: 'payment_confirmed' })).status).toBe(status);
    const after = await merchant.query(order.merchantOrderId);
    if (status === 'FAILED') expect(after).toEqual({ ...order, status });
    else expect(after).toMatchObject({ status, orderAmount, cryptoPaidAmount: { value: amount, currency: 'USDT' } });
  });

  test.each([{ paymentMethod: 'EXCHANGE_ONE' }, { network: 'eth' }])(
    "that is not the order's, %j, is refused",
    async (detected) => {
      const order = await merchant.create();
      problemOf(await orderEvent(server, order, { type: 'transaction_detected', ...detected }), 422);
      expect(await merchant.query(order.merchantOrderId)).toEqual(order);
    },
  );
});

describe('states', () => {
  const moves = ['transaction_detected', 'payment_confirmed', 'payment_failed', 'cancelled'];
  test.each([
    ['INIT', [], ['payment_confirmed', 'payment_failed']],
    ['PROCESSING', ['transaction_detected'], ['transaction_detected', 'cancelled']],
    ['SUCCEEDED', ['transaction_detected', 'payment_confirmed'], moves],
    ['FAILED', ['transaction_detected', 'payment_failed'], moves],
    ['CLOSED', ['cancelled'], moves],
  ])('an order in %s has no other moves', async (status, way, refused) => {
    const order = await merchant.create();
    for (const type of way) await event(order, { type });
    const before = await merchant.query(order.merchantOrderId);
    expect(before.status).toBe(status);
    for (const type of refused) problemOf(await orderEvent(server, order, { type }), 409);
    expect(await merchant.query(order.merchantOrderId)).toEqual(before);
  });

  test('an order closes at expiresAt, not a millisecond before', async () => {
    const order = await merchant.create();
    clock.set(Date.parse(order.expiresAt) - 1);
    expect((await merchant.query(order.merchantOrderId)).status).toBe('INIT');
    clock.advance(1);
    expect(await merchant.query(order.merchantOrderId)).toEqual({ ...order, status: 'CLOSED' });
    problemOf(await orderEvent(server, order, { type: 'transaction_detected' }), 409);
  });

  test.each([
    ['USDT', 'tron', 19, '10', 'SUCCEEDED'],
    ['USDC', 'solana', 32, '10', 'SUCCEEDED'],
    ['USDT', 'tron', 19, '9.999999999999999999', 'FAILED'],
  ] as const)(
    "an automatic merchant's %s on %s is confirmed after %i s: %s makes %s",
    async (currency, network, seconds, amount, status) => {
      const automatic = checkoutClient(server, await newMerchant(server, { automatic: true }));
      const order = await automatic.create({ orderAmount: { value: '10', currency }, network });
      await event(order, { type: 'transaction_detected', amount });
      await advance(server, automatic.merchantId, seconds - 1);
      expect((await automatic.query(order.merchantOrderId)).status).toBe('PROCESSING');
      await advance(server, automatic.merchantId, 1);
      expect((await automatic.query(order.merchantOrderId)).status).toBe(status);
    },
  );
});

describe('whose order it is', () => {
  test('hosted and checkout orders have their ids apart', async () => {
    const hosted = merchantClient(server, merchant);
    const merchantOrderId = newOrderId();
    const [one, other] = [await hosted.create({ merchantOrderId }), await merchant.create({ merchantOrderId })];
    expect(one.orderId).not.toBe(other.orderId);
    expect(await hosted.query(merchantOrderId)).toEqual(one);
    expect(await merchant.query(merchantOrderId)).toEqual(other);
  });

  test('an order is found by no product but its own', async () => {
    const hosted = merchantClient(server, merchant);
    const [one, other] = [await hosted.create(), await merchant.create()];
    for (const id of [one.orderId, one.merchantOrderId]) {
      expect(checkoutFailureOf(await merchant.get(id)).code).toBe('40001');
    }
    for (const id of [other.orderId, other.merchantOrderId]) {
      expect(failureOf(await hosted.get(id)).code).toBe('40001');
    }
  });

  test('another merchant neither finds an order nor stands in its way', async () => {
    const order = await merchant.create();
    const other = checkoutClient(server, await newMerchant(server));
    for (const id of [order.orderId, order.merchantOrderId]) {
      expect(checkoutFailureOf(await other.get(id)).code).toBe('40001');
    }
    const own = await other.create({ merchantOrderId: order.merchantOrderId });
    expect(own.orderId).not.toBe(order.orderId);
    expect(await merchant.query(order.merchantOrderId)).toEqual(order);
  });

  test.each([newOrderId(), 'x', '%00', 'a'.repeat(2000), '..%2F..'])(
    'an id that nobody has is not found: %s',
    async (id) => {
      expect(checkoutFailureOf(await merchant.get(id)).code).toBe('40001');
    },
  );
});

describe('who may ask', () => {
  /** The same request to each operation; what they answer. */
  async function all(client: CheckoutClient, variation: Parameters<CheckoutClient['methods']>[0]) {
    const body = client.body();
    const answers = [
      await client.methods(variation),
      await client.post(body, variation),
      await client.get(newOrderId(), variation),
    ];
    return { body, answers };
  }

  test('X-Api-Key may be there or not', async () => {
    for (const headers of [{}, { 'X-Api-Key': undefined }]) {
      contractOf(await merchant.methods({ headers }), 200, 'CheckoutPaymentMethodsSuccess');
      createdOf(await merchant.post(merchant.body(), { headers }));
    }
  });

  test.each([
    ['a wrong signature', '90001', { headers: { 'X-Signature': 'A'.repeat(43).concat('=') } }],
    [
      'a wrong signature and no key',
      '90001',
      { headers: { 'X-Signature': 'A'.repeat(43).concat('='), 'X-Api-Key': undefined } },
    ],
    ['no signature', '90001', { headers: { 'X-Signature': undefined } }],
    ['no timestamp', '90002', { headers: { 'X-Timestamp': undefined } }],
    ['a timestamp in seconds', '90002', { headers: { 'X-Timestamp': '1767225600' } }],
    ['an unknown key', '90003', { headers: { 'X-Api-Key': 'ak_nobody' } }],
  ])('%s is answered with 401 and %s, and makes no order', async (_, code, variation) => {
    const { body, answers } = await all(merchant, variation);
    expect(answers.map((answer) => checkoutFailureOf(answer, 401).code)).toEqual([code, code, code]);
    expect(checkoutFailureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
  });

  test('a request older or newer than 5 minutes is answered with 401 and 90002', async () => {
    for (const [age, accepted] of [
      [300_000, true],
      [300_001, false],
      [-300_000, true],
      [-300_001, false],
    ] as const) {
      const answer = await merchant.methods({ timestamp: String(clock.read() - age) });
      if (accepted) expect(answer.status).toBe(200);
      else expect(checkoutFailureOf(answer, 401).code).toBe('90002');
    }
  });

  test("another merchant's credentials open nothing, with the key or without", async () => {
    const other = await newMerchant(server);
    const body = merchant.body();
    expect(checkoutFailureOf(await merchant.post(body, { as: other }), 401).code).toBe('90003');
    const without = { as: other, headers: { 'X-Api-Key': undefined } };
    expect(checkoutFailureOf(await merchant.post(body, without), 401).code).toBe('90001');
    // The right signature beside another merchant's key.
    const beside = { headers: { 'X-Api-Key': other.apiKey } };
    expect(checkoutFailureOf(await merchant.post(body, beside), 401).code).toMatch(/^9000[13]$/);
    expect(checkoutFailureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
  });

  test('an unknown merchant is answered with 10007', async () => {
    const nobody = checkoutClient(server, { ...merchant, merchantId: 'M-nobody' });
    for (const headers of [{}, { 'X-Api-Key': undefined }]) {
      const { answers } = await all(nobody, { headers });
      expect(answers.map((answer) => checkoutFailureOf(answer).code)).toEqual(['10007', '10007', '10007']);
    }
  });

  test('a merchant without the product is answered with 50010, once its signature is right', async () => {
    const disabled = checkoutClient(server, await newMerchant(server, { checkoutEnabled: false }));
    const { body, answers } = await all(disabled, {});
    expect(answers.map((answer) => checkoutFailureOf(answer).code)).toEqual(['50010', '50010', '50010']);
    const identity = {
      product: 'checkout',
      merchantId: disabled.merchantId,
      merchantOrderId: body.merchantOrderId,
    } as const;
    expect(await server.storage.reads.findOrder(identity)).toBeUndefined();
    // Hosted orders are another product.
    await merchantClient(server, disabled).create();
    const wrong = await disabled.methods({ headers: { 'X-Signature': 'AAAA' } });
    expect(checkoutFailureOf(wrong, 401).code).toBe('90001');
  });
});
