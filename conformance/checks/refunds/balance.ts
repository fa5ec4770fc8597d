import { makeOrder, ordinaryAmount } from '../../arrange/orders/orders.ts';
import { alteredId } from '../../arrange/refunds/altered-id.ts';
import { balanceForOne, balanceForTwo, smallestOfAll, tooMuch } from '../../arrange/refunds/balances.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { coversJust, needCovering, needDeduction, needTaking, shownDeduction } from '../../arrange/refunds/fees.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  bringRefundTo,
  businessError,
  expectRefundRefused,
  isInsufficient,
  type MadeRefund,
  makeRefund,
  refundRequest,
} from '../../arrange/refunds/refunds.ts';
import { atTheSameMoment, everyRound, type Start } from '../../arrange/situations/races.ts';
import {
  confirmed,
  exchanges,
  ifTaken,
  letHappen,
  sideBySide,
  whereReached,
} from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectField,
  expectRefused,
  expectThat,
  isAccepted,
  statusOf,
  summary,
} from '../../check/expect.ts';
import { addDecimals, compareDecimals, subtractDecimals } from '../../contract/decimals.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { show } from '../../contract/show.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { expectInsufficient } from '../support/insufficient-balance.ts';

type Two = readonly [string, string];

/**
 * Two prices whose sum binary floating point gets wrong, the second of 80 bits too, and decimal numbers of 28 digits the third, with the smallest
 * amount that a price can be wrong by: one that every stablecoin of the platform has, and the last of 18 decimal places. Large prices may be refused.
 */
const pairs: readonly { prices: Two; smallest: string; large?: true }[] = [
  { prices: ['1.1', '2.2'], smallest: smallestOfAll },
  { prices: ['34.100000000000000001', '56.200000000000000002'], smallest: '0.000000000000000001' },
  {
    prices: ['34567890123.100000000000000001', '12345678901.200000000000000002'],
    smallest: '0.000000000000000001',
    large: true,
  },
];

/** A balance that covers refunds of all these prices. */
const coversAll = '1000000000000';

const { value: price } = ordinaryAmount;

/** The same number with two more zeros at its end. */
const withZeros = (amount: string) => (amount.includes('.') ? `${amount}00` : `${amount}.00`);

/** Less than what is left of that balance after the refund. */
const rest = '5';

const needs = ['order-events', 'own-merchant'] as const;

/** In seconds. */
const day = 86_400;

const withBalance = (context: CheckContext, USDT: string) => context.ownMerchant({ balances: { USDT } });

const paidAt = (context: CheckContext, merchant: Credentials, value: string = price) =>
  makePaidOrder(context, merchant, { orderAmount: { value, currency: 'USDT' } });

/** Fails unless the refusal of a refund of a price tells what is needed, and that `available` is there. */
async function expectTold(
  context: CheckContext,
  merchant: Credentials,
  available: string,
  needed?: string,
): Promise<void> {
  const { orderId } = await paidAt(context, merchant, needed);
  const answer = await refundsClient(context, merchant).create(refundRequest(context, orderId));
  expectField(answer, 'code', errorCode('refunds', 'INSUFFICIENT_BALANCE'), 'refunds.errors.insufficient-balance');
  expectNamed(answer, available);
}

/** Fails unless the details of a refusal for the balance name what is `available`, and a larger amount. */
function expectNamed(answer: Answer, available: string): void {
  const details = field(answer, 'details');
  const amounts = amountsIn(typeof details === 'string' ? details : '');
  const names = (fits: (comparison: number) => boolean) =>
    amounts.some((amount) => fits(compareDecimals(amount, available)));
  const both = names((comparison) => comparison === 0) && names((comparison) => comparison > 0);
  expectThat(both, answer, {
    expected: `details name ${available}, which is there, and the larger amount that is needed`,
    actual: `details = ${show(details)}`,
  });
}

const inDollars = (value: string) => ({ value, currency: 'USD' }) as const;

/** What refunds of orders of these prices take, of a merchant whose balance covers them by far. */
async function takenFor(context: CheckContext, prices: Two): Promise<Two> {
  const merchant = await withBalance(context, coversAll);
  const taken = async (value: string) => {
    const { created } = await makeRefund(context, merchant, { order: await paidAt(context, merchant, value) });
    return needDeduction(created);
  };
  return Promise.all([taken(prices[0]), taken(prices[1])]);
}

/** Refunds an order of each price, one after the other, from a balance. */
async function refundBoth(context: CheckContext, prices: Two, taken: Two, balance: string): Promise<Answer> {
  const merchant = await withBalance(context, balance);
  const [one, two] = await Promise.all(prices.map((value) => paidAt(context, merchant, value)));
  if (!one || !two) throw new Inconclusive('there are no two orders');
  const first = await makeRefund(context, merchant, { order: one });
  needTaking(first.created, taken[0]);
  const second = await first.client.create(refundRequest(context, two.orderId));
  if (isAccepted(second)) needTaking(second, taken[1]);
  return second;
}

/** An order of a merchant whose balance covers one refund, with that refund, and a further order of the same price. */
async function refundAndOrder(
  context: CheckContext,
): Promise<{ merchant: Credentials; refund: MadeRefund; further: PaidOrder }> {
  const merchant = await withBalance(context, balanceForOne);
  const [order, further] = await Promise.all([paidAt(context, merchant), paidAt(context, merchant)]);
  const refund = await makeRefund(context, merchant, { order });
  needCovering(balanceForOne, 1, refund.created);
  return { merchant, refund, further };
}

/** The decimal numbers in a text, as decimal text. */
const amountsIn = (text: string) => (text.match(/[0-9]+(?:[.,][0-9]+)?/g) ?? []).map((each) => each.replace(',', '.'));

const insufficient: readonly CheckDeclaration[] = [
  {
    id: 'refunds.errors.insufficient-balance',
    title: 'A refund that the balance does not cover is refused with INSUFFICIENT_BALANCE',
    requirements: ['refunds.errors.insufficient-balance', 'refunds.errors.business', 'refunds.errors.refused'],
    needs: ['low-balance', 'order-events'],
    async run(context) {
      await makeRefund(context, await context.merchant());
      const poor = await context.merchant('lowBalance');
      const client = refundsClient(context, poor);
      const expectShort = async ({ orderId }: Pick<PaidOrder, 'orderId'>, what: string) =>
        expectRefundRefused(client, refundRequest(context, orderId), what, {
          ...businessError,
          code: errorCode('refunds', 'INSUFFICIENT_BALANCE'),
        });
      await expectShort(await makePaidOrder(context, poor), 'a refund that the balance does not cover');
      for (const paymentMethod of exchanges) {
        const order = await makeOrder(context, poor);
        const paid = await letHappen(context, order, [{ type: 'transaction_detected', paymentMethod }, confirmed]);
        // Whether a driver can pay from an exchange is its own matter.
        if (statusOf(paid) !== 'SUCCEEDED') continue;
        await expectShort(order, `a refund, which the balance does not cover, of an order that ${paymentMethod} paid`);
      }
    },
  },
  {
    id: 'refunds.errors.insufficient-balance.details',
    title: 'The details of INSUFFICIENT_BALANCE name how much is needed and how much there is',
    requirements: ['refunds.errors.insufficient-balance.details'],
    needs,
    long: true,
    async run(context) {
      await expectTold(context, await withBalance(context, '3.21'), '3.21');
      // What there is of another currency is no part of it.
      const various = await context.ownMerchant({ balances: { USDT: '3.21', USDC: '7000', USD1: '0.5' } });
      await expectTold(context, various, '3.21');
      // Many languages print a number with an exponent that ends in zeros.
      for (const [left, needed] of [['3.21'], ['0'], ['3.214567'], ['200', '350']] as const) {
        const merchant = await withBalance(context, addDecimals([price, left]));
        const first = await makeRefund(context, merchant, { order: await paidAt(context, merchant) });
        needTaking(first.created, price);
        await expectTold(context, merchant, left, needed);
      }
      // 10 USD are 15 USDT at this rate: the balance is less than what is needed, and more than the number in the price.
      const costly = await context.ownMerchant({ balances: { USDT: '12' }, usdRate: '1.5' });
      const { orderId } = await makePaidOrder(context, costly, { orderAmount: inDollars('10') });
      const answer = await refundsClient(context, costly).create(refundRequest(context, orderId));
      // How much a refund of an order in USD takes is open.
      if (isInsufficient(answer)) expectNamed(answer, '12');
    },
  },
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
    title: 'What refunds have reserved that have not ended is not there for another days later either',
    requirements: ['refunds.create.reserves-funds', 'refunds.errors.insufficient-balance', 'refunds.errors.business'],
    needs: [...needs, 'refund-events', 'clock'],
    async run(context) {
      await sideBySide(
        (['PENDING', 'PROCESSING'] as const).map(async (state) => {
          const { merchant, refund } = await refundAndOrder(context);
          if (!(await whereReached(bringRefundTo(context, refund, state).then(() => true)))) return;
          await context.advanceClock(merchant, 3 * day);
          const further = await paidAt(context, merchant);
          const answer = await refund.client.create(refundRequest(context, further.orderId));
          // One that has come to nothing by itself meanwhile has given its money back.
          if (statusOf(await refund.query()) !== state) return;
          const what = `a refund from what one that is ${state} for three days has left of ${balanceForOne}`;
          expectInsufficient(answer, what);
        }),
      );
    },
  },
  {
    id: 'refunds.balance.exact',
    title: 'A balance of exactly what two refunds take covers both',
    requirements: ['refunds.create.accepted', 'refunds.create.reserves-funds'],
    needs,
    async run(context) {
      await sideBySide(
        pairs.map(async ({ prices, large }) => {
          const taken = await (large ? ifTaken(takenFor(context, prices)) : takenFor(context, prices));
          if (!taken) return;
          const [first, second] = taken;
          // A target may ask that the whole price is there, and take less of it.
          const both = addDecimals([first, compareDecimals(second, prices[1]) < 0 ? prices[1] : second]);
          // Zeros at the end change nothing, up to the places that an amount may have.
          const balances = large || (both.split('.')[1] ?? '').length > 6 ? [both] : [both, withZeros(both)];
          for (const balance of balances) {
            const answer = await refundBoth(context, prices, taken, balance);
            const what = `the second of two refunds that take ${first} and ${second}, from a balance of ${balance}`;
            expectAccepted(answer, what);
          }
        }),
      );
    },
  },
  {
    id: 'refunds.balance.too-little',
    title: 'A balance that lacks the last decimal place of what two refunds take does not cover both',
    requirements: ['refunds.create.reserves-funds', 'refunds.errors.insufficient-balance', 'refunds.errors.business'],
    needs,
    async run(context) {
      await sideBySide(
        pairs.map(async ({ prices, smallest, large }) => {
          const taken = await (large ? ifTaken(takenFor(context, prices)) : takenFor(context, prices));
          if (!taken) return;
          const both = addDecimals(taken);
          const balance = subtractDecimals(both, smallest);
          const second = await refundBoth(context, prices, taken, balance);
          expectInsufficient(second, `the second of two refunds that take ${both}, from a balance of ${balance}`);
        }),
      );
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
      const merchant = await withBalance(context, balanceForTwo);
      const refund = await makeRefund(context, merchant, { order: await paidAt(context, merchant) });
      needCovering(balanceForTwo, 2, refund.created);
      await bringRefundTo(context, refund, 'SUCCEEDED');
      await endAgain(context, refund);
      const another = async () => {
        const { orderId } = await paidAt(context, merchant);
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
        const [small, last] = await Promise.all([paidAt(context, merchant, rest), paidAt(context, merchant)]);
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
        const another = await paidAt(context, merchant);
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
    title: 'Of refunds of several orders at the same moment, no more are accepted than the balance covers',
    requirements: ['refunds.create.reserves-funds'],
    needs,
    async run(context) {
      await everyRound(async () => {
        const merchant = await withBalance(context, balanceForOne);
        const orders = await Promise.all(Array.from({ length: 4 }, () => paidAt(context, merchant)));
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
];

/** Fails where a merchant's balance does not cover a refund any more after creates that were refused. */
async function refuseSeveral(context: CheckContext): Promise<void> {
  const merchant = await withBalance(context, balanceForOne);
  const [{ orderId }, dear] = await Promise.all([makePaidOrder(context, merchant), paidAt(context, merchant, tooMuch)]);
  const client = refundsClient(context, merchant);
  // A refused create does not use its id up, so that one id serves them all.
  const request = refundRequest(context, orderId);
  const { refundReason: _left, ...withoutReason } = request;
  const answers = await Promise.all([
    client.createAnything(withoutReason),
    client.create({ ...request, acquiringOrderId: alteredId(orderId) }),
    client.create({ ...request, acquiringOrderId: dear.orderId }),
    client.send({
      method: 'POST',
      path: client.refundsPath,
      body: Buffer.from(JSON.stringify(request)),
      sign: () => 'A'.repeat(44),
    }),
  ]);
  const accepted = answers.find(isAccepted);
  if (accepted) throw new Inconclusive('a create was accepted that had to be refused');
  const answer = await client.create(request);
  expectAccepted(answer, 'a refund that the balance covers, unless refused ones have used it or their id up');
}

/** Fails where a create that was refused because its order had a refund has used up a merchant's balance. */
async function refuseRefunded(context: CheckContext): Promise<void> {
  const merchant = await withBalance(context, balanceForTwo);
  const [order, further, last] = await Promise.all([
    paidAt(context, merchant),
    paidAt(context, merchant),
    paidAt(context, merchant),
  ]);
  const { client, created } = await makeRefund(context, merchant, { order });
  const request = refundRequest(context, order.orderId);
  const second = await client.create(request);
  // Fees and second refunds are open. After a second one, or with a high fee, nothing follows from what is left of the balance.
  if (isAccepted(second) || !coversJust(balanceForTwo, 2, created)) return;
  const answer = await client.create({ ...request, acquiringOrderId: further.orderId });
  const what = 'a refund that the balance covers, unless a refused one of another order has used it or its id up';
  expectAccepted(answer, what);
  const beyond = await client.create(refundRequest(context, last.orderId));
  expectInsufficient(
    beyond,
    'a refund that the balance covers only if a refused one has given back what another one took',
  );
}

const untouched: readonly CheckDeclaration[] = [
  {
    id: 'refunds.create.repeat.reserves-once',
    title: 'However often a create is sent again, its funds are reserved once',
    requirements: ['refunds.create.idempotent'],
    needs,
    async run(context) {
      const merchant = await withBalance(context, addDecimals([balanceForOne, balanceForOne]));
      const [order, further] = await Promise.all([paidAt(context, merchant), paidAt(context, merchant)]);
      const { client, request, created } = await makeRefund(context, merchant, { order });
      // Then twice that balance covers a second refund.
      needCovering(balanceForOne, 1, created);
      await Promise.all(Array.from({ length: 4 }, () => client.create(request)));
      const answer = await client.create(refundRequest(context, further.orderId));
      expectAccepted(answer, 'a refund that the balance covers, unless repeats of another one have used it up');
    },
  },
  {
    id: 'refunds.errors.reserves-nothing',
    title: 'Creates that are refused reserve nothing, and give nothing back',
    requirements: [
      'refunds.errors.refused',
      'refunds.create.reserves-funds',
      'refunds.errors.insufficient-balance',
      'refunds.errors.business',
    ],
    needs,
    async run(context) {
      await Promise.all([refuseSeveral(context), refuseRefunded(context)]);
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

/** Asks for each end of a refund that has ended. None may move it again, and so none may give anything back. */
async function endAgain(context: CheckContext, { refundOrderId, merchant }: MadeRefund): Promise<void> {
  for (const type of ['failed', 'closed', 'completed'] as const) {
    await context.refundEvent(merchant, refundOrderId, { type });
  }
}

export const refundsBalanceChecks: readonly CheckDeclaration[] = [...insufficient, ...untouched];
