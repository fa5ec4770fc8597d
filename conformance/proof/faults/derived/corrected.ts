import { errorCode } from '../../../contract/error-codes.ts';
import { successCode } from '../../../contract/success-code.ts';
import { bodyOf, isOf, isRightlySigned, merchantIdOf, onlyFor, refusal } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import type { Handler, ProxyRequest, ServerBehind } from '../../stand/proxy.ts';

/** A server that takes the id of a create which it has refused for a used one. `isMeant` says of which refused creates. */
function keepingIdsOf(
  operation: 'orders.create' | 'checkout.create',
  isMeant: (request: ProxyRequest, server: ServerBehind) => boolean,
): Handler {
  const taken = new Set<string>();
  return onlyFor(isOf(operation), async (request, server) => {
    const key = JSON.stringify([merchantIdOf(request), bodyOf(request)?.merchantOrderId]);
    if (taken.has(key) && isRightlySigned(request, server)) {
      return refusal(request, errorCode('orders', 'ORDER_ALREADY_EXISTS'), 'the order exists already');
    }
    const answer = await server.forward(request);
    if (bodyOf(answer)?.code !== successCode && isMeant(request, server)) taken.add(key);
    return answer;
  });
}

const isOutsideRange = (request: ProxyRequest) => {
  const amount = bodyOf(request)?.orderAmount;
  return typeof amount === 'object' && amount !== null && 'value' in amount && Number(amount.value) > 1000;
};

const isWronglySigned = (request: ProxyRequest, server: ServerBehind) => !isRightlySigned(request, server);

/** Wrong servers that remember the id of a create which they have refused. */
export const correctedFaults: readonly Fault[] = (
  [
    ['hosted', 'orders', 'hosted order', isRightlySigned, 'orders.errors.refused'],
    ['checkout', 'checkout', 'checkout order', isRightlySigned, 'checkout.errors.refused'],
    [
      'wrongly-signed',
      'orders',
      'hosted order whose signature is wrong',
      isWronglySigned,
      'auth.refused-changes-nothing',
    ],
    [
      'outside-range',
      'checkout',
      'checkout order whose amount is outside the range',
      isOutsideRange,
      'checkout.errors.refused',
    ],
  ] as const
).map(
  ([name, product, what, isMeant, breaks]): Fault => ({
    id: `refused-id-stays-taken-${name}`,
    title: `Refuses a right create of a ${what.split(' whose ')[0]} under the id of one that it has refused: a ${what}.`,
    breaks,
    caughtBy: `${product}.create.corrected`,
    make: { merchantApi: keepingIdsOf(`${product}.create`, isMeant) },
  }),
);
