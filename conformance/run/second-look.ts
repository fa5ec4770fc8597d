import { endsTarget, runChecks } from './runner.ts';
import { openSession, type SessionOptions } from './session.ts';
import type { ByItself, CheckResult, Pins, Verdict } from './verdict.ts';

/** How many failed checks are run once more. */
const mostChecks = 8;

/** How long a check may have taken to be run once more, in milliseconds. */
const longestCheck = 5000;

/**
 * Whether each request of a round has a connection of its own. That this makes a difference is said only where it does so each time. Two rounds of
 * a kind stand beside each other, so that a server that is wrong every other time does not agree with their order.
 */
const rounds = [false, true, true, false, false, true];

/** For how long checks are run once more in each round, in milliseconds. */
const longestLook = 10_000;

/**
 * Runs some of the checks that failed once more, one after the other and with nothing beside them, and tells which pass then. It changes no verdict:
 * it tells a fault that shows each time from one that depends on what is asked before or beside the check, on the connection, or on chance.
 *
 * @returns the failed checks that pass by themselves, by their ids, with how they do
 */
export async function lookAgain(
  results: readonly CheckResult[],
  options: SessionOptions & { pins: Pins },
): Promise<ReadonlyMap<string, ByItself>> {
  const found = new Map<string, ByItself>();
  let asked = worthAnotherLook(results);
  for (const [round, oneRequestEach] of rounds.entries()) {
    const verdicts = await verdictsOn(asked, { ...options, oneRequestEach });
    const fails = ({ check }: CheckResult) => verdicts.get(check.id) === 'failed';
    const passes = ({ check }: CheckResult) => verdicts.get(check.id) === 'passed';
    // Once the first two rounds have differed, the same in another round is chance.
    const byChance = asked.filter((each) => (oneRequestEach ? round > 1 && fails(each) : passes(each)));
    for (const { check } of byChance) found.set(check.id, 'passes');
    asked = asked.filter(oneRequestEach ? passes : fails);
  }
  for (const { check } of asked) found.set(check.id, 'passes-on-new-connections');
  return found;
}

/** For each requirement that is broken, the most often broken first, the failed check with the fewest exchanges. */
function worthAnotherLook(results: readonly CheckResult[]): CheckResult[] {
  const failed = results.filter(({ verdict, baseline }) => verdict === 'failed' && baseline === undefined);
  const alike = ({ requirement }: CheckResult) => failed.filter((other) => other.requirement === requirement);
  const simplest = failed
    .filter(({ check, durationMs }) => asksByItself(check) && durationMs <= longestCheck)
    .toSorted((one, other) => one.exchanges.length - other.exchanges.length)
    .filter(({ requirement }, place, all) => all.findIndex((each) => each.requirement === requirement) === place);
  return simplest.toSorted((one, other) => alike(other).length - alike(one).length).slice(0, mostChecks);
}

/** True for a check that asks the target itself, and after which others can go on. */
const asksByItself = (check: CheckResult['check']) => !check.afterwards && !endsTarget(check);

/** The verdicts on checks that run one at a time in a session of their own, by their ids; of those that there was time for. */
async function verdictsOn(
  asked: readonly CheckResult[],
  options: SessionOptions & { pins: Pins },
): Promise<ReadonlyMap<string, Verdict>> {
  if (asked.length === 0) return new Map();
  const inTime = AbortSignal.timeout(longestLook);
  const stop = options.stop ? AbortSignal.any([options.stop, inTime]) : inTime;
  try {
    const session = await openSession({ ...options, concurrency: 1, stop });
    try {
      const checks = asked.map(({ check }) => check);
      const results = await runChecks(session, checks, { bail: false, pins: options.pins });
      return new Map(results.map(({ check, verdict }) => [check.id, verdict]));
    } finally {
      await session.close();
    }
  } catch {
    // The target cannot be asked any more, and the run has its verdicts.
    return new Map();
  }
}
