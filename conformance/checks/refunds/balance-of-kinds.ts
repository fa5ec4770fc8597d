import { type CurrencyCode, currencies, networks } from '../../../generated/catalogue.ts';
import { makePaidCheckoutOrder } from '../../arrange/checkout-orders/paid-orders.ts';
import { similarOrderIds } from '../../arrange/orders/any-order.ts';
import { makeOrder, ordinaryAmount } from '../../arrange/orders/orders.ts';
import { confirmed, paymentOver } from '../../arrange/orders/payments.ts';
import { balanceForOne, smallestOfAll, tooMuch } from '../../arrange/refunds/balances.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { shownDeduction } from '../../arrange/refunds/fees.ts';
import { everyKind, type OrderKind } from '../../arrange/refunds/kinds-of-orders.ts';
import type { PaidOrder } from '../../arrange/refunds/paid-order.ts';
import { makeOrderPaidAt } from '../../arrange/refunds/paid-orders.ts';
import {
  bringRefundTo,
  isInsufficient,
  type MadeRefund,
  makeRefund,
  refundRequest,
} from '../../arrange/refunds/refunds.ts';
import { inDigits } from '../../arrange/requests/further-fields.ts';
import { ifTaken, letHappen, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectThat, isAccepted, isTaken, statusOf, summary } from '../../check/expect.ts';
import { addDecimals, compareDecimals, subtractDecimals } from '../../contract/decimals.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';
import { expectInsufficient } from '../support/insufficient-balance.ts';

const { value: price } = ordinaryAmount;

const usualKind: OrderKind = {
  words: 'an order',
  currency: 'USDT',
  pay: (context, merchant) => makeOrderPaidAt(context, merchant),
};

/** Orders whose first refund has FAILED. Whether they are refunded again is open. */
const failedBefore: OrderKind = {
  words: 'an order whose first refund has FAILED',
  currency: 'USDT',
  pay: async (context, merchant) => {
    const order = await makeOrderPaidAt(context, merchant);
    const first = await makeRefund(context, merchant, { order });
    await whereReached(bringRefundTo(context, first, 'FAILED'));
    return order;
  },
};

/** Orders that were paid over each network. Over which ones hosted orders can be paid is open. */
const ofNetworks: readonly OrderKind[] = networks.map(({ code }) => ({
  words: `an order that was paid over ${code}`,
  currency: 'USDT',
  pay: async (context, merchant) => {
    const order = await makeOrder(context, merchant, { orderAmount: ordinaryAmount });
    const paid = await letHappen(context, order, [paymentOver(context, code), confirmed]);
    if (statusOf(paid) !== 'SUCCEEDED') throw new PermittedChoice(`the driver does not pay over ${code}`);
    return order;
  },
}));

/** A rate at which a refund of an order in USD takes another number than its price. */
const usdRate = '1.5';

/** The refund of an order, what it took as decimal text, and the further paid orders of its merchant. */
interface RefundOfKind {
  refund: MadeRefund;
  taken: string;
  further: readonly Pick<PaidOrder, 'merchant' | 'orderId'>[];
}

/** Refunds such an order from a balance of so much, after `further` others were paid too. `undefined`: that cannot be done, or what it takes is not shown. */
async function refundFrom(
  context: CheckContext,
  { currency, pay }: OrderKind,
  balance: string,
  further: number,
): Promise<RefundOfKind | undefined> {
  const merchant = await context.ownMerchant({ balances: { [currency]: balance }, usdRate });
  const others: Pick<PaidOrder, 'merchant' | 'orderId'>[] = [];
  const made = await ifTaken(
    (async () => {
      const order = await pay(context, merchant);
      // One after the other, because a first refund of each may take its part of the balance for a while.
      for (let paid = 0; paid < further; paid += 1) others.push(await pay(context, merchant));
      return makeRefund(context, merchant, { order });
    })(),
  );
  const taken = made && shownDeduction(made.created);
  return made && taken !== undefined ? { refund: made, taken, further: others } : undefined;
}

/**
 * Fails where two refunds of such orders are made from a balance that lacks a little of what both take. False where such orders cannot be
 * refunded, or do not take the same each time.
 */
async function expectReserved(context: CheckContext, kind: OrderKind, usual: RefundOfKind): Promise<boolean> {
  const both = addDecimals([usual.taken, usual.taken]);
  const balance = subtractDecimals(both, smallestOfAll);
  const first = await refundFrom(context, kind, balance, 1);
  const [second] = first?.further ?? [];
  if (!first || !second || compareDecimals(first.taken, usual.taken) !== 0) return false;
  const { refund } = first;
  const expectSecondRefused = async (when: string) => {
    const answer = await refund.client.create(refundRequest(context, second.orderId));
    const what = `the second of two refunds of ${kind.words} that take ${both}, from ${balance} ${kind.currency}${when}`;
    expectInsufficient(answer, what);
  };
  await expectSecondRefused('');
  if (!context.has('refund-events')) return true;
  const isDone = await ifTaken(whereReached(bringRefundTo(context, refund, 'SUCCEEDED').then(() => true)));
  if (isDone) await expectSecondRefused(', when the first one has SUCCEEDED');
  return true;
}

/**
 * Fails where a balance that a failed refund of such an order had used up covers more than one other or, with `isRule`, does not cover another
 * one. False where it is not covered and need not be, where such orders cannot be refunded, or their refunds do not fail.
 */
async function expectGivenBack(
  context: CheckContext,
  kind: OrderKind,
  usual: RefundOfKind,
  isRule: boolean,
): Promise<boolean> {
  const exact = await refundFrom(context, kind, usual.taken, 2);
  const [second, third] = exact?.further ?? [];
  if (!exact || !second || !third || compareDecimals(exact.taken, usual.taken) !== 0) return false;
  const { refund, taken } = exact;
  if ((await ifTaken(whereReached(bringRefundTo(context, refund, 'FAILED').then(() => true)))) !== true) return false;
  const refundOf = ({ orderId }: Pick<PaidOrder, 'orderId'>) => refund.client.create(refundRequest(context, orderId));
  const from = `from a balance of ${taken} ${kind.currency}, all of which one took that has FAILED`;
  const another = await refundOf(second);
  if (!isRule && !isTaken(another, `a refund of ${kind.words} ${from}`)) return false;
  expectAccepted(another, `a refund of ${kind.words} ${from}`, 'refunds.create.accepted');
  expectInsufficient(await refundOf(third), `one more refund of ${kind.words} ${from}, beside another one`);
  return true;
}

/** Whether what a refund of a usual order had reserved is given back when it has FAILED. */
async function isGivenBackUsually(context: CheckContext): Promise<boolean> {
  const usual = await refundFrom(context, usualKind, tooMuch, 0);
  return usual !== undefined && expectGivenBack(context, usualKind, usual, false);
}

/** In place of an id: the one that the merchant gave the order. */
const ofItsOrder = 'that of the order';

/** Ids for refunds that are easily taken for those of others. A target may refuse some of them, because of what an id of a refund is made is not said. */
async function confusableIds(context: CheckContext): Promise<string[]> {
  const [first, , inCase = first] = similarOrderIds(context);
  const elsewhere = await makeRefund(context, await context.ownMerchant());
  return [
    ...[first, inCase, elsewhere.request.merchantRefundOrderId],
    ...[inDigits(context.newOrderId()), context.newOrderId(), ofItsOrder],
  ];
}

/** Fails unless a balance that lacks a little covers all refunds but the last, under ids that are easily taken for those of others. */
async function expectReservedByEachName(context: CheckContext): Promise<void> {
  const usual = await refundFrom(context, usualKind, tooMuch, 0);
  if (!usual) throw new PermittedChoice('what a refund takes is not shown');
  const ids = await confusableIds(context);
  const covered = ids.length;
  const balance = subtractDecimals(addDecimals(Array.from({ length: covered + 1 }, () => usual.taken)), smallestOfAll);
  const merchant = await context.ownMerchant({ balances: { USDT: balance }, usdRate });
  const client = refundsClient(context, merchant);
  const refund = async (id?: string) => {
    const order = await makeOrderPaidAt(context, merchant);
    const ownId = id === ofItsOrder ? order.merchantOrderId : id;
    // A target may remember what was asked for before it was there.
    if (ownId !== undefined) await client.query({ merchantRefundOrderId: ownId });
    const answer = await client.create(
      refundRequest(context, order.orderId, ownId === undefined ? {} : { merchantRefundOrderId: ownId }),
    );
    return { answer, isMade: isAccepted(answer) && field(answer, 'data.acquiringOrderId') === order.orderId };
  };
  const words = `of refunds that take ${usual.taken} each, from ${balance} USDT, some of them under ids that are nearly those of others`;
  let made = 0;
  while (made < covered) {
    const id = ids.shift();
    const { answer, isMade } = await refund(id);
    if (id === undefined || isInsufficient(answer))
      expectAccepted(answer, `number ${made + 1} ${words}`, 'refunds.create.accepted');
    // Without this, more of the balance than is known would be taken.
    if (isMade && compareDecimals(shownDeduction(answer) ?? '0', usual.taken) !== 0) {
      throw new PermittedChoice('refunds of orders of one price do not take the same');
    }
    if (isMade) made += 1;
    else if (id === undefined) throw new Inconclusive('the answer to a refund shows another order than its own');
  }
  const { answer } = await refund();
  expectInsufficient(answer, `number ${covered + 1} ${words}`);
}

/** The currencies that only checkout orders have. */
const otherCurrencies = currencies.map(({ code }) => code).filter((code) => code !== 'USDT');

/** Fails where the end of a refund in another currency makes a balance of nothing in USDT cover a refund. False where there is no such refund. */
async function expectApart(
  context: CheckContext,
  currency: CurrencyCode,
  state: 'SUCCEEDED' | 'FAILED' | 'CLOSED',
): Promise<boolean> {
  const merchant = await context.ownMerchant({ balances: { [currency]: balanceForOne, USDT: '0' } });
  const order = await ifTaken(makePaidCheckoutOrder(context, merchant, currency, price));
  const refund = order && (await ifTaken(makeRefund(context, merchant, { order })));
  if (!refund || (await ifTaken(bringRefundTo(context, refund, state).then(() => true))) !== true) return false;
  const { orderId } = await makeOrderPaidAt(context, merchant);
  const answer = await refund.client.create(refundRequest(context, orderId));
  expectInsufficient(answer, `a refund in USDT, of which there is nothing, after one in ${currency} is ${state}`);
  return true;
}

const needs = ['order-events', 'own-merchant'] as const;

/** Balances where orders of other kinds, or in other currencies, are refunded. */
/** A price that a sandbox's balance covers a few times, and how many refunds of it a merchant makes at most. */
const [largePrice, mostOfThem] = ['300000', 4];

/** Fails when refunds of a merchant have used up the balance of another one that was made like it. */
async function expectBalancesApart(context: CheckContext): Promise<void> {
  const [first, other] = [await context.ownMerchant(), await context.ownMerchant()];
  const refund = async (merchant: Credentials) => {
    // How large a price may be is open.
    const order = await ifTaken(makeOrderPaidAt(context, merchant, largePrice));
    if (!order) throw new PermittedChoice(`no order of ${largePrice} USDT is made (open point orders-amount-limits)`);
    return refundsClient(context, merchant).create(refundRequest(context, order.orderId));
  };
  let made = 0;
  while (made < mostOfThem && isAccepted(await refund(first))) made += 1;
  if (made === 0) throw new PermittedChoice(`the balance of a merchant covers no refund of ${largePrice} USDT`);
  const answer = await refund(other);
  expectThat(!isInsufficient(answer), answer, {
    expected: `a merchant's first refund of ${largePrice} USDT is made, as ${made} were of another merchant that was made like it`,
    actual: summary(answer),
  });
}

export const refundsBalanceOfKindsChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.balance.of-each-merchant',
    title: "What a merchant's refunds take is not taken from the balance of another merchant that was made like it",
    requirements: ['refunds.create.accepted'],
    needs: ['order-events', 'own-merchant'],
    run: expectBalancesApart,
  },
  {
    id: 'refunds.balance.kinds-of-orders',
    mayCall: ['checkout'],
    long: true,
    title:
      'A balance that covers one refund of an order, whatever is refunded of it and in which currency, does not cover a second, and covers another one when the first has FAILED if that is so for usual orders',
    requirements: [
      'refunds.create.reserves-funds',
      'refunds.create.accepted',
      'refunds.errors.insufficient-balance',
      'refunds.errors.business',
    ],
    needs,
    async run(context) {
      const kinds = [...everyKind(context), ...ofNetworks, failedBefore];
      const isFailing = context.has('refund-events');
      // What is given back for usual orders, as the contract leaves open, is given back for the others.
      const isRule = isFailing ? isGivenBackUsually(context) : Promise.resolve(false);
      const judge = async (kind: OrderKind) => {
        const usual = await refundFrom(context, kind, tooMuch, 0);
        if (!usual) return false;
        const givenBack = async () => isFailing && expectGivenBack(context, kind, usual, await isRule);
        return (await sideBySide([expectReserved(context, kind, usual), givenBack()])).includes(true);
      };
      const [, ...judged] = await sideBySide([isRule, ...kinds.map(judge)]);
      if (!judged.includes(true)) throw new PermittedChoice('only hosted orders in USDT can be refunded here');
    },
  },
  {
    id: 'refunds.balance.names',
    long: true,
    title:
      "Each refund reserves its money, also under an id that differs from another one's in the case of one letter, that a refund of another merchant or its own order has, that is of digits, or that was asked for before",
    requirements: ['refunds.create.reserves-funds', 'refunds.errors.insufficient-balance', 'refunds.errors.business'],
    needs,
    run: expectReservedByEachName,
  },
  {
    id: 'refunds.balance.of-each-currency',
    title: 'What a refund in one currency takes or gives back changes no balance in another one',
    calls: ['checkout'],
    requirements: ['refunds.create.reserves-funds', 'refunds.errors.insufficient-balance', 'refunds.errors.business'],
    needs: [...needs, 'refund-events'],
    async run(context) {
      const judged = await sideBySide(
        otherCurrencies.flatMap((currency) =>
          (['SUCCEEDED', 'FAILED', 'CLOSED'] as const).map((state) => expectApart(context, currency, state)),
        ),
      );
      if (!judged.includes(true)) throw new PermittedChoice('checkout orders cannot be refunded here');
    },
  },
];
