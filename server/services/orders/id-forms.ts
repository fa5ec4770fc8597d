import { limit, limits } from '../../../generated/catalogue.ts';
import type { Product } from '../../domain/order.ts';
import { platformIdForms } from '../ids.ts';

/** Whether a record could have an id, for queries that find no record (open point `query-malformed-id`). */
export const isPossibleId = {
  orderId: (id: string) => platformIdForms.orderId.test(id),
  refundOrderId: (id: string) => platformIdForms.refundOrderId.test(id),
  merchantOrderId: (id: string, product: Product) => merchantOrderIdForms[product](id),
  merchantRefundOrderId: (id: string) => refundIdProblem(id) === undefined,
};

const merchantOrderIdForms: Readonly<Record<Product, (id: string) => boolean>> = {
  hosted: merchantOrderIdForm('orders'),
  checkout: merchantOrderIdForm('checkout'),
};

function merchantOrderIdForm(area: 'orders' | 'checkout') {
  const [least, most] = (['min', 'max'] as const).map((bound) => limit(`${area}.merchant-order-id.length`, bound));
  const characters = new RegExp(String(limits[`${area}.merchant-order-id.characters`].value));
  return (id: string) => id.length >= Number(least) && id.length <= Number(most) && characters.test(id);
}

/** Characters of a merchantRefundOrderId that every database can index; the contract sets no limit. */
const longestRefundId = 512;

/** The rule that a merchantRefundOrderId breaks; `undefined` when it breaks none. */
export function refundIdProblem(id: string): string | undefined {
  if (id.length > longestRefundId) return `is longer than ${longestRefundId} characters`;
  return /[\p{Cc}\p{Cs}]/u.test(id) ? 'holds control characters; use letters and digits' : undefined;
}
