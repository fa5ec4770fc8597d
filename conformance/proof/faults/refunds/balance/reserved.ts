import { type Ledger, release } from '../../../../../server/domain/ledger.ts';
import type { Merchant } from '../../../../../server/domain/merchant.ts';
import type { Refund } from '../../../../../server/domain/refund.ts';
import type { Records } from '../../../../../server/services/ports.ts';
import { addDecimals, compareDecimals, subtractDecimals } from '../../../../contract/decimals.ts';
import { bodyOf, merchantIdOf, onlyFor, recordOfEvent } from '../../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../../stand/fault.ts';
import { followingClocks } from '../../../stand/order-changes.ts';
import type { Handler } from '../../../stand/proxy.ts';
import {
  isRefundCreate,
  keepingRefunds,
  ownRefundIdOf,
  refundRefusal,
  withFee,
} from '../../../stand/refund-changes.ts';
import { withAvailable } from './available.ts';

const fault = faultsCaughtBy('');

/** In milliseconds. */
const day = 86_400_000;

/** A server that keeps the id of a refund that the balance did not cover for a used one. */
function keepingUncoveredIds(): Handler {
  const used = new Set<string>();
  return onlyFor(isRefundCreate, async (request, server) => {
    const key = `${merchantIdOf(request)} ${ownRefundIdOf(request)}`;
    if (used.has(key)) return refundRefusal(400, 'IDEMPOTENCY_CONFLICT');
    const answer = await server.forward(request);
    if (bodyOf(answer)?.code === 'INSUFFICIENT_BALANCE') used.add(key);
    return answer;
  });
}

/** A server that reserves no money for a refund and deducts it only when the refund is done. */
const reservingNothing: Make = keepingRefunds((records) => {
  let made = false;
  return {
    insertRefund: (refund) => {
      made = true;
      return records.insertRefund(refund);
    },
    updateMerchant: async (merchant) => {
      if (!made) await records.updateMerchant(merchant);
    },
  };
});

/** A server that releases the reserved money of a refund even when the refund has succeeded. */
const givingBack: Make = keepingRefunds((records) => ({
  updateMerchant: (merchant) => {
    let ledger: Ledger = merchant.ledger;
    for (const [currency, { deducted }] of Object.entries(ledger)) {
      const account = ledger[currency];
      if (!account || Number(deducted) === 0) continue;
      ledger = release(
        { ...ledger, [currency]: { ...account, reserved: deducted, deducted: '0' } },
        currency,
        deducted,
      );
    }
    return records.updateMerchant({ ...merchant, ledger });
  },
}));

/** Stores a merchant, and what its balance has gained a second time. */
async function updateGainingTwice(records: Records, merchant: Merchant): Promise<void> {
  const before = await records.findMerchant(merchant.merchantId);
  const twice = withAvailable(merchant, (available, currency) => {
    const had = before?.ledger[currency]?.available ?? available;
    if (compareDecimals(available, had) <= 0) return available;
    return addDecimals([available, subtractDecimals(available, had)]);
  });
  await records.updateMerchant(twice);
}

/** A server that gives back the money of a refund twice. */
const givingBackTwice: Make = keepingRefunds((records) => ({
  updateMerchant: (merchant) => updateGainingTwice(records, merchant),
}));

/** A server that refuses to end a refund again, and gives back more than every refund of a check takes. */
function givingBackWhereItRefuses(): Make {
  const gaining = new Set<string>();
  return {
    ...keepingRefunds((records) => ({
      lockMerchant: async (merchantId) => {
        const merchant = await records.lockMerchant(merchantId);
        return merchant && gaining.has(merchantId) ? withAvailable(merchant, () => '1000') : merchant;
      },
    })),
    control: async (request, server) => {
      const answer = await server.forward(request);
      const isEnded = recordOfEvent('refunds', request) !== undefined && answer.status === 409;
      if (isEnded && bodyOf(request)?.type === 'failed') gaining.add(merchantIdOf(request));
      return answer;
    },
  };
}

/** A server that gives back with the money of a refund that of an earlier one of its order, which has had its own. */
const givingBackForTheOrder: Make = keepingRefunds((records) => {
  let isFurther = false;
  return {
    updateRefund: async (refund) => {
      await records.updateRefund(refund);
      isFurther = (await records.listRefundsOfOrder(refund.merchantId, refund.acquiringOrderId)).length > 1;
    },
    updateMerchant: (merchant) =>
      isFurther ? updateGainingTwice(records, merchant) : records.updateMerchant(merchant),
  };
});

/** A server that gives back the money of a refund, so many milliseconds after it has come to `state`, whether it has had it or not. */
function givingBackLater(state: Refund['status'], milliseconds: number): Make {
  const { now, control } = followingClocks();
  const endedAt = new Map<string, number>();
  return {
    control,
    ...keepingRefunds((records) => ({
      updateRefund: async (refund) => {
        if (refund.status === state) endedAt.set(refund.merchantId, now(refund.merchantId));
        await records.updateRefund(refund);
      },
      lockMerchant: async (merchantId) => {
        const merchant = await records.lockMerchant(merchantId);
        const isDue = now(merchantId) - milliseconds >= (endedAt.get(merchantId) ?? Number.POSITIVE_INFINITY);
        return merchant && isDue ? withAvailable(merchant, (available) => addDecimals([available, '10'])) : merchant;
      },
    })),
  };
}

const laterAgain = (state: Refund['status'], title: string): Fault =>
  fault(
    `${state.toLowerCase()}-refund-gives-back-a-day-later`,
    title,
    'refunds.create.reserves-funds',
    'refunds.balance.ended-days-later',
    givingBackLater(state, day),
  );

/** A server that takes the money of a refund from what is available, too, when the refund has succeeded. */
const takingAgain: Make = keepingRefunds((records) => ({
  updateMerchant: async (merchant) => {
    const before = await records.findMerchant(merchant.merchantId);
    const taken = withAvailable(merchant, (available, currency) => {
      const [had, has] = [before, merchant].map((each) => each?.ledger[currency]?.deducted ?? '0');
      const done = subtractDecimals(has ?? '0', had ?? '0');
      return compareDecimals(available, done) < 0 ? '0' : subtractDecimals(available, done);
    });
    await records.updateMerchant(taken);
  },
}));

/** A server that loses what is left of a balance when a refund is not done. */
const losingTheRest: Make = keepingRefunds((records) => ({
  updateMerchant: async (merchant) => {
    const before = await records.findMerchant(merchant.merchantId);
    const lost = withAvailable(merchant, (available, currency) => {
      const had = before?.ledger[currency]?.available ?? available;
      return compareDecimals(available, had) > 0 ? '0' : available;
    });
    await records.updateMerchant(lost);
  },
}));

/** Wrong servers that reserve, take or give back the money of refunds wrongly. */
export const reservedBalanceFaults: readonly Fault[] = [
  fault(
    'done-refund-taken-twice',
    'Takes the money for a refund off the balance when it is accepted, and again when it is done.',
    'refunds.create.accepted',
    'refunds.balance.after-success',
    takingAgain,
  ),
  fault(
    'refund-reserves-nothing',
    'Takes the money for a refund when it is done, and reserves none.',
    'refunds.create.reserves-funds',
    'refunds.balance.too-little',
    reservingNothing,
  ),
  fault(
    'done-refund-gives-back',
    'Gives back what a refund had reserved, even when it is done.',
    'refunds.create.reserves-funds',
    'refunds.balance.after-success',
    givingBack,
  ),
  fault(
    'gives-back-twice',
    'Gives back twice what a refund had reserved that was not done.',
    'refunds.create.reserves-funds',
    'refunds.balance.given-back-once',
    givingBackTwice,
  ),
  laterAgain('FAILED', 'Gives back what a refund had reserved that FAILED, and a day later a second time.'),
  laterAgain('CLOSED', 'Gives back what a refund had reserved that was CLOSED, and a day later a second time.'),
  fault(
    'done-refunds-count-for-90-days',
    'Counts in the balance what refunds have taken in the last 90 days only.',
    'refunds.create.reserves-funds',
    'refunds.balance.ended-days-later',
    givingBackLater('SUCCEEDED', 90 * day),
  ),
  laterAgain('SUCCEEDED', 'Gives back what a refund has taken a day after it SUCCEEDED.'),
  fault(
    'gives-back-twice-with-fee',
    'Takes another amount than was paid for a refund, and gives it back twice when the refund is not done.',
    'refunds.create.reserves-funds',
    'refunds.balance.given-back-once',
    withFee(givingBackTwice),
  ),
  fault(
    'gives-back-where-it-refuses',
    'Refuses to end a refund again, and gives money back.',
    'refunds.create.reserves-funds',
    'refunds.balance.after-success',
    givingBackWhereItRefuses(),
  ),
  fault(
    'gives-back-for-the-order',
    'Gives back with what a second refund of an order had reserved what the first one had, too.',
    'refunds.create.reserves-funds',
    'refunds.balance.second-of-order',
    givingBackForTheOrder,
  ),
  fault(
    'failed-refund-empties-balance',
    'Loses what is left of a balance when a refund is not done.',
    'refunds.create.reserves-funds',
    'refunds.balance.given-back-once',
    losingTheRest,
  ),
  fault(
    'uncovered-refund-uses-its-id',
    'Refuses a refund that the balance did not cover at first under the same id when it does.',
    'refunds.create.accepted',
    'refunds.balance.given-back-once',
    { merchantApi: keepingUncoveredIds() },
  ),
];
