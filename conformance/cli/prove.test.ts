import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTarget, type Target } from '../tests/support/target.ts';
import { assayHere } from './testing/assay-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-prove-'));
const at = (name: string) => join(folder, name);
let server: Target;
beforeAll(async () => {
  server = await startTarget();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

interface Tried {
  id: string;
  caughtBy: string;
  outcome: 'noticed' | 'passes' | 'left-out';
  reason?: string;
}

/** Proves with a configuration, and resolves with the outcome, what was printed, and the JSON report. */
async function prove(configuration: object, ...args: string[]) {
  const timing = { settleMs: 2000, webhookMs: 3000 };
  // Every JSON text is YAML.
  writeFileSync(at('assay.yaml'), JSON.stringify({ target: server.url, timing, ...configuration }));
  const flags = ['--config', at('assay.yaml'), '--timeout', '60000', '--report', `json=${at('proof.json')}`];
  const outcome = await assayHere(['prove', ...flags, ...args]);
  const report: { noticed: number; passed: number; leftOut: number; percent: number; faults: Tried[] } = JSON.parse(
    readFileSync(at('proof.json'), 'utf8'),
  );
  return { ...outcome, report };
}

/** The control API as the driver. */
const driven = () => ({ control: { url: `${server.url}/sandbox/v1`, token: server.controlToken } });

describe('assay prove', () => {
  it('counts the faults that a run with a driver notices', async () => {
    const { code, stderr, stdout, report } = await prove(
      driven(),
      ...[
        '--all',
        '--check',
        'orders.states.underpaid-for-days',
        '--check',
        'orders.view.checkout-url',
        '--report',
        'markdown=-',
      ],
    );
    const outcomes = Object.fromEntries(report.faults.map(({ id, outcome, reason }) => [id, reason ?? outcome]));
    expect(code).toBe(0);
    expect(outcomes).toMatchObject({
      'orders-succeed-after-days-under-way': 'noticed',
      'checkout-url-without-id': 'because their checks only warn (SHOULD)',
      'event-without-ids': 'because --check leaves out the checks that see them',
    });
    const sentence = `${report.noticed} of ${report.noticed + report.passed} faults would be noticed; ${report.passed} would pass your pipeline`;
    expect(stderr).toContain(sentence);
    expect(stdout).toContain(`## Assay: ${sentence}`);
    expect(stderr).toMatch(/Left out: faults that need the inside of a server \(\d+\)\./);
    expect(`${stdout}${stderr}${JSON.stringify(report)}`).not.toContain(server.controlToken);
  });

  it('says that areas were left out, and ends with 1 when too few faults are noticed', async () => {
    const { code, report } = await prove(
      driven(),
      ...['--all', '--area', 'orders', '--check', 'orders.state.init.transaction-detected', '--at-least', '90'],
    );
    const reasonOf = (area: string) =>
      new Set(report.faults.flatMap((each) => (each.caughtBy.startsWith(area) ? (each.reason ?? each.outcome) : [])));
    expect(code).toBe(1);
    expect(reasonOf('refunds.')).toEqual(new Set(['because of areas left out by --area']));
    expect(reasonOf('orders.state.init.transaction-detected')).toEqual(new Set(['noticed']));
  });

  it('says that a baseline covers what would fail', async () => {
    const check = 'orders.state.init.transaction-detected';
    writeFileSync(at('known.yaml'), JSON.stringify([{ check, reason: 'a ticket' }]));
    const { code, report } = await prove(
      driven(),
      ...['--all', '--check', check, '--baseline', at('known.yaml'), '--at-least', '0'],
    );
    const ofCheck = report.faults.filter(({ caughtBy }) => caughtBy === check);
    expect(code).toBe(0);
    expect(new Set(ofCheck.map(({ reason }) => reason))).toEqual(new Set(['by the baseline']));
  });

  it('says what no driver brings about, and signs with the merchant of the configuration', async () => {
    const merchants = { default: await server.newMerchant() };
    const checks = ['orders.query.paid-at', 'checkout.create.metadata.unchanged'];
    const { report, stderr } = await prove({ merchants }, '--all', ...checks.flatMap((id) => ['--check', id]));
    const outcomesOf = (id: string) =>
      new Set(report.faults.flatMap((each) => (each.caughtBy === id ? (each.reason ?? each.outcome) : [])));
    expect([...outcomesOf('orders.query.paid-at')].join()).toMatch(/^because no driver [a-z ]+$/);
    expect(outcomesOf('checkout.create.metadata.unchanged')).toEqual(new Set(['noticed']));
    expect(stderr).toMatch(/act on the control API, which this target does not have/);
  });

  it('takes the sample that the seed decides', async () => {
    const flags = ['--sample', '3', '--check', 'orders.query.unknown'];
    const samples = [];
    for (const seed of ['4', '4', '5']) {
      const { report } = await prove(driven(), ...flags, '--seed', seed);
      samples.push(report.faults.map(({ id }) => id));
    }
    const [first, again, other] = samples;
    expect(first?.length).toBe(3);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('refuses a sample of all faults', async () => {
    const { code, stderr } = await assayHere(['prove', '--all', '--sample', '3']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("cannot be used with option '--sample"),
    });
  });
});
