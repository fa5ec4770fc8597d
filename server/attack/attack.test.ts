import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attack, attacks } from './attacks.ts';

// The short form of `npm run attack`, of the attacks that have one.
const short = attacks.filter(({ times }) => times.short !== undefined);

test.each(short.map((each) => [each.name, each] as const))('%s', async (_name, each) => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-attack-'));
  const { holds, text } = await attack(each, ['--data', folder], { scale: 'short' });
  rmSync(folder, { recursive: true });
  expect(holds, text).toBe(true);
});
