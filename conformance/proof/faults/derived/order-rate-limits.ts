import { errorCode } from '../../../contract/error-codes.ts';
import { successCode } from '../../../contract/success-code.ts';
import { bodyOf, decoded, isOf, jsonAnswer, onlyFor } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import type { ProxyAnswer } from '../../stand/proxy.ts';

const products = [
  { product: 'orders', name: 'order', noun: 'hosted orders' },
  { product: 'checkout', name: 'checkout-order', noun: 'checkout orders' },
] as const;

type Product = (typeof products)[number]['product'];

/** The code with which the reference server refuses a request about orders that comes too soon. */
const tooSoon = errorCode('orders', 'SYSTEM_ERROR');

const isTooSoon = (answer: ProxyAnswer): boolean => bodyOf(answer)?.code === tooSoon;

/** A server that refuses creates which come too soon with HTTP 429 and an answer that `written` makes. */
const refusingBy429 = (product: Product, written: (answer: ProxyAnswer) => ProxyAnswer): Make => ({
  merchantApi: onlyFor(isOf(`${product}.create`), async (request, server) => {
    const answer = await server.forward(request);
    return isTooSoon(answer) ? { ...written(answer), status: 429 } : answer;
  }),
});

/** A server whose queries show an order for a create that it has refused because it came too soon. */
function countingAfterTheWork(product: Product): Make {
  let made: unknown;
  const refused = new Set<unknown>();
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      if (isOf(`${product}.create`)(request)) {
        if (isTooSoon(answer)) refused.add(bodyOf(request)?.merchantOrderId);
        else if (bodyOf(answer)?.code === successCode) made = bodyOf(answer);
      }
      const id = decoded(request.target.split('/').at(-1) ?? '');
      if (!isOf(`${product}.query`)(request) || !refused.has(id)) return answer;
      return jsonAnswer({ ...Object(made), data: { ...Object(made).data, merchantOrderId: id } });
    },
  };
}

/** Wrong servers at the limit of requests about orders. */
export const orderRateLimitFaults: readonly Fault[] = [
  {
    id: 'order-rate-refused-by-429',
    title: 'Refuses a create of a hosted order that comes too soon with HTTP 429.',
    breaks: 'orders.http-200',
    caughtBy: 'orders.errors.rate-limit',
    make: refusingBy429('orders', (answer) => answer),
  },
  {
    id: 'checkout-order-rate-refused-in-words',
    title: 'Refuses a create of a checkout order that comes too soon with words in place of an envelope.',
    breaks: 'checkout.envelope.failure',
    caughtBy: 'checkout.errors.rate-limit',
    make: refusingBy429('checkout', (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': 'text/plain' },
      body: Buffer.from('slow down'),
    })),
  },
  ...products.map(
    ({ product, name, noun }): Fault => ({
      id: `${name}-rate-counted-after-the-work`,
      title: `Makes ${noun} although it refuses their creates because they come too soon.`,
      breaks: `${product}.errors.refused`,
      caughtBy: `${product}.errors.rate-limit`,
      make: countingAfterTheWork(product),
    }),
  ),
];
