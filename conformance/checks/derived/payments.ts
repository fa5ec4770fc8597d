import { ordersMachine, type RequirementId } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { amountFor, type PaymentMethod, paymentMethodsOf } from '../../arrange/checkout-orders/payment-methods.ts';
import {
  type AnyMadeOrder,
  bringOrderTo,
  notExpired,
  type Product,
  passSoon,
  payOrder,
} from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed, paymentOver } from '../../arrange/orders/payments.ts';
import { pollFor } from '../../arrange/requests/bring-to.ts';
import { furtherMeans, type Means, means } from '../../arrange/situations/means.ts';
import { awaitEnd, ifTaken, isFinal, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, needText, seenAt, statusOf } from '../../check/expect.ts';
import {
  addDecimals,
  compareDecimals,
  isDecimalText,
  shortestDecimal,
  subtractDecimals,
} from '../../contract/decimals.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { Inconclusive, NotApplicable, PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

// However an order is priced and paid, it moves as every other one does.

/** What happens to an order: `pay` and `payHalf` stand for the payment by the means at hand. */
type Happening = OrderStep | 'pay' | 'payHalf';

/** What happens to an order, and the statuses that it may show then. */
interface Course {
  words: string;
  requirement: RequirementId;
  /** The first two lead to the end, where there are as many; what follows must change nothing. */
  steps: readonly Happening[];
  /** What happens when its time has run out. Absent: its time does not run out. */
  afterExpiry?: readonly Happening[];
  ends: readonly string[];
}

const timedOut = { type: 'payment_failed', reason: 'timeout' } as const;
const erred = { type: 'payment_failed', reason: 'error' } as const;
const cancelled = { type: 'cancelled' } as const;

/** A payment that was seen is confirmed by some platforms before anything else can happen to it. */
const underWay = ['PROCESSING', 'SUCCEEDED'];

const courses: readonly Course[] = [
  {
    words: 'that the merchant cancels while it is being paid',
    requirement: 'orders.states.no-other-moves',
    steps: ['pay', cancelled],
    ends: underWay,
  },
  {
    words: 'that the merchant cancels when half of it is paid',
    requirement: 'orders.states.no-other-moves',
    steps: ['payHalf', cancelled],
    ends: ['PROCESSING', 'FAILED'],
  },
  { words: 'whose payment times out', requirement: 'orders.states.failed', steps: ['pay', timedOut], ends: ['FAILED'] },
  { words: 'whose payment goes wrong', requirement: 'orders.states.failed', steps: ['pay', erred], ends: ['FAILED'] },
  {
    words: 'whose payment went wrong and is confirmed nevertheless',
    requirement: 'orders.states.final',
    steps: ['pay', erred, confirmed],
    ends: ['FAILED'],
  },
  {
    words: 'whose payment is confirmed and times out afterwards',
    requirement: 'orders.states.final',
    steps: ['pay', confirmed, timedOut],
    ends: ['SUCCEEDED'],
  },
  {
    words: 'that is paid a second time while the first payment is under way',
    requirement: 'orders.states.confirmed',
    steps: ['pay', 'pay', confirmed],
    ends: ['SUCCEEDED'],
  },
  {
    words: 'of which half is paid',
    requirement: 'orders.states.failed',
    steps: ['payHalf', confirmed],
    ends: ['FAILED'],
  },
  {
    words: 'that was cancelled before',
    requirement: 'orders.states.final',
    steps: [cancelled, 'pay', confirmed],
    ends: ['CLOSED'],
  },
];

/** Courses in which time runs out. */
const coursesInTime: readonly Course[] = [
  {
    words: 'whose time had run out before',
    requirement: 'orders.states.final',
    steps: [],
    afterExpiry: ['pay', confirmed],
    ends: ['CLOSED'],
  },
  {
    words: 'whose time runs out while it is being paid',
    requirement: 'orders.states.no-other-moves',
    steps: ['pay'],
    afterExpiry: [],
    ends: [...underWay, 'FAILED'],
  },
  {
    words: 'whose time runs out when half of it is paid',
    requirement: 'orders.states.no-other-moves',
    steps: ['payHalf'],
    afterExpiry: [],
    ends: ['PROCESSING', 'FAILED'],
  },
];

const half = '4.75';

/** Whether an order has left INIT, which a payment that was seen makes it do. */
const isUnderWay = (answer: Answer): boolean => statusOf(answer) !== 'INIT';

/**
 * Lets one thing after the other happen to an order, each once the one before has shown its effect; an order that has ended shows none.
 * Which of them the driver has done, and none where a payment has shown no effect.
 */
async function letAllHappen(
  context: CheckContext,
  { product, merchant, orderId, query }: AnyMadeOrder,
  steps: readonly Happening[],
  { pay }: Means,
): Promise<readonly boolean[]> {
  const done: boolean[] = [];
  for (const [place, step] of steps.entries()) {
    const isPayment = typeof step === 'string';
    const event = isPayment ? pay(context, step === 'payHalf' ? half : undefined) : step;
    done.push((await context.orderEvent(merchant, orderId, event)).done);
    if (isPayment) {
      const seen = await pollFor(context, `${product} leave INIT by a payment`, query, isUnderWay);
      if (!isUnderWay(seen)) return steps.map(() => false);
    } else if (place < steps.length - 1) await pollFor(context, `${product} end after ${step.type}`, query, isFinal);
  }
  return done;
}

/** Lets every course happen to an order of each way to pay. Fails unless each ends as it must. */
async function expectCourses(context: CheckContext, merchant: Credentials, all: readonly Course[]): Promise<void> {
  const begun = await sideBySide(
    means.flatMap((each) =>
      all.map(async (course) => {
        const orderAmount = { value: '9.50', currency: each.currency };
        const order = await makeOrder(context, merchant, { orderAmount });
        const [first = true, second = true] = await letAllHappen(context, order, course.steps, each);
        // Not every driver pays in every way.
        return first ? [{ each, course, order, isLed: second }] : [];
      }),
    ),
  );
  const going = begun.flat();
  if (going.length === 0) throw new Inconclusive('the driver paid no order');
  if (all.some(({ afterExpiry }) => afterExpiry)) await passSoon(context, merchant);
  await sideBySide(
    going.map(async ({ each, course: { words, requirement, afterExpiry, ends }, order, isLed }) => {
      if (afterExpiry && afterExpiry.length > 0) {
        // An order whose end nobody has seen may still be paid: how soon it closes is not said.
        if (!isFinal(await awaitEnd(context, order))) throw notExpired(order.product, await order.query());
        await letAllHappen(context, order, afterExpiry, each);
      }
      const answer = ends.includes('PROCESSING') ? await order.query() : await awaitEnd(context, order);
      const hasEnded = ends.includes(String(statusOf(answer)));
      // A platform may have moved an order on by itself before the driver could.
      if (!hasEnded && !isLed) return;
      expectThat(hasEnded, answer, {
        expected: `an order ${each.words}, ${words}: data.status = ${ends.join(' or ')}`,
        actual: seenAt(answer, 'data.status'),
        requirement,
      });
    }),
  );
}

/** How many bits whole numbers have in which amounts are kept, and how many decimal places these count. */
const beyondBits = [
  [32, 2],
  [64, 2],
  [64, 6],
  [64, 8],
  [128, 18],
] as const;

/** The smallest whole amount that such a number does not hold: what is left of it there is less than 1. */
const justBeyond = (bits: number, places: number): string => String(2n ** BigInt(bits) / 10n ** BigInt(places) + 1n);

/** What a confirmed payment leads an order to. */
type PaymentEnd = 'SUCCEEDED' | 'FAILED';

/** Prices of hosted orders and what is paid for them: one is the greater number, and not always the longer text or the later one in an alphabet. */
const compared: readonly (readonly [price: string, paid: string, end: PaymentEnd])[] = [
  ['10.0', '9.50', 'FAILED'],
  ['10.25', '9.999', 'FAILED'],
  ['9.999', '10.25', 'SUCCEEDED'],
  ['20', '3', 'FAILED'],
  ['100', '99.5', 'FAILED'],
  ['1234.5600', '999.99', 'FAILED'],
  ['9.50', '9.4999', 'FAILED'],
  ['9.50', '10.0', 'SUCCEEDED'],
  ['9.99', '10', 'SUCCEEDED'],
  ['20', '100', 'SUCCEEDED'],
  ['99.5', '100', 'SUCCEEDED'],
  ['9.50', '9.5', 'SUCCEEDED'],
  ['9.50', '9.499999', 'FAILED'],
  // A number of 64 bits has no digits for the difference.
  ['12345678901234567.89', '12345678901234567.88', 'FAILED'],
  // Decimal numbers of 28 digits, which several libraries take unless told otherwise, have none for this one.
  ['12345678901.123456789012345678', '12345678901.123456789012345677', 'FAILED'],
  ...beyondBits.map(([bits, places]) => [justBeyond(bits, places), '1', 'FAILED'] as const),
];

async function expectCompared(
  context: CheckContext,
  merchant: Credentials,
  [price, paid, end]: (typeof compared)[number],
): Promise<void> {
  // How large a price may be is not said.
  const order = await ifTaken(makeOrder(context, merchant, { orderAmount: { value: price, currency: 'USDT' } }));
  if (!order) return;
  await payOrder(context, order, paid);
  await context.orderEvent(merchant, order.orderId, confirmed);
  const answer = await awaitEnd(context, order);
  await needPaymentsSeen(context, order, answer);
  expectThat(statusOf(answer) === end, answer, {
    expected: `${paid} USDT for an order of ${price} USDT: data.status = ${end}`,
    actual: seenAt(answer, 'data.status'),
    requirement: end === 'FAILED' ? 'orders.states.failed' : 'orders.states.confirmed',
  });
}

/** The price of the orders that are compared at a rate. What it comes to has no more than two places, so that nothing is rounded. */
const ratedPrice = '9.60';

/** Rates, what an order in USD comes to at each, and payments beside the price. A price in USDT has no rate. */
const rated: readonly {
  usdRate: string;
  due: string;
  currency: Means['currency'];
  payments: readonly (readonly [paid: string, end: PaymentEnd])[];
}[] = [
  {
    usdRate: '1.25',
    due: '12',
    currency: 'USD',
    payments: [
      [ratedPrice, 'FAILED'],
      ['11.999999', 'FAILED'],
    ],
  },
  { usdRate: '1.25', due: ratedPrice, currency: 'USDT', payments: [[ratedPrice, 'SUCCEEDED']] },
  {
    usdRate: '0.8',
    due: '7.68',
    currency: 'USD',
    payments: [
      ['7.68', 'SUCCEEDED'],
      ['7.679999', 'FAILED'],
    ],
  },
  { usdRate: '0.8', due: ratedPrice, currency: 'USDT', payments: [['9.599999', 'FAILED']] },
];

/** Lets an order be paid by a means at a rate. Fails unless it comes to that end. Whether the driver has done it. */
async function expectRated(
  context: CheckContext,
  merchant: Credentials,
  { words, currency, pay }: Means,
  { usdRate, due }: (typeof rated)[number],
  [paid, end]: (typeof rated)[number]['payments'][number],
): Promise<boolean> {
  const order = await makeOrder(context, merchant, { orderAmount: { value: ratedPrice, currency } });
  const outcome = await context.orderEvent(merchant, order.orderId, pay(context, paid));
  // Not every driver pays in every way, or sets the rate.
  const isSet = outcome.done && (outcome.due === undefined || isSameAmount(outcome.due.value, due));
  if (!isSet) return false;
  await context.orderEvent(merchant, order.orderId, confirmed);
  const answer = await awaitEnd(context, order);
  expectThat(statusOf(answer) === end, answer, {
    expected: `${paid} USDT for an order of ${ratedPrice} ${words} at a rate of ${usdRate}: data.status = ${end}`,
    actual: seenAt(answer, 'data.status'),
    requirement: end === 'FAILED' ? 'orders.states.failed' : 'orders.states.confirmed',
  });
  return true;
}

/** Whether the driver sets the rate of a new merchant, as an order shows that was paid what it came to. */
async function setsRate(context: CheckContext, merchant: Credentials, due: string): Promise<boolean> {
  const order = await makeOrder(context, merchant, { orderAmount: { value: ratedPrice, currency: 'USD' } });
  const outcome = await context.orderEvent(merchant, order.orderId, { type: 'transaction_detected' });
  if (!outcome.done) throw new Inconclusive(`the driver did not pay the order: ${outcome.message}`);
  if (outcome.due) return isSameAmount(outcome.due.value, due);
  await context.orderEvent(merchant, order.orderId, confirmed);
  const paid = field(await awaitEnd(context, order), 'data.cryptoPaidAmount.value');
  return typeof paid === 'string' && isSameAmount(paid, due);
}

const isSameAmount = (one: string, other: string): boolean =>
  isDecimalText(one) && isDecimalText(other) && compareDecimals(one, other) === 0;

/** An amount that lacks a cent of what a checkout order costs. */
const lessACent = (due: string) => subtractDecimals(due, '0.01');

/**
 * Throws `Inconclusive` where an answer shows an order as if nothing had been paid of it, and a payment of what is due is not seen either: then it
 * says nothing that too small a payment was not.
 */
async function needPaymentsSeen(context: CheckContext, order: AnyMadeOrder, answer: Answer): Promise<void> {
  if (statusOf(answer) === ordersMachine.initial) await bringOrderTo(context, order, 'PROCESSING');
}

async function expectTooLittle(context: CheckContext, merchant: Credentials, method: PaymentMethod): Promise<void> {
  const { currency, network } = method;
  const orderAmount = { value: amountFor(method), currency };
  const order = await makeCheckoutOrder(context, merchant, { orderAmount, network });
  const due = needText(order.created, 'data.cryptoPaymentAmount.value');
  const { done } = await context.orderEvent(merchant, order.orderId, paymentOver(context, network, lessACent(due)));
  if (!done) throw new Inconclusive('the driver did not pay the order');
  await context.orderEvent(merchant, order.orderId, confirmed);
  const answer = await awaitEnd(context, order);
  await needPaymentsSeen(context, order, answer);
  expectThat(statusOf(answer) === 'FAILED', answer, {
    expected: `${lessACent(due)} ${currency} over ${network} where ${due} is due: data.status = FAILED`,
    actual: seenAt(answer, 'data.status'),
  });
}

/** Decimal places of prices, of which a target may refuse some: all that a payment can have, and those that every stablecoin has. */
const placesOfPrices = [18, 6];

/** The last of so many decimal places, `times` over. */
const lastPlace = (places: number, times: number): string => `0.${String(times).padStart(places, '0')}`;

/**
 * Lets an order be paid less than is due by the last decimal place that the target counts, where it counts so many, and another one exactly. Fails
 * unless the first fails and the second is paid. False where such a price or payment is refused, or the driver has paid another amount.
 */
async function expectJudgedByLastPlace(
  context: CheckContext,
  merchant: Credentials,
  method: PaymentMethod,
  places: number,
): Promise<boolean> {
  const { currency, network } = method;
  const value = [amountFor(method), method.minAmount]
    .map((amount) => addDecimals([amount, lastPlace(places, 2)]))
    .find((amount) => compareDecimals(amount, method.maxAmount) <= 0);
  if (value === undefined) return false;
  const by: Pick<Means, 'words' | 'pay'> = {
    words: `in ${currency} that is paid over ${network}`,
    pay: (_, amount) => paymentOver(context, network, amount),
  };
  const payWith = async (paidOf: (due: string) => string, end: PaymentEnd) => {
    const order = await ifTaken(makeCheckoutOrder(context, merchant, { orderAmount: { value, currency }, network }));
    const due = order && needText(order.created, 'data.cryptoPaymentAmount.value');
    // A target may count fewer places, or add a fee that has more.
    if (!order || !isDecimalText(due) || shortestDecimal(due).split('.')[1]?.length !== places) return false;
    return expectEndOfPayment(context, order, by, { paid: paidOf(due), due, end });
  };
  if (!(await payWith((due) => subtractDecimals(due, lastPlace(places, 1)), 'FAILED'))) return false;
  return payWith((due) => due, 'SUCCEEDED');
}

/** The same with as many decimal places as the target counts of those that prices have. Where it counts none of them, nothing is judged. */
async function expectJudgedByAnyPlace(context: CheckContext, merchant: Credentials, method: PaymentMethod) {
  for (const places of placesOfPrices) {
    if (await expectJudgedByLastPlace(context, merchant, method, places)) return;
  }
}

const requirementsOfEnds = {
  orders: { SUCCEEDED: 'orders.states.confirmed', FAILED: 'orders.states.failed' },
  checkout: { SUCCEEDED: 'checkout.payment-rule', FAILED: 'checkout.payment-rule' },
} as const satisfies Record<Product, Record<PaymentEnd, RequirementId>>;

/** Pays an order, of which `due` is due. Fails unless it comes to `end`. False where the driver refuses the payment, or has paid another amount. */
async function expectEndOfPayment(
  context: CheckContext,
  order: AnyMadeOrder,
  { words, pay }: Pick<Means, 'words' | 'pay'>,
  { paid, due, end }: { paid: string; due: string; end: PaymentEnd },
): Promise<boolean> {
  const { product, merchant, orderId } = order;
  const outcome = await context.orderEvent(merchant, orderId, pay(context, paid));
  if (!outcome.done) return false;
  const [made = paid, owed = due] = [outcome.payment?.amount, outcome.due?.value];
  if (!isSameAmount(made, paid) || !isSameAmount(owed, due)) return false;
  await context.orderEvent(merchant, orderId, confirmed);
  const answer = await awaitEnd(context, order);
  await needPaymentsSeen(context, order, answer);
  expectThat(statusOf(answer) === end, answer, {
    expected: `${paid} for an order ${words}, for which ${due} is due: data.status = ${end}`,
    actual: seenAt(answer, 'data.status'),
    requirement: requirementsOfEnds[product][end],
  });
  return true;
}

/** A price of a hosted order, and less than that by the last decimal place. */
const [precisePrice, lessThanPrecise] = ['9.500000000000000002', '9.500000000000000001'];

/** The same for hosted orders that are paid by these means. Where the target does not count so many places, nothing is judged. */
async function expectPreciselyJudged(context: CheckContext, merchant: Credentials, each: Means) {
  const orderAmount = { value: precisePrice, currency: each.currency };
  for (const [paid, end] of [
    [lessThanPrecise, 'FAILED'],
    [precisePrice, 'SUCCEEDED'],
  ] as const) {
    const order = await ifTaken(makeOrder(context, merchant, { orderAmount }));
    if (!order || !(await expectEndOfPayment(context, order, each, { paid, due: precisePrice, end }))) return;
  }
}

export const paymentChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.payments.courses',
    title: 'Hosted orders come to the same ends in both currencies, over every network and from each exchange',
    requirements: [
      'orders.states.failed',
      'orders.states.confirmed',
      'orders.states.no-other-moves',
      'orders.states.final',
    ],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant({ usdRate: '1' });
      await expectCourses(context, merchant, courses);
    },
  },
  {
    id: 'orders.payments.compared',
    title: 'What was paid is compared with the price as a number',
    requirements: ['orders.states.failed', 'orders.states.confirmed'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      // What a price in USD comes to has six places.
      const inUsdt = [...means, ...furtherMeans].filter(({ currency }) => currency === 'USDT');
      await sideBySide([
        ...compared.map((each) => expectCompared(context, merchant, each)),
        ...inUsdt.map((each) => expectPreciselyJudged(context, merchant, each)),
      ]);
    },
  },
  {
    id: 'orders.payments.rated',
    title:
      'What was paid over each network and from each exchange is compared with what the price comes to at the rate',
    requirements: ['orders.states.failed', 'orders.states.confirmed'],
    needs: ['order-events', 'own-merchant'],
    async run(context) {
      const judged = await sideBySide(
        ['1.25', '0.8'].map(async (usdRate) => {
          const merchant = await context.ownMerchant({ usdRate });
          const cases = rated.filter((each) => each.usdRate === usdRate);
          const inUsd = cases.find(({ currency }) => currency === 'USD');
          if (inUsd && !(await setsRate(context, merchant, inUsd.due))) return [];
          return sideBySide(
            cases.flatMap((each) =>
              means
                .filter(({ currency }) => currency === each.currency)
                .flatMap((by) => each.payments.map((payment) => expectRated(context, merchant, by, each, payment))),
            ),
          );
        }),
      );
      if (!judged.flat().includes(true)) throw new NotApplicable('the driver sets no rate');
    },
  },
  {
    id: 'orders.payments.in-time',
    title: 'The end of their time closes hosted orders, and none that is being paid, however they are paid',
    requirements: ['orders.states.final', 'orders.states.no-other-moves'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      await expectCourses(context, merchant, coursesInTime);
    },
  },
  {
    id: 'checkout.payments.too-little',
    title:
      'A checkout order that is paid too little, by a cent or by the last decimal place, becomes FAILED, and one that is paid exactly does not, in every currency and over every network',
    requirements: ['checkout.payment-rule'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const methods = await paymentMethodsOf(checkoutClient(context, merchant));
      if (methods.length === 0) throw new PermittedChoice('the merchant has no payment method');
      await sideBySide(
        methods.flatMap((method) => [
          expectTooLittle(context, merchant, method),
          expectJudgedByAnyPlace(context, merchant, method),
        ]),
      );
    },
  },
];
