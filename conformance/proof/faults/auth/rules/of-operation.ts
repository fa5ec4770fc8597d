import type { ContractOperation } from '../../../../contract/operations.ts';
import { isOf, onlyFor } from '../../../stand/changes.ts';
import type { Handler } from '../../../stand/proxy.ts';

/** The beginning of a fault's id, such as `refund-batch-query`. */
export const slugOf = ({ name }: ContractOperation) => name.replace(/^(order|refund)s\./, '$1-').replace('.', '-');

/** What makes a server answer one operation with this handler. */
export const only = (operation: ContractOperation, handler: Handler) => ({
  merchantApi: onlyFor(isOf(operation.name), handler),
});
