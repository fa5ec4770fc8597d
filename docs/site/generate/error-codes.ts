import {
  checkoutErrorCodes,
  type KnownError,
  orderErrorCodes,
  refundErrorCodes,
  refundFailureCodes,
} from '../../../generated/catalogue.ts';
import { address } from './catalogue-links.ts';
import type { OperationArea } from './contract.ts';
import { code, link } from './markdown.ts';

const known: Readonly<Record<OperationArea, readonly KnownError[]>> = {
  orders: orderErrorCodes,
  checkout: checkoutErrorCodes,
  refunds: [...refundErrorCodes, ...refundFailureCodes],
};

/** The known error codes of an area. Codes that stand inside refunds come last. */
export function errorsOf(area: OperationArea): readonly KnownError[] {
  return known[area];
}

export function errorLink({ code: value, name }: KnownError): string {
  return `${link(code(value), address.error(value))}${name === value ? '' : ` ${name}`}`;
}
