import { checkoutMachine, ordersMachine, type RequirementId, refundsMachine } from '../../../generated/catalogue.ts';
import type { OperationArea } from '../../contract/operations.ts';
import type { InvariantRule } from '../invariant.ts';
import { requirementsOfFinalViews } from './final-view.ts';
import type { Cause } from './order-course.ts';

/** A rule about what the queries of an area show, by the last word of its ids. */
export type QueryRule = 'final' | 'final-view' | 'no-other-moves' | 'late-payment' | Cause;

/** What binds the states of one kind of entity. */
export interface Subject {
  noun: string;
  create: string;
  queries: readonly string[];
  /** The state that a create makes. */
  initial: string;
  initialRequirement: RequirementId;
  /** The requirements of the rules that the contract states. */
  bound: Readonly<Partial<Record<QueryRule, RequirementId>>>;
}

/** What the contract says about the states of each kind of entity. What it leaves free has no rule. */
export const subjects: Readonly<Record<OperationArea, Subject>> = {
  orders: {
    noun: 'a hosted order',
    create: 'orders.create',
    queries: ['orders.query'],
    initial: ordersMachine.initial,
    initialRequirement: 'orders.states.initial',
    bound: {
      final: ordersMachine.final,
      'final-view': ordersMachine.final,
      ...(ordersMachine.noOtherMoves && { 'no-other-moves': ordersMachine.noOtherMoves }),
      waits: 'orders.states.initial',
      detected: 'orders.states.detected',
      confirmed: 'orders.states.confirmed',
      underpaid: 'orders.states.failed',
      failed: 'orders.states.failed',
      cancelled: 'orders.states.cancelled',
      expired: 'orders.states.expired',
      'late-payment': 'orders.states.expired',
    },
  },
  checkout: {
    noun: 'a checkout order',
    create: 'checkout.create',
    queries: ['checkout.query'],
    initial: checkoutMachine.initial,
    initialRequirement: 'checkout.states.initial',
    bound: {
      final: checkoutMachine.final,
      'final-view': checkoutMachine.final,
      waits: 'checkout.states.initial',
      confirmed: 'checkout.payment-rule',
      underpaid: 'checkout.payment-rule',
      expired: 'checkout.states.expired',
      'late-payment': 'checkout.states.expired',
    },
  },
  refunds: {
    noun: 'a refund',
    create: 'refunds.create',
    queries: ['refunds.query', 'refunds.batch-query'],
    initial: refundsMachine.initial,
    initialRequirement: 'refunds.create.accepted',
    bound: { final: refundsMachine.final, 'final-view': refundsMachine.final },
  },
};

/** Every rule about queries, with what is true where it is kept, as the end of a sentence about what an operation shows. */
const queryRules: readonly (readonly [QueryRule, (noun: string) => string])[] = [
  ['final', (noun) => `shows ${noun} in the final state in which it was seen before`],
  ['final-view', (noun) => `shows the same times, amounts and transaction of ${noun} that is in a final state`],
  ['no-other-moves', (noun) => `shows ${noun} in a state to which moves lead from the one in which it was seen before`],
  ['waits', (noun) => `shows ${noun} as waiting for its payment until it is paid or its time has passed`],
  ['detected', (noun) => `shows ${noun} as PROCESSING once a transaction has been detected`],
  ['confirmed', (noun) => `shows ${noun} as SUCCEEDED once a payment that is large enough has been confirmed`],
  ['underpaid', (noun) => `shows ${noun} as FAILED once a payment that is too small has been confirmed`],
  ['failed', (noun) => `shows ${noun} as FAILED once its payment has failed`],
  ['cancelled', (noun) => `shows ${noun} as CLOSED once the merchant has cancelled it`],
  ['expired', (noun) => `shows ${noun} as ended when its time has passed and nobody has paid it`],
  ['late-payment', (noun) => `does not show ${noun} as paid whose payment came after its expiry`],
];

/** The id of a rule of an operation. */
export const ruleId = (operation: string, name: 'initial' | QueryRule): string => `${operation}.transitions.${name}`;

/** The rules of one kind of entity. */
function rulesOf(area: OperationArea): InvariantRule[] {
  const { noun, create, queries, initial, initialRequirement, bound } = subjects[area];
  return [
    {
      id: ruleId(create, 'initial'),
      title: `The first answer of ${create} shows ${noun} as ${initial}`,
      requirements: [initialRequirement],
    },
    ...queries.flatMap((operation) =>
      queryRules.flatMap(([name, title]): InvariantRule[] => {
        const requirement = bound[name];
        if (!requirement) return [];
        const further = name === 'final-view' ? requirementsOfFinalViews(area) : [];
        return [
          {
            id: ruleId(operation, name),
            title: `${operation} ${title(noun)}`,
            requirements: [requirement, ...further],
          },
        ];
      }),
    ),
  ];
}

/** The rules of all kinds. */
export const rules: readonly InvariantRule[] = (['orders', 'checkout', 'refunds'] as const).flatMap(rulesOf);
