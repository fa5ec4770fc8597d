import type { CheckContext } from '../../check/context.ts';
import type { StepOutcome } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/**
 * Takes the steps of a driver one after the other and waits until a query shows `state`. The driver may refuse a step that
 * the target has made superfluous: only the state at the end counts. Throws `Inconclusive` when it is another one.
 */
export async function bringTo<Step>(
  context: CheckContext,
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
  const reached = refusals.length === steps.length ? await query() : await context.poll(query, isThere);
  if (isThere(reached)) return;
  const why = refusals.length > 0 ? `; the driver refused: ${refusals.join('; ')}` : '';
  throw new Inconclusive(`the status is ${String(field(reached, 'data.status'))}, not ${state}${why}`);
}
