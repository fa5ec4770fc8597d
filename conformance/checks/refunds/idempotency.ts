import { limit } from '../../../generated/catalogue.ts';
import { makePaidCheckoutOrder } from '../../arrange/checkout-orders/paid-orders.ts';
import { balanceForOne, merchantWithBalance } from '../../arrange/refunds/balances.ts';
import { type RefundCreateRequest, refundsClient } from '../../arrange/refunds/client.ts';
import { lastPaidOrder, makeOrderPaidAt, makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  bringRefundTo,
  type MadeRefund,
  makeRefund,
  type ReachableRefundState,
  refundIn,
  refundRequest,
  refundStateNeeds,
  refundStates,
  standingRefund,
  unrefundedOrder,
} from '../../arrange/refunds/refunds.ts';
import { isRefundOfOtherCheck } from '../../arrange/refunds/refunds-of-others.ts';
import { allWays } from '../../arrange/requests/unusual-ways.ts';
import { atTheSameMoment, type Start } from '../../arrange/situations/races.ts';
import { ifTaken, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectField,
  expectNothingOf,
  expectRefused,
  isAccepted,
  summary,
} from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { repeatOfRefund } from '../support/repeated-creates.ts';
import { manyAtOnce, needSomeAccepted } from '../support/repeats.ts';

/** The refund period in the contract's example, in days, and lengths of time in seconds. */
const period = limit('refunds.period', 'value');
const [hour, day] = [3600, 86_400];

/** Repeats that differ from the request of a refund, but not in the order, each with its difference in words. */
const differences: readonly [string, Partial<RefundCreateRequest>][] = [
  ['another refundReason', { refundReason: 'Goods were damaged' }],
  ['another extraData', { extraData: '{"case":"other"}' }],
  ['another notifyUrl', { notifyUrl: 'https://shop.example/hooks/other' }],
];

/** All these differences at once. */
const allDifferences: Partial<RefundCreateRequest> = Object.assign({}, ...differences.map(([, changes]) => changes));

/** A check that a repeat in a state changes nothing, neither an identical one nor one with other fields. */
const identicalRepeat = (state: ReachableRefundState): CheckDeclaration => ({
  id: `refunds.create.repeat.${state.toLowerCase()}`,
  title: `A create that is sent again while its refund is ${state}, also with other fields, makes no second refund and changes nothing`,
  requirements: ['refunds.create.idempotent', 'general.success-code'],
  needs: refundStateNeeds(state),
  long: true,
  async run(context) {
    const refund = await refundIn(context, state);
    for (const way of allWays) {
      await repeatOfRefund(context, refund, {}, `the same create again, ${way.words}`, way);
    }
    const otherwise = 'a create with another reason, extraData and notifyUrl under the same merchantRefundOrderId';
    await repeatOfRefund(context, refund, allDifferences, otherwise);
    const first = await refund.client.query({ acquiringOrderId: refund.order.orderId });
    if (isAccepted(first)) expectField(first, 'data.refundOrderId', refund.refundOrderId);
  },
});

/** Fails unless the create of a refund, sent again, is answered with the refund. */
async function expectAnswered({ client, request, refundOrderId }: MadeRefund, what: string): Promise<void> {
  const answer = await client.create(request);
  expectAccepted(answer, what);
  expectField(answer, 'data.refundOrderId', refundOrderId);
}

/** A check that an identical repeat is answered with the refund. */
const answeredRepeat = (name: string, state: ReachableRefundState): CheckDeclaration => ({
  id: `refunds.create.repeat.${name}`,
  title: `The same create sent again while its refund is ${state} is answered with the refund`,
  requirements: ['refunds.create.repeat-identical'],
  needs: refundStateNeeds(state),
  run: async (context) => expectAnswered(await refundIn(context, state), 'the same create again'),
});

const answeredLater: CheckDeclaration = {
  id: 'refunds.create.repeat.answered-later',
  title: `The same create sent again when its refund has used the balance up, and a day and ${period} days later, when its order may not be refunded any more, is answered with the refund`,
  requirements: ['refunds.create.repeat-identical'],
  needs: ['order-events', 'clock'],
  async run(context) {
    const merchant = await merchantWithBalance(context, balanceForOne);
    const order = await makeOrderPaidAt(context, merchant);
    const refund = await makeRefund(context, merchant, { order });
    await expectAnswered(refund, 'the same create again, when the balance covers no other refund');
    await context.advanceClock(merchant, day + hour);
    await expectAnswered(refund, 'the same create again, a day later');
    await context.advanceClock(merchant, period * day);
    await expectAnswered(refund, `the same create again, ${period} days later`);
  },
};

/** How long after the end of a refund its create is sent again, in days each after the one before: within a refund period of 30 days, at its beginning and just before its end, and long after it. */
const pausesBeforeRepeats = [8, 20, 400];

const repeatedMuchLater: CheckDeclaration = {
  id: 'refunds.create.repeat.much-later',
  title:
    'A create that is sent again eight days after its refund came to an end, four weeks after, and more than a year after, makes no second refund and changes nothing',
  requirements: ['refunds.create.idempotent'],
  needs: ['order-events', 'refund-events', 'clock', 'own-merchant'],
  async run(context) {
    const judge = async (state: 'SUCCEEDED' | 'FAILED' | 'CLOSED') => {
      const merchant = await context.ownMerchant();
      const refund = await makeRefund(context, merchant);
      await bringRefundTo(context, refund, state);
      for (const days of pausesBeforeRepeats) {
        await context.advanceClock(merchant, days * day);
        await repeatOfRefund(context, refund, {}, `the same create again, after ${days} more days`);
      }
    };
    // Whether a refund can be CLOSED is open.
    await sideBySide([judge('SUCCEEDED'), judge('FAILED'), whereReached(judge('CLOSED'))]);
  },
};

const different: readonly CheckDeclaration[] = [
  {
    id: 'refunds.create.repeat.changed',
    title: 'A create under the id of a refund, with other fields, makes no second refund and changes nothing',
    requirements: ['refunds.create.idempotent'],
    needs: ['paid-order'],
    async run(context) {
      const refund = await standingRefund(context, 'second');
      for (const [what, changes] of differences) {
        await repeatOfRefund(context, refund, changes, `a create with ${what} under the same merchantRefundOrderId`);
      }
    },
  },
  {
    id: 'refunds.create.repeat.other-order',
    title: 'A create under the id of a refund, for another order, does not refund that order',
    requirements: ['refunds.create.idempotent'],
    needs: ['paid-order'],
    async run(context) {
      const refund = await standingRefund(context);
      const { orderId } = await unrefundedOrder(context);
      const what = 'a create for another order under the same merchantRefundOrderId';
      await repeatOfRefund(context, refund, { acquiringOrderId: orderId }, what);
      // What is refused for its order must not leave the other differences behind.
      const changes = { ...allDifferences, acquiringOrderId: orderId };
      await repeatOfRefund(context, refund, changes, `${what}, with other fields too`);
      const second = await refund.client.query({ acquiringOrderId: orderId });
      if (isRefundOfOtherCheck(context, second, orderId)) return;
      expectRefused(second, `a query for a refund of the other order, after ${what}`);
    },
  },
  {
    id: 'refunds.create.repeat.other-order-later',
    title: 'A create under the id of a refund that has ended, for another order, does not refund that order',
    requirements: ['refunds.create.idempotent'],
    mayCall: ['checkout'],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const merchant = await context.merchant();
      const paid = () => makePaidOrder(context, merchant);
      const judge = async (state: 'SUCCEEDED' | 'FAILED' | 'CLOSED', makeFirst = paid, makeOther = paid) => {
        const [first, other] = await Promise.all([makeFirst(), makeOther()]);
        const refund = await makeRefund(context, merchant, { order: first });
        await bringRefundTo(context, refund, state);
        const what = `a create for another order under the merchantRefundOrderId of a refund that is ${state}`;
        await repeatOfRefund(context, refund, { acquiringOrderId: other.orderId }, what);
        const second = await refund.client.query({ acquiringOrderId: other.orderId });
        expectRefused(second, `a query for a refund of the other order, after ${what}`);
      };
      // The id is one of the merchant's, whichever product the orders are of. Whether checkout orders are refunded is open.
      const ofCheckout = () => makePaidCheckoutOrder(context, merchant, 'USDT');
      const mixed = context.has('checkout')
        ? [judge('SUCCEEDED', paid, ofCheckout), ifTaken(judge('FAILED', ofCheckout, paid))]
        : [];
      // Whether a refund can be CLOSED is open.
      await sideBySide([judge('SUCCEEDED'), judge('FAILED'), whereReached(judge('CLOSED')), ...mixed]);
    },
  },
  {
    id: 'refunds.create.repeat.different',
    title: 'Which repeats of a create get the existing refund',
    requirements: ['refunds.create.repeat-different'],
    needs: ['order-events'],
    async run(context) {
      const refund = await makeRefund(context, await context.merchant());
      const { orderId } = await makePaidOrder(context, refund.merchant);
      const repeats = [...differences, ['another order', { acquiringOrderId: orderId }] as const];
      const answers = await Promise.all(
        repeats.map(([, changes]) => refund.client.create({ ...refund.request, ...changes })),
      );
      const seen = answers.map((answer, index) => `${repeats[index]?.[0]}: ${summary(answer)}`);
      const existing = answers.map((answer) => field(answer, 'data.refundOrderId') === refund.refundOrderId);
      // Every value knows two answers: the existing refund, and a refusal with this code.
      const conflict = errorCode('refunds', 'IDEMPOTENCY_CONFLICT');
      const isKnown = answers.every((answer, index) => existing[index] || field(answer, 'code') === conflict);
      const ofOrder = existing.pop();
      const same = existing.every((each) => each === existing[0]);
      const value = ofOrder ? 'always-existing' : existing[0] ? 'by-order' : 'same-request';
      context.observeIn(
        answers,
        'refund-repeat-different',
        seen.join('; '),
        isKnown && same && (existing[0] || !ofOrder) ? value : null,
      );
    },
  },
];

/** The id of the one refund that several creates made. Throws `Inconclusive` when none was accepted. */
function expectOneRefund(answers: readonly Answer[]): unknown {
  const [first, ...others] = needSomeAccepted(answers);
  const id = field(first, 'data.refundOrderId');
  for (const answer of others) expectField(answer, 'data.refundOrderId', id);
  return id;
}

const more: readonly CheckDeclaration[] = [
  {
    id: 'refunds.create.repeat.parallel',
    title: `${manyAtOnce} identical creates at the same moment make one refund`,
    requirements: ['refunds.create.idempotent'],
    needs: ['paid-order'],
    alone: true,
    async run(context) {
      const merchant = await context.merchant();
      const { orderId } = await lastPaidOrder(context, merchant);
      const client = refundsClient(context, merchant);
      const request = refundRequest(context, orderId);
      const create = (start: Start) => client.post(client.refundsPath, request, start);
      const id = expectOneRefund(await atTheSameMoment(Array.from({ length: manyAtOnce }, () => create)));
      const { merchantRefundOrderId } = request;
      for (const by of [{ merchantRefundOrderId }, { acquiringOrderId: orderId }]) {
        const query = await client.query(by);
        expectAccepted(query, 'a query for the refund that was made', 'refunds.query.by-merchant-refund-order-id');
        expectField(query, 'data.refundOrderId', id);
      }
    },
  },
  {
    id: 'refunds.create.repeat.other-merchant',
    title: "A merchant that uses another's merchantRefundOrderId neither learns of its refund nor changes it",
    requirements: ['refunds.query.other-merchant', 'refunds.create.idempotent'],
    needs: ['order-events', 'other-merchant'],
    async run(context) {
      const first = await makeRefund(context, await context.merchant());
      const other = await context.merchant('other');
      const { merchantRefundOrderId } = first.request;
      const { client, order } = await makeRefund(context, other);
      const { orderId } = await makePaidOrder(context, other);
      const answers = [
        await client.create(refundRequest(context, orderId, { merchantRefundOrderId })),
        await client.create(refundRequest(context, order.orderId, { merchantRefundOrderId })),
        await client.query({ merchantRefundOrderId }),
      ];
      for (const answer of answers) {
        expectNothingOf(answer, [first.refundOrderId, first.order.orderId], [merchantRefundOrderId], 'refund');
      }
      const mine = await first.client.query({ merchantRefundOrderId });
      expectField(mine, 'data.refundOrderId', first.refundOrderId, 'refunds.create.idempotent');
    },
  },
];

export const refundsIdempotencyChecks: readonly CheckDeclaration[] = [
  ...refundStates.map(identicalRepeat),
  answeredRepeat('answered', 'PENDING'),
  answeredRepeat('answered-when-done', 'SUCCEEDED'),
  answeredRepeat('answered-when-failed', 'FAILED'),
  answeredRepeat('answered-when-closed', 'CLOSED'),
  answeredLater,
  repeatedMuchLater,
  ...different,
  ...more,
];
