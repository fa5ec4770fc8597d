import type { RequirementId } from '../../../generated/catalogue.ts';
import { type MadeCheckoutOrder, makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import type { Product } from '../../arrange/orders/any-order.ts';
import { type MadeOrder, makeOrder } from '../../arrange/orders/orders.ts';
import { alteredId } from '../../arrange/refunds/altered-id.ts';
import { balanceForOne, merchantWithBalance, tooMuch } from '../../arrange/refunds/balances.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makeOrderPaidAt, makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { needEnd, sideBySide, unpaidEnds } from '../../arrange/situations/situations.ts';
import { expectWebhook, mentionsStatus, namesOneOf, needWebhook } from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged, expectThat, isAccepted } from '../../check/expect.ts';
import { addDecimals } from '../../contract/decimals.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { Mailbox } from '../../wire/mailbox.ts';

const products: readonly { product: Product; idPrefix: string; noun: string }[] = [
  { product: 'orders', idPrefix: 'webhooks.order', noun: 'hosted order' },
  { product: 'checkout', idPrefix: 'webhooks.checkout-order', noun: 'checkout order' },
];

type MadeHere = MadeOrder | MadeCheckoutOrder;

/** Ways in which a create is refused, each with its words. It names `callbackUrl`, and `request` is one that keeps every rule. */
const refusals: readonly {
  words: string;
  create(order: MadeHere, callbackUrl: string, changes?: { merchantOrderId: string }): Promise<Answer>;
}[] = [
  {
    words: 'with a wrong signature',
    create: ({ client, request }, callbackUrl, changes) => {
      const body = Buffer.from(JSON.stringify({ ...request, ...changes, callbackUrl }));
      return client.send({ method: 'POST', path: client.createPath, body, sign: () => 'A'.repeat(44) });
    },
  },
  {
    words: 'without an expiresAt',
    create: ({ client, request: { expiresAt: _left, ...request } }, callbackUrl, changes) =>
      client.createAnything({ ...request, ...changes, callbackUrl }),
  },
  {
    words: 'over 0',
    create: ({ client, request }, callbackUrl, changes) => {
      const orderAmount = { ...request.orderAmount, value: '0' };
      return client.createAnything({ ...request, ...changes, orderAmount, callbackUrl });
    },
  },
];

/** Makes an order of a merchant of its own. */
async function make(context: CheckContext, product: Product, { url: callbackUrl }: Mailbox): Promise<MadeHere> {
  const making = product === 'orders' ? makeOrder : makeCheckoutOrder;
  return making(context, await context.ownMerchant(), { callbackUrl });
}

/** A create that was refused, by the id that it has given, and the mailbox that it has named. */
interface Refused {
  mailbox: Mailbox;
  id: string;
  words: string;
}

/** Fails when a webhook has come about something whose create was refused. Whatever was due has come before, because a later event has. */
function expectNothingOf(refused: readonly Refused[], requirement: RequirementId): void {
  for (const { mailbox, id, words } of refused) {
    const webhook = mailbox.webhooks.find((each) => namesOneOf(each, [id]));
    if (!webhook) continue;
    expectThat(false, webhook, {
      expected: `no webhook about ${id}, whose create ${words} was refused`,
      actual: `a webhook about it at ${mailbox.url}, which that create had named`,
      requirement,
    });
  }
}

/** An order after whose create others under its id, or under an id of their own, were to be refused, which name other addresses. */
interface Notified {
  order: MadeHere;
  mailbox: Mailbox;
  others: readonly Mailbox[];
  words: string;
}

/** Lets an order fail. Its webhook must come to its own address; the rules over the whole run see one about what was refused. */
async function expectAtItsAddress(context: CheckContext, { order, mailbox, others, words }: Notified): Promise<void> {
  await needEnd(context, order, unpaidEnds.underpaid, 'FAILED');
  const { merchant, request } = order;
  await expectWebhook(
    context,
    { merchant, mailbox, ids: [request.merchantOrderId, order.orderId], others, address: 'webhooks.order.post' },
    mentionsStatus('FAILED'),
    `a webhook of the order that is now FAILED, after ${words} with another callbackUrl was refused`,
  );
}

/** Sends creates that break a rule, under the id of an order and under others. */
async function expectUnmoved(context: CheckContext, product: Product): Promise<void> {
  const mailbox = await context.mailbox();
  const order = await make(context, product, mailbox);
  const others: Mailbox[] = [];
  const words: string[] = [];
  const refused: Refused[] = [];
  for (const { words: how, create } of refusals) {
    const [again, apart] = [await context.mailbox(), await context.mailbox()];
    const merchantOrderId = context.newOrderId();
    const answer = await create(order, apart.url, { merchantOrderId });
    if (!isAccepted(answer)) refused.push({ mailbox: apart, id: merchantOrderId, words: how });
    // Where a repeat is answered with the order whatever it is like, nothing follows from that.
    if (isAccepted(await create(order, again.url))) {
      throw new PermittedChoice(`a create under the id of an order is answered with it, though it is ${how}`);
    }
    others.push(again);
    words.push(how);
  }
  await expectAtItsAddress(context, { order, mailbox, others, words: `a create under its id ${words.join(', ')}` });
  expectNothingOf(refused, 'webhooks.order.after-change');
}

/** Sends a create under the id of an order that is over another amount. Whether it is refused is open. */
async function expectUnmovedByAnother(context: CheckContext, product: Product): Promise<void> {
  const [mailbox, again] = [await context.mailbox(), await context.mailbox()];
  const order = await make(context, product, mailbox);
  const { request, client } = order;
  const orderAmount = {
    ...request.orderAmount,
    value: addDecimals([request.orderAmount.value, request.orderAmount.value]),
  };
  const answer = await client.createAnything({ ...request, orderAmount, callbackUrl: again.url });
  if (isAccepted(answer)) {
    throw new PermittedChoice('a create under the id of an order is accepted over another amount');
  }
  await expectAtItsAddress(context, { order, mailbox, others: [again], words: 'a create over another amount' });
}

/** Sends creates that break a rule, and then a right one under their id. Its end is announced like every other. */
async function expectAnnouncedAfterRefusals(context: CheckContext, product: Product): Promise<void> {
  const mailbox = await context.mailbox();
  const sample = await make(context, product, await context.mailbox());
  const changes = { merchantOrderId: context.newOrderId() };
  const others: Mailbox[] = [];
  for (const { create } of refusals) {
    const other = await context.mailbox();
    // That it is refused is judged elsewhere.
    if (isAccepted(await create(sample, other.url, changes))) return;
    others.push(other);
  }
  const making = product === 'orders' ? makeOrder : makeCheckoutOrder;
  const order = await making(context, sample.merchant, { ...changes, callbackUrl: mailbox.url });
  await expectAtItsAddress(context, { order, mailbox, others, words: 'each create under its id before' });
}

/** Every refund period is over after so many years, which are given in seconds. */
const years = 10 * 366 * 86_400;

/** Sends creates of refunds that are refused for each cause, and name addresses of their own. */
async function refuseRefunds(context: CheckContext, merchant: Credentials, refunded: PaidOrder): Promise<Refused[]> {
  const poor = await merchantWithBalance(context, balanceForOne);
  const [paid, dear, unpaid] = await Promise.all([
    makePaidOrder(context, merchant),
    makeOrderPaidAt(context, poor, tooMuch),
    makeOrder(context, merchant),
  ]);
  const [client, ofPoor] = [refundsClient(context, merchant), refundsClient(context, poor)];
  type Asked = ReturnType<typeof refundRequest>;
  const ways: [words: string, orderId: string, create: (request: Asked) => Promise<Answer>][] = [
    ['of an unknown order', alteredId(paid.orderId), client.create],
    ['of an order that is not paid', unpaid.orderId, client.create],
    ['of an order that was refunded', refunded.orderId, client.create],
    ['that the balance does not cover', dear.orderId, ofPoor.create],
    ['without a refundReason', paid.orderId, ({ refundReason: _left, ...request }) => client.createAnything(request)],
    [
      'with a wrong signature',
      paid.orderId,
      (request) => {
        const body = Buffer.from(JSON.stringify(request));
        return client.send({ method: 'POST', path: client.refundsPath, body, sign: () => 'A'.repeat(44) });
      },
    ],
  ];
  if (context.has('clock')) {
    const late = await context.ownMerchant();
    const { orderId } = await makePaidOrder(context, late);
    await context.advanceClock(late, years);
    ways.push(['after the end of every refund period', orderId, refundsClient(context, late).create]);
  }
  const refused: Refused[] = [];
  for (const [words, orderId, create] of ways) {
    const mailbox = await context.mailbox();
    const request = refundRequest(context, orderId, { notifyUrl: mailbox.url });
    // Whether it is refused is judged elsewhere.
    if (!isAccepted(await create(request))) refused.push({ mailbox, id: request.merchantRefundOrderId, words });
  }
  return refused;
}

const refusedRefunds: CheckDeclaration = {
  id: 'webhooks.refund.refused-creates',
  long: true,
  title: 'Nothing is announced at the notifyUrl of a create of a refund that was refused, whatever for',
  calls: ['refunds'],
  requirements: ['webhooks.refund.after-result'],
  needs: ['order-events', 'refund-events', 'own-merchant'],
  async run(context) {
    const [merchant, mailbox] = [await context.ownMerchant(), await context.mailbox()];
    const first = await makeRefund(context, merchant);
    await bringRefundTo(context, first, 'SUCCEEDED');
    // The last one is made before, because a wait moves its merchant's clock.
    const last = await makeRefund(context, merchant, { notifyUrl: mailbox.url });
    const refused = await refuseRefunds(context, merchant, first.order);
    await bringRefundTo(context, last, 'SUCCEEDED');
    const party = { merchant, mailbox, ids: [last.request.merchantRefundOrderId] };
    const what = 'a webhook of a refund that is SUCCEEDED';
    await needWebhook(context, party, mentionsStatus('SUCCEEDED'), what, 'webhooks.refund.notify-url');
    expectNothingOf(refused, 'webhooks.refund.after-result');
    countJudged(context.transport);
  },
};

const ofOrders = products.map(
  ({ product, idPrefix, noun }): CheckDeclaration => ({
    id: `${idPrefix}.refused-creates`,
    title: `The end of a ${noun} is announced at its callbackUrl, after creates under its id with another one were refused, or before that, and nothing at the addresses of those that were refused`,
    calls: [product],
    requirements: ['webhooks.order.post', 'webhooks.order.after-change'],
    needs: ['order-events'],
    run: async (context) => {
      await sideBySide([
        expectUnmoved(context, product),
        expectUnmovedByAnother(context, product),
        expectAnnouncedAfterRefusals(context, product),
      ]);
    },
  }),
);

/** Creates that are refused do not change where orders are announced, and nothing is announced because of them. */
export const webhooksRefusedCreatesChecks: readonly CheckDeclaration[] = [...ofOrders, refusedRefunds];
