import type { ArrangedOperation } from '../../arrange/requests/arranged-operation.ts';
import type { CheckContext } from '../../check/context.ts';
import type { JsonObject } from '../../contract/json.ts';
import { NeedNotMet } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';

/**
 * A right create whose body `change` has changed, not sent yet: sending it again sends the same. `write` makes its JSON. Throws `NeedNotMet`
 * where its success would use up a configured order.
 */
export async function preparedCreate(
  context: CheckContext,
  operation: ArrangedOperation,
  change: (body: JsonObject) => JsonObject,
  write: (body: JsonObject) => string = JSON.stringify,
): Promise<() => Promise<Answer>> {
  const { client, request, body = {}, twin } = await operation.prepare(context, await context.merchant());
  if (twin) throw new NeedNotMet('order-events', `${operation.noun} that is accepted would use up a paid order`);
  return () => client.send({ method: 'POST', path: request.path, body: Buffer.from(write(change(body))) });
}
