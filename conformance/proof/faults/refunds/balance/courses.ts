import type { Refund } from '../../../../../server/domain/refund.ts';
import { addDecimals } from '../../../../contract/decimals.ts';
import { successCode } from '../../../../contract/success-code.ts';
import { bodyOf, merchantIdOf, onlyFor } from '../../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../../stand/fault.ts';
import { followingClocks } from '../../../stand/order-changes.ts';
import type { Handler } from '../../../stand/proxy.ts';
import { isRefundCreate, keepingRefunds, refundRefusal, withFee } from '../../../stand/refund-changes.ts';
import { withAvailable } from './available.ts';

const fault = faultsCaughtBy('refunds.balance.');

/** In milliseconds. */
const day = 86_400_000;

/** A server that writes a balance, when a refund comes to `state`, as it was right `when` that had reserved its part. */
function writingAnOldBalance(state: Refund['status'], when: 'before' | 'after'): Make {
  const balances = new Map<string, { refund: Refund; available: string }>();
  return keepingRefunds((records) => {
    let made: Refund | undefined;
    let ended: Refund | undefined;
    return {
      insertRefund: (refund) => {
        made = refund;
        return records.insertRefund(refund);
      },
      updateRefund: async (refund) => {
        if (refund.status === state) ended = refund;
        await records.updateRefund(refund);
      },
      updateMerchant: async (merchant) => {
        if (made) {
          const held = when === 'after' ? merchant : await records.findMerchant(merchant.merchantId);
          const available = held?.ledger[made.amount.currency]?.available ?? '0';
          balances.set(made.refundOrderId, { refund: made, available });
        }
        const old = ended && balances.get(ended.refundOrderId);
        const written = withAvailable(merchant, (available, currency) =>
          old?.refund.amount.currency === currency ? old.available : available,
        );
        await records.updateMerchant(written);
      },
    };
  });
}

/** A server that gives back what a refund has reserved once it has been in `state` for so many days, and can still succeed. */
function endingReservations(state: Refund['status'], days: number): Make {
  const { now, control } = followingClocks();
  const reserved = new Map<string, { refund: Refund; since: number }>();
  const note = (refund: Refund) => reserved.set(refund.refundOrderId, { refund, since: now(refund.merchantId) });
  return {
    control,
    ...keepingRefunds((records) => ({
      insertRefund: (refund) => {
        note(refund);
        return records.insertRefund(refund);
      },
      updateRefund: async (refund) => {
        note(refund);
        await records.updateRefund(refund);
      },
      lockMerchant: async (merchantId) => {
        const merchant = await records.lockMerchant(merchantId);
        const ended = [...reserved.values()].filter(
          ({ refund, since }) =>
            refund.merchantId === merchantId && refund.status === state && now(merchantId) - since > days * day,
        );
        return (
          merchant &&
          withAvailable(merchant, (available, currency) =>
            addDecimals([
              available,
              ...ended.flatMap(({ refund }) => (refund.amount.currency === currency ? [refund.deductAmount] : [])),
            ]),
          )
        );
      },
    })),
  };
}

/** A server that finds no balance any more after it has refused a further refund of an order for want of it. */
function losingTheBalanceAtFurtherRefunds(): Handler {
  const [refunded, lost] = [new Set<unknown>(), new Set<string>()];
  return onlyFor(isRefundCreate, async (request, server) => {
    const [merchantId, order] = [merchantIdOf(request), bodyOf(request)?.acquiringOrderId];
    const answer = await server.forward(request);
    const code = bodyOf(answer)?.code;
    if (code === successCode && lost.has(merchantId)) return refundRefusal(400, 'INSUFFICIENT_BALANCE');
    if (code === successCode) refunded.add(order);
    if (code === 'INSUFFICIENT_BALANCE' && refunded.has(order)) lost.add(merchantId);
    return answer;
  });
}

/** Wrong servers whose balance is right after one refund or two, and wrong in a longer course of them. */
export const balanceCourseFaults: readonly Fault[] = [
  fault(
    'done-refund-writes-an-old-balance',
    'Writes the balance, when a refund is done, as it was right after that had reserved its part, and so forgets those made since.',
    'refunds.create.reserves-funds',
    'course',
    writingAnOldBalance('SUCCEEDED', 'after'),
  ),
  fault(
    'done-refund-writes-an-old-balance-with-fee',
    'Takes another amount than was paid for a refund, and writes the balance, when one is done, as it was right after that had reserved its part.',
    'refunds.create.reserves-funds',
    'course',
    withFee(writingAnOldBalance('SUCCEEDED', 'after')),
  ),
  fault(
    'failed-refund-writes-an-old-balance',
    'Writes the balance, when a refund fails, as it was before that had reserved its part, and so forgets those made since.',
    'refunds.create.reserves-funds',
    'course',
    writingAnOldBalance('FAILED', 'before'),
  ),
  fault(
    'closed-refund-writes-an-old-balance',
    'Writes the balance, when a refund is closed, as it was before that had reserved its part, and so forgets those made since.',
    'refunds.create.reserves-funds',
    'course',
    writingAnOldBalance('CLOSED', 'before'),
  ),
  fault(
    'uncovered-further-refund-empties-balance',
    'Loses what is left of a balance where it refuses a further refund of an order for want of it.',
    'refunds.create.accepted',
    'course',
    losingTheBalanceAtFurtherRefunds(),
  ),
  fault(
    'reservation-ends-after-a-week',
    'Gives back what a refund has reserved that is PENDING for more than a week, and can still succeed.',
    'refunds.create.reserves-funds',
    'days-later',
    endingReservations('PENDING', 7),
  ),
  fault(
    'reservation-ends-after-a-month',
    'Gives back what a refund has reserved that is PROCESSING for more than 31 days, and can still succeed.',
    'refunds.create.reserves-funds',
    'days-later',
    endingReservations('PROCESSING', 31),
  ),
];
