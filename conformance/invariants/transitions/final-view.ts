import { type RequirementId, refundsMachine } from '../../../generated/catalogue.ts';
import { compareDecimals, isDecimalText } from '../../contract/decimals.ts';
import { valueAt } from '../../contract/json.ts';
import { readMoment } from '../../contract/moments.ts';
import type { OperationArea } from '../../contract/operations.ts';
import { type Sighting, textAt } from '../book.ts';

/** A field that is the same in every view of an entity in a final state. */
interface FinalField {
  path: readonly string[];
  /** What says what the field holds, and so what it goes on holding. */
  requirement: RequirementId;
  same(first: string, second: string): boolean;
}

const moment = (first: string, second: string) => {
  const [one, other] = [readMoment(first), readMoment(second)];
  return !one || !other || Math.abs(one.instant - other.instant) < Math.max(one.precision, other.precision, 1);
};
const amount = (first: string, second: string) =>
  !isDecimalText(first) || !isDecimalText(second) || compareDecimals(first, second) === 0;
/** Hashes and addresses in hexadecimal may be written in either case. */
const reference = (first: string, second: string) => first.toLowerCase() === second.toLowerCase();

const fields =
  (same: FinalField['same']) =>
  (requirement: RequirementId, ...paths: readonly string[]): FinalField[] =>
    paths.map((path) => ({ path: path.split('.'), requirement, same }));

/** What a final state keeps, beside what never changes in any state. The number of confirmations may grow. */
const finalFields: Readonly<Record<OperationArea, readonly FinalField[]>> = {
  orders: [
    ...fields(moment)('orders.view.moments', 'paidAt'),
    ...fields(amount)('orders.view.crypto-paid-amount', 'cryptoPaidAmount.value'),
    ...fields(reference)('orders.view.crypto-paid-amount', 'cryptoPaidAmount.currency'),
    ...fields(reference)(
      'orders.view.payment-detail',
      'cryptoPaymentDetail.txHash',
      'cryptoPaymentDetail.network',
      'cryptoPaymentDetail.fromAddress',
      'cryptoPaymentDetail.toAddress',
      'cryptoPaymentDetail.blockNumber',
    ),
  ],
  checkout: [
    ...fields(moment)('checkout.view.moments', 'paidAt'),
    ...fields(amount)('checkout.view.paid-amount', 'cryptoPaidAmount.value'),
    ...fields(reference)('checkout.view.paid-amount', 'cryptoPaidAmount.currency'),
    ...fields(amount)('checkout.view.payment-detail', 'cryptoPaymentDetail.amount'),
    ...fields(reference)(
      'checkout.view.payment-detail',
      'cryptoPaymentDetail.transactionHash',
      'cryptoPaymentDetail.fromAddress',
      'cryptoPaymentDetail.toAddress',
    ),
  ],
  refunds: [
    ...fields(moment)('refunds.record.moments', 'completedTime', 'failedTime', 'closedTime'),
    ...fields(amount)('refunds.record.deduct-amount', 'merchantDeductAmount'),
    ...fields(reference)(refundsMachine.final, 'errorCode'),
  ],
};

/** The requirements about what the views of an area go on showing in a final state. */
export const requirementsOfFinalViews = (area: OperationArea): RequirementId[] => [
  ...new Set(finalFields[area].map(({ requirement }) => requirement)),
];

/** A text or a number that a view shows, as text. */
function wordAt({ view }: Sighting, path: readonly string[]): string | undefined {
  const value = valueAt(view, path);
  return typeof value === 'number' ? String(value) : textAt(view, ...path);
}

/** The first field in which two views of an entity in the same final state differ. A field that one lacks is not compared. */
export function differenceOf(
  area: OperationArea,
  first: Sighting,
  second: Sighting,
): Pick<FinalField, 'path' | 'requirement'> | undefined {
  return finalFields[area].find(({ path, same }) => {
    const [then, now] = [wordAt(first, path), wordAt(second, path)];
    return then !== undefined && now !== undefined && !same(then, now);
  });
}
