import { checkoutKinds, hostedKinds } from '../../arrange/refunds/kinds-of-orders.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { bringRefundTo, makeRefund, makeRefundIn, refundRequest } from '../../arrange/refunds/refunds.ts';
import { ifTaken, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectField, expectRefused, expectThat, isAccepted, needText, summary } from '../../check/expect.ts';
import { instantOf } from '../../contract/moments.ts';
import { show } from '../../contract/show.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';
import { repeatOfRefund } from '../support/repeated-creates.ts';

/**
 * How many days after a refund its order is asked to be refunded again: beyond what a server keeps for days and for a week, and near the end of a
 * refund period of 30 days.
 */
const daysLater = [3, 9, 27];

/** In seconds. */
const day = 86_400;

/** A second refund of the order of a refund that is in `state`, under an id of its own. */
async function secondRefund(context: CheckContext, state: 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'CLOSED') {
  const first = await makeRefundIn(context, state);
  return first.client.create(refundRequest(context, first.order.orderId));
}

const hour = 3600;

/** What a merchant writes down with the first and with the second refund of an order. */
const [firstText, secondText] = ['{"turn":1}', '{"turn":2}'];

/** Checks that a second refund of an order is one like every other. */
export const refundsSecondChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.create.second',
    title: 'Whether an order can be refunded again while its refund is under way, and after it is over',
    requirements: ['refunds.create.second'],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const states = ['PENDING', 'SUCCEEDED', 'FAILED', 'CLOSED'] as const;
      const answers = await Promise.all(
        states.map((state) =>
          secondRefund(context, state).catch((error: unknown) => {
            if (error instanceof PermittedChoice) return undefined;
            throw error;
          }),
        ),
      );
      const seen = answers.map((answer, index) => `${states[index]}: ${answer ? summary(answer) : 'not reached'}`);
      const [pending, succeeded, ...ended] = answers.map((answer) => answer && isAccepted(answer));
      const given = answers.filter((answer) => answer !== undefined);
      const after = ended.filter((each) => each !== undefined);
      const value = after.every(Boolean) ? 'after-failure' : after.some(Boolean) ? null : 'never';
      context.observeIn(given, 'refund-second', seen.join('; '), pending || succeeded ? null : value);
    },
  },
  {
    id: 'refunds.create.second.after-success',
    mayCall: ['checkout'],
    title:
      'An order whose refund has SUCCEEDED is not refunded again under another merchantRefundOrderId, in whichever currency and way it was paid',
    requirements: ['refunds.create.second-after-success'],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const refunded = async (order?: PaidOrder) => {
        const first = await makeRefund(context, merchant, order && { order });
        await bringRefundTo(context, first, 'SUCCEEDED');
        return first;
      };
      /** An order whose first refund has FAILED, and whose second one has SUCCEEDED. */
      const refundedAtLast = async () => {
        const first = await makeRefund(context, merchant);
        await bringRefundTo(context, first, 'FAILED');
        return refunded(first.order);
      };
      const kinds = [...hostedKinds, ...(context.has('checkout') ? checkoutKinds : [])];
      const made = await sideBySide([
        refunded(),
        // Whether an order can be refunded after a refund that FAILED is not said.
        ifTaken(refundedAtLast()),
        // Whether a checkout order can be refunded is not said, and whether a driver can pay in each way is its own matter.
        ...kinds.map(({ pay }) => ifTaken(pay(context, merchant).then(refunded))),
      ]);
      const refunds = made.flatMap((each) => each ?? []);
      const again = (when: string) =>
        sideBySide(
          refunds.map(async ({ client, order }) => {
            const answer = await client.create(refundRequest(context, order.orderId));
            expectRefused(answer, `a further refund of an order that was refunded${when}`);
          }),
        );
      await again('');
      if (!context.has('clock')) return;
      for (const [index, days] of daysLater.entries()) {
        await context.advanceClock(merchant, (days - (daysLater[index - 1] ?? 0)) * day);
        await again(` ${days} days ago`);
      }
    },
  },
  {
    id: 'refunds.create.second.like-the-first',
    title:
      'A second refund of an order, an hour after one that FAILED, needs a reason as the first one did, shows its own time and its own extraData, or none, and leaves the first one what it was',
    requirements: [
      'refunds.create.required-fields',
      'refunds.record.extra-data',
      'refunds.record.moments',
      'refunds.create.idempotent',
    ],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const first = await makeRefund(context, merchant, { extraData: firstText });
      await bringRefundTo(context, first, 'FAILED');
      const hasMoved = context.has('clock');
      if (hasMoved) await context.advanceClock(merchant, hour);
      const { client, order } = first;
      const { refundReason: _left, ...incomplete } = refundRequest(context, order.orderId);
      const refused = await client.createAnything(incomplete);
      expectRefused(refused, 'a second refund of an order without refundReason', 'refunds.create.required-fields');

      const second = await ifTaken(makeRefund(context, merchant, { order, extraData: secondText }));
      if (!second) throw new PermittedChoice('an order is not refunded twice here (open point refund-second)');
      await repeatOfRefund(
        context,
        first,
        {},
        'the create of the first refund of an order sent again after a second one',
      );
      await whereReached(bringRefundTo(context, second, 'FAILED'));
      const third = await ifTaken(makeRefund(context, merchant, { order }));
      for (const answer of third ? [third.created, await third.query()] : []) {
        const shown = field(answer, 'data.extraData');
        expectThat(shown !== firstText && shown !== secondText, answer, {
          expected: 'no data.extraData of an earlier refund of the order where none was given',
          actual: `data.extraData = ${show(shown)}`,
          requirement: 'refunds.record.extra-data',
        });
      }
      for (const answer of [second.created, await second.query()]) {
        expectField(answer, 'data.extraData', secondText, 'refunds.record.extra-data');
        if (!hasMoved) continue;
        const times = [first.created, answer].map((each) => needText(each, 'data.createdTime'));
        const [before = 0, after = 0] = times.map(instantOf);
        // The clocks of a target may differ by some minutes. What is no time breaks another sentence.
        expectThat(!(after - before <= (hour * 1000) / 2), answer, {
          expected: `data.createdTime is an hour after that of the first refund, ${times[0]}`,
          actual: `data.createdTime = ${times[1]}`,
          requirement: 'refunds.record.moments',
        });
      }
    },
  },
];
