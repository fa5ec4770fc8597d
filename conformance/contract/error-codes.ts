import {
  type CheckoutErrorName,
  checkoutErrorCodes,
  type KnownError,
  type OrderErrorName,
  orderErrorCodes,
  type RefundErrorName,
  refundErrorCodes,
} from '../../generated/catalogue.ts';
import type { OperationArea } from './operations.ts';

/** The errors of each area by the names that the catalogue gives them. */
interface ErrorNames {
  orders: OrderErrorName;
  checkout: CheckoutErrorName;
  refunds: RefundErrorName;
}

const known: Readonly<Record<OperationArea, readonly KnownError[]>> = {
  orders: orderErrorCodes,
  checkout: checkoutErrorCodes,
  refunds: refundErrorCodes,
};

/** The code by which the operations of an area report the error of this name. */
export function errorCode<Area extends OperationArea>(area: Area, name: ErrorNames[Area]): string {
  const error = known[area].find((each) => each.name === name);
  if (!error) throw new Error(`the catalogue has no error ${name} of ${area}`);
  return error.code;
}

/** The codes of a service that failed, after which a request may have had an effect or not. */
export const systemErrorCodes: readonly string[] = Object.values(known)
  .flat()
  .filter(({ name }) => name === 'SYSTEM_ERROR')
  .map(({ code }) => code);

/** The codes of a request that was found to be nobody's, so that nothing in it was looked at. */
export const authenticationErrorCodes: readonly string[] = Object.values(known)
  .flat()
  .filter(({ name }) => ['INVALID_SIGNATURE', 'TIMESTAMP_EXPIRED', 'INVALID_API_KEY'].includes(name))
  .map(({ code }) => code);

/** The codes that find a field of a create wrong. A hosted create may have those of the checkout table (open point `orders-error-codes`). */
export const fieldErrorCodes: Readonly<Record<OperationArea, readonly string[]>> = {
  orders: [
    errorCode('orders', 'INVALID_PARAMETER'),
    errorCode('checkout', 'INVALID_AMOUNT'),
    errorCode('checkout', 'INVALID_EXPIRES_AT'),
  ],
  checkout: [
    errorCode('checkout', 'INVALID_PARAMETER'),
    errorCode('checkout', 'INVALID_AMOUNT'),
    errorCode('checkout', 'INVALID_EXPIRES_AT'),
    errorCode('checkout', 'UNCONFIGURED_PAYMENT_METHOD'),
  ],
  refunds: [errorCode('refunds', 'INVALID_PARAMETER')],
};

const namedCodes = new Set(
  Object.values(known)
    .flat()
    .map(({ code }) => code),
);

/** Whether the contract names this code in any area. */
export const isNamedCode = (code: string): boolean => namedCodes.has(code);
