import { isAccepted } from '../../check/expect.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/**
 * True when an answer shows something that has the id which was asked for in one of these fields. The contract gives platform ids no
 * form: a platform may count, so that any short text is the id of another order or refund.
 */
export const showsIdAsked = (answer: Answer, asked: string, fields: readonly string[]): boolean =>
  isAccepted(answer) && fields.some((name) => field(answer, `data.${name}`) === asked);
