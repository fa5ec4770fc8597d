import type { CheckContext } from '../../check/context.ts';
import { summary } from '../../check/expect.ts';
import { errorCode, systemErrorCodes } from '../../contract/error-codes.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { merchantLost } from '../../text/reasons.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { LimitReached } from '../../wire/limits.ts';

/** How long the target may take until it answers again, in milliseconds. */
const longestStart = 60_000;

/** The pauses between two looks at a target that does not answer yet, in milliseconds: the first and the longest. */
const [firstPause, longestPause] = [10, 500];

/**
 * For how long a target may go on answering after it was ended, in milliseconds, until it is taken for one that is back already. One that ends may
 * break off some connections long before it takes no more, so what was cut off says nothing of that.
 */
const longestEnd = 500;

/** The pause between two looks meanwhile, in milliseconds. */
const pauseWhileEnding = 20;

/** For how long a target that answers others may fail at one request until that is taken for its answer, in milliseconds. */
const longestAlone = 10_000;

/** How many things are under way at once when the target ends. A careful run opens four connections, and the driver may need one. */
const width = 3;

/** How long things have been under way at most when the target is to end, in milliseconds. */
const latest = 25;

/** The pause after the first thing of a lane, in milliseconds, and by how much the later ones grow: a driver may take seconds to end the target. */
const [pauseAtFirst, growth] = [1, 1.6];

/** What became of something that was under way when the target ended. `result` is absent: it was cut off, and may have had an effect or not. */
export interface Outcome<Task, Result> {
  task: Task;
  result?: Result;
}

/** A target that is on its way down or up: it failed, and a request may have had an effect or not. */
function hasFailed(answer: Answer): boolean {
  return answer.status >= 500 || systemErrorCodes.includes(String(field(answer, 'code')));
}

/** The outcome of a request or a step. `undefined`: it failed without an answer that counts. Throws what ends the run. */
async function unlessCutOff<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LimitReached || !(error instanceof Inconclusive)) throw error;
    return undefined;
  }
}

/** Sends a request. `undefined`: it was cut off. */
export async function sendOnce(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  const answer = await unlessCutOff(ask);
  return answer && hasFailed(answer) ? undefined : answer;
}

/**
 * Begins one task after the other, a few at once, and has the target ended in the middle of them, at a moment that the seed chooses, and
 * started again. `onBegin` is called right before, when the checks that share the restart are ready too. Resolves with the outcomes of the tasks
 * that were begun, once `probe` is answered again. Throws `Inconclusive` when it is not answered before: then no answer would tell when the
 * target is back.
 */
export async function amidRestart<Task, Result>(
  context: CheckContext,
  tasks: readonly Task[],
  begin: (task: Task) => Promise<Result | undefined>,
  probe: () => Promise<Answer>,
  onBegin: () => void = () => undefined,
): Promise<Outcome<Task, Result>[]> {
  const before = await probe();
  if (hasFailed(before)) throw new Inconclusive(`the target fails already before its restart: ${summary(before)}`);
  const waiting = [...tasks];
  const outcomes: Outcome<Task, Result>[] = [];
  let isOver = false;
  const lane = async () => {
    let pause = pauseAtFirst;
    for (let task = waiting.shift(); task !== undefined && !isOver; task = waiting.shift()) {
      const outcome: Outcome<Task, Result> = { task };
      outcomes.push(outcome);
      const begun = task;
      const result = await unlessCutOff(() => begin(begun));
      if (result !== undefined) outcome.result = result;
      await context.pause(pause * (0.5 + context.random()));
      pause *= growth;
    }
  };
  // An error of a lane is thrown once the restart is over.
  let lanes: Promise<PromiseSettledResult<void>[]> = Promise.resolve([]);
  const beginLanes = () => {
    onBegin();
    lanes = Promise.allSettled(Array.from({ length: width }, lane));
  };
  try {
    await context.restart({ begin: beginLanes, delay: context.random() * latest });
  } finally {
    isOver = true;
  }
  for (const ended of await lanes) if (ended.status === 'rejected') throw ended.reason;
  await askUntilAway(context, probe);
  await askUntilBack(context, probe);
  return outcomes;
}

/**
 * Asks until the target fails, which the process that is to end may not do at once. Where another process answers as soon as the first one
 * has ended, nothing fails, and only the time tells that the first one has ended.
 */
async function askUntilAway(context: CheckContext, ask: () => Promise<Answer>): Promise<void> {
  const end = Date.now() + longestEnd;
  while (Date.now() < end && (await sendOnce(ask)) !== undefined) await context.pause(pauseWhileEnding);
}

/** As `askUntilAnswered`, for a merchant that the target must still know. Throws `Inconclusive` when it does not. */
export const askUntilBack = async (
  context: CheckContext,
  ask: () => Promise<Answer>,
  probe?: () => Promise<Answer>,
): Promise<Answer> => knowing(await askUntilAnswered(context, ask, probe));

/**
 * Asks again and again until the target answers, while it may still be starting. Throws `Inconclusive` when it does not come back, or when it
 * fails at this request alone: `probe` is a request that a target answers which is back, where there is one.
 */
export async function askUntilAnswered(
  context: CheckContext,
  ask: () => Promise<Answer>,
  probe?: () => Promise<Answer>,
): Promise<Answer> {
  const end = Date.now() + longestStart;
  /** Since when the probe has been answered without a break. */
  let backSince: number | undefined;
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    const last = Date.now() + pause > end;
    const answer = last ? await ask() : await unlessCutOff(ask);
    if (answer && !hasFailed(answer)) return answer;
    const isBack = probe !== undefined && (await sendOnce(probe)) !== undefined;
    backSince = isBack ? (backSince ?? Date.now()) : undefined;
    const seen = answer ? summary(answer) : 'no answer';
    if (backSince !== undefined && Date.now() - backSince > longestAlone) {
      throw new Inconclusive(`the target answers again after its restart, but fails at this request: ${seen}`);
    }
    if (last) throw new Inconclusive(`the target did not come back: ${seen}`);
    await context.pause(pause);
  }
}

/** The codes with which hosted orders refuse a merchant or a key that is not known. */
const unknownCodes = [errorCode('orders', 'INVALID_SIGNATURE'), errorCode('orders', 'INVALID_API_KEY')];

/** The answer. Throws `Inconclusive` when the target does not know the merchant any more, who was not made through the contract. */
function knowing(answer: Answer): Answer {
  if (![401, 403].includes(answer.status) && !unknownCodes.includes(String(field(answer, 'code')))) return answer;
  throw new Inconclusive(
    `${merchantLost}: ${summary(answer)}; the driver's step restart must keep the merchants that it has made, with their keys`,
  );
}

/** Asks until an answer settles the question, for as long as the run waits for a change without a deadline; the last answer. */
export const pollAfterRestart = (
  context: CheckContext,
  ask: () => Promise<Answer>,
  settles: (answer: Answer) => boolean,
): Promise<Answer> => context.poll(() => askUntilBack(context, ask), settles);
