import { ordersMachine, type RequirementId } from '../../generated/catalogue.ts';
import { isObject, valueAt } from '../contract/json.ts';
import { contractOperations } from '../contract/operations.ts';
import { show } from '../contract/show.ts';
import { type AnswerFault, answerFaults } from './answer-faults.ts';
import { between } from './between.ts';
import { type Book, type Entity, type Exchanged, idField, type Sighting, textAt } from './book.ts';
import { inRule } from './declared.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

/** For each operation, the sentences on the fields that its views always have and on those that depend on the status. */
const sentences: Readonly<Record<string, { fields: RequirementId; status?: RequirementId }>> = {
  'orders.create': { fields: 'orders.view.fields', status: 'orders.view.unpaid-nulls' },
  'orders.query': { fields: 'orders.view.fields', status: 'orders.view.unpaid-nulls' },
  'checkout.payment-methods': { fields: 'checkout.payment-methods.fields' },
  'checkout.create': { fields: 'checkout.view.fields', status: 'checkout.view.unpaid' },
  'checkout.query': { fields: 'checkout.view.fields', status: 'checkout.view.unpaid' },
  'refunds.create': { fields: 'refunds.record.fields', status: 'refunds.record.completed' },
  'refunds.query': { fields: 'refunds.record.fields', status: 'refunds.record.completed' },
  'refunds.batch-query': { fields: 'refunds.record.fields', status: 'refunds.record.completed' },
};

const ruleId = (operation: string, name: string) => `${operation}.presence.${name}`;
const paymentRule = ruleId('checkout.create', 'payment');
const estimateRule = ruleId('refunds.create', 'estimated-completion');

const rules: readonly InvariantRule[] = [
  ...contractOperations.flatMap(({ name }): InvariantRule[] => {
    const { fields, status } = sentences[name] ?? {};
    return [
      ...(fields
        ? [
            {
              id: ruleId(name, 'fields'),
              title: `Every success of ${name} has all fields that it must have, none of them null`,
              requirements: [fields] as const,
            },
          ]
        : []),
      ...(status
        ? [
            {
              id: ruleId(name, 'status'),
              title: `Every success of ${name} has the fields that go with the status, and those of no other status`,
              requirements: [status] as const,
            },
          ]
        : []),
    ];
  }),
  {
    id: paymentRule,
    title: 'No answer to a checkout create shows a payment, not even to a repeat after the order was paid',
    requirements: ['checkout.view.fields'],
  },
  {
    id: estimateRule,
    title: 'The answer to an accepted refund says when it will probably be done',
    requirements: ['refunds.create.estimated-completion'],
  },
];

/** A field is there, null or absent as state and operation say. */
export const presence: Invariant = { name: 'presence', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  for (const exchanged of book.exchanged) if (exchanged.accepted) yield* judgeFields(book, exchanged);
  for (const entity of book.entities) {
    for (const sighting of entity.sightings) {
      const { operation } = sighting.exchanged;
      if (operation === 'checkout.create') yield judgePayment(sighting);
      if (operation === 'refunds.create') yield* judgeEstimate(entity, sighting);
    }
  }
}

function* judgeFields(book: Book, exchanged: Exchanged): Iterable<Judgement> {
  const { record, operation } = exchanged;
  const faults = answerFaults(book, exchanged).filter(({ kind }) => kind === 'presence');
  for (const name of operation === 'checkout.payment-methods' ? ['fields'] : ['fields', 'status']) {
    if (name === 'status' && showsUnknownState(exchanged)) continue;
    const found = faults.filter(({ byStatus }) => byStatus === (name === 'status'));
    const rule = ruleId(operation, name);
    if (found.length === 0) yield { rule, records: [record] };
    for (const fault of found) {
      const actual = fault.byStatus
        ? `${fault.actual}${shownStatus(exchanged, fault)}${shownBefore(book, exchanged, fault)}`
        : fault.actual;
      yield { rule, records: [record], fault: { ...inRule(fault), actual } };
    }
  }
}

/** The status of the view in which a place lies, as the end of what was found there: whether that is the right one is another question. */
function shownStatus({ answered }: Exchanged, { path }: AnswerFault): string {
  const [data = '', index = ''] = path.split('.');
  const view = /^[0-9]+$/.test(index) ? [data, index] : [data];
  const status = valueAt(answered, [...view, 'status']);
  return status === undefined ? '' : `, where ${view.join('.')}.status = ${show(status)}`;
}

/** That an earlier answer showed in the same status what is not there now, as the end of what was found, with what happened in between. */
function shownBefore(book: Book, { answered, area, merchantId, record }: Exchanged, { path }: AnswerFault): string {
  const [, ...inView] = path.split('.');
  const isThere = (view: unknown) => (valueAt(view, inView) ?? null) !== null;
  const view = valueAt(answered, ['data']);
  const id = isObject(view) ? textAt(view, idField[area]) : undefined;
  const entity = id === undefined ? undefined : book.entity(area, merchantId, id);
  if (!entity || !isObject(view) || isThere(view)) return '';
  const before = entity.sightings.find(
    (each) => each.status === view.status && each.record.end < record.start && isThere(each.view),
  );
  return before ? `; an earlier answer showed it${between(book, entity, before.record, record)}` : '';
}

/**
 * Whether a create shows a hosted order in no state of the contract, such as PENDING in the guide's example. That says nothing of its
 * payment, which the order has where the create is a repeat.
 */
function showsUnknownState({ operation, answered }: Exchanged): boolean {
  const status = valueAt(answered, ['data', 'status']);
  return operation === 'orders.create' && typeof status === 'string' && !Object.hasOwn(ordersMachine.states, status);
}

const paymentFields = ['cryptoPaidAmount', 'cryptoPaymentDetail', 'paidAt'];

/** A payment before its success breaks the rule on the status already, so this looks at paid orders only. */
function judgePayment({ record, view, status }: Sighting): Judgement {
  const shown = paymentFields.find((name) => view[name] !== undefined && view[name] !== null);
  if (shown === undefined || status !== 'SUCCEEDED') return { rule: paymentRule, records: [record] };
  return {
    rule: paymentRule,
    records: [record],
    fault: {
      expected: `data.${shown} has no value in the answer to a create`,
      actual: `data.${shown} = ${show(view[shown])}`,
    },
  };
}

/** Judged in the answer that accepts the refund. Where several creates may have made it, none can be told to be that one. */
function* judgeEstimate({ origins }: Entity, { exchanged, record, view }: Sighting): Iterable<Judgement> {
  if (origins.length !== 1 || origins[0] !== exchanged) return;
  // A null is a fault of the record's fields already.
  if (view.estimatedCompletionTime !== undefined) return yield { rule: estimateRule, records: [record] };
  yield {
    rule: estimateRule,
    records: [record],
    fault: {
      expected: 'data.estimatedCompletionTime is there in the answer that accepts the refund',
      actual: 'data.estimatedCompletionTime is absent',
    },
  };
}
