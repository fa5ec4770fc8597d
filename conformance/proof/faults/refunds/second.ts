import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { bodyOf, isOf, readingBodies, showingEach } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import type { Handler } from '../../stand/proxy.ts';

const fault = faultsCaughtBy('refunds.create.second.');

/** A server that takes a further refund of an order without a reason. */
function needingNoFurtherReason(): Handler {
  const refunded = new Set<unknown>();
  const reading = readingBodies('refunds.create', (body) =>
    body.refundReason === undefined && refunded.has(body.acquiringOrderId)
      ? { ...body, refundReason: 'as before' }
      : body,
  );
  return async (request, server) => {
    const answer = await reading(request, server);
    const isMade = isOf('refunds.create')(request) && bodyOf(answer)?.code === successCode;
    if (isMade) refunded.add(bodyOf(request)?.acquiringOrderId);
    return answer;
  };
}

/** A server that shows in each refund of an order what a field of the first one says. */
function showingOfTheFirst(field: string): Make {
  const firsts = new Map<unknown, unknown>();
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const { data } = bodyOf(answer) ?? {};
      if (isObject(data) && isOf('refunds.create')(request) && !firsts.has(data.acquiringOrderId)) {
        firsts.set(data.acquiringOrderId, data[field]);
      }
      const operation = isOf('refunds.create')(request) ? 'refunds.create' : 'refunds.query';
      const showing = showingEach(operation, (view) =>
        view[field] !== undefined && firsts.get(view.acquiringOrderId) !== undefined
          ? { ...view, [field]: firsts.get(view.acquiringOrderId) }
          : view,
      );
      return showing(request, { ...server, forward: () => Promise.resolve(answer) });
    },
  };
}

/** A server that answers the create of a refund which has ended, sent again, with the newest refund of its order. */
function answeringWithTheNewest(): Handler {
  const newest = new Map<unknown, JsonObject>();
  return showingEach('refunds.create', (view) => {
    const { acquiringOrderId, refundOrderId, status } = view;
    const known = newest.get(acquiringOrderId);
    if (known !== undefined && known.refundOrderId !== refundOrderId && status !== 'PENDING') return known;
    newest.set(acquiringOrderId, view);
    return view;
  });
}

/** Wrong servers that treat a second refund of an order in another way than the first. */
export const secondRefundFaults: readonly Fault[] = [
  fault(
    'second-refund-without-reason',
    'Takes a second refund of an order without a reason.',
    'refunds.create.required-fields',
    'like-the-first',
    needingNoFurtherReason(),
  ),
  fault(
    'second-refund-with-text-of-the-first',
    'Shows the extraData of the first refund of an order in its second one.',
    'refunds.record.extra-data',
    'like-the-first',
    showingOfTheFirst('extraData'),
  ),
  fault(
    'second-refund-made-with-the-first',
    'Shows the createdTime of the first refund of an order in its second one.',
    'refunds.record.moments',
    'like-the-first',
    showingOfTheFirst('createdTime'),
  ),
  fault(
    'first-refund-taken-for-the-second',
    'Answers the create of the first refund of an order, sent again, with its second one.',
    'refunds.create.idempotent',
    'like-the-first',
    answeringWithTheNewest(),
  ),
];
