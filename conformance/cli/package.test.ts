import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reopening, startTarget, type Target } from '../tests/support/target.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'assay-package-'));
/** The command that npx finds. npx itself takes as long to start. */
const command = join(folder, 'node_modules/.bin/assay');

/** The package as others get it: packed, and installed into an empty folder. */
describe('the packed package', () => {
  beforeAll(async () => {
    // Its `prepare` script would build what is built already, while other tests use it.
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
    const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    writeFileSync(join(folder, 'package.json'), '{ "name": "elsewhere", "private": true }');
    await run('npm', ['install', '--prefer-offline', '--no-audit', join(folder, tarball)], { cwd: folder });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('runs the suite', async () => {
    const { stderr } = await run('npx', ['--no-install', 'assay', 'run', '--check', 'orders.query.unknown'], {
      cwd: folder,
    });
    expect(stderr).toMatch(/^1 passed of 1 check/m);
  });

  it('proves a gate', async () => {
    const flags = ['--all', '--check', 'checkout.payment-methods.pairs', '--report', 'json=-'];
    const { stdout } = await run(command, ['prove', ...flags], { cwd: folder, maxBuffer: 10_000_000 });
    expect(JSON.parse(stdout).noticed).toBeGreaterThan(0);
  });

  it('types a driver for those who write one', async () => {
    const source = `import type { Driver } from '@assay-conformance/assay';
export const right: Driver = { advanceClock: async (merchantId, seconds) => void [merchantId.length, seconds.toFixed()] };
// @ts-expect-error: a step must say whether it was done
export const wrong: Driver = { orderEvent: async () => ({ message: 'no' }) };
`;
    writeFileSync(join(folder, 'driver.ts'), source);
    const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, module: 'nodenext', types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['driver.ts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  describe('used by a program', () => {
    let server: Target;
    beforeAll(async () => {
      server = await startTarget(reopening);
    });
    afterAll(() => server.close());
    const target = () =>
      `{ target: '${server.url}', control: { url: '${server.control}', token: '${server.controlToken}' } }`;

    it('runs checks and gives their report', async () => {
      const source = `import { allChecks, runConformance } from '@assay-conformance/assay';
const checks = allChecks.filter(({ id }) => ['orders.query.unknown', 'orders.query.by-order-id'].includes(id));
const { report, exitCode } = await runConformance({ ...${target()}, checks });
console.log(JSON.stringify({ outcome: report.outcome, passed: report.summary.passed === checks.length, exitCode }));
`;
      writeFileSync(join(folder, 'run.mjs'), source);
      const { stdout } = await run(process.execPath, ['run.mjs'], { cwd: folder });
      expect(JSON.parse(stdout)).toEqual({ outcome: 'incomplete', passed: true, exitCode: 0 });
    });

    it('registers a vitest test for each check', async () => {
      const source = `import { allChecks } from '@assay-conformance/assay';
import { conformanceTests } from '@assay-conformance/assay/vitest';
import { describe } from 'vitest';
const named = (...ids) => allChecks.filter(({ id }) => ids.includes(id));
const closed = 'orders.state.closed-is-final';
const target = ${target()};
describe('driven', () => conformanceTests(async () => target, named(closed, 'orders.query.unknown')));
describe('known', () => conformanceTests({ ...target, baseline: [{ check: closed, reason: 'ticket 7' }] }, named(closed)));
const merchants = { default: { merchantId: 'M-1', apiKey: 'k', apiSecret: 's' } };
describe('alone', () => conformanceTests({ target: target.target, merchants }, named(closed)));
describe('stopped', () => conformanceTests({ ...target, limits: { maxOrders: 0 } }, named('auth.orders.create.signed')));
`;
      writeFileSync(join(folder, 'conformance.test.mjs'), source);
      symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
      const vitest = join(root, 'node_modules/vitest/vitest.mjs');
      const file = join(folder, 'results.json');
      const flags = ['run', '--root', folder, '--reporter', 'json', '--outputFile', file];
      await expect(run(process.execPath, [vitest, ...flags], { cwd: folder })).rejects.toMatchObject({ code: 1 });
      const results: { assertionResults: { fullName: string; status: string; failureMessages: string[] }[] }[] =
        JSON.parse(readFileSync(file, 'utf8')).testResults;
      const tests = results.flatMap(({ assertionResults }) => assertionResults);
      expect(Object.fromEntries(tests.map(({ fullName, status }) => [fullName, status]))).toEqual({
        'driven orders.state.closed-is-final': 'failed',
        'driven orders.query.unknown': 'passed',
        'known orders.state.closed-is-final': 'skipped',
        'alone orders.state.closed-is-final': 'skipped',
        'stopped auth.orders.create.signed': 'failed',
      });
      const messages = tests.flatMap(({ failureMessages }) => failureMessages).join('\n');
      expect(messages).toContain('actual: data.status = PROCESSING');
      expect(messages).toMatch(/request: GET http:\/\/127\.0\.0\.1:\d+\/api\/v1\/merchants\//);
      expect(messages).toContain('requirement: orders.states.final: ');
      expect(messages).toContain(
        'no verdict: the run stops: the run has made as many orders as limits.maxOrders allows',
      );
    });
  });

  it('knows the contract', async () => {
    const { stdout } = await run(command, ['explain', 'orders.states.final'], { cwd: folder });
    expect(stdout).toContain('openapi/catalogue/states.yaml');
  });

  it('ships the contract, the schemas of reports and histories, and what the checkout page is made of, and none of its tests', () => {
    const inside = join(folder, 'node_modules/@assay-conformance/assay');
    const files = readdirSync(inside, { recursive: true, encoding: 'utf8' });
    expect(existsSync(join(inside, 'openapi/openapi.yaml'))).toBe(true);
    expect(existsSync(join(inside, 'generated/openapi.json'))).toBe(true);
    expect(existsSync(join(inside, 'conformance/reporters/report.schema.json'))).toBe(true);
    expect(existsSync(join(inside, 'conformance/history/history.schema.json'))).toBe(true);
    expect(existsSync(join(inside, 'server/checkout-page/assets/checkout.css'))).toBe(true);
    const own = ['.test.', 'testing', 'proof/variants', 'proof/judge-server'];
    expect(files.filter((name) => own.some((each) => name.includes(each)))).toEqual([]);
  });

  it('ships Kysely in one file, with its licence', () => {
    const file = join(folder, 'node_modules/@assay-conformance/assay/dist/server/storage/kysely.js');
    const kysely = readFileSync(file, 'utf8');
    expect(kysely).toContain(readFileSync(join(root, 'node_modules/kysely/LICENSE'), 'utf8'));
    expect(kysely).not.toMatch(/^(import|export) .*from ['"]kysely['"]/m);
  });
});
