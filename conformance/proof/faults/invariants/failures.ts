import { isObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { bodyOf, isOf, isRightlySigned, onlyFor, refusal } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import type { Handler } from '../../stand/proxy.ts';
import { refundRefusal } from '../../stand/refund-changes.ts';
import { idOf } from './feeds.ts';

const operations = [
  'orders.create',
  'orders.query',
  'refunds.create',
  'refunds.query',
  'refunds.batch-query',
  'checkout.create',
  'checkout.query',
];

/** A server that fails at a right request to an operation which it has carried out before, the same byte for byte. */
function failingAgain(operation: string): Handler {
  const done = new Set<string>();
  return onlyFor(isOf(operation), async (request, server) => {
    const key = `${request.target} ${request.body.toString('utf8')}`;
    if (done.has(key) && isRightlySigned(request, server)) {
      return operation.startsWith('refunds.')
        ? refundRefusal(500, 'SYSTEM_ERROR')
        : refusal(request, '99999', 'the service failed');
    }
    const answer = await server.forward(request);
    if (bodyOf(answer)?.code === successCode) done.add(key);
    return answer;
  });
}

/** A server that fails at a create under the id of an order or refund that it has made, if anything else in it is different. */
function failingAtOthers(operation: string, idField: string): Handler {
  const made = new Map<unknown, string>();
  return onlyFor(isOf(operation), async (request, server) => {
    const text = request.body.toString('utf8');
    const key = `${request.target} ${bodyOf(request)?.[idField]}`;
    const first = made.get(key);
    if (first !== undefined && first !== text && isRightlySigned(request, server)) {
      return operation.startsWith('refunds.')
        ? refundRefusal(500, 'SYSTEM_ERROR')
        : refusal(request, '99999', 'the service failed');
    }
    const answer = await server.forward(request);
    if (bodyOf(answer)?.code === successCode) made.set(key, first ?? text);
    return answer;
  });
}

/** Servers that fail at every create that differs from the one before it under the same id. */
const failingAtChanges = (
  [
    ['refunds.create', 'merchantRefundOrderId'],
    ['checkout.create', 'merchantOrderId'],
  ] as const
).map(
  ([operation, idField]): Fault => ({
    id: `${idOf(operation)}-changed-fails`,
    title: `Fails at every request of ${operation} under the id of an earlier one that is different.`,
    breaks: 'general.lasting-failure',
    caughtBy: `${operation}.failures.lasting`,
    feeds: [`${operation}.repeat.changed`],
    make: { merchantApi: failingAtOthers(operation, idField) },
  }),
);

/** Servers that fail at every request which they have carried out before. */
const failingAtRepeats = operations.map(
  (operation): Fault => ({
    id: `${idOf(operation)}-again-fails`,
    title: `Fails at every request of ${operation} that it has carried out before.`,
    breaks: 'general.lasting-failure',
    caughtBy: `${operation}.failures.lasting`,
    make: { merchantApi: failingAgain(operation) },
  }),
);

/** A server that fails at every query of a hosted order for which more was paid than it cost. */
const failingAtOverpaid: Fault = {
  id: 'hosted-query-fails-when-overpaid',
  title: 'Fails at every query of a hosted order for which more was paid than it cost.',
  breaks: 'general.lasting-failure',
  caughtBy: 'orders.query.failures.lasting',
  feeds: ['orders.situations.paid-by-exchange'],
  make: {
    merchantApi: onlyFor(isOf('orders.query'), async (request, server) => {
      const answer = await server.forward(request);
      const view = bodyOf(answer)?.data;
      const paid = isObject(view) && isObject(view.cryptoPaidAmount) ? Number(view.cryptoPaidAmount.value) : 0;
      const due = isObject(view) && isObject(view.orderAmount) ? Number(view.orderAmount.value) : 0;
      return paid > due ? refusal(request, '99999', 'the service failed') : answer;
    }),
  },
};

/** Wrong servers that fail for good at what they should carry out or refuse. */
export const failureFaults: readonly Fault[] = [...failingAtRepeats, ...failingAtChanges, failingAtOverpaid];
