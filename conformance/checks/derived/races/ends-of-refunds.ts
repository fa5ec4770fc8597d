import { type MadeRefund, makeRefund } from '../../../arrange/refunds/refunds.ts';
import { pollFor } from '../../../arrange/requests/bring-to.ts';
import { everyRound, isAtOnce, racing } from '../../../arrange/situations/races.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectThat, isAccepted, statusOf } from '../../../check/expect.ts';
import { show } from '../../../contract/show.ts';
import { isFinalStatus } from '../../../contract/statuses.ts';
import type { RefundStep } from '../../../drivers/driver.ts';
import type { Answer } from '../../../wire/exchange.ts';
import { expectPath } from './moves.ts';

/** Two ends of a refund that is under way. */
const endsOfRefund = ['completed', 'failed'] as const satisfies readonly RefundStep['type'][];

/** Whether the driver tells by its outcomes which end a refund takes: of two, one after the other, it says that the second one is refused. */
async function tellsWhichEnd(context: CheckContext, makeOne: () => Promise<MadeRefund>): Promise<boolean> {
  const [completed, failed] = endsOfRefund;
  for (const [first, second] of [
    [completed, failed],
    [failed, completed],
  ] as const) {
    const { merchant, refundOrderId, query } = await makeOne();
    const step = (type: RefundStep['type']) => context.refundEvent(merchant, refundOrderId, { type });
    await step('processing_started');
    const { done } = await step(first);
    await pollFor(context, `refund ends after ${first}`, query, isFinalRefund);
    if (!done || (await step(second)).done) return false;
  }
  return true;
}

const isFinalRefund = (answer: Answer) => isFinalStatus('refunds', statusOf(answer));

/** Fails where a refund has taken both of two ends, by the word of a driver that refuses the second one where they do not meet. */
async function expectOneEndTaken(
  context: CheckContext,
  makeOne: () => Promise<MadeRefund>,
  taken: readonly RefundStep['type'][],
  end: Answer | undefined,
): Promise<void> {
  if (!end || !isAccepted(end) || !endsOfRefund.every((type) => taken.includes(type))) return;
  if (!(await tellsWhichEnd(context, makeOne))) return;
  expectThat(false, end, {
    expected: `one of ${endsOfRefund.join(' and ')} taken, and the other one refused, as where they do not meet`,
    actual: `the driver says that both were done, and data.status = ${show(statusOf(end))}`,
    requirement: 'refunds.states.final',
  });
}

export const endOfRefundRaces: readonly CheckDeclaration[] = [
  {
    id: 'refunds.race.ended-in-two-ways',
    title:
      'A refund that is completed, fails and is closed at nearly the same moment comes to one of these ends, and stays there',
    requirements: ['refunds.states.final'],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const [merchant, { url: notifyUrl }] = [await context.ownMerchant(), await context.mailbox()];
      await everyRound(async (held) => {
        const refund = await makeRefund(context, merchant, { notifyUrl });
        const { query } = refund;
        const taken: RefundStep['type'][] = [];
        const step = (type: RefundStep['type']) => async () => {
          const { done } = await context.refundEvent(merchant, refund.refundOrderId, { type });
          if (done) taken.push(type);
        };
        const begun = await racing(context, [step('processing_started'), step('closed')], query, isAtOnce(held));
        const ended = await racing(context, endsOfRefund.map(step), query, isAtOnce(held));
        expectPath([...begun, ...ended], { final: 'refunds.states.final' });
        await expectOneEndTaken(context, () => makeRefund(context, merchant), taken, ended.at(-1));
      });
    },
  },
];
