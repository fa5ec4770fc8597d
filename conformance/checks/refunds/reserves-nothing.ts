import { makeOrder } from '../../arrange/orders/orders.ts';
import { alteredId } from '../../arrange/refunds/altered-id.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { coversJust } from '../../arrange/refunds/fees.ts';
import { foreignOrder } from '../../arrange/refunds/foreign-orders.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, isAccepted } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';

/** The price of an order, and balances that cover one refund of it, and two, and not one more. */
const orderAmount = { value: '9.50', currency: 'USDT' } as const;
const [forOne, forTwo] = ['15', '24'];

/** Every refund period is over after so many years, which are given in seconds. */
const years = 10 * 366 * 86_400;
const halfAnHour = 1800;

/** A limit that ends while the check waits, and how many requests are sent beyond it. */
const rateLimit = { requests: 1, perSeconds: 5 } as const;
const beyond = 3;

const needs = ['order-events', 'own-merchant'] as const;

/** A merchant with a balance, and one of its orders that was paid. */
async function payer(context: CheckContext, USDT: string): Promise<{ merchant: Credentials; order: PaidOrder }> {
  const merchant = await context.ownMerchant({ balances: { USDT } });
  return { merchant, order: await makePaidOrder(context, merchant, { orderAmount }) };
}

/** Fails where a refund of an order is not accepted, although the balance covers it. */
async function expectCovered(
  context: CheckContext,
  { merchant, orderId }: Pick<PaidOrder, 'merchant' | 'orderId'>,
  cause: string,
): Promise<void> {
  const answer = await refundsClient(context, merchant).create(refundRequest(context, orderId));
  expectAccepted(answer, `a refund that the balance covers, unless one has used it up that was refused ${cause}`);
}

/** Ways in which a merchant's create is refused, each with its cause in words. An order that was paid may be named in it. */
const refusals: Readonly<
  Record<string, (context: CheckContext, merchant: Credentials, order: PaidOrder) => Promise<Answer>>
> = {
  'because its order is not paid': async (context, merchant) => {
    const { orderId } = await makeOrder(context, merchant, { orderAmount });
    return refundsClient(context, merchant).create(refundRequest(context, orderId));
  },
  "because its order is another merchant's": async (context, merchant) => {
    const stranger = await context.ownMerchant();
    const order = await foreignOrder(context, merchant, () => makePaidOrder(context, stranger, { orderAmount }));
    return refundsClient(context, merchant).create(refundRequest(context, order.orderId));
  },
  'because its timestamp is too old': (context, merchant, { orderId }) =>
    sendChanged(context, merchant, orderId, { timestamp: String(context.now() - 600_000) }),
  'because its key is unknown': (context, merchant, { orderId }) =>
    sendChanged(context, merchant, orderId, { headers: { 'X-Api-Key': alteredId(merchant.apiKey) } }),
};

/** Sends a create whose authentication is changed. */
function sendChanged(
  context: CheckContext,
  merchant: Credentials,
  orderId: string,
  changes: { timestamp?: string; headers?: Record<string, string> },
): Promise<Answer> {
  const client = refundsClient(context, merchant);
  const body = Buffer.from(JSON.stringify(refundRequest(context, orderId)));
  return client.send({ method: 'POST', path: client.refundsPath, body, ...changes });
}

async function refuseFor(context: CheckContext, cause: string): Promise<void> {
  const { merchant, order } = await payer(context, forOne);
  const refused = await refusals[cause]?.(context, merchant, order);
  if (!refused || isAccepted(refused)) throw new Inconclusive(`a create was accepted that had to be refused ${cause}`);
  await expectCovered(context, order, cause);
}

/** Fails where a create that was refused because its id is another refund's has used up the balance. */
async function refuseConflict(context: CheckContext): Promise<void> {
  const { merchant, order } = await payer(context, forTwo);
  const further = await makePaidOrder(context, merchant, { orderAmount });
  const { client, request, created } = await makeRefund(context, merchant, { order });
  const conflict = await client.create({ ...request, acquiringOrderId: further.orderId });
  // The answer to it is open, and so are fees.
  if (isAccepted(conflict) || !coversJust(forTwo, 2, created)) return;
  await expectCovered(context, further, "because its id is another refund's");
}

/** Creates of refunds that are refused for any cause leave the balance as it was. */
export const refundsReservesNothingChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.errors.reserves-nothing.other-causes',
    title: 'A create that is refused for its order, its id, its timestamp or its key reserves nothing',
    requirements: ['refunds.errors.refused'],
    needs,
    async run(context) {
      const each = Object.keys(refusals).map((cause) => refuseFor(context, cause));
      await sideBySide([...each, refuseConflict(context)]);
    },
  },
  {
    id: 'refunds.errors.reserves-nothing.period-expired',
    title: 'A create that is refused because the refund period is over reserves nothing',
    requirements: ['refunds.errors.refused'],
    needs: [...needs, 'clock'],
    async run(context) {
      const { merchant, order } = await payer(context, forOne);
      await context.advanceClock(merchant, years);
      const refused = await refundsClient(context, merchant).create(refundRequest(context, order.orderId));
      if (isAccepted(refused)) throw new Inconclusive('a refund was accepted after the end of every period');
      const expiresAt = new Date(context.now() + (years + halfAnHour) * 1000).toISOString();
      const present = await makePaidOrder(context, merchant, { orderAmount, expiresAt });
      await expectCovered(context, present, 'because its period is over');
    },
  },
  {
    id: 'refunds.errors.reserves-nothing.rate-limit',
    title: 'Creates that are refused with HTTP 429 reserve nothing',
    requirements: ['refunds.errors.refused'],
    openPoint: 'rate-limit',
    needs,
    long: true,
    async run(context) {
      if (context.history.run.pins['rate-limit'] === 'built-in') {
        throw new PermittedChoice('the limit of this target cannot be set (open point rate-limit)');
      }
      const merchant = await context.ownMerchant({ balances: { USDT: forOne }, rateLimit: { ...rateLimit } });
      const order = await makePaidOrder(context, merchant, { orderAmount });
      const client = refundsClient(context, merchant);
      const send = (orderId: string) => {
        const body = Buffer.from(JSON.stringify(refundRequest(context, orderId)));
        return client.send({ method: 'POST', path: client.refundsPath, body, provokes429: true });
      };
      await send(alteredId(order.orderId));
      const answers = await Promise.all(Array.from({ length: beyond }, () => send(order.orderId)));
      // The limit may have ended on a slow target. Other checks judge whether it is kept.
      if (answers.some(isAccepted) || !answers.some(({ status }) => status === 429)) return;
      await context.pause((rateLimit.perSeconds + 1) * 1000);
      await expectCovered(context, order, 'with HTTP 429');
    },
  },
];
