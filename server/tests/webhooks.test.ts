import { createHash, createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Merchant } from '../domain/merchant.ts';
import { randomIds } from '../services/ids.ts';
import { type Received, type Receiver, selfSigned, startReceiver } from '../webhooks/testing/receiver.ts';
import { checkoutClient, checkoutFailureOf, createdOf } from './support/checkout.ts';
import { controlOf, eventOf, failureOf, orderOf, problemOf } from './support/contract.ts';
import { refundClient, refundFailureOf, refundOf } from './support/refunds.ts';
import {
  advance,
  control,
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
let certificate: { key: string; cert: string };
let merchant: MerchantClient;
const receivers: Receiver[] = [];

beforeAll(async () => {
  certificate = await selfSigned();
});

beforeEach(async () => {
  merchant = merchantClient(server, await newMerchant(server));
});

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

const acknowledge = (response: ServerResponse) => response.writeHead(200).end();
const withStatus =
  (status: number, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end();

/** A receiver and its address; by HTTPS as hosted orders demand it, or by HTTP. */
async function receiverAt(
  scheme: 'http' | 'https',
  answer: (response: ServerResponse, received: Received) => void = acknowledge,
) {
  const receiver = await startReceiver(answer, scheme === 'https' ? certificate : undefined);
  receivers.push(receiver);
  return { receiver, url: `${scheme}://127.0.0.1:${receiver.port}/hooks/a%20b?from=assay` };
}

/** Resolves with what has arrived, once it is as many. */
async function arrived({ received }: Receiver, count: number): Promise<Received[]> {
  await expect.poll(() => received.length, { interval: 5, timeout: 20_000 }).toBe(count);
  return received;
}

async function deliveriesOf(merchantId = merchant.merchantId) {
  return controlOf(await control(server, 'GET', `/merchants/${merchantId}/deliveries`), 200, 'DeliveryList').deliveries;
}

/** Resolves with a merchant's only webhook, once it has had as many attempts. */
async function attempted(count: number) {
  await expect
    .poll(async () => (await deliveriesOf())[0]?.attempts.length, { interval: 5, timeout: 20_000 })
    .toBe(count);
  const [delivery, ...others] = await deliveriesOf();
  if (!delivery || others.length > 0) throw new Error('there is not exactly one webhook');
  return delivery;
}

async function move(order: { merchantId: string; orderId: string }, ...types: string[]) {
  for (const type of types) controlOf(await orderEvent(server, order, { type }), 200, 'OrderEventResult');
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();

describe.each(['hosted', 'checkout'] as const)('a %s order', (product) => {
  /** An order of that product, and how to query it. */
  async function newOrder(callbackUrl: string) {
    if (product === 'hosted') {
      const order = await merchant.create({ callbackUrl });
      return { order, view: (): Promise<object> => merchant.query(order.orderId) };
    }
    const checkout = checkoutClient(server, merchant);
    const order = await checkout.create({ callbackUrl, metadata: '{"tea":1}' });
    return { order, view: (): Promise<object> => checkout.query(order.merchantOrderId) };
  }

  test.each([
    [
      ['transaction_detected', 'payment_confirmed'],
      ['PROCESSING', 'SUCCEEDED'],
    ],
    [
      ['transaction_detected', 'payment_failed'],
      ['PROCESSING', 'FAILED'],
    ],
    [['cancelled'], ['CLOSED']],
    [['expiry'], ['CLOSED']],
  ])('reports each change of %j as its query shows it', async (way, statuses) => {
    const { receiver, url } = await receiverAt(product === 'hosted' ? 'https' : 'http');
    const { order, view } = await newOrder(url);
    expect(await deliveriesOf()).toEqual([]);
    const ids = new Set();
    for (const [index, step] of way.entries()) {
      clock.advance(1000);
      if (step === 'expiry') await advance(server, merchant.merchantId, 7200);
      else await move(order, step);
      const event = eventOf((await arrived(receiver, index + 1))[index]?.body ?? Buffer.alloc(0), 'OrderEvent');
      const { eventId, occurredAt, acquiringOrderId, sequence, ...rest } = event;
      expect(rest).toEqual(await view());
      expect({ acquiringOrderId, sequence, status: rest.status }).toEqual({
        acquiringOrderId: order.orderId,
        sequence: index + 1,
        status: statuses[index],
      });
      expect(occurredAt).toBe(step === 'expiry' ? order.expiresAt : iso(clock.read()));
      ids.add(eventId);
    }
    expect(ids.size).toBe(way.length);
    for (const { method, target, headers } of receiver.received) {
      expect({ method, target }).toEqual({ method: 'POST', target: '/hooks/a%20b?from=assay' });
      expect(headers['content-type']).toMatch(/^application\/json/);
    }
  });

  test('that names no callbackUrl reports nothing', async () => {
    const order = product === 'hosted' ? await merchant.create() : await checkoutClient(server, merchant).create();
    await move(order, 'transaction_detected', 'payment_confirmed');
    expect(await deliveriesOf()).toEqual([]);
  });

  test('reports nothing of a change or a create that is refused', async () => {
    const { receiver, url } = await receiverAt(product === 'hosted' ? 'https' : 'http');
    const { order } = await newOrder(url);
    for (const type of ['payment_confirmed', 'payment_failed']) {
      problemOf(await orderEvent(server, order, { type }), 409);
    }
    problemOf(await orderEvent(server, order, { type: 'transaction_detected', amount: '0' }), 422);
    await move(order, 'cancelled');
    await arrived(receiver, 1);
    for (const type of ['transaction_detected', 'cancelled']) problemOf(await orderEvent(server, order, { type }), 409);
    await advance(server, merchant.merchantId, 7200);
    expect(await deliveriesOf()).toHaveLength(1);
  });
});

describe('a refund', () => {
  async function paid() {
    const order = await merchant.create();
    await move(order, 'transaction_detected', 'payment_confirmed');
    return { refunds: refundClient(server, merchant), orderId: order.orderId };
  }

  test.each([
    ['SUCCEEDED', ['processing_started', 'completed']],
    ['FAILED', ['processing_started', 'failed']],
    ['CLOSED', ['closed']],
  ])('reports that it is %s, as its query shows it, and nothing before', async (status, way) => {
    const { receiver, url } = await receiverAt('http');
    const { refunds, orderId } = await paid();
    const refund = await refunds.create(orderId, { notifyUrl: url, extraData: '{"a": 1}' });
    for (const step of way) {
      expect(await deliveriesOf()).toEqual([]);
      clock.advance(1000);
      await refunds.move(refund.refundOrderId, step);
    }
    const [received] = await arrived(receiver, 1);
    const { eventId, occurredAt, sequence, ...rest } = eventOf(received?.body ?? Buffer.alloc(0), 'RefundEvent');
    expect(rest).toEqual(await refunds.query(refund.refundOrderId));
    expect({ occurredAt, status: rest.status }).toEqual({ occurredAt: iso(clock.read()), status });
    expect(sequence).toBe(way.length);
    const delivery = await attempted(1);
    expect(delivery).toMatchObject({ eventId, refundOrderId: refund.refundOrderId, url, status: 'delivered' });
  });

  test("goes to its notifyUrl, else to the merchant's default, else nowhere", async () => {
    const [byDefault, own] = [await receiverAt('http'), await receiverAt('http')];
    merchant = merchantClient(server, await newMerchant(server, { defaultNotifyUrl: byDefault.url }));
    for (const notifyUrl of [undefined, own.url]) {
      const { refunds, orderId } = await paid();
      const refund = await refunds.create(orderId, notifyUrl === undefined ? {} : { notifyUrl });
      await refunds.move(refund.refundOrderId, 'closed');
    }
    await arrived(byDefault.receiver, 1);
    await arrived(own.receiver, 1);
    expect(await deliveriesOf()).toHaveLength(2);

    merchant = merchantClient(server, await newMerchant(server));
    const { refunds, orderId } = await paid();
    await refunds.move((await refunds.create(orderId)).refundOrderId, 'closed');
    expect(await deliveriesOf()).toEqual([]);
  });

  test('of an automatic merchant is reported when time has ended it', async () => {
    const { receiver, url } = await receiverAt('http');
    merchant = merchantClient(server, await newMerchant(server, { automatic: true, defaultNotifyUrl: url }));
    const { refunds, orderId } = await paid();
    const { createdTime } = await refunds.create(orderId);
    await advance(server, merchant.merchantId, 3600);
    const [received] = await arrived(receiver, 1);
    expect(eventOf(received?.body ?? Buffer.alloc(0), 'RefundEvent')).toMatchObject({
      status: 'SUCCEEDED',
      occurredAt: iso(Date.parse(createdTime) + 3000),
    });
  });
});

/** Cancels a checkout order whose webhook goes to `url`. */
async function cancelledOrder(url: string, owner: MerchantClient = merchant) {
  const order = await checkoutClient(server, owner).create({ callbackUrl: url });
  await move(order, 'cancelled');
  return order;
}

describe('the signature', () => {
  const mac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64');

  test('verifies by the scheme of requests with a line before it, and by Standard Webhooks, anew for each attempt', async () => {
    const { receiver, url } = await receiverAt('http', withStatus(500));
    await cancelledOrder(url);
    const { eventId } = await attempted(1);
    clock.advance(6000);
    await attempted(2);
    const times = new Set();
    for (const { headers, body } of receiver.received) {
      const timestamp = headers['x-timestamp'];
      expect(timestamp).toMatch(/^[0-9]{13}$/);
      const hash = createHash('sha256').update(body).digest('base64');
      // The path as the request line has it, without its query.
      const signed = `webhook\n${timestamp}\nPOST\n/hooks/a%20b\n${hash}`;
      expect(headers['x-signature']).toBe(mac(merchant.apiSecret, signed));
      expect(headers['webhook-id']).toBe(eventId);
      const seconds = headers['webhook-timestamp'];
      expect(Number(seconds)).toBe(Math.floor(Number(timestamp) / 1000));
      expect(headers['webhook-signature']).toBe(`v1,${mac(merchant.apiSecret, `${eventId}.${seconds}.${body}`)}`);
      times.add(timestamp);
    }
    expect([...times]).toEqual([String(clock.read() - 6000), String(clock.read())]);
    expect(receiver.received[0]?.body).toEqual(receiver.received[1]?.body);
  });

  test('is dated by real time, however far the business clock is', async () => {
    const { receiver, url } = await receiverAt('http');
    const order = await checkoutClient(server, merchant).create({ callbackUrl: url });
    await advance(server, merchant.merchantId, 1000);
    await move(order, 'cancelled');
    const [received] = await arrived(receiver, 1);
    expect(received?.headers['x-timestamp']).toBe(String(clock.read()));
    expect((await attempted(1)).attempts[0]?.at).toBe(iso(clock.read() + 1_000_000));
  });
});

describe('an attempt', () => {
  test.each([201, 202, 204, 301, 307, 400, 404, 410, 500, 503])('answered with %i is made again', async (status) => {
    const elsewhere = await receiverAt('http');
    const { receiver, url } = await receiverAt('http', withStatus(status, { Location: elsewhere.url }));
    await cancelledOrder(url);
    const first = await attempted(1);
    const at = clock.read();
    expect(first).toMatchObject({
      status: 'pending',
      nextAttemptAt: iso(at + 5000),
      attempts: [{ at: iso(at), httpStatus: status }],
    });
    // By the merchant's clock.
    await advance(server, merchant.merchantId, 5);
    await arrived(receiver, 2);
    const second = await attempted(2);
    expect(second.nextAttemptAt).toBe(iso(at + 5000 + 300_000));
    expect(elsewhere.receiver.received).toEqual([]);
  });

  test('that finds nobody is made again', async () => {
    const gone = await startReceiver(acknowledge);
    await gone.close();
    await cancelledOrder(`http://127.0.0.1:${gone.port}/`);
    const first = await attempted(1);
    expect(first.status).toBe('pending');
    expect(first.attempts[0]).toEqual({ at: iso(clock.read()), error: expect.stringMatching(/refused/) });
    await advance(server, merchant.merchantId, 5);
    expect((await attempted(2)).status).toBe('pending');
  });

  test('that is cut off is made again until exactly 200 comes', async () => {
    let tries = 0;
    const { receiver, url } = await receiverAt('http', (response) => {
      tries += 1;
      if (tries === 1) response.destroy();
      else response.writeHead(tries === 2 ? 202 : 200).end();
    });
    await cancelledOrder(url);
    await attempted(1);
    await advance(server, merchant.merchantId, 5);
    await attempted(2);
    await advance(server, merchant.merchantId, 300);
    const done = await attempted(3);
    expect(done.status).toBe('delivered');
    expect(done.nextAttemptAt).toBeUndefined();
    expect(done.attempts.map((each) => ('httpStatus' in each ? each.httpStatus : 'error'))).toEqual([
      'error',
      202,
      200,
    ]);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('is made eight times by the schedule, then no more, and once more for a replay', async () => {
    let status = 500;
    const { receiver, url } = await receiverAt('http', (response) => response.writeHead(status).end());
    await cancelledOrder(url);
    const waits = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];
    for (const [index, wait] of waits.entries()) {
      const { nextAttemptAt, attempts } = await attempted(index + 1);
      expect(Date.parse(nextAttemptAt ?? '') - Date.parse(attempts[index]?.at ?? '')).toBe(wait * 1000);
      await advance(server, merchant.merchantId, wait);
    }
    const exhausted = await attempted(8);
    expect(exhausted.status).toBe('exhausted');
    expect(exhausted.nextAttemptAt).toBeUndefined();

    const path = `/merchants/${merchant.merchantId}/deliveries/${exhausted.deliveryId}/replay`;
    expect((await control(server, 'POST', path)).status).toBe(202);
    expect((await attempted(9)).status).toBe('exhausted');
    status = 200;
    expect((await control(server, 'POST', path)).status).toBe(202);
    expect((await attempted(10)).status).toBe('delivered');
    // What was received can be sent again as well.
    expect((await control(server, 'POST', path)).status).toBe(202);
    await arrived(receiver, 11);
    expect((await attempted(11)).status).toBe('delivered');
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
  });
});

describe('the list of deliveries', () => {
  test('is newest first, and only the merchant sees it', async () => {
    const { receiver, url } = await receiverAt('http');
    const orders = [await cancelledOrder(url), await cancelledOrder(url)];
    await arrived(receiver, 2);
    const listed = await deliveriesOf();
    expect(listed.map((each) => 'orderId' in each && each.orderId)).toEqual(
      orders.map((each) => each.orderId).reverse(),
    );
    const other = await newMerchant(server);
    expect(await deliveriesOf(other.merchantId)).toEqual([]);
    const replay = (merchantId: string, deliveryId = '') => `/merchants/${merchantId}/deliveries/${deliveryId}/replay`;
    const foreign = replay(other.merchantId, listed[0]?.deliveryId);
    for (const path of [foreign, replay('M-nobody', 'dlv.x'), replay(merchant.merchantId, 'dlv.nothing')]) {
      problemOf(await control(server, 'POST', path), 404);
    }
    problemOf(await control(server, 'GET', '/merchants/M-nobody/deliveries'), 404);
    expect(await attemptsOf()).toEqual([1, 1]);
  });

  async function attemptsOf() {
    await expect.poll(async () => (await deliveriesOf()).every(({ status }) => status === 'delivered')).toBe(true);
    return (await deliveriesOf()).map(({ attempts }) => attempts.length);
  }
});

test('a receiver that does not answer holds up no other', async () => {
  const held: ServerResponse[] = [];
  let answers = false;
  const slow = await receiverAt('http', (response) => (answers ? acknowledge(response) : held.push(response)));
  const fast = await receiverAt('http');
  for (let index = 0; index < 20; index += 1) await cancelledOrder(slow.url);
  await cancelledOrder(fast.url);
  await arrived(fast.receiver, 1);
  expect(held.length).toBeGreaterThan(0);
  const waiting = async () => (await deliveriesOf()).filter(({ status }) => status === 'pending').length;
  expect(await waiting()).toBe(20);
  // Once it answers, it gets the rest.
  answers = true;
  held.forEach(acknowledge);
  await expect.poll(waiting, { timeout: 20_000 }).toBe(0);
});

describe('in sandbox mode', () => {
  test.each(['http://shop.example/hooks', 'http://127.0.0.1/hooks', 'HTTP://shop.example'])(
    "a hosted order's callbackUrl must be https: %s is refused",
    async (callbackUrl) => {
      const body = merchant.body({ callbackUrl });
      expect(failureOf(await merchant.post(body))).toMatchObject({
        code: '10001',
        message: expect.stringContaining('callbackUrl'),
      });
      expect(failureOf(await merchant.get(body.merchantOrderId)).code).toBe('40001');
    },
  );

  test('https to loopback is taken', async () => {
    orderOf(await merchant.post(merchant.body({ callbackUrl: 'https://localhost:1/hooks' })));
  });
});

describe('in production mode', () => {
  let production: TestServer;
  let client: MerchantClient;

  beforeAll(async () => {
    production = await startTestServer({ mode: 'production', clock: clock.read });
    const { merchantId, apiKey, apiSecret } = { ...idsOf(), merchantId: randomIds.merchantId() };
    const createdAt = clock.read();
    const template = await server.storage.reads.findMerchant((await newMerchant(server)).merchantId);
    if (!template) throw new Error('no merchant to copy');
    const copy: Merchant = { ...template, merchantId, createdAt };
    await production.storage.transaction(async (records) => {
      await records.insertMerchant(copy);
      await records.insertApiKey({ merchantId, apiKey, apiSecret, createdAt, endsAt: null });
    });
    client = merchantClient(production, { merchantId, apiKey, apiSecret });
  });

  afterAll(async () => {
    await production.close();
    expect(production.logged).toEqual([]);
  });

  const idsOf = () => ({ apiKey: randomIds.apiKey(), apiSecret: randomIds.apiSecret() });

  const inside = [
    '127.0.0.1',
    '10.0.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '[::1]',
    '[fe80::1]',
    'localhost',
    '2130706433',
  ];

  test.each(inside)('nothing may be sent to %s', async (host) => {
    const hosted = client.body({ callbackUrl: `https://${host}/hooks` });
    expect(failureOf(await client.post(hosted))).toMatchObject({
      code: '10001',
      message: expect.stringContaining('callbackUrl'),
    });
    expect(failureOf(await client.get(hosted.merchantOrderId)).code).toBe('40001');

    const checkout = checkoutClient(production, client);
    for (const scheme of ['http', 'https']) {
      const body = checkout.body({ callbackUrl: `${scheme}://${host}:8080/` });
      expect(checkoutFailureOf(await checkout.post(body)).code).toBe('10001');
      expect(checkoutFailureOf(await checkout.get(body.merchantOrderId)).code).toBe('40001');
    }

    const refunds = refundClient(production, client);
    const refund = refunds.body('ord.nothing', { notifyUrl: `https://${host}/` });
    expect(refundFailureOf(await refunds.post(refund), 400)).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: expect.stringContaining('notifyUrl'),
    });
  });

  test('names and public addresses are taken, and hosted orders still demand https', async () => {
    for (const callbackUrl of ['https://shop.example/hooks', 'https://93.184.215.14/hooks']) {
      orderOf(await client.post(client.body({ callbackUrl })));
      const checkout = checkoutClient(production, client);
      createdOf(await checkout.post(checkout.body({ callbackUrl: callbackUrl.replace('https', 'http') })));
    }
    expect(failureOf(await client.post(client.body({ callbackUrl: 'http://shop.example' }))).code).toBe('10001');
  });

  test('there is no control API', async () => {
    expect(production.control).toBeUndefined();
    const order = await client.create();
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/'],
      ['POST', '/merchants'],
      ['GET', `/merchants/${client.merchantId}/deliveries`],
      ['POST', `/merchants/${client.merchantId}/orders/${order.orderId}/events`],
    ] as const) {
      expect(
        (await control(production, method, path, method === 'POST' ? { type: 'cancelled' } : undefined)).status,
      ).toBe(404);
    }
    expect(await client.query(order.orderId)).toEqual(order);
  });
});

test('a refund is answered before its webhook is received', async () => {
  const held: ServerResponse[] = [];
  const { receiver, url } = await receiverAt('http', (response) => held.push(response));
  const order = await merchant.create();
  await move(order, 'transaction_detected', 'payment_confirmed');
  const refunds = refundClient(server, merchant);
  const body = refunds.body(order.orderId, { notifyUrl: url });
  const { refundOrderId } = refundOf(await refunds.post(body));
  await refunds.move(refundOrderId, 'closed');
  await arrived(receiver, 1);
  expect((await deliveriesOf())[0]).toMatchObject({ status: 'pending', attempts: [] });
  held.forEach(acknowledge);
  expect((await attempted(1)).status).toBe('delivered');
});
