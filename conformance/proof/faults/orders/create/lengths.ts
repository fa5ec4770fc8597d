import { lengthLimit } from '../../../../contract/lengths.ts';

/** The greatest length that a text field of a create may have. */
export const longest = (field: string): number => lengthLimit('orders', field, 'maxLength').limit;
