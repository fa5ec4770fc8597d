import type { CheckContext } from '../../check/context.ts';
import type { RefundStep, StepOutcome } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import type { MadeRefund } from './refunds.ts';

const started: RefundStep = { type: 'processing_started' };

/** The way of a refund that succeeds. */
export const completing: readonly RefundStep[] = [started, { type: 'completed' }];

/** Ways of a refund to every final state. */
export const refundEnds: readonly (readonly RefundStep[])[] = [
  completing,
  [started, { type: 'failed' }],
  [{ type: 'failed' }],
  [{ type: 'closed' }],
];

/** The way of a refund that fails for another reason than the one that the contract has a code for. */
export const failingOtherwise: readonly RefundStep[] = [started, { type: 'failed', errorCode: 'NETWORK_UNAVAILABLE' }];

/** Lets a step happen to a refund. Where the driver knows no other reasons, a refund fails for the usual one. */
export async function stepOn(
  context: CheckContext,
  { merchant, refundOrderId }: Pick<MadeRefund, 'merchant' | 'refundOrderId'>,
  step: RefundStep,
): Promise<StepOutcome> {
  const take = (taken: RefundStep) => context.refundEvent(merchant, refundOrderId, taken);
  try {
    return await take(step);
  } catch (error) {
    if (step.errorCode === undefined || !(error instanceof Inconclusive)) throw error;
    return take({ type: step.type });
  }
}
