import { makeOrder } from '../../arrange/orders/orders.ts';
import { waysToAskForOrder } from '../../arrange/orders/ways-to-ask.ts';
import { makeRefund } from '../../arrange/refunds/refunds.ts';
import { requirementsOfWays, waysToAsk } from '../../arrange/refunds/ways-to-ask.ts';
import type { WayToAsk } from '../../arrange/requests/way-to-ask.ts';
import { confirmed, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { Inconclusive } from '../../errors/outcomes.ts';

// What is asked for in one way alone is shown as it is now, whatever is kept for the other ways.

/**
 * Asks in every way, lets something happen that ends in SUCCEEDED, and asks in one way alone until it shows that. Fails when it does not
 * although another way does then. `place`: that of the way among all. Whether a way finds anything is judged elsewhere.
 */
async function expectPresentState(
  context: CheckContext,
  ways: readonly WayToAsk[],
  place: number,
  letHappen: () => Promise<void>,
): Promise<void> {
  const known: WayToAsk[] = [];
  for (const each of ways) if (typeof each.statusIn(await each.ask()) === 'string') known.push(each);
  const way = known.find((each) => each === ways[place]);
  if (!way) return;
  await letHappen();
  const { ask, statusIn, words, requirement } = way;
  const answer = await context.poll(ask, (each) => statusIn(each) === 'SUCCEEDED');
  const seen = statusIn(answer);
  const other = known.find((each) => each !== way);
  const elsewhere = seen === 'SUCCEEDED' ? seen : other?.statusIn(await other.ask());
  if (elsewhere !== 'SUCCEEDED') throw new Inconclusive(`the status is ${show(seen)}, not SUCCEEDED`);
  expectThat(seen === 'SUCCEEDED', answer, {
    expected: `asked for by ${words} alone: status = SUCCEEDED, as by ${other?.words}`,
    actual: `status = ${show(seen)}, as before`,
    requirement,
  });
}

export const eachWayChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.query.each-way-alone',
    title: 'An order that was paid is shown so by either id, even where it was not asked for by the other',
    requirements: ['orders.query.by-merchant-order-id', 'orders.query.by-order-id'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const judge = async (place: number) => {
        const order = await makeOrder(context, merchant);
        await expectPresentState(context, waysToAskForOrder(order), place, async () => {
          for (const step of [{ type: 'transaction_detected' }, confirmed] as const) {
            await context.orderEvent(merchant, order.orderId, step);
          }
        });
      };
      await sideBySide([judge(0), judge(1)]);
    },
  },
  {
    id: 'refunds.query.each-way-alone',
    title:
      'A refund that has SUCCEEDED is shown so by each of its ids and by a batch query, even where it was not asked for in another way',
    requirements: requirementsOfWays,
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const judge = async (place: number) => {
        const refund = await makeRefund(context, merchant);
        await expectPresentState(context, waysToAsk(refund), place, async () => {
          for (const type of ['processing_started', 'completed'] as const) {
            await context.refundEvent(merchant, refund.refundOrderId, { type });
          }
        });
      };
      await sideBySide(requirementsOfWays.map((_, place) => judge(place)));
    },
  },
];
