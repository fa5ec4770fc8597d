import type { CheckContext } from '../../check/context.ts';
import { parseJson } from '../../contract/json.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';
import type { PaidOrder } from './paid-order.ts';

/** How many orders are made to find one that only its own merchant has. */
const most = 3;

/** The operations whose answers show the orders that a merchant has made. */
const creates: readonly unknown[] = ['orders.create', 'checkout.create'];

/**
 * An order from `make` whose platform id none of the orders has that the run has made for the merchant `other`: a target may count the orders of
 * each merchant by themselves (open point `platform-ids`). Throws `PermittedChoice` when each such id is that of an order of `other` too.
 */
export async function foreignOrder(
  context: CheckContext,
  other: Credentials,
  make: () => Promise<PaidOrder>,
): Promise<PaidOrder> {
  for (let made = 0; made < most; made += 1) {
    const order = await make();
    if (!hasOrder(context, other, order.orderId)) return order;
  }
  throw new PermittedChoice('two merchants have orders with the same platform ids (open point platform-ids)');
}

/** True when the run has seen an order of the merchant with this platform id. */
function hasOrder({ history }: CheckContext, { merchantId }: Credentials, orderId: string): boolean {
  return history.records.some(
    (record) =>
      record.kind === 'request' &&
      record.as === merchantId &&
      creates.includes(record.operation) &&
      field({ json: parseJson(record.answer?.body.text ?? '') }, 'data.orderId') === orderId,
  );
}
