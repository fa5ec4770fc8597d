import type { CheckContext } from '../../check/context.ts';
import type { StepOutcome } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/**
 * Takes steps of a driver, one after the other, and waits until a query shows `state`. A step may be refused, because
 * another one has taken its place: what counts is where they lead. Throws `Inconclusive` when they do not lead there.
 */
export async function bringTo<Step>(
  context: CheckContext,
  state: string,
  query: () => Promise<Answer>,
  ways: readonly Step[],
  take: (step: Step) => Promise<StepOutcome>,
): Promise<void> {
  if (ways.length === 0) return;
  const refusals: string[] = [];
  for (const way of ways) {
    const outcome = await take(way);
    if (!outcome.done) refusals.push(outcome.message);
  }
  const isThere = (answer: Answer) => field(answer, 'data.status') === state;
  const reached = refusals.length === ways.length ? await query() : await context.poll(query, isThere);
  if (isThere(reached)) return;
  const why = refusals.length > 0 ? `; the driver refused: ${refusals.join('; ')}` : '';
  throw new Inconclusive(`it did not come to ${state}, but is ${String(field(reached, 'data.status'))}${why}`);
}
