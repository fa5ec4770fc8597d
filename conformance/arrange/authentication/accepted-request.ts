import type { CheckContext } from '../../check/context.ts';
import { isAccepted } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer, Exchange } from '../../wire/exchange.ts';
import type { ArrangedOperation } from '../requests/arranged-operation.ts';
import type { SignedRequest } from '../requests/signed-client.ts';

/** A right request to an operation, with the answer that it had. */
export interface SentRequest {
  request: SignedRequest;
  answer: Answer;
  /** The operation makes a record, so that each further request needs an id of its own. */
  makes: boolean;
  /** The request has made its record, so that the same request sent again is a repeat. */
  hasMade: boolean;
}

/** The same with its exchange, for the other checks of the run. */
interface SharedRequest extends SentRequest {
  exchange: Exchange | undefined;
}

/** The right requests of each run by operation and merchant, by the run's history. */
const sharedByRun = new WeakMap<CheckContext['history'], Map<string, Promise<SharedRequest>>>();

/**
 * A right request of the shared merchant to `operation`, sent once for all checks that share it. The answer is among the exchanges
 * of the check that asks. The next check sends it again if it was not accepted.
 */
export async function sentRequest(context: CheckContext, operation: ArrangedOperation): Promise<SentRequest> {
  const shared = sharedByRun.get(context.history) ?? new Map<string, Promise<SharedRequest>>();
  sharedByRun.set(context.history, shared);
  const merchant = await context.merchant();
  const key = JSON.stringify([operation.name, merchant.merchantId]);
  const known = shared.get(key);
  const sent = known ?? send(context, merchant, operation);
  shared.set(key, sent);
  const forget = () => {
    if (shared.get(key) === sent) shared.delete(key);
  };
  const { exchange, ...right } = await (known ? context.awaitOther(known) : sent).catch((error: unknown) => {
    forget();
    throw error;
  });
  if (!isAccepted(right.answer)) forget();
  const isOwn = exchange === undefined || context.transport.exchanges.includes(exchange);
  return isOwn ? right : { ...right, answer: { ...right.answer, ...context.transport.record(exchange) } };
}

async function send(
  context: CheckContext,
  merchant: Credentials,
  operation: ArrangedOperation,
): Promise<SharedRequest> {
  const { client, request, makes, twin } = await operation.prepare(context, merchant);
  const answer = twin?.answer ?? (await client.send(request));
  const exchange = context.transport.exchanges[answer.exchange - 1];
  return { request, answer, makes: makes !== undefined, hasMade: makes !== undefined && !twin, exchange };
}
