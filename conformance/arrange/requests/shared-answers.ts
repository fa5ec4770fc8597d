import type { CheckContext } from '../../check/context.ts';
import type { Answer, Exchange } from '../../wire/exchange.ts';

/** A request that several checks of a run ask about and that is sent once. */
interface Shared {
  answer: Answer;
  exchange: Exchange | undefined;
}

const sentInRuns = new WeakMap<CheckContext['history'], Map<string, Promise<Shared>>>();

/**
 * The answer to a request that is sent once in a run, however many checks ask for it under the same key. It is among the exchanges of
 * the check that asks. A failure is not kept, so that the next check sends the request again. Nor is an answer kept when the target's clock
 * jumps: it may have refused a timestamp of its former clock, and checks that are run again for the jump would be told so again.
 */
export async function sharedAnswer(context: CheckContext, key: string, send: () => Promise<Answer>): Promise<Answer> {
  const sent = sentInRuns.get(context.history) ?? new Map<string, Promise<Shared>>();
  sentInRuns.set(context.history, sent);
  const keyNow = `${key} after ${context.clockJumps()} jumps of the clock`;
  const known = sent.get(keyNow);
  const own = known ?? sendFirst(context, send);
  sent.set(keyNow, own);
  own.catch(() => sent.delete(keyNow));
  const { answer, exchange } = await (known ? context.awaitOther(known) : own);
  const isOwn = exchange === undefined || context.transport.exchanges.includes(exchange);
  return isOwn ? answer : { ...answer, ...context.transport.record(exchange) };
}

async function sendFirst(context: CheckContext, send: () => Promise<Answer>): Promise<Shared> {
  const answer = await send();
  return { answer, exchange: context.transport.exchanges[answer.exchange - 1] };
}
