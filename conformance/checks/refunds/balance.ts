import { ordinaryAmount } from '../../arrange/orders/orders.ts';
import { balanceForOne, balanceForTwo, merchantWithBalance } from '../../arrange/refunds/balances.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { coversJust, needCovering, shownDeduction } from '../../arrange/refunds/fees.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makeOrderPaidAt } from '../../arrange/refunds/paid-orders.ts';
import {
  bringRefundTo,
  isInsufficient,
  type MadeRefund,
  makeRefund,
  type ReachableRefundState,
  refundRequest,
} from '../../arrange/refunds/refunds.ts';
import { atTheSameMoment, everyRound, type Start } from '../../arrange/situations/races.ts';
import { ifTaken, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectRefused, expectThat, isAccepted, statusOf, summary } from '../../check/expect.ts';
import { addDecimals, compareDecimals, subtractDecimals } from '../../contract/decimals.ts';
import { show } from '../../contract/show.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';
import { expectInsufficient } from '../support/insufficient-balance.ts';

const { value: price } = ordinaryAmount;

/** Less than what is left of that balance after the refund. */
const rest = '5';

const needs = ['order-events', 'own-merchant'] as const;

/** In seconds. */
const day = 86_400;

/** How long refunds are under way, in days each after the one before: longer than what is reserved for a few days, a week, a month, a quarter or a year. */
const pausesUnderWay = [3, 5, 25, 60, 400];

/** An order of a merchant whose balance covers one refund, with that refund, and a further order of the same price. */
async function refundAndOrder(
  context: CheckContext,
): Promise<{ merchant: Credentials; refund: MadeRefund; further: PaidOrder }> {
  const merchant = await merchantWithBalance(context, balanceForOne);
  const [order, further] = await Promise.all([makeOrderPaidAt(context, merchant), makeOrderPaidAt(context, merchant)]);
  const refund = await makeRefund(context, merchant, { order });
  needCovering(balanceForOne, 1, refund.created);
  return { merchant, refund, further };
}

/** Asks for each end of a refund that has ended. None may move it again, and so none may give anything back. */
async function endAgain(context: CheckContext, { refundOrderId, merchant }: MadeRefund): Promise<void> {
  for (const type of ['failed', 'closed', 'completed'] as const) {
    await context.refundEvent(merchant, refundOrderId, { type });
  }
}

/**
 * Seconds that pass one after the other after the end of a refund: what a platform does each day, each week, each month or each year has been done then,
 * and what it keeps for a quarter or a year only is gone.
 */
const afterTheEnd = [25 * 3600, 7 * day, 32 * day, 400 * day];

/**
 * Fails where the money of a refund that has ended covers more than one further refund, as time passes; of one that SUCCEEDED, where it covers any.
 * Whether one that FAILED or was CLOSED gives it back at all, and when, is open.
 */
async function expectNoMoreLater(context: CheckContext, state: 'SUCCEEDED' | 'FAILED' | 'CLOSED'): Promise<boolean> {
  const { merchant, refund } = await refundAndOrder(context);
  await bringRefundTo(context, refund, state);
  let isTaken = state === 'SUCCEEDED';
  for (const seconds of [0, ...afterTheEnd]) {
    if (seconds > 0) await context.advanceClock(merchant, seconds);
    const order = await makeOrderPaidAt(context, merchant);
    const request = refundRequest(context, order.orderId);
    if (!isTaken) {
      const further = await ifTaken(makeRefund(context, merchant, { order }));
      if (!further) continue;
      if (!coversJust(balanceForOne, 1, further.created)) return false;
      // One that is left alone may come to nothing by itself as time passes, and give its money back.
      await bringRefundTo(context, further, 'SUCCEEDED');
      isTaken = true;
      continue;
    }
    const days = 'in the days, weeks and the year after the end of a refund';
    const beyond = `that only more than the balance of ${balanceForOne} would cover, after one that ${state}`;
    expectInsufficient(await refund.client.create(request), `a refund ${days} ${beyond}`);
  }
  return isTaken;
}

/** Fails where the create of a refund, sent again at once and in each of these states, takes more from the balance than the refund did. */
async function expectReservedOnce(
  context: CheckContext,
  states: readonly Exclude<ReachableRefundState, 'PENDING'>[],
): Promise<void> {
  const merchant = await merchantWithBalance(context, addDecimals([balanceForOne, balanceForOne]));
  const [order, further] = await Promise.all([makeOrderPaidAt(context, merchant), makeOrderPaidAt(context, merchant)]);
  const refund = await makeRefund(context, merchant, { order });
  const { client, request, created } = refund;
  // Then twice that balance covers a second refund.
  needCovering(balanceForOne, 1, created);
  // Often enough to use up the balance where each of them reserves a part of it.
  const repeat = () => Promise.all(Array.from({ length: 4 }, () => client.create(request)));
  await repeat();
  let from: ReachableRefundState = 'PENDING';
  for (const state of context.has('refund-events') ? states : []) {
    const isThere = await whereReached(bringRefundTo(context, refund, state, from).then(() => true));
    // A target may skip PROCESSING.
    if (!isThere) continue;
    from = state;
    await repeat();
  }
  const answer = await client.create(refundRequest(context, further.orderId));
  const when = from === 'PENDING' ? '' : `, the last ones when it was ${from},`;
  expectAccepted(answer, `a refund that the balance covers, unless repeats of another one${when} have used it up`);
}

/** Checks of what a refund takes from a merchant's balance, and gives back. */
export const refundsBalanceChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.balance.while-processing',
    title: 'What a refund has reserved is not there for another while it is in PROCESSING either',
    requirements: ['refunds.create.reserves-funds', 'refunds.errors.insufficient-balance', 'refunds.errors.business'],
    needs: [...needs, 'refund-events'],
    async run(context) {
      const { refund, further } = await refundAndOrder(context);
      await bringRefundTo(context, refund, 'PROCESSING');
      const answer = await refund.client.create(refundRequest(context, further.orderId));
      expectInsufficient(answer, `a refund from what one in PROCESSING has left of ${balanceForOne}`);
    },
  },
  {
    id: 'refunds.balance.days-later',
    long: true,
    title:
      'What refunds have reserved that have not ended is not there for another days, weeks, months and a year later either',
    requirements: ['refunds.create.reserves-funds', 'refunds.errors.insufficient-balance', 'refunds.errors.business'],
    needs: [...needs, 'refund-events', 'clock'],
    async run(context) {
      await sideBySide(
        (['PENDING', 'PROCESSING'] as const).map(async (state) => {
          const { merchant, refund } = await refundAndOrder(context);
          if (!(await whereReached(bringRefundTo(context, refund, state).then(() => true)))) return;
          for (const days of pausesUnderWay) {
            await context.advanceClock(merchant, days * day);
            const further = await makeOrderPaidAt(context, merchant);
            const answer = await refund.client.create(refundRequest(context, further.orderId));
            // One that has come to nothing by itself meanwhile has given its money back.
            if (statusOf(await refund.query()) !== state) return;
            const what = `a refund from what one that is still ${state}, after ${days} more days, has left of ${balanceForOne}`;
            expectInsufficient(answer, what);
          }
        }),
      );
    },
  },
  {
    id: 'refunds.balance.ended-days-later',
    long: true,
    title:
      'What a refund has taken that SUCCEEDED is not given back days, weeks and a year later, and of one that FAILED or was CLOSED not a second time',
    requirements: ['refunds.create.reserves-funds', 'refunds.errors.insufficient-balance', 'refunds.errors.business'],
    needs: [...needs, 'refund-events', 'clock'],
    async run(context) {
      const states = ['SUCCEEDED', 'FAILED', 'CLOSED'] as const;
      const judged = await sideBySide(states.map((state) => whereReached(expectNoMoreLater(context, state))));
      if (!judged.includes(true)) {
        throw new PermittedChoice(
          `${balanceForOne} does not cover just one refund here (open point refund-deduct-amount)`,
        );
      }
    },
  },
  {
    id: 'refunds.balance.after-success',
    title: 'What a refund that SUCCEEDED has taken is not there for another, and the rest of the balance is',
    requirements: [
      'refunds.create.reserves-funds',
      'refunds.create.accepted',
      'refunds.errors.insufficient-balance',
      'refunds.errors.business',
    ],
    needs: [...needs, 'refund-events'],
    async run(context) {
      const merchant = await merchantWithBalance(context, balanceForTwo);
      const refund = await makeRefund(context, merchant, { order: await makeOrderPaidAt(context, merchant) });
      needCovering(balanceForTwo, 2, refund.created);
      await bringRefundTo(context, refund, 'SUCCEEDED');
      await endAgain(context, refund);
      const another = async () => {
        const { orderId } = await makeOrderPaidAt(context, merchant);
        return refund.client.create(refundRequest(context, orderId));
      };
      const covered = 'a refund that the balance covers beside one that SUCCEEDED';
      expectAccepted(await another(), covered, 'refunds.create.accepted');
      expectInsufficient(await another(), 'a refund from what two others have taken');
    },
  },
  {
    id: 'refunds.balance.given-back-once',
    title: 'A refund that FAILED or was CLOSED gives back no more than it had reserved, and leaves the rest as it was',
    requirements: [
      'refunds.create.reserves-funds',
      'refunds.create.accepted',
      'refunds.errors.insufficient-balance',
      'refunds.errors.business',
    ],
    needs: [...needs, 'refund-events'],
    async run(context) {
      const look = async (state: 'FAILED' | 'CLOSED') => {
        const { merchant, refund, further } = await refundAndOrder(context);
        const [small, last] = await Promise.all([
          makeOrderPaidAt(context, merchant, rest),
          makeOrderPaidAt(context, merchant),
        ]);
        const uncovered = refundRequest(context, further.orderId);
        const tooEarly = await refund.client.create(uncovered);
        await bringRefundTo(context, refund, state);
        await endAgain(context, refund);
        // The same create again makes nothing, and so it can give nothing back.
        await refund.client.create(refund.request);
        const covered = await refund.client.create(refundRequest(context, small.orderId));
        // A refund that takes more than was paid may leave less than the rest.
        const taken = shownDeduction(refund.created) ?? price;
        if (isAccepted(covered) || compareDecimals(taken, price) <= 0) {
          expectAccepted(covered, `a refund of ${rest}, which the refund that ${state} never took from the balance`);
        }
        const left = isAccepted(covered)
          ? subtractDecimals(balanceForOne, shownDeduction(covered) ?? rest)
          : balanceForOne;
        // Whether the money is given back is open. It covers the first refund at most, and never both.
        if (compareDecimals(left, addDecimals([taken, taken])) >= 0) return;
        const unchanged = await refund.client.create(uncovered);
        // The refusal may be remembered with the id, which was not used otherwise.
        expectThat(isAccepted(unchanged) || isInsufficient(unchanged) || !isInsufficient(tooEarly), unchanged, {
          expected: `the same create that was refused while the balance did not cover it, after another refund ${state}: accepted, or refused for the balance`,
          actual: summary(unchanged),
          requirement: 'refunds.create.accepted',
        });
        const again = isAccepted(unchanged)
          ? unchanged
          : await refund.client.create(refundRequest(context, further.orderId));
        const answer = await refund.client.create(refundRequest(context, last.orderId));
        // An order that could not be refunded for want of money can be, as soon as the money is there.
        const isTreatedAlike = isAccepted(again) || (isInsufficient(again) && !isAccepted(answer));
        expectThat(isTreatedAlike || !isInsufficient(tooEarly), again, {
          expected: `a refund of an order that was refused one while the balance did not cover it, after another refund ${state}: accepted if the balance covers it now, as for any other order`,
          actual: summary(again),
          requirement: 'refunds.create.accepted',
        });
        const beyond = `that only more than the money of the refund that ${state} would cover`;
        expectInsufficient(answer, `a refund ${beyond}`);
        const second = await refund.client.create(refundRequest(context, refund.order.orderId));
        expectRefused(second, `a second refund of an order, ${beyond}`, 'refunds.create.reserves-funds');
      };
      await Promise.all([look('FAILED'), look('CLOSED')]);
    },
  },
  {
    id: 'refunds.balance.second-of-order',
    title:
      'A second refund of an order, after one that FAILED or was CLOSED, reserves its money as the first one did, and gives back no more',
    requirements: ['refunds.create.reserves-funds', 'refunds.errors.insufficient-balance', 'refunds.errors.business'],
    needs: [...needs, 'refund-events'],
    async run(context) {
      const reserves = async (state: 'FAILED' | 'CLOSED') => {
        const { merchant, refund, further } = await refundAndOrder(context);
        const another = await makeOrderPaidAt(context, merchant);
        await bringRefundTo(context, refund, state);
        const second = await ifTaken(makeRefund(context, merchant, { order: refund.order }));
        // Whether the order can be refunded again, and whether the money was given back, is open.
        if (!second || !coversJust(balanceForOne, 1, second.created)) return false;
        const create = ({ orderId }: PaidOrder) => refund.client.create(refundRequest(context, orderId));
        const words = `a second refund of an order has left of ${balanceForOne}, whose first one ${state}`;
        expectInsufficient(await create(further), `a refund from what ${words}`);
        await bringRefundTo(context, second, 'FAILED');
        if (!isAccepted(await create(further))) return true;
        const beyond = 'that only more than the money of two refunds of one order, which are over, would cover';
        expectInsufficient(await create(another), `a refund ${beyond}`);
        return true;
      };
      const judged = await Promise.all([reserves('FAILED'), reserves('CLOSED')]);
      if (!judged.includes(true)) {
        throw new PermittedChoice(
          'an order is not refunded twice here (open points refund-second, refund-transitions)',
        );
      }
    },
  },
  {
    id: 'refunds.balance.parallel',
    long: true,
    title: 'Of refunds of several orders at the same moment, no more are accepted than the balance covers',
    requirements: ['refunds.create.reserves-funds'],
    needs,
    async run(context) {
      await everyRound(async () => {
        const merchant = await merchantWithBalance(context, balanceForOne);
        const orders = await Promise.all(Array.from({ length: 4 }, () => makeOrderPaidAt(context, merchant)));
        const client = refundsClient(context, merchant);
        const refund = (orderId: string) => (start: Start) =>
          client.post(client.refundsPath, refundRequest(context, orderId), start);
        const accepted = (await atTheSameMoment(orders.map(({ orderId }) => refund(orderId)))).filter(isAccepted);
        const [first, second] = accepted;
        if (!first) throw new Inconclusive('none of the refunds was accepted');
        for (const each of accepted) needCovering(balanceForOne, 1, each);
        expectThat(second === undefined, second ?? first, {
          expected: `one accepted: a balance of ${balanceForOne} covers one refund of ${price}`,
          actual: `${accepted.length} accepted, which take ${addDecimals(accepted.map(() => price))}`,
        });
      });
    },
  },
  {
    id: 'refunds.create.repeat.reserves-once',
    title: 'However often a create is sent again, and whichever state its refund is in, its funds are reserved once',
    requirements: ['refunds.create.idempotent'],
    needs,
    async run(context) {
      // Which states a refund comes to is open in part.
      const ended = (['FAILED', 'CLOSED'] as const).map((state) => whereReached(expectReservedOnce(context, [state])));
      const others = context.has('refund-events') ? ended : [];
      await sideBySide([expectReservedOnce(context, ['PROCESSING', 'SUCCEEDED']), ...others]);
    },
  },
  {
    id: 'refunds.balance.released',
    title: 'Whether a refund that FAILED or was CLOSED gives back what it had reserved',
    requirements: ['refunds.states.released-funds'],
    needs: [...needs, 'refund-events'],
    async run(context) {
      const look = async (state: 'FAILED' | 'CLOSED') => {
        const { refund, further } = await refundAndOrder(context);
        await bringRefundTo(context, refund, state);
        const answer = await refund.client.create(refundRequest(context, further.orderId));
        const seen = isAccepted(answer) ? 'given back' : `not given back (${show(field(answer, 'code'))})`;
        return { answer, seen: `${state}: ${seen}` };
      };
      const looks = await Promise.all([look('FAILED'), look('CLOSED')]);
      const seen = looks.map((each) => each.seen).join('; ');
      context.observeIn(
        looks.map(({ answer }) => answer),
        'refund-transitions',
        seen,
      );
    },
  },
];
