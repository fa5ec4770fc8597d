import { type RefundsEvent, type RefundsState, refundsMachine } from '../../../generated/catalogue.ts';
import { type MadeRefund, makeRefundIn } from '../../arrange/refunds/refunds.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { stateGridChecks } from '../support/state-grid.ts';

/** The whole grid of states and events of a refund; all of it but the final states is free. */
export const refundsStatesChecks: readonly CheckDeclaration[] = stateGridChecks<RefundsState, RefundsEvent, MadeRefund>(
  {
    machine: 'refunds',
    noun: 'a refund',
    table: refundsMachine,
    idPrefix: 'refunds.state',
    needs: () => ['order-events', 'refund-events'],
    make: async (context, state) => {
      if (state === 'INIT') throw new Inconclusive('no move leads a refund to INIT');
      return makeRefundIn(context, state);
    },
    happen: async (context, { merchant, refundOrderId }, type) => {
      if (type === 'accepted') throw new Inconclusive('a refund is accepted by its create');
      return context.refundEvent(merchant, refundOrderId, { type });
    },
    answer: 'RefundSuccess',
    lasting: [
      'refundOrderId',
      'merchantRefundOrderId',
      'acquiringOrderId',
      'refundAmount',
      'refundCurrency',
      'createdTime',
      'completedTime',
      'failedTime',
      'closedTime',
      'errorCode',
      'errorMessage',
    ],
    choiceOf: ({ from, event, seen, done }) => {
      if (from !== 'PENDING') return undefined;
      if (event === 'processing_started' && seen === 'PROCESSING') return 'through-processing';
      if (event === 'processing_started' && seen === 'PENDING' && done) return 'straight';
      return event === 'completed' && seen === 'SUCCEEDED' ? 'straight' : undefined;
    },
  },
);
