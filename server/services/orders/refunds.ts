import { type Choices, limit } from '../../../generated/catalogue.ts';
import { isDue } from '../../domain/due.ts';
import { accountOf, reserve } from '../../domain/ledger.ts';
import type { Merchant } from '../../domain/merchant.ts';
import { businessTime } from '../../domain/merchant.ts';
import type { Order, Product } from '../../domain/order.ts';
import {
  deductAmounts,
  forbidsAnother,
  newRefund,
  type Refund,
  type RefundCreateRequest,
  type RefundMachine,
  refundAmounts,
} from '../../domain/refund.ts';
import { timeForms } from '../../domain/times.ts';
import type { Clock, Ids, Records, Storage } from '../ports.ts';
import { Refusal, type RefusalReason } from '../refusal.ts';
import { isPossibleId, refundIdProblem } from './id-forms.ts';
import { type Moves, refundProcessing } from './moves.ts';
import { type RefundQuery, refundFinder } from './refund-query.ts';
import { refundRepeats } from './repeats.ts';
import { brokenRule, movedClock, type RequestRule } from './rules.ts';

export type RefundService = ReturnType<typeof refundService>;

const day = 86_400_000;

/** Days after its payment in which an order can be refunded (open point `refund-period`). */
const periods: Readonly<Record<Choices['refund-period'], number>> = {
  '30-days': limit('refunds.period', 'value'),
  shorter: 14,
  longer: 90,
};

/** The products whose orders can be refunded (open point `refund-checkout-orders`). */
const refundable: Readonly<Record<Choices['refund-checkout-orders'], readonly Product[]>> = {
  allowed: ['hosted', 'checkout'],
  refused: ['hosted'],
};

/** Why a refund of an order is refused whose id no order can have (open point `query-malformed-id`). */
const malformedOrderIds: Readonly<Record<Choices['query-malformed-id'], RefusalReason>> = {
  'not-found': 'order-not-found',
  'invalid-parameter': 'invalid-parameter',
};

/** How a batch query treats ids that no refund has (open point `refund-batch-unknown`). */
const unknownInBatch: Readonly<Record<Choices['refund-batch-unknown'], (unknown: readonly string[]) => void>> = {
  'left-out': () => {},
  'not-found': ([first]) => {
    if (first === undefined) return;
    throw new Refusal(
      'refund-not-found',
      `merchantRefundOrderIds: this merchant has no refund ${first.slice(0, 80)}; leave it out`,
    );
  },
};

/** The estimated duration of a refund that does not move on by itself, in milliseconds. */
const usualDuration = 3 * day;

/** Refunds. `create`, `query` and `batchQuery` throw a `Refusal` for a request that the merchant got wrong. */
export function refundService(parts: {
  storage: Storage;
  clock: Clock;
  ids: Ids;
  machine: RefundMachine;
  moves: Moves;
  rules: readonly RequestRule<RefundCreateRequest>[];
  choices: Choices;
}) {
  const { storage, clock, ids, machine, moves, rules, choices } = parts;
  const isRepeat = refundRepeats[choices['refund-repeat-different']];
  const isInTheWay = forbidsAnother[choices['refund-second']];
  const period = periods[choices['refund-period']] * day;
  const products = refundable[choices['refund-checkout-orders']];
  const amountOf = refundAmounts[choices['refund-overpaid']];
  const deductAmountOf = deductAmounts[choices['refund-deduct-amount']];
  const dealWithUnknown = unknownInBatch[choices['refund-batch-unknown']];
  const writeTime = timeForms[choices['time-forms']];
  const findRefund = refundFinder(choices);
  const malformedOrderId = malformedOrderIds[choices['query-malformed-id']];
  const reasonOfMiss = (orderId: string) => (isPossibleId.orderId(orderId) ? 'order-not-found' : malformedOrderId);

  /**
   * Accepts a refund and reserves its amount in the same transaction, or answers with the refund that exists under the
   * same merchantRefundOrderId. Checks, in this order: the order, its payment, an earlier refund of it, the refund
   * period, the balance.
   */
  async function create({ merchantId }: Merchant, request: RefundCreateRequest): Promise<Refund> {
    return storage.transaction(async (records) => {
      // The merchant is locked first, always: its ledger and its refunds change together.
      const merchant = await locked(records, merchantId);
      const now = businessTime(merchant, clock());
      const existing = await records.findRefund(merchantId, request.merchantRefundOrderId);
      if (existing) return repeated(records, merchant, existing, request, now);
      const problem = brokenRule(rules, request, { now, merchant, choices });
      if (problem) throw problem;
      const order = await refundableOrder(records, merchant, request.acquiringOrderId, now);
      const automatic = moves.isAutomatic(merchant);
      const takes = automatic ? refundProcessing.startsAfter + refundProcessing.takes : usualDuration;
      const refund = newRefund({
        refundOrderId: ids.refundOrderId(),
        request,
        order,
        amountOf,
        deductAmountOf,
        machine,
        now,
        estimatedCompletionAt: now + takes,
        nextAt: automatic ? now + refundProcessing.startsAfter : null,
      });
      const ledger = reserved(merchant, refund);
      await records.insertRefund(refund);
      await records.updateMerchant({ ...merchant, ledger });
      return refund;
    });
  }

  async function repeated(
    records: Records,
    merchant: Merchant,
    existing: Refund,
    request: RefundCreateRequest,
    now: number,
  ): Promise<Refund> {
    if (isRepeat(existing, request)) return moves.catchUpRefund(records, merchant, existing, now);
    throw new Refusal(
      'idempotency-conflict',
      `merchantRefundOrderId: belongs to a refund of order ${existing.acquiringOrderId}; use a new one`,
    );
  }

  /** The order, if it can be refunded now; locked, so that two refunds of it cannot both find it free. */
  async function refundableOrder(records: Records, merchant: Merchant, orderId: string, now: number): Promise<Order> {
    const { merchantId } = merchant;
    const found = await records.lockOrder(merchantId, orderId);
    if (!found) {
      throw new Refusal(
        reasonOfMiss(orderId),
        "acquiringOrderId: this merchant has no such order; give the platform's id, which is the order's orderId",
      );
    }
    const order = await moves.catchUpOrder(records, found, now);
    if (!products.includes(order.product)) {
      throw new Refusal('order-not-refundable', 'acquiringOrderId: checkout orders cannot be refunded here');
    }
    if (order.paidAt === null) {
      throw new Refusal(
        'order-not-refundable',
        `acquiringOrderId: the order is ${order.status}; it must have SUCCEEDED`,
      );
    }
    const earlier = await records.listRefundsOfOrder(merchantId, orderId);
    const other = earlier.find(isInTheWay);
    if (other) {
      throw new Refusal('order-already-refunded', `acquiringOrderId: refund ${other.refundOrderId} is ${other.status}`);
    }
    const deadline = order.paidAt + period;
    if (now > deadline) {
      throw new Refusal(
        'refund-period-expired',
        `acquiringOrderId: the order could be refunded until ${writeTime(deadline)}${movedClock({ now, merchant })}`,
      );
    }
    return order;
  }

  /** A refund as it stands now. */
  async function query(merchant: Merchant, by: RefundQuery): Promise<Refund> {
    return asOfNow(merchant, await findRefund(storage.reads, merchant.merchantId, by));
  }

  /** The refunds with these ids that the merchant has, each once, in the order of the ids. */
  async function batchQuery(merchant: Merchant, merchantRefundOrderIds: readonly string[]): Promise<Refund[]> {
    const found = await storage.reads.findRefunds(merchant.merchantId, merchantRefundOrderIds);
    const byId = new Map(found.map((refund) => [refund.merchantRefundOrderId, refund]));
    const asked = [...new Set(merchantRefundOrderIds)];
    dealWithUnknown(asked.filter((id) => !byId.has(id)));
    const known = asked.flatMap((id) => byId.get(id) ?? []);
    return Promise.all(known.map((refund) => asOfNow(merchant, refund)));
  }

  /** A refund as it stands now: time may have made a change due, which is done first. */
  async function asOfNow(merchant: Merchant, refund: Refund): Promise<Refund> {
    if (!isDue(refund, businessTime(merchant, clock()))) return refund;
    const { merchantId, refundOrderId } = refund;
    return storage.transaction(async (records) => {
      const owner = await locked(records, merchantId);
      const found = await records.lockRefund(merchantId, refundOrderId);
      if (!found) throw new Error(`refund ${refundOrderId} is gone`);
      return moves.catchUpRefund(records, owner, found, businessTime(owner, clock()));
    });
  }

  return { create, query, batchQuery };
}

async function locked(records: Records, merchantId: string): Promise<Merchant> {
  const merchant = await records.lockMerchant(merchantId);
  if (!merchant) throw new Error(`merchant ${merchantId} is gone`);
  return merchant;
}

/** The merchant's ledger with the refund's amount set aside; a refusal with both amounts when there is less. */
function reserved({ ledger }: Merchant, { amount, deductAmount }: Refund) {
  const after = reserve(ledger, amount.currency, deductAmount);
  if (after) return after;
  const { available } = accountOf(ledger, amount.currency);
  const { currency } = amount;
  throw new Refusal('insufficient-balance', `required ${deductAmount} ${currency}, available ${available} ${currency}`);
}

/** The rules of creating a refund that its schema cannot express. */
export const refundCreateRules: readonly RequestRule<RefundCreateRequest>[] = [
  {
    requirement: 'refunds.create.merchant-refund-order-id.form',
    violation: ({ merchantRefundOrderId }) => {
      const problem = refundIdProblem(merchantRefundOrderId);
      return problem && `merchantRefundOrderId: ${problem}`;
    },
  },
];
