import { type Kysely, sql } from 'kysely';
import { openDatabase } from '../../server/resilience/testing/contents.ts';
import { toMerchant, toOrder, toRefund } from '../../server/storage/rows.ts';
import type { Database } from '../../server/storage/schema.ts';
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

/** The amount that was paid for an order. */
type Payment = NonNullable<ReturnType<typeof toOrder>['payment']>['amount'] & { merchantId: string };

/**
 * Examines the books at the location of a database while no server works on it: the balances of every merchant against its refunds,
 * refunds against their orders, and that nothing is lost. `acknowledged` holds the platform ids of all orders and refunds whose
 * creation was acknowledged. Sums are made with the arithmetic of the runner, not with that of the server.
 */
export async function booksOf(location: string, acknowledged: ReadonlySet<string>): Promise<Books> {
  const db = openDatabase(location);
  try {
    const missing = new Set(acknowledged);
    const paid = new Map<string, Payment>();
    let orders = 0;
    for await (const row of documentsOf(db, 'orders', 'order_id')) {
      const { orderId, merchantId, status, payment } = toOrder(row);
      missing.delete(orderId);
      if (status === 'SUCCEEDED' && payment) paid.set(orderId, { merchantId, ...payment.amount });
      orders += 1;
    }
    const refundsOf = new Map<string, Refund[]>();
    let refunds = 0;
    for await (const row of documentsOf(db, 'refunds', 'refund_order_id')) {
      const refund = toRefund(row);
      missing.delete(refund.refundOrderId);
      const own = refundsOf.get(refund.merchantId) ?? [];
      own.push(refund);
      refundsOf.set(refund.merchantId, own);
      refunds += 1;
    }
    const problems: string[] = [];
    const merchants = await db.selectFrom('merchants').selectAll().execute();
    for (const row of merchants) {
      const own = refundsOf.get(row.merchant_id) ?? [];
      problems.push(...unbalanced(toMerchant(row), own), ...wronglyRefunded(own, paid));
    }
    const { count } = await db
      .selectFrom('deliveries')
      .select((each) => each.fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    for (const id of missing) problems.push(`${id} was acknowledged and is lost`);
    return { merchants: merchants.length, orders, refunds, webhooks: Number(count), problems };
  } finally {
    await db.destroy();
  }
}

/** The rows of a table, a few at a time, because there may be very many. */
async function* documentsOf(db: Kysely<Database>, table: 'orders' | 'refunds', key: string) {
  for (let last = ''; ; ) {
    const { rows } = await sql<{ key: string; document: string }>`
      select ${sql.ref(key)} as key, document from ${sql.table(table)}
      where ${sql.ref(key)} > ${last} order by ${sql.ref(key)} limit 1000
    `.execute(db);
    yield* rows;
    const end = rows.at(-1);
    if (!end) return;
    last = end.key;
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
function wronglyRefunded(refunds: readonly Refund[], paid: ReadonlyMap<string, Payment>): string[] {
  const held = new Set<string>();
  return refunds.flatMap(({ refundOrderId, merchantId, acquiringOrderId, amount, status }) => {
    const payment = paid.get(acquiringOrderId);
    if (payment?.merchantId !== merchantId)
      return [`${refundOrderId} refunds ${acquiringOrderId}, which is no paid order of its merchant`];
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
