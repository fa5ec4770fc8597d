import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../run/report.ts';
import { assay, assayProcess } from './testing/assay.ts';
import { assayHere } from './testing/assay-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-compare-'));
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  const some = ['--check', 'checkout.create.repeat.*', '--check', 'orders.create.minimal'];
  const { code } = await assay([
    'run',
    ...some,
    '--report',
    `json=${at('before.json')}`,
    '--report',
    `har=${at('run.har')}`,
    '--report',
    `badge=${at('badge.svg')}`,
  ]);
  expect(code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true }));

const before = (): Report => JSON.parse(readFileSync(at('before.json'), 'utf8'));

describe('assay compare', () => {
  it('ends with 1 and names what got worse since an earlier run', async () => {
    const report = before();
    const checks = report.checks.map((check) =>
      check.id === 'orders.create.minimal' ? { ...check, verdict: 'failed', expected: 'a', actual: 'b' } : check,
    );
    writeFileSync(at('after.json'), JSON.stringify({ ...report, checks }));
    const { code, stdout, stderr } = await assayHere(['compare', at('before.json'), at('after.json')]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '1 worse, none better, none new, none gone\n' });
    expect(stdout).toContain('orders.create.minimal');
    const page = await assayHere(['compare', at('before.json'), at('before.json'), '--report', 'html=-']);
    expect({ code: page.code, begins: page.stdout.slice(0, 15) }).toEqual({ code: 0, begins: '<!doctype html>' });
  });

  it('refuses what is no report, by name', async () => {
    writeFileSync(at('other.json'), '{"checks": 1}');
    const { code, stderr } = await assayHere(['compare', at('before.json'), at('other.json')]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${at('other.json')} is no JSON report of assay run`);
    expect((await assayHere(['compare', at('before.json')])).stderr).toContain('needs two reports or more');
  });
});

describe('other forms of a run', () => {
  it('are an HTTP archive with every request, and a badge that states the scope', () => {
    const { log } = JSON.parse(readFileSync(at('run.har'), 'utf8'));
    expect(log.version).toBe('1.2');
    expect(log.entries.length).toBeGreaterThan(3);
    expect(log.entries[0]).toMatchObject({
      request: { method: expect.any(String) },
      response: { status: expect.any(Number) },
    });
    const { scope, outcome } = before();
    const badge = readFileSync(at('badge.svg'), 'utf8');
    expect(badge).toContain(
      `${outcome} in ${scope.areas.join(', ')}; ${scope.must.judged} of ${scope.must.total} MUST checks judged`,
    );
  });
});

describe('a sandbox that decides like the target of a run', () => {
  it('takes the observed choices, and says which it does not take', async () => {
    const report = before();
    // The reference server answers with 401.
    const observed = [{ check: 'auth.checkout.query.unsigned', seen: 'HTTP 200', value: '200' }];
    const changed = report.openPoints
      .filter(({ id }) => id !== 'checkout-auth-failure')
      .concat({ id: 'checkout-auth-failure', question: 'How?', observed, pinned: null });
    writeFileSync(at('provider.json'), JSON.stringify({ ...report, openPoints: changed }));
    const child = assayProcess(['serve', '--port', '0', '--choices', at('provider.json'), '--data', at('data')]);
    let stderr = '';
    try {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const [line] = await once(createInterface({ input: child.stdout }), 'line');
      const { url } = JSON.parse(String(line));
      const answer = await fetch(`${url}/api/v1/merchants/M-1/checkout/orders/order-0000000000000001`);
      expect(answer.status).toBe(200);
    } finally {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
    expect(stderr).toMatch(/the sandbox decides \d+ open points like .*, and \d+ like the reference server/);
    expect(stderr).not.toMatch(/^ {2}checkout-auth-failure:/m);
  });
});
