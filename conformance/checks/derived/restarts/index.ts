import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { createChecks } from './creates.ts';
import { earlierPaymentChecks } from './earlier-payments.ts';
import { moneyChecks } from './money.ts';
import { refusalChecks } from './refusals.ts';
import { stateChecks } from './states.ts';

/** The checks that end the target without warning. They run after all others. */
export const restartChecks: readonly CheckDeclaration[] = [
  ...createChecks,
  ...earlierPaymentChecks,
  ...moneyChecks,
  ...refusalChecks,
  ...stateChecks,
];
