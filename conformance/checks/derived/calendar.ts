import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { unlessUnexpired } from '../../arrange/orders/any-order.ts';
import { ordersClient } from '../../arrange/orders/client.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { letHappen, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';

/** Days, with a time of day, on which writers of times are often wrong. Months count from 0, and days of the week from Sunday, 0. */
const days: readonly {
  month: number;
  day: number;
  time: readonly [hours: number, minutes: number];
  on?: readonly number[];
}[] = [
  // A month with more days than most, in the hour after midnight.
  { month: 0, day: 31, time: [0, 10] },
  { month: 1, day: 29, time: [12, 30] },
  // From Monday to Wednesday, the last day of a year is in the first week of the next one; an order that is made then expires next year.
  { month: 11, day: 31, time: [23, 45], on: [1, 2, 3] },
];

/** The next of such days after `now`, each in milliseconds since 1970, in their order. */
function momentsAfter(now: number): number[] {
  const thisYear = new Date(now).getUTCFullYear();
  const years = Array.from({ length: 12 }, (_, index) => thisYear + index);
  return days
    .flatMap(({ month, day, time: [hours, minutes], on }) => {
      const moments = years.map((year) => Date.UTC(year, month, day, hours, minutes));
      const fits = (moment: number) => {
        const date = new Date(moment);
        return moment > now && date.getUTCDate() === day && (on?.includes(date.getUTCDay()) ?? true);
      };
      return moments.find(fits) ?? [];
    })
    .sort((one, other) => one - other);
}

/** Does something at each of these moments, for a merchant of its own unless one is given. The rules of times judge what is shown of it. */
async function atEach(
  context: CheckContext,
  act: (merchant: Credentials) => Promise<unknown>,
  given?: Credentials,
): Promise<void> {
  const merchant = given ?? (await context.ownMerchant());
  for (const moment of momentsAfter(context.now())) {
    await context.advanceClock(merchant, Math.ceil((moment - context.businessTime(merchant)) / 1000));
    await act(merchant);
  }
}

const payment = [{ type: 'transaction_detected' }, confirmed] as const;

/** How long after its payment an order is refunded, in seconds: no platform refunds for a shorter time only. */
const soonAfter = 1800;

export const calendarChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.situations.calendar',
    title: 'Orders are made and paid on a leap day, on the 31st of a month and in the last minutes of a year',
    requirements: ['orders.create.accepted'],
    needs: ['order-events', 'clock'],
    run: (context) =>
      atEach(context, async (merchant) => {
        const order = await makeOrder(context, merchant, {}, expectAccepted);
        await letHappen(context, order, payment);
        await ordersClient(context, merchant).query(order.orderId);
      }),
  },
  {
    id: 'checkout.situations.calendar',
    title: 'Checkout orders are made and paid on a leap day, on the 31st of a month and in the last minutes of a year',
    requirements: ['checkout.create.accepted'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const unpaid = await makeCheckoutOrder(context, merchant);
      const act = async () =>
        letHappen(context, await makeCheckoutOrder(context, merchant, {}, expectAccepted), payment);
      await atEach(context, () => unlessUnexpired([unpaid], act), merchant);
    },
  },
  {
    id: 'refunds.situations.calendar',
    title:
      'Refunds are made and come to each of their ends on a leap day, on the 31st of a month and in the last minutes of a year',
    requirements: ['refunds.create.accepted'],
    needs: ['order-events', 'refund-events', 'clock'],
    run: (context) =>
      atEach(context, async (merchant) => {
        const paid = await makePaidOrder(context, merchant);
        await sideBySide(
          (['SUCCEEDED', 'FAILED', 'CLOSED'] as const).map(async (state) => {
            const refund = await makeRefund(context, merchant, {}, expectAccepted);
            await whereReached(bringRefundTo(context, refund, state));
          }),
        );
        // The month, or the year, in which it was paid is over then.
        await context.advanceClock(merchant, soonAfter);
        await makeRefund(context, merchant, { order: paid }, expectAccepted);
      }),
  },
];
