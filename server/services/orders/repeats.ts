import { isDeepStrictEqual } from 'node:util';
import type { Choices } from '../../../generated/catalogue.ts';
import { compareAmounts } from '../../domain/money.ts';
import type { CheckoutOrder, HostedOrder, OrderMachine } from '../../domain/order.ts';
import type { Refund, RefundCreateRequest } from '../../domain/refund.ts';

/**
 * Whether a create under a used id is answered with the existing record; otherwise it is refused. `existing` is the record
 * as it stands now.
 */
export type Repeats<Kind extends { request: object }> = (
  existing: Kind,
  repeated: Kind['request'],
  machine: OrderMachine,
) => boolean;

/** Repeated creates of hosted orders (open point `orders-duplicate-id`). */
export const hostedRepeats: Readonly<Record<Choices['orders-duplicate-id'], Repeats<HostedOrder>>> = {
  'same-terms': ({ request }, repeated) => sameAmount(request, repeated),
  'always-refused': () => false,
  'same-request': ({ request }, repeated) => sameRequest(request, repeated),
  'always-existing': () => true,
};

/**
 * Repeated creates of checkout orders (open point `checkout-repeat`). The payment method is not compared, because there is
 * only one.
 */
export const checkoutRepeats: Readonly<Record<Choices['checkout-repeat'], Repeats<CheckoutOrder>>> = {
  'same-terms': ({ request }, repeated) => request.network === repeated.network && sameAmount(request, repeated),
  'always-existing': () => true,
  'same-request': ({ request }, repeated) => sameRequest(request, repeated),
  'while-open': ({ status }, _repeated, machine) => !machine.states[status].final,
  'always-refused': () => false,
};

/** Repeated creates of refunds (open point `refund-repeat-different`). */
export const refundRepeats: Readonly<
  Record<Choices['refund-repeat-different'], (existing: Refund, repeated: RefundCreateRequest) => boolean>
> = {
  'by-order': ({ acquiringOrderId }, repeated) => acquiringOrderId === repeated.acquiringOrderId,
  'always-existing': () => true,
  'same-request': ({ request }, repeated) => isDeepStrictEqual(request, repeated),
};

interface Priced {
  orderAmount: { value: string; currency: string };
}

/** Amounts are compared by value: 1.5 is 1.50. */
function sameAmount({ orderAmount: left }: Priced, { orderAmount: right }: Priced): boolean {
  return left.currency === right.currency && compareAmounts(left.value, right.value) === 0;
}

function sameRequest<Request extends Priced>(left: Request, right: Request): boolean {
  return sameAmount(left, right) && isDeepStrictEqual({ ...left, orderAmount: null }, { ...right, orderAmount: null });
}
