import type { RequirementId } from '../../../generated/catalogue.ts';
import { orderStates } from '../../arrange/orders/any-order.ts';
import { bringAnyOrderTo, checkoutOrders, hostedOrders, type ProductArrangement } from '../../arrange/products.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { type MadeRefund, makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectRefused, expectThat, isAccepted } from '../../check/expect.ts';
import { jsonDecoded } from '../../contract/readings.ts';
import { show } from '../../contract/show.ts';
import { shortestTellingId } from '../../contract/telling-ids.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
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
  title:
    'A refund query does not show a refund under an id that the refund has in another place, or that its order has',
  requirements: ['refunds.errors.refund-not-found'],
  needs: ['order-events'],
  async run(context) {
    const merchant = await context.ownMerchant();
    const products = [hostedOrders, checkoutOrders].filter(({ product }) => context.has(product));
    const [orders, refund] = await Promise.all([
      sideBySide(products.map(({ make }) => make(context, merchant))),
      anyRefund(context, merchant),
    ]);
    if (!refund) return;
    const client = refundsClient(context, merchant);
    const { refundOrderId, order, request } = refund;
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
        // A platform may take a merchant's id for its own.
        if (id === undefined || id === paid.orderId) return [];
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
  queryCheck(hostedOrders, checkoutOrders, 'orders.errors.unknown-order'),
  queryCheck(checkoutOrders, hostedOrders, 'checkout.errors.unknown-order'),
  refundsQueryCheck,
  refundsCreateCheck,
];
