import type { RequirementId } from '../../../../generated/catalogue-ids.ts';
import type { OperationArea } from '../../../contract/operations.ts';
import { isOf, onlyFor } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import type { ProxyAnswer } from '../../stand/proxy.ts';

/** After how many queries for one thing an answer is kept for good. */
const many = 50;

/** A server that keeps for good how it answered a query that comes again and again. */
function keepingOften(operation: string): Make {
  const counts = new Map<string, number>();
  const kept = new Map<string, ProxyAnswer>();
  return {
    merchantApi: onlyFor(isOf(operation), async ({ target, ...request }, server) => {
      const known = kept.get(target);
      if (known) return known;
      const answer = await server.forward({ ...request, target });
      const count = (counts.get(target) ?? 0) + 1;
      counts.set(target, count);
      if (count === many) kept.set(target, answer);
      return answer;
    }),
  };
}

const fault = (area: OperationArea, words: string, breaks: RequirementId): Fault => ({
  id: `${area}-kept-when-asked-often`,
  title: `Keeps for good what it has answered to the ${many}th query for ${words}.`,
  breaks,
  caughtBy: `${area}.query.asked-often`,
  make: keepingOften(`${area}.query`),
});

/** Wrong servers that keep an answer which is often asked for. */
export const askedOftenFaults: readonly Fault[] = [
  fault('orders', 'a hosted order', 'orders.query.by-merchant-order-id'),
  fault('checkout', 'a checkout order', 'checkout.query.by-merchant-order-id'),
  fault('refunds', 'a refund', 'refunds.query.by-refund-order-id'),
];
