import { describe, expect, test } from 'vitest';
import type { WebhookRequest } from './deliver.ts';
import {
  delivery,
  deliveryWorkers,
  insert,
  key,
  lease,
  merchant,
  receivers,
  second,
  start,
  stoppedClock,
} from './testing/deliveries.ts';

const { stored, worker } = deliveryWorkers();

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
