import type { Check } from '../check/check.ts';
import { createContext, type Others, type RecordedContext } from '../check/context.ts';
import { isToldNothing } from '../check/contractual.ts';
import { longestFirst } from '../check/longest-first.ts';
import { furtherSettingsFor } from '../check/merchant-settings.ts';
import { seededRandom, shuffled } from '../check/random.ts';
import { planRestarts, type Restarts, restartsAtOnce } from '../check/restarts.ts';
import type { Session } from '../check/session.ts';
import { missingArea, unmetNeeds } from '../check/unmet-needs.ts';
import { messageOf } from '../errors/message-of.ts';
import { Inconclusive, PermittedChoice } from '../errors/outcomes.ts';
import { endedBeforeAnswer } from '../history/ended-target.ts';
import { beginningOf, stillOf } from '../history/recorder.ts';
import { closedConnection, lateAnswer, overKeptConnection } from '../wire/exchange.ts';
import { endedAgain } from './ended-again.ts';
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
  const asking = checks.filter((check) => !check.afterwards && !endsTarget(check));
  const shuffledChecks = shuffled(asking, seededRandom(`${session.seed} order`));
  // No check disturbs another if the driver makes a merchant for each.
  const runsAlone = ({ alone }: Check) => alone === true && !session.driver.provisionMerchant;
  const waiting = shuffledChecks.filter((check) => !runsAlone(check));
  const results = new Map<Check, CheckResult>();
  // A check that runs once more on the merchants of its first time would find there what it made.
  const mayAskAgain = session.driver.provisionMerchant !== undefined && !session.limits.isThrifty;
  const lacking: CheckResult[] = [];
  const disturbed: CheckResult[] = [];
  let stopped = false;
  const halt = whenStopped(session);

  function keep(result: CheckResult): void {
    results.set(result.check, result);
    onResult?.(result);
    stopped ||= (bail && result.verdict === 'failed') || session.limits.reached !== undefined;
  }
  /** Runs a check. `others`: absent where it asks the target for nothing. `sees`: what it knows of the run. */
  async function run(check: Check, others?: Others, sees = session): Promise<void> {
    try {
      if (stopped || session.limits.stopping.aborted) return;
      onStart?.(check);
      const { count } = session.absences;
      const result = await runSteadily(sees, check, others, pins, halt);
      const mayRunAgain = mayAskAgain && !check.afterwards && !endsTarget(check);
      if (mayRunAgain && (lacksLateAnswer(result) || lostConnection(result))) lacking.push(result);
      else if (mayRunAgain && wasDisturbed(result, session.absences.count > count)) disturbed.push(result);
      else keep(result);
    } finally {
      others?.place.leave();
      others?.restarts.ended();
    }
  }
  /** Runs a check when there is a place for it. */
  async function runInTurn(check: Check, part: Restarts = restartsAtOnce): Promise<void> {
    await run(check, { place: await session.pace.enter(), restarts: part, ended: othersEnded });
  }
  /**
   * Runs the checks that lacked an answer once more, one at a time: a machine that was busy for a moment has time for them now, and connections
   * that are closed without notice are not kept any more. A target that is silent again is not waited for any more.
   */
  async function runLackingOnes(): Promise<void> {
    let isSilent = false;
    for (const first of lacking) {
      const isOver = isSilent || stopped || session.limits.stopping.aborted;
      let result = first;
      // A check that needs one connection for several requests may lose it again.
      for (let times = 0; !isOver && times < 3 && (times === 0 || lostConnection(result)); times += 1) {
        result = await runSteadily(session, first.check, undefined, pins, halt);
      }
      isSilent ||= lacksLateAnswer(result);
      keep(result);
    }
  }
  /**
   * Runs the checks once more, one at a time, that did not pass while the target ended and came back. Where it ends again at the same kind of
   * request, with nothing beside it, that is the reason.
   */
  async function runDisturbedOnes(): Promise<void> {
    if (disturbed.length > 0) session.absences.beginAlone();
    const end = performance.now() + longestAlone;
    const mayRun = () =>
      !stopped && !session.limits.stopping.aborted && performance.now() <= end && session.absences.mayAwaitAnother;
    for (const first of disturbed.toSorted((one, other) => cutOffIn(one) - cutOffIn(other))) {
      let result = first;
      // The first end may have been at a request of another check, and the second one at the first of its own.
      for (let times = 0; times < 2 && mayRun(); times += 1) {
        const again = await runSteadily(session, first.check, undefined, pins, halt);
        result = endedAgain(result, again);
        if (result !== again || again.verdict !== 'inconclusive' || cutOffIn(again) === 1) break;
      }
      keep(result);
    }
  }
  let endOthers: () => void = () => undefined;
  const othersEnded = new Promise<void>((resolve) => {
    endOthers = resolve;
  });
  const ending = checks.filter(endsTarget);
  const restarts = new Map<Check, Restarts | undefined>();
  const plan = (group: readonly Check[]) => {
    const planned = planRestarts(group.length);
    for (const [index, check] of group.entries()) restarts.set(check, planned.parts[index]);
    return planned;
  };
  const apart = plan(ending.filter(isApart));
  const together = plan(ending.filter((check) => !isApart(check)));
  const begin = (which: readonly Check[]) =>
    which.map((check) => ({ check, run: runInTurn(check, restarts.get(check)) }));
  // Checks that end the target get ready for that beside the others, whose failure would not keep one from its restart then.
  const begun = begin([...waiting, ...(bail ? [] : ending)].sort(longestFirst));
  const asked = begun.filter(({ check }) => !endsTarget(check));
  await allOf(asked.filter(({ check }) => !check.lasts));
  endOthers();
  await allOf(asked);
  if (bail) begun.push(...begin(ending));
  for (const check of shuffledChecks.filter(runsAlone)) await runInTurn(check);
  await runLackingOnes();
  await runDisturbedOnes();
  await Promise.all([apart.prepared, together.prepared]);
  // No request is under way now. The rules judge what was exchanged until here, before the target is ended for the first time.
  const sees = { ...session, history: stillOf(session.history) };
  apart.begin(session.pace.places);
  // What is under way when the target ends is counted in milliseconds there, and so the runner does nothing else.
  await allOf(begun.filter(({ check }) => endsTarget(check) && isApart(check)));
  together.begin(session.pace.places);
  for (const rule of checks.filter(({ afterwards }) => afterwards)) await run(rule, undefined, sees);
  await allOf(begun);
  return checks.flatMap((check) => results.get(check) ?? []);
}

/** Whether a check has the target ended with none but its like. */
const isApart = ({ restartsApart }: Check): boolean => restartsApart === true;

/** Resolves when all of these checks have run. */
const allOf = (runs: readonly { run: Promise<void> }[]) => Promise.all(runs.map(({ run }) => run));

/**
 * Whether a check has the target ended and started again. It runs after everything else: no sentence demands that a target survives its end, so
 * nothing that binds it is judged by what came after one.
 */
export const endsTarget = ({ needs }: Check): boolean => needs.includes('restart');

/** Whether a check has no verdict and an answer to it did not come in time. */
const lacksLateAnswer = ({ verdict, exchanges }: CheckResult): boolean =>
  verdict === 'inconclusive' && exchanges.some(({ error }) => error?.startsWith(lateAnswer));

/** Whether a check has no verdict, and a connection that had carried other requests was closed in place of an answer to it. */
const lostConnection = ({ verdict, exchanges }: CheckResult): boolean =>
  verdict === 'inconclusive' &&
  exchanges.some(({ error }) => error?.startsWith(closedConnection) && error.includes(overKeptConnection));

/** For how long checks run once more, one at a time, because the target had ended meanwhile, in milliseconds. */
const longestAlone = 60_000;

/** Whether a check did not pass, and the target had ended meanwhile: at a request of its own, or beside it (`hadAbsence`). */
const wasDisturbed = (result: CheckResult, hadAbsence: boolean): boolean =>
  ['failed', 'warned', 'inconclusive'].includes(result.verdict) && (hadAbsence || cutOffIn(result) === 0);

/** 0 where the target ended at a request of the check, and 1 elsewhere. */
const cutOffIn = ({ exchanges }: CheckResult): 0 | 1 =>
  exchanges.some(({ error }) => error?.startsWith(endedBeforeAnswer)) ? 0 : 1;

/** How the reason of a check begins that did not end because the run was stopped. */
export const stoppedBeforeEnd = 'the run was stopped before the check ended';

/** Resolves with the error of a check that did not end because the run was stopped. */
function whenStopped({ limits }: Session): Promise<Inconclusive> {
  return new Promise((resolve) => {
    const stop = () => resolve(new Inconclusive(`${stoppedBeforeEnd}: ${limits.reached}`));
    if (limits.stopping.aborted) stop();
    else limits.stopping.addEventListener('abort', stop, { once: true });
  });
}

/** The exchanges of a check. A request that the end of the run cut off was never to be answered, and is left out. */
function exchangesOf({ transport: { exchanges } }: RecordedContext, { limits }: Session): CheckResult['exchanges'] {
  if (!limits.stopping.aborted) return exchanges;
  return exchanges.filter(({ response, error }) => response !== undefined || error !== undefined);
}

/** The longest text of a judgement, in characters. It can repeat text of the target. */
const longestText = 4000;

/** A copy of a record with short texts. */
function shortened<Texts extends object>(texts: Texts): Texts {
  const entries = Object.entries(texts).map(([name, value]) => [
    name,
    typeof value === 'string' ? beginningOf(value, longestText) : value,
  ]);
  return Object.assign({}, texts, Object.fromEntries(entries));
}

/** How often a check is run when the target's clock jumps each time. */
const mostAttempts = 4;

/** Runs a check, and again when the target's clock has jumped meanwhile and it did not pass: its times were of another clock. */
async function runSteadily(...how: Parameters<typeof runCheck>): Promise<CheckResult> {
  const [{ history, limits }] = how;
  for (let attempt = 1; ; attempt += 1) {
    const { jumps } = history.clock;
    const result = await runCheck(...how);
    const isDoubtful = ['failed', 'warned', 'inconclusive'].includes(result.verdict) && history.clock.jumps !== jumps;
    if (!isDoubtful || attempt === mostAttempts || limits.stopping.aborted) return result;
  }
}

async function runCheck(
  session: Session,
  check: Check,
  others: Others | undefined,
  pins: Pins,
  halt: Promise<Inconclusive>,
): Promise<CheckResult> {
  const context = createContext(session, check.id, others, furtherSettingsFor(check));
  const started = performance.now();
  const result = (judgement: Omit<CheckResult, keyof ReturnType<typeof evidence> | 'check'>): CheckResult => ({
    check,
    ...shortened(judgement),
    ...evidence(),
  });
  const evidence = () => ({
    durationMs: Math.round(performance.now() - started),
    exchanges: exchangesOf(context, session),
    observations: context.observations.map(shortened),
    transitions: context.transitions.map(shortened),
  });

  const area = missingArea([check.area], session) ?? missingArea(check.calls ?? [check.area], session);
  if (area !== undefined) return result({ verdict: 'skipped', reason: area, skip: { kind: 'area' } });
  const unmet = unmetNeeds(check.needs, session);
  if (unmet) {
    const { reason, leftOut, needs } = unmet;
    return result({ verdict: 'skipped', reason, skip: { kind: leftOut ? 'left-out' : 'missing', needs } });
  }
  const ended = check.run(context).then(
    () => undefined,
    (error: unknown) => error,
  );
  const end = await Promise.race([ended, halt]);
  const hasPassed = end === undefined || end instanceof PermittedChoice;
  const thrown = (hasPassed && whenToldNothing(check, context, session)) || (end ?? whenNothingJudged(check, context));
  try {
    // An error that follows the stop says nothing of its own.
    const { aborted } = session.limits.stopping;
    return result(judge(check, aborted ? await halt : thrown, context.observations, pins, session.without));
  } catch (fault) {
    const reason = `a fault of assay itself, not of the target: ${messageOf(fault)}`;
    return result({ verdict: 'inconclusive', reason, fault });
  }
}

/**
 * The error of a check that ends although it has judged and seen nothing, such as one that looks at each of several things where there is none: it
 * says nothing about the target. A rule of an invariant tells by itself that there was nothing to look at.
 */
function whenNothingJudged(
  { afterwards }: Check,
  { transport, observations, transitions }: RecordedContext,
): Inconclusive | undefined {
  const hasSeen = transport.tally.judged + observations.length + transitions.length > 0;
  return afterwards || hasSeen ? undefined : new Inconclusive('the check came to its end with nothing to judge');
}

/**
 * The error of a check that finds nothing wrong although no answer to it says anything of what it asked: what a target refuses because it finds each
 * signature wrong, it has not refused as the check wants it to, and it has made no choice at an open point.
 */
function whenToldNothing(
  { afterwards }: Check,
  { transport }: RecordedContext,
  { target }: Session,
): Inconclusive | undefined {
  if (afterwards || !isToldNothing(transport.exchanges, target)) return undefined;
  return new Inconclusive(
    'no answer says anything of what was asked: each is that of a failed authentication or of a failure of the service, or has no code',
  );
}
