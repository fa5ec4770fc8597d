import { merchantWithBalance } from '../../../arrange/refunds/balances.ts';
import { needCovering } from '../../../arrange/refunds/fees.ts';
import { bringRefundTo, isInsufficient, makeRefund } from '../../../arrange/refunds/refunds.ts';
import { amidRestart, askUntilBack, pollAfterRestart } from '../../../arrange/situations/restarts.ts';
import { sideBySide } from '../../../arrange/situations/situations.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectThat, isAccepted, isTaken, summary } from '../../../check/expect.ts';
import { addDecimals } from '../../../contract/decimals.ts';
import type { Credentials } from '../../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../../errors/outcomes.ts';
import { type Answer, field } from '../../../wire/exchange.ts';
import {
  type Creation,
  createAmidRestart,
  manyRefunds,
  paidOrders,
  price,
  refundCreation,
  repeated,
} from './records.ts';

/** Half of what an order costs. */
const halfPrice = '4.75';

/** A merchant whose balance covers so many refunds, a fee or a discount of some per cent included, with paid orders. */
async function merchantWith(context: CheckContext, { covers, orders }: { covers: number; orders: number }) {
  const balance = addDecimals([...repeated(covers, () => price), halfPrice]);
  const merchant = await merchantWithBalance(context, balance);
  const paid = await paidOrders(context, merchant, orders);
  return { merchant, balance, creations: paid.map(({ orderId }) => refundCreation(context, merchant, orderId)), paid };
}

/** Lets the refund that a create has made come to its end in success. */
async function succeed(context: CheckContext, merchant: Credentials, created: Answer): Promise<void> {
  const refundOrderId = String(field(created, 'data.refundOrderId'));
  for (const type of ['processing_started', 'completed'] as const) {
    await context.refundEvent(merchant, refundOrderId, { type });
  }
}

/** Makes a refund whose processing has started. */
async function beginProcessing(context: CheckContext, merchant: Credentials, { create }: Creation): Promise<void> {
  const refundOrderId = String(field(await create(), 'data.refundOrderId'));
  await context.refundEvent(merchant, refundOrderId, { type: 'processing_started' });
}

/** Refunds reserve money once, and give it back once. */
export const moneyChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.restart.reserved-once',
    title: 'A refund reserves its money once, also when the target ends without warning in the middle of it',
    requirements: ['general.restart.funds'],
    needs: ['own-merchant', 'order-events', 'restart'],
    long: true,
    async run(context) {
      // One refund is left for after the restart, where all others were made before it: it is not covered if they have reserved twice. One more
      // is worked on when the target ends.
      const count = manyRefunds + 2;
      const { merchant, balance, creations } = await merchantWith(context, { covers: count, orders: count + 1 });
      const covered = creations.slice(0, count);
      const [underWay] = covered.slice(manyRefunds);
      const [further] = creations.slice(count);
      const [first] = await createAmidRestart(context, covered.slice(0, manyRefunds), async (created) => {
        // What it has taken stays taken, which a server may forget that counts what is under way.
        if (!context.has('refund-events')) return;
        await succeed(context, merchant, created);
        if (underWay) await beginProcessing(context, merchant, underWay);
      });
      if (!first?.result || !further) throw new Inconclusive('there is no refund');
      needCovering(balance, count, first.result);
      const answers = covered.map(({ create }) => pollAfterRestart(context, create, (each) => !isInsufficient(each)));
      for (const answer of await Promise.all(answers)) {
        expectThat(!isInsufficient(answer), answer, {
          expected: `a refund that the balance covers, which is enough for ${count}: not refused for the balance`,
          actual: summary(answer),
        });
      }
      const beyond = await askUntilBack(context, further.create, further.query);
      expectThat(!isAccepted(beyond), beyond, {
        expected: `a refund beyond the balance, which ${count} refunds have used up: refused`,
        actual: summary(beyond),
      });
    },
  },
  {
    id: 'refunds.restart.returned-once',
    title:
      'A refund that fails gives its money back once, also when the target ends without warning in the middle of it',
    requirements: ['general.restart.funds'],
    needs: ['own-merchant', 'order-events', 'refund-events', 'restart'],
    long: true,
    async run(context) {
      const count = 4;
      const made = await merchantWith(context, { covers: count, orders: 2 * count + 1 });
      const { merchant, balance, paid, creations } = made;
      const [payment, ...payments] = paid.slice(0, count);
      if (!payment) throw new Inconclusive('there is no paid order');
      const first = await makeRefund(context, merchant, { order: payment });
      needCovering(balance, count, first.created);
      const others = await Promise.all(payments.map((order) => makeRefund(context, merchant, { order })));
      // The first one fails before, so that a server that gives back again after its start has something to give.
      await bringRefundTo(context, first, 'FAILED');
      const fail = ({ refundOrderId }: { refundOrderId: string }) =>
        context.refundEvent(merchant, refundOrderId, { type: 'failed' });
      await amidRestart(context, others, fail, first.query);
      await sideBySide(others.map((refund) => bringRefundTo(context, refund, 'FAILED')));
      let accepted = 0;
      for (const { create, query } of creations.slice(count)) {
        const answer = await askUntilBack(context, create, query);
        if (isTaken(answer, 'a refund after others have failed')) accepted += 1;
        expectThat(accepted <= count, answer, {
          expected: `${count} further refunds accepted, whose money ${count} failed ones have given back`,
          actual: `${accepted} accepted`,
        });
      }
      if (accepted === 0)
        throw new PermittedChoice('a refund that fails gives nothing back here (open point refund-transitions)');
    },
  },
];
