import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { killUnderLoad } from './testing/killing.ts';
import { seededRandom } from './testing/random.ts';
import { startReceivers } from './testing/receivers.ts';

/** How often the server is killed while it works. `npm run kill` does it more often, and on both databases. */
const kills = 4;

test(`${kills} kills under load lose nothing that was acknowledged`, async () => {
  const data = await mkdtemp(join(tmpdir(), 'assay-kill-'));
  const receivers = await startReceivers();
  onTestFinished(async () => {
    await receivers.close();
    await rm(data, { recursive: true });
  });
  const random = seededRandom();
  const database = join(data, 'assay.sqlite');
  const outcome = await killUnderLoad({ kills, database, flags: ['--data', data], receivers, random });
  expect(outcome.broken, `ASSAY_SEED=${random.seed}`).toEqual([]);
  expect(outcome.interrupted, 'kills that hit nothing prove nothing').toBeGreaterThan(kills);
});
