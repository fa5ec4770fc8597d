import { limit } from '../../../generated/catalogue.ts';
import { checkoutMerchant, checkoutRequest, makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { unlessUnexpired } from '../../arrange/orders/any-order.ts';
import { ordersClient } from '../../arrange/orders/client.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { clockChanges } from '../../arrange/situations/clock-changes.ts';
import { letHappen, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectRefused } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { field } from '../../wire/exchange.ts';

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

/** How long before a clock is set forward or back something happens, in milliseconds: what follows half an hour later comes after it. */
const beforeClockChange = 15 * 60_000;

/** Of how many zones the clocks are looked at: one on either side of UTC. */
const zones = 2;

/** The next of such days after `now`, and the times just before clocks are set forward or back, each in milliseconds since 1970, in their order. */
function momentsAfter(now: number): number[] {
  const thisYear = new Date(now).getUTCFullYear();
  const years = Array.from({ length: 12 }, (_, index) => thisYear + index);
  const onDays = days.flatMap(({ month, day, time: [hours, minutes], on }) => {
    const moments = years.map((year) => Date.UTC(year, month, day, hours, minutes));
    const fits = (moment: number) => {
      const date = new Date(moment);
      return moment > now && date.getUTCDate() === day && (on?.includes(date.getUTCDay()) ?? true);
    };
    return moments.find(fits) ?? [];
  });
  const atClockChanges = clockChanges(now + beforeClockChange, zones).map((moment) => moment - beforeClockChange);
  return [...onDays, ...atClockChanges].sort((one, other) => one - other);
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

/** How long before a clock is set forward or back orders are made, and how far beside the limit their expiry lies, in milliseconds. */
const [halfADay, beside] = [12 * 3_600_000, 10 * 60_000];

/** How far ahead a checkout order may expire, in milliseconds. */
const farthest = limit('checkout.expires-at.farthest', 'max');

/** How long after its payment an order is refunded, in seconds: no platform refunds for a shorter time only. */
const soonAfter = 1800;

export const calendarChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.situations.calendar',
    title:
      'Orders are made and paid on a leap day, on the 31st of a month, in the last minutes of a year and before clocks are set forward or back',
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
    title:
      'Checkout orders are made and paid on a leap day, on the 31st of a month, in the last minutes of a year and before clocks are set forward or back',
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
      'Refunds are made and come to each of their ends on a leap day, on the 31st of a month, in the last minutes of a year and before clocks are set forward or back',
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
  {
    id: 'checkout.create.expires-at.clock-changes',
    title: 'A checkout order may expire 24 hours ahead, and no later, where clocks are set forward or back meanwhile',
    requirements: ['checkout.create.expires-at.limit', 'checkout.errors.refused'],
    needs: ['own-merchant', 'clock'],
    async run(context) {
      const { client, method } = await checkoutMerchant(context, await context.ownMerchant());
      const { merchant } = client;
      const createIn = (milliseconds: number) => {
        const expiresAt = new Date(context.businessTime(merchant) + milliseconds).toISOString();
        return client.create(checkoutRequest(context, method, { expiresAt }));
      };
      for (const change of clockChanges(context.now() + halfADay)) {
        await context.advanceClock(merchant, Math.ceil((change - halfADay - context.businessTime(merchant)) / 1000));
        const when = `half a day before ${new Date(change).toISOString()}, when clocks are set forward or back somewhere`;
        const taken = await createIn(farthest - beside);
        expectAccepted(taken, `an expiresAt in 23 h 50 min, ${when}`);
        await client.query(String(field(taken, 'data.merchantOrderId')));
        expectRefused(await createIn(farthest + beside), `an expiresAt in 24 h 10 min, ${when}`);
      }
    },
  },
];
