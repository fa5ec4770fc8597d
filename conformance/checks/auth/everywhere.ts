import { keptInWords } from '../../arrange/authentication/passage.ts';
import { idOfRule, titleOf } from '../../arrange/authentication/rule.ts';
import { authenticationRules } from '../../arrange/authentication/rules/index.ts';
import { needPrompt } from '../../arrange/authentication/rules/timestamps.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { arrangedOperations } from '../../arrange/operations.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { bringAnyOrderTo } from '../../arrange/products.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { type ArrangedOperation, post } from '../../arrange/requests/arranged-operation.ts';
import { type SignedRequest, signedClient } from '../../arrange/requests/signed-client.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import { ifTaken, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged, expectThat, isAccepted, summary } from '../../check/expect.ts';
import type { Need } from '../../check/needs.ts';
import { percentEncoded } from '../../contract/percent-encoding.ts';
import { show } from '../../contract/show.ts';
import { successCode } from '../../contract/success-code.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { NotApplicable } from '../../errors/outcomes.ts';

// Who asks is looked at first, whatever a request is about: something that has ended, that is old, or that was made before.

/** A right request, and what it is about in words behind the noun of its operation. */
interface About {
  words: string;
  request: SignedRequest;
}

/** The rules that every request can break. */
const rules = authenticationRules.filter(({ underTakenId }) => underTakenId);

const ends = ['SUCCEEDED', 'FAILED', 'CLOSED'] as const;

/** The requests about something in each end, as far as a target lets it come there. */
async function aboutEachEnd(ended: (state: (typeof ends)[number]) => Promise<About[]>): Promise<About[]> {
  const made = await sideBySide(ends.map((state) => ifTaken(whereReached(ended(state)))));
  return made.flatMap((each) => each ?? []);
}

/** Requests about orders of each end: queries by both of their ids, or their creates sent again. */
function aboutOrders(
  context: CheckContext,
  { area, method }: ArrangedOperation,
  merchant: Credentials,
): Promise<About[]> {
  return aboutEachEnd(async (state) => {
    const order = await (area === 'orders' ? makeOrder : makeCheckoutOrder)(context, merchant);
    await bringAnyOrderTo(context, order, state);
    const { client, request, orderId } = order;
    const words = `for an order that is ${state}`;
    if (method === 'POST') return [{ words: `${words}, sent again`, request: post(client.createPath, request) }];
    return [
      {
        words: `${words}, by its merchantOrderId`,
        request: { method, path: client.queryPath(request.merchantOrderId) },
      },
      { words: `${words}, by its orderId`, request: { method, path: client.queryPath(orderId) } },
    ];
  });
}

/** Requests about refunds of each end: queries by each of their ids, a batch query, or their creates sent again. */
function aboutRefunds(context: CheckContext, { name }: ArrangedOperation, merchant: Credentials): Promise<About[]> {
  return aboutEachEnd(async (state) => {
    const refund = await makeRefund(context, merchant);
    await bringRefundTo(context, refund, state);
    const { client, request, refundOrderId, order } = refund;
    const { merchantRefundOrderId } = request;
    const words = `for a refund that is ${state}`;
    if (name === 'refunds.create')
      return [{ words: `${words}, sent again`, request: post(client.refundsPath, request) }];
    if (name === 'refunds.batch-query')
      return [{ words, request: post(client.batchPath, { merchantRefundOrderIds: [merchantRefundOrderId] }) }];
    return Object.entries({ refundOrderId, merchantRefundOrderId, acquiringOrderId: order.orderId }).map(
      ([by, id]) => ({
        words: `${words}, by its ${by}`,
        request: { method: 'GET', path: client.refundsPath, query: `${by}=${percentEncoded(id)}` },
      }),
    );
  });
}

/** Fails where a request is accepted that breaks a rule and would be right otherwise. False where the right one is refused, as it may be. */
async function expectEachRuleKept(
  context: CheckContext,
  operation: ArrangedOperation,
  merchant: Credentials,
  { words, request }: About,
): Promise<boolean> {
  const client = signedClient(context, merchant);
  const right = await client.send(request);
  if (!isAccepted(right)) return false;
  const accepted = { request, timestamp: '', signature: '' };
  await someAtOnce(rules, async (rule) => {
    if (rule.needsOther && !context.has('other-merchant')) return;
    const [way] = (await rule.ways?.({ context, merchant, operation, answer: right })) ?? [];
    if (!way) return;
    const made = performance.now();
    const changed = way.change(request, accepted);
    const answer = await client.send(changed);
    countJudged(answer);
    if (!isAccepted(answer)) return;
    if (changed.timestamp !== undefined) needPrompt(made);
    // Whether something keeps answers is looked for in all that was exchanged, and so only here.
    expectThat(false, answer, {
      expected: `${operation.noun} ${words}, ${way.words}: refused, a code other than ${show(successCode)}`,
      actual: `${summary(answer)}${keptInWords(context, answer)}`,
      requirement: rule.requirements(operation)[0],
    });
  });
  return true;
}

/** How much later the requests are sent again, in seconds: longer than a day, and longer than a year. */
const pauses = [
  { seconds: 0, words: '' },
  { seconds: 2 * 86_400, words: ', 2 days later' },
  { seconds: 400 * 86_400, words: ', 400 days later' },
];

function everywhereCheck(operation: ArrangedOperation): CheckDeclaration {
  const { area } = operation;
  const [first, ...others] = [...new Set(rules.flatMap((rule) => rule.requirements(operation).slice(0, 1)))];
  if (first === undefined) throw new Error('no rule of authentication binds every request');
  const needs: readonly Need[] = area === 'refunds' ? ['order-events', 'refund-events'] : ['order-events'];
  return {
    id: idOfRule({ name: 'everywhere' }, operation),
    title: `${titleOf(operation, 'about what has ended, or is old,')} is refused as every other one under a wrong signature, an old or early timestamp, or another merchant's key`,
    calls: [area],
    requirements: [first, ...others],
    needs,
    long: true,
    async run(context) {
      const merchant = await context.ownMerchant();
      const about = area === 'refunds' ? aboutRefunds : aboutOrders;
      const requests = await about(context, operation, merchant);
      let hasJudged = false;
      for (const { seconds, words: later } of context.has('clock') ? pauses : pauses.slice(0, 1)) {
        if (seconds > 0) await context.advanceClock(merchant, seconds);
        const judged = await sideBySide(
          requests.map(({ words, request }) =>
            expectEachRuleKept(context, operation, merchant, { words: `${words}${later}`, request }),
          ),
        );
        hasJudged ||= judged.includes(true);
      }
      if (!hasJudged) throw new NotApplicable('what was made is neither found nor taken again');
    },
  };
}

/** The checks that authentication does not depend on what a request is about. */
export const authEverywhereChecks: readonly CheckDeclaration[] = arrangedOperations
  .filter(({ name }) => name !== 'checkout.payment-methods')
  .map(everywhereCheck);
