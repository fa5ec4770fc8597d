import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, describe, expect, it } from 'vitest';
import { allChecks } from '../checks/index.ts';
import type { Report } from '../run/report.ts';
import { assay } from './testing/assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-whole-run-'));
const reportFile = join(folder, 'report.json');

afterAll(() => rmSync(folder, { recursive: true }));

describe('assay run, with every check', () => {
  it('judges the reference server when no target is given, and writes a report that fits its schema', async () => {
    // Another seed in each run of the tests, since no verdict may depend on it.
    const seed = Math.floor(Math.random() * 2 ** 31);
    const flags = ['--seed', String(seed), '--timeout', '60000'];
    const { code, stdout, stderr } = await assay(['run', '--report', `json=${reportFile}`, ...flags]);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('conformant');
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    formats.default(ajv);
    const validate = ajv.compile(
      JSON.parse(readFileSync(new URL('../reporters/report.schema.json', import.meta.url), 'utf8')),
    );
    const report: Report = JSON.parse(readFileSync(reportFile, 'utf8'));
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...report, checks: [], outcome: 'fine' })).toBe(false);
    expect(report).toMatchObject({ outcome: 'conformant', seed });
    expect(report.checks.map(({ id }) => id).sort()).toEqual(allChecks.map(({ id }) => id).sort());
    const otherwise = report.checks.filter(
      ({ level, verdict }) => verdict !== (level === 'MAY' ? 'observed' : 'passed'),
    );
    expect(otherwise, `seed ${seed}`).toEqual([]);
    expect(report.transitions).toContainEqual({
      check: 'orders.state.closed-is-final',
      machine: 'orders',
      from: 'CLOSED',
      event: 'transaction_detected',
      expected: 'CLOSED',
      seen: 'CLOSED',
    });
  });
});
