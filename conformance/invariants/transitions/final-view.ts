import { compareDecimals, isDecimalText } from '../../contract/decimals.ts';
import { readMoment } from '../../contract/moments.ts';
import type { OperationArea } from '../../contract/operations.ts';
import { type Sighting, textAt } from '../book.ts';

/** A field that is the same in every view of an entity in a final state. */
interface FinalField {
  path: readonly string[];
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
  (...paths: readonly string[]): FinalField[] =>
    paths.map((path) => ({ path: path.split('.'), same }));

/** What a final state keeps, beside what never changes in any state. The number of confirmations may grow. */
const finalFields: Readonly<Record<OperationArea, readonly FinalField[]>> = {
  orders: [
    ...fields(moment)('paidAt'),
    ...fields(amount)('cryptoPaidAmount.value'),
    ...fields(reference)(
      'cryptoPaidAmount.currency',
      'cryptoPaymentDetail.txHash',
      'cryptoPaymentDetail.network',
      'cryptoPaymentDetail.fromAddress',
      'cryptoPaymentDetail.toAddress',
    ),
  ],
  checkout: [
    ...fields(moment)('paidAt'),
    ...fields(amount)('cryptoPaidAmount.value', 'cryptoPaymentDetail.amount'),
    ...fields(reference)(
      'cryptoPaidAmount.currency',
      'cryptoPaymentDetail.transactionHash',
      'cryptoPaymentDetail.fromAddress',
      'cryptoPaymentDetail.toAddress',
    ),
  ],
  refunds: [
    ...fields(moment)('completedTime', 'failedTime', 'closedTime'),
    ...fields(amount)('merchantDeductAmount'),
    ...fields(reference)('errorCode'),
  ],
};

/** The first field in which two views of an entity in the same final state differ, by its path; a field that one lacks is not compared. */
export function differenceOf(area: OperationArea, first: Sighting, second: Sighting): readonly string[] | undefined {
  return finalFields[area].find(({ path, same }) => {
    const [then, now] = [textAt(first.view, ...path), textAt(second.view, ...path)];
    return then !== undefined && now !== undefined && !same(then, now);
  })?.path;
}
