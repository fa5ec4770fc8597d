import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import schema from '../history/history.schema.json' with { type: 'json' };
import { longestBody } from '../history/records.ts';
import { invariantChecks } from '../invariants/index.ts';
import { changing, isHostedQuery, onlyFor, showing } from '../proof/stand/changes.ts';
import { type Handler, startProxy } from '../proof/stand/proxy.ts';
import type { Report } from '../run/report.ts';
import { startTarget, type Target } from '../tests/support/target.ts';
import { assayHere } from './testing/assay-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-judge-'));
const at = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(at(name), 'utf8');
const readReport = (name: string): Report => JSON.parse(read(name));
const opened: { close(): Promise<unknown> }[] = [];
let server: Target;
beforeAll(async () => {
  server = await startTarget();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** The address of the server behind a handler. */
async function target(merchantApi: Handler): Promise<string> {
  const proxy = await startProxy(server.url, { merchantApi });
  opened.push(proxy);
  return proxy.url;
}

const reports = ['--report', `history=${at('h.ndjson')}`, '--report', `json=${at('run.json')}`];
// A machine may be so busy with other tests that an answer takes long.
const runAgainst = (url: string, ...checks: string[]) =>
  assayHere(
    ['run', '--target', url, '--timeout', '60000', ...reports, ...checks.flatMap((check) => ['--check', check])],
    {
      ASSAY_CONTROL_TOKEN: server.controlToken,
      NO_COLOR: '1',
    },
  );
const judgeFile = (name = 'h.ndjson') =>
  assayHere(['judge', at(name), '--report', `json=${at('judged.json')}`], { NO_COLOR: '1' });

/** What a report says of the rules of invariants. */
const findings = (name: string) =>
  readReport(name)
    .checks.filter(({ id }) => invariantChecks.some((rule) => rule.id === id))
    .map(({ id, verdict, brokenRequirement, expected, actual }) => ({
      id,
      verdict,
      brokenRequirement,
      expected,
      actual,
    }));

const minutesLater = (time: unknown) => new Date(Date.parse(String(time)) + 600_000).toISOString();

describe('assay judge', () => {
  it('finds nothing in the history of a conforming server, and each of its lines fits the schema', async () => {
    const rules = invariantChecks.filter(({ area }) => area === 'orders').map(({ id }) => id);
    const situations = ['created', 'paid-by-exchange', 'unpaid', 'expired'].map((name) => `orders.situations.${name}`);
    const { code, stderr } = await runAgainst(server.url, ...situations, 'webhooks.situations.orders', ...rules);
    expect(code, stderr).toBe(0);
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
    const lines: unknown[] = read('h.ndjson')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const line of lines) expect(validate(line), JSON.stringify([line, validate.errors])).toBe(true);
    const kinds = new Set(lines.map((line) => Reflect.get(Object(line), 'kind')));
    expect([...kinds].sort()).toEqual(['clock', 'driver', 'request', 'run', 'webhook']);
    const judged = await judgeFile();
    expect(judged.code, judged.stderr).toBe(0);
    const selected = findings('run.json');
    expect(selected.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(20);
    expect(findings('judged.json').filter(({ id }) => id.startsWith('orders.'))).toEqual(selected);
  });

  it('finds what a run of the rule alone found, which brings about the situations of its area', async () => {
    const wrong = await target(onlyFor(isHostedQuery, showing(changing('createdAt', minutesLater))));
    const rule = 'orders.query.times.created-at';
    const { code, stderr } = await runAgainst(wrong, rule);
    expect(code, stderr).toBe(1);
    const found = findings('run.json');
    expect(found).toMatchObject([{ id: rule, verdict: 'failed' }]);
    expect(readReport('run.json').checks.map(({ id }) => id)).toContain('orders.situations.created');
    const judged = await judgeFile();
    expect(judged.code, judged.stderr).toBe(1);
    expect(judged.stderr).toContain(`✗ ${rule}`);
    expect(findings('judged.json')).toContainEqual(found[0]);
  });

  it('judges in a filtered run what that run exchanged, and selects nothing more', async () => {
    const rule = 'orders.query.times.created-at';
    await runAgainst(server.url, rule, 'orders.query.unknown');
    expect(readReport('run.json').checks).toMatchObject([
      { id: 'orders.query.unknown', verdict: 'passed' },
      { id: rule, verdict: 'skipped' },
    ]);
  });

  it('keeps a long body in part, and the run says how many were not judged whole', async () => {
    const padding = Buffer.alloc(2 * longestBody, ' ');
    const wordy = await target(async (request, behind) => {
      const answer = await behind.forward(request);
      return isHostedQuery(request) ? { ...answer, body: Buffer.concat([answer.body, padding]) } : answer;
    });
    const { stderr } = await runAgainst(wordy, 'orders.query.by-order-id');
    expect(stderr).toContain('1 body is too long to be kept whole');
    expect(readReport('run.json').cutBodies).toBe(1);
    expect(read('h.ndjson').length).toBeLessThan(longestBody + 10_000);
    const judged = await judgeFile();
    expect(judged.stderr).toContain('1 body is too long to be kept whole');

    const { stderr: usual } = await runAgainst(server.url, 'orders.query.by-order-id');
    expect(usual).not.toContain('too long');
    expect(readReport('run.json')).not.toHaveProperty('cutBodies');
  });

  describe('of a file that is not what a run wrote', () => {
    let history: string;
    beforeAll(async () => {
      await runAgainst(server.url, 'orders.query.unknown');
      history = read('h.ndjson');
    });

    it.each([
      ['is no history', () => '{"outcome":"conformant"}\n', 'is no history'],
      ['is of another version', (text: string) => text.replace('"version":1', '"version":2'), 'of another version'],
      ['was cut', (text: string) => text.slice(0, text.trimEnd().lastIndexOf('\n') + 1), 'is not whole'],
      ['has a wrong line', (text: string) => text.replace('"method":"GET"', '"method":7'), 'method must be string'],
    ])('exits with 2 and one line for a file that %s', async (_what, change, message) => {
      writeFileSync(at('bad.ndjson'), change(history));
      const { code, stdout, stderr } = await judgeFile('bad.ndjson');
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^assay: .*\n$/);
      expect(stderr).toContain(message);
    });
  });

  it('exits with 2 for a file that is not there', async () => {
    const { code, stderr } = await assayHere(['judge', at('nowhere')]);
    expect(code).toBe(2);
    expect(stderr).toContain('assay run --report history=PATH writes one');
  });
});
