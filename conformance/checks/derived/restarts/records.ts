import type { RequirementId } from '../../../../generated/catalogue-ids.ts';
import {
  checkoutMerchant,
  checkoutRequest,
  makeCheckoutOrder,
} from '../../../arrange/checkout-orders/checkout-orders.ts';
import { type CheckoutOrderCreateRequest, checkoutClient } from '../../../arrange/checkout-orders/client.ts';
import { preciseAmountFor } from '../../../arrange/checkout-orders/payment-methods.ts';
import { type OrderCreateRequest, ordersClient } from '../../../arrange/orders/client.ts';
import { orderRequest, ordinaryAmount } from '../../../arrange/orders/orders.ts';
import { exchanges } from '../../../arrange/orders/payments.ts';
import { refundsClient } from '../../../arrange/refunds/client.ts';
import { makeOrderPaidFrom, makePaidOrder } from '../../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, makeRefund, refundRequest } from '../../../arrange/refunds/refunds.ts';
import { amidRestart, sendOnce } from '../../../arrange/situations/restarts.ts';
import { ifTaken, whereReached } from '../../../arrange/situations/situations.ts';
import type { CheckContext } from '../../../check/context.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectAmount, expectField, expectThat, isAccepted, seenAt, summary } from '../../../check/expect.ts';
import { isDecimalText } from '../../../contract/decimals.ts';
import { instantOf } from '../../../contract/moments.ts';
import { show } from '../../../contract/show.ts';
import type { Credentials } from '../../../drivers/driver.ts';
import { Inconclusive } from '../../../errors/outcomes.ts';
import { type Answer, field } from '../../../wire/exchange.ts';

/** How many orders a check begins to make at most while the target ends. */
const manyOrders = 30;

/** How many refunds a check begins to make at most while the target ends. */
export const manyRefunds = 6;

/** A price with more digits than a store of floating-point numbers gives back. */
const precisePrice = '12.345678901234567891';

/** The price of the orders whose refunds are counted. */
export const { value: price } = ordinaryAmount;

/** So many items, each made anew. */
export const repeated = <Item>(count: number, item: () => Item): Item[] => Array.from({ length: count }, item);

/** JSON text that no writer of JSON writes so. */
const laidOut = '{ "parcel" : "7",  "weight" : 1.50 }';

/** JSON text that is longer than a column of 255 characters, and longer than most. A target may take less. */
const longText = JSON.stringify({ parcels: 'seven of them, '.repeat(80) });

/** Two ids that differ in the case of one letter only. */
function idsOfBothCases(context: CheckContext): readonly [string, string] {
  const id = context.newOrderId();
  return [`${id}-a`, `${id}-A`];
}

/** A time of expiry as another zone than UTC writes it, which a target may refuse. */
const inAnotherZone = (context: CheckContext) => ({
  expiresAt: new Date(context.now() + 3 * 3_600_000).toISOString().replace('Z', '+02:00'),
});

/** Makes so many orders that are paid, in USDT. */
export const paidOrders = (context: CheckContext, merchant: Credentials, count: number, value: string = price) =>
  Promise.all(repeated(count, () => makePaidOrder(context, merchant, { orderAmount: { value, currency: 'USDT' } })));

/** A create that is sent while the target ends. */
export interface Creation {
  create(): Promise<Answer>;
  query(): Promise<Answer>;
  /** Asks for the record under another id than its merchant's, if it is found so: the one that the platform gave it, or that of its order. */
  queryOtherwise?(created: Answer): Promise<Answer>;
}

/** The records of one kind, made by creates. */
export interface Records {
  area: 'orders' | 'checkout' | 'refunds';
  noun: string;
  needs: CheckDeclaration['needs'];
  /** The field with the platform's id. */
  id: string;
  /** Fields that stay as they were shown: amounts, texts and times. */
  amounts: readonly string[];
  texts: readonly string[];
  times: readonly string[];
  /** The fields that only a final state shows. `numbersOfEnd` may grow, but are not lost. */
  amountsOfEnd: readonly string[];
  textsOfEnd: readonly string[];
  timesOfEnd: readonly string[];
  numbersOfEnd: readonly string[];
  /** Texts of the merchant's own, which only a create can give. */
  ofMerchant: readonly string[];
  /** Prepares creates of a merchant of their own, which would be accepted. */
  prepare(context: CheckContext): Promise<Creation[]>;
  /** Makes records that come to an end before the restart, each of whose creates makes no second one afterwards. */
  prepareEnded?(context: CheckContext): Promise<(Creation & { made: Answer })[]>;
}

/** The paths of these fields of a payment. */
const detailed = (...names: readonly string[]) => names.map((name) => `data.cryptoPaymentDetail.${name}`);

/** Hosted orders. */
const hostedRecords: Records = {
  area: 'orders',
  noun: 'hosted order',
  needs: [],
  id: 'data.orderId',
  amounts: ['data.orderAmount.value'],
  texts: ['data.merchantId', 'data.merchantOrderId', 'data.checkoutUrl', 'data.orderAmount.currency'],
  times: ['data.createdAt', 'data.expiresAt'],
  amountsOfEnd: ['data.cryptoPaidAmount.value'],
  textsOfEnd: ['data.cryptoPaidAmount.currency', ...detailed('txHash', 'network', 'fromAddress', 'toAddress')],
  timesOfEnd: ['data.paidAt'],
  numbersOfEnd: detailed('confirmations', 'blockNumber'),
  ofMerchant: [],
  async prepare(context) {
    const newClient = async () => ordersClient(context, await context.ownMerchant());
    const [client, other] = await Promise.all([newClient(), newClient()]);
    const creation = (changes: Partial<OrderCreateRequest> = {}, by = client): Creation => {
      const orderAmount = { value: precisePrice, currency: 'USDT' } as const;
      const request = orderRequest(context, { orderAmount, ...changes });
      return {
        create: () => by.create(request),
        query: () => by.query(request.merchantOrderId),
        queryOtherwise: (created) => by.query(String(field(created, 'data.orderId'))),
      };
    };
    const shared = { merchantOrderId: context.newOrderId() };
    // Two merchants may have one id, and so may orders of both products.
    const namesake = context.has('checkout') && (await ifTaken(makeCheckoutOrder(context, client.merchant)));
    const first = [
      ...[creation(), creation(shared), creation(shared, other), creation(inAnotherZone(context))],
      ...idsOfBothCases(context).map((merchantOrderId) => creation({ merchantOrderId })),
      ...(namesake ? [creation({ merchantOrderId: namesake.request.merchantOrderId })] : []),
    ];
    return [...first, ...repeated(manyOrders - first.length, () => creation())];
  },
};

/** Checkout orders. */
const checkoutRecords: Records = {
  area: 'checkout',
  noun: 'checkout order',
  needs: [],
  id: 'data.orderId',
  amounts: ['data.orderAmount.value', 'data.cryptoPaymentAmount.value'],
  texts: [
    'data.merchantId',
    'data.merchantOrderId',
    'data.depositAddress',
    'data.network',
    'data.networkDisplayName',
    'data.orderAmount.currency',
    'data.cryptoPaymentAmount.currency',
    // The contract lets a view leave metadata out.
    'data.metadata',
  ],
  times: ['data.createdAt', 'data.expiresAt'],
  amountsOfEnd: ['data.cryptoPaidAmount.value', ...detailed('amount')],
  textsOfEnd: [
    'data.cryptoPaidAmount.currency',
    ...detailed('transactionHash', 'network', 'cryptoCurrency', 'fromAddress', 'toAddress'),
  ],
  timesOfEnd: ['data.paidAt'],
  numbersOfEnd: detailed('confirmations', 'requiredConfirmations'),
  ofMerchant: ['data.metadata'],
  async prepare(context) {
    const { client, method } = await checkoutMerchant(context, await context.ownMerchant());
    const precise = { orderAmount: { value: preciseAmountFor(method), currency: method.currency } };
    // How many decimal places an amount may have is not said.
    const isTaken = isAccepted(await client.create(checkoutRequest(context, method, precise)));
    const other = checkoutClient(context, await context.ownMerchant());
    const creation = (changes: Partial<CheckoutOrderCreateRequest> = {}, by = client): Creation => {
      const metadata = laidOut;
      const request = checkoutRequest(context, method, { ...(isTaken && precise), metadata, ...changes });
      return { create: () => by.create(request), query: () => by.query(request.merchantOrderId) };
    };
    const shared = { merchantOrderId: context.newOrderId() };
    const first = [
      ...[creation(), creation(shared), creation(shared, other), creation(inAnotherZone(context))],
      ...idsOfBothCases(context).map((merchantOrderId) => creation({ merchantOrderId })),
      // Letters beyond ASCII may be refused.
      creation({ metadata: '{"gift":"a \u{1f381} for Zo\u00eb"}' }),
      creation({ metadata: longText }),
    ];
    return [...first, ...repeated(manyOrders - first.length, () => creation())];
  },
};

/** Refunds. */
const refundRecords: Records = {
  area: 'refunds',
  noun: 'refund',
  needs: ['order-events'],
  id: 'data.refundOrderId',
  amounts: ['data.refundAmount'],
  texts: [
    ...['data.merchantRefundOrderId', 'data.acquiringOrderId', 'data.merchantOrderId'],
    ...['data.refundCurrency', 'data.paymentMethod', 'data.extraData'],
  ],
  times: ['data.createdTime'],
  amountsOfEnd: ['data.merchantDeductAmount'],
  textsOfEnd: ['data.errorCode', 'data.errorMessage'],
  timesOfEnd: ['data.completedTime', 'data.failedTime', 'data.closedTime'],
  numbersOfEnd: [],
  ofMerchant: ['data.extraData'],
  async prepare(context) {
    const merchant = await context.ownMerchant();
    const [plain, precise = [], ...exchanged] = await Promise.all([
      paidOrders(context, merchant, manyRefunds / 2),
      // A driver may pay no such amount, and not from every exchange.
      ifTaken(paidOrders(context, merchant, manyRefunds / 2, precisePrice)),
      ...exchanges.map((exchange) => ifTaken(whereReached(makeOrderPaidFrom(context, merchant, exchange)))),
    ]);
    // The first of them is refunded after the restart, the second one before it, and the others while the target ends.
    const fromExchanges = exchanged.flatMap((each) => each ?? []).toReversed();
    const orders = [...plain.slice(0, 1), ...fromExchanges, ...plain.slice(1), ...precise];
    const [first, second] = idsOfBothCases(context);
    const ids = [undefined, first, second];
    return orders.map(({ orderId }, index) => refundCreation(context, merchant, orderId, ids[index]));
  },
  async prepareEnded(context) {
    if (!context.has('refund-events')) return [];
    const merchant = await context.ownMerchant();
    const ended = (['SUCCEEDED', 'FAILED', 'CLOSED'] as const).map(async (state) => {
      // How long extraData may be is not said.
      const refund =
        (await ifTaken(makeRefund(context, merchant, { extraData: longText }))) ??
        (await makeRefund(context, merchant, { extraData: '{"parcel":"8"}' }));
      await bringRefundTo(context, refund, state);
      const { client, order, request, created, query } = refund;
      // An order may have a second refund when the first one has come to nothing, and by the order's id the first one is found.
      if (state !== 'SUCCEEDED') await ifTaken(makeRefund(context, merchant, { order }));
      const queryOtherwise = () => client.query({ acquiringOrderId: request.acquiringOrderId });
      return { made: created, create: () => client.create(request), query, queryOtherwise };
    });
    // Which states a refund comes to is open in part.
    return (await Promise.all(ended.map(ifTaken))).flatMap((each) => each ?? []);
  },
};

/** The records of each area. */
export const recordsOf = { orders: hostedRecords, checkout: checkoutRecords, refunds: refundRecords };

/** A create of a refund of an order, under the id where one is given. */
export function refundCreation(context: CheckContext, merchant: Credentials, orderId: string, id?: string): Creation {
  const client = refundsClient(context, merchant);
  const request = refundRequest(context, orderId, {
    extraData: laidOut,
    ...(id !== undefined && { merchantRefundOrderId: id }),
  });
  const { merchantRefundOrderId } = request;
  return {
    create: () => client.create(request),
    query: () => client.query({ merchantRefundOrderId }),
    queryOtherwise: () => client.query({ acquiringOrderId: orderId }),
  };
}

/**
 * Sends creates while the target ends. The first of them shows before that creates are accepted; `go` does something with what it has made,
 * before the target ends.
 */
export async function createAmidRestart(
  context: CheckContext,
  creations: readonly Creation[],
  go: (created: Answer) => Promise<unknown> = () => Promise.resolve(),
) {
  const [first, ...others] = creations;
  if (!first) throw new Inconclusive('there is nothing to create');
  const result = await first.create();
  if (!isAccepted(result)) throw new Inconclusive(`a create was not accepted: ${summary(result)}`);
  await go(result);
  const outcomes = await amidRestart(context, others, ({ create }) => sendOnce(create), first.query);
  return [{ task: first, result }, ...outcomes];
}

/** Fails unless the answer shows the record with this platform id; `expected` says which. */
export function expectRecord(
  answer: Answer,
  { id, noun }: Records,
  platformId: unknown,
  expected: string,
  requirement?: RequirementId,
): void {
  const shown = isAccepted(answer) ? `${id} = ${show(field(answer, id))}` : summary(answer);
  expectThat(isAccepted(answer) && field(answer, id) === platformId, answer, {
    expected: `${expected}: the ${noun} with ${id} = ${show(platformId)}`,
    actual: shown,
    ...(requirement && { requirement }),
  });
}

/** The step of the last digit that a time shows, in milliseconds: a store may keep fewer digits than were shown before. */
const stepOf = (time: string) => Math.max(1, 1000 / 10 ** (/\.(\d+)/.exec(time)?.[1]?.length ?? 0));

/**
 * Fails unless the answer shows the same times as another one of the same record has shown, at each path where both show one. That a time is
 * missing, or is none, breaks another sentence.
 */
function expectSameTimes(
  answer: Answer,
  paths: readonly string[],
  before: Answer,
  step: (then: string, now: string) => number = (...times) => Math.max(...times.map(stepOf)),
): void {
  for (const path of paths) {
    const [then, now] = [String(field(before, path)), String(field(answer, path))];
    const apart = Math.abs(instantOf(then) - instantOf(now));
    if (Number.isNaN(apart)) continue;
    expectThat(apart <= step(then, now), answer, {
      expected: `${path} = ${then}, as before the restart`,
      actual: `${path} = ${now}`,
      requirement: 'general.restart.acknowledged',
    });
  }
}

/** Fails unless the answer shows the same amounts, texts and times as another one has shown of the same record, at these paths. */
export function expectAsShown(
  answer: Answer,
  { amounts, texts, times }: Pick<Records, 'amounts' | 'texts' | 'times'>,
  before: Answer,
): void {
  const requirement = 'general.restart.acknowledged';
  for (const path of amounts) {
    const amount = field(before, path);
    // What is no decimal text breaks another sentence, which a restart has no part in.
    if (isDecimalText(amount)) expectAmount(answer, path, amount, requirement);
    else expectField(answer, path, amount, requirement);
  }
  for (const path of texts) {
    const text = field(before, path);
    if (!isSameReference(text, field(answer, path))) expectField(answer, path, text, requirement);
  }
  expectSameTimes(answer, times, before);
}

/** Hashes and addresses in hexadecimal may be written in either case. */
const isSameReference = (one: unknown, other: unknown): boolean =>
  [one, other].every((text) => typeof text === 'string' && /^0x[0-9a-f]+$/i.test(text)) &&
  String(one).toLowerCase() === String(other).toLowerCase();

/**
 * Fails unless the answer, after the restart, shows everything that another one has shown of the same record in the same state before it: what
 * it is, and where that state is final what it came to. What was not shown before may have come since.
 */
export function expectAllAsShown(answer: Answer, records: Records, before: Answer): void {
  const hasShown = (path: string) => (field(before, path) ?? null) !== null;
  const shown = (...paths: readonly string[]) => paths.filter(hasShown);
  const [times, numbers] = [shown(...records.times, ...records.timesOfEnd), shown(...records.numbersOfEnd)];
  // Both answers are to queries, so that no digits are lost between what makes a record and what shows it.
  expectSameTimes(answer, times, before, stepOf);
  for (const path of records.ofMerchant) {
    // What is not there may be shown as null, or as empty text.
    expectThat(hasShown(path) || !field(answer, path), answer, {
      expected: `no ${path}, as before the restart`,
      actual: seenAt(answer, path),
      requirement: 'general.restart.acknowledged',
    });
  }
  expectAsShown(
    answer,
    {
      amounts: shown(...records.amounts, ...records.amountsOfEnd),
      texts: shown(...records.texts, ...records.textsOfEnd),
      times,
    },
    before,
  );
  for (const path of [...times, ...numbers]) {
    expectThat((field(answer, path) ?? null) !== null, answer, {
      expected: `${path} is there, as before the restart, when it was ${show(field(before, path))}`,
      actual: seenAt(answer, path),
      requirement: 'general.restart.acknowledged',
    });
  }
}
