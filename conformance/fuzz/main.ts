// `npm run fuzz -- --count N --seed S`: sends a list of random requests to a server of limited memory and says what came of it.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    /** An empty PostgreSQL database, in the place of SQLite. */
    database: { type: 'string' },
  },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
if (!(Number.isSafeInteger(count) && count > 0)) throw new Error('--count: must be a whole number above 0');
if (!(Number.isSafeInteger(seed) && seed >= 0)) throw new Error('--seed: must be a whole number');

// Waiting for a disk would take most of the time, and the fuzzing does not ask what is left after a crash.
const inMemory = '/dev/shm';
const folder = mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), 'assay-fuzz-'));
const database =
  values.database === undefined
    ? { flags: ['--data', folder], location: join(folder, 'assay.sqlite') }
    : { flags: ['--database', values.database], location: values.database };
try {
  const { requests, seconds, statuses, accepted, memory, books, findings } = await fuzz(count, seed, database);
  const { start, end, peak } = memory;
  const lines = [
    `seed ${seed}: ${requests} requests in ${seconds.toFixed(1)} s, ${Math.round(requests / seconds)} a second; ${accepted} accepted`,
    `statuses: ${Object.entries(statuses)
      .map(([status, times]) => `${status}: ${times}`)
      .join(', ')}`,
    `resident memory: ${start.resident} MiB at the start, ${peak} at most, ${end.resident} at the end; in use ${start.used} and ${end.used}`,
    `books: ${books.merchants} merchants, ${books.orders} orders, ${books.refunds} refunds, ${books.webhooks} webhooks`,
    `findings: ${findings.length}`,
    ...findings,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = findings.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
