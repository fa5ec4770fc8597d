import { limit } from '../../../generated/catalogue.ts';

/** A text of one character more than the limit of this id allows. */
export const tooLong = (id: Parameters<typeof limit>[0]): string => 'a'.repeat(limit(id, 'max') + 1);
