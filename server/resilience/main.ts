// Kills a server under load, on both databases, and prints what was found: npm run kill -- --count 100
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../storage/testing/postgres.ts';
import { killUnderLoad } from './testing/killing.ts';
import { seededRandom } from './testing/random.ts';
import { startReceivers } from './testing/receivers.ts';

const { values } = parseArgs({ options: { count: { type: 'string', default: '100' } } });
const kills = Number(values.count);
if (!Number.isSafeInteger(kills) || kills < 1) throw new Error('--count must be a whole number of at least 1');

const folder = mkdtempSync(join(tmpdir(), 'assay-kill-'));
const postgres = await startPostgres();
const postgresDatabase = await postgres.createDatabase('kill');
const targets = [
  { name: 'SQLite', database: join(folder, 'assay.sqlite'), flags: ['--data', folder] },
  { name: 'PostgreSQL', database: postgresDatabase, flags: ['--database', postgresDatabase] },
];

process.stdout.write(
  '| Database | Kills | At start | Orders | Refunds | Webhooks | Requests without an answer | Seed | Seconds | Outcome |\n' +
    '|---|---|---|---|---|---|---|---|---|---|\n',
);
for (const { name, database, flags } of targets) {
  const receivers = await startReceivers();
  const random = seededRandom();
  const started = Date.now();
  const found = await killUnderLoad({ kills, database, flags, receivers, random });
  await receivers.close();
  const seconds = Math.round((Date.now() - started) / 1000);
  const outcome = found.broken.length === 0 ? 'holds' : `**broken**: ${found.broken.join('; ')}`;
  const { killsAtStart, orders, refunds, webhooks, interrupted } = found;
  const cells = [
    name,
    found.kills,
    killsAtStart,
    orders,
    refunds,
    webhooks,
    interrupted,
    random.seed,
    seconds,
    outcome,
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
  if (found.broken.length > 0) process.exitCode = 1;
}
await postgres.stop();
rmSync(folder, { recursive: true });
