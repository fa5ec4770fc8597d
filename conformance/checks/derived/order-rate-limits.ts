import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { checkoutMerchant, checkoutRequest } from '../../arrange/checkout-orders/checkout-orders.ts';
import { type CheckoutClient, checkoutClient } from '../../arrange/checkout-orders/client.ts';
import type { Product } from '../../arrange/orders/any-order.ts';
import { type OrdersClient, ordersClient } from '../../arrange/orders/client.ts';
import { orderRequest } from '../../arrange/orders/orders.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, expectSchema, expectStatus, isAccepted } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';

/** A limit that a merchant is made with, and a pause after which a new span has begun, in milliseconds. */
const [orderRateLimit, spanOver] = [{ requests: 3, perSeconds: 3 }, 3500] as const;

/** So many creates at once are more than two spans allow, so that it does not matter when a span begins. */
const tooMany = 2 * orderRateLimit.requests + 2;

const notSettable = 'requests about orders have no limit here that can be set (open point orders-rate-limit)';

interface SentCreate {
  answer: Answer;
  /** Asks for the order that the create would have made. */
  query(): Promise<Answer>;
}

/** A product whose refusals have an envelope of their own. */
interface Limited {
  product: Product;
  noun: string;
  schema: string;
  requirements: readonly RequirementId[];
  /** The client of a merchant, and a function that makes the request of a new order. */
  prepare(
    context: CheckContext,
    merchant: Credentials,
  ): Promise<{ client: OrdersClient | CheckoutClient; request(): { merchantOrderId: string } }>;
}

const products: readonly Limited[] = [
  {
    product: 'orders',
    noun: 'a hosted order',
    schema: 'OrderFailure',
    requirements: ['orders.http-200', 'orders.envelope.failure', 'orders.errors.refused'],
    prepare: async (context, merchant) => ({
      client: ordersClient(context, merchant),
      request: () => orderRequest(context),
    }),
  },
  {
    product: 'checkout',
    noun: 'a checkout order',
    schema: 'CheckoutFailure',
    requirements: ['checkout.envelope.failure', 'checkout.errors.refused'],
    async prepare(context, merchant) {
      const { method } = await checkoutMerchant(context, await context.merchant());
      return { client: checkoutClient(context, merchant), request: () => checkoutRequest(context, method) };
    },
  },
];

/** A merchant with the limit. Throws `PermittedChoice` where none is made: the setting is no part of what every driver knows. */
async function makeLimited(context: CheckContext): Promise<Credentials> {
  try {
    return await context.ownMerchant({ orderRateLimit });
  } catch (error) {
    throw error instanceof Inconclusive ? new PermittedChoice(notSettable) : error;
  }
}

/** Sends more creates at once than the limit allows, and resolves with those that were not accepted. */
async function refusedOf(context: CheckContext, { prepare }: Limited, merchant: Credentials): Promise<SentCreate[]> {
  const { client, request } = await prepare(context, merchant);
  const sent = await Promise.all(
    Array.from({ length: tooMany }, request).map(async (each) => {
      const body = Buffer.from(JSON.stringify(each));
      const answer = await client.send({ method: 'POST', path: client.createPath, body, provokes429: true });
      return { answer, query: () => client.query(each.merchantOrderId) };
    }),
  );
  return sent.filter(({ answer }) => !isAccepted(answer));
}

/** Checks of how orders are refused that come too soon after others. */
export const orderRateLimitChecks: readonly CheckDeclaration[] = products.map((limited) => {
  const { product, noun, schema, requirements } = limited;
  return {
    id: `${product}.errors.rate-limit`,
    title: `A create of ${noun} that comes too soon after others is refused as any other, and makes none`,
    requirements,
    needs: ['own-merchant'],
    waits: spanOver / 1000,
    async run(context) {
      const merchant = await makeLimited(context);
      const unlimited = await context.ownMerchant();
      // What is refused to a merchant without a limit too has another cause, such as a gateway.
      if ((await refusedOf(context, limited, unlimited)).length > 0) throw new PermittedChoice(notSettable);
      const refused = await refusedOf(context, limited, merchant);
      if (refused.length === 0) throw new PermittedChoice(notSettable);
      const { requests, perSeconds } = orderRateLimit;
      const what = `a create of ${noun} beyond ${requests} requests in ${perSeconds} seconds`;
      for (const { answer } of refused) {
        if (product === 'orders') expectStatus(answer, 200, what, 'orders.http-200');
        expectSchema(answer, schema);
      }
      await context.pause(spanOver);
      for (const { query } of refused.slice(0, orderRateLimit.requests)) {
        const about = 'a query for an order whose create was refused because it came too soon';
        expectRefused(await query(), about, `${product}.errors.refused`);
      }
    },
  };
});
