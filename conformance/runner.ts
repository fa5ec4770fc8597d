import type { Area } from '../generated/catalogue.ts';
import type { Check } from './check.ts';
import { createContext, missingNeed, type Session, seededRandom } from './context.ts';
import { type CheckResult, judge, type Pins } from './verdict.ts';

export interface RunOptions {
  /** How many checks run side by side. */
  concurrency: number;
  /** Stop at the first failure. */
  bail: boolean;
  pins: Pins;
  /** Areas that the target has; absent: all. Authentication and what is common to all are always there. */
  areas?: readonly Area[];
  /** Called with each result as it comes. */
  onResult?: (result: CheckResult) => void;
}

/**
 * Runs checks against a target, side by side, and resolves with their results in the order of the list. The order in which
 * they start follows from the seed, so that a dependence between checks cannot hide.
 */
export async function runChecks(
  session: Session,
  checks: readonly Check[],
  { concurrency, bail, pins, areas, onResult }: RunOptions,
): Promise<CheckResult[]> {
  const waiting = shuffled(checks, seededRandom(`${session.seed} order`));
  const results = new Map<Check, CheckResult>();
  let stopped = false;

  async function work(): Promise<void> {
    for (let check = waiting.pop(); check && !stopped; check = waiting.pop()) {
      const result = await runCheck(session, check, pins, areas);
      results.set(check, result);
      onResult?.(result);
      if (bail && result.verdict === 'failed') stopped = true;
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work));
  return checks.flatMap((check) => results.get(check) ?? []);
}

async function runCheck(session: Session, check: Check, pins: Pins, areas?: readonly Area[]): Promise<CheckResult> {
  const context = createContext(session, check.id);
  const started = performance.now();
  const result = (judgement: ReturnType<typeof judge>): CheckResult => ({
    check,
    ...judgement,
    durationMs: Math.round(performance.now() - started),
    exchanges: context.transport.exchanges,
    observations: context.observations,
    transitions: context.transitions,
  });

  const missing = areaMissing(check.area, areas) ?? missingNeed(check.needs, session);
  if (missing !== undefined) return result({ verdict: 'skipped', reason: missing });
  const thrown = await check.run(context).then(
    () => undefined,
    (error: unknown) => error,
  );
  return result(judge(check, thrown, context.observations, pins));
}

function areaMissing(area: Area, areas: readonly Area[] | undefined): string | undefined {
  if (areas === undefined || area === 'auth' || area === 'general' || areas.includes(area)) return undefined;
  return `the configuration says that the target does not have ${area}`;
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ item }) => item);
}
