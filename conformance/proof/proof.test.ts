import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allChecks } from '../checks/index.ts';
import { readHistory, writeHistory } from '../history/ndjson.ts';
import type { History } from '../history/records.ts';
import { textSummary } from '../reporters/text.ts';
import { judgeRecorded } from '../run/judge-history.ts';
import type { CheckResult } from '../run/verdict.ts';
import { hopelessServers } from './faults/hopeless.ts';
import { allFaults } from './faults/index.ts';
import { provingChecks } from './stand/checks-of-server.ts';
import { openStand, type Stand } from './stand.ts';
import { quickChecks } from './testing/quick-checks.ts';
import { quickFaults } from './testing/quick-faults.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

/** What the rules of the invariants say of a history that was written to a file and read again. */
const judgedFromFile = (history: History) => judgeRecorded(readHistory(writeHistory(history), 'the history')).results;

const findingOf = (results: readonly CheckResult[], id: string) => {
  const { verdict, requirement, expected, actual } = results.find(({ check }) => check.id === id) ?? {};
  return { verdict, requirement, expected, actual };
};

describe('the faults', () => {
  it('have ids in small letters and hyphens, each once', () => {
    const ids = allFaults.map(({ id }) => id);
    expect(ids.filter((id, index) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) || ids.indexOf(id) !== index)).toEqual([]);
  });

  it('turn every check red that can be', () => {
    const red = new Set(allFaults.map(({ caughtBy }) => caughtBy));
    const never = allChecks.filter(({ id, level }) => level !== 'MAY' && !red.has(id)).map(({ id }) => id);
    expect(never).toEqual([]);
  });

  it('show in checks that there are', () => {
    const ids = new Set(allChecks.map(({ id }) => id));
    expect(allFaults.flatMap(({ feeds = [] }) => feeds.filter((id) => !ids.has(id)))).toEqual([]);
  });

  it.concurrent.for(quickFaults.map((fault) => [fault.id, fault.caughtBy, fault] as const))(
    '%s is caught by %s',
    // A missing webhook is not judged while a busy machine keeps requests waiting, so that a fault may have to be looked for again.
    { retry: 2 },
    async ([, , fault], { expect: check }) => {
      const { breaks, make } = fault;
      const proving = provingChecks(allChecks, fault);
      const { results, history } = await stand.judge(make, proving);
      const result = results.at(-1);
      const judge = proving.at(-1);
      check(result).toMatchObject({
        verdict: judge?.level === 'MUST' ? 'failed' : 'warned',
        requirement: breaks,
        expected: check.stringMatching(/\S/),
        actual: check.stringMatching(/\S/),
      });
      check(result?.actual).not.toBe(result?.expected);
      if (judge?.afterwards)
        check(findingOf(judgedFromFile(history()), judge.id)).toEqual(findingOf(results, judge.id));
    },
  );
});

describe('a server that is wrong as a whole', () => {
  it.for(hopelessServers)('$id is not found conformant, and one screen says why', async ({ make, cause }) => {
    const { report, exitCode } = await stand.run(make, quickChecks);
    expect(report.outcome).not.toBe('conformant');
    expect([1, 3]).toContain(exitCode);
    expect(report.summary.failed).toBeGreaterThan(0);
    for (const { id, verdict, expected, actual, reason } of report.checks) {
      const words = expect.stringMatching(/\S/);
      if (verdict === 'failed' || verdict === 'warned') expect([id, expected, actual]).toEqual([id, words, words]);
      if (verdict === 'inconclusive') expect([id, reason]).toEqual([id, words]);
    }
    const lines = textSummary(report).trimEnd().split('\n');
    expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(40);
    const [fixFirst, last] = lines.slice(-2);
    expect(fixFirst).toMatch(
      /^Fix first: .* \(\d+ checks wait for it\)\. npx --no-install assay (doctor --target|run .*--check) \S+/,
    );
    expect(fixFirst).toMatch(cause);
    expect(last).toMatch(/^(non-conformant|incomplete); \d+ of \d+ MUST checks judged/);
  });
});
