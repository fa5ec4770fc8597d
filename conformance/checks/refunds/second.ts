import { bringRefundTo, makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { ifTaken, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectField, expectRefused, expectThat, needText } from '../../check/expect.ts';
import { instantOf } from '../../contract/moments.ts';
import { show } from '../../contract/show.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';

const hour = 3600;

/** What a merchant writes down with the first and with the second refund of an order. */
const [firstText, secondText] = ['{"turn":1}', '{"turn":2}'];

/** Checks that a second refund of an order is one like every other. */
export const refundsSecondChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.create.second.like-the-first',
    title:
      'A second refund of an order, an hour after one that FAILED, needs a reason as the first one did, and shows its own time and its own extraData, or none',
    requirements: ['refunds.create.required-fields', 'refunds.record.extra-data', 'refunds.record.moments'],
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
