import { afterAll, beforeAll, it } from 'vitest';
import { allChecks } from '../../checks/index.ts';
import { readHistory, writeHistory } from '../../history/ndjson.ts';
import type { History } from '../../history/records.ts';
import { judgeRecorded } from '../../run/judge-history.ts';
import type { CheckResult } from '../../run/verdict.ts';
import { provingChecks } from '../stand/checks-of-server.ts';
import type { Fault } from '../stand/fault.ts';
import { openStand, type Stand } from '../stand.ts';

const rules = new Set(allChecks.filter(({ afterwards }) => afterwards).map(({ id }) => id));

/** Whether a rule over everything that was exchanged must find the fault, not a check that asks for it. */
export const isCaughtByRule = ({ caughtBy }: Fault): boolean => rules.has(caughtBy);

/** What the rules of the invariants say of a history that was written to a file and read again. */
const judgedFromFile = async (history: History) =>
  (await judgeRecorded(readHistory(writeHistory(history), 'the history'))).results;

const findingOf = (results: readonly CheckResult[], id: string) => {
  const { verdict, requirement, expected, actual } = results.find(({ check }) => check.id === id) ?? {};
  return { verdict, requirement, expected, actual };
};

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
    { retry: 2 },
    async ([, , fault], { expect }) => {
      const { breaks, make } = fault;
      const proving = provingChecks(allChecks, fault);
      const { results, history } = await stand.judge(make, proving);
      const result = results.at(-1);
      const judge = proving.at(-1);
      expect(result).toMatchObject({
        verdict: judge?.level === 'MUST' ? 'failed' : 'warned',
        requirement: breaks,
        expected: expect.stringMatching(/\S/),
        actual: expect.stringMatching(/\S/),
      });
      expect(result?.actual).not.toBe(result?.expected);
      if (judge?.afterwards)
        expect(findingOf(await judgedFromFile(history()), judge.id)).toEqual(findingOf(results, judge.id));
    },
  );
}
