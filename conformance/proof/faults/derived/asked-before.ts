import { successCode } from '../../../contract/success-code.ts';
import { bodyOf, isOf, isRightlySigned, onlyFor, queriedId } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy } from '../../stand/fault.ts';
import type { Handler, ProxyAnswer, ProxyRequest } from '../../stand/proxy.ts';
import { parameterOf } from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('');

/** How long these servers keep an answer, in milliseconds. */
const kept = 1500;

/** A server that keeps its answers to some requests of an operation for a while. */
function keepingAnswers(operation: string, isMeant: (request: ProxyRequest) => boolean = () => true): Handler {
  const answers = new Map<string, { answer: ProxyAnswer; at: number }>();
  return onlyFor(
    (request) => isOf(operation)(request) && isMeant(request),
    async (request, server) => {
      if (!isRightlySigned(request, server)) return server.forward(request);
      const key = `${request.target} ${request.body.toString('utf8')}`;
      const known = answers.get(key);
      if (known && Date.now() - known.at < kept) return known.answer;
      const answer = await server.forward(request);
      if (bodyOf(answer)?.code === successCode) answers.set(key, { answer, at: Date.now() });
      return answer;
    },
  );
}

const isByPlatformId = (request: ProxyRequest) => queriedId(request)?.startsWith('ord.') === true;
const asksBy = (name: string) => (request: ProxyRequest) => parameterOf(request, name) !== undefined;

/** Wrong servers that answer for a while as they did before, in one way to ask. */
export const askedBeforeFaults: readonly Fault[] = [
  fault(
    'orders-kept-by-merchant-order-id',
    'Keeps answers to queries for hosted orders by their merchantOrderId.',
    'orders.query.by-merchant-order-id',
    'orders.query.asked-before',
    keepingAnswers('orders.query', (request) => !isByPlatformId(request)),
  ),
  fault(
    'orders-kept-by-platform-id',
    'Keeps answers to queries for hosted orders by their platform ids.',
    'orders.query.by-order-id',
    'orders.query.asked-before',
    keepingAnswers('orders.query', isByPlatformId),
  ),
  fault(
    'checkout-orders-kept',
    'Keeps answers to queries for checkout orders.',
    'checkout.query.by-merchant-order-id',
    'checkout.query.asked-before',
    keepingAnswers('checkout.query'),
  ),
  fault(
    'refunds-kept-by-merchant-refund-order-id',
    'Keeps answers to queries for refunds by their merchantRefundOrderId.',
    'refunds.query.by-merchant-refund-order-id',
    'refunds.query.asked-before',
    keepingAnswers('refunds.query', asksBy('merchantRefundOrderId')),
  ),
  fault(
    'refunds-kept-by-acquiring-order-id',
    'Keeps answers to queries for refunds by the orders that they give back.',
    'refunds.query.by-acquiring-order-id',
    'refunds.query.asked-before',
    keepingAnswers('refunds.query', asksBy('acquiringOrderId')),
  ),
  fault(
    'refunds-kept-by-refund-order-id',
    'Keeps answers to queries for refunds by their refundOrderId.',
    'refunds.query.by-refund-order-id',
    'refunds.query.asked-before',
    keepingAnswers('refunds.query', asksBy('refundOrderId')),
  ),
  fault(
    'refunds-kept-in-batches',
    'Keeps answers to batch queries.',
    'refunds.batch-query.known',
    'refunds.query.asked-before',
    keepingAnswers('refunds.batch-query'),
  ),
];
