import type { Requirement } from '../../../generated/catalogue.ts';
import { expectCode, expectStatus } from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import type { OperationArea } from '../../contract/operations.ts';
import type { Answer } from '../../wire/exchange.ts';

// How an area refuses a request of which a field breaks a rule, where the contract says that.

/** Fails unless a refusal has the status or the code that the area demands for a broken rule of the field at `path`. */
export type ExpectRuleRefusal = (answer: Answer, what: string, rule: Requirement, path: readonly string[]) => void;

/** The code of checkout for any wrong parameter. */
export const invalidParameter = errorCode('checkout', 'INVALID_PARAMETER');

/** The rows of checkout's table of codes that tell of a kind of field, for fields of these names. */
const codeOfField: Readonly<Record<string, string>> = {
  orderAmount: errorCode('checkout', 'INVALID_AMOUNT'),
  amount: errorCode('checkout', 'INVALID_AMOUNT'),
  currency: errorCode('checkout', 'UNCONFIGURED_PAYMENT_METHOD'),
  network: errorCode('checkout', 'UNCONFIGURED_PAYMENT_METHOD'),
  paymentMethodType: errorCode('checkout', 'UNCONFIGURED_PAYMENT_METHOD'),
  expiresAt: errorCode('checkout', 'INVALID_EXPIRES_AT'),
};

const codesOfFields = (path: readonly string[]) => path.flatMap((name) => codeOfField[name] ?? []);

/** By area. With which codes hosted orders are refused is open (open point `orders-error-codes`). */
export const expectRuleRefusal: Readonly<Partial<Record<OperationArea, ExpectRuleRefusal>>> = {
  refunds: (answer, what) => expectStatus(answer, 400, what, 'refunds.errors.invalid-parameter'),
  checkout: (answer, _what, { id, error, openPoint }, path) => {
    // Two rows of the contract's table of codes fit a wrong value of a field that has a row of its own.
    const own = error === undefined ? codesOfFields(path) : [error];
    const namesCodes = error !== undefined || openPoint === 'checkout-overlapping-codes';
    expectCode(answer, [...own, invalidParameter], namesCodes ? id : 'checkout.errors.invalid-parameter');
  },
};
