import type { CheckContext } from '../../check/context.ts';
import { needAccepted } from '../../check/expect.ts';
import type { StepOutcome } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

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

/**
 * Takes the steps of a driver one after the other and waits until a query shows `state`. The driver may refuse a step that
 * the target has made superfluous: only the state at the end counts. `noun`: what the steps happen to. Throws `Inconclusive` when the state at the end is
 * another one.
 */
export async function bringTo<Step>(
  context: CheckContext,
  noun: string,
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
  const isThere = (answer: Answer) => field(answer, 'data.status') === state;
  const event = `${noun} is ${state} after ${JSON.stringify(steps)}`;
  const reached = refusals.length === steps.length ? await query() : await pollFor(context, event, query, isThere);
  if (isThere(reached)) return;
  needAccepted(reached, `the query for the status that is to be ${state}`);
  const why = refusals.length > 0 ? `; the driver refused: ${refusals.join('; ')}` : '';
  throw new Inconclusive(`the status is ${String(field(reached, 'data.status'))}, not ${state}${why}`);
}
