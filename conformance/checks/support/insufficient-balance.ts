import { expectField, expectRefused, expectStatus } from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import type { Answer } from '../../wire/exchange.ts';

/** Fails unless an answer refuses a refund because the balance does not cover it. */
export function expectInsufficient(answer: Answer, what: string): void {
  expectRefused(answer, what, 'refunds.create.reserves-funds');
  expectField(answer, 'code', errorCode('refunds', 'INSUFFICIENT_BALANCE'), 'refunds.errors.insufficient-balance');
  expectStatus(answer, 400, what, 'refunds.errors.business');
}
