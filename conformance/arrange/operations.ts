import { createCheckoutOrder, listPaymentMethods, queryCheckoutOrder } from './checkout-orders/operations.ts';
import { createOrder, queryOrder } from './orders/operations.ts';
import { batchQueryRefunds, createRefund, queryRefund } from './refunds/operations.ts';
import type { Operation } from './requests/arranged-operation.ts';

/** The eight operations, in the contract's order. */
export const operations: readonly Operation[] = [
  createOrder,
  queryOrder,
  createRefund,
  queryRefund,
  batchQueryRefunds,
  listPaymentMethods,
  createCheckoutOrder,
  queryCheckoutOrder,
];

/** Those that make something, best first: what holds for all is shown by one that the target has. */
export const creates: readonly Operation[] = [createOrder, createCheckoutOrder, createRefund];

/** Those that only show something, without a query string, best first. */
export const plainQueries: readonly Operation[] = [queryOrder, queryCheckoutOrder];
