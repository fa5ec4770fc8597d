import { setMaxListeners } from 'node:events';
import type { Check } from '../check/check.ts';
import { allChecks } from '../checks/index.ts';
import { Unreachable } from '../errors/usage-errors.ts';
import { allFaults } from '../proof/faults/index.ts';
import { checksOfFault, provingChecks } from '../proof/stand/checks-of-server.ts';
import type { Fault } from '../proof/stand/fault.ts';
import type { CheckResult } from '../run/verdict.ts';
import { type Gate, type GateOptions, openGate, type Places } from './gate.ts';
import { cannotRun, type GateFacts, isFailure, noticing, type Outcome, outcomeOf, turnsRed } from './outcome.ts';
import { reasonNotPlaced, sampleOf } from './placement.ts';
import { watched } from './showing.ts';

/** How a gate is proved. */
export interface ProveOptions extends GateOptions {
  /** The checks that the gate runs. */
  selected: readonly Check[];
  /** The areas that flags select. Absent: all. */
  areas?: readonly string[] | undefined;
  /** How many faults are tried. Absent: all that can be placed. */
  sample?: number | undefined;
  /** Told how many faults are done. */
  onProgress?: (done: number, total: number) => void;
}

/** A wrong server and what became of it. */
export interface TriedFault {
  fault: Fault;
  outcome: Outcome;
}

/** Whether a gate notices faults. */
export interface Proof {
  target: string;
  seed: number;
  durationMs: number;
  /** The faults that were tried, in the order of the checks. */
  tried: TriedFault[];
  /** How many faults could be put in front of the target. */
  placeable: number;
  /** How many could not, by the reason. */
  notPlaced: ReadonlyMap<string, number>;
  /** The ids of checks that end the gate's run with another exit code than 0 without any fault. */
  redAnyway: string[];
  /** Why it ended before the last fault. `undefined`: it did not. */
  stopped: string | undefined;
}

/** Who asks a target at the same time that makes merchants for everyone. */
const sideBySide: Places = { checks: 4, servers: 6 };

/** Who asks where all share the configured merchants, and would disturb each other. */
const oneByOne: Places = { checks: 4, servers: 1 };

/**
 * Puts wrong servers in front of a target and counts those that the gate notices.
 *
 * @throws Unreachable when the target or its driver cannot be reached
 * @throws UsageError when the driver cannot be loaded, or no merchant is there
 */
export async function prove(options: ProveOptions): Promise<Proof> {
  const started = performance.now();
  const { selected, areas, seed, stop, target, sample, onProgress } = options;
  const place = { hasControl: target.control !== undefined };
  const notPlaced = new Map<string, number>();
  const placeable: Fault[] = [];
  for (const fault of allFaults) {
    const reason = reasonNotPlaced(fault.make, place);
    if (reason === undefined) placeable.push(fault);
    else notPlaced.set(reason, (notPlaced.get(reason) ?? 0) + 1);
  }
  const chosen = sample === undefined ? placeable : sampleOf(placeable, sample, seed);
  // Every session listens, and Node would take the eleventh for a leak.
  setMaxListeners(0, stop);
  const gate = await openGate(options);
  try {
    const needed = new Set(chosen.flatMap((fault) => stepsFor(fault, selected).flat()));
    const plain = await judgeAsItIs(
      gate,
      selected.filter((check) => needed.has(check)),
    );
    const facts: GateFacts = { selected, areas, plain: plain.results };
    const places = plain.makesMerchants ? sideBySide : oneByOne;
    const outcomes = new Map<Fault, Outcome>();
    const waiting = [...chosen];
    const stopped = () => gate.limitReached() ?? (stop.aborted ? String(stop.reason) : undefined);
    const lane = async () => {
      for (let fault = waiting.shift(); fault && stopped() === undefined; fault = waiting.shift()) {
        const outcome = await tryFault(gate, fault, facts, places);
        // What a limit or a signal has cut off says nothing.
        if (stopped() !== undefined) return;
        outcomes.set(fault, outcome);
        onProgress?.(outcomes.size, chosen.length);
      }
    };
    await Promise.all(Array.from({ length: places.servers }, lane));
    return {
      target: target.target,
      seed,
      durationMs: Math.round(performance.now() - started),
      tried: chosen.flatMap((fault) => {
        const outcome = outcomes.get(fault);
        return outcome ? [{ fault, outcome }] : [];
      }),
      placeable: placeable.length,
      notPlaced,
      redAnyway: [...plain.results.values()].filter(turnsRed).map(({ check }) => check.id),
      stopped: stopped(),
    };
  } finally {
    await gate.close();
  }
}

/** The checks that can see a fault, in the two steps in which they are tried: those that must find it, and all others of the requirement. */
function stepsFor(fault: Fault, selected: readonly Check[]): [proving: readonly Check[], others: readonly Check[]] {
  const runs = (checks: readonly Check[]) => checks.filter((check) => selected.includes(check));
  const proving = runs(provingChecks(allChecks, fault));
  const judges = proving.filter(({ afterwards }) => afterwards);
  // A rule that judges what others have exchanged has nothing but the other checks of its area where its own are not selected.
  const asking = judges.length === proving.length ? judges.flatMap(({ area }) => inArea(selected, area)) : [];
  const others = runs(checksOfFault(allChecks, fault)).filter((check) => !proving.includes(check));
  return [[...asking, ...proving], others];
}

const inArea = (checks: readonly Check[], area: Check['area']) =>
  checks.filter((check) => check.area === area && !check.afterwards);

/** The results on the target without any fault. A check that stays without a verdict gets a second chance, because it could notice nothing. */
async function judgeAsItIs(gate: Gate, checks: readonly Check[]) {
  const { results, makesMerchants } = await gate.judge({}, checks);
  const byId = new Map(results.map((result): [string, CheckResult] => [result.check.id, result]));
  const open = results.filter(({ verdict }) => verdict === 'inconclusive').map(({ check }) => check);
  const again = open.filter(({ afterwards }) => !afterwards);
  if (again.length > 0) {
    for (const result of (await gate.judge({}, again)).results) byId.set(result.check.id, result);
  }
  return { results: byId, makesMerchants };
}

/** Tries a fault step by step until a check fails. */
async function tryFault(gate: Gate, fault: Fault, facts: GateFacts, places: Places): Promise<Outcome> {
  const { make, hasShown } = watched(fault.make);
  const results: CheckResult[] = [];
  try {
    for (const step of stepsFor(fault, facts.selected)) {
      const checks = step.filter(({ id }) => !cannotRun(facts.plain.get(id)));
      if (checks.every(({ afterwards }) => afterwards)) continue;
      results.push(...(await gate.judge(make, checks, places)).results);
      if (noticing(results, facts, isFailure).length > 0) break;
    }
  } catch (error) {
    if (error instanceof Unreachable) return { kind: 'noticed', by: [], unjudged: true };
    return { kind: 'left-out', reason: 'broke off on the way to this target' };
  }
  return outcomeOf(fault, results, { facts, hasShown: hasShown() });
}
