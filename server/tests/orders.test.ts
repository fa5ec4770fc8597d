import { describe, expect, test } from 'vitest';
import { addressesWithoutHostOrPort } from './support/addresses.ts';
import { failureOf, orderOf } from './support/contract.ts';
import { merchantClient, newMerchant, newOrderId } from './support/server.ts';
import { sharedServer } from './support/shared-server.ts';

const server = await sharedServer({ publicUrl: 'https://pay.example/base' });
const merchant = merchantClient(server, await newMerchant(server));

/** Refused, and no order came to be. */
async function expectRefused(
  body: { merchantOrderId: string; [field: string]: unknown },
  code: string,
): Promise<string> {
  const { message, ...failure } = failureOf(await merchant.post(body));
  expect(failure.code).toBe(code);
  expect(failureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
  return message;
}

describe('create', () => {
  test('answers with the new order', async () => {
    const body = merchant.body({
      orderAmount: { value: '10.50', currency: 'USD' },
      expiresAt: '2031-01-01T02:00:00+02:00',
    });
    const before = Date.now();
    const order = orderOf(await merchant.post(body));
    expect(order).toMatchObject({
      merchantId: merchant.merchantId,
      merchantOrderId: body.merchantOrderId,
      status: 'INIT',
      checkoutUrl: `https://pay.example/base/checkout/${order.orderId}`,
      expiresAt: '2031-01-01T00:00:00.000Z',
      orderAmount: { value: '10.50', currency: 'USD' },
      paidAt: null,
      cryptoPaidAmount: null,
      cryptoPaymentDetail: null,
    });
    expect(order.orderId).toMatch(/^ord\.[a-z2-7]{26}$/);
    expect(Date.parse(order.createdAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(order.createdAt)).toBeLessThanOrEqual(Date.now());
  });

  test('takes every optional field, and fields that the contract does not name', async () => {
    const body = {
      ...merchant.body(),
      paymentMethodConfig: { allowedPaymentMethodTypes: ['EXCHANGE_TRANSFER'], allowedPaymentMethods: null },
      callbackUrl: 'https://shop.example/hooks',
      customer: { customerId: 'c-1', email: 'a@shop.example', name: 'Zoë \u0000 \ud83c\udf75', phone: '1' },
      customerIp: '2001:db8::1',
      userAgent: '',
      description: 'x'.repeat(512),
      items: [{ name: 'tea', quantity: 1, amount: { value: '10', currency: 'USDT' } }],
      metadata: '{"a":[1]}',
      subMerchants: [{ subMerchantId: 's', name: 'n', amount: '10', mcc: '5411', settlementRatio: '0.95' }],
      somethingElse: { nested: [null, true] },
    };
    orderOf(await merchant.post(body));
  });

  const long = `${'9'.repeat(45)}.000000000000000001`;
  test.each(['0.000000000000000001', '1000000.000000000000000001', long, '10.00', '007'])(
    'keeps the amount %s as it was sent',
    async (value) => {
      const { orderId } = await merchant.create({ orderAmount: { value, currency: 'USDT' } });
      expect((await merchant.query(orderId)).orderAmount).toEqual({ value, currency: 'USDT' });
    },
  );

  const amounts = ['0', '0.000', '-1', '+1', '1e3', '1,5', '', ' 1', '.5', '1.', '1.0000000000000000001', 'NaN'];
  test.each(amounts)('refuses the amount %j', async (value) => {
    const body = merchant.body({ orderAmount: { value, currency: 'USDT' } });
    expect(await expectRefused(body, /^0/.test(value) ? '10004' : '10001')).toMatch(/orderAmount\.value/);
  });

  const item = { name: 'tea', quantity: 1, amount: { value: '1', currency: 'USDT' as const } };
  const part = { subMerchantId: 's', name: 'n', amount: '1' };
  const usdt = (value: string) => ({ value, currency: 'USDT' as const });
  test.each([
    ['orderAmount.value', { orderAmount: usdt('9'.repeat(65)) }],
    ['items.0.amount.value', { items: [{ ...item, amount: usdt('9'.repeat(65)) }] }],
    ['items', { items: Array.from({ length: 501 }, () => item) }],
    ['subMerchants.0.amount', { subMerchants: [{ ...part, amount: `1.${'0'.repeat(63)}` }] }],
    ['subMerchants', { orderAmount: usdt('501'), subMerchants: Array.from({ length: 501 }, () => part) }],
  ])('refuses %s beyond the bounds of a request', async (field, changes) => {
    expect(await expectRefused(merchant.body(changes), '10001')).toMatch(`${field}: must have at most `);
  });

  test('adds up as many parts as an order may have, to the last digit', async () => {
    const subMerchants = Array.from({ length: 500 }, () => ({
      ...part,
      amount: `1${'0'.repeat(41)}.000000000000000002`,
    }));
    const total = `5${'0'.repeat(43)}.000000000000001`;
    await merchant.create({ orderAmount: usdt(total), subMerchants });
    expect(await expectRefused(merchant.body({ orderAmount: usdt(`${total}001`), subMerchants }), '10001')).toMatch(
      'make them equal',
    );
  });

  test('refuses an amount that is a number', async () => {
    expect(await expectRefused({ ...merchant.body(), orderAmount: { value: 10, currency: 'USDT' } }, '10001')).toMatch(
      /orderAmount\.value/,
    );
  });

  test.each(['EUR', 'usdt', 'USDC', ''])('refuses the currency %j', async (currency) => {
    const body = { ...merchant.body(), orderAmount: { value: '1', currency } };
    expect(await expectRefused(body, '10001')).toMatch(/orderAmount\.currency/);
  });

  test.each([
    ['merchantOrderId', undefined],
    ['orderAmount', undefined],
    ['expiresAt', undefined],
    ['expiresAt', 'tomorrow'],
    ['expiresAt', '2031-02-30T00:00:00Z'],
    ['expiresAt', '2030-12-31T23:59:60Z'],
    ['expiresAt', '2031-01-01T00:00:00'],
    ['returnUrl', undefined],
    ['returnUrl', `https://shop.example/${'a'.repeat(2048)}`],
    ['callbackUrl', 'http://shop.example/hook'],
    ['customerIp', '300.1.1.1'],
    ['userAgent', 'x'.repeat(513)],
    ['description', 'x'.repeat(513)],
    ['metadata', 'no JSON'],
    ['metadata', `"${'x'.repeat(4095)}"`],
    ['items', [{ name: 'tea', quantity: 0, amount: { value: '1', currency: 'USDT' } }]],
    ['items', [{ name: 'tea', quantity: 1, amount: { value: '-1', currency: 'USDT' } }]],
    ['items', [{ name: 'tea', quantity: 1, amount: { value: '1', currency: 'usd' } }]],
    ['subMerchants', [{ subMerchantId: 's', name: 'n', amount: '0.01' }]],
    ['paymentMethodConfig', { allowedPaymentMethods: ['EXCHANGE_THREE'] }],
  ])('names %s when it does not fit', async (field, value) => {
    const body = merchant.body();
    const { code, message } = failureOf(await merchant.post({ ...body, [field]: value }));
    expect(code).toBe('10001');
    expect(message).toContain(field);
    expect(failureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
  });

  test.each([
    'a'.repeat(15),
    'a'.repeat(65),
    'order-000000000/1',
    'order-000000000.1',
    'ordér-00000000001',
    'order-00000000001\u0000',
  ])('refuses the merchantOrderId %j', async (merchantOrderId) => {
    const failure = failureOf(await merchant.post(merchant.body({ merchantOrderId })));
    expect(failure).toMatchObject({ code: '10001', data: { merchantOrderId } });
    expect(failure.message).toContain('merchantOrderId');
  });

  test.each(['A-_0'.repeat(4), 'z'.repeat(64)])('takes the merchantOrderId %s', async (merchantOrderId) => {
    expect((await merchant.create({ merchantOrderId })).merchantOrderId).toBe(merchantOrderId);
  });

  test.each([
    'https://shop.example:65535',
    'https://u:p@shop.example:1/a?b#c',
    'https://[2001:db8::1]:443/',
    'HTTPS://a?b',
  ])('takes the callbackUrl %s', async (callbackUrl) => {
    await merchant.create({ callbackUrl });
  });

  test.each([
    ['0', 'USDT'],
    ['0.00', 'USD'],
    ['1.5', 'EUR'],
    ['3', 'X1234567890123YZ'],
  ])('takes an item for %s %s', async (value, currency) => {
    await merchant.create({ items: [{ name: 'tea', quantity: 1, amount: { value, currency } }] });
  });

  test.each(['2031-02-30T00:00:00Z', '2016-12-31T23:59:60Z', '2031-06-30T23:59:60Z'])(
    'calls %s no time, and not one in the past',
    async (expiresAt) => {
      const message = await expectRefused(merchant.body({ expiresAt }), '10001');
      expect(message).toContain('expiresAt');
      expect(message).not.toContain('past');
    },
  );

  test.each(addressesWithoutHostOrPort)('refuses the callbackUrl https:%s', async (rest) => {
    expect(await expectRefused(merchant.body({ callbackUrl: `https:${rest}` }), '10001')).toContain('callbackUrl');
  });

  test('refuses a time that has passed', async () => {
    const expiresAt = new Date(Date.now() - 1).toISOString();
    expect(await expectRefused(merchant.body({ expiresAt }), '10001')).toContain('expiresAt');
  });
});

describe('sub-merchants', () => {
  const split = (value: string, amounts: string[]) =>
    merchant.body({
      orderAmount: { value, currency: 'USDT' },
      subMerchants: amounts.map((amount, index) => ({ subMerchantId: `s-${index}`, name: `Shop ${index}`, amount })),
    });
  const big = '9'.repeat(45);

  test.each([
    ['0.3', ['0.1', '0.2']],
    ['1.1', ['0.7', '0.2', '0.2']],
    ['10.00', ['10']],
    ['2000.000000000000000002', ['1000.000000000000000001', '1000.000000000000000001']],
    [`${big}.100000000000000001`, [big, '0.100000000000000001']],
    ['7', []],
  ])('that make exactly %s are accepted: %j', async (value, amounts) => {
    orderOf(await merchant.post(split(value, amounts)));
  });

  test.each([
    ['0.3', ['0.1', '0.200000000000000001']],
    ['0.3', ['0.1', '0.199999999999999999']],
    ['2000', ['1000.000000000000000001', '1000.000000000000000001']],
    [`${big}.1`, [big, '0.100000000000000001']],
    ['9007199254740993', ['9007199254740991', '1']],
    [`1${'0'.repeat(60)}`, [`1${'0'.repeat(60)}`, '0.02']],
    ['10', ['9']],
  ])('that do not make exactly %s are refused: %j', async (value, amounts) => {
    expect(await expectRefused(split(value, amounts), '10001')).toContain('subMerchants');
  });
});

describe('query', () => {
  test('finds the same order by both of its ids', async () => {
    const order = await merchant.create();
    expect(await merchant.query(order.merchantOrderId)).toEqual(order);
    expect(await merchant.query(order.orderId)).toEqual(order);
  });

  test('undoes percent-encoding, and takes a query that means nothing', async () => {
    const order = await merchant.create();
    expect(await merchant.query(`%6F${order.orderId.slice(1)}`)).toEqual(order);
    expect(await merchant.query(`${order.orderId}?`)).toEqual(order);
    expect(await merchant.query(`${order.orderId}?b=2&a=%20&a=1?`)).toEqual(order);
  });

  test("does not find another merchant's order, by either id", async () => {
    const order = await merchant.create();
    const other = merchantClient(server, await newMerchant(server));
    for (const id of [order.orderId, order.merchantOrderId]) {
      expect(failureOf(await other.get(id))).toMatchObject({
        code: '40001',
        data: { merchantId: other.merchantId, merchantOrderId: id },
      });
    }
  });

  test('answers 40001 for an id that nobody has', async () => {
    expect(failureOf(await merchant.get(newOrderId())).code).toBe('40001');
  });
});

describe('the same merchantOrderId again', () => {
  test('answers with the first order, by value of the amount', async () => {
    const body = merchant.body({ orderAmount: { value: '10.5', currency: 'USDT' } });
    const first = orderOf(await merchant.post(body));
    expect(orderOf(await merchant.post(body))).toEqual(first);
    const written = { ...body, orderAmount: { value: '10.50', currency: 'USDT' }, description: 'again' };
    expect(orderOf(await merchant.post(written))).toEqual(first);
  });

  test.each([
    ['10.500000000000000001', 'USDT'],
    ['10.5', 'USD'],
  ])('is refused over %s %s, and the first order stays as it was', async (value, currency) => {
    const body = merchant.body({ orderAmount: { value: '10.5', currency: 'USDT' } });
    const first = orderOf(await merchant.post(body));
    const failure = failureOf(await merchant.post({ ...body, orderAmount: { value, currency } }));
    expect(failure).toMatchObject({ code: '20001', data: { merchantOrderId: body.merchantOrderId } });
    expect(await merchant.query(body.merchantOrderId)).toEqual(first);
  });

  test('is another order for another merchant', async () => {
    const first = await merchant.create();
    const other = merchantClient(server, await newMerchant(server));
    const second = await other.create({ merchantOrderId: first.merchantOrderId });
    expect(second.orderId).not.toBe(first.orderId);
  });
});
