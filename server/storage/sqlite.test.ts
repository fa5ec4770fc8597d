import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openStorage } from './open-storage.ts';
import { openSqlite } from './sqlite.ts';
import { newStorages } from './testing/new-storages.ts';
import { delivery, given, merchant } from './testing/records.ts';

const { folder, newFile, open } = newStorages();

/** Runs a program in four processes, which go on together once each has said that it is ready, and returns their exit codes. */
async function endsOfFour(program: string): Promise<(number | null)[]> {
  const processes = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const ends = processes.map(async (each) => {
    await once(each, 'exit');
    return each.exitCode;
  });
  await Promise.all(processes.map((each) => once(each.stdout, 'data')));
  for (const each of processes) each.stdin.end(String(Date.now() + 50));
  return Promise.all(ends);
}

describe('SQLite in a file', () => {
  test('several processes can start on one new file and write to it', async () => {
    const location = await newFile();
    const program = `
      import { openStorage } from ${JSON.stringify(new URL('./open-storage.ts', import.meta.url))};
      console.log('ready');
      await new Promise((resolve) => process.stdin.once('data', resolve));
      const storage = await openStorage(${JSON.stringify(location)});
      for (let n = 0; n < 10; n += 1) {
        await storage.transaction(async (records) => {
          const found = await records.lockMerchant('m-1');
          await new Promise(setImmediate);
          if (found) await records.updateMerchant({ ...found, clockOffset: found.clockOffset + 1 });
          else await records.insertMerchant(${JSON.stringify(merchant('m-1', { clockOffset: 1 }))});
        });
      }
      await storage.close();`;
    expect(await endsOfFour(program)).toEqual([0, 0, 0, 0]);
    expect((await (await open(location)).reads.findMerchant('m-1'))?.clockOffset).toBe(40);
  });

  test('several processes can open a new file at the same moment', async () => {
    const location = await newFile();
    // The moment at which they would hinder each other is short, and so they try it with many files, in step with each other.
    const program = `
      import { openSqlite } from ${JSON.stringify(new URL('./sqlite.ts', import.meta.url))};
      console.log('ready');
      const begin = Number(await new Promise((resolve) => process.stdin.once('data', resolve)));
      const asleep = new Int32Array(new SharedArrayBuffer(4));
      for (let n = 0; n < 100; n += 1) {
        // Sleep ends too late by a little, so the last of the wait is spent awake.
        Atomics.wait(asleep, 0, 0, Math.max(0, begin + n * 20 - Date.now() - 3));
        while (Date.now() < begin + n * 20);
        await openSqlite(${JSON.stringify(location)} + n).db.destroy();
      }`;
    expect(await endsOfFour(program)).toEqual([0, 0, 0, 0]);
  });

  test('writes little for a claim and for an attempt, however large the webhooks are', async () => {
    const location = await newFile();
    const storage = await open(location);
    const { db } = openSqlite(location);
    const payload = JSON.stringify('x'.repeat(500_000));
    const deliveries = Array.from({ length: 10 }, (_, index) => delivery('m-1', `d-${index}`, { payload }));
    await given(storage, [merchant('m-1')], [], { deliveries });
    // Moves what was written into the file, so that the log holds only what comes after.
    await sql`pragma wal_checkpoint(truncate)`.execute(db).finally(() => db.destroy());
    const [claimed] = await storage.transaction((records) => records.claimDueDeliveries(1e12, 10, 2e12));
    await storage.transaction(async (records) => {
      const found = await records.lockDelivery('m-1', 'd-1');
      if (found) await records.updateDelivery({ ...found, attempts: [{ at: 1, httpStatus: 500 }] });
    });
    expect(claimed?.bytes).toBeGreaterThan(500_000);
    expect(statSync(`${location}-wal`).size).toBeLessThan(200_000);
    expect((await storage.reads.findDelivery('m-1', 'd-1'))?.payload).toBe(payload);
  });

  test.each([
    ['power-cut', 'waits for the disk at each commit', { synchronous: 2 }],
    ['process-end', 'leaves it to the operating system when the disk is written', { synchronous: 1 }],
  ] as const)('a database whose commits survive a %s %s', async (durability, _, setting) => {
    const { db } = openSqlite(await newFile(), durability);
    const { rows } = await sql`pragma synchronous`.execute(db).finally(() => db.destroy());
    expect(rows).toEqual([setting]);
  });

  test('says which file cannot be opened, and does not change it', async () => {
    const file = join(folder(), 'notes.txt');
    await writeFile(
      file,
      'These are notes, and long enough to be taken for the header of a database file, or nearly.\n'.repeat(20),
    );
    await expect(openStorage(file)).rejects.toThrow(`${file}: file is not a database. Check that`);
    await expect(openStorage(folder())).rejects.toThrow(folder());
  });
});

test('a file of SQLite and its folder are readable by their owner only, also a file that was not', async () => {
  const location = await newFile();
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  await (await open(location)).ping();
  expect(modeOf(dirname(location))).toBe('700');
  const files = readdirSync(dirname(location)).map((file) => modeOf(join(dirname(location), file)));
  expect(new Set(files)).toEqual(new Set(['600']));
  chmodSync(location, 0o644);
  await open(location);
  expect(modeOf(location)).toBe('600');
});
