import type { RequirementId } from '../../../generated/catalogue.ts';
import { orderStates } from '../../arrange/orders/any-order.ts';
import { confirmed, exchanges } from '../../arrange/orders/payments.ts';
import { bringAnyOrderTo, checkoutOrders, hostedOrders, type ProductArrangement } from '../../arrange/products.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  type MadeRefund,
  makeRefund,
  refundRequest,
  standingRefund,
  unrefundedOrder,
} from '../../arrange/refunds/refunds.ts';
import { ifTaken, letHappen, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, expectThat, isAccepted, statusOf } from '../../check/expect.ts';
import { isObject } from '../../contract/json.ts';
import { jsonDecoded } from '../../contract/readings.ts';
import { show } from '../../contract/show.ts';
import { shortestTellingId } from '../../contract/telling-ids.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { mixesCases } from '../../values/parameters.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { askedAgain, expectNoLastingFailure } from '../support/failures.ts';

/** The ids of a record. */
interface KindIds {
  /** What it is, with its article, for messages. */
  words: string;
  platform: string;
  own: string;
}

/** Makes an order of a merchant in every state that the target has. None where it does not have the product. */
function ordersInEachState(
  context: CheckContext,
  merchant: Credentials,
  { product, aNoun, make }: ProductArrangement,
): Promise<KindIds[]> {
  if (!context.has(product)) return Promise.resolve([]);
  const states = context.has('order-events') ? orderStates : (['INIT'] as const);
  return sideBySide(
    states.map(async (state) => {
      const order = await make(context, merchant);
      await whereReached(bringAnyOrderTo(context, order, state));
      const words = `${aNoun} that was brought to ${state}`;
      return { words, platform: order.orderId, own: order.request.merchantOrderId };
    }),
  );
}

/** Makes a refund. `undefined` where the target has none, or nothing can be paid. */
async function anyRefund(context: CheckContext, merchant: Credentials): Promise<MadeRefund | undefined> {
  const canBeMade = context.has('refunds') && context.has('paid-order') && context.has('order-events');
  return canBeMade ? makeRefund(context, merchant) : undefined;
}

/**
 * Fails when an answer names one of the `ids` of a record, which is no part of the one that was asked for: a platform may make its own id of a
 * merchant's. A short one may stand there by chance.
 */
function expectNotNamed(answer: Answer, asked: string, ids: readonly string[], words: string): void {
  const text = jsonDecoded(answer.text);
  const named = ids.find((id) => !asked.includes(id) && id.length >= shortestTellingId && text.includes(id));
  expectThat(named === undefined, answer, {
    expected: `a refusal, or at least nothing of ${words}`,
    actual: `the answer names ${named}`,
  });
}

/** A query for an order of one product does not show orders of the other one in any state, nor refunds. */
const queryCheck = (
  { product, aNoun, make, client }: ProductArrangement,
  other: ProductArrangement,
  requirement: RequirementId,
): CheckDeclaration => ({
  id: `${product}.query.ids-of-others`,
  mayCall: ['checkout'],
  title: `A query for ${aNoun} under the id of an order of the other product in any state, or of a refund, does not show that`,
  requirements: [requirement],
  async run(context) {
    const merchant = await context.ownMerchant();
    const [orders, refund] = await Promise.all([
      ordersInEachState(context, merchant, other),
      anyRefund(context, merchant),
    ]);
    if (orders.length === 0 && !refund) throw new NotApplicable('nothing else can be made that has an id');
    const right = await make(context, merchant);
    const query = (id: string) => askedAgain(context, () => client(context, merchant).query(id), right.query);
    const expectNotShown = (answer: Answer, asked: string, hidden: string, words: string) => {
      expectNotNamed(answer, asked, [hidden], words);
      expectNoLastingFailure(
        answer,
        `a query for ${aNoun} under the id of ${words}`,
        'refused, or an order of its own',
      );
    };
    // Orders and refunds may be counted alike, and products may share their ids: the id that was not sent tells what is shown.
    await sideBySide(
      orders.flatMap(({ words, platform, own }) => [
        query(platform).then((answer) => expectNotShown(answer, platform, own, words)),
        query(own).then((answer) => expectNotShown(answer, own, platform, words)),
      ]),
    );
    if (!refund) return;
    const { merchantRefundOrderId } = refund.request;
    const { refundOrderId } = refund;
    expectNotShown(await query(refundOrderId), refundOrderId, merchantRefundOrderId, 'a refund');
    expectRefused(await query(merchantRefundOrderId), 'a query under the id of a refund');
  },
});

const refundsQueryCheck: CheckDeclaration = {
  id: 'refunds.query.ids-of-others',
  mayCall: ['checkout'],
  title:
    'A refund query does not show a refund under an id that the refund has in another place, or that its order has',
  requirements: ['refunds.errors.refund-not-found'],
  needs: ['paid-order'],
  async run(context) {
    // Configured orders are few: without a driver, the refund is one that all checks share.
    const refund = context.has('order-events')
      ? await makeRefund(context, await context.ownMerchant())
      : await standingRefund(context);
    const { client, merchant, refundOrderId, order, request } = refund;
    const products = [hostedOrders, checkoutOrders].filter(({ product }) => context.has(product));
    const orders = await sideBySide(products.map(({ make }) => make(context, merchant)));
    const { merchantRefundOrderId, acquiringOrderId } = request;
    const strangers = orders.flatMap((each) => [each.orderId, each.request.merchantOrderId]);
    const own = { refundOrderId, merchantRefundOrderId, acquiringOrderId };
    const ids = [...Object.values(own), order.merchantOrderId ?? '', ...strangers];
    const mistaken = Object.entries(own).flatMap(([name, right]) =>
      ids.flatMap((id) => (id === right ? [] : [{ name, id }])),
    );
    await sideBySide(
      mistaken.map(async ({ name, id }) => {
        const answer = await client.query({ [name]: id });
        // Orders and refunds may be counted alike, so the ids that were not sent tell which record is shown.
        const hidden = [merchantRefundOrderId, order.merchantOrderId ?? merchantRefundOrderId];
        expectNotNamed(answer, id, isAccepted(answer) ? hidden : [], `the refund by a ${name} that is none of its`);
      }),
    );
  },
};

/** A paid order, with what names it beside its platform id. */
interface NamedOrder {
  words: string;
  orderId: string;
  merchantOrderId?: string;
}

/** What names a payment, and would name its order to a target that looks for both in one place. */
const ofPayments = ['transactionHash', 'depositAddress', 'fromAddress', 'toAddress'];

/** The texts in an answer, at any depth, under one of the names `ofPayments`. */
function paymentIdsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(paymentIdsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    typeof part === 'string' ? (ofPayments.includes(name) && part !== '' ? [part] : []) : paymentIdsIn(part),
  );
}

/** A paid checkout order and a hosted one that an exchange has paid, where the target has them, with what names their payments. */
async function furtherPaidOrders(
  context: CheckContext,
  merchant: Credentials,
): Promise<(NamedOrder & { ofPayment: string[] })[]> {
  const cases = [
    { ...hostedOrders, paymentMethod: exchanges[0] },
    { ...hostedOrders, paymentMethod: undefined },
    ...(context.has('checkout') ? [{ ...checkoutOrders, paymentMethod: undefined }] : []),
  ];
  const made = await sideBySide(
    cases.map(async ({ make, aNoun, paymentMethod }) => {
      const order = await ifTaken(make(context, merchant));
      if (!order) return [];
      const detected = { type: 'transaction_detected', ...(paymentMethod && { paymentMethod }) } as const;
      const paid = await letHappen(context, order, [detected, confirmed]);
      if (statusOf(paid) !== 'SUCCEEDED') return [];
      const words = paymentMethod ? `${aNoun} that ${paymentMethod} has paid` : aNoun;
      const { merchantOrderId } = order.request;
      return [{ words, orderId: order.orderId, merchantOrderId, ofPayment: paymentIdsIn(paid.json) }];
    }),
  );
  return made.flat();
}

/** The orders of a merchant whose refunds are asked for under other ids: without a driver, those that are configured. */
async function ordersToRefund(context: CheckContext): Promise<{ refund: MadeRefund; paid: NamedOrder }> {
  if (!context.has('order-events')) {
    const refund = await standingRefund(context);
    return { refund, paid: { words: 'an order', ...(await unrefundedOrder(context)) } };
  }
  const merchant = await context.ownMerchant();
  const [refund, paid] = await Promise.all([makeRefund(context, merchant), makePaidOrder(context, merchant)]);
  return { refund, paid: { words: 'an order', ...paid } };
}

/**
 * Ids that a search with LIKE, or one in letters of either case, takes for one of the platform's. In letters of one case a platform may write numbers
 * that it reads in either.
 */
function likeId(id: string): { id: string; what: string }[] {
  const [pattern, cases] = ['a pattern of SQL that fits its platform id', 'its platform id in letters of one case'];
  const patterns = [`${id.slice(0, -1)}_`, `${id.slice(0, -1)}%`].map((like) => ({ id: like, what: pattern }));
  const inOneCase = mixesCases(id) ? [id.toLowerCase(), id.toUpperCase()] : [];
  return [...patterns, ...inOneCase.map((other) => ({ id: other, what: cases }))];
}

const refundsCreateCheck: CheckDeclaration = {
  id: 'refunds.create.ids-of-others',
  mayCall: ['checkout'],
  title:
    'A refund of an order of either product under another id than its platform id is refused, and under that with blanks around it',
  requirements: ['refunds.errors.malformed-order-id', 'refunds.errors.refused'],
  needs: ['paid-order'],
  async run(context) {
    const { refund, paid } = await ordersToRefund(context);
    const { client, merchant, request: made, refundOrderId, created } = refund;
    const further = context.has('order-events') ? await furtherPaidOrders(context, merchant) : [];
    const shownId = field(created, 'data.merchantOrderId');
    const named = [paid, ...further].map(({ words, merchantOrderId }) => ({
      id: merchantOrderId,
      what: `the merchantOrderId of ${words}`,
    }));
    const asked: { id: string | undefined; what: string }[] = [
      ...named,
      // Where orders are configured, only an answer tells how the merchant calls one.
      ...(context.has('order-events') || typeof shownId !== 'string'
        ? []
        : [{ id: shownId, what: 'the merchantOrderId of an order' }]),
      ...further.flatMap(({ words, ofPayment }) =>
        [...new Set(ofPayment)].map((id) => ({ id, what: `an id of the payment of ${words}` })),
      ),
      { id: made.merchantRefundOrderId, what: 'the merchantRefundOrderId of a refund' },
      // Orders and refunds may be counted alike: only of a merchant of its own are all orders known.
      ...(context.has('order-events') && context.has('own-merchant')
        ? [{ id: refundOrderId, what: 'the refundOrderId of a refund' }]
        : []),
      ...likeId(paid.orderId),
      { id: ` ${paid.orderId}`, what: 'its platform id after a blank' },
      { id: `${paid.orderId} `, what: 'its platform id before a blank' },
    ];
    const platformIds = [refund.order, paid, ...further].map(({ orderId }) => orderId);
    await sideBySide(
      asked.flatMap(({ id, what }) => {
        // A platform may take a merchant's id, or one of a payment, for its own.
        if (id === undefined || platformIds.includes(id)) return [];
        return [
          client
            .create(refundRequest(context, id))
            .then((answer) => expectRefused(answer, `a refund of an order with the id ${show(id)}, which is ${what}`)),
        ];
      }),
    );
  },
};

/** For each operation that finds something by an id: the ids of other kinds of records are not taken for it. */
export const otherIdChecks: readonly CheckDeclaration[] = [
  queryCheck(hostedOrders, checkoutOrders, 'orders.errors.unknown-order'),
  queryCheck(checkoutOrders, hostedOrders, 'checkout.errors.unknown-order'),
  refundsQueryCheck,
  refundsCreateCheck,
];
