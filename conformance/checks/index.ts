import type { Check } from '../check.ts';
import { authHeaderChecks } from './auth-headers.ts';
import { authSignatureChecks } from './auth-signatures.ts';
import { authTimestampChecks } from './auth-timestamps.ts';
import { fieldRuleChecks } from './field-rules.ts';
import { ordersCreateChecks } from './orders-create.ts';
import { ordersErrorsChecks } from './orders-errors.ts';
import { ordersQueryChecks } from './orders-query.ts';
import { ordersStatesChecks } from './orders-states.ts';
import { ordersViewChecks } from './orders-view.ts';

/** Every check, in the contract's order. */
export const allChecks: readonly Check[] = [
  ...authSignatureChecks,
  ...authHeaderChecks,
  ...authTimestampChecks,
  ...ordersCreateChecks,
  ...fieldRuleChecks,
  ...ordersViewChecks,
  ...ordersQueryChecks,
  ...ordersErrorsChecks,
  ...ordersStatesChecks,
];
