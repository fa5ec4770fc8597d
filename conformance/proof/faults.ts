import { authFaults } from './auth-faults.ts';
import { checkoutAuthFaults } from './checkout-auth-faults.ts';
import { checkoutCreateFaults } from './checkout-create-faults.ts';
import { checkoutMethodsFaults } from './checkout-methods-faults.ts';
import { checkoutQueryFaults } from './checkout-query-faults.ts';
import { checkoutRepeatFaults } from './checkout-repeat-faults.ts';
import { checkoutRuleFaults } from './checkout-rule-faults.ts';
import { checkoutStateFaults } from './checkout-state-faults.ts';
import { checkoutViewFaults } from './checkout-view-faults.ts';
import { constraintFaults } from './constraint-faults.ts';
import { createFaults } from './create-faults.ts';
import { explorationFaults } from './exploration-faults.ts';
import type { Fault } from './fault.ts';
import { refundAuthFaults } from './refund-auth-faults.ts';
import { refundBalanceFaults } from './refund-balance-faults.ts';
import { refundCreateFaults } from './refund-create-faults.ts';
import { refundErrorFaults } from './refund-error-faults.ts';
import { refundQueryFaults } from './refund-query-faults.ts';
import { refundRecordFaults } from './refund-record-faults.ts';
import { refundRepeatFaults } from './refund-repeat-faults.ts';
import { robustnessFaults } from './robustness-faults.ts';
import { stateFaults } from './state-faults.ts';
import { viewFaults } from './view-faults.ts';
import { webhookFaults } from './webhook-faults.ts';

/** Every wrong server, in the order of the checks. */
export const allFaults: readonly Fault[] = [
  ...authFaults,
  ...createFaults,
  ...constraintFaults,
  ...viewFaults,
  ...stateFaults,
  ...refundAuthFaults,
  ...refundCreateFaults,
  ...refundRepeatFaults,
  ...refundBalanceFaults,
  ...refundRecordFaults,
  ...refundQueryFaults,
  ...refundErrorFaults,
  ...checkoutAuthFaults,
  ...checkoutMethodsFaults,
  ...checkoutCreateFaults,
  ...checkoutRuleFaults,
  ...checkoutRepeatFaults,
  ...checkoutViewFaults,
  ...checkoutQueryFaults,
  ...checkoutStateFaults,
  ...webhookFaults,
  ...robustnessFaults,
  ...explorationFaults,
];
