import type { RequirementId } from '../../../generated/catalogue.ts';
import { checkoutMerchant, checkoutRequest } from '../../arrange/checkout-orders/checkout-orders.ts';
import { ordersClient } from '../../arrange/orders/client.ts';
import { orderRequest } from '../../arrange/orders/orders.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { refundRequest } from '../../arrange/refunds/refunds.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectThat, isTaken, needAccepted, statusOf } from '../../check/expect.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** A right create, how it is sent with other fields, and how what it made is asked for. */
interface Create {
  request: JsonObject;
  send(body: JsonObject): Promise<Answer>;
  query(): Promise<Answer>;
}

/** What the creates of an area make. */
interface Creates {
  area: 'orders' | 'checkout' | 'refunds';
  noun: string;
  platformId: 'orderId' | 'refundOrderId';
  unique: RequirementId;
  initial: RequirementId;
  found: RequirementId;
  /** The statuses that nothing new has: neither an unpaid order nor a refund that was just accepted. */
  later: readonly [string, ...string[]];
  needs?: CheckDeclaration['needs'];
  prepare(context: CheckContext, merchant: Credentials): Promise<Create>;
}

/** A year, in milliseconds. */
const year = 365 * 86_400_000;

/** What answers show of something that was made and has ended a year ago, whose id and amounts are those of another record. */
async function shownOfAnother(
  context: CheckContext,
  shown: JsonObject,
  platformId: Creates['platformId'],
  status: string,
): Promise<JsonObject> {
  const time = new Date(context.now() - year).toISOString();
  const small = { value: '0.01', currency: 'USDT' };
  const { merchantId } = context.has('other-merchant') ? await context.merchant('other') : { merchantId: undefined };
  return {
    [platformId]: shown[platformId],
    ...(merchantId !== undefined && { merchantId }),
    status,
    createdAt: time,
    createdTime: time,
    paidAt: time,
    completedTime: time,
    cryptoPaidAmount: small,
    cryptoPaymentAmount: small,
    merchantDeductAmount: small.value,
  };
}

function ignoredIn({
  area,
  noun,
  platformId,
  unique,
  initial,
  found,
  later,
  needs,
  prepare,
}: Creates): CheckDeclaration {
  return {
    id: `${area}.create.fields-of-answers`,
    title: `A create that names an id, a status and times, which are for the platform to give, does not make ${noun} with them`,
    requirements: [initial, unique, found],
    ...(needs && { needs }),
    async run(context) {
      const merchant = await context.merchant();
      const one = await prepare(context, merchant);
      const right = await one.send(one.request);
      needAccepted(right, 'the same request without those fields');
      const shown = field(right, 'data');
      if (!isObject(shown)) throw new Inconclusive('the answer to a right create shows nothing');
      await sideBySide(later.map((status) => expectIgnored(status, context, merchant, shown)));
    },
  };

  async function expectIgnored(status: string, context: CheckContext, merchant: Credentials, shown: JsonObject) {
    const another = await prepare(context, merchant);
    const added = await shownOfAnother(context, shown, platformId, status);
    const answer = await another.send({ ...added, ...another.request });
    // A service that fails has neither ignored the fields nor refused them.
    if (!isTaken(answer, 'the same request with fields that only answers have')) {
      throw new PermittedChoice(
        'fields that the contract does not name in a create are refused (open point unknown-fields)',
      );
    }
    expectThat(field(answer, `data.${platformId}`) !== added[platformId], answer, {
      expected: `a ${platformId} of its own, not the one that the request names, which ${noun} has already`,
      actual: `data.${platformId} = ${added[platformId]}`,
      requirement: unique,
    });
    const query = await another.query();
    expectAccepted(query, `a query for ${noun} whose create named fields of answers`, found);
    // A refund may move on before it is asked for.
    for (const each of area === 'refunds' ? [answer] : [answer, query]) {
      expectThat(statusOf(each) !== status, each, {
        expected: 'data.status is that of something new, whatever status the request names',
        actual: `data.status = ${status}`,
        requirement: initial,
      });
    }
  }
}

/** The create of an order, by the client of its product. */
function createOf(
  client: { createAnything: Create['send']; query(merchantOrderId: string): Promise<Answer> },
  request: { merchantOrderId: string },
): Create {
  return {
    request: { ...request },
    send: client.createAnything,
    query: () => client.query(request.merchantOrderId),
  };
}

/**
 * For each create: a server that reads the request into its record takes over fields that only answers have. What else they change is judged in
 * every answer.
 */
export const fieldsOfAnswersChecks: readonly CheckDeclaration[] = [
  ignoredIn({
    area: 'orders',
    noun: 'an order',
    platformId: 'orderId',
    unique: 'orders.view.order-id',
    initial: 'orders.states.initial',
    found: 'orders.query.by-merchant-order-id',
    later: ['SUCCEEDED', 'PROCESSING', 'FAILED', 'CLOSED'],
    async prepare(context, merchant) {
      return createOf(ordersClient(context, merchant), orderRequest(context));
    },
  }),
  ignoredIn({
    area: 'checkout',
    noun: 'a checkout order',
    platformId: 'orderId',
    unique: 'checkout.view.order-id',
    initial: 'checkout.states.initial',
    found: 'checkout.query.by-merchant-order-id',
    later: ['SUCCEEDED', 'PROCESSING', 'FAILED', 'CLOSED'],
    async prepare(context, merchant) {
      const { client, method } = await checkoutMerchant(context, merchant);
      return createOf(client, checkoutRequest(context, method));
    },
  }),
  ignoredIn({
    area: 'refunds',
    noun: 'a refund',
    platformId: 'refundOrderId',
    unique: 'refunds.record.platform-id',
    initial: 'refunds.create.accepted',
    found: 'refunds.query.by-merchant-refund-order-id',
    later: ['SUCCEEDED', 'FAILED', 'CLOSED'],
    needs: ['order-events'],
    async prepare(context, merchant) {
      const client = refundsClient(context, merchant);
      const request = refundRequest(context, (await makePaidOrder(context, merchant)).orderId);
      const { merchantRefundOrderId } = request;
      return {
        request: { ...request },
        send: client.createAnything,
        query: () => client.query({ merchantRefundOrderId }),
      };
    },
  }),
];
