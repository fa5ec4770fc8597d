import { beforeEach, describe, expect, test } from 'vitest';
import { controlOf, type OrderView, orderOf, problemOf } from './support/contract.ts';
import {
  advance,
  changeRate,
  type MerchantClient,
  merchantClient,
  newMerchant,
  orderEvent,
  startTestServer,
  stoppedClock,
  type TestServer,
} from './support/server.ts';
import { sharedServer } from './support/shared-server.ts';

const clock = stoppedClock();
const server = await sharedServer({ clock: clock.read });
const merchant = merchantClient(server, await newMerchant(server));

/** Sends an event that the order takes; returns its status after it, and what is due. */
async function event(order: OrderView, body: object) {
  return controlOf(await orderEvent(server, order, body), 200, 'OrderEventResult');
}

/** Pays an order of a merchant; returns it as it is then. */
async function pay(client: MerchantClient, order: OrderView, detected: object = {}): Promise<OrderView> {
  await event(order, { type: 'transaction_detected', ...detected });
  await event(order, { type: 'payment_confirmed' });
  return client.query(order.orderId);
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
const unpaid = { paidAt: null, cryptoPaidAmount: null, cryptoPaymentDetail: null };

describe('a payment', () => {
  test('shows only once it has succeeded', async () => {
    const order = await merchant.create({ orderAmount: { value: '10.50', currency: 'USDT' } });
    expect(await event(order, { type: 'transaction_detected' })).toEqual({
      status: 'PROCESSING',
      due: { value: '10.50', currency: 'USDT' },
    });
    expect(await merchant.query(order.orderId)).toEqual({ ...order, status: 'PROCESSING', ...unpaid });

    clock.advance(7000);
    expect((await event(order, { type: 'payment_confirmed' })).status).toBe('SUCCEEDED');
    const paid = await merchant.query(order.orderId);
    expect(paid).toEqual({
      ...order,
      status: 'SUCCEEDED',
      paidAt: iso(clock.read()),
      cryptoPaidAmount: { value: '10.50', currency: 'USDT' },
      cryptoPaymentDetail: paid.cryptoPaymentDetail,
    });
    expect(paid.cryptoPaymentDetail).toMatchObject({ network: 'TRON', confirmations: 19 });
  });

  test.each([
    ['tron', 'TRON', 19],
    ['eth', 'ETHEREUM', 12],
    ['bsc', 'BSC', 15],
  ])('on %s shows %s and its %i confirmations', async (network, name, confirmations) => {
    const paid = await pay(merchant, await merchant.create(), { network });
    expect(paid.cryptoPaymentDetail).toMatchObject({ network: name, confirmations });
  });

  test('shows the transaction that the event named', async () => {
    const detected = { fromAddress: 'TPayer', transactionHash: 'abc', paymentMethod: 'EXCHANGE_ONE', amount: '10' };
    const paid = await pay(merchant, await merchant.create(), detected);
    expect(paid.cryptoPaymentDetail).toMatchObject({ fromAddress: 'TPayer', txHash: 'abc' });
  });

  test.each([
    ['exactly', '1000000.000000000000000001', 'SUCCEEDED'],
    ['1e-18 too much', '1000000.000000000000000002', 'SUCCEEDED'],
    ['twice', '2000000.000000000000000002', 'SUCCEEDED'],
    ['1e-18 too little', '1000000', 'FAILED'],
    ['almost nothing', '0.000000000000000001', 'FAILED'],
  ])('of %s what is due', async (_, amount, expected) => {
    const order = await merchant.create({ orderAmount: { value: '1000000.000000000000000001', currency: 'USDT' } });
    expect((await event(order, { type: 'transaction_detected', amount })).status).toBe('PROCESSING');
    expect((await event(order, { type: 'payment_confirmed' })).status).toBe(expected);
    const after = await merchant.query(order.orderId);
    const succeeded = expected === 'SUCCEEDED';
    expect(after).toMatchObject(succeeded ? { status: expected, cryptoPaidAmount: { value: amount } } : unpaid);
    expect(after.orderAmount).toEqual(order.orderAmount);
  });

  test.each([undefined, 'timeout', 'error'])('that goes wrong (%s) leaves nothing paid', async (reason) => {
    const order = await merchant.create();
    await event(order, { type: 'transaction_detected' });
    expect((await event(order, { type: 'payment_failed', ...(reason && { reason }) })).status).toBe('FAILED');
    expect(await merchant.query(order.orderId)).toEqual({ ...order, status: 'FAILED', ...unpaid });
  });

  test('in two places at once is made once', async () => {
    const order = await merchant.create();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        orderEvent(server, order, { type: 'transaction_detected', transactionHash: `tx-${index}` }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });
});

describe('an amount in a form that is rare', () => {
  test('of as many digits as are permitted is due in full', async () => {
    const value = `${'9'.repeat(45)}.000000000000000001`;
    const order = await merchant.create({ orderAmount: { value, currency: 'USDT' } });
    expect((await event(order, { type: 'transaction_detected' })).due.value).toBe(value);
  });

  test('detected with more places than the contract shows makes no answer that breaks it', async () => {
    const order = await merchant.create();
    const answer = await orderEvent(server, order, { type: 'transaction_detected', amount: '10.0000000000000000001' });
    if (answer.status === 200) await event(order, { type: 'payment_confirmed' });
    else problemOf(answer, 422);
    await merchant.query(order.orderId);
  });
});

describe('an order priced in USD', () => {
  test.each([
    ['10', '1', '10'],
    ['10', '0.9995', '9.995'],
    ['0.01', '1.00001', '0.010001'],
    ['0.000000000000000001', '1', '0.000001'],
    ['1000000.000000000000000001', '1', '1000000.000001'],
  ])('over %s at %s is paid in USDT, rounded up', async (value, usdRate, due) => {
    const rated = merchantClient(server, await newMerchant(server, { usdRate }));
    const order = await rated.create({ orderAmount: { value, currency: 'USD' } });
    expect((await event(order, { type: 'transaction_detected' })).due).toEqual({ value: due, currency: 'USDT' });
    await event(order, { type: 'payment_confirmed' });
    expect(await rated.query(order.orderId)).toMatchObject({
      status: 'SUCCEEDED',
      orderAmount: { value, currency: 'USD' },
      cryptoPaidAmount: { value: due, currency: 'USDT' },
    });
  });

  test('is converted when the payment is detected, at the rate of that moment', async () => {
    const credentials = await newMerchant(server, { usdRate: '1' });
    const rated = merchantClient(server, credentials);
    const orders = [];
    for (let index = 0; index < 3; index += 1) {
      orders.push(await rated.create({ orderAmount: { value: '10', currency: 'USD' } }));
    }
    const [before, after, short] = orders;
    if (!before || !after || !short) throw new Error('three orders were to be made');
    await event(before, { type: 'transaction_detected' });
    await changeRate(server, credentials.merchantId, '1.25');

    expect((await event(after, { type: 'transaction_detected' })).due.value).toBe('12.5');
    await event(short, { type: 'transaction_detected', amount: '10' });
    const statuses = [];
    for (const order of [before, after, short]) {
      const { status } = await event(order, { type: 'payment_confirmed' });
      statuses.push([status, (await rated.query(order.orderId)).cryptoPaidAmount?.value]);
    }
    expect(statuses).toEqual([
      ['SUCCEEDED', '10'],
      ['SUCCEEDED', '12.5'],
      ['FAILED', undefined],
    ]);
  });

  test('is not paid by the amount before rounding', async () => {
    const rated = merchantClient(server, await newMerchant(server, { usdRate: '1.0000001' }));
    const order = await rated.create({ orderAmount: { value: '1', currency: 'USD' } });
    await event(order, { type: 'transaction_detected', amount: '1.0000001' });
    expect((await event(order, { type: 'payment_confirmed' })).status).toBe('FAILED');
  });

  test('does not touch an order in USDT of the same merchant', async () => {
    const rated = merchantClient(server, await newMerchant(server, { usdRate: '2' }));
    const order = await rated.create({ orderAmount: { value: '10', currency: 'USDT' } });
    expect((await event(order, { type: 'transaction_detected' })).due.value).toBe('10');
  });
});

describe('a move that is none', () => {
  const moves = ['transaction_detected', 'payment_confirmed', 'payment_failed', 'cancelled'];
  const ways: [string, string[], string[]][] = [
    ['INIT', [], ['payment_confirmed', 'payment_failed']],
    ['PROCESSING', ['transaction_detected'], ['transaction_detected', 'cancelled']],
    ['SUCCEEDED', ['transaction_detected', 'payment_confirmed'], moves],
    ['FAILED', ['transaction_detected', 'payment_failed'], moves],
    ['CLOSED', ['cancelled'], moves],
  ];

  test.each(ways)('leaves an order in %s as it is', async (status, way, refused) => {
    const { orderId, ...created } = await merchant.create();
    for (const type of way) await event({ orderId, ...created }, { type });
    const before = await merchant.query(orderId);
    expect(before.status).toBe(status);
    for (const type of refused) {
      problemOf(await orderEvent(server, before, { type }), 409);
      expect(await merchant.query(orderId)).toEqual(before);
    }
  });

  test('does not bring time to an order that is paid or being paid', async () => {
    const own = merchantClient(server, await newMerchant(server));
    const [processing, paid] = [await own.create(), await own.create()];
    await event(processing, { type: 'transaction_detected' });
    await pay(own, paid);
    await advance(server, own.merchantId, 7200);
    expect((await own.query(processing.orderId)).status).toBe('PROCESSING');
    expect((await own.query(paid.orderId)).status).toBe('SUCCEEDED');
  });
});

describe('expiry', () => {
  test('comes at expiresAt, not a millisecond before', async () => {
    const order = await merchant.create();
    clock.set(Date.parse(order.expiresAt) - 1);
    expect((await merchant.query(order.orderId)).status).toBe('INIT');
    clock.advance(1);
    expect(await merchant.query(order.orderId)).toEqual({ ...order, status: 'CLOSED' });
  });

  test('wins over a payment that is seen at that moment', async () => {
    const order = await merchant.create();
    clock.set(Date.parse(order.expiresAt));
    problemOf(await orderEvent(server, order, { type: 'transaction_detected' }), 409);
    expect((await merchant.query(order.orderId)).status).toBe('CLOSED');
  });

  test('shows in the answer to the same create again', async () => {
    const body = merchant.body();
    const order = orderOf(await merchant.post(body));
    await event(order, { type: 'cancelled' });
    expect(orderOf(await merchant.post(body))).toEqual({ ...order, status: 'CLOSED' });
  });

  test('of an order shortly before the year 10000 in UTC makes no answer that breaks the contract', async () => {
    const body = merchant.body({ expiresAt: '9999-12-31T23:59:59-12:00' });
    const answer = await merchant.post(body);
    expect(answer.status, answer.text).toBe(200);
  });
});

describe('a merchant whose payments move by themselves', () => {
  let automatic: MerchantClient;

  beforeEach(async () => {
    automatic = merchantClient(server, await newMerchant(server, { automatic: true }));
  });

  test.each([
    [{}, 19, 'SUCCEEDED'],
    [{ network: 'eth' }, 12, 'SUCCEEDED'],
    [{ amount: '9.999999999999999999' }, 19, 'FAILED'],
  ])('detected as %j it is confirmed after %i seconds: %s', async (detected, seconds, expected) => {
    const order = await automatic.create();
    await event(order, { type: 'transaction_detected', ...detected });
    const now = Date.parse(await advance(server, automatic.merchantId, seconds - 1));
    expect((await automatic.query(order.orderId)).status).toBe('PROCESSING');
    await advance(server, automatic.merchantId, 1);
    expect(await automatic.query(order.orderId)).toMatchObject({
      status: expected,
      paidAt: expected === 'SUCCEEDED' ? iso(now + 1000) : null,
    });
  });

  test('is dated at its confirmation, however far the clock jumps', async () => {
    const order = await automatic.create();
    await event(order, { type: 'transaction_detected' });
    const now = Date.parse(await advance(server, automatic.merchantId, 3600));
    expect((await automatic.query(order.orderId)).paidAt).toBe(iso(now - 3600_000 + 19_000));
  });

  test('is never paid by itself', async () => {
    const order = await automatic.create();
    await advance(server, automatic.merchantId, 3599);
    expect((await automatic.query(order.orderId)).status).toBe('INIT');
    await advance(server, automatic.merchantId, 1);
    expect((await automatic.query(order.orderId)).status).toBe('CLOSED');
  });

  test('moves by events as well', async () => {
    expect((await pay(automatic, await automatic.create())).status).toBe('SUCCEEDED');
  });
});

describe('without any request', () => {
  /** When the stored order has that status, in real time. */
  async function seen(on: TestServer, order: OrderView, status: string): Promise<number> {
    const read = async () => (await on.storage.reads.findOrderById(order.merchantId, order.orderId))?.status;
    await expect.poll(read, { interval: 10, timeout: 20_000 }).toBe(status);
    return Date.now();
  }

  test('an order closes at its expiry, and not before', async () => {
    const real = await startTestServer();
    const client = merchantClient(real, await newMerchant(real));
    const order = await client.create({ expiresAt: iso(Date.now() + 2000) });
    expect(await seen(real, order, 'CLOSED')).toBeGreaterThanOrEqual(Date.parse(order.expiresAt));
    await real.close();
  });

  test('a payment of an automatic merchant is confirmed', async () => {
    const automatic = merchantClient(server, await newMerchant(server, { automatic: true }));
    const order = await automatic.create();
    await event(order, { type: 'transaction_detected' });
    clock.advance(19_000);
    await seen(server, order, 'SUCCEEDED');
  });

  test('500 orders that expire at one moment are all closed', async () => {
    const own = merchantClient(server, await newMerchant(server));
    const first = await own.create();
    const stored = await server.storage.reads.findOrderById(own.merchantId, first.orderId);
    if (!stored) throw new Error('the order was not stored');
    const ids = Array.from({ length: 500 }, (_, index) => `${first.orderId}-${index}`);
    await server.storage.transaction(async (records) => {
      for (const orderId of ids) await records.insertOrder({ ...stored, orderId, merchantOrderId: orderId });
    });
    clock.set(Date.parse(first.expiresAt));
    const open = async () => {
      const orders = await Promise.all(ids.map((id) => server.storage.reads.findOrderById(own.merchantId, id)));
      return orders.filter((order) => order?.status !== 'CLOSED').length;
    };
    await expect.poll(open, { interval: 50, timeout: 20_000 }).toBe(0);
  });
});
