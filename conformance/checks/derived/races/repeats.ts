import { checkoutMerchant, checkoutRequest } from '../../../arrange/checkout-orders/checkout-orders.ts';
import type { CheckoutOrderCreateRequest } from '../../../arrange/checkout-orders/client.ts';
import { refundsClient } from '../../../arrange/refunds/client.ts';
import type { PaidOrder } from '../../../arrange/refunds/paid-order.ts';
import { makePaidOrder } from '../../../arrange/refunds/paid-orders.ts';
import { refundRequest } from '../../../arrange/refunds/refunds.ts';
import { atTheSameMoment, everyRound, racing, type Start } from '../../../arrange/situations/races.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectThat, isAccepted } from '../../../check/expect.ts';
import { isSameValue } from '../../../contract/same-value.ts';
import { show } from '../../../contract/show.ts';
import { type Answer, field } from '../../../wire/exchange.ts';

/** Fails unless every answer that shows something shows the same at `path`; answers under way may disagree about nothing else. */
function expectOneThing(answers: readonly Answer[], paths: readonly string[]): void {
  const [first, ...others] = answers.filter(isAccepted);
  for (const answer of others) {
    for (const path of paths) {
      const [one, other] = [field(first ?? answer, path), field(answer, path)];
      expectThat(isSameValue(one, other), answer, {
        expected: `${path} = ${show(one)}, as another answer for the same id shows`,
        actual: `${path} = ${show(other)}`,
      });
    }
  }
}

export const repeatRaces: readonly CheckDeclaration[] = [
  {
    id: 'checkout.race.repeated',
    title: 'A checkout create that is repeated while it is under way, alike or with another amount, makes one order',
    requirements: ['checkout.create.idempotent', 'checkout.create.repeat-same-order'],
    async run(context) {
      const { client, method } = await checkoutMerchant(context, await context.merchant());
      const race = async (changed: Partial<CheckoutOrderCreateRequest>) => {
        const request = checkoutRequest(context, method);
        const created: Answer[] = [];
        const create = (body: CheckoutOrderCreateRequest) => async () => {
          created.push(await client.post(client.createPath, body, { racing: true }));
        };
        const racers = [create(request), create(request), create({ ...request, ...changed })];
        const seen = await racing(context, racers, () => client.query(request.merchantOrderId));
        expectOneThing([...created, ...seen], ['data.orderId', 'data.orderAmount.value', 'data.depositAddress']);
      };
      const otherAmount = { orderAmount: { value: method.minAmount, currency: method.currency } };
      await everyRound(() => race({}));
      await everyRound(() => race(otherAmount));
    },
  },
  {
    id: 'refunds.race.repeated',
    title: 'A refund request that is repeated while it is under way, alike or for another order, makes one refund',
    requirements: ['refunds.create.idempotent'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const client = refundsClient(context, merchant);
      const paidOrders = () => Promise.all([makePaidOrder(context, merchant), makePaidOrder(context, merchant)]);
      const paths = ['data.refundOrderId', 'data.acquiringOrderId'];
      await everyRound(async () => {
        const [one, two] = await paidOrders();
        const request = refundRequest(context, one.orderId);
        const { merchantRefundOrderId } = request;
        const created: Answer[] = [];
        const create = (acquiringOrderId: string) => async () => {
          created.push(await client.post(client.refundsPath, { ...request, acquiringOrderId }, { racing: true }));
        };
        const racers = [create(one.orderId), create(one.orderId), create(two.orderId)];
        const seen = await racing(context, racers, () => client.query({ merchantRefundOrderId }));
        expectOneThing([...created, ...seen], paths);
      });
      await everyRound(async () => {
        const [one, two] = await paidOrders();
        const request = refundRequest(context, one.orderId);
        const create =
          ({ orderId }: PaidOrder) =>
          (start: Start) =>
            client.post(client.refundsPath, { ...request, acquiringOrderId: orderId }, start);
        const created = await atTheSameMoment([one, two, one, two].map(create));
        const { merchantRefundOrderId } = request;
        expectOneThing([...created, await client.query({ merchantRefundOrderId })], paths);
      });
    },
  },
];
