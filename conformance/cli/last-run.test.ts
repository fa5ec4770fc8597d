import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openPoints } from '../../generated/catalogue.ts';
import { parseConfiguration } from '../run/configuration.ts';
import { listen } from '../tests/support/loopback.ts';
import { startTarget, type Target } from '../tests/support/target.ts';
import { assayHere } from './testing/assay-here.ts';

const merchant = { ASSAY_MERCHANT_ID: 'M-1', ASSAY_API_KEY: 'ak_1', ASSAY_API_SECRET: 'sk_1' };

let folder: string;
let server: Target;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-last-run-'));
  server = await startTarget();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** The ids of the checks that a run reports. */
async function checksOfRun(...args: string[]): Promise<string[]> {
  const { stdout } = await assayHere(['run', '--report', 'json=-', ...args], merchant, folder);
  const { checks } = JSON.parse(stdout);
  return checks.map(({ id }: { id: string }) => id);
}

describe('--last-failed', () => {
  let broken: { port: number; close: () => Promise<void> };
  beforeAll(async () => {
    const nothing = createServer((_request, response) => response.writeHead(404).end());
    broken = await listen(nothing);
  });
  afterAll(() => broken.close());

  it('needs a run that something is left of', async () => {
    const target = ['--target', `http://127.0.0.1:${broken.port}`];
    const { code, stderr } = await assayHere(['run', ...target, '--last-failed'], merchant, folder);
    expect(code).toBe(2);
    expect(stderr).toContain('no run was kept in this folder');
  });

  it('runs what failed or stayed without a verdict, though another run came in between', async () => {
    const target = ['--target', `http://127.0.0.1:${broken.port}`];
    const all = await checksOfRun(...target, '--check', 'orders.create.minimal', '--check', 'orders.errors.*');
    const again = await checksOfRun(...target, '--check', 'orders.create.minimal');
    expect(again).toEqual(['orders.create.minimal']);
    // Only the owner of the folder may read what it keeps, which may be the data of a server too.
    expect((await stat(join(folder, '.assay'))).mode & 0o777).toBe(0o700);
    const left = await checksOfRun(...target, '--last-failed');
    expect(left.length).toBeGreaterThan(1);
    expect(all).toEqual(expect.arrayContaining(left));
  });
});

describe('assay pin', () => {
  it('writes what the last run observed into the configuration, and leaves the rest of the file as it is', async () => {
    const control = { ASSAY_CONTROL_TOKEN: server.controlToken };
    const run = ['run', '--target', server.url, '--area', 'checkout', '--check', 'checkout.create.repeat.*'];
    await assayHere(run, control, folder);
    const file = join(folder, 'assay.yaml');
    await writeFile(file, '# Our server.\ntarget: https://sandbox.example.com\n');
    const { code, stdout } = await assayHere(['pin'], {}, folder);
    expect(code).toBe(0);
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(/^# Our server\.\ntarget: https:\/\/sandbox\.example\.com\n/);
    const { 'open-points': pinned = {} } = parseConfiguration(text, file);
    expect(parse(stdout)).toEqual(pinned);
    expect(pinned).toMatchObject({
      'checkout-repeat': openPoints.find(({ id }) => id === 'checkout-repeat')?.reference,
    });
    await assayHere(['pin'], {}, folder);
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});

describe('--wait', () => {
  it('waits until the target answers', async () => {
    let asked = 0;
    const late = createServer((_request, response) => response.writeHead(404).end());
    late.prependListener('connection', (socket) => {
      asked += 1;
      if (asked < 3) socket.resetAndDestroy();
    });
    const { port, close } = await listen(late);
    const target = ['--target', `http://127.0.0.1:${port}`, '--check', 'orders.create.minimal'];
    try {
      const { code, stderr } = await assayHere(['run', ...target, '--wait', '0'], merchant, folder);
      expect({ code, said: stderr.includes('--wait gave it 0 s') }).toEqual({ code: 3, said: true });
      expect((await assayHere(['run', ...target, '--wait', '60'], merchant, folder)).code).not.toBe(2);
      expect(asked).toBeGreaterThan(3);
    } finally {
      await close();
    }
  });
});
