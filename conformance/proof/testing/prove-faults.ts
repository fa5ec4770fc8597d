import { afterAll, beforeAll, it } from 'vitest';
import type { Check } from '../../check/check.ts';
import { allChecks } from '../../checks/index.ts';
import { readHistory, writeHistory } from '../../history/ndjson.ts';
import type { History } from '../../history/records.ts';
import { judgeRule } from '../../invariants/index.ts';
import { type CheckResult, judge } from '../../run/verdict.ts';
import { provingChecks } from '../stand/checks-of-server.ts';
import type { Fault } from '../stand/fault.ts';
import { openStand, type Stand } from '../stand.ts';

const rules = new Set(allChecks.filter(({ afterwards }) => afterwards).map(({ id }) => id));

/** Whether a rule over everything that was exchanged must find the fault, not a check that asks for it. */
export const isCaughtByRule = ({ caughtBy }: Fault): boolean => rules.has(caughtBy);

/** What a rule finds in a history that was written to a file and read again. */
async function foundInFile(rule: Check, history: History) {
  const { thrown } = await judgeRule(rule.id, readHistory(writeHistory(history), 'the history'));
  return findingOf(judge(rule, thrown, [], {}));
}

const findingOf = ({ verdict, requirement, expected, actual }: Partial<CheckResult>) => ({
  verdict,
  requirement,
  expected,
  actual,
});

/** Registers one test for each fault: the check or rule that must find it does, by the requirement that it breaks. */
export function proveFaults(faults: readonly Fault[]): void {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand();
  });
  afterAll(() => stand.close());

  it.concurrent.for(faults.map((fault) => [fault.id, fault.caughtBy, fault] as const))(
    '%s is caught by %s',
    // A missing webhook is not judged while a busy machine keeps requests waiting, so that a fault may have to be looked for again.
    { retry: 4 },
    async ([, , fault], { expect }) => {
      const { breaks, make } = fault;
      const proving = provingChecks(allChecks, fault);
      const { results, history } = await stand.judge(make, proving);
      const result = results.at(-1);
      const red = proving.at(-1);
      expect(result).toMatchObject({
        verdict: red?.level === 'MUST' ? 'failed' : 'warned',
        requirement: breaks,
        expected: expect.stringMatching(/\S/),
        actual: expect.stringMatching(/\S/),
      });
      expect(result?.actual).not.toBe(result?.expected);
      if (red?.afterwards) expect(await foundInFile(red, history())).toEqual(findingOf(result ?? {}));
    },
  );
}
