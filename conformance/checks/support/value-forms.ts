import type { OpenPointId } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { isAccepted, summary } from '../../check/expect.ts';
import { leapSecond, otherTimeForms } from '../../values/classes/times.ts';
import type { Answer } from '../../wire/exchange.ts';

/** A time in two hours by the target's clock. */
const inTwoHours = (context: CheckContext) => new Date(context.now() + 7_200_000).toISOString();

/** Times within the next day in forms that the specification leaves open, each with its form in words. */
export const timeForms = (context: CheckContext): [form: string, time: string][] => otherTimeForms(inTwoHours(context));

/** Asks for an order that expires on a leap second within the next day, and records the answer. */
export async function observeLeapSecond(
  context: CheckContext,
  create: (expiresAt: string) => Promise<Answer>,
): Promise<void> {
  const answer = await create(leapSecond(new Date(context.now()).toISOString()));
  context.observeIn(answer, 'leap-seconds', summary(answer), isAccepted(answer) ? 'accepted' : 'refused');
}

/** Sends each body and records the answers at an open point. */
export async function observeForms(
  context: CheckContext,
  creates: readonly (readonly [string, object])[],
  send: (body: object) => Promise<Answer>,
  openPoint: OpenPointId = 'orders-amount-limits',
): Promise<void> {
  for (const [what, body] of creates) {
    const answer = await send(body);
    context.observeIn(answer, openPoint, `${what}: ${summary(answer)}`);
  }
}
