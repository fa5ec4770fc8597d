import type { RequirementId } from '../../../../generated/catalogue.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import {
  answering,
  answeringJson,
  bodyOf,
  firstOf,
  isOf,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  readingBodies,
  withSchema,
} from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy } from '../../stand/fault.ts';
import type { Handler, ProxyAnswer, ProxyRequest } from '../../stand/proxy.ts';
import {
  isRefundBatch,
  refundRefusal,
  sending,
  sharedRefunds,
  showingAsMade,
  showingRefunds,
  without,
  withStatus,
} from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('refunds.');

/** A server whose answers to batch queries show the list as `change` makes it. */
const listing = (change: (records: unknown[]) => unknown): Handler =>
  onlyFor(
    isRefundBatch,
    answeringJson((envelope) =>
      Array.isArray(envelope.data) ? { ...envelope, data: change(envelope.data) } : envelope,
    ),
  );

/** A server that answers successful batch queries with another envelope. */
const enveloped = (change: (envelope: JsonObject) => JsonObject): Handler =>
  onlyFor(
    isRefundBatch,
    answeringJson((envelope) => (envelope.code === successCode ? change(envelope) : envelope)),
  );

const known: [RequirementId, string] = ['refunds.batch-query.known', 'batch-query.known'];

/** Records by the place where each was asked for first: no list where another id was asked for twice before. */
function byPlace(records: readonly unknown[], request: ProxyRequest): unknown {
  const asked = bodyOf(request)?.merchantRefundOrderIds;
  if (!Array.isArray(asked)) return records;
  const places = records.map((record) => asked.indexOf(Object(record).merchantRefundOrderId));
  return places.every((place, index) => place === index)
    ? records
    : Object.fromEntries(records.map((record, index) => [places[index], record]));
}

/** A server that answers a batch query for several refunds as it did when it was first asked for the same ones. */
function rememberingBatches(): Handler {
  const answers = new Map<string, ProxyAnswer>();
  return onlyFor(isRefundBatch, async (request, server) => {
    const answer = await server.forward(request);
    const asked = bodyOf(request)?.merchantRefundOrderIds;
    if (answer.status !== 200 || !Array.isArray(asked) || asked.length < 2) return answer;
    const key = `${merchantIdOf(request)} ${asked.join(' ')}`;
    const remembered = answers.get(key) ?? answer;
    answers.set(key, remembered);
    return remembered;
  });
}

/** A server that leaves the refunds of checkout orders out of a batch that has one of a hosted order too, or the other way round. */
function leavingOutBeside(product: 'hosted' | 'checkout'): Handler {
  const hosted = new Set<unknown>();
  const noting: Handler = onlyFor(isOf('orders.create'), async (request, server) => {
    const answer = await server.forward(request);
    const { data } = bodyOf(answer) ?? {};
    if (isObject(data)) hosted.add(data.orderId);
    return answer;
  });
  const leavingOut = listing((records) => {
    const isLeftOut = (record: unknown) => hosted.has(Object(record).acquiringOrderId) === (product === 'hosted');
    return records.every(isLeftOut) ? records : records.filter((record) => !isLeftOut(record));
  });
  return firstOf(leavingOut, noting);
}

/** A server that makes each record of a batch anew of those of all refunds that the order of it has had, in the order in which they were made. */
function byOrder(change: (record: JsonObject, ofOrder: readonly JsonObject[]) => readonly JsonObject[]): Handler {
  const made = new Map<unknown, Map<unknown, JsonObject>>();
  const noting: Handler = async (request, server) => {
    const answer = await server.forward(request);
    const { data } = bodyOf(answer) ?? {};
    if (!isObject(data) || data.refundOrderId === undefined) return answer;
    const ofOrder = made.get(data.acquiringOrderId) ?? new Map();
    made.set(data.acquiringOrderId, ofOrder.set(data.refundOrderId, data));
    return answer;
  };
  const joining = listing((records) =>
    records.flatMap<unknown>((record) => {
      const ofOrder = isObject(record) ? [...(made.get(record.acquiringOrderId)?.values() ?? [])] : [];
      return isObject(record) && ofOrder.length > 1 ? change(record, ofOrder) : [record];
    }),
  );
  return firstOf(
    joining,
    onlyFor((request) => isOf('refunds.create')(request) || isOf('refunds.query')(request), noting),
  );
}

/** A server that leaves out of a batch the records for which `is` is true, where there are others. */
const leavingOut = (is: (record: JsonObject) => boolean): Handler =>
  listing((records) => {
    const isLeftOut = (record: unknown) => isObject(record) && is(record);
    return records.every(isLeftOut) ? records : records.filter((record) => !isLeftOut(record));
  });

const batchEnvelope = 'batch-query.success-envelope';

const lists: readonly Fault[] = [
  fault(
    'batch-lacks-the-last',
    'Leaves the last of several refunds out.',
    ...known,
    listing((records) => (records.length > 1 ? records.slice(0, -1) : records)),
  ),
  fault(
    'batch-shows-the-beginning',
    'Shows refunds that are being processed as PENDING in a batch.',
    'refunds.batch-query.known',
    'batch-query.states',
    listing((records) =>
      records.map((record) =>
        isObject(record) && record.status === 'PROCESSING' ? { ...record, status: 'PENDING' } : record,
      ),
    ),
  ),
  fault(
    'batch-with-the-other-refunds-of-its-orders',
    'Shows in a batch, beside a refund that was asked for, the other ones of its order.',
    'refunds.batch-query.known',
    'batch-query.states',
    byOrder((record, ofOrder) => [record, ...ofOrder.filter((each) => each.refundOrderId !== record.refundOrderId)]),
  ),
  fault(
    'batch-shows-the-state-of-the-first-refund',
    'Shows in a batch the status of the first refund of an order at its second one.',
    'refunds.batch-query.known',
    'batch-query.states',
    byOrder((record, [first]) => [{ ...record, status: first?.status }]),
  ),
  fault(
    'batch-lacks-the-first-refund-of-its-orders',
    'Shows in a batch only the newest refund of an order that was refunded twice.',
    'refunds.batch-query.known',
    'batch-query.states',
    byOrder((record, ofOrder) => (record.refundOrderId === ofOrder.at(-1)?.refundOrderId ? [record] : [])),
  ),
  fault(
    'batch-remembered',
    'Answers a batch query for several refunds as it did when it was first asked for the same ones.',
    'refunds.batch-query.known',
    'batch-query.states',
    rememberingBatches(),
  ),
  fault(
    'batch-without-refunds-of-checkout-orders',
    'Leaves the refunds of checkout orders out of a batch in which there is one of a hosted order.',
    'refunds.batch-query.known',
    'batch-query.states',
    leavingOutBeside('checkout'),
  ),
  fault(
    'batch-without-refunds-of-hosted-orders',
    'Leaves the refunds of hosted orders out of a batch in which there is one of a checkout order.',
    'refunds.batch-query.known',
    'batch-query.states',
    leavingOutBeside('hosted'),
  ),
  fault(
    'batch-of-one-currency',
    'Leaves refunds in other currencies than USDT out of a batch in which there is one in USDT.',
    'refunds.batch-query.known',
    'batch-query.states',
    leavingOut(({ refundCurrency }) => refundCurrency !== 'USDT'),
  ),
  fault(
    'batch-without-ended-refunds-to-exchanges',
    'Leaves refunds of payments by an exchange out of a batch once they are over, where there are others.',
    'refunds.batch-query.known',
    'batch-query.states',
    leavingOut(
      ({ paymentMethod, status }) =>
        String(paymentMethod).startsWith('EXCHANGE') && ['SUCCEEDED', 'FAILED', 'CLOSED'].includes(String(status)),
    ),
  ),
  fault(
    'batch-names-one-payment-method',
    'Shows the paymentMethod of the first refund of a batch for all of them.',
    'refunds.batch-query.known',
    'batch-query.states',
    listing((records) =>
      records.map((record) => ({ ...Object(record), paymentMethod: Object(records[0]).paymentMethod })),
    ),
  ),
  fault(
    'batch-hides-why-refunds-failed',
    'Gives every refund that failed the same errorMessage in a batch.',
    'refunds.batch-query.known',
    'batch-query.states',
    listing((records) =>
      records.map((record) =>
        isObject(record) && 'errorMessage' in record ? { ...record, errorMessage: 'failed' } : record,
      ),
    ),
  ),
  fault(
    'batch-shows-one-of-an-order',
    'Shows one refund of each order in a batch.',
    'refunds.batch-query.known',
    'query.first-of-order',
    listing((records) => [...new Map(records.map((record) => [Object(record).acquiringOrderId, record])).values()]),
  ),
  fault(
    'batch-with-gaps-of-doubled-ids',
    'Strikes the second of two equal ids of a batch query out and answers with an object of the places that are left.',
    'refunds.batch-query.known',
    'batch-query.doubled-ids',
    onlyFor(
      isRefundBatch,
      answeringJson((envelope, request) =>
        Array.isArray(envelope.data) ? { ...envelope, data: byPlace(envelope.data, request) } : envelope,
      ),
    ),
  ),
  fault(
    'batch-ids-compared-as-numbers',
    'Strikes ids out of a batch query that are the same number as one before them.',
    'refunds.batch-query.known',
    'batch-query.similar-ids',
    readingBodies('refunds.batch-query', (body) => {
      const ids: unknown[] = Array.isArray(body.merchantRefundOrderIds) ? body.merchantRefundOrderIds : [];
      const isNew = (id: unknown, index: number) =>
        Number.isNaN(Number(id)) || ids.findIndex((each) => Number(each) === Number(id)) === index;
      return ids.every(isNew) ? body : { ...body, merchantRefundOrderIds: ids.filter(isNew) };
    }),
  ),
  fault(
    'batch-of-long-ids-refused',
    'Refuses batch queries of more than 4 KiB.',
    'refunds.batch-query.ids.maximum',
    'batch-query.hundred-ids',
    onlyFor(
      (request) => isRefundBatch(request) && request.body.length > 4096,
      async () => refundRefusal(400, 'INVALID_PARAMETER', 'the body is too long'),
    ),
  ),
  fault(
    'batch-shows-two',
    'Shows no more than two refunds.',
    ...known,
    listing((records) => records.slice(0, 2)),
  ),
  fault(
    'batch-mixes-ids-up',
    'Shows all refunds of a batch under the id of the first.',
    ...known,
    listing((records) => {
      const { merchantRefundOrderId } = Object(records[0]);
      return records.map((each) => ({ ...Object(each), merchantRefundOrderId }));
    }),
  ),
  fault(
    'batch-as-207',
    'Answers batch queries with HTTP 207.',
    'refunds.errors.success-status',
    'batch-query.known',
    onlyFor(
      isRefundBatch,
      answering((answer) => (answer.status === 200 ? withStatus(207)(answer) : answer)),
    ),
  ),
  fault(
    'batch-as-made',
    'Shows refunds in batches as they were when they were made.',
    'refunds.batch-query.known',
    'batch-query.current',
    showingAsMade(isRefundBatch),
  ),
  fault(
    'batch-without-trace',
    'Answers batch queries without requestId and timestamp.',
    'refunds.envelope.batch',
    batchEnvelope,
    enveloped(without('requestId', 'timestamp')),
  ),
  fault(
    'batch-under-items',
    'Shows the refunds of a batch under data.items.',
    'refunds.envelope.batch',
    batchEnvelope,
    enveloped((envelope) => ({ ...envelope, data: { items: envelope.data } })),
  ),
  fault(
    'batch-timestamp-as-text',
    'Writes the timestamp of batch queries as text.',
    'refunds.envelope.timestamp',
    batchEnvelope,
    enveloped((envelope) => ({ ...envelope, timestamp: String(envelope.timestamp) })),
  ),
  fault(
    'batch-records-abridged',
    'Shows ids and status of the refunds of a batch only.',
    'refunds.record.fields',
    batchEnvelope,
    showingRefunds(without('refundAmount', 'refundCurrency', 'paymentMethod', 'createdTime'), isRefundBatch),
  ),
  fault('batch-of-fifty', 'Takes up to 50 ids.', 'refunds.batch-query.ids.maximum', 'batch-query.hundred-ids', {
    parts: withSchema('/components/schemas/RefundBatchQueryRequest/properties/merchantRefundOrderIds', {
      maxItems: 50,
    }),
  }),
  fault(
    'batch-reads-fifty',
    'Takes 100 ids, and looks for the first 50 of them.',
    'refunds.batch-query.known',
    'batch-query.hundred-ids',
    onlyFor(isRefundBatch, async (request, server) => {
      const { merchantRefundOrderIds: asked } = bodyOf(request) ?? {};
      if (!Array.isArray(asked) || asked.length > 100 || !isRightlySigned(request, server)) {
        return server.forward(request);
      }
      return server.forward(sending(request, { merchantRefundOrderIds: asked.slice(0, 50) }, server));
    }),
  ),
  fault(
    'batch-of-all-merchants',
    "Shows any merchant's refunds in a batch.",
    'refunds.batch-query.other-merchant',
    'batch-query.other-merchant',
    sharedRefunds('batch'),
  ),
  fault(
    'large-batch-of-all-merchants',
    "Shows any merchant's refunds in a batch of fifty ids and more.",
    'refunds.batch-query.other-merchant',
    'batch-query.other-merchant',
    sharedRefunds('large batch'),
  ),
  fault(
    'long-ids-of-all-merchants-in-batches',
    "Shows any merchant's refunds in a batch where their ids have 60 characters and more.",
    'refunds.batch-query.other-merchant',
    'batch-query.other-merchant',
    sharedRefunds('batch of long ids'),
  ),
];

/** A server that answers a batch query for other ids than were asked for. */
const askingFor = (change: (ids: readonly string[]) => readonly string[]): Handler =>
  onlyFor(isOf('refunds.batch-query'), (request, server) => {
    const ids = bodyOf(request)?.merchantRefundOrderIds;
    if (!Array.isArray(ids) || !isRightlySigned(request, server)) return server.forward(request);
    return server.forward(sending(request, { merchantRefundOrderIds: change(ids.map(String)) }, server));
  });

/** A server that finds in a batch query every refund whose id is the same but for the case of its letters. */
function findingInAnyCase(): Handler {
  const known = new Set<string>();
  const asking = askingFor((ids) => [
    ...new Set(ids.flatMap((id) => [id, ...[...known].filter((each) => each.toLowerCase() === id.toLowerCase())])),
  ]);
  return (request, server) => {
    const id = isOf('refunds.create')(request) ? bodyOf(request)?.merchantRefundOrderId : undefined;
    if (typeof id === 'string') known.add(id);
    return asking(request, server);
  };
}

/** A server that finds in a batch query a refund by its refundOrderId too. */
function findingByPlatformId(): Handler {
  const ownIds = new Map<string, string>();
  const asking = askingFor((ids) => ids.map((id) => ownIds.get(id) ?? id));
  return async (request, server) => {
    const answer = await asking(request, server);
    const made = isOf('refunds.create')(request) ? bodyOf(answer)?.data : undefined;
    if (isObject(made)) ownIds.set(String(made.refundOrderId), String(made.merchantRefundOrderId));
    return answer;
  };
}

const otherIds: readonly Fault[] = [
  fault(
    'batch-by-platform-id',
    'Finds in a batch query refunds by the id that the platform gave them.',
    'refunds.batch-query.known',
    'batch-query.changed-ids',
    findingByPlatformId(),
  ),
  fault(
    'batch-in-any-case',
    'Finds in a batch query refunds whose ids differ in the case of a letter.',
    'refunds.batch-query.known',
    'batch-query.similar-ids',
    findingInAnyCase(),
  ),
  fault(
    'batch-of-twenty',
    'Answers a batch query with the first twenty refunds.',
    'refunds.batch-query.known',
    'batch-query.many-known',
    askingFor((ids) => (ids.length > 100 ? ids : ids.slice(0, 20))),
  ),
  fault(
    'batch-of-ninety-nine',
    'Answers a batch query with the first 99 refunds.',
    'refunds.batch-query.known',
    'batch-query.many-known',
    askingFor((ids) => (ids.length > 100 ? ids : ids.slice(0, 99))),
  ),
  fault(
    'batch-without-its-last',
    'Loses the last id of a full batch query.',
    'refunds.batch-query.known',
    'batch-query.among-unknown',
    askingFor((ids) => (ids.length === 100 ? ids.slice(0, -1) : ids)),
  ),
  fault(
    'batch-ends-at-unknown',
    'Ends a batch query at the first id that it does not know.',
    'refunds.batch-query.known',
    'batch-query.among-unknown',
    askingFor((ids) => (ids.length === 100 ? ids.slice(0, 2) : ids)),
  ),
  fault(
    'batch-leaves-out-doubled',
    'Leaves ids out of a batch query that are given twice.',
    'refunds.batch-query.known',
    'batch-query.doubled-ids',
    askingFor((ids) => {
      const once = ids.filter((id) => ids.filter((each) => each === id).length === 1);
      return ids.length > 100 ? ids : once.length > 0 ? once : ['none-of-them'];
    }),
  ),
  fault(
    'batch-counts-different-ids',
    'Counts in a batch query the ids that are different.',
    'refunds.batch-query.ids.maximum',
    'batch-query.doubled-ids',
    askingFor((ids) => [...new Set(ids)]),
  ),
];

/** Wrong servers that answer batch queries for other refunds, or in another form. */
export const refundBatchFaults: readonly Fault[] = [...lists, ...otherIds];
