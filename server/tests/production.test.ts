import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { checkoutClient } from './support/checkout.ts';
import { controlOf } from './support/contract.ts';
import { refundClient } from './support/refunds.ts';
import {
  type MerchantClient,
  merchantClient,
  newMerchant,
  orderEvent,
  startTestServer,
  stoppedClock,
  type TestServer,
} from './support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-production-'));
const running: TestServer[] = [];
const hour = 3_600_000;
let databases = 0;

afterEach(() => Promise.all(running.splice(0).map((server) => server.close())));
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts servers one after the other on the same data and by the same clock. */
function onOneDatabase() {
  databases += 1;
  const database = join(folder, `${databases}.sqlite`);
  const clock = stoppedClock();
  const start = async (mode: 'sandbox' | 'production') => {
    const server = await startTestServer({ database, mode, clock: clock.read });
    running.push(server);
    return server;
  };
  return { start, clock };
}

async function detect(server: TestServer, order: { merchantId: string; orderId: string }): Promise<void> {
  const event = await orderEvent(server, order, { type: 'transaction_detected' });
  expect(controlOf(event, 200, 'OrderEventResult').status).toBe('PROCESSING');
}

/** A merchant whose payments and refunds move by themselves in a sandbox. */
async function automaticMerchant(server: TestServer): Promise<MerchantClient> {
  return merchantClient(server, await newMerchant(server, { automatic: true }));
}

test('in production mode nothing moves by itself but what expires, whatever the merchant is set to', async () => {
  const { start, clock } = onOneDatabase();
  const sandbox = await start('sandbox');
  const before = await automaticMerchant(sandbox);
  const [paid, seen, open] = [await before.create(), await before.create(), await before.create()];
  const seenCheckout = await checkoutClient(sandbox, before).create();
  await detect(sandbox, paid);
  clock.advance(60_000);
  expect(await before.query(paid.orderId)).toMatchObject({ status: 'SUCCEEDED' });
  const refunds = refundClient(sandbox, before);
  const pending = await refunds.create(paid.orderId);
  await detect(sandbox, seen);
  await detect(sandbox, seenCheckout);
  await sandbox.close();

  const production = await start('production');
  clock.advance(2 * hour);
  const merchant = merchantClient(production, before);
  expect(await merchant.query(seen.orderId)).toMatchObject({ status: 'PROCESSING', paidAt: null });
  expect(await merchant.query(open.orderId)).toMatchObject({ status: 'CLOSED' });
  expect(await checkoutClient(production, before).query(seenCheckout.merchantOrderId)).toMatchObject({
    status: 'PROCESSING',
  });
  expect(await refundClient(production, before).query(pending.refundOrderId)).toMatchObject({ status: 'PENDING' });
  expect(production.logged).toEqual([]);
});

test('a refund that is accepted in production mode waits for somebody to work on it', async () => {
  const { start, clock } = onOneDatabase();
  const sandbox = await start('sandbox');
  const merchant = await automaticMerchant(sandbox);
  const order = await merchant.create();
  await detect(sandbox, order);
  clock.advance(60_000);
  await merchant.query(order.orderId);
  await sandbox.close();

  const refunds = refundClient(await start('production'), merchant);
  const accepted = await refunds.create(order.orderId);
  // Days, not the seconds of the simulation.
  expect(Date.parse(String(accepted.estimatedCompletionTime)) - clock.read()).toBeGreaterThan(24 * hour);
  clock.advance(hour);
  expect(await refunds.query(accepted.refundOrderId)).toMatchObject({ status: 'PENDING' });
});

test('what a sandbox left to move by itself does not keep orders of production mode from expiring', async () => {
  const { start, clock } = onOneDatabase();
  const sandbox = await start('sandbox');
  const merchant = await automaticMerchant(sandbox);
  const [product, { merchantId }] = ['hosted', merchant] as const;
  // More than the worker takes at once, all of them due before the one that expires.
  for (let count = 0; count < 101; count += 1) await detect(sandbox, await merchant.create());
  const { merchantOrderId } = await merchant.create();
  await sandbox.close();

  const { storage } = await start('production');
  clock.advance(2 * hour);
  const statusOf = async () => (await storage.reads.findOrder({ product, merchantId, merchantOrderId }))?.status;
  await expect.poll(statusOf, { interval: 50, timeout: 20_000 }).toBe('CLOSED');
});
