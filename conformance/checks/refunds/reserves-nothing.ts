import { bringOrderTo } from '../../arrange/orders/any-order.ts';
import { makeOrder, ordinaryAmount } from '../../arrange/orders/orders.ts';
import { alteredId } from '../../arrange/refunds/altered-id.ts';
import { balanceForOne, balanceForTwo, merchantWithBalance, tooMuch } from '../../arrange/refunds/balances.ts';
import { type RefundCreateRequest, refundsClient } from '../../arrange/refunds/client.ts';
import { coversJust } from '../../arrange/refunds/fees.ts';
import { foreignOrder } from '../../arrange/refunds/foreign-orders.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makeOrderPaidAt, makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectThat, isAccepted } from '../../check/expect.ts';
import { counted } from '../../contract/counted.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { expectInsufficient } from '../support/insufficient-balance.ts';

/** Every refund period is over after so many years, which are given in seconds. */
const years = 10 * 366 * 86_400;
const halfAnHour = 1800;

/** A limit that ends while the check waits, and how many requests are sent beyond it. */
const rateLimit = { requests: 1, perSeconds: 5 } as const;
const beyond = 3;

/** How long to wait each time until the limit admits a request again, in seconds: a span, and then longer for targets whose spans are coarse. */
const untilAdmitted = [rateLimit.perSeconds + 1, 6, 12, 12] as const;

const needs = ['order-events', 'own-merchant'] as const;

/** A merchant with a balance, and one of its orders that was paid. */
async function payer(context: CheckContext, USDT: string): Promise<{ merchant: Credentials; order: PaidOrder }> {
  const merchant = await merchantWithBalance(context, USDT);
  return { merchant, order: await makeOrderPaidAt(context, merchant) };
}

/** Fails where a refund is not accepted, although the balance covers it. Its id, or its order, is that of a refused one. */
async function expectCovered(
  context: CheckContext,
  merchant: Credentials,
  request: RefundCreateRequest,
  cause: string,
): Promise<void> {
  expectAccepted(await refundsClient(context, merchant).create(request), coveredAfter(cause));
}

const coveredAfter = (cause: string) =>
  `a refund that the balance covers, after one that was refused ${cause}, which changes neither the balance nor the order and leaves its id free`;

/** A create that was refused, and one that must be accepted after it. */
interface Refused {
  answer: Answer;
  afterwards: RefundCreateRequest;
}

/**
 * Ways in which a merchant's create is refused, each with its cause in words. `request` is one that keeps every rule, for an order that was
 * paid.
 */
const refusals: Readonly<
  Record<string, (context: CheckContext, merchant: Credentials, request: RefundCreateRequest) => Promise<Refused>>
> = {
  'because its order was not paid yet': async (context, merchant) => {
    const order = await makeOrder(context, merchant, { orderAmount: ordinaryAmount });
    const request = refundRequest(context, order.orderId);
    const answer = await refundsClient(context, merchant).create(request);
    await bringOrderTo(context, order, 'SUCCEEDED');
    // Another request: the same one sent again could be answered as it was the first time.
    return { answer, afterwards: { ...request, refundReason: 'Goods were damaged' } };
  },
  "because its order is another merchant's": async (context, merchant, request) => {
    const stranger = await context.ownMerchant();
    const { orderId } = await foreignOrder(context, merchant, () => makeOrderPaidAt(context, stranger));
    const answer = await refundsClient(context, merchant).create({ ...request, acquiringOrderId: orderId });
    const ofOwner = await refundsClient(context, stranger).create(refundRequest(context, orderId));
    expectAccepted(ofOwner, 'a refund of an order that another merchant was refused to refund');
    return { answer, afterwards: request };
  },
  'because its timestamp is too old': async (context, merchant, request) => ({
    answer: await sendChanged(context, merchant, request, { timestamp: String(context.now() - 600_000) }),
    afterwards: request,
  }),
  'because its key is unknown': async (context, merchant, request) => ({
    answer: await sendChanged(context, merchant, request, { headers: { 'X-Api-Key': alteredId(merchant.apiKey) } }),
    afterwards: request,
  }),
};

/** Sends a create whose authentication is changed. */
function sendChanged(
  context: CheckContext,
  merchant: Credentials,
  request: RefundCreateRequest,
  changes: { timestamp?: string; headers?: Record<string, string> },
): Promise<Answer> {
  const client = refundsClient(context, merchant);
  const body = Buffer.from(JSON.stringify(request));
  return client.send({ method: 'POST', path: client.refundsPath, body, ...changes });
}

async function refuseFor(context: CheckContext, cause: string): Promise<void> {
  const { merchant, order } = await payer(context, balanceForOne);
  const refused = await refusals[cause]?.(context, merchant, refundRequest(context, order.orderId));
  if (!refused || isAccepted(refused.answer)) {
    throw new Inconclusive(`a create was accepted that had to be refused ${cause}`);
  }
  await expectCovered(context, merchant, refused.afterwards, cause);
}

/** Fails where a create that was refused because its id is another refund's has used up the balance. */
async function refuseConflict(context: CheckContext): Promise<void> {
  const { merchant, order } = await payer(context, balanceForTwo);
  const further = await makeOrderPaidAt(context, merchant);
  const { client, request, created } = await makeRefund(context, merchant, { order });
  const conflict = await client.create({ ...request, acquiringOrderId: further.orderId });
  // The answer to it is open, and so are fees.
  if (isAccepted(conflict) || !coversJust(balanceForTwo, 2, created)) return;
  await expectCovered(context, merchant, refundRequest(context, further.orderId), "because its id is another refund's");
}

/** Fails where a merchant's balance does not cover a refund any more after creates that were refused. */
async function refuseSeveral(context: CheckContext): Promise<void> {
  const merchant = await merchantWithBalance(context, balanceForOne);
  const [{ orderId }, dear] = await Promise.all([
    makePaidOrder(context, merchant),
    makeOrderPaidAt(context, merchant, tooMuch),
  ]);
  const client = refundsClient(context, merchant);
  // A refused create does not use its id up, so that one id serves them all.
  const request = refundRequest(context, orderId);
  const { refundReason: _left, ...withoutReason } = request;
  const answers = await Promise.all([
    client.createAnything(withoutReason),
    client.create({ ...request, acquiringOrderId: alteredId(orderId) }),
    client.create({ ...request, acquiringOrderId: dear.orderId }),
    client.send({
      method: 'POST',
      path: client.refundsPath,
      body: Buffer.from(JSON.stringify(request)),
      sign: () => 'A'.repeat(44),
    }),
  ]);
  const accepted = answers.find(isAccepted);
  if (accepted) throw new Inconclusive('a create was accepted that had to be refused');
  const answer = await client.create(request);
  expectAccepted(answer, 'a refund that the balance covers, unless refused ones have used it or their id up');
}

/** Fails where a create that was refused because its order had a refund has used up a merchant's balance. */
async function refuseRefunded(context: CheckContext): Promise<void> {
  const merchant = await merchantWithBalance(context, balanceForTwo);
  const [order, further, last] = await Promise.all([
    makeOrderPaidAt(context, merchant),
    makeOrderPaidAt(context, merchant),
    makeOrderPaidAt(context, merchant),
  ]);
  const { client, created } = await makeRefund(context, merchant, { order });
  const request = refundRequest(context, order.orderId);
  const second = await client.create(request);
  // Fees and second refunds are open. After a second one, or with a high fee, nothing follows from what is left of the balance.
  if (isAccepted(second) || !coversJust(balanceForTwo, 2, created)) return;
  const answer = await client.create({ ...request, acquiringOrderId: further.orderId });
  const what = 'a refund that the balance covers, unless a refused one of another order has used it or its id up';
  expectAccepted(answer, what);
  expectInsufficient(
    await client.create(refundRequest(context, last.orderId)),
    'a refund that the balance covers only if a refused one has given back what another one took',
  );
}

/** How often creates are sent beyond a limit, where it has always ended before the last of them was answered. */
const attempts = 3;

/** Fails where creates that were refused with HTTP 429 have used up a balance, their id or their order. Resolves with whether there were such. */
async function refuseForRate(context: CheckContext): Promise<boolean> {
  const merchant = await context.ownMerchant({ balances: { USDT: balanceForOne }, rateLimit: { ...rateLimit } });
  const order = await makeOrderPaidAt(context, merchant);
  const client = refundsClient(context, merchant);
  const send = (request: RefundCreateRequest) => {
    const body = Buffer.from(JSON.stringify(request));
    return client.send({ method: 'POST', path: client.refundsPath, body, provokes429: true });
  };
  await send(refundRequest(context, alteredId(order.orderId)));
  const request = refundRequest(context, order.orderId);
  const answers = await Promise.all(Array.from({ length: beyond }, () => send(request)));
  // The limit may have ended on a slow target. Other checks judge whether it is kept.
  if (answers.some(isAccepted) || !answers.some(({ status }) => status === 429)) return false;
  let answer: Answer | undefined;
  for (const seconds of untilAdmitted) {
    await context.pause(seconds * 1000);
    answer = await send(request);
    if (answer.status !== 429) break;
  }
  if (!answer) return false;
  const { requests, perSeconds } = rateLimit;
  expectThat(answer.status !== 429, answer, {
    expected: `not HTTP 429 for half a minute and more, under a limit of ${counted(requests, 'request')} in ${perSeconds} s`,
    actual: 'HTTP 429',
    requirement: 'refunds.create.accepted',
  });
  expectAccepted(answer, coveredAfter('with HTTP 429'));
  return true;
}

/** Creates of refunds that are refused for any cause leave the balance as it was. */
export const refundsReservesNothingChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.errors.reserves-nothing',
    title: 'Creates that are refused reserve nothing, and give nothing back',
    requirements: [
      'refunds.errors.refused',
      'refunds.create.reserves-funds',
      'refunds.errors.insufficient-balance',
      'refunds.errors.business',
    ],
    needs,
    async run(context) {
      await Promise.all([refuseSeveral(context), refuseRefunded(context)]);
    },
  },
  {
    id: 'refunds.errors.reserves-nothing.other-causes',
    title:
      'A create that is refused for its order, its id, its timestamp or its key reserves nothing, and uses up neither its id nor its order',
    requirements: ['refunds.errors.refused'],
    needs,
    async run(context) {
      const each = Object.keys(refusals).map((cause) => refuseFor(context, cause));
      await sideBySide([...each, refuseConflict(context)]);
    },
  },
  {
    id: 'refunds.errors.reserves-nothing.period-expired',
    title: 'A create that is refused because the refund period is over reserves nothing, and does not use up its id',
    requirements: ['refunds.errors.refused'],
    needs: [...needs, 'clock'],
    async run(context) {
      const { merchant, order } = await payer(context, balanceForOne);
      await context.advanceClock(merchant, years);
      const request = refundRequest(context, order.orderId);
      const refused = await refundsClient(context, merchant).create(request);
      if (isAccepted(refused)) throw new Inconclusive('a refund was accepted after the end of every period');
      const expiresAt = new Date(context.now() + (years + halfAnHour) * 1000).toISOString();
      const present = await makePaidOrder(context, merchant, { orderAmount: ordinaryAmount, expiresAt });
      const ofPresent = { ...request, acquiringOrderId: present.orderId };
      await expectCovered(context, merchant, ofPresent, 'because its period is over');
    },
  },
  {
    id: 'refunds.errors.reserves-nothing.rate-limit',
    title: 'Creates that are refused with HTTP 429 reserve nothing, and use up neither their id nor their order',
    requirements: ['refunds.errors.refused', 'refunds.create.accepted'],
    openPoint: 'rate-limit',
    needs,
    waits: untilAdmitted[0],
    async run(context) {
      if (context.history.run.pins['rate-limit'] === 'built-in') {
        throw new PermittedChoice('the limit of this target cannot be set (open point rate-limit)');
      }
      for (let attempt = 1; attempt <= attempts && !(await refuseForRate(context)); attempt += 1);
    },
  },
];
