import { contractOperations } from '../contract/operations.ts';
import { createCheckoutOrder, listPaymentMethods, queryCheckoutOrder } from './checkout-orders/operations.ts';
import { createOrder, queryOrder } from './orders/operations.ts';
import { batchQueryRefunds, createRefund, queryRefund } from './refunds/operations.ts';
import type { ArrangedOperation } from './requests/arranged-operation.ts';

const arranged: readonly ArrangedOperation[] = [
  createOrder,
  queryOrder,
  createRefund,
  queryRefund,
  batchQueryRefunds,
  listPaymentMethods,
  createCheckoutOrder,
  queryCheckoutOrder,
];

/** Every operation of the contract with a way to make requests to it, in the contract's order. Throws where one has none. */
export const arrangedOperations: readonly ArrangedOperation[] = contractOperations.map(({ name }) => {
  const found = arranged.find((operation) => operation.name === name);
  if (!found) throw new Error(`no request is arranged for the operation ${name}`);
  return found;
});
