import { checkoutRequest } from '../../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../../arrange/checkout-orders/client.ts';
import { paymentMethodsOf } from '../../../arrange/checkout-orders/payment-methods.ts';
import { refundsClient } from '../../../arrange/refunds/client.ts';
import { bringRefundTo, makeRefund, refundRequest } from '../../../arrange/refunds/refunds.ts';
import { amidRestart, askUntilAnswered } from '../../../arrange/situations/restarts.ts';
import { ifTaken } from '../../../arrange/situations/situations.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectRefused, expectThat, isAccepted, needAccepted, summary } from '../../../check/expect.ts';
import { show } from '../../../contract/show.ts';
import type { Credentials } from '../../../drivers/driver.ts';
import { Inconclusive, NotApplicable, PermittedChoice } from '../../../errors/outcomes.ts';
import { type Answer, field } from '../../../wire/exchange.ts';

/** The only method of a merchant: its list differs from that of every other one. */
const ownMethod = { cryptoCurrency: 'USDC', network: 'polygon', minAmount: 2, maxAmount: 300 } as const;

/** The payment methods that an answer lists, with the amounts that they take, in words. `undefined`: it has no list. */
function boundsIn(answer: Answer): string | undefined {
  const listed = isAccepted(answer) ? field(answer, 'data.paymentMethods') : undefined;
  if (!Array.isArray(listed)) return undefined;
  const methods = listed.map((json: unknown) => {
    const [currency, network] = ['cryptoCurrency', 'network'].map((name) => String(field({ json }, name)));
    // As JSON, because a number that has become text is another one to a client.
    const [least, most] = ['minAmount', 'maxAmount'].map((name) => JSON.stringify(field({ json }, name)));
    return `${currency} on ${network} from ${least} to ${most}`;
  });
  return methods.toSorted().join(', ');
}

/** Ends the target, with nothing under way. `ask` finds out when it is back. */
const restart = (context: CheckContext, ask: () => Promise<Answer>) =>
  amidRestart(context, [], () => Promise.resolve(undefined), ask);

/** How many answers after the restart are held against those before it, by their requestIds. */
const answersLookedAt = 4;

/** How many are asked for before it at least: more than are given after it until those are looked at, on a busy machine too. */
const answersBefore = 16;

/** Fails when an answer has a requestId that another one of the run has, as from a count that begins anew at each start. */
function expectOwnRequestId({ history }: CheckContext, answer: Answer): void {
  const id = field(answer, 'requestId');
  if (typeof id !== 'string') return;
  const same = history.records.filter(
    (record) => record.kind === 'request' && record.operation?.startsWith('refunds.') && requestIdIn(record) === id,
  );
  expectThat(same.length <= 1, answer, {
    expected: 'a requestId after the restart that no answer before it has',
    actual: `requestId = ${show(id)}, in ${same.length} answers`,
    requirement: 'refunds.envelope.request-id-unique',
  });
}

/** A request of the run, with its answer. */
type RequestRecord = Extract<CheckContext['history']['records'][number], { kind: 'request' }>;

/** The requestId of a recorded answer. `undefined`: it has none, or is not known as a whole. */
function requestIdIn({ answer }: RequestRecord): unknown {
  try {
    return field({ json: JSON.parse(answer?.body.text ?? '') }, 'requestId');
  } catch {
    return undefined;
  }
}

/** What is refused for good must be refused after the restart, too. */
async function expectStillRefused(context: CheckContext, ask: () => Promise<Answer>, what: string): Promise<void> {
  expectRefused(await askUntilAnswered(context, ask), `${what}, after the restart as before it`);
}

/** A limit, how many requests are too many for it even where a new span begins meanwhile, and the status of those that are refused. */
const [rateLimit, tooMany, tooSoon] = [{ requests: 2, perSeconds: 300 }, 5, 429] as const;

/** The last of several requests of a merchant, which ends at the first one that is refused because there are more than its limit allows. */
async function askTooOften(context: CheckContext, merchant: Credentials): Promise<Answer> {
  const client = refundsClient(context, merchant);
  const query = `merchantRefundOrderId=${context.newOrderId()}`;
  const ask = () => client.send({ method: 'GET', path: client.refundsPath, query, provokes429: true });
  let answer = await ask();
  for (let sent = 1; sent < tooMany && answer.status !== tooSoon; sent += 1) answer = await ask();
  return answer;
}

/** What is refused for good before the target ends without warning is refused afterwards. */
export const refusalChecks: readonly CheckDeclaration[] = [
  {
    id: 'checkout.restart.settings',
    title: 'A merchant without API Checkout has none, and one with its own payment methods has these, after a restart',
    requirements: ['general.restart.refusals'],
    needs: ['own-merchant', 'restart'],
    long: true,
    async run(context) {
      const usual = await context.ownMerchant();
      const [method] = await paymentMethodsOf(checkoutClient(context, usual));
      if (!method) throw new Inconclusive('there is no payment method');
      const [disabled, narrow, without] = await Promise.all([
        context.ownMerchant({ checkoutEnabled: false }),
        context.ownMerchant({ paymentMethods: [ownMethod] }),
        context.ownMerchant({ paymentMethods: [] }),
      ]);
      const { cryptoCurrency: currency, network } = ownMethod;
      const creates = [
        {
          what: 'a checkout create of a merchant without API Checkout',
          ask: () => checkoutClient(context, disabled).create(checkoutRequest(context, method)),
        },
        {
          what: `a checkout create by a method that the merchant does not have, which has ${currency} on ${network} alone`,
          ask: () => checkoutClient(context, narrow).create(checkoutRequest(context, method)),
        },
      ];
      const ofNone = {
        what: 'a checkout create of a merchant with an empty list of payment methods',
        ask: () => checkoutClient(context, without).create(checkoutRequest(context, method)),
      };
      const bounds = ['1', '301'].map((value) => ({
        what: `a checkout create of ${value} ${currency} by a method that takes ${ownMethod.minAmount} to ${ownMethod.maxAmount}`,
        ask: () =>
          checkoutClient(context, narrow).create({
            ...checkoutRequest(context, method),
            orderAmount: { value, currency },
            network,
          }),
      }));
      const isOther = method.currency !== currency || method.network !== network;
      const judged = isOther ? creates : creates.slice(0, 1);
      for (const { what, ask } of judged) {
        if (isAccepted(await ask())) throw new Inconclusive(`${what} is accepted before the restart too`);
      }
      // Whether an amount beside the bounds is refused is judged elsewhere, and so is whether a list may be empty.
      const others = [...bounds, ofNone];
      const refusedBefore = await Promise.all(others.map(async ({ ask }) => !isAccepted(await ask())));
      const listed = () => checkoutClient(context, narrow).paymentMethods();
      const before = boundsIn(await listed());
      const askUsual = () => checkoutClient(context, usual).create(checkoutRequest(context, method));
      needAccepted(await askUsual(), 'the same create of another merchant');
      await restart(context, askUsual);
      for (const { what, ask } of [...judged, ...others.filter((_, index) => refusedBefore[index])]) {
        await expectStillRefused(context, ask, what);
      }
      if (before === undefined) return;
      const after = await askUntilAnswered(context, listed);
      expectThat(boundsIn(after) === before, after, {
        expected: `the payment methods with their amounts as before the restart: ${before}`,
        actual: boundsIn(after) ?? summary(after),
      });
    },
  },
  {
    id: 'refunds.restart.rate-limit',
    title: 'A merchant with a limit of its own has it after a restart',
    requirements: ['general.restart.refusals'],
    needs: ['own-merchant', 'restart'],
    long: true,
    async run(context) {
      const [usual, limited] = [await context.ownMerchant(), await context.ownMerchant({ rateLimit })];
      const [ofUsual, ofLimited] = [await askTooOften(context, usual), await askTooOften(context, limited)];
      // What is refused to every merchant is no limit of its own.
      if (ofUsual.status === tooSoon || ofLimited.status !== tooSoon) {
        throw new PermittedChoice('a merchant can have no limit of its own here (open point rate-limit)');
      }
      const client = refundsClient(context, usual);
      const merchantRefundOrderId = context.newOrderId();
      await restart(context, () => client.query({ merchantRefundOrderId }));
      const last = await askTooOften(context, limited);
      expectThat(last.status === tooSoon, last, {
        expected: `HTTP ${tooSoon} at one of ${tooMany} requests, of which the merchant's limit allows ${rateLimit.requests} in ${rateLimit.perSeconds} seconds, as before the restart`,
        actual: summary(last),
      });
    },
  },
  {
    id: 'refunds.restart.second',
    title:
      'An order whose refund SUCCEEDED is not refunded again after a restart, and answers have requestIds of their own',
    requirements: ['general.restart.refusals', 'refunds.envelope.request-id-unique'],
    needs: ['own-merchant', 'order-events', 'refund-events', 'restart'],
    long: true,
    async run(context) {
      const first = await ifTaken(makeRefund(context, await context.ownMerchant()));
      if (!first) throw new NotApplicable('no order can be refunded');
      await bringRefundTo(context, first, 'SUCCEEDED');
      const again = () => first.client.create(refundRequest(context, first.order.orderId));
      if (isAccepted(await again())) throw new PermittedChoice('the order is refunded again before the restart too');
      await Promise.all(Array.from({ length: answersBefore }, first.query));
      await restart(context, first.query);
      await expectStillRefused(context, again, 'a further refund of an order that was refunded');
      for (const _ of Array.from({ length: answersLookedAt })) {
        expectOwnRequestId(context, await askUntilAnswered(context, first.query));
      }
    },
  },
];
