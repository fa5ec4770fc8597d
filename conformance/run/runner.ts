import type { Check } from '../check/check.ts';
import { createContext } from '../check/context.ts';
import { seededRandom } from '../check/random.ts';
import type { Session } from '../check/session.ts';
import { missingArea, unmetNeeds } from '../check/unmet-needs.ts';
import type { Place } from '../wire/pace.ts';
import { type CheckResult, judge, type Pins } from './verdict.ts';

/** How checks are run. */
export interface RunOptions {
  /** Stop at the first failure. */
  bail: boolean;
  pins: Pins;
  /** Called with each check when it starts. */
  onStart?: (check: Check) => void;
  /** Called with each result when its check ends. */
  onResult?: (result: CheckResult) => void;
}

/**
 * Runs checks against a target, several at the same time, and resolves with their results in the order of the list. The seed
 * decides the order in which they start, so that a dependence between checks comes to light.
 */
export async function runChecks(
  session: Session,
  checks: readonly Check[],
  { bail, pins, onStart, onResult }: RunOptions,
): Promise<CheckResult[]> {
  const asking = checks.filter(({ afterwards }) => !afterwards);
  const shuffledChecks = shuffled(asking, seededRandom(`${session.seed} order`));
  // No check disturbs another if the driver makes a merchant for each.
  const runsAlone = ({ alone }: Check) => alone === true && !session.driver.provisionMerchant;
  const waiting = shuffledChecks
    .filter((check) => !runsAlone(check))
    .sort((left, right) => Number(right.long ?? false) - Number(left.long ?? false));
  const results = new Map<Check, CheckResult>();
  let stopped = false;

  async function run(check: Check, place: Place): Promise<void> {
    try {
      if (stopped) return;
      onStart?.(check);
      const result = await runCheck(session, check, place, pins);
      results.set(check, result);
      onResult?.(result);
      stopped ||= (bail && result.verdict === 'failed') || session.limits.reached !== undefined;
    } finally {
      place.leave();
    }
  }
  const inTurn = async (queue: readonly Check[]) => {
    for (const check of queue) await run(check, await session.pace.enter());
  };
  await Promise.all(waiting.map(async (check) => run(check, await session.pace.enter())));
  await inTurn(shuffledChecks.filter(runsAlone));
  await inTurn(checks.filter(({ afterwards }) => afterwards));
  return checks.flatMap((check) => results.get(check) ?? []);
}

async function runCheck(session: Session, check: Check, place: Place, pins: Pins): Promise<CheckResult> {
  const context = createContext(session, check.id, place);
  const started = performance.now();
  const result = (judgement: ReturnType<typeof judge>): CheckResult => ({
    check,
    ...judgement,
    durationMs: Math.round(performance.now() - started),
    exchanges: context.transport.exchanges,
    observations: context.observations,
    transitions: context.transitions,
  });

  const area = missingArea([check.area], session) ?? missingArea(check.calls ?? [check.area], session);
  if (area !== undefined) return result({ verdict: 'skipped', reason: area, skip: { kind: 'area' } });
  const unmet = unmetNeeds(check.needs, session);
  if (unmet) {
    const { reason, leftOut, needs } = unmet;
    return result({ verdict: 'skipped', reason, skip: { kind: leftOut ? 'left-out' : 'missing', needs } });
  }
  const thrown = await check.run(context).then(
    () => undefined,
    (error: unknown) => error,
  );
  return result(judge(check, thrown, context.observations, pins, session.without));
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ item }) => item);
}
