import { setTimeout as pause } from 'node:timers/promises';
import { describe, type TestContext, test } from 'vitest';
import { newPostgresDatabase } from '../storage/testing/postgres.ts';
import { orderOf } from '../tests/support/contract.ts';
import { type Answer, send } from '../tests/support/http.ts';
import {
  merchantClient,
  newMerchant,
  newOrderId,
  orderEvent,
  startTestServer,
  type TestServer,
} from '../tests/support/server.ts';
import { startProxy } from './testing/proxy.ts';

/** How long the database is unavailable, in milliseconds. */
const outage = 10_000;
/** How long a request may take at most during the outage, in milliseconds. */
const patience = { refused: 5000, silent: 21_000 };

/** A server, and the route to its database, which can be cut. Both end with the test. */
async function startBehindProxy(onTestFinished: TestContext['onTestFinished']) {
  const proxy = await startProxy(await newPostgresDatabase());
  const server = await startTestServer({ database: proxy.url });
  onTestFinished(async () => {
    await proxy.restore();
    await server.close();
    await proxy.close();
  });
  return { proxy, server };
}

interface Operation {
  /** Sends the request. A create has new ids each time. */
  send: () => Promise<Answer>;
  /** The answer while the database is unavailable. */
  gone: { status: number; code: string };
}

/** Operations of each area, both reading and writing. */
async function operations(server: TestServer): Promise<Record<string, Operation>> {
  const merchant = merchantClient(server, await newMerchant(server));
  const base = `/api/v1/merchants/${merchant.merchantId}`;
  const order = await merchant.create();
  await orderEvent(server, order, { type: 'transaction_detected' });
  await orderEvent(server, order, { type: 'payment_confirmed' });
  const post = (path: string, body: unknown) => merchant.request('POST', `${base}${path}`, JSON.stringify(body));
  const hosted = { status: 200, code: '99999' };
  const checkout = { status: 500, code: '99999' };
  const refunds = { status: 500, code: 'SYSTEM_ERROR' };
  const checkoutBody = () => ({
    merchantOrderId: newOrderId(),
    orderAmount: { value: '10', currency: 'USDC' },
    paymentMethodType: 'ON_CHAIN_TRANSFER',
    network: 'base',
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const created = checkoutBody();
  await post('/checkout/orders', created);
  // The refund is always the same because the order can be refunded only once.
  const refund = { merchantRefundOrderId: newOrderId(), acquiringOrderId: order.orderId, refundReason: 'cold tea' };
  await post('/refunds', refund);
  return {
    'hosted create': { send: () => merchant.post(merchant.body()), gone: hosted },
    'hosted query': { send: () => merchant.get(order.orderId), gone: hosted },
    'payment methods': { send: () => merchant.request('GET', `${base}/checkout/payment-methods`), gone: checkout },
    'checkout create': { send: () => post('/checkout/orders', checkoutBody()), gone: checkout },
    'checkout query': {
      send: () => merchant.request('GET', `${base}/checkout/orders/${created.merchantOrderId}`),
      gone: checkout,
    },
    'refund create': { send: () => post('/refunds', refund), gone: refunds },
    'refund query': {
      send: () => merchant.request('GET', `${base}/refunds?merchantRefundOrderId=${refund.merchantRefundOrderId}`),
      gone: refunds,
    },
    'refund batch query': {
      send: () => post('/refunds/batch-query', { merchantRefundOrderIds: [refund.merchantRefundOrderId] }),
      gone: refunds,
    },
  };
}

async function answersOf(all: Record<string, Operation>) {
  const entries = Object.entries(all).map(async ([name, { send }]) => {
    const start = performance.now();
    const { status, body } = await send();
    const { code, data } = body as { code: string; data?: unknown };
    return { name, status, code, data, took: performance.now() - start };
  });
  return Promise.all(entries);
}

const codes = (answers: readonly { name: string; code: string }[]) =>
  Object.fromEntries(answers.map(({ name, code }) => [name, code]));

/** The HTTP status that tells a load balancer whether this instance can work. */
async function readiness({ url }: TestServer): Promise<number> {
  const { status } = await send(url, { method: 'GET', target: '/health/ready' });
  return status;
}

// The tests run concurrently because they wait most of the time.
describe.concurrent('a database that is gone', () => {
  test.for(['refused', 'silent'] as const)(
    '(%s) is told in each envelope, soon, and the server works again when it is back',
    async (how, { expect, onTestFinished }) => {
      const { proxy, server } = await startBehindProxy(onTestFinished);
      const all = await operations(server);
      const working = Object.fromEntries(Object.keys(all).map((name) => [name, '00000']));
      expect(codes(await answersOf(all))).toEqual(working);
      expect(await readiness(server)).toBe(200);

      await proxy.cut(how);
      const end = performance.now() + outage;
      do {
        for (const { name, status, code, data, took } of await answersOf(all)) {
          expect({ name, status, code }).toEqual({ name, ...all[name]?.gone });
          // The data of a failure names the hosted order. The other failures carry no data.
          if (!name.startsWith('hosted')) expect(data ?? null).toBeNull();
          expect(took, name).toBeLessThan(patience[how]);
        }
        expect(await readiness(server)).toBe(503);
        await pause(100);
      } while (performance.now() < end);

      await proxy.restore();
      // The server does not recover at once: it must notice lost connections and open new ones.
      await expect.poll(async () => codes(await answersOf(all)), { interval: 100, timeout: 60_000 }).toEqual(working);
      expect(await readiness(server)).toBe(200);
      expect(server.logged).not.toEqual([]);
      expect(server.logged.join('\n')).not.toContain(new URL(proxy.url).password);
    },
  );

  test('told 99999 to a create, which is made once when it is repeated after the outage', async ({
    expect,
    onTestFinished,
  }) => {
    const { proxy, server } = await startBehindProxy(onTestFinished);
    const merchant = merchantClient(server, await newMerchant(server));
    const body = merchant.body();
    await proxy.cut('refused');
    expect((await merchant.post(body)).body).toMatchObject({ code: '99999', data: { orderId: null } });
    await proxy.restore();
    await expect.poll(async () => (await merchant.post(body)).text, { timeout: 60_000 }).toContain('"00000"');
    const order = orderOf(await merchant.post(body));
    expect(await merchant.query(body.merchantOrderId)).toEqual(order);
  });
});
