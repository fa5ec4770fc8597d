import { Decimal } from 'decimal.js';
import type { RequirementId } from '../../../generated/catalogue.ts';
import { isObject } from '../../contract/json.ts';
import { answeringJson, isOf, onlyFor } from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { enough, keepingAmounts } from '../stand/order-changes.ts';

/** The number of digits to which the library rounds unless it is told otherwise. */
const ofLibrary = 20;

const rounded = (value: string, digits = ofLibrary) => new Decimal(value).toSignificantDigits(digits).toFixed();

const fault = (id: string, title: string, breaks: RequirementId, caughtBy: string, make: Make): Fault => ({
  id,
  title,
  breaks,
  caughtBy,
  make,
});

/** A server that shows the bounds of payment methods as `keep` makes them. */
const keepingBounds = (keep: (bound: number) => number): Make => ({
  merchantApi: onlyFor(
    isOf('checkout.payment-methods'),
    answeringJson((envelope) => {
      const { data } = envelope;
      if (!isObject(data) || !Array.isArray(data.paymentMethods)) return envelope;
      const paymentMethods = data.paymentMethods.map((method) =>
        isObject(method)
          ? { ...method, minAmount: keep(Number(method.minAmount)), maxAmount: keep(Number(method.maxAmount)) }
          : method,
      );
      return { ...envelope, data: { ...data, paymentMethods } };
    }),
  ),
});

/** Wrong servers whose numbers hold fewer digits than the contract permits. */
export const digitFaults: readonly Fault[] = [
  fault(
    'amounts-kept-to-twenty-digits',
    'Keeps 20 digits of the amount of a hosted order.',
    'orders.amount.decimal-places',
    'orders.create.eighteen-decimals',
    keepingAmounts('hosted', (value) => rounded(value)),
  ),
  fault(
    'checkout-amounts-kept-to-twenty-digits',
    'Keeps 20 digits of the amount of a checkout order.',
    'checkout.view.echo',
    'checkout.create.exact-amount',
    keepingAmounts('checkout', (value) => rounded(value)),
  ),
  fault(
    'order-payments-compared-to-twenty-digits',
    'Compares what was paid with what an order costs to 20 digits.',
    'orders.states.failed',
    'orders.state.underpaid-by-last-decimal',
    enough('hosted', (paid, due) => new Decimal(rounded(paid)).gte(rounded(due))),
  ),
  fault(
    'checkout-payments-compared-to-twenty-digits',
    'Compares what was paid with what a checkout order costs to 20 digits.',
    'checkout.payment-rule',
    'checkout.state.payment.less-by-last-decimal',
    enough('checkout', (paid, due) => new Decimal(rounded(paid)).gte(rounded(due))),
  ),
  fault(
    'order-payments-compared-to-28-digits',
    'Compares what was paid with what an order costs to 28 digits.',
    'orders.states.failed',
    'orders.payments.compared',
    enough('hosted', (paid, due) => new Decimal(rounded(paid, 28)).gte(rounded(due, 28))),
  ),
  fault(
    'bounds-kept-in-sixteen-bits',
    'Lists the bounds of payment methods up to 65,535.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    keepingBounds((bound) => Math.min(bound, 65_535)),
  ),
  fault(
    'bounds-kept-to-the-cent',
    'Lists the bounds of payment methods rounded up to hundredths.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    keepingBounds((bound) => Math.ceil(bound * 100) / 100),
  ),
];
