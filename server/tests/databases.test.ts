import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newPostgresDatabase } from '../storage/testing/postgres.ts';
import { startReceiver } from '../webhooks/testing/receiver.ts';
import { checkoutClient, checkoutFailureOf, createdOf } from './support/checkout.ts';
import { contractOf, controlOf, eventOf, failureOf, orderOf, problemOf } from './support/contract.ts';
import { refundClient, refundFailureOf, refundOf } from './support/refunds.ts';
import {
  advance,
  control,
  merchantClient,
  newMerchant,
  orderEvent,
  startTestServer,
  type TestServer,
} from './support/server.ts';

let directory: string;
let databases = 0;
const servers: TestServer[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-server-'));
});

afterEach(async () => {
  const ended = servers.splice(0);
  await Promise.all(ended.map((server) => server.close()));
  expect(ended.flatMap(({ logged }) => logged)).toEqual([]);
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

async function start(database: string): Promise<TestServer> {
  const server = await startTestServer({ database });
  servers.push(server);
  return server;
}

async function stop(server: TestServer): Promise<void> {
  servers.splice(servers.indexOf(server), 1);
  await server.close();
  expect(server.logged).toEqual([]);
}

// The other tests of the server use SQLite in memory.
const lasting: [string, () => Promise<string>][] = [
  ['SQLite in a file', async () => join(directory, `${++databases}.db`)],
  ['PostgreSQL', newPostgresDatabase],
];

describe.each(lasting)('on %s', (_, newDatabase) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ database: await newDatabase() });
  });

  afterAll(async () => {
    await server.close();
    expect(server.logged).toEqual([]);
  });

  test('an order is created, found by both ids, paid and final', async () => {
    const merchant = merchantClient(server, await newMerchant(server));
    const value = `${'9'.repeat(45)}.000000000000000001`;
    const order = await merchant.create({ orderAmount: { value, currency: 'USDT' }, description: 'tea 🍵 \u0000' });
    expect(await merchant.query(order.merchantOrderId)).toEqual(order);
    expect(await merchant.query(order.orderId)).toEqual(order);
    controlOf(await orderEvent(server, order, { type: 'transaction_detected' }), 200, 'OrderEventResult');
    controlOf(await orderEvent(server, order, { type: 'payment_confirmed' }), 200, 'OrderEventResult');
    const paid = await merchant.query(order.orderId);
    expect(paid).toMatchObject({ status: 'SUCCEEDED', cryptoPaidAmount: { value, currency: 'USDT' } });
    problemOf(await orderEvent(server, order, { type: 'cancelled' }), 409);
    await advance(server, merchant.merchantId, 7200);
    expect(await merchant.query(order.orderId)).toEqual(paid);
  });

  test('the same create again is the same order, another one is refused', async () => {
    const merchant = merchantClient(server, await newMerchant(server));
    const body = merchant.body();
    const first = orderOf(await merchant.post(body));
    expect(orderOf(await merchant.post(body))).toEqual(first);
    const other = { ...body, orderAmount: { value: '11', currency: 'USDT' } };
    expect(failureOf(await merchant.post(other)).code).toBe('20001');
    expect(await merchant.query(first.orderId)).toEqual(first);
  });

  test('20 identical creates at once make one order', async () => {
    const merchant = merchantClient(server, await newMerchant(server));
    const body = merchant.body();
    const answers = await Promise.all(Array.from({ length: 20 }, () => merchant.post(body)));
    const ids = new Set(answers.map((answer) => orderOf(answer).orderId));
    expect([...ids]).toEqual([(await merchant.query(body.merchantOrderId)).orderId]);
  });

  test('20 creates at once over different amounts make one order', async () => {
    const merchant = merchantClient(server, await newMerchant(server));
    const body = merchant.body();
    const bodies = Array.from({ length: 20 }, (_, index) => ({
      ...body,
      orderAmount: { value: String(index + 1), currency: 'USDT' },
    }));
    const answers = await Promise.all(bodies.map((each) => merchant.post(each)));
    const accepted = answers.filter(({ text }) => text.includes('"00000"')).map(orderOf);
    expect(accepted).toEqual([await merchant.query(body.merchantOrderId)]);
    const refused = answers.filter(({ text }) => !text.includes('"00000"')).map((answer) => failureOf(answer).code);
    expect(refused).toEqual(Array(19).fill('20001'));
  });

  test('an order closes by a clock advance before it is answered, and without any request', async () => {
    const merchant = merchantClient(server, await newMerchant(server));
    const status = async (orderId: string) =>
      (await server.storage.reads.findOrderById(merchant.merchantId, orderId))?.status;
    const advanced = await merchant.create();
    await advance(server, merchant.merchantId, 3600);
    expect(await status(advanced.orderId)).toBe('CLOSED');
    const soon = new Date(Date.now() + 3_600_000 + 2000).toISOString();
    const waiting = await merchant.create({ expiresAt: soon });
    expect(waiting.status).toBe('INIT');
    await expect.poll(() => status(waiting.orderId), { interval: 20, timeout: 20_000 }).toBe('CLOSED');
  });

  test('a checkout order is created once, paid, refunded once, and each end is reported', async () => {
    const receiver = await startReceiver((response) => response.writeHead(200).end());
    const url = `http://127.0.0.1:${receiver.port}/hooks`;
    const credentials = await newMerchant(server, {
      defaultNotifyUrl: url,
      balances: { USDC: '20.000000000000000001' },
    });
    const { merchantId } = credentials;
    const checkout = checkoutClient(server, credentials);
    const refunds = refundClient(server, credentials);
    const account = async () => (await server.storage.reads.findMerchant(merchantId))?.ledger.USDC;

    const body = checkout.body({
      orderAmount: { value: '10.000000000000000001', currency: 'USDC' },
      network: 'base',
      callbackUrl: url,
      metadata: 'tea 🍵 \u0000',
    });
    const creates = await Promise.all(Array.from({ length: 20 }, () => checkout.post(body)));
    const [order, ...others] = [...new Set(creates.map((answer) => createdOf(answer).orderId))];
    expect(others).toEqual([]);
    if (order === undefined) throw new Error('no order was made');
    expect(checkoutFailureOf(await checkout.post({ ...body, network: 'eth' })).code).toBe('20001');
    const subject = { merchantId, orderId: order };
    for (const type of ['transaction_detected', 'payment_confirmed']) {
      controlOf(await orderEvent(server, subject, { type }), 200, 'OrderEventResult');
    }
    const paid = await checkout.query(body.merchantOrderId);
    expect(paid).toMatchObject({ status: 'SUCCEEDED', cryptoPaidAmount: body.orderAmount, metadata: body.metadata });

    const answers = await Promise.all(Array.from({ length: 20 }, () => refunds.post(refunds.body(order))));
    const [refund, ...more] = answers.filter(({ status }) => status === 200).map(refundOf);
    if (!refund) throw new Error('no refund was accepted');
    expect(more).toEqual([]);
    const refused = answers.filter(({ status }) => status !== 200).map((each) => refundFailureOf(each, 400).code);
    expect(refused).toEqual(Array(19).fill('ORDER_ALREADY_REFUNDED'));
    expect(await account()).toEqual({ available: '10', reserved: '10.000000000000000001', deducted: '0' });
    await refunds.move(refund.refundOrderId, 'processing_started', 'completed');
    expect(await account()).toEqual({ available: '10', reserved: '0', deducted: '10.000000000000000001' });
    const batch = await refunds.batch(['unknown', refund.merchantRefundOrderId, refund.merchantRefundOrderId]);
    expect(contractOf(batch, 200, 'RefundBatchSuccess').data).toEqual([await refunds.query(refund.refundOrderId)]);

    await expect.poll(() => receiver.received.length, { interval: 10, timeout: 20_000 }).toBe(3);
    const bodies = receiver.received.map((received) => received.body);
    const reported = bodies.map((bytes) =>
      eventOf(bytes, 'refundOrderId' in eventOf(bytes, 'OrderEvent') ? 'RefundEvent' : 'OrderEvent'),
    );
    expect(reported.map(({ status, sequence, refundOrderId }) => [refundOrderId, sequence, status]).sort()).toEqual(
      [
        [undefined, 1, 'PROCESSING'],
        [undefined, 2, 'SUCCEEDED'],
        [refund.refundOrderId, 2, 'SUCCEEDED'],
      ].sort(),
    );
    const delivered = async () =>
      controlOf(
        await control(server, 'GET', `/merchants/${merchantId}/deliveries`),
        200,
        'DeliveryList',
      ).deliveries.map(({ status }) => status);
    await expect.poll(delivered, { timeout: 20_000 }).toEqual(['delivered', 'delivered', 'delivered']);
    await receiver.close();
  });

  test('20 refunds under one id, and refunds beyond the balance, change the books once', async () => {
    const credentials = await newMerchant(server, { balances: { USDT: '25' } });
    const merchant = merchantClient(server, credentials);
    const refunds = refundClient(server, credentials);
    const orders = await Promise.all(Array.from({ length: 4 }, () => merchant.create()));
    for (const order of orders) {
      for (const type of ['transaction_detected', 'payment_confirmed']) {
        controlOf(await orderEvent(server, order, { type }), 200, 'OrderEventResult');
      }
    }
    const bodies = orders.map(({ orderId }) => refunds.body(orderId));
    const answers = await Promise.all(bodies.flatMap((body) => Array.from({ length: 5 }, () => refunds.post(body))));
    const accepted = new Set(
      answers.filter(({ status }) => status === 200).map((each) => refundOf(each).refundOrderId),
    );
    expect(accepted.size).toBe(2);
    const refused = answers.filter(({ status }) => status !== 200).map((each) => refundFailureOf(each, 400).code);
    expect(refused).toEqual(Array(10).fill('INSUFFICIENT_BALANCE'));
    const account = (await server.storage.reads.findMerchant(merchant.merchantId))?.ledger.USDT;
    expect(account).toEqual({ available: '5', reserved: '20', deducted: '0' });
  });

  test('ids that no database can keep are not found', async () => {
    const merchant = merchantClient(server, await newMerchant(server));
    for (const id of ['%00', 'order-%00', '%ED%A0%80', "'%3B--"]) {
      expect(failureOf(await merchant.get(id)).code).not.toBe('99999');
    }
  });
});

describe.each(lasting)('on %s', (_, newDatabase) => {
  test('all that was answered is there after a restart', async () => {
    const database = await newDatabase();
    const first = await start(database);
    const credentials = await newMerchant(first, { usdRate: '2', automatic: true });
    const before = merchantClient(first, credentials);
    const [open, paid] = [await before.create(), await before.create({ orderAmount: { value: '1', currency: 'USD' } })];
    controlOf(await orderEvent(first, paid, { type: 'transaction_detected' }), 200, 'OrderEventResult');
    await advance(first, before.merchantId, 60);
    const succeeded = await before.query(paid.orderId);
    await stop(first);

    const second = await start(database);
    const after = merchantClient(second, credentials);
    // The checkout page moves with the server.
    const moved = (text: string) => text.replace(first.url, second.url);
    expect(await after.query(open.orderId)).toEqual({ ...open, checkoutUrl: moved(open.checkoutUrl) });
    const again = await after.query(paid.merchantOrderId);
    expect(again).toEqual({ ...succeeded, checkoutUrl: moved(paid.checkoutUrl) });
    expect(again).toMatchObject({ status: 'SUCCEEDED', cryptoPaidAmount: { value: '2' } });
    // Its business clock, too, is where it was.
    const asked = Date.now();
    const clock = Date.parse(await advance(second, after.merchantId, 1)) - 61_000;
    expect(clock).toBeGreaterThanOrEqual(asked);
    expect(clock).toBeLessThanOrEqual(Date.now());
  });

  test('what fell due while no server ran is done by the next one', async () => {
    const database = await newDatabase();
    const first = await start(database);
    const credentials = await newMerchant(first);
    const expiresAt = new Date(Date.now() + 2000).toISOString();
    const order = await merchantClient(first, credentials).create({ expiresAt });
    await stop(first);
    await pause(Date.parse(expiresAt) - Date.now());
    const second = await start(database);
    const read = async () => (await second.storage.reads.findOrderById(order.merchantId, order.orderId))?.status;
    await expect.poll(read, { interval: 20, timeout: 20_000 }).toBe('CLOSED');
  });
});

describe('two servers over one PostgreSQL database', () => {
  async function pair(): Promise<[TestServer, TestServer]> {
    const database = await newPostgresDatabase();
    // At once, as after a deployment: both find that there are no tables yet.
    return Promise.all([start(database), start(database)]);
  }

  test('make one order of 20 creates spread over both', async () => {
    const [one, two] = await pair();
    const credentials = await newMerchant(one);
    const [here, there] = [merchantClient(one, credentials), merchantClient(two, credentials)];
    const body = here.body();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? here : there).post(body)),
    );
    const ids = new Set(answers.map((answer) => orderOf(answer).orderId));
    expect([...ids]).toEqual([(await there.query(body.merchantOrderId)).orderId]);
  });

  test('pay an order once, whichever is asked', async () => {
    const [one, two] = await pair();
    const credentials = await newMerchant(two);
    const order = await merchantClient(one, credentials).create();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        orderEvent(index % 2 === 0 ? one : two, order, { type: 'transaction_detected' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect((await merchantClient(two, credentials).query(order.orderId)).status).toBe('PROCESSING');
  });

  test('share the clock, and close each due order once', async () => {
    const [one, two] = await pair();
    const credentials = await newMerchant(one);
    const [here, there] = [merchantClient(one, credentials), merchantClient(two, credentials)];
    const orders = await Promise.all(Array.from({ length: 30 }, () => here.create()));
    await Promise.all([advance(one, here.merchantId, 1800), advance(two, here.merchantId, 1800)]);
    for (const order of orders) expect((await there.query(order.orderId)).status).toBe('CLOSED');
  });
});
