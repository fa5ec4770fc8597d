import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'assay-package-'));

/** The package as others get it: packed, and installed into an empty folder. */
describe('the packed package', () => {
  beforeAll(async () => {
    await run('npm', ['pack', '--pack-destination', folder], { cwd: root });
    const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    writeFileSync(join(folder, 'package.json'), '{ "name": "elsewhere", "private": true }');
    await run('npm', ['install', '--prefer-offline', join(folder, tarball)], { cwd: folder });
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  it('runs the suite', async () => {
    const { stderr } = await run('npx', ['assay', 'run', '--check', 'orders.query.*'], { cwd: folder });
    expect(stderr).toContain('5 passed of 5 checks');
  });

  it('knows the contract', async () => {
    const { stdout } = await run('npx', ['assay', 'explain', 'orders.states.final'], { cwd: folder });
    expect(stdout).toContain('openapi/catalogue/states.yaml');
  });

  it('ships the contract and the schema of its reports, and none of its tests', () => {
    const inside = join(folder, 'node_modules/assay');
    const files = readdirSync(inside, { recursive: true, encoding: 'utf8' });
    expect(existsSync(join(inside, 'openapi/openapi.yaml'))).toBe(true);
    expect(existsSync(join(inside, 'generated/openapi.json'))).toBe(true);
    expect(existsSync(join(inside, 'conformance/reporters/report.schema.json'))).toBe(true);
    expect(files.filter((name) => name.includes('.test.') || name.includes('testing'))).toEqual([]);
  });
});
