import { type MadeCheckoutOrder, makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import type { Product } from '../../arrange/orders/any-order.ts';
import { type MadeOrder, makeOrder } from '../../arrange/orders/orders.ts';
import { letHappen, sideBySide, unpaidEnds } from '../../arrange/situations/situations.ts';
import { expectWebhook, mentionsStatus } from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { isAccepted } from '../../check/expect.ts';
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
  create(
    order: MadeHere,
    callbackUrl: string,
    changes?: { merchantOrderId: string },
  ): Promise<Answer>;
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

/** An order after whose create others under its id, or under an id of their own, were to be refused, which name other addresses. */
interface Notified {
  order: MadeHere;
  mailbox: Mailbox;
  others: readonly Mailbox[];
  words: string;
}

/** Lets an order fail. Its webhook must come to its own address; the rules over the whole run see one about what was refused. */
async function expectAtItsAddress(context: CheckContext, { order, mailbox, others, words }: Notified): Promise<void> {
  await letHappen(context, order, unpaidEnds.underpaid);
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
  for (const { words: how, create } of refusals) {
    const [again, apart] = [await context.mailbox(), await context.mailbox()];
    await create(order, apart.url, { merchantOrderId: context.newOrderId() });
    // Where a repeat is answered with the order whatever it is like, nothing follows from that.
    if (isAccepted(await create(order, again.url))) {
      throw new PermittedChoice(`a create under the id of an order is answered with it, though it is ${how}`);
    }
    others.push(again);
    words.push(how);
  }
  await expectAtItsAddress(context, { order, mailbox, others, words: `a create under its id ${words.join(', ')}` });
}

/** Sends a create under the id of an order that is over another amount. Whether it is refused is open. */
async function expectUnmovedByAnother(context: CheckContext, product: Product): Promise<void> {
  const [mailbox, again] = [await context.mailbox(), await context.mailbox()];
  const order = await make(context, product, mailbox);
  const { request, client } = order;
  const orderAmount = { ...request.orderAmount, value: twice(request.orderAmount.value) };
  const answer = await client.createAnything({ ...request, orderAmount, callbackUrl: again.url });
  if (isAccepted(answer)) {
    throw new PermittedChoice('a create under the id of an order is accepted over another amount');
  }
  await expectAtItsAddress(context, { order, mailbox, others: [again], words: 'a create over another amount' });
}

/** An amount twice as large. */
const twice = (value: string) => String(Number(value) * 2);

/** Creates that are refused do not change where orders are announced. */
export const webhooksRefusedCreatesChecks: readonly CheckDeclaration[] = products.map(
  ({ product, idPrefix, noun }): CheckDeclaration => ({
    id: `${idPrefix}.refused-creates`,
    title: `The end of a ${noun} is announced at its callbackUrl, after creates under its id with another one were refused`,
    calls: [product],
    requirements: ['webhooks.order.post'],
    needs: ['order-events'],
    run: async (context) => {
      await sideBySide([expectUnmoved(context, product), expectUnmovedByAnother(context, product)]);
    },
  }),
);
