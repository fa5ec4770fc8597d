import { signedClient } from '../arrange/requests/signed-client.ts';
import { type CheckContext, createContext } from '../check/context.ts';
import type { Session } from '../check/session.ts';
import { errorCode } from '../contract/error-codes.ts';
import type { OperationArea } from '../contract/operations.ts';
import { type Answer, field } from '../wire/exchange.ts';
import { signatureOf } from '../wire/signing/signature.ts';

/** A query for something that does not exist, which changes nothing. */
export interface Question {
  area: OperationArea;
  path: string;
  /** The code of the right answer. */
  code: string;
}

/** A question of each area that has operations. */
export const questions: readonly [Question, ...Question[]] = [
  { area: 'orders', path: '/orders/', code: errorCode('orders', 'ORDER_NOT_FOUND') },
  { area: 'checkout', path: '/checkout/orders/', code: errorCode('checkout', 'ORDER_NOT_FOUND') },
  { area: 'refunds', path: '/refunds', code: errorCode('refunds', 'REFUND_NOT_FOUND') },
];

/** Sends a question, rightly signed unless `sign` says otherwise, with the present time unless there is another timestamp. */
export async function ask(
  context: CheckContext,
  { area, path }: Question,
  sign: typeof signatureOf = signatureOf,
  timestamp?: string,
): Promise<Answer> {
  const client = signedClient(context, await context.merchant());
  const id = context.newOrderId();
  const [place, query] = area === 'refunds' ? [path, `refundOrderId=${id}`] : [`${path}${id}`, undefined];
  return client.send({
    method: 'GET',
    path: `${client.basePath}${place}`,
    query,
    sign,
    ...(timestamp !== undefined && { timestamp }),
  });
}

/** A context for questions to a target. */
export const contextOf = (session: Session): CheckContext => createContext(session, 'assay.doctor');

/** The address with a shorter path at which the API answers this question. `undefined`: it answers at none of them. */
export async function addressThatAnswers(session: Session, question: Question): Promise<string | undefined> {
  const { origin, pathname } = new URL(session.target);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const shorter = segments.map((_, count) => [origin, ...segments.slice(0, count)].join('/'));
  for (const target of shorter.reverse()) {
    const answer = await ask(contextOf({ ...session, target }), question);
    if (field(answer, 'code') === question.code) return target;
  }
  return undefined;
}
