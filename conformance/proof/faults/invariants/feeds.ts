import type { OperationArea } from '../../../contract/operations.ts';

/** For each operation, the checks whose exchanges hold a success and a refusal of it. */
export const feeds: Readonly<Record<string, { area: OperationArea; success: string; refusal: string }>> = {
  'orders.create': { area: 'orders', success: 'orders.create.minimal', refusal: 'orders.errors.envelope' },
  'orders.query': { area: 'orders', success: 'orders.query.by-merchant-order-id', refusal: 'orders.query.unknown' },
  'checkout.payment-methods': {
    area: 'checkout',
    success: 'checkout.payment-methods.list',
    refusal: 'auth.checkout.payment-methods.not-enabled',
  },
  'checkout.create': { area: 'checkout', success: 'checkout.create.minimal', refusal: 'checkout.errors.envelope' },
  'checkout.query': {
    area: 'checkout',
    success: 'checkout.query.by-merchant-order-id',
    refusal: 'checkout.query.unknown',
  },
  'refunds.create': { area: 'refunds', success: 'refunds.create.minimal', refusal: 'refunds.errors.envelope' },
  'refunds.query': { area: 'refunds', success: 'refunds.errors.request-id', refusal: 'refunds.errors.request-id' },
  'refunds.batch-query': { area: 'refunds', success: 'refunds.errors.request-id', refusal: 'refunds.errors.envelope' },
};

/** The form of an operation's name inside an id. */
export const idOf = (operation: string) => operation.replace('.', '-');
