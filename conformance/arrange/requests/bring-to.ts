import { checkoutMachine, ordersMachine, type RequirementId, refundsMachine } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { needAccepted, statusOf } from '../../check/expect.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import type { StepOutcome } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';

/**
 * Asks until an answer shows that an event has come, which is named in words that are the same for all checks. The last answer. After
 * several waits in vain, the next ones are short.
 */
export const pollFor = (
  context: CheckContext,
  event: string,
  ask: () => Promise<Answer>,
  hasCome: (answer: Answer) => boolean,
): Promise<Answer> => context.events.await(event, (share) => context.poll(ask, hasCome, share), hasCome);

const machines = { orders: ordersMachine, checkout: checkoutMachine, refund: refundsMachine };

/** A step of a driver: its type, or with more that belongs to it. */
type AnyStep = string | { type: string };

/** The sentence by which these steps bring something out of the state in which it stays. `undefined`: the contract leaves that free. */
function sentenceOf(
  noun: keyof typeof machines,
  seen: unknown,
  state: string,
  steps: readonly AnyStep[],
): RequirementId | undefined {
  const types = steps.map((step) => (typeof step === 'string' ? step : step.type));
  const moves = machines[noun].transitions.filter(({ from, event }) => from === seen && types.includes(event));
  return (moves.find(({ to }) => to === state) ?? moves[0])?.requirement;
}

/**
 * Takes the steps of a driver one after the other and waits until a query shows `state`. The driver may refuse a step that
 * the target has made superfluous: only the state at the end counts. `noun`: what the steps happen to. Throws `Inconclusive` when the state at the end is
 * another one; where the driver has refused nothing, with the sentence that other checks judge.
 */
export async function bringTo<Step extends AnyStep>(
  context: CheckContext,
  noun: keyof typeof machines,
  state: string,
  query: () => Promise<Answer>,
  steps: readonly Step[],
  take: (step: Step) => Promise<StepOutcome>,
): Promise<void> {
  if (steps.length === 0) return;
  const refusals: string[] = [];
  for (const step of steps) {
    const outcome = await take(step);
    if (!outcome.done) refusals.push(outcome.message);
  }
  const isThere = (answer: Answer) => statusOf(answer) === state;
  const event = `${noun} is ${state} after ${JSON.stringify(steps)}`;
  const reached = refusals.length === steps.length ? await query() : await pollFor(context, event, query, isThere);
  needState(noun, reached, state, steps, refusals);
}

/**
 * Throws `Inconclusive` unless an answer shows a state into which the steps of a driver were to bring something; where the driver has refused
 * none of them, with the sentence that other checks judge. What has not moved at all, where an end was due, has made no choice either; a state on the
 * way may be left out. `noun`: what the steps happened to.
 */
export function needState(
  noun: keyof typeof machines,
  reached: Answer,
  state: string,
  steps: readonly AnyStep[],
  refusals: readonly string[] = [],
): void {
  if (statusOf(reached) === state) return;
  needAccepted(reached, `the query for the status that is to be ${state}`);
  const seen = statusOf(reached);
  const why = refusals.length > 0 ? `; the driver refused: ${refusals.join('; ')}` : '';
  const requirement = refusals.length > 0 ? undefined : sentenceOf(noun, seen, state, steps);
  const isEnd = isFinalStatus(noun === 'refund' ? 'refunds' : noun, state);
  const isNoChoice = refusals.length === 0 && isEnd && seen === machines[noun].initial;
  throw new Inconclusive(`the status is ${String(seen)}, not ${state}${why}`, { requirement, isNoChoice });
}
