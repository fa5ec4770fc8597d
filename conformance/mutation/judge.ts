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
  /** The time of its server was over before all checks had been asked. */
  cutShort?: true;
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

const isOpen = ({ check, verdict }: CheckResult) => verdict === 'inconclusive' && check.level === 'MUST';
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

/** How many checks without a verdict are asked again. */
const askedAgain = 3;

/**
 * Judges a mutant by rounds of checks and, after each round, by the rules of the invariants, until one finds it. What they find must be
 * found again in a new server with more patience: on a busy machine a webhook may come too late from the right server too. So must be
 * what they leave without a verdict.
 */
export async function judgeMutant(
  mutant: string,
  rounds: readonly (readonly string[])[],
  stand: Stand,
): Promise<Judged> {
  const stage: Stage = { mutant };
  let checks = 0;

  const runPatiently = (again: readonly string[]) =>
    stand.against(stage, (session) => runAll(session, again), 'patient');

  /** What the checks say of the mutant when they are asked again about a round. */
  async function confirmed(results: readonly CheckResult[], round: readonly string[]): Promise<Confirmed> {
    const against = results.filter(speaksAgainst);
    const doubtful = against.length > 0 ? against : results.filter(isOpen).slice(0, askedAgain);
    if (doubtful.length === 0) return {};
    // One of several findings may be chance, or the work of another check.
    const again = doubtful.some(({ check }) => check.afterwards) ? round : doubtful.map(({ check }) => check.id);
    const second = await runPatiently(again);
    const undecided = second.filter(isOpen).map(({ check }) => check.id);
    const finding = second.find(speaksAgainst);
    return { ...(finding && { finding }), ...(undecided.length > 0 && { undecided }) };
  }

  /** What a round says of the mutant. A check speaks against it only once, and may keep others from starting: these run then. */
  async function judgeRound(session: Session, round: readonly string[]): Promise<Confirmed> {
    let outcome: Confirmed = {};
    let waiting = round;
    while (waiting.length > 0 && !outcome.finding && !stage.crashed) {
      const results = await runAll(session, waiting);
      outcome = { ...outcome, ...(await confirmed(results, waiting)) };
      const ended = new Set(results.map(({ check }) => check.id));
      const left = waiting.filter((check) => !ended.has(check));
      // A session at its limits runs no more checks.
      if (left.length === waiting.length) return { ...outcome, cutShort: true };
      checks += waiting.length - left.length;
      waiting = left;
    }
    return outcome;
  }

  try {
    const { finding, undecided, cutShort } = await stand.against(stage, async (session) => {
      let outcome: Confirmed = {};
      for (const round of rounds) {
        outcome = { ...outcome, ...(await judgeRound(session, round)) };
        if (outcome.finding || outcome.cutShort || stage.crashed) break;
      }
      return outcome;
    });
    if (finding) return { mutant, checks, killedBy: finding.check.id, finding: `${finding.message}` };
    if (stage.crashed) return { mutant, checks, killedBy: 'crash' };
    return { mutant, checks, ...(undecided && { undecided: [...undecided] }), ...(cutShort && { cutShort }) };
  } catch (error) {
    // Neither a server that does not start nor one that does not stop could be in use.
    return { mutant, checks, killedBy: 'crash', finding: String(error) };
  }
}

/** What was seen twice: a finding, or MUST checks without a verdict; and whether the time was over before all had been asked. */
interface Confirmed {
  finding?: CheckResult;
  undecided?: readonly string[];
  cutShort?: true;
}
