import { makeOrder } from '../../arrange/orders/orders.ts';
import { awaitEnd, ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectThat, seenAt, statusOf } from '../../check/expect.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';

const day = 86_400;

/**
 * How many days orders wait here. 32 bits count the milliseconds of 24.8 days with a sign and of 49.7 without one: what is longer looks negative to a
 * timer, or as short as the rest. Careless housekeeping removes after a week, a month or a quarter of a year what nobody has paid.
 */
const lifetimes = [26, 40, 51, 76, 399] as const;

/** How many days after the creation the orders are asked for first, while all of them wait. */
const firstLook = 8;

/** Orders that may be paid for long wait for so long, and end then. */
export const farExpiryChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.states.far-ahead',
    title: 'An order that may be paid for weeks or months waits until they are over, and ends then',
    requirements: ['orders.states.expired', 'orders.query.by-merchant-order-id'],
    needs: ['clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const begun = context.now();
      const made = await sideBySide(
        lifetimes.map(async (days) => {
          const expiresAt = new Date(begun + days * day * 1000).toISOString();
          const order = await ifTaken(makeOrder(context, merchant, { expiresAt }));
          return order ? [{ days, order }] : [];
        }),
      );
      const orders = made.flat();
      if (orders.length === 0)
        throw new PermittedChoice('orders may not live for weeks here (open point orders-expiry-past)');
      await sideBySide(orders.map(({ order }) => order.query()));
      const looks = [firstLook, ...orders.map(({ days }) => days + 1)];
      for (const [index, look] of looks.entries()) {
        await context.advanceClock(merchant, (look - (looks[index - 1] ?? 0)) * day);
        await sideBySide(
          orders.map(async ({ days, order }) => {
            const isOver = days < look;
            // A create that is sent again gives no further time to pay; it may be another order.
            if (look === firstLook) await order.client.create(order.request);
            const answer = isOver ? await awaitEnd(context, order) : await order.query();
            const when = `${look} days after its creation`;
            expectAccepted(answer, `a query for an order, ${when}`, 'orders.query.by-merchant-order-id');
            const expected = isOver ? 'CLOSED' : 'INIT';
            expectThat(statusOf(answer) === expected, answer, {
              expected: `an unpaid order that expires ${days} days after its creation, ${when}: data.status = ${expected}`,
              actual: seenAt(answer, 'data.status'),
            });
          }),
        );
      }
    },
  },
];
