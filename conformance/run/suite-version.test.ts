import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Check } from '../check/check.ts';
import { sinceOf, suiteVersions } from '../checks/check-ids.ts';
import { allChecks } from '../checks/index.ts';
import { Broken } from '../errors/outcomes.ts';
import { junitReport } from '../reporters/junit.ts';
import { textSummary } from '../reporters/text.ts';
import { startTarget, type Target } from '../tests/support/target.ts';
import { type ConformanceResult, runConformance } from './run-conformance.ts';

const [oldest] = suiteVersions;
const newest = suiteVersions.at(-1);

/** A MUST check of a version, which finds its requirement broken. */
function failing(version: typeof newest): Check {
  const check = allChecks.find(({ id, level }) => level === 'MUST' && sinceOf(id) === version);
  if (!check) throw new Error(`no MUST check came with suite ${version}`);
  const run = async () => {
    throw new Broken('m', { expected: 'e', actual: 'a' });
  };
  return { ...check, needs: [], run };
}

let server: Target;
beforeAll(async () => {
  server = await startTarget();
});
afterAll(() => server.close());

const judgedBy = (suite: typeof newest, checks: readonly Check[]): Promise<ConformanceResult> =>
  runConformance({
    target: server.url,
    control: { url: server.control, token: server.controlToken },
    suite,
    checks,
  });

describe('a run that an older suite judges', () => {
  it('shows what a newer check finds as news, and does not fail by it', async () => {
    const check = failing(newest);
    const { report, exitCode } = await judgedBy(oldest, [check]);
    expect(exitCode).toBe(0);
    expect(report).toMatchObject({
      suite: { judgedAs: oldest },
      scope: { must: { judged: 0, total: 0 } },
      checks: [{ verdict: 'observed', since: newest, news: { level: 'MUST', verdict: 'failed' } }],
    });
    const sentence = `judged as by suite ${oldest}; 1 newer check does not count, of which 1 would fail with suite ${report.suite.version}: ${check.id}`;
    expect(textSummary(report)).toContain(sentence);
    expect(junitReport(report)).toContain('failures="0"');
  });

  it('fails by the checks that it had', async () => {
    const { report, exitCode } = await judgedBy(oldest, [failing(oldest)]);
    expect(exitCode).toBe(1);
    expect(report.checks[0]).toMatchObject({ verdict: 'failed', since: oldest });
  });

  it('counts every check when it is of the present version', async () => {
    const { report, exitCode } = await judgedBy(newest, [failing(newest)]);
    expect({ exitCode, verdict: report.checks[0]?.verdict }).toEqual({ exitCode: 1, verdict: 'failed' });
  });
});
