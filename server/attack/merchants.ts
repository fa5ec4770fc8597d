import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Credentials } from '../tests/support/signing.ts';
import type { Victim } from './victim.ts';

let ids = 0;

/** A right body of a checkout order whose webhooks go to `callbackUrl`. */
function orderBody(callbackUrl: string) {
  return {
    merchantOrderId: `attack-${String(++ids).padStart(16, '0')}`,
    orderAmount: { value: '10', currency: 'USDT' },
    paymentMethodType: 'ON_CHAIN_TRANSFER',
    network: 'tron',
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    callbackUrl,
  };
}

/** Makes a checkout order and detects its payment, which starts a webhook. Resolves with its platform id. */
async function detectedOrder(victim: Victim, merchant: Credentials, callbackUrl: string): Promise<string> {
  const { body, text } = await victim.post(merchant, 'checkout/orders', orderBody(callbackUrl));
  const { data } = body as { data: { orderId: string } | null };
  if (!data) throw new Error(`no order was made: ${text}`);
  await victim.control(`/merchants/${merchant.merchantId}/orders/${data.orderId}/events`, {
    type: 'transaction_detected',
  });
  return data.orderId;
}

/** A receiver on every loopback address. */
async function listen(answer: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(answer);
  await once(server.listen(0, '0.0.0.0'), 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

function close(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/** Does work for each number below `count`, a few at a time. */
async function each(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (next < count) await work(next++);
    }),
  );
}

/** One signed create with an amount of 500,000 digits in 7,000 parts. */
export async function hugeAmounts(victim: Victim): Promise<string> {
  const merchant = await victim.newMerchant();
  const part = { subMerchantId: 's', name: 'n', amount: '1' };
  const { status } = await victim.post(merchant, 'orders', {
    merchantOrderId: 'attack-with-amounts',
    orderAmount: { value: `1.${'0'.repeat(17)}1`, currency: 'USDT' },
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    returnUrl: 'https://shop.example/',
    subMerchants: [{ ...part, amount: `${'9'.repeat(500_000)}` }, ...Array.from({ length: 7_000 }, () => part)],
  });
  return `one create, answered with HTTP ${status}`;
}

/** One merchant with receivers that never answer, and the time in which another one's webhook arrives. */
export async function slowReceivers(victim: Victim, count: number): Promise<string> {
  const [slowMerchant, promptMerchant] = [await victim.newMerchant(), await victim.newMerchant()];
  const slow = await listen(() => {});
  let arrived: (at: number) => void = () => {};
  const arrival = new Promise<number>((resolve) => {
    arrived = resolve;
  });
  const prompt = await listen((_request, response) => {
    arrived(performance.now());
    response.end();
  });
  await each(count, async (index) => {
    const address = `127.1.${Math.floor(index / 250)}.${1 + (index % 250)}`;
    await detectedOrder(victim, slowMerchant, `http://${address}:${slow.port}/`);
  });
  const began = performance.now();
  await detectedOrder(victim, promptMerchant, `http://127.0.0.1:${prompt.port}/`);
  const never = new Promise<number>((resolve) => setTimeout(resolve, 30_000, Number.POSITIVE_INFINITY).unref());
  const took = Math.round((await Promise.race([arrival, never])) - began);
  for (const { server } of [slow, prompt]) close(server);
  if (took > 1_000) throw new Error(`the other merchant's webhook took ${took} ms`);
  return `${count} slow receivers; another merchant's webhook arrived in ${took} ms`;
}

/** Refunds whose webhooks are large and go to one receiver that is down; then the server starts again. */
export async function largeBacklog(victim: Victim, count: number, restart: () => Promise<Victim>): Promise<string> {
  const merchant = await victim.newMerchant();
  const slow = await listen(() => {});
  const extraData = JSON.stringify('x'.repeat(900_000));
  await each(count, async (index) => {
    const orderId = await detectedOrder(victim, merchant, 'http://127.0.0.1:1/');
    await victim.control(`/merchants/${merchant.merchantId}/orders/${orderId}/events`, { type: 'payment_confirmed' });
    const { body } = await victim.post(merchant, 'refunds', {
      merchantRefundOrderId: `attack-${index}`,
      acquiringOrderId: orderId,
      refundReason: 'attack',
      notifyUrl: `http://127.2.0.${1 + (index % 200)}:${slow.port}/`,
      extraData,
    });
    const { data } = body as { data: { refundOrderId: string } };
    const events = `/merchants/${merchant.merchantId}/refunds/${data.refundOrderId}/events`;
    await victim.control(events, { type: 'closed' });
  });
  const again = await restart();
  // All are due at once when the claims of the first process have run out.
  const until = Date.now() + 40_000;
  while (Date.now() < until && again.isAlive()) await new Promise((resolve) => setTimeout(resolve, 500));
  close(slow.server);
  if (!again.isAlive()) throw new Error('the server ended after its restart');
  return `${count} webhooks of 900 KB, sent again after a restart`;
}
