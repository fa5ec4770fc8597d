import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Report } from '../run/report.ts';
import { listen } from '../tests/support/loopback.ts';
import { assay, assayProcess } from './testing/assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-interruption-'));
const file = join(folder, 'report.json');
afterAll(() => rmSync(folder, { recursive: true }));

const merchant = { ASSAY_MERCHANT_ID: 'M-1', ASSAY_API_KEY: 'ak-7f3a9d', ASSAY_API_SECRET: 'sk-81c2e4' };

/** A target that answers the first request and then no other. `asked` resolves with the second request. */
async function silentTarget() {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    if (count === 1) response.end('{}');
    else server.emit('asked');
  });
  const asked = once(server, 'asked');
  const { port, close } = await listen(server);
  const args = ['run', '--target', `http://127.0.0.1:${port}`, '--timeout', '600000', '--report', `json=${file}`];
  return { asked, close, args };
}

function expectReport(reason: string): void {
  const report: Report = JSON.parse(readFileSync(file, 'utf8'));
  expect(report.outcome).toBe('incomplete');
  expect(report.stopped?.reason).toContain(reason);
  expect(report.stopped?.notRun.length).toBeGreaterThan(100);
  expect(report.summary.inconclusive).toBeGreaterThan(0);
}

describe('a run that is ended early', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s writes its reports and says which checks did not run', async (signal, code) => {
    const { asked, close, args } = await silentTarget();
    const child = assayProcess(args, merchant, folder);
    await asked;
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([code, null]);
    expectReport(signal);
    await close();
  });

  it('by its longest duration ends with the results so far, and without a verdict', async () => {
    const { close, args } = await silentTarget();
    const { code, stderr } = await assay([...args, '--max-duration', '2'], merchant, folder);
    expect(code, stderr).toBe(3);
    expect(stderr).toMatch(/\d+ checks were not run, because the run was stopped/);
    expectReport('--max-duration');
    await close();
  });
});
