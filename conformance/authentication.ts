import type { RequirementId } from '../generated/catalogue.ts';
import type { Check } from './check.ts';
import { type OrdersClient, ordersClient, type SignedRequest } from './client.ts';
import type { CheckContext } from './context.ts';
import type { Answer } from './exchange.ts';
import { expectRefused, expectThat, isAccepted, needAccepted } from './expect.ts';
import { makeOrder, orderRequest } from './orders.ts';

/** A create request of an order of its own, as bytes that are signed and sent alike. */
export function createRequest(context: CheckContext, client: OrdersClient): { id: string; request: SignedRequest } {
  const body = orderRequest(context);
  const request = { method: 'POST', path: client.createPath, body: Buffer.from(JSON.stringify(body)) };
  return { id: body.merchantOrderId, request };
}

/**
 * Sends a create that is right, to show that the request itself is good, and then one with `change`, which must be refused
 * and make no order.
 */
export async function refusesCreate(
  context: CheckContext,
  what: string,
  change: (request: SignedRequest, client: OrdersClient) => SignedRequest,
): Promise<Answer> {
  const client = ordersClient(context, await context.merchant());
  needAccepted(await client.send(createRequest(context, client).request), 'the same request, rightly signed');
  const { id, request } = createRequest(context, client);
  const answer = await client.send(change(request, client));
  expectRefused(answer, what);
  const afterwards = await client.query(id);
  expectThat(!isAccepted(afterwards), afterwards, {
    expected: `${what}: no order comes to be`,
    actual: `there is an order ${id}`,
    requirement: 'auth.refused-changes-nothing',
  });
  return answer;
}

/** The same for a query of an order that exists. */
export async function refusesQuery(
  context: CheckContext,
  what: string,
  change: (request: SignedRequest, client: OrdersClient) => SignedRequest,
): Promise<Answer> {
  const order = await makeOrder(context, await context.merchant());
  const request = { method: 'GET', path: order.client.queryPath(order.request.merchantOrderId) };
  needAccepted(await order.client.send(request), 'the same query, rightly signed');
  const answer = await order.client.send(change(request, order.client));
  expectRefused(answer, what);
  return answer;
}

/** A check that a changed request is refused. */
export interface RefusalCheck {
  id: string;
  title: string;
  requirements: readonly RequirementId[];
  what: string;
  change: (request: SignedRequest, client: OrdersClient) => SignedRequest;
}

/** Makes it, for creates or, with `refusesQuery`, for queries. */
export function refusalCheck(
  { id, title, requirements, what, change }: RefusalCheck,
  refuses: typeof refusesCreate = refusesCreate,
): Check {
  return {
    id,
    title,
    level: 'MUST',
    area: 'auth',
    requirements: [...requirements, 'auth.refused-changes-nothing'],
    needs: [],
    async run(context) {
      await refuses(context, what, change);
    },
  };
}
