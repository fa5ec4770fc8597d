import { limit } from '../../generated/catalogue.ts';
import { accountOf, reserve } from '../domain/ledger.ts';
import type { Merchant } from '../domain/merchant.ts';
import type { Order } from '../domain/order.ts';
import {
  isActiveOrDone,
  newRefund,
  type Refund,
  type RefundCreateRequest,
  type RefundMachine,
} from '../domain/refund.ts';
import { businessTime, type Moves, refundProcessing } from './moves.ts';
import type { Clock, Ids, Records, Storage } from './ports.ts';
import { Refusal } from './refusal.ts';
import { brokenRule, type RequestRule } from './rules.ts';
import { isoTime } from './times.ts';

export type RefundService = ReturnType<typeof refundService>;

/** The ids by which a refund can be asked for; at least one is given. */
export interface RefundQuery {
  refundOrderId?: string;
  merchantRefundOrderId?: string;
  acquiringOrderId?: string;
}

const day = 86_400_000;

/** How long a refund is said to take where nobody moves it by itself, in milliseconds. */
const usualDuration = 3 * day;

/** Refunds: create, query, batch query. All throw a `Refusal` for what the merchant has to hear. */
export function refundService(parts: {
  storage: Storage;
  clock: Clock;
  ids: Ids;
  machine: RefundMachine;
  moves: Moves;
  rules: readonly RequestRule<RefundCreateRequest>[];
}) {
  const { storage, clock, ids, machine, moves, rules } = parts;

  /**
   * Accepts a refund and reserves its amount in the same transaction, or answers with the refund that exists under the
   * same merchantRefundOrderId (open point `refund-repeat-different`). Looks at, in this order: the order, its payment,
   * an earlier refund of it, the refund period, the balance.
   */
  async function create({ merchantId }: Merchant, request: RefundCreateRequest): Promise<Refund> {
    return storage.transaction(async (records) => {
      // The merchant is locked first, always: its ledger and its refunds change together.
      const merchant = await locked(records, merchantId);
      const now = businessTime(merchant, clock());
      const existing = await records.findRefund(merchantId, request.merchantRefundOrderId);
      if (existing) return repeated(records, merchant, existing, request, now);
      const problem = brokenRule(rules, request, { now, merchant });
      if (problem) throw problem;
      const order = await refundableOrder(records, merchantId, request.acquiringOrderId, now);
      const automatic = merchant.settings.automatic;
      const takes = automatic ? refundProcessing.startsAfter + refundProcessing.takes : usualDuration;
      const refund = newRefund({
        refundOrderId: ids.refundOrderId(),
        request,
        order,
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
    if (existing.acquiringOrderId !== request.acquiringOrderId) {
      throw new Refusal(
        'idempotency-conflict',
        `merchantRefundOrderId: belongs to a refund of order ${existing.acquiringOrderId}; use a new one`,
      );
    }
    return moves.catchUpRefund(records, merchant, existing, now);
  }

  /** The order, if it can be refunded now; locked, so that two refunds of it cannot both find it free. */
  async function refundableOrder(records: Records, merchantId: string, orderId: string, now: number): Promise<Order> {
    const found = await records.lockOrder(merchantId, orderId);
    if (!found) throw new Refusal('order-not-found', 'acquiringOrderId: the merchant has no such order');
    const order = await moves.catchUpOrder(records, found, now);
    if (order.paidAt === null) {
      throw new Refusal(
        'order-not-refundable',
        `acquiringOrderId: the order is ${order.status}; it must have SUCCEEDED`,
      );
    }
    const earlier = await records.listRefundsOfOrder(merchantId, orderId);
    const active = earlier.find(isActiveOrDone);
    if (active) {
      throw new Refusal(
        'order-already-refunded',
        `acquiringOrderId: refund ${active.refundOrderId} is ${active.status}`,
      );
    }
    const deadline = order.paidAt + limit('refunds.period', 'value') * day;
    if (now > deadline) {
      throw new Refusal(
        'refund-period-expired',
        `acquiringOrderId: the order could be refunded until ${isoTime(deadline)}`,
      );
    }
    return order;
  }

  /** A refund as it stands now. refundOrderId wins, then merchantRefundOrderId; what wins and misses is not found. */
  async function query({ merchantId }: Merchant, by: RefundQuery): Promise<Refund> {
    const found = await find(merchantId, by);
    if (!found) throw new Refusal('refund-not-found', 'the merchant has no such refund; check the ids');
    return current(found);
  }

  async function find(merchantId: string, by: RefundQuery): Promise<Refund | undefined> {
    const { reads } = storage;
    if (by.refundOrderId !== undefined) return reads.findRefundById(merchantId, by.refundOrderId);
    if (by.merchantRefundOrderId !== undefined) return reads.findRefund(merchantId, by.merchantRefundOrderId);
    if (by.acquiringOrderId === undefined) {
      throw new Refusal(
        'invalid-parameter',
        'query: give at least one of refundOrderId, merchantRefundOrderId and acquiringOrderId',
        { requirement: 'refunds.query.one-required' },
      );
    }
    const [first] = await reads.listRefundsOfOrder(merchantId, by.acquiringOrderId);
    return first;
  }

  /** Those of these refunds that the merchant has, each once, in the order in which they are asked for. */
  async function batchQuery({ merchantId }: Merchant, merchantRefundOrderIds: readonly string[]): Promise<Refund[]> {
    const found = await storage.reads.findRefunds(merchantId, merchantRefundOrderIds);
    const byId = new Map(found.map((refund) => [refund.merchantRefundOrderId, refund]));
    return Promise.all([...new Set(merchantRefundOrderIds)].flatMap((id) => byId.get(id) ?? []).map(current));
  }

  /** A refund after what time has done to it. */
  async function current(refund: Refund): Promise<Refund> {
    const { merchantId, refundOrderId, dueAt } = refund;
    const merchant = await storage.reads.findMerchant(merchantId);
    if (!merchant || dueAt === null || dueAt > businessTime(merchant, clock())) return refund;
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

/** Characters of a merchantRefundOrderId that every database can index; the contract sets no limit. */
const longestRefundId = 512;

/** The rules of creating a refund that its schema cannot express. */
export const refundCreateRules: readonly RequestRule<RefundCreateRequest>[] = [
  {
    requirement: 'refunds.create.merchant-refund-order-id.form',
    violation: ({ merchantRefundOrderId: id }) => {
      if (id.length > longestRefundId) return `merchantRefundOrderId: is longer than ${longestRefundId} characters`;
      const isText = !/[\p{Cc}\p{Cs}]/u.test(id);
      return isText ? undefined : 'merchantRefundOrderId: holds control characters; use letters and digits';
    },
  },
];
