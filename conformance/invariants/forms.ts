import type { RequirementId } from '../../generated/catalogue.ts';
import { contractOperations, type OperationArea } from '../contract/operations.ts';
import { answerFaults } from './answer-faults.ts';
import type { Book } from './book.ts';
import { inRule } from './declared.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

const amounts: Readonly<Record<OperationArea, RequirementId>> = {
  orders: 'orders.view.amounts',
  checkout: 'checkout.view.amounts',
  refunds: 'refunds.record.amount',
};
const times: Readonly<Record<OperationArea, RequirementId>> = {
  orders: 'orders.view.times',
  checkout: 'checkout.view.times',
  refunds: 'refunds.record.times',
};

/** The list of payment methods has no time, and bounds in place of amounts. */
const list = 'checkout.payment-methods';

const ruleIds = {
  amount: (operation: string) => `${operation}.money.form`,
  time: (operation: string) => `${operation}.times.form`,
};

const rules: readonly InvariantRule[] = contractOperations.flatMap(({ name, area }): InvariantRule[] => [
  {
    id: ruleIds.amount(name),
    title: `Every amount in a success of ${name} has the form that the contract declares`,
    requirements: [name === list ? 'checkout.payment-methods.bounds' : amounts[area]],
  },
  ...(name === list
    ? []
    : [
        {
          id: ruleIds.time(name),
          title: `Every time in a success of ${name} has the form that the contract declares`,
          requirements: [times[area]] as const,
        },
      ]),
]);

/** Amounts and times in views have the form that the contract declares. Their values are for the invariants money and times. */
export const forms: Invariant = { name: 'forms', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  for (const exchanged of book.exchanged) {
    if (!exchanged.accepted) continue;
    const { record, operation } = exchanged;
    const faults = answerFaults(book, exchanged);
    for (const kind of operation === list ? (['amount'] as const) : (['amount', 'time'] as const)) {
      const found = faults.filter((fault) => fault.kind === kind);
      const rule = ruleIds[kind](operation);
      if (found.length === 0) yield { rule, records: [record] };
      for (const fault of found) yield { rule, records: [record], fault: inRule(fault) };
    }
  }
}
