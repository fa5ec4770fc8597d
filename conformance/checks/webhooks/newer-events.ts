import { networks, type RequirementId } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder, orderedBy } from '../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { paymentMethodsOf } from '../../arrange/checkout-orders/payment-methods.ts';
import { type AnyMadeOrder, bringOrderTo, type Product, tooLittle } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed, hostedNetworks, paymentOver } from '../../arrange/orders/payments.ts';
import { bringAnyOrderTo } from '../../arrange/products.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { letHappen, sideBySide } from '../../arrange/situations/situations.ts';
import { type Kind, kinds, retryPrefix } from '../../arrange/webhooks/kinds.ts';
import {
  awaitNews,
  mentionsStatus,
  shareBeforeRetry,
  shareOfPrompt,
  thoughTimePassed,
} from '../../arrange/webhooks/waiting.ts';
import { makeNotifiedOrder } from '../../arrange/webhooks/webhooks.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged, statusOf } from '../../check/expect.ts';
import { counted } from '../../contract/counted.ts';
import { readingsOf } from '../../contract/readings.ts';
import { statusesIn } from '../../contract/statuses.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { Broken, Inconclusive } from '../../errors/outcomes.ts';
import type { Mailbox, Webhook } from '../../wire/mailbox.ts';

/** A change that must be announced. */
interface Change {
  mailbox: Mailbox;
  status: string;
  announced: RequirementId;
}

/**
 * Lets changes happen of which the first is announced at a receiver that takes nothing. The others happen while it waits for its next attempt.
 * Resolves with those that must be announced.
 */
type LetChange = (context: CheckContext, merchant: Credentials, refusing: Mailbox) => Promise<readonly Change[]>;

/** How an order comes to its end while its first event waits: by so much, and by what happens once its payment was seen. */
interface FurtherEnd {
  status: 'SUCCEEDED' | 'FAILED';
  amount?: string;
  step: OrderStep;
}

const furtherEnds: readonly FurtherEnd[] = [
  { status: 'SUCCEEDED', step: confirmed },
  { status: 'FAILED', step: { type: 'payment_failed' } },
  { status: 'FAILED', amount: tooLittle, step: confirmed },
];

/** Waits for the first webhook at a receiver that takes nothing, where one comes soon, and until its sender has noted that the attempt has failed. */
async function awaitRefused(context: CheckContext, refusing: Mailbox): Promise<void> {
  const come = await refusing.first(() => true, context.webhookWait * shareOfPrompt);
  if (come) await context.pause(context.webhookWait * shareBeforeRetry);
}

/** An order that is paid over a network and comes to an end. Whether it does is judged by other checks. */
const changePaidOver =
  (product: Product, { announced }: Kind, network: string, { status, amount, step }: FurtherEnd): LetChange =>
  async (context, merchant, refusing) => {
    const order = await makePayableOver(context, product, merchant, refusing, network);
    if (!order) return [];
    const { done } = await context.orderEvent(merchant, order.orderId, paymentOver(context, network, amount));
    if (!done) return [];
    await awaitRefused(context, refusing);
    const isThere = statusOf(await letHappen(context, order, [step])) === status;
    return isThere ? [{ mailbox: refusing, status, announced: announced[status] }] : [];
  };

/** An order that can be paid over a network. `undefined`: its merchant has none. */
async function makePayableOver(
  context: CheckContext,
  product: Product,
  merchant: Credentials,
  { url: callbackUrl }: Mailbox,
  network: string,
): Promise<AnyMadeOrder | undefined> {
  if (product === 'orders') return makeOrder(context, merchant, { callbackUrl });
  const methods = await paymentMethodsOf(checkoutClient(context, merchant));
  const method = methods.find((each) => each.network === network);
  return method && makeCheckoutOrder(context, merchant, { callbackUrl, ...orderedBy(method) });
}

/** Orders over every network. Each network after the other leads to the next end, and those of hosted orders, which are few, to two. */
function changesOverNetworks(product: Product, kind: Kind): LetChange[] {
  const [codes, rounds] = product === 'orders' ? [hostedNetworks, 2] : [networks.map(({ code }) => code), 1];
  return Array.from({ length: rounds }, (_, round) =>
    codes.flatMap((code, index) => {
      const end = furtherEnds[(codes.length * round + index + round) % furtherEnds.length];
      return end ? [changePaidOver(product, kind, code, end)] : [];
    }),
  ).flat();
}

/** An order that changes again, and another one of its merchant that comes to its end. */
const changeOrders =
  (product: Product, kind: Kind): LetChange =>
  async (context, merchant, refusing) => {
    const { endings, announced } = kind;
    const order = await makeNotifiedOrder(context, product, refusing, { merchant });
    const other = await kind.make(context, await context.mailbox(), merchant, endings[0]);
    await bringAnyOrderTo(context, order, 'PROCESSING');
    // Whether this change is announced is not judged here.
    await awaitRefused(context, refusing);
    await bringOrderTo(context, order, 'SUCCEEDED');
    await other.end();
    return [
      { mailbox: refusing, status: 'SUCCEEDED', announced: announced.SUCCEEDED },
      { mailbox: other.mailbox, status: other.ending, announced: announced[other.ending] },
    ];
  };

/** An order that is paid, and whose refund then comes to an end. */
const changeRefunds =
  ({ announced }: Kind, status: 'SUCCEEDED' | 'FAILED'): LetChange =>
  async (context, merchant, refusing) => {
    const order = await makePaidOrder(context, merchant, { callbackUrl: refusing.url });
    await refusing.first(mentionsStatus('SUCCEEDED'), context.webhookWait * shareOfPrompt);
    const mailbox = await context.mailbox();
    await bringRefundTo(context, await makeRefund(context, merchant, { order, notifyUrl: mailbox.url }), status);
    return [
      { mailbox: refusing, status: 'SUCCEEDED', announced: 'webhooks.order.paid' },
      { mailbox, status, announced: announced[status] },
    ];
  };

const changesOf = (kind: Kind): readonly LetChange[] =>
  kind.area === 'orders' || kind.area === 'checkout'
    ? [changeOrders(kind.area, kind), ...changesOverNetworks(kind.area, kind)]
    : [changeRefunds(kind, 'FAILED'), changeRefunds(kind, 'SUCCEEDED')];

/** The statuses that a webhook names. */
const statusesNamed = ({ text }: Webhook): string[] => [...new Set(readingsOf(text).flatMap(statusesIn))];

/** Fails where a change is not announced, or where one that was announced and not taken is not announced again. */
async function expectAll(context: CheckContext, letChange: LetChange): Promise<void> {
  const [merchant, refusing] = [await context.ownMerchant(), await context.mailbox()];
  refusing.reply({ status: 500 });
  const changes = await letChange(context, merchant, refusing);
  refusing.reply({ status: 200 });
  const [first] = changes;
  if (!first) return;
  // An event may name several statuses: the one before it, or that of something else.
  const named = refusing.webhooks.map(statusesNamed).filter(({ length }) => length > 0);
  const refused = new Set(named.map((each) => each.join(' and ')));
  const isEndRefused = named.some((each) => each.includes(first.status));
  // An event that is sent again may show the order as it is by then, so that the attempts are counted, whatever they name.
  const attempts = 2 * refused.size + (isEndRefused ? 0 : 1);

  const isOpen = ({ mailbox, status }: Change) => !mailbox.webhooks.some(mentionsStatus(status));
  const isShort = () => refusing.webhooks.length < attempts;
  const mailboxes = changes.map(({ mailbox }) => mailbox);
  const allCame = () => (!changes.some(isOpen) && !isShort()) || undefined;
  if (await awaitNews(context, merchant, mailboxes, allCame, shareBeforeRetry)) return countJudged(context.transport);

  const missing = changes.find(isOpen);
  const { url, webhooks } = missing?.mailbox ?? refusing;
  const expected = missing
    ? `a webhook that tells of ${missing.status} at ${url}`
    : `at least ${attempts} webhooks at ${url}: each that was answered with HTTP 500 (status ${[...refused].join('; ')}) once more`;
  if (!context.has('clock')) {
    throw new Inconclusive(
      `one of several webhooks did not come within ${context.webhookWait} ms, and no clock can be moved`,
    );
  }
  const exchange = webhooks.at(-1)?.exchange;
  throw new Broken('of several webhooks of a merchant, of which the first was not taken at once, one was lost', {
    expected,
    actual: `${counted(webhooks.length, 'webhook')} came there, ${thoughTimePassed} since the first at ${refusing.url} was answered with HTTP 500`,
    requirement: missing?.announced ?? 'webhooks.retry',
    ...(exchange !== undefined && { exchange }),
  });
}

const changeOf: Readonly<Record<Kind['name'], { words: string; requirements: readonly RequirementId[] }>> = {
  order: {
    words: 'a hosted order that changes again, over each network, and another order of its merchant,',
    requirements: ['webhooks.retry', 'webhooks.order.paid', 'webhooks.order.failed', 'webhooks.order.cancelled'],
  },
  'checkout-order': {
    words: 'a checkout order that changes again, over each network, and another order of its merchant,',
    requirements: ['webhooks.retry', 'webhooks.order.paid', 'webhooks.order.failed'],
  },
  refund: {
    words: 'an order and its refund',
    requirements: ['webhooks.retry', 'webhooks.order.paid', 'webhooks.refund.notify-url'],
  },
};

/** For each kind: what changes while another webhook waits for its next attempt is announced, and that one is sent again nevertheless. */
export const webhooksNewerEventsChecks: readonly CheckDeclaration[] = kinds.map((kind) => ({
  id: `${retryPrefix(kind)}.newer-event`,
  title: `All webhooks about ${changeOf[kind.name].words} arrive, although the first is not taken at once`,
  calls: [kind.area],
  requirements: changeOf[kind.name].requirements,
  needs: kind.needs,
  long: true,
  run: async (context) => {
    await sideBySide(changesOf(kind).map((letChange) => expectAll(context, letChange)));
  },
}));
