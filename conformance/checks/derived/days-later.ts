import { bringCheckoutOrderTo, makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { unlessUnexpired } from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { bringRefundTo, type MadeRefund, makeRefund, refundStates } from '../../arrange/refunds/refunds.ts';
import { means } from '../../arrange/situations/means.ts';
import { ifTaken, letHappen, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectRefused, statusOf } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { repeatOfCheckoutOrder, repeatOfRefund } from '../support/repeated-creates.ts';

/** Longer than keys of idempotency are kept where they are not kept for good, and shorter than any period of refunds; in seconds. */
const days = 3 * 86_400;
const hour = 3600;

/** After `days`, with which it is somewhat shorter than the period of refunds that the contract's example has; in seconds. */
const weeks = 25 * 86_400;

const what = 'the same create again, three days later';

/** The moment that is so many seconds ahead on a merchant's clock that was moved by `days`. */
const aheadAfterDays = (context: CheckContext, seconds: number) =>
  new Date(context.now() + (days + seconds) * 1000).toISOString();

/** What the orders here cost, and what is paid for them, as decimal text. */
const [price, paid] = ['9.50', '12.75'];

/** Makes a refund and brings it to a state, where it can come to that. */
async function madeIn(
  context: CheckContext,
  merchant: Credentials,
  state: (typeof refundStates)[number],
): Promise<MadeRefund> {
  const refund = await makeRefund(context, merchant);
  // Whether a refund can be CLOSED is open.
  await whereReached(bringRefundTo(context, refund, state));
  return refund;
}

/** An id makes at most one record, however much later it is sent again; and what is refunded later is what was paid. */
export const daysLaterChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.situations.days-later',
    title:
      'Orders for which more was paid than was due are refunded three days and some weeks later, however they were paid',
    requirements: ['refunds.create.accepted'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant({ usdRate: '1.25' });
      await makeRefund(context, merchant, {}, expectAccepted);
      const paidInEachWay = async () => {
        const orders = means.map(async ({ currency, pay }) => {
          const order = await makeOrder(context, merchant, { orderAmount: { value: price, currency } });
          const ended = await letHappen(context, order, [pay(context, paid), confirmed]);
          // Not every driver pays in every way.
          return statusOf(ended) === 'SUCCEEDED' ? [order] : [];
        });
        return (await sideBySide(orders)).flat();
      };
      const later = await sideBySide([paidInEachWay(), paidInEachWay()]);
      for (const [turn, orders] of later.entries()) {
        await context.advanceClock(merchant, turn === 0 ? days : weeks);
        // How long orders may be refunded is open. The rules over the whole run see how much is given back, and how it was paid.
        await sideBySide(
          orders.map(async (order) => {
            const refund = await ifTaken(makeRefund(context, merchant, { order }));
            await refund?.query();
          }),
        );
      }
    },
  },
  {
    id: 'checkout.create.repeat.days-later',
    title: 'A create under the same id three days later makes no second order and changes nothing',
    requirements: ['checkout.create.idempotent', 'checkout.create.repeat-same-order'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const [unpaid, paid, failed] = await Promise.all([
        makeCheckoutOrder(context, merchant),
        makeCheckoutOrder(context, merchant),
        makeCheckoutOrder(context, merchant),
      ]);
      await bringCheckoutOrderTo(context, paid, 'SUCCEEDED');
      await bringCheckoutOrderTo(context, failed, 'FAILED');
      await context.advanceClock(merchant, days);
      // An expiry that has passed would be a reason of its own to refuse it.
      const expiresAt = new Date(context.now() + (days + hour) * 1000).toISOString();
      const changed = `${what}, with an expiresAt that is still ahead`;
      await sideBySide(
        [unpaid, paid, failed].map((order) => repeatOfCheckoutOrder(context, order, { expiresAt }, changed)),
      );
    },
  },
  {
    id: 'refunds.create.repeat.days-later',
    title:
      'A create that is sent again three days later, in whatever state its refund is, makes no second refund and changes nothing',
    requirements: ['refunds.create.idempotent'],
    needs: ['paid-order', 'order-events', 'refund-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const refunds = await sideBySide(refundStates.map((state) => madeIn(context, merchant, state)));
      await context.advanceClock(merchant, days);
      await sideBySide(refunds.map((refund) => repeatOfRefund(context, refund, {}, what)));
    },
  },
  {
    id: 'orders.create.days-later',
    title: 'An order is made three days later that expires an hour after that',
    requirements: ['orders.create.accepted'],
    needs: ['clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      // A target may refuse an expiry that is days ahead. The rules over the whole run see whether an order that it takes lives so long.
      const lasting = await ifTaken(makeOrder(context, merchant, { expiresAt: aheadAfterDays(context, hour) }));
      await context.advanceClock(merchant, days);
      await lasting?.query();
      await makeOrder(context, merchant, { expiresAt: aheadAfterDays(context, hour) }, expectAccepted);
    },
  },
  {
    id: 'checkout.create.days-later',
    title: 'How far ahead a checkout order expires is counted from the time at which it is made, three days later too',
    requirements: ['checkout.create.accepted', 'checkout.create.expires-at.limit', 'checkout.create.expires-at.future'],
    needs: ['clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const first = await makeCheckoutOrder(context, merchant);
      const { client, request } = first;
      await context.advanceClock(merchant, days);
      await unlessUnexpired([first], () =>
        makeCheckoutOrder(context, merchant, { expiresAt: aheadAfterDays(context, hour) }, expectAccepted),
      );
      const create = (seconds: number) =>
        client.create({
          ...request,
          merchantOrderId: context.newOrderId(),
          expiresAt: aheadAfterDays(context, seconds),
        });
      const tooFar = 'a create with an expiresAt 25 hours ahead, three days later';
      expectRefused(await create(25 * hour), tooFar, 'checkout.create.expires-at.limit');
      const past = 'a create with an expiresAt that has passed, three days later';
      expectRefused(await create(-25 * hour), past, 'checkout.create.expires-at.future');
    },
  },
];
