import type { RequirementId } from '../../../generated/catalogue.ts';
import { type MadeCheckoutOrder, makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { ordersClient } from '../../arrange/orders/client.ts';
import { type MadeOrder, makeOrder } from '../../arrange/orders/orders.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { type MadeRefund, makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, expectThat, isAccepted } from '../../check/expect.ts';
import { jsonDecoded } from '../../contract/readings.ts';
import { show } from '../../contract/show.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';

/** One record of each kind that the target has, all of one merchant. */
interface Kinds {
  merchant: Credentials;
  order?: MadeOrder;
  checkoutOrder?: MadeCheckoutOrder;
  refund?: MadeRefund;
}

/** The ids of a record. */
interface KindIds {
  /** With its article, for messages. */
  noun: string;
  platform: string;
  own: string;
}

async function makeKinds(context: CheckContext): Promise<Kinds> {
  const merchant = await context.ownMerchant();
  const [order, checkoutOrder, refund] = await Promise.all([
    context.has('orders') ? makeOrder(context, merchant) : undefined,
    context.has('checkout') ? makeCheckoutOrder(context, merchant) : undefined,
    context.has('refunds') && context.has('paid-order') && context.has('order-events')
      ? makeRefund(context, merchant)
      : undefined,
  ]);
  return { merchant, ...(order && { order }), ...(checkoutOrder && { checkoutOrder }), ...(refund && { refund }) };
}

const idsOfOrder = ({ order }: Kinds): KindIds[] =>
  order ? [{ noun: 'a hosted order', platform: order.orderId, own: order.request.merchantOrderId }] : [];
const idsOfCheckoutOrder = ({ checkoutOrder }: Kinds): KindIds[] =>
  checkoutOrder
    ? [{ noun: 'a checkout order', platform: checkoutOrder.orderId, own: checkoutOrder.request.merchantOrderId }]
    : [];
const idsOfRefund = ({ refund }: Kinds): KindIds[] =>
  refund ? [{ noun: 'a refund', platform: refund.refundOrderId, own: refund.request.merchantRefundOrderId }] : [];

/** Fails when an answer names one of the `ids` of a record, by its noun, that was not asked for. */
function expectNotNamed(answer: Answer, ids: readonly string[], noun: string): void {
  const text = jsonDecoded(answer.text);
  const named = ids.find((id) => text.includes(id));
  expectThat(named === undefined, answer, {
    expected: `a refusal, or at least nothing of ${noun}`,
    actual: `the answer names ${named}`,
  });
}

/**
 * Fails when a query under an id shows the record of another kind that has this id: the answer must not name the record's other id, which
 * was not sent. Two kinds may count their platform ids alike, so that a success alone proves nothing.
 */
async function expectNotShown(ids: readonly KindIds[], query: (id: string) => Promise<Answer>): Promise<void> {
  await sideBySide(
    ids.flatMap(({ noun, platform, own }) => [
      query(platform).then((answer) => expectNotNamed(answer, [own], noun)),
      // Whether the two products share a namespace is open, and so is what is found under the other one's merchantOrderId.
      ...(noun === 'a refund'
        ? [query(own).then((answer) => expectRefused(answer, `a query under the id of ${noun}`))]
        : []),
    ]),
  );
}

function queryCheck(
  area: 'orders' | 'checkout',
  noun: string,
  rule: RequirementId,
  others: (kinds: Kinds) => KindIds[],
  query: (context: CheckContext, merchant: Credentials) => (id: string) => Promise<Answer>,
): CheckDeclaration {
  return {
    id: `${area}.query.ids-of-others`,
    title: `A query for ${noun} under the id of an order of the other product, or of a refund, does not show that`,
    requirements: [rule],
    async run(context) {
      const kinds = await makeKinds(context);
      const strangers = others(kinds);
      if (strangers.length === 0) throw new NotApplicable('nothing else can be made that has an id');
      await expectNotShown(strangers, query(context, kinds.merchant));
    },
  };
}

const refundsQueryCheck: CheckDeclaration = {
  id: 'refunds.query.ids-of-others',
  title:
    'A refund query does not show a refund under an id that the refund has in another place, or that its order has',
  requirements: ['refunds.errors.refund-not-found'],
  needs: ['order-events'],
  async run(context) {
    const kinds = await makeKinds(context);
    const { refund, merchant } = kinds;
    if (!refund) return;
    const client = refundsClient(context, merchant);
    const { refundOrderId, order, request } = refund;
    const { merchantRefundOrderId, acquiringOrderId } = request;
    const strangers = [...idsOfOrder(kinds), ...idsOfCheckoutOrder(kinds)].flatMap(({ platform, own }) => [
      platform,
      own,
    ]);
    const mistaken = [
      ...[merchantRefundOrderId, acquiringOrderId, order.merchantOrderId ?? '', ...strangers].map((id) => ({
        refundOrderId: id,
      })),
      ...[refundOrderId, acquiringOrderId, order.merchantOrderId ?? '', ...strangers].map((id) => ({
        merchantRefundOrderId: id,
      })),
      ...[refundOrderId, merchantRefundOrderId, order.merchantOrderId ?? '', ...strangers].map((id) => ({
        acquiringOrderId: id,
      })),
    ];
    await sideBySide(
      mistaken.map(async (by) => {
        const [[name, id] = ['', '']] = Object.entries(by);
        const answer = await client.query(by);
        // Orders and refunds may be counted alike, so the ids that were not sent tell which record is shown.
        const hidden = [merchantRefundOrderId, order.merchantOrderId ?? merchantRefundOrderId].filter(
          (each) => each !== id,
        );
        const named = isAccepted(answer) ? hidden : [];
        expectNotNamed(answer, named, `the refund by a ${name} that is none of its`);
      }),
    );
  },
};

const refundsCreateCheck: CheckDeclaration = {
  id: 'refunds.create.ids-of-others',
  title: 'A refund of an order under another id than its platform id is refused, and under that with blanks around it',
  requirements: ['refunds.errors.malformed-order-id', 'refunds.errors.refused'],
  needs: ['order-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const [paid, refund] = await Promise.all([makePaidOrder(context, merchant), makeRefund(context, merchant)]);
    const { client, request: made } = refund;
    const ids = [paid.merchantOrderId, made.merchantRefundOrderId, ` ${paid.orderId}`, `${paid.orderId} `];
    await sideBySide(
      ids.flatMap((id) => {
        if (id === undefined) return [];
        const request = refundRequest(context, id);
        return [
          client
            .create(request)
            .then((answer) => expectRefused(answer, `a refund of an order with the id ${show(id)}`)),
        ];
      }),
    );
  },
};

/** For each operation that finds something by an id: the ids of other kinds of records are not taken for it. */
export const otherIdChecks: readonly CheckDeclaration[] = [
  queryCheck(
    'orders',
    'a hosted order',
    'orders.errors.unknown-order',
    (kinds) => [...idsOfCheckoutOrder(kinds), ...idsOfRefund(kinds)],
    (context, merchant) => ordersClient(context, merchant).query,
  ),
  queryCheck(
    'checkout',
    'a checkout order',
    'checkout.errors.unknown-order',
    (kinds) => [...idsOfOrder(kinds), ...idsOfRefund(kinds)],
    (context, merchant) => checkoutClient(context, merchant).query,
  ),
  refundsQueryCheck,
  refundsCreateCheck,
];
