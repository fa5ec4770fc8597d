import type { RequirementId } from '../../generated/catalogue.ts';
import { compareAmounts, sumAmounts } from '../domain/money.ts';
import type { OrderCreateRequest } from '../domain/order.ts';

/** A requirement on a request that its schema cannot express. */
export interface RequestRule<Request> {
  requirement: RequirementId;
  /** What is wrong, as `field: rule and cure`; `undefined` when nothing is. `now` is business time in milliseconds. */
  violation(request: Request, facts: { now: number }): string | undefined;
}

/** The rules of creating a hosted order, in the order in which they are looked at. */
export const orderCreateRules: readonly RequestRule<OrderCreateRequest>[] = [
  {
    requirement: 'orders.create.expires-at.range',
    violation: ({ expiresAt }, { now }) =>
      Date.parse(expiresAt) > now ? undefined : 'expiresAt: is in the past; set a time in the future',
  },
  {
    requirement: 'orders.create.sub-merchants.sum',
    violation: ({ subMerchants = [], orderAmount }) => {
      if (subMerchants.length === 0) return undefined;
      const sum = sumAmounts(subMerchants.map(({ amount }) => amount));
      if (compareAmounts(sum, orderAmount.value) === 0) return undefined;
      return `subMerchants: the amounts make ${sum}, the order's amount is ${orderAmount.value}; make them equal`;
    },
  },
];
