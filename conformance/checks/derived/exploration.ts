import { ordersMachine, type RequirementId } from '../../../generated/catalogue.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import type { OperationArea } from '../../contract/operations.ts';
import { explore } from '../support/exploration/explore.ts';

/** The sentences of the moves of hosted orders. */
const moves = [...new Set(ordersMachine.transitions.flatMap(({ requirement }) => requirement ?? []))];

/** Requirements that the sequences of an area may show to be broken. */
const requirementsOf: Readonly<Record<OperationArea, readonly RequirementId[]>> = {
  orders: ['orders.states.no-other-moves', ...moves, 'orders.states.final', 'orders.view.crypto-paid-amount'],
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
    'refunds.batch-query.known',
    'checkout.states.final',
    'checkout.payment-rule',
    'checkout.create.repeat-same-order',
    'checkout.view.paid-amount',
    'refunds.states.final',
    ...moves,
    'orders.states.final',
  ],
};

const nouns: Readonly<Record<OperationArea, string>> = {
  orders: 'hosted orders',
  checkout: 'checkout orders',
  refunds: 'refunds',
};

export const explorationChecks: readonly CheckDeclaration[] = (['orders', 'refunds', 'checkout'] as const).map(
  (area) => ({
    id: `${area}.exploration`,
    title: `Random sequences of steps with several ${nouns[area]} lead where the contract says`,
    calls: [area === 'refunds' ? 'orders' : area],
    mayCall: ['checkout'],
    requirements: requirementsOf[area],
    needs: ['own-merchant', 'order-events'],
    long: true,
    run: (context) => explore(context, area),
  }),
);
