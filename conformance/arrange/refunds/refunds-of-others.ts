import type { CheckContext } from '../../check/context.ts';
import { isAccepted } from '../../check/expect.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/**
 * Whether an answer shows the refund of an order under an id that no request of this check has named, and that a create of another check has.
 * Without a driver, all creates that must be refused name one paid order: where one of them has made a refund, only its own check says so.
 */
export function isRefundOfOtherCheck(context: CheckContext, answer: Answer, orderId: string): boolean {
  if (context.has('order-events') || !isAccepted(answer)) return false;
  const shown = field(answer, 'data.merchantRefundOrderId');
  if (typeof shown !== 'string' || field(answer, 'data.acquiringOrderId') !== orderId) return false;
  if (context.transport.exchanges.some(({ request }) => request.body.includes(shown))) return false;
  return context.history.records.some(
    (record) =>
      record.kind === 'request' &&
      record.operation === 'refunds.create' &&
      record.body?.text.includes(shown) &&
      record.body.text.includes(orderId),
  );
}
