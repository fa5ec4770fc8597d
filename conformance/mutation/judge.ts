import type { Check } from '../check/check.ts';
import type { Session } from '../check/session.ts';
import { allChecks } from '../checks/index.ts';
import { runChecks } from '../run/runner.ts';
import type { CheckResult } from '../run/verdict.ts';
import type { Reached, Stage } from './active.ts';
import type { Stand } from './stand.ts';

/** Which mutants a check reaches in the right server, and how it goes there. */
export interface Covered {
  check: string;
  /** The ids of the mutants whose place it reaches. */
  mutants: string[];
  /** How long it takes alone, in milliseconds. */
  milliseconds: number;
  /** What the check says against the right server; it must say nothing. */
  against?: string;
}

/** How a mutant fared. */
export interface Judged {
  mutant: string;
  /** The id of the check that found it, or `crash`. Absent: it survived. */
  killedBy?: string;
  /** What the check says of it. */
  finding?: string;
  /** How many checks were run, invariants' rules not counted. */
  checks: number;
  /** Of a survivor: MUST checks without a verdict. A run against it would end as incomplete. */
  undecided?: string[];
}

const rules = allChecks.filter(({ afterwards }) => afterwards);
const checkById = new Map(allChecks.map((check) => [check.id, check]));

function named(ids: readonly string[]): Check[] {
  return ids.map((id) => {
    const check = checkById.get(id);
    if (!check) throw new Error(`there is no check ${id}`);
    return check;
  });
}

const speaksAgainst = ({ verdict }: CheckResult) => verdict === 'failed' || verdict === 'warned';

/** Runs these checks, and then the rules of the invariants over all that the session has exchanged. Ends at the first failure. */
const runAll = (session: Session, checks: readonly string[]) =>
  runChecks(session, [...named(checks), ...rules], { bail: true, pins: {} });

/** Runs one check against the right server and notes which mutants it reaches. */
export async function cover(check: string, stand: Stand, reached: Reached, patience?: 'patient'): Promise<Covered> {
  const work = async (session: Session) => {
    const started = performance.now();
    return { results: await runAll(session, [check]), milliseconds: performance.now() - started };
  };
  const { results, milliseconds } = await stand.against({ check }, work, patience);
  const against = results.find(speaksAgainst);
  return {
    check,
    mutants: Object.keys(reached.perTest[check] ?? {}),
    milliseconds,
    ...(against && { against: `${against.check.id}: ${against.actual}` }),
  };
}

/**
 * Judges a mutant by rounds of checks and, after each round, by the rules of the invariants, until one finds it. What they find must be
 * found again in a new server with more patience: on a busy machine a webhook may come too late from the right server too.
 */
export async function judgeMutant(
  mutant: string,
  rounds: readonly (readonly string[])[],
  stand: Stand,
): Promise<Judged> {
  const stage: Stage = { mutant };
  let checks = 0;
  const undecided = new Set<string>();

  async function findAgain({ check }: CheckResult, round: readonly string[]): Promise<CheckResult | undefined> {
    const again = check.afterwards ? round : [check.id];
    const results = await stand.against(stage, (session) => runAll(session, again), 'patient');
    return results.find(speaksAgainst);
  }

  try {
    const finding = await stand.against(stage, async (session) => {
      for (const round of rounds) {
        const results = await runAll(session, round);
        checks += round.length;
        const against = results.find(speaksAgainst);
        const confirmed = against && (await findAgain(against, round));
        if (confirmed || stage.crashed) return confirmed;
        for (const { check, verdict } of results) {
          if (verdict === 'inconclusive' && check.level === 'MUST') undecided.add(check.id);
        }
      }
      return undefined;
    });
    if (finding) return { mutant, checks, killedBy: finding.check.id, finding: `${finding.message}` };
  } catch (error) {
    // Neither a server that does not start nor one that does not stop could be in use.
    return { mutant, checks, killedBy: 'crash', finding: String(error) };
  }
  if (stage.crashed) return { mutant, checks, killedBy: 'crash' };
  return { mutant, checks, ...(undecided.size > 0 && { undecided: [...undecided] }) };
}
