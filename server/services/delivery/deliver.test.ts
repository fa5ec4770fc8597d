import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSender } from '../../webhooks/sender.ts';
import { type Receiver, startReceiver } from '../../webhooks/testing/receiver.ts';
import { replay, type SendResult, type WebhookRequest } from './deliver.ts';
import {
  advance,
  delivery,
  deliveryWorkers,
  find,
  insert,
  key,
  merchant,
  ok,
  receivers,
  second,
  start,
  stoppedClock,
} from './testing/deliveries.ts';

const { closeAfterwards, open, stored, worker } = deliveryWorkers();

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

describe('over the wire', () => {
  async function listen(...how: Parameters<typeof startReceiver>): Promise<Receiver> {
    const receiver = await startReceiver(...how);
    closeAfterwards(receiver.close);
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
