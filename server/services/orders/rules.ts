import type { Choices, RequirementId } from '../../../generated/catalogue.ts';
import type { Merchant } from '../../domain/merchant.ts';
import { compareAmounts, sumAmounts } from '../../domain/money.ts';
import type { OrderCreateRequest } from '../../domain/order.ts';
import { endOfTime, isoTime, startOfTime } from '../../domain/times.ts';
import { Refusal, reasonOf } from '../refusal.ts';

/** The facts that a rule may need beside the request. */
export interface RuleFacts {
  /** Business time of the merchant, in milliseconds. */
  now: number;
  merchant: Merchant;
  choices: Choices;
}

/** A requirement on a request that its schema cannot express. */
export interface RequestRule<Request> {
  requirement: RequirementId;
  /** The violation as `field: rule and cure`; `undefined` when the request keeps the rule. */
  violation(request: Request, facts: RuleFacts): string | undefined;
}

/** The refusal for the first rule that a request breaks; `undefined` when it keeps them all. */
export function brokenRule<Request>(
  rules: readonly RequestRule<Request>[],
  request: Request,
  facts: RuleFacts,
): Refusal | undefined {
  for (const { requirement, violation } of rules) {
    const problem = violation(request, facts);
    if (problem !== undefined) return new Refusal(reasonOf(requirement), problem);
  }
  return undefined;
}

const day = 86_400_000;

/** What the merchant's clock shows, for messages about times; empty where nobody has moved the clock. */
export function movedClock({ now, merchant }: Pick<RuleFacts, 'now' | 'merchant'>): string {
  return merchant.clockOffset === 0 ? '' : `; it is ${isoTime(now)} for this merchant, whose clock was moved`;
}

/** The violation by an `expiresAt` that is not in the future. */
export const inThePast = (facts: RuleFacts): string =>
  `expiresAt: is in the past; set a time in the future${movedClock(facts)}`;

/** The violation by an `expiresAt` that is too far in the future. */
export const tooFarAhead = (facts: RuleFacts): string =>
  `expiresAt: is more than 24 hours ahead; set an earlier time${movedClock(facts)}`;

/** The violation of a hosted order's time of expiry, in milliseconds (open point `orders-expiry-past`). */
const expiryProblems: Readonly<
  Record<Choices['orders-expiry-past'], (expiresAt: number, facts: RuleFacts) => string | undefined>
> = {
  'past-refused': (expiresAt, facts) => (expiresAt > facts.now ? undefined : inThePast(facts)),
  'past-accepted': () => undefined,
  bounded: (expiresAt, facts) => {
    if (expiresAt <= facts.now) return inThePast(facts);
    return expiresAt <= facts.now + day ? undefined : tooFarAhead(facts);
  },
};

/**
 * Refuses an `expiresAt` that is no moment of the server's clock: a leap second (open point `leap-seconds`), or an offset of hours
 * alone. The rules after it can rely on a time.
 */
export function expiryFormRule(requirement: RequirementId): RequestRule<{ readonly expiresAt: string }> {
  return {
    requirement,
    violation: ({ expiresAt }) => {
      if (!Number.isNaN(Date.parse(expiresAt))) return undefined;
      return /:60/.test(expiresAt)
        ? 'expiresAt: is a leap second; set the second before or after it'
        : 'expiresAt: must end with Z or with an offset in hours and minutes, such as +01:00';
    },
  };
}

/** The currencies in which an item may be priced (open point `item-currency`). */
const isItemCurrency: Readonly<Record<Choices['item-currency'], (currency: string, ofOrder: string) => boolean>> = {
  any: () => true,
  'of-the-order': (currency, ofOrder) => currency === ofOrder,
};

/** The rules of creating a hosted order, in the order in which they are checked. */
export const orderCreateRules: readonly RequestRule<OrderCreateRequest>[] = [
  expiryFormRule('orders.create.expires-at.form'),
  {
    requirement: 'orders.create.expires-at.range',
    violation: ({ expiresAt }, facts) => {
      const time = Date.parse(expiresAt);
      if (time > endOfTime) return 'expiresAt: is after the year 9999; set an earlier time';
      if (time < startOfTime) return 'expiresAt: is before the year 0; set a later time';
      return expiryProblems[facts.choices['orders-expiry-past']](time, facts);
    },
  },
  {
    requirement: 'orders.create.items.amount',
    violation: ({ items = [], orderAmount }, { choices }) => {
      const isPermitted = isItemCurrency[choices['item-currency']];
      const wrong = items.findIndex(({ amount }) => !isPermitted(amount.currency, orderAmount.currency));
      if (wrong < 0) return undefined;
      return `items.${wrong}.amount.currency: must be ${orderAmount.currency}, the currency of the order`;
    },
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
