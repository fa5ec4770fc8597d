import { createHash, createHmac } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { type Delivery, type DeliveryWithPayload, retryDelays } from '../../domain/delivery.ts';
import type { ApiKey, Merchant } from '../../domain/merchant.ts';
import { webhookHeaders } from '../../signing/webhook-signature.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { newPostgresDatabase } from '../../storage/testing/postgres.ts';
import { createSender } from '../../webhooks/sender.ts';
import { type Receiver, startReceiver } from '../../webhooks/testing/receiver.ts';
import type { Storage } from '../ports.ts';
import {
  type DeliveryParts,
  type DeliveryWorker,
  deliveryWorker,
  replay,
  type SendResult,
  type WebhookRequest,
} from './deliver.ts';

const start = 1_767_225_600_000;
const second = 1_000;
const lease = 30 * second;

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const merchant: Merchant = {
  merchantId: 'm-1',
  settings: { checkoutEnabled: true, balances: {}, paymentMethods: [], usdRate: '1', automatic: false },
  ledger: {},
  clockOffset: 0,
  createdAt: start,
};

const key = (apiKey: string, changes: Partial<ApiKey> = {}): ApiKey => ({
  apiKey,
  merchantId: 'm-1',
  apiSecret: `secret of ${apiKey}`,
  createdAt: start,
  endsAt: null,
  ...changes,
});

function delivery(deliveryId: string, changes: Partial<DeliveryWithPayload> = {}): DeliveryWithPayload {
  return {
    deliveryId,
    eventId: `evt.${deliveryId}`,
    merchantId: 'm-1',
    subject: { orderId: `ord.${deliveryId}` },
    url: 'https://shop.example/hooks',
    payload: JSON.stringify({ eventId: `evt.${deliveryId}` }),
    status: 'pending',
    attempts: [],
    createdAt: start,
    dueAt: start,
    claimedUntil: null,
    ...changes,
  };
}

/** Real time that stands still until a test moves it. */
function stoppedClock() {
  let now = start;
  return { clock: () => now, pass: (milliseconds: number) => (now += milliseconds) };
}

/** Receivers that answer when a test says so, or at once with `answer`. */
function receivers(answer?: (request: WebhookRequest) => SendResult | undefined) {
  const requests: WebhookRequest[] = [];
  const pending: { url: string; resolve: (result: SendResult) => void }[] = [];
  let arrived: () => void = () => undefined;
  return {
    requests,
    /** The event ids of what has arrived. */
    events: () => requests.map(({ body }): string => JSON.parse(body).eventId),
    send: (request: WebhookRequest): Promise<SendResult> => {
      requests.push(request);
      arrived();
      const result = answer?.(request);
      if (result) return Promise.resolve(result);
      return new Promise((resolve) => pending.push({ url: request.url, resolve }));
    },
    /** Answers the first request that waits; false when none does. */
    answer: (result: SendResult) => {
      const next = pending.shift();
      next?.resolve(result);
      return next !== undefined;
    },
    /** Resolves when that many requests have arrived. */
    async until(count: number): Promise<void> {
      while (requests.length < count) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
  };
}

const ok = () => ({ httpStatus: 200 });

async function open(location = ':memory:'): Promise<Storage> {
  const storage = await openStorage(location);
  closing.push(() => storage.close());
  return storage;
}

async function insert(storage: Storage, ...deliveries: DeliveryWithPayload[]): Promise<void> {
  await storage.transaction(async (records) => {
    for (const each of deliveries) await records.insertDelivery(each);
  });
}

/** A database with a merchant and these deliveries. */
async function stored(...deliveries: DeliveryWithPayload[]): Promise<Storage> {
  const storage = await open();
  await addMerchant(storage);
  await insert(storage, ...deliveries);
  return storage;
}

async function addMerchant(storage: Storage): Promise<void> {
  await storage.transaction(async (records) => {
    await records.insertMerchant(merchant);
    await records.insertApiKey(key('k-1'));
  });
}

/** A worker whose log fails the test, unless it brings one. */
function worker(parts: Pick<DeliveryParts, 'storage' | 'clock' | 'send'> & Partial<DeliveryParts>): DeliveryWorker {
  const logged: string[] = [];
  const created = deliveryWorker({
    headersOf: webhookHeaders.both,
    retryDelays: retryDelays.growing,
    log: (message, error) => logged.push(`${message}: ${error}`),
    ...parts,
  });
  closing.push(async () => {
    await created.stop();
    expect(logged).toEqual([]);
  });
  return created;
}

const advance = (storage: Storage, milliseconds: number) =>
  storage.transaction(async (records) => {
    const found = await records.lockMerchant('m-1');
    if (!found) throw new Error('no merchant');
    await records.updateMerchant({ ...found, clockOffset: found.clockOffset + milliseconds });
  });

async function find(storage: Storage, deliveryId: string): Promise<Delivery | undefined> {
  return storage.reads.findDelivery('m-1', deliveryId);
}

describe('one delivery', () => {
  test('is sent once, with its payload, and is delivered by 200', async () => {
    const storage = await stored(delivery('d-1'));
    const { clock, pass } = stoppedClock();
    const { send, requests } = receivers(() => {
      pass(40);
      return { httpStatus: 200 };
    });
    const { run, idle } = worker({ storage, clock, send });
    expect(await run()).toBe(1);
    await idle();
    expect(requests).toMatchObject([{ url: 'https://shop.example/hooks', body: '{"eventId":"evt.d-1"}' }]);
    expect(await find(storage, 'd-1')).toEqual(
      delivery('d-1', { status: 'delivered', attempts: [{ at: start + 40, httpStatus: 200 }], dueAt: null }),
    );
    pass(48 * 3_600 * second);
    expect(await run()).toBe(0);
  });

  test('is not sent before it is due', async () => {
    const storage = await stored(delivery('d-1', { dueAt: start + 1 }));
    const { clock, pass } = stoppedClock();
    const { send, requests } = receivers(ok);
    const { run, idle } = worker({ storage, clock, send });
    expect(await run()).toBe(0);
    pass(1);
    expect(await run()).toBe(1);
    await idle();
    expect(requests).toHaveLength(1);
  });

  test.each([{ httpStatus: 500 }, { httpStatus: 204 }, { error: 'the connection was refused (ECONNREFUSED)' }])(
    'comes again by the business clock after %o',
    async (result) => {
      const storage = await stored(delivery('d-1'));
      const { clock } = stoppedClock();
      const results: SendResult[] = [result, result, { httpStatus: 200 }];
      const { send, requests } = receivers(() => results.shift());
      const { run, idle } = worker({ storage, clock, send });
      await run();
      await idle();
      await advance(storage, 5 * second - 1);
      expect(await run()).toBe(0);
      await advance(storage, 1);
      expect(await run()).toBe(1);
      await idle();
      await advance(storage, 300 * second);
      expect(await run()).toBe(1);
      await idle();
      expect(requests).toHaveLength(3);
      expect(await find(storage, 'd-1')).toMatchObject({
        status: 'delivered',
        attempts: [
          { at: start, ...result },
          { at: start + 5 * second, ...result },
          { at: start + 305 * second, httpStatus: 200 },
        ],
      });
    },
  );

  test('is tried again by itself when its receiver has moved the clock before it answered', async () => {
    const storage = await stored(delivery('d-1'));
    const { clock } = stoppedClock();
    const { send, requests, until, answer } = receivers();
    const { run, idle } = worker({ storage, clock, send });
    await run();
    await until(1);
    await advance(storage, 3_600 * second);
    await run();
    // Due by the clock, but not while the attempt before it is under way.
    expect(requests).toHaveLength(1);
    answer({ httpStatus: 500 });
    await until(2);
    answer({ httpStatus: 200 });
    await idle();
    expect(await find(storage, 'd-1')).toMatchObject({ status: 'delivered', attempts: { length: 2 } });
  });

  test('to an address that is no URL is noted as failed', async () => {
    const storage = await stored(delivery('d-1', { url: 'https://[::1' }));
    const { clock } = stoppedClock();
    const { send, requests } = receivers(ok);
    const { run, idle } = worker({ storage, clock, send });
    await run();
    await idle();
    expect(requests).toEqual([]);
    expect(await find(storage, 'd-1')).toMatchObject({
      status: 'pending',
      attempts: [{ at: start, error: 'the address is not a URL' }],
    });
  });
});

describe('signed', () => {
  /** What must stand in X-Signature, after the scheme of requests. */
  function expectedSignature(secret: string, { headers, body }: WebhookRequest): string {
    const hash = createHash('sha256').update(body).digest('base64');
    return createHmac('sha256', secret).update(`${headers['X-Timestamp']}\nPOST\n/hooks\n${hash}`).digest('base64');
  }

  test('anew for each attempt, with every key of the merchant that is active at that moment, the newest first', async () => {
    const storage = await stored(delivery('d-1'));
    const { clock, pass } = stoppedClock();
    const { send, requests } = receivers(() => ({ httpStatus: 500 }));
    const { run, idle } = worker({ storage, clock, send });
    const again = async () => {
      await run();
      await idle();
      await advance(storage, 12 * 3_600 * second);
      pass(1_500);
    };
    await again();
    await again();
    await storage.transaction(async (records) => {
      await records.insertApiKey(key('k-2', { createdAt: start + 1, endsAt: start + 4_000 }));
    });
    await again();
    await again();

    expect(requests.map(({ headers }) => headers['X-Timestamp'])).toEqual(
      [0, 1_500, 3_000, 4_500].map((passed) => String(start + passed)),
    );
    const [older, newer] = ['secret of k-1', 'secret of k-2'];
    const secrets = [[older], [older], [newer, older], [older]];
    expect(requests.map(({ headers }) => headers['X-Signature'])).toEqual(
      requests.map((request, index) => secrets[index]?.map((secret) => expectedSignature(secret, request)).join(' ')),
    );
    expect(new Set(requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(['evt.d-1']));
  });

  test('or not sent at all when no key is active', async () => {
    const storage = await open();
    await storage.transaction(async (records) => {
      await records.insertMerchant(merchant);
      await records.insertApiKey(key('k-1', { endsAt: start }));
    });
    await insert(storage, delivery('d-1'));
    const { clock } = stoppedClock();
    const { send, requests } = receivers(ok);
    const { run, idle } = worker({ storage, clock, send });
    await run();
    await idle();
    expect(requests).toEqual([]);
    expect(await find(storage, 'd-1')).toMatchObject({
      status: 'pending',
      attempts: [{ at: start, error: 'the merchant has no active API key to sign with' }],
    });
  });
});

describe('a slow receiver', () => {
  const slow = (id: string) => delivery(id, { url: 'https://slow.example/hooks' });
  const isSlow = ({ url }: WebhookRequest) => url.startsWith('https://slow.example/');
  const fastOnly = (request: WebhookRequest) => (isSlow(request) ? undefined : { httpStatus: 200 });

  test('has its share of places, and others are not held up', async () => {
    const storage = await stored(
      ...Array.from({ length: 20 }, (_, n) => slow(`slow-${n}`)),
      delivery('fast', { dueAt: start + 1 }),
    );
    const { clock, pass } = stoppedClock();
    pass(1);
    const { send, requests, until, answer } = receivers(fastOnly);
    const { run, idle } = worker({ storage, clock, send });
    await run();
    await until(9);
    expect(requests.filter(isSlow)).toHaveLength(8);
    expect(requests.filter((request) => !isSlow(request))).toHaveLength(1);
    answer({ httpStatus: 200 });
    await until(10);
    for (let arrived = 10; arrived < 21; arrived += 1) {
      answer({ httpStatus: 200 });
      await until(arrived + 1);
    }
    for (let left = 0; left < 8; left += 1) answer({ httpStatus: 200 });
    await idle();
    const all = await storage.reads.listDeliveries('m-1');
    expect(all.filter(({ status }) => status === 'delivered')).toHaveLength(21);
  });

  test('cannot hide others behind more than one transaction claims', async () => {
    const storage = await stored(
      ...Array.from({ length: 250 }, (_, n) => slow(`slow-${n}`)),
      delivery('fast', { dueAt: start + 1 }),
    );
    const { clock, pass } = stoppedClock();
    pass(1);
    let answering = false;
    const { send, events, until, answer } = receivers((request) =>
      answering ? { httpStatus: 200 } : fastOnly(request),
    );
    const { run, idle } = worker({ storage, clock, send, limits: { perLane: 1, waitingPerLane: 60 } });
    expect(await run()).toBe(251);
    await until(2);
    expect(events().sort()).toEqual(['evt.fast', 'evt.slow-0']);
    answering = true;
    answer({ httpStatus: 200 });
    await idle();
    // What did not fit is as good as claimed by nobody once its claim has run out.
    expect(events()).toHaveLength(62);
    pass(lease);
    for (let sent = 62; sent < 251; sent = events().length) {
      expect(await run()).toBeGreaterThan(0);
      await idle();
      pass(lease);
    }
    expect(new Set(events()).size).toBe(251);
  });

  test('what waited too long for it is not sent on a claim that may run out, but by a new one', async () => {
    const storage = await stored(slow('slow-1'), slow('slow-2'));
    const { clock, pass } = stoppedClock();
    const { send, events, until, answer } = receivers();
    const { run, idle } = worker({ storage, clock, send, limits: { perLane: 1 } });
    await run();
    await until(1);
    pass(20 * second);
    answer({ httpStatus: 200 });
    await idle();
    expect(events()).toEqual(['evt.slow-1']);
    pass(lease - 20 * second);
    await run();
    await until(2);
    answer({ httpStatus: 200 });
    await idle();
    expect(events()).toEqual(['evt.slow-1', 'evt.slow-2']);
  });

  test('what found no place of those for all comes when one is free', async () => {
    const to = (id: string, merchantId: string) =>
      delivery(id, { merchantId, url: `https://${id}.example/`, dueAt: start });
    const storage = await stored();
    await storage.transaction(async (records) => {
      await records.insertMerchant({ ...merchant, merchantId: 'm-2' });
      await records.insertApiKey(key('k-2', { merchantId: 'm-2' }));
    });
    await insert(storage, to('a', 'm-1'), to('b', 'm-2'), to('c', 'm-1'), to('d', 'm-2'));
    const { clock } = stoppedClock();
    const { send, requests, until, answer } = receivers();
    const { run, idle } = worker({ storage, clock, send, limits: { overall: 2 } });
    await run();
    await insert(storage, to('e', 'm-1'));
    expect(await run()).toBe(0);
    for (let arrived = 2; arrived < 5; arrived += 1) {
      await until(arrived);
      expect(requests).toHaveLength(arrived);
      answer({ httpStatus: 200 });
    }
    await until(5);
    answer({ httpStatus: 200 });
    answer({ httpStatus: 200 });
    await idle();
  });

  test('of one merchant leaves places for the webhook of another, however many receivers it has', async () => {
    const slowOnes = Array.from({ length: 300 }, (_, index) =>
      delivery(`slow-${index}`, { url: `https://slow-${index}.example/` }),
    );
    const storage = await stored(...slowOnes);
    await storage.transaction(async (records) => {
      await records.insertMerchant({ ...merchant, merchantId: 'm-2' });
      await records.insertApiKey(key('k-2', { merchantId: 'm-2' }));
    });
    const { clock, pass } = stoppedClock();
    const { send, requests, until, answer } = receivers();
    const { run, idle } = worker({ storage, clock, send });
    await run();
    await until(128);
    await insert(storage, delivery('prompt', { merchantId: 'm-2', url: 'https://prompt.example/', dueAt: start }));
    await run();
    await until(129);
    expect(requests.at(-1)?.url).toBe('https://prompt.example/');
    // What waits is not sent any more once its claim has run out.
    pass(lease);
    while (answer({ httpStatus: 200 }));
    await idle();
  });
});

describe('looks', () => {
  test('when woken, for what was written during the look before', async () => {
    const storage = await stored();
    const { clock } = stoppedClock();
    const { send, events, until } = receivers(ok);
    let endLook: () => void = () => undefined;
    const looked = new Promise<void>((resolve) => {
      endLook = resolve;
    });
    let written: Promise<void> | undefined;
    const slow: Storage = {
      ...storage,
      // The first look has read its claim, and has not come back, when something new is written.
      transaction: async (work) => {
        const result = await storage.transaction(work);
        if (!written) {
          written = insert(storage, delivery('d-1'));
          await looked;
        }
        return result;
      },
    };
    const { run, wake } = worker({ storage: slow, clock, send });
    const first = run();
    while (!written) await new Promise(setImmediate);
    await written;
    wake();
    wake();
    endLook();
    expect(await first).toBe(0);
    await until(1);
    expect(events()).toEqual(['evt.d-1']);
  });

  test('by itself, once started', async () => {
    const storage = await stored();
    const { clock } = stoppedClock();
    const { send, until, events } = receivers(ok);
    worker({ storage, clock, send }).start();
    await insert(storage, delivery('d-1'));
    await until(1);
    await insert(storage, delivery('d-2'));
    await until(2);
    expect(events()).toEqual(['evt.d-1', 'evt.d-2']);
  });

  test('no more after it was stopped, and gives back what has not begun', async () => {
    const storage = await stored(delivery('d-1'), delivery('d-2'));
    const { clock } = stoppedClock();
    const first = receivers();
    const stopping = worker({ storage, clock, send: first.send, limits: { perLane: 1 } });
    stopping.start();
    await stopping.run();
    await first.until(1);
    let stopped = false;
    const stop = stopping.stop().then(() => {
      stopped = true;
    });

    const second = receivers(ok);
    const next = worker({ storage, clock, send: second.send });
    // The claim of what has not begun is gone while the attempt under way is still waited for.
    while ((await find(storage, 'd-2'))?.claimedUntil !== null) await new Promise(setImmediate);
    await next.run();
    await next.idle();
    expect(second.events()).toEqual(['evt.d-2']);
    expect(stopped).toBe(false);
    first.answer({ httpStatus: 200 });
    await stop;
    expect(await find(storage, 'd-1')).toMatchObject({ status: 'delivered', attempts: { length: 1 } });

    await insert(storage, delivery('d-3'));
    stopping.wake();
    expect(await stopping.run()).toBe(0);
    expect(first.events()).toEqual(['evt.d-1']);
  });
});

describe('a database that fails', () => {
  /** The storage, with transactions that reject while `down` says so. */
  function failing(storage: Storage, down: () => boolean): Storage {
    return {
      ...storage,
      transaction: (work) => (down() ? Promise.reject(new Error('database gone')) : storage.transaction(work)),
    };
  }

  test('during a look is logged and made up for', async () => {
    const storage = await stored(delivery('d-1'));
    const { clock } = stoppedClock();
    let down = true;
    const logged: string[] = [];
    const { send, until, requests } = receivers(ok);
    const { run, start: begin } = worker({
      storage: failing(storage, () => down),
      clock,
      send,
      log: (message, error) => {
        logged.push(`${message}: ${error}`);
        down = false;
      },
    });
    await expect(run()).rejects.toThrow('database gone');
    begin();
    await until(1);
    expect(requests).toHaveLength(1);
    expect(logged).toEqual(['looking for due webhooks failed; it is tried again: Error: database gone']);
  });

  test('after an attempt brings it again when the claim has run out, and not before', async () => {
    const storage = await stored(delivery('d-1'));
    const { clock, pass } = stoppedClock();
    let down = false;
    const logged: string[] = [];
    const { send, requests } = receivers(() => {
      down = requests.length === 1;
      return { httpStatus: 200 };
    });
    const log = (message: string, error: unknown) => logged.push(`${message}: ${error}`);
    const { run, idle } = worker({ storage: failing(storage, () => down), clock, send, log });
    await run();
    await idle();
    expect(logged).toEqual(['webhook d-1 is tried again later: Error: database gone']);
    down = false;
    pass(lease - 1);
    expect(await run()).toBe(0);
    pass(1);
    expect(await run()).toBe(1);
    await idle();
    expect(requests).toHaveLength(2);
    expect(await find(storage, 'd-1')).toMatchObject({ status: 'delivered', attempts: { length: 1 } });
  });
});

describe('a replay', () => {
  test('sends a delivered one again and keeps its attempts', async () => {
    const attempts = [{ at: start - 7, httpStatus: 200 }];
    const storage = await stored(delivery('d-1', { status: 'delivered', attempts, dueAt: null }));
    const { clock } = stoppedClock();
    const { send, events } = receivers(ok);
    const { run, idle } = worker({ storage, clock, send });
    expect(await run()).toBe(0);
    const replayed = await storage.transaction((records) => replay(records, 'm-1', 'd-1', start));
    expect(replayed).toMatchObject({ deliveryId: 'd-1', status: 'pending', dueAt: start });
    expect(await run()).toBe(1);
    await idle();
    expect(events()).toEqual(['evt.d-1']);
    expect(await find(storage, 'd-1')).toMatchObject({
      status: 'delivered',
      attempts: [...attempts, { at: start, httpStatus: 200 }],
    });
  });

  test('of what the merchant does not have changes nothing', async () => {
    const storage = await stored(delivery('d-1', { status: 'exhausted', dueAt: null }));
    for (const [merchantId, deliveryId] of [
      ['m-1', 'd-2'],
      ['m-2', 'd-1'],
    ] as const) {
      expect(await storage.transaction((records) => replay(records, merchantId, deliveryId, start))).toBeUndefined();
    }
    expect(await find(storage, 'd-1')).toMatchObject({ status: 'exhausted', dueAt: null });
  });

  test('during an attempt brings one more after it', async () => {
    const storage = await stored(delivery('d-1'));
    const { clock, pass } = stoppedClock();
    const { send, requests, until, answer } = receivers();
    const { run, idle } = worker({ storage, clock, send });
    await run();
    await until(1);
    pass(5);
    await storage.transaction((records) => replay(records, 'm-1', 'd-1', clock()));
    expect(await run()).toBe(0);
    answer({ httpStatus: 200 });
    await until(2);
    answer({ httpStatus: 200 });
    await idle();
    expect(requests).toHaveLength(2);
    expect(await find(storage, 'd-1')).toMatchObject({ status: 'delivered', attempts: { length: 2 } });
  });
});

describe('several workers on one PostgreSQL server', () => {
  async function twoStorages(...deliveries: DeliveryWithPayload[]): Promise<[Storage, Storage]> {
    const location = await newPostgresDatabase();
    const first = await open(location);
    await addMerchant(first);
    await insert(first, ...deliveries);
    return [first, await open(location)];
  }

  test('send every delivery once', async () => {
    const ids = Array.from({ length: 300 }, (_, n) => `d-${n}`);
    const deliveries = ids.map((id, n) => delivery(id, { url: `https://shop-${n % 20}.example/hooks` }));
    const [one, other] = await twoStorages(...deliveries);
    const { clock } = stoppedClock();
    const { send, events } = receivers(ok);
    const workers = [one, other].map((storage) => worker({ storage, clock, send }));
    const claimed = await Promise.all(workers.flatMap(({ run }) => [run(), run()]));
    await Promise.all(workers.map(({ idle }) => idle()));
    expect(claimed.reduce((sum, count) => sum + count)).toBe(300);
    expect(events().sort()).toEqual(ids.map((id) => `evt.${id}`).sort());
    const all = await one.reads.listDeliveries('m-1');
    expect(all.filter(({ status, attempts }) => status === 'delivered' && attempts.length === 1)).toHaveLength(300);
  });

  test('take over from one that died when its claim has run out, and not before', async () => {
    const [dead, alive] = await twoStorages(delivery('d-1'));
    const { clock, pass } = stoppedClock();
    await dead.transaction((records) => records.claimDueDeliveries(clock(), 10, clock() + lease));
    const { send, events } = receivers(ok);
    const { run, idle } = worker({ storage: alive, clock, send });
    expect(await run()).toBe(0);
    pass(lease - 1);
    expect(await run()).toBe(0);
    pass(1);
    expect(await run()).toBe(1);
    await idle();
    expect(events()).toEqual(['evt.d-1']);
  });

  test('leave alone what another is sending', async () => {
    const [one, other] = await twoStorages(delivery('d-1'));
    const { clock } = stoppedClock();
    const { send, events, until, answer } = receivers();
    const [sending, waiting] = [one, other].map((storage) => worker({ storage, clock, send }));
    await sending?.run();
    await until(1);
    expect(await waiting?.run()).toBe(0);
    answer({ httpStatus: 500 });
    await sending?.idle();
    await advance(other, 5 * second);
    expect(await waiting?.run()).toBe(1);
    await until(2);
    answer({ httpStatus: 200 });
    await waiting?.idle();
    expect(events()).toEqual(['evt.d-1', 'evt.d-1']);
    expect(await find(one, 'd-1')).toMatchObject({ status: 'delivered', attempts: { length: 2 } });
  });
});

describe('over the wire', () => {
  async function listen(...how: Parameters<typeof startReceiver>): Promise<Receiver> {
    const receiver = await startReceiver(...how);
    closing.push(receiver.close);
    return receiver;
  }

  test('each attempt verifies as it arrived', async () => {
    const statuses = [503, 200];
    const { port, received } = await listen((response) => response.writeHead(statuses.shift() ?? 500).end());
    const payload = '{"eventId":"evt.d-1","note":"绿茶 🍵"}';
    const storage = await stored(
      delivery('d-1', { url: `http://127.0.0.1:${port}/hooks?tenant=7`, payload, dueAt: 0 }),
    );
    const { run, idle } = worker({ storage, clock: Date.now, send: createSender('sandbox') });
    await run();
    await idle();
    await advance(storage, 5 * second);
    await run();
    await idle();

    expect(received).toHaveLength(2);
    for (const { target, headers, body } of received) {
      expect(target).toBe('/hooks?tenant=7');
      expect(body.toString()).toBe(payload);
      expect(Math.abs(Date.now() - Number(headers['x-timestamp']))).toBeLessThan(60 * second);
      const hash = createHash('sha256').update(body).digest('base64');
      const signed = `${headers['x-timestamp']}\nPOST\n/hooks\n${hash}`;
      expect(headers['x-signature']).toBe(createHmac('sha256', 'secret of k-1').update(signed).digest('base64'));
    }
    expect(received[0]?.headers['x-signature']).not.toBe(received[1]?.headers['x-signature']);
    expect(await find(storage, 'd-1')).toMatchObject({
      status: 'delivered',
      attempts: [{ httpStatus: 503 }, { httpStatus: 200 }],
    });
  });
});
