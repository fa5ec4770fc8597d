import type { RequirementId } from '../../../generated/catalogue.ts';
import { isObject } from '../../contract/json.ts';
import type { OperationArea } from '../../contract/operations.ts';
import { bodyOf, isOf, merchantIdOf, queriedId, refusal } from '../stand/changes.ts';
import type { Fault } from '../stand/fault.ts';
import type { Handler, ProxyAnswer, ProxyRequest } from '../stand/proxy.ts';
import { parameterOf, refundRefusal, refundSuccess } from '../stand/refund-changes.ts';

/** How many orders or refunds of a merchant a server keeps at hand. */
const kept = 100;

/** What a server does not find any more that keeps only the newest at hand. */
interface Forgotten {
  area: OperationArea;
  operation: string;
  /** The field of what an area makes by which requests of the operation name it. */
  field: string;
  /** The id that a request names. */
  idOf(request: ProxyRequest): unknown;
  answer(request: ProxyRequest): ProxyAnswer;
}

/** A server that looks only among the newest of a merchant's orders or refunds. */
function knowingTheNewest({ area, operation, field, idOf, answer }: Forgotten): Handler {
  const made = new Map<string, unknown[]>();
  return async (request, server) => {
    const merchantId = merchantIdOf(request);
    const known = made.get(merchantId) ?? [];
    made.set(merchantId, known);
    const place = isOf(operation)(request) ? known.indexOf(idOf(request)) : -1;
    if (place >= 0 && known.length - place > kept) return answer(request);
    const given = await server.forward(request);
    const shown = isOf(`${area}.create`)(request) ? bodyOf(given)?.data : undefined;
    const id = isObject(shown) ? shown[field] : undefined;
    if (id !== undefined && !known.includes(id)) known.push(id);
    return given;
  };
}

const unknownOrder = (request: ProxyRequest) => refusal(request, '40001', 'there is no such order');
const unknownRefund = () => refundRefusal(404, 'REFUND_NOT_FOUND');

const byParameter = (name: string): Pick<Forgotten, 'field' | 'idOf'> => ({
  field: name,
  idOf: (request) => parameterOf(request, name),
});

const forgotten: readonly (Forgotten & { words: string; breaks: RequirementId })[] = [
  {
    words: 'Finds only the newest hosted orders of a merchant.',
    breaks: 'orders.query.by-merchant-order-id',
    area: 'orders',
    operation: 'orders.query',
    field: 'merchantOrderId',
    idOf: queriedId,
    answer: unknownOrder,
  },
  {
    words: 'Finds only the newest checkout orders of a merchant.',
    breaks: 'checkout.query.by-merchant-order-id',
    area: 'checkout',
    operation: 'checkout.query',
    field: 'merchantOrderId',
    idOf: queriedId,
    answer: unknownOrder,
  },
  {
    words: 'Finds by refundOrderId only the newest refunds of a merchant.',
    breaks: 'refunds.query.by-refund-order-id',
    area: 'refunds',
    operation: 'refunds.query',
    ...byParameter('refundOrderId'),
    answer: unknownRefund,
  },
  {
    words: 'Finds in batches only the newest refunds of a merchant.',
    breaks: 'refunds.batch-query.known',
    area: 'refunds',
    operation: 'refunds.batch-query',
    field: 'merchantRefundOrderId',
    idOf: (request) => [bodyOf(request)?.merchantRefundOrderIds].flat()[0],
    answer: () => refundSuccess([]),
  },
  {
    words: 'Refunds only the newest orders of a merchant.',
    breaks: 'refunds.create.accepted',
    area: 'orders',
    operation: 'refunds.create',
    field: 'orderId',
    idOf: (request) => bodyOf(request)?.acquiringOrderId,
    answer: () => refundRefusal(404, 'ORDER_NOT_FOUND'),
  },
];

/** Wrong servers that have put away what they made before many others, and look for it no more. */
export const firstOfManyFaults: readonly Fault[] = forgotten.map(({ words, breaks, ...which }) => ({
  id: `${breaks.replaceAll('.', '-')}-of-the-newest-only`,
  title: words,
  breaks,
  caughtBy: `${which.operation.split('.')[0]}.situations.first-of-many`,
  make: { merchantApi: knowingTheNewest(which) },
}));
