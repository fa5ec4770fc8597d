// Attacks a server of limited memory and prints what it did. An argument names another built server to attack, to compare.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../storage/testing/postgres.ts';
import { attack, attacks } from './attacks.ts';

const [server] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'assay-attack-'));
const postgres = await startPostgres();
let created = 0;
const databases = [
  { name: 'SQLite', newFlags: async () => ['--data', mkdtempSync(join(folder, 'data-'))] },
  { name: 'PostgreSQL', newFlags: async () => ['--database', await postgres.createDatabase(`attack_${++created}`)] },
];

process.stdout.write('| Database | Attack | Longest silence | Peak memory | Outcome |\n|---|---|---|---|---|\n');
for (const { name: database, newFlags } of databases) {
  for (const each of attacks) {
    const { name, silence, memory, text, holds } = await attack(each, await newFlags(), { scale: 'whole', server });
    const outcome = `${holds ? 'holds' : '**broken**'}: ${text}`;
    process.stdout.write(`| ${database} | ${name} | ${silence} ms | ${memory} MB | ${outcome} |\n`);
    if (!holds) process.exitCode = 1;
  }
}
await postgres.stop();
rmSync(folder, { recursive: true });
process.exit();
