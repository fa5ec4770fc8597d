import { limit, type RequirementId } from '../../generated/catalogue.ts';
import { errorCode } from '../contract/error-codes.ts';
import { isObject, valueAt } from '../contract/json.ts';
import type { OperationArea } from '../contract/operations.ts';
import { show } from '../contract/show.ts';
import { isBefore } from '../history/recorder.ts';
import type { RequestRecord } from '../history/records.ts';
import { type Book, type Exchanged, idField, isCreate, merchantIdField, textAt } from './book.ts';
import {
  codeOf,
  isOrdinary,
  isOrdinaryByGivenId,
  isRefused,
  isRefusedForNow,
  saysSomethingOf,
} from './bound-answers.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

const areas: readonly OperationArea[] = ['orders', 'checkout', 'refunds'];

const refusedRule = (area: OperationArea) => `${area}.create.effects.refused`;
const foundRule = (operation: string) => `${operation}.effects.found`;

const refusals: Readonly<Record<OperationArea, RequirementId>> = {
  orders: 'orders.errors.refused',
  checkout: 'checkout.errors.refused',
  refunds: 'refunds.errors.refused',
};
const byOrderIdRule = 'orders.query.effects.by-order-id';

const queries: Readonly<Record<string, readonly [RequirementId, ...RequirementId[]]>> = {
  'orders.query': ['orders.query.by-merchant-order-id'],
  'checkout.query': ['checkout.query.by-merchant-order-id'],
  'refunds.query': ['refunds.query.by-merchant-refund-order-id', 'refunds.query.by-refund-order-id'],
  'refunds.batch-query': ['refunds.batch-query.known'],
};

const rules: readonly InvariantRule[] = [
  ...areas.map(
    (area): InvariantRule => ({
      id: refusedRule(area),
      title: `Nothing is found under the id of a refused ${area}.create that was never accepted`,
      requirements: [refusals[area], 'auth.refused-changes-nothing'],
    }),
  ),
  ...Object.entries(queries).map(
    ([operation, requirements]): InvariantRule => ({
      id: foundRule(operation),
      title: `${operation} finds what an earlier create was accepted for`,
      requirements,
    }),
  ),
  {
    id: byOrderIdRule,
    title: 'orders.query finds every hosted order by its platform id, where it finds any by that',
    requirements: ['orders.query.by-order-id'],
  },
];

/** How many ids a batch query takes. */
const mostIds = limit('refunds.batch.ids', 'max');

/** What was refused makes nothing; what was accepted is found. */
export const effects: Invariant = { name: 'effects', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  const creates = readCreates(book);
  const findsByOrderId = book.exchanged.some((query) => query.accepted && orderMadeAs(creates, query));
  for (const exchanged of book.exchanged) {
    if (isCreate(exchanged.operation)) continue;
    // A target may find hosted orders by the merchant's ids only (the point orders-query-id).
    if (findsByOrderId) yield* judgeByOrderId(book, exchanged, creates);
    yield* judgeRefused(exchanged, creates);
    yield* judgeFound(book, exchanged, creates);
  }
}

/** The creates of a run under one id of one merchant. */
interface Creates {
  accepted: Exchanged[];
  refused: Exchanged[];
  /** Some may have had an effect or not. */
  unsure: boolean;
}

/** The creates of each area by merchant and the merchant's own id, and the accepted ones by the platform's. */
interface AllCreates {
  under(area: OperationArea, merchantId: string, id: string): Creates | undefined;
  acceptedAs(area: OperationArea, merchantId: string, id: string): Exchanged | undefined;
  /** The accepted creates of refunds of an order. */
  refundsOf(merchantId: string, orderId: string): readonly Exchanged[];
}

const keyOf = (...parts: readonly string[]) => JSON.stringify(parts);

function readCreates({ exchanged, unanswered }: Book): AllCreates {
  const byId = new Map<string, Creates>();
  const byPlatformId = new Map<string, Exchanged>();
  const byOrder = new Map<string, Exchanged[]>();
  const under = (area: OperationArea, merchantId: string, sent: unknown): Creates | undefined => {
    const id = textAt(sent, merchantIdField[area]);
    if (id === undefined) return undefined;
    const key = keyOf(area, merchantId, id);
    const creates = byId.get(key) ?? { accepted: [], refused: [], unsure: false };
    byId.set(key, creates);
    return creates;
  };
  for (const each of exchanged) {
    const { operation, area, merchantId, sent } = each;
    const creates = isCreate(operation) ? under(area, merchantId, sent) : undefined;
    if (!creates) continue;
    if (each.accepted) {
      creates.accepted.push(each);
      const platformId = textAt(each.answered, 'data', idField[area]);
      const key = keyOf(area, merchantId, platformId ?? '');
      if (platformId !== undefined && !byPlatformId.has(key)) byPlatformId.set(key, each);
      // The answer to a repeat for another order may be the refund of the first one.
      const refundedOrder = keyOf(merchantId, textAt(each.answered, 'data', 'acquiringOrderId') ?? '');
      if (area === 'refunds') byOrder.set(refundedOrder, [...(byOrder.get(refundedOrder) ?? []), each]);
    } else if (isRefused(each)) creates.refused.push(each);
    else creates.unsure = true;
  }
  for (const record of unanswered) {
    const area = areas.find((each) => record.operation === `${each}.create`);
    const creates = area && under(area, record.parameters?.merchantId ?? '', sentIn(record));
    if (creates) creates.unsure = true;
  }
  return {
    under: (area, merchantId, id) => byId.get(keyOf(area, merchantId, id)),
    acceptedAs: (area, merchantId, id) => byPlatformId.get(keyOf(area, merchantId, id)),
    refundsOf: (merchantId, orderId) => byOrder.get(keyOf(merchantId, orderId)) ?? [],
  };
}

function sentIn({ body }: RequestRecord): unknown {
  try {
    return body && !body.cut ? JSON.parse(body.text) : undefined;
  } catch {
    return undefined;
  }
}

/** The merchant's own ids that a query asks for; of a refund query only where no other id is asked for. */
function askedIds({ area, operation, record, sent }: Exchanged): string[] {
  if (operation === 'refunds.batch-query') {
    const ids = valueAt(sent, ['merchantRefundOrderIds']);
    return Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? ids : [];
  }
  const id = area === 'refunds' ? onlyParameter(record)?.merchantRefundOrderId : record.parameters?.merchantOrderId;
  return id === undefined ? [] : [id];
}

/** The parameter of a query that has no other; `undefined`: there are none or several. */
function onlyParameter({ query = '' }: RequestRecord): Record<string, string> | undefined {
  const parameters = [...new URLSearchParams(query)];
  return parameters.length === 1 ? Object.fromEntries(parameters) : undefined;
}

const viewsIn = ({ answered, accepted }: Exchanged) =>
  accepted ? [valueAt(answered, ['data'])].flat().filter(isObject) : [];

/** The products whose orders may share one namespace of ids (the point id-namespaces). */
const sharing = (area: OperationArea): readonly OperationArea[] =>
  area === 'refunds' ? [area] : ['orders', 'checkout'];

/** The codes of queries that find nothing. */
const notFoundCodes = [
  errorCode('orders', 'ORDER_NOT_FOUND'),
  errorCode('checkout', 'ORDER_NOT_FOUND'),
  errorCode('refunds', 'REFUND_NOT_FOUND'),
];

/** The codes of creates that are refused because there is an order under their id. */
const takenIdCodes = [errorCode('orders', 'ORDER_ALREADY_EXISTS'), errorCode('checkout', 'ORDER_ALREADY_EXISTS')];

/** An id that was only ever refused is under no view. */
function* judgeRefused(query: Exchanged, creates: AllCreates): Iterable<Judgement> {
  const { area, merchantId, record } = query;
  const shown = viewsIn(query).flatMap((view) => textAt(view, merchantIdField[area]) ?? []);
  for (const id of new Set([...askedIds(query), ...shown])) {
    const all = sharing(area).flatMap((each) => creates.under(each, merchantId, id) ?? []);
    if (all.some(({ accepted, unsure }) => unsure || accepted.length > 0)) continue;
    const before = creates
      .under(area, merchantId, id)
      ?.refused.find((create) => isBefore(create.record, record) && !takenIdCodes.includes(codeOf(create) ?? ''));
    if (!before) continue;
    const judgement = { rule: refusedRule(area), records: [before.record, record] };
    if (!shown.includes(id)) {
      // That a query is found to be wrongly signed does not tell what it would show.
      if (saysSomethingOf(query)) yield judgement;
      continue;
    }
    yield {
      ...judgement,
      fault: {
        expected: `nothing under ${merchantIdField[area]} ${show(id)}, whose create was refused with code ${show(codeOf(before))}`,
        actual: `${query.operation} shows it`,
        ...(!before.signed && { requirement: 'auth.refused-changes-nothing' as const }),
      },
    };
  }
}

/** The create of the hosted order whose platform id stands in the place of the merchant's id in a query. */
const orderMadeAs = (creates: AllCreates, { operation, merchantId, record }: Exchanged): Exchanged | undefined =>
  operation === 'orders.query'
    ? creates.acceptedAs('orders', merchantId, record.parameters?.merchantOrderId ?? '')
    : undefined;

/** An order is found by its platform id in each of its states. */
function* judgeByOrderId(book: Book, query: Exchanged, creates: AllCreates): Iterable<Judgement> {
  const create = orderMadeAs(creates, query);
  if (!create || !isOrdinaryByGivenId(book, query) || !isOrdinary(book, create)) return;
  if (!isBefore(create.record, query.record)) return;
  if (query.accepted) yield { rule: byOrderIdRule, records: [query.record] };
  if (query.accepted || !isRefused(query) || isRefusedForNow(book, query)) return;
  yield {
    rule: byOrderIdRule,
    records: [create.record, query.record],
    fault: {
      expected: 'orders.query finds the order by its platform id, as it finds others',
      actual: `refused with code ${show(codeOf(query))}`,
    },
  };
}

/** What explains that a query does not find what a create was accepted for, in words behind its refusal. Empty: nothing in the run does. */
function explained({ exchanged }: Book, query: Exchanged, create: Exchanged): string {
  const { record } = query;
  const alike = exchanged.filter(({ record: { path, query } }) => path === record.path && query === record.query);
  if (alike.some((each) => isBefore(each.record, create.record))) return ', as the same query was before that create';
  const later = alike.find((each) => each.accepted && isBefore(record, each.record));
  // What is refused for another reason, such as its signature, is not late.
  if (!later || !notFoundCodes.includes(codeOf(query) ?? '')) return '';
  const [asked, found] = [record, later.record].map(({ start }) => Math.round(start - create.record.end));
  return ` ${asked} ms after that create; the same query finds it ${found} ms after: what is new is shown late`;
}

/** What a create was accepted for before the query was sent is found by its id. */
function* judgeFound(book: Book, query: Exchanged, creates: AllCreates): Iterable<Judgement> {
  const { operation, area, merchantId, record } = query;
  if (!isOrdinary(book, query) || (!query.accepted && !isRefused(query))) return;
  const earlier = (create: Exchanged | undefined) =>
    create && isOrdinary(book, create) && isBefore(create.record, record) ? create : undefined;
  const made = (id: string) => creates.under(area, merchantId, id)?.accepted.find(earlier);
  const asked = askedIds(query);
  const fault = (create: Exchanged, name: string, id: string, requirement?: RequirementId): Judgement => ({
    rule: foundRule(operation),
    records: [create.record, record],
    fault: {
      expected: `${operation} shows what the create under ${name} ${show(id)} was accepted for`,
      actual: query.accepted
        ? 'the answer does not show it'
        : `refused with code ${show(codeOf(query))}${explained(book, query, create)}`,
      ...(requirement && { requirement }),
    },
  });

  if (operation === 'refunds.batch-query') {
    const isRight = isObject(query.sent) && Object.keys(query.sent).length === 1 && asked.length <= mostIds;
    // A batch query with an unknown id may be refused as a whole (the point refund-batch-unknown).
    const isWhole = isRight && asked.every((id) => made(id)) && new Set(asked).size === asked.length;
    const shown = new Set(viewsIn(query).map((view) => textAt(view, 'merchantRefundOrderId')));
    for (const id of new Set(asked)) {
      const create = made(id);
      if (!create || (!query.accepted && !isWhole)) continue;
      yield shown.has(id)
        ? { rule: foundRule(operation), records: [record] }
        : fault(create, 'merchantRefundOrderId', id);
    }
    return;
  }
  const [id] = asked;
  const orderId = area === 'refunds' ? onlyParameter(record)?.acquiringOrderId : undefined;
  if (orderId !== undefined) {
    const first = creates.refundsOf(merchantId, orderId).find(earlier);
    if (!first) return;
    if (query.accepted) yield { rule: foundRule(operation), records: [record] };
    else yield fault(first, 'acquiringOrderId', orderId, 'refunds.query.by-acquiring-order-id');
    return;
  }
  const platformId = area === 'refunds' ? onlyParameter(record)?.refundOrderId : undefined;
  const create = id === undefined ? earlier(creates.acceptedAs(area, merchantId, platformId ?? '')) : made(id);
  if (!create || (!query.accepted && isRefusedForNow(book, query))) return;
  if (query.accepted) yield { rule: foundRule(operation), records: [record] };
  else if (id !== undefined) yield fault(create, merchantIdField[area], id);
  else yield fault(create, idField[area], platformId ?? '', 'refunds.query.by-refund-order-id');
}
