import { checkoutOrders, hostedOrders, type ProductArrangement } from '../../arrange/products.ts';
import { confirmed, letHappen, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { countJudged, expectThat, statusOf } from '../../check/expect.ts';
import { counted } from '../../contract/counted.ts';
import { instantOf } from '../../contract/moments.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';

// What tells when an order was paid is the end of its payment, and not its beginning.

/** How long payments are under way, in minutes of business time: a few, and longer than an order may be paid for. */
const lapses = [10, 120];

/**
 * Fails where paidAt of an order is nearer to the moment at which its payment was detected than to the one at which it was confirmed, so many
 * minutes later. False where the order is not in PROCESSING meanwhile, or not paid in the end.
 */
async function expectPaidWhenConfirmed(
  context: CheckContext,
  { make, aNoun }: ProductArrangement,
  minutes: number,
): Promise<boolean> {
  const merchant = await context.ownMerchant();
  const order = await make(context, merchant);
  await context.orderEvent(merchant, order.orderId, { type: 'transaction_detected' });
  const detectedAt = context.businessTime(merchant);
  await context.advanceClock(merchant, minutes * 60);
  if (statusOf(await order.query()) !== 'PROCESSING') return false;
  const confirmedAt = context.businessTime(merchant);
  const paid = await letHappen(context, order, [confirmed]);
  const paidAt = instantOf(field(paid, 'data.paidAt'));
  if (statusOf(paid) !== 'SUCCEEDED' || Number.isNaN(paidAt)) return false;
  expectThat(paidAt - detectedAt > confirmedAt - paidAt, paid, {
    expected: `data.paidAt of ${aNoun}: when its payment was confirmed, about ${new Date(confirmedAt).toISOString()}`,
    actual: `data.paidAt = ${String(field(paid, 'data.paidAt'))}; the payment was detected ${counted(minutes, 'minute')} before it was confirmed`,
  });
  countJudged(context.transport);
  return true;
}

export const paidAtChecks: readonly CheckDeclaration[] = [hostedOrders, checkoutOrders].map(
  (arrangement): CheckDeclaration => ({
    id: `${arrangement.product}.query.paid-at`,
    title: `paidAt of ${arrangement.aNoun} is the moment at which its payment was confirmed, not detected`,
    requirements: [`${arrangement.product}.view.paid-at`],
    needs: ['order-events', 'own-merchant', 'clock'],
    async run(context) {
      const judged = lapses.map((minutes) => expectPaidWhenConfirmed(context, arrangement, minutes));
      if (!(await sideBySide(judged)).includes(true)) {
        throw new PermittedChoice('no payment that stays under way for minutes is confirmed here');
      }
    },
  }),
);
