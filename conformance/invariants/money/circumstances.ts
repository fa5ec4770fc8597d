import { compareDecimals, isDecimalText } from '../../contract/decimals.ts';
import { valueAt } from '../../contract/json.ts';
import { type Book, type Entity, textAt } from '../book.ts';
import { givenAs, paidCurrencies, paymentOf } from './paid.ts';

/**
 * What is special about an order, in words for the end of a message: a wrong amount often comes from there. `refund`: the refund of it that the
 * message is about. Empty: nothing that the run knows of.
 */
export function circumstances(book: Book, order: Entity, refund?: Entity): string {
  const currency = givenAs(order, 'orderAmount', 'currency');
  const payment = paymentOf(book, order);
  const isConverted = currency !== undefined && !paidCurrencies(order).includes(currency);
  const words = [
    ...(isConverted ? [`priced in ${currency}`] : []),
    ...(order.origins.some(({ sent }) => valueAt(sent, ['subMerchants']) !== undefined)
      ? ['split among sub-merchants']
      : []),
    ...(payment?.onChain === false ? [`paid by ${payment.method ?? 'an exchange'}`] : []),
    ...(isOverpaid(payment) ? ['paid with more than was due'] : []),
    ...(refund && wasRefundedBefore(book, order, refund) ? ['refunded for a second time'] : []),
  ];
  return words.length === 0 ? '' : `; the order is ${words.join(', ')}`;
}

function isOverpaid(payment: ReturnType<typeof paymentOf>): boolean {
  if (!payment || !('done' in payment.record.result) || !payment.record.result.done) return false;
  const due = payment.record.result.due?.value;
  return isDecimalText(due) && isDecimalText(payment.value) && compareDecimals(payment.value, due) > 0;
}

/** True where another refund of the order was made before this one. */
function wasRefundedBefore({ entities }: Book, order: Entity, refund: Entity): boolean {
  const [made] = refund.origins;
  return entities.some(
    (each) =>
      each !== refund &&
      each.area === 'refunds' &&
      each.origins.some(
        ({ sent, record }) =>
          textAt(sent, 'acquiringOrderId') === order.id && made !== undefined && record.end <= made.record.start,
      ),
  );
}
