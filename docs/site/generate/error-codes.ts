import {
  checkoutErrorCodes,
  type KnownError,
  orderErrorCodes,
  refundErrorCodes,
  refundFailureCodes,
} from '../../../generated/catalogue.ts';
import { address } from './catalogue-links.ts';
import { code, link } from './markdown.ts';

export const errorAreas = ['orders', 'checkout', 'refunds'] as const;
export type ErrorArea = (typeof errorAreas)[number];

const known: Readonly<Record<ErrorArea, readonly KnownError[]>> = {
  orders: orderErrorCodes,
  checkout: checkoutErrorCodes,
  refunds: [...refundErrorCodes, ...refundFailureCodes],
};

/** The known codes of an area, those inside its records last. */
export function errorsOf(area: ErrorArea): readonly KnownError[] {
  return known[area];
}

export function errorLink({ code: value, name }: KnownError): string {
  return `${link(code(value), address.error(value))}${name === value ? '' : ` ${name}`}`;
}
