import { openDatabase } from '../../server/resilience/testing/contents.ts';
import { toMerchant, toOrder, toRefund } from '../../server/storage/rows.ts';
import { addDecimals, compareDecimals } from '../contract/decimals.ts';

/** The contents of a database in numbers, and what is wrong with its books. */
export interface Books {
  merchants: number;
  orders: number;
  refunds: number;
  webhooks: number;
  problems: string[];
}

type Refund = ReturnType<typeof toRefund>;

/**
 * Examines the books at the location of a database while no server works on it: the balances of every merchant against its refunds,
 * refunds against their orders, and that nothing is lost. `acknowledged` holds the platform ids of all orders and refunds whose
 * creation was acknowledged. Sums are made with the arithmetic of the runner, not with that of the server.
 */
export async function booksOf(location: string, acknowledged: ReadonlySet<string>): Promise<Books> {
  const db = openDatabase(location);
  try {
    const missing = new Set(acknowledged);
    const books: Books = { merchants: 0, orders: 0, refunds: 0, webhooks: 0, problems: [] };
    for (const { merchant_id: merchantId } of await db.selectFrom('merchants').select('merchant_id').execute()) {
      const isOwn = ['merchant_id', '=', merchantId] as const;
      const merchant = toMerchant(
        await db
          .selectFrom('merchants')
          .selectAll()
          .where(...isOwn)
          .executeTakeFirstOrThrow(),
      );
      const refunds = (
        await db
          .selectFrom('refunds')
          .selectAll()
          .where(...isOwn)
          .execute()
      ).map(toRefund);
      const paid = new Map<string, { value: string; currency: string }>();
      for (const row of await db
        .selectFrom('orders')
        .selectAll()
        .where(...isOwn)
        .execute()) {
        const order = toOrder(row);
        missing.delete(order.orderId);
        if (order.status === 'SUCCEEDED' && order.payment) paid.set(order.orderId, order.payment.amount);
        books.orders += 1;
      }
      for (const { refundOrderId } of refunds) missing.delete(refundOrderId);
      books.merchants += 1;
      books.refunds += refunds.length;
      books.problems.push(...unbalanced(merchant, refunds), ...wronglyRefunded(refunds, paid));
    }
    const { count } = await db
      .selectFrom('deliveries')
      .select((each) => each.fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    books.webhooks = Number(count);
    for (const id of missing) books.problems.push(`${id} was acknowledged and is lost`);
    return books;
  } finally {
    await db.destroy();
  }
}

/** The balances of a merchant that are not those with which it began, less what its refunds hold and have taken. */
function unbalanced(
  { merchantId, ledger, settings }: ReturnType<typeof toMerchant>,
  refunds: readonly Refund[],
): string[] {
  const currencies = new Set([
    ...Object.keys(ledger),
    ...Object.keys(settings.balances),
    ...refunds.map(({ amount }) => amount.currency),
  ]);
  return [...currencies].flatMap((currency) => {
    const { available, reserved, deducted } = ledger[currency] ?? { available: '0', reserved: '0', deducted: '0' };
    const sum = (...statuses: string[]) =>
      addDecimals(
        refunds
          .filter(({ amount, status }) => amount.currency === currency && statuses.includes(status))
          .map(({ deductAmount }) => deductAmount),
      );
    const compared: [what: string, is: string, should: string][] = [
      ['all', addDecimals([available, reserved, deducted]), settings.balances[currency] ?? '0'],
      ['reserved', reserved, sum('INIT', 'PENDING', 'PROCESSING')],
      ['deducted', deducted, sum('SUCCEEDED')],
    ];
    return [
      ...compared
        .filter(([, is, should]) => compareDecimals(is, should) !== 0)
        .map(([what, is, should]) => `${currency} of ${merchantId}: ${what} is ${is} and should be ${should}`),
      ...[available, reserved, deducted]
        .filter((amount) => compareDecimals(amount, '0') < 0)
        .map((amount) => `${currency} of ${merchantId}: an amount is ${amount}`),
    ];
  });
}

/** Refunds of orders that are not paid, of another amount than was paid, and second refunds of one order. */
function wronglyRefunded(
  refunds: readonly Refund[],
  paid: ReadonlyMap<string, { value: string; currency: string }>,
): string[] {
  const held = new Set<string>();
  return refunds.flatMap(({ refundOrderId, acquiringOrderId, amount, status }) => {
    const payment = paid.get(acquiringOrderId);
    if (!payment) return [`${refundOrderId} refunds ${acquiringOrderId}, which is no paid order of its merchant`];
    if (compareDecimals(payment.value, amount.value) !== 0 || payment.currency !== amount.currency) {
      return [
        `${refundOrderId} refunds ${amount.value} ${amount.currency}, and ${payment.value} ${payment.currency} was paid`,
      ];
    }
    if (status === 'FAILED' || status === 'CLOSED') return [];
    if (held.has(acquiringOrderId)) return [`${acquiringOrderId} has more than one refund`];
    held.add(acquiringOrderId);
    return [];
  });
}
