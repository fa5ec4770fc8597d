import type { Area } from '../../generated/catalogue.ts';
import { createCheckoutOrder, queryCheckoutOrder } from './checkout-orders/operations.ts';
import { createOrder, queryOrder } from './orders/operations.ts';
import { createRefund } from './refunds/operations.ts';
import type { ArrangedOperation } from './requests/arranged-operation.ts';

/** Operations that make a record, best first: a rule of all operations is shown by the first one that the target has. */
export const creates: readonly ArrangedOperation[] = [createOrder, createCheckoutOrder, createRefund];

/** The areas of operations, of which a check needs one. */
export function areasOf(operations: readonly ArrangedOperation[]): readonly Area[] {
  return operations.map(({ area }) => area);
}

/** Operations that only show a record and have no query string, best first. */
export const plainQueries: readonly ArrangedOperation[] = [queryOrder, queryCheckoutOrder];
