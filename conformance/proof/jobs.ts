import type { Check } from '../check/check.ts';
import { allFaults } from './faults/index.ts';
import { type CallsOf, checksOfFault, checksOfVariant, partOf, provingChecks } from './stand/checks-of-server.ts';
import type { Fault } from './stand/fault.ts';
import { isJudgedTogether } from './variants/combinations.ts';
import { conformingServers } from './variants/conforming-servers.ts';

/** A wrong or conforming server, with the ids of the checks that judge it. */
export interface Job {
  kind: 'fault' | 'variant';
  id: string;
  checks: readonly string[];
  /** The checks wait as long as for a conforming server. They do so for every conforming server. */
  patient?: true;
}

/** The verdicts on one server. */
export interface Judged extends Pick<Job, 'kind' | 'id'> {
  /** Checks whose verdict speaks against the server: failed, warned or, for MUSTs, inconclusive. */
  against: { check: string; verdict: 'failed' | 'warned' | 'inconclusive'; requirement?: string; reason?: string }[];
  /** How long it took, in milliseconds. */
  milliseconds: number;
  /** Why the server could not be judged, where it failed by itself. */
  error?: string;
}

/** In how many parts the checks are divided among servers that are judged by every check together with others. */
const partsAlone = 12;

/** How many checks of the requirement that a wrong server breaks judge it at most, beside those that must find its fault. */
const mostNeighbours = 3;

/** A check that judges more requirements than these is no neighbour: most of its requests are made for the others, and they are hundreds. */
const mostRequirements = 5;

/**
 * The checks that must find a fault, and those of few requirements that judge its own: all of them, or of many a part whose `turn` it is. Where a rule over everything
 * that was exchanged must find it, nothing else is exchanged: the rule tells of one finding, and of another check's exchanges that may be one of
 * another requirement.
 */
function judgingFault(checks: readonly Check[], fault: Fault, turn: number): readonly Check[] {
  const proving = provingChecks(checks, fault);
  if (proving.at(-1)?.afterwards) return proving;
  const neighbours = checksOfFault(checks, fault).filter(
    (check) => !proving.includes(check) && check.requirements.length <= mostRequirements,
  );
  return [...proving, ...partOf(neighbours, turn, Math.ceil(neighbours.length / mostNeighbours))];
}

const idsOf = (judging: readonly Check[]) => judging.map(({ id }) => id);

/** Those that take longest come first. */
const longestFirst = (jobs: readonly Job[]) => jobs.toSorted((left, right) => right.checks.length - left.checks.length);

/** Every wrong server of the proof, with the checks of the requirement that it breaks. */
export function jobsOfFaults(checks: readonly Check[]): readonly Job[] {
  return longestFirst(
    allFaults.map((fault, turn): Job => {
      return { kind: 'fault', id: fault.id, checks: idsOf(judgingFault(checks, fault, turn)) };
    }),
  );
}

/**
 * Every conforming server of the proof, with the checks that can see its difference, or a part of them where it is also judged together with
 * others, and with all rules of the invariants.
 */
export function jobsOfVariants(checks: readonly Check[], callsOf: CallsOf): readonly Job[] {
  return longestFirst(
    conformingServers.map((variant, turn): Job => {
      const able = checksOfVariant(checks, variant, callsOf);
      const seeing = isJudgedTogether(variant) ? partOf(able, turn, partsAlone) : able;
      const judging = checks.filter((check) => check.afterwards || seeing.includes(check));
      return { kind: 'variant', id: variant.id, checks: idsOf(judging), patient: true };
    }),
  );
}
