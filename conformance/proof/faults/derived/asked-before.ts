import { answeringFromMemory, queriedId } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy } from '../../stand/fault.ts';
import type { ProxyRequest } from '../../stand/proxy.ts';
import { parameterOf } from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('');

/** How long these servers keep an answer, in milliseconds. */
const lifetime = 1500;

const isByPlatformId = (request: ProxyRequest) => queriedId(request)?.startsWith('ord.') === true;
const asksBy = (name: string) => (request: ProxyRequest) => parameterOf(request, name) !== undefined;

/** Wrong servers that answer for a while as they did before, in one way to ask. */
export const askedBeforeFaults: readonly Fault[] = [
  fault(
    'orders-kept-by-merchant-order-id',
    'Keeps answers to queries for hosted orders by their merchantOrderId.',
    'orders.query.by-merchant-order-id',
    'orders.query.asked-before',
    answeringFromMemory('orders.query', lifetime, (request) => !isByPlatformId(request)),
  ),
  fault(
    'orders-kept-by-platform-id',
    'Keeps answers to queries for hosted orders by their platform ids.',
    'orders.query.by-order-id',
    'orders.query.asked-before',
    answeringFromMemory('orders.query', lifetime, isByPlatformId),
  ),
  fault(
    'checkout-orders-kept',
    'Keeps answers to queries for checkout orders.',
    'checkout.query.by-merchant-order-id',
    'checkout.query.asked-before',
    answeringFromMemory('checkout.query', lifetime),
  ),
  fault(
    'refunds-kept-by-merchant-refund-order-id',
    'Keeps answers to queries for refunds by their merchantRefundOrderId.',
    'refunds.query.by-merchant-refund-order-id',
    'refunds.query.asked-before',
    answeringFromMemory('refunds.query', lifetime, asksBy('merchantRefundOrderId')),
  ),
  fault(
    'refunds-kept-by-acquiring-order-id',
    'Keeps answers to queries for refunds by the orders that they give back.',
    'refunds.query.by-acquiring-order-id',
    'refunds.query.asked-before',
    answeringFromMemory('refunds.query', lifetime, asksBy('acquiringOrderId')),
  ),
  fault(
    'refunds-kept-by-refund-order-id',
    'Keeps answers to queries for refunds by their refundOrderId.',
    'refunds.query.by-refund-order-id',
    'refunds.query.asked-before',
    answeringFromMemory('refunds.query', lifetime, asksBy('refundOrderId')),
  ),
  fault(
    'refunds-kept-in-batches',
    'Keeps answers to batch queries.',
    'refunds.batch-query.known',
    'refunds.query.asked-before',
    answeringFromMemory('refunds.batch-query', lifetime),
  ),
];
