import type { RequirementId } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import {
  type AnyMadeOrder,
  awaitedLifetime,
  awaitedSoon,
  orderLifetime,
  type Product,
  payOrder,
  tooLittle,
  unpaidStatuses,
} from '../../arrange/orders/any-order.ts';
import { makeOrder, ordinaryAmount } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { smallestOfAll } from '../../arrange/refunds/balances.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  bringRefundTo,
  businessError,
  expectRefundRefused,
  makeRefund,
  refundRequest,
} from '../../arrange/refunds/refunds.ts';
import { shareOfWait, untilConfirmed, untilRefunded } from '../../arrange/situations/automatic.ts';
import {
  awaitEnd,
  ifTaken,
  isFinal,
  letHappen,
  sideBySide,
  unpaidEnds,
  whereReached,
} from '../../arrange/situations/situations.ts';
import { announcesExpiry, awaitShortly, expectWebhook } from '../../arrange/webhooks/waiting.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectThat, isAccepted, needText, seenAt, statusOf, summary } from '../../check/expect.ts';
import { subtractDecimals } from '../../contract/decimals.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { show } from '../../contract/show.ts';
import { isFinalStatus } from '../../contract/statuses.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { NotApplicable, PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import type { Mailbox } from '../../wire/mailbox.ts';
import { askedAgain, expectNoLastingFailure } from '../support/failures.ts';

/** A product with orders, and the states in which one may end that nobody has paid. */
interface Expiring {
  product: Product;
  noun: string;
  ends: readonly string[];
  requirement: RequirementId;
}

const products: readonly Expiring[] = [
  { product: 'orders', noun: 'hosted order', ends: ['CLOSED'], requirement: 'orders.states.expired' },
  { product: 'checkout', noun: 'checkout order', ends: unpaidStatuses, requirement: 'checkout.states.expired' },
];

/** How long to wait before the first look at an order that was made with `awaitedSoon`, in seconds. The target may take a second to close it. */
const untilExpiry = awaitedLifetime + 1;

/** How often a refund is asked for that may move on by itself, and how long before each time, in milliseconds. */
const [looks, pause] = [5, 1000];

/** An order that lives so shortly may be refused: how long orders live at least is not said. */
function needShortLife(created: Answer, what: string): void {
  if (!isAccepted(created)) throw new NotApplicable(`${what} that lives for seconds is refused: ${summary(created)}`);
}

/** Orders of which several are to be announced, and which nobody looks at before their time is over. */
function expiringAlone({ product, noun, ends, requirement }: Expiring): CheckDeclaration {
  const make = product === 'orders' ? makeOrder : makeCheckoutOrder;
  return {
    id: `${product}.states.expires-unaided`,
    title: `A ${noun} whose time runs out while no clock is moved has ended when it is asked for, and is announced also where a query finds that first`,
    requirements: [requirement, 'webhooks.order.expired'],
    waits: untilExpiry + 2,
    async run(context) {
      const merchant = await context.ownMerchant();
      const lasting = await make(context, merchant);
      // An order without a callbackUrl ends as one with it, although nobody is told.
      const mailboxes = [await context.mailbox(), await context.mailbox(), undefined];
      const orders = await sideBySide(
        mailboxes.map(
          (mailbox): Promise<AnyMadeOrder> =>
            make(
              context,
              merchant,
              { ...(mailbox && { callbackUrl: mailbox.url }), ...awaitedSoon(context) },
              needShortLife,
            ),
        ),
      );
      // Where no clock can be moved, nothing says how long a webhook may take.
      if (context.has('clock')) {
        const own = await context.mailbox();
        const callbackUrl = own.url;
        const watchedOrder = await make(
          context,
          await context.ownMerchant(),
          { callbackUrl, ...awaitedSoon(context) },
          needShortLife,
        );
        await expectWatchedEndAnnounced(context, watchedOrder, own, noun);
        // The target may take a second to close the others too.
        await context.pause((untilExpiry - awaitedLifetime) * 1000);
      } else await context.pause(untilExpiry * 1000);
      const hasEnded = (answer: Answer) => ends.includes(String(statusOf(answer)));
      await sideBySide(
        orders.map(async ({ query }) => {
          const what = 'a query for an order whose time has run out';
          expectNoLastingFailure(
            await askedAgain(context, query, lasting.query),
            what,
            `data.status = ${ends.join(' or ')}`,
          );
          const view = await context.poll(query, hasEnded);
          expectThat(hasEnded(view), view, {
            expected: `data.status = ${ends.join(' or ')}`,
            actual: seenAt(view, 'data.status'),
          });
        }),
      );
      // The rules over the whole run see whether one is announced that a query has seen first.
      const [mailbox] = mailboxes;
      if (mailbox)
        await awaitShortly(
          context,
          { merchant, mailbox },
          announcesExpiry,
          `a webhook of a ${noun} that expired alone`,
        );
    },
  };
}

/** How long before and after the expiry an order is asked for again and again, and how often, in milliseconds. The target's clock is known to the second. */
const watched = { before: 1000, after: 2000, pause: 100 } as const;

/**
 * Asks for an order all the time while its time runs out, so that a query may be what finds that it has, and fails where it is not announced
 * then. It was made just before, with `awaitedSoon`.
 */
async function expectWatchedEndAnnounced(
  context: CheckContext,
  order: AnyMadeOrder,
  mailbox: Mailbox,
  noun: string,
): Promise<void> {
  await context.pause(awaitedLifetime * 1000 - watched.before);
  const looks = (watched.before + watched.after) / watched.pause;
  let view = await order.query();
  for (let look = 1; look < looks && !isFinal(view); look += 1) {
    await context.pause(watched.pause);
    view = await order.query();
  }
  if (!isFinal(view)) return;
  const { merchant } = order;
  const what = `a webhook of a ${noun} whose expiry was found by a query`;
  await expectWebhook(context, { merchant, mailbox }, announcesExpiry, what, 'webhooks.order.expired');
}

/** In seconds. */
const anHour = 3600;

/**
 * Payments of a hosted order of 10 USD that lie between the price and what it comes to in USDT, and the end to which they do not lead: less than
 * is due, and enough.
 */
const besideThePrice = [
  { usdRate: '1.25', amount: '11', not: 'SUCCEEDED', requirement: 'orders.states.failed' },
  { usdRate: '0.8', amount: '9', not: 'FAILED', requirement: 'orders.states.confirmed' },
] as const;

/** A platform whose payments are confirmed by the driver only leaves the order as it is. */
const hasPaidEnd = (answer: Answer) => ['SUCCEEDED', 'FAILED'].includes(String(statusOf(answer)));

async function expectConverted(
  context: CheckContext,
  { usdRate, amount, not, requirement }: (typeof besideThePrice)[number],
): Promise<void> {
  const merchant = await context.ownMerchant({ automatic: true, usdRate });
  const order = await makeOrder(context, merchant, { orderAmount: { value: '10', currency: 'USD' } });
  await payOrder(context, order, amount);
  await context.advanceClock(merchant, untilConfirmed);
  const view = await context.poll(order.query, hasPaidEnd, shareOfWait);
  expectThat(statusOf(view) !== not, view, {
    expected: `${amount} USDT for 10 USD at a rate of ${usdRate}, confirmed by itself: no data.status = ${not}`,
    actual: `data.status = ${not}`,
    requirement,
  });
}

/** Fails when something is not in the state any more in which it had ended before the platform's time to move it on by itself came. */
async function expectStillEnded(
  query: () => Promise<Answer>,
  ended: Answer,
  requirement: RequirementId,
): Promise<void> {
  const later = await query();
  expectThat(statusOf(later) === statusOf(ended), later, {
    expected: `data.status = ${show(statusOf(ended))}, in which it had ended before the platform would have moved it on by itself`,
    actual: seenAt(later, 'data.status'),
    requirement,
  });
}

/** Payments that a platform confirms by itself, some time after they were seen. */
function confirmedAlone({ product, noun, requirement }: Expiring): CheckDeclaration {
  const make = product === 'orders' ? makeOrder : makeCheckoutOrder;
  return {
    id: `${product}.states.confirmed-unaided`,
    title: `A ${noun} whose payment the platform confirms by itself is not SUCCEEDED where too little was paid or the payment failed first; one that nobody pays expires`,
    requirements:
      product === 'orders'
        ? ['orders.states.failed', 'orders.states.confirmed', 'orders.states.final', requirement]
        : ['checkout.payment-rule', 'checkout.states.final', requirement],
    needs: ['order-events', 'own-merchant', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant({ automatic: true });
      const [paid, underpaid, unpaid, failing, nearly, confirmedEarly] = await sideBySide([
        make(context, merchant),
        make(context, merchant),
        make(context, merchant),
        make(context, merchant),
        make(context, merchant),
        make(context, merchant),
        ...(product === 'orders' ? besideThePrice.map((each) => expectConverted(context, each)) : []),
      ]);
      const pay = (order: AnyMadeOrder, step: OrderStep) => context.orderEvent(merchant, order.orderId, step);
      await pay(paid, { type: 'transaction_detected' });
      await pay(underpaid, { type: 'transaction_detected', amount: tooLittle });
      const due = needText(
        nearly.created,
        product === 'orders' ? 'data.orderAmount.value' : 'data.cryptoPaymentAmount.value',
      );
      const almost = subtractDecimals(due, smallestOfAll);
      await pay(nearly, { type: 'transaction_detected', amount: almost });
      const failed = await letHappen(context, failing, unpaidEnds.failed);
      // What it shows then is what it shows when the platform would have confirmed the payment: the rules over the whole run see that.
      await letHappen(context, confirmedEarly, [{ type: 'transaction_detected' }, confirmed]);
      await context.advanceClock(merchant, untilConfirmed);
      await context.poll(paid.query, hasPaidEnd, shareOfWait);
      await confirmedEarly.query();
      const second = await underpaid.query();
      expectThat(statusOf(second) !== 'SUCCEEDED', second, {
        expected: `no data.status = SUCCEEDED: ${tooLittle} was paid, which is too little`,
        actual: 'data.status = SUCCEEDED',
      });
      const third = await nearly.query();
      expectThat(statusOf(third) !== 'SUCCEEDED', third, {
        expected: `no data.status = SUCCEEDED: ${almost} was paid, and ${due} is due`,
        actual: 'data.status = SUCCEEDED',
      });
      if (isFinal(failed)) await expectStillEnded(failing.query, failed, `${product}.states.final`);
      await context.advanceClock(merchant, orderLifetime);
      const last = await awaitEnd(context, unpaid);
      // Where such a platform pays by itself too, it has been paid.
      expectThat(statusOf(last) !== 'INIT', last, {
        expected: `a ${noun} whose time has run out is not INIT, though payments of its merchant are confirmed by themselves`,
        actual: 'data.status = INIT',
        requirement,
      });
    },
  };
}

/** In seconds. */
const days = 3 * 86_400;

/** A payment that was seen and is not confirmed, for longer than any network takes. */
function underWayForDays({ product, noun }: Expiring): CheckDeclaration {
  const make = product === 'orders' ? makeOrder : makeCheckoutOrder;
  const requirement = product === 'orders' ? 'orders.states.failed' : 'checkout.payment-rule';
  return {
    id: `${product}.states.underpaid-for-days`,
    title: `A ${noun} of which too little was paid is not SUCCEEDED days later either`,
    requirements: [requirement],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const order = await make(context, merchant);
      await payOrder(context, order, tooLittle);
      await context.advanceClock(merchant, days);
      const view = await context.poll(order.query, hasPaidEnd, shareOfWait);
      expectThat(statusOf(view) !== 'SUCCEEDED', view, {
        expected: `no data.status = SUCCEEDED three days after ${tooLittle} was paid, which is too little`,
        actual: 'data.status = SUCCEEDED',
      });
    },
  };
}

/** Steps of a clock within one of which a platform may have moved a refund on by itself, in seconds. */
const clockSteps = [10, 50 * 60, untilRefunded];

/** Asks for a refund of an automatic merchant once its clock has moved by so much at once, right after the refund was made. The rules over the whole run see its times. */
async function lookAfterStep(context: CheckContext, seconds: number): Promise<void> {
  const merchant = await context.ownMerchant({ automatic: true });
  const { query } = await makeRefund(context, merchant);
  await context.advanceClock(merchant, seconds);
  const hasEnded = (answer: Answer) => isFinalStatus('refunds', statusOf(answer));
  await context.poll(query, hasEnded, shareOfWait);
}

/** A refund that the driver ends before the platform does so by itself. `undefined`: it does not end so. */
async function endAtOnce(context: CheckContext, merchant: Credentials, state: 'SUCCEEDED' | 'FAILED' | 'CLOSED') {
  if (!context.has('refund-events')) return undefined;
  const refund = await makeRefund(context, merchant);
  const hasEnded = await ifTaken(whereReached(bringRefundTo(context, refund, state).then(() => true)));
  return hasEnded && { query: refund.query, view: await refund.query() };
}

/** A balance that covers the refund of one ordinary order and no second, as decimal text. */
const coversOne = '15';

/** Checks of what time brings about where no driver helps: where steps of the driver fail, nothing else shows it. */
export const unaidedChecks: readonly CheckDeclaration[] = [
  ...products.map(expiringAlone),
  ...products.map(confirmedAlone),
  ...products.map(underWayForDays),
  {
    id: 'refunds.query.unaided',
    title:
      'A refund is found after seconds in which a platform that moves refunds on by itself may have ended it, and others are asked for after steps of the clock',
    requirements: ['refunds.query.by-refund-order-id', 'refunds.states.final'],
    needs: ['paid-order', 'own-merchant'],
    waits: (looks * pause) / 1000,
    async run(context) {
      const merchant = await context.ownMerchant({ automatic: true });
      const usual = await context.merchant();
      const [refund, another, ...ended] = await sideBySide([
        makeRefund(context, merchant),
        makeRefund(context, usual),
        ...(['SUCCEEDED', 'FAILED', 'CLOSED'] as const).map((state) => endAtOnce(context, merchant, state)),
      ]);
      // The rules over the whole run see the states on the way.
      for (let look = 1; look < looks; look += 1) {
        await context.pause(pause);
        await refund.query();
      }
      await context.pause(pause);
      const answer = await askedAgain(context, refund.query, another.query);
      const what = 'a query for a refund that was made seconds ago';
      expectNoLastingFailure(answer, what, 'the refund');
      expectAccepted(answer, what);
      if (!context.has('clock')) return;
      await sideBySide(clockSteps.map((seconds) => lookAfterStep(context, seconds)));
      await context.advanceClock(merchant, untilRefunded);
      for (const each of ended) if (each) await expectStillEnded(each.query, each.view, 'refunds.states.final');
      // The rules over the whole run see how it has ended.
      await refund.query();
    },
  },
  {
    id: 'refunds.balance.unaided',
    title: 'A refund that the platform completes by itself has used up what it took from the balance',
    requirements: ['refunds.errors.insufficient-balance', 'refunds.errors.business', 'refunds.errors.refused'],
    needs: ['order-events', 'own-merchant', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant({ automatic: true, balances: { USDT: coversOne } });
      const refund = await makeRefund(context, merchant);
      await context.advanceClock(merchant, untilRefunded);
      const ended = await context.poll(refund.query, (answer) => statusOf(answer) === 'SUCCEEDED', shareOfWait);
      if (statusOf(ended) !== 'SUCCEEDED') throw new PermittedChoice('refunds do not succeed by themselves here');
      // Paid only now: how long after its payment an order can be refunded is open.
      const expiresAt = new Date(context.now() + (untilRefunded + anHour) * 1000).toISOString();
      const { orderId } = await makePaidOrder(context, merchant, { expiresAt });
      const what = `a refund of ${ordinaryAmount.value} after another one that succeeded by itself, from a balance of ${coversOne}`;
      await expectRefundRefused(refund.client, refundRequest(context, orderId), what, {
        ...businessError,
        code: errorCode('refunds', 'INSUFFICIENT_BALANCE'),
      });
    },
  },
];
