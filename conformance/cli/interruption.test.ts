import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
    // GNU timeout sends it twice, to the command and to its group.
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([code, null]);
    expectReport(signal);
    await close();
  });

  it('by a second signal ends at once, also while a report waits for its reader', async () => {
    const { asked, close, args } = await silentTarget();
    const [pipe, before] = [join(folder, 'pipe'), join(folder, 'before.json')];
    execFileSync('mkfifo', [pipe]);
    const child = assayProcess([...args, '--report', `json=${before}`, '--report', `json=${pipe}`], merchant, folder);
    const closed = once(child, 'close');
    await asked;
    child.kill('SIGINT');
    // Reports are written in their order, so the pipe is next.
    await expect.poll(() => existsSync(before), { timeout: 60_000 }).toBe(true);
    child.kill('SIGTERM');
    expect(await closed).toEqual([null, 'SIGTERM']);
    await close();
  });

  it('by an error that nobody caught exits with 70, and never with a verdict', async () => {
    const { asked, close, args } = await silentTarget();
    const fault = 'process.on("SIGUSR2", () => { throw new Error("nobody caught this"); })';
    const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}` };
    const child = assayProcess(args, { ...merchant, ...environment }, folder);
    const [closed, printed] = [once(child, 'close'), child.stderr.setEncoding('utf8').toArray()];
    await asked;
    child.kill('SIGUSR2');
    const stderr = (await printed).join('');
    expect(await closed, stderr).toEqual([70, null]);
    expect(stderr).toContain('nobody caught this');
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

it.each([
  ['127.0.0.1', 0],
  ['0.0.0.0', 1],
])('credentials to http://%s, for target and control API, are warned of so many times: %i', async (host, times) => {
  const { close, args } = await silentTarget();
  const shown = args.map((each) => each.replace('//127.0.0.1', `//${host}`));
  const flags = ['--check', 'orders.query.unknown', '--max-duration', '1'];
  const { stderr } = await assay([...shown, ...flags], { ...merchant, ASSAY_CONTROL_TOKEN: 'token' }, folder);
  const warnings = stderr.match(/keys, signatures and tokens go to 0\.0\.0\.0:\d+ unencrypted/g) ?? [];
  expect(warnings, stderr).toHaveLength(times);
  await close();
});
