import type { RequirementId } from '../../../generated/catalogue.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { explore, type Subject } from '../support/exploration/explore.ts';

/** What sequences about a subject may show to be broken. */
const sentences: Readonly<Record<Subject, readonly RequirementId[]>> = {
  orders: ['orders.states.no-other-moves', 'orders.states.final', 'orders.view.crypto-paid-amount'],
  checkout: [
    'checkout.states.final',
    'checkout.payment-rule',
    'checkout.create.repeat-same-order',
    'checkout.view.paid-amount',
  ],
  refunds: [
    'refunds.create.accepted',
    'refunds.create.completed-payments',
    'refunds.create.reserves-funds',
    'refunds.create.idempotent',
    'refunds.errors.refused',
    'refunds.record.amount',
    'refunds.query.by-refund-order-id',
    'refunds.states.final',
    'orders.states.final',
  ],
};

const nouns: Readonly<Record<Subject, string>> = {
  orders: 'hosted orders',
  checkout: 'checkout orders',
  refunds: 'refunds',
};

export const explorationChecks: readonly CheckDeclaration[] = (['orders', 'refunds', 'checkout'] as const).map(
  (subject) => ({
    id: `${subject}.exploration`,
    title: `Random sequences of steps with several ${nouns[subject]} lead where the contract says`,
    calls: [subject === 'refunds' ? 'orders' : subject],
    requirements: sentences[subject],
    needs: ['own-merchant', 'order-events'],
    long: true,
    run: (context) => explore(context, subject),
  }),
);
