import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Report } from '../run/report.ts';
import { attackRun } from './attack-run.ts';
import { hostileTargets } from './targets.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-attack-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** One target of each kind: too much to read, too much to keep, no answer, no HTTP, a long wait, and hostile webhooks. `npm run attack:runner` takes them all. */
const targets = hostileTargets.filter(({ name }) =>
  [
    ...['an endless chunked body', 'a compressed bomb', 'a million levels', 'silence', 'a switch of protocols'],
    ...['a wait for a minute, always again', 'hostile webhooks'],
  ].includes(name),
);

describe('a run with little memory', () => {
  it.each(targets.map((target) => [target.name, target] as const))(
    'ends with its report and its own exit code against %s',
    async (name, target) => {
      const file = join(folder, `${name}.json`);
      const checks = [
        'orders.create.minimal',
        'orders.query.unknown',
        'auth.signed.*',
        'orders.create.callbackUrl.*',
      ].flatMap((id) => ['--check', id]);
      const reports = ['json', 'html', 'history'].flatMap((format) => [
        '--report',
        `${format}=${format === 'json' ? file : join(folder, `${name}.${format}`)}`,
      ]);
      const outcome = await attackRun(target, [
        ...checks,
        ...reports,
        '--timeout',
        '2000',
        '--max-duration',
        '15',
        '--seed',
        '1',
      ]);
      expect([1, 3], outcome.stderr).toContain(outcome.code);
      expect(outcome.memory).toBeLessThan(400);
      const { outcome: verdict, checks: reported }: Report = JSON.parse(readFileSync(file, 'utf8'));
      expect(verdict).not.toBe('conformant');
      expect(reported.length).toBeGreaterThan(0);
      const reasons = reported.map(({ reason }) => reason).join('\n');
      expect(reasons).not.toContain('a fault of assay itself');
      if (target.reason) expect(reasons).toMatch(target.reason);
    },
  );
});
