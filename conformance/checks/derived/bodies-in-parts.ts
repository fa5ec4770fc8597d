import type { RequirementId } from '../../../generated/catalogue.ts';
import { createCheckoutOrder } from '../../arrange/checkout-orders/operations.ts';
import { createOrder } from '../../arrange/orders/operations.ts';
import { batchQueryRefunds, createRefund } from '../../arrange/refunds/operations.ts';
import type { ArrangedOperation } from '../../arrange/requests/arranged-operation.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, needAccepted } from '../../check/expect.ts';

/** Answers of HTTP to a body in chunks that say that the server wants its length, or knows no chunks. */
const withoutChunks = [411, 501];

/** Sends a right request whose body comes a while after its headers and in two parts, as over a slow connection. */
async function expectAcceptedInParts(
  context: CheckContext,
  operation: ArrangedOperation,
  accepted: RequirementId,
): Promise<void> {
  const { noun } = operation;
  const merchant = await context.merchant();
  const atOnce = await operation.prepare(context, merchant);
  needAccepted(await atOnce.client.send(atOnce.request), noun);
  await sideBySide(
    (['with length', 'in chunks'] as const).map(async (inParts) => {
      const { client, request } = await operation.prepare(context, merchant);
      const answer = await client.send({ ...request, inParts });
      if (inParts === 'in chunks' && withoutChunks.includes(answer.status)) return;
      const words = inParts === 'in chunks' ? ', in chunks' : '';
      expectAccepted(answer, `${noun} whose body comes in two parts a moment after its headers${words}`, accepted);
    }),
  );
}

const operations: readonly (readonly [operation: ArrangedOperation, accepted: RequirementId])[] = [
  [createOrder, 'orders.create.accepted'],
  [createRefund, 'refunds.create.accepted'],
  [batchQueryRefunds, 'refunds.batch-query.known'],
  [createCheckoutOrder, 'checkout.create.accepted'],
];

/** HTTP lets a body come when and in as many pieces as the network likes: each operation with a body reads it to its end. */
export const bodiesInPartsChecks: readonly CheckDeclaration[] = operations.map(([operation, accepted]) => ({
  id: `${operation.name}.body-in-parts`,
  title: `${operation.noun} whose body comes in two parts, with pauses, is accepted`.replace(/^./, (first) =>
    first.toUpperCase(),
  ),
  requirements: [accepted],
  // Each request needs an order of its own that can be refunded.
  needs: operation === createRefund ? ['order-events'] : operation.needs,
  run: (context: CheckContext) => expectAcceptedInParts(context, operation, accepted),
}));
