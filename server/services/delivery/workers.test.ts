import { describe, expect, test } from 'vitest';
import type { DeliveryWithPayload } from '../../domain/delivery.ts';
import { newPostgresDatabase } from '../../storage/testing/postgres.ts';
import type { Storage } from '../ports.ts';
import {
  addMerchant,
  advance,
  delivery,
  deliveryWorkers,
  find,
  insert,
  lease,
  ok,
  receivers,
  second,
  stoppedClock,
} from './testing/deliveries.ts';

const { open, stored, worker } = deliveryWorkers();

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
