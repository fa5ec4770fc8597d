import { exchanges } from '../../../arrange/orders/payments.ts';
import { refundsClient } from '../../../arrange/refunds/client.ts';
import { makeOrderPaidByDriver, makeOrderPaidFrom } from '../../../arrange/refunds/paid-orders.ts';
import { refundRequest } from '../../../arrange/refunds/refunds.ts';
import { amidRestart, askUntilBack } from '../../../arrange/situations/restarts.ts';
import { ifTaken, whereReached } from '../../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../../check/define-checks.ts';
import { expectThat, isAccepted, needAccepted, summary } from '../../../check/expect.ts';
import { expectAsShown } from './records.ts';

/** What a refund shows of the payment that it gives back. */
const ofPayment = {
  amounts: ['data.refundAmount'],
  texts: ['data.refundCurrency', 'data.paymentMethod'],
  times: [],
} as const;

/** Orders that were paid alike before the target ends are refunded alike before and after that. */
export const earlierPaymentChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.restart.earlier-payments',
    title:
      'A refund of an order that was paid before a restart shows the payment as one that was made before the restart',
    requirements: ['general.restart.acknowledged'],
    needs: ['own-merchant', 'order-events', 'restart'],
    long: true,
    async run(context) {
      const merchant = await context.ownMerchant();
      const client = refundsClient(context, merchant);
      const twins = await Promise.all(
        [undefined, ...exchanges].map(async (exchange) => {
          const pay = () =>
            exchange === undefined
              ? makeOrderPaidByDriver(context, merchant)
              : ifTaken(whereReached(makeOrderPaidFrom(context, merchant, exchange)));
          const [one, other] = [await pay(), await pay()];
          if (!one || !other) return [];
          const before = await client.create(refundRequest(context, one.orderId));
          needAccepted(before, 'a refund of a paid order');
          return [{ before, create: () => client.create(refundRequest(context, other.orderId)) }];
        }),
      );
      const merchantRefundOrderId = context.newOrderId();
      const probe = () => client.query({ merchantRefundOrderId });
      await amidRestart(context, [], () => Promise.resolve(undefined), probe);
      for (const { before, create } of twins.flat()) {
        const after = await askUntilBack(context, create, probe);
        expectThat(isAccepted(after), after, {
          expected:
            'a refund of an order that was paid before the restart is made after it, as that of another one was before it',
          actual: summary(after),
        });
        expectAsShown(after, ofPayment, before);
      }
    },
  },
];
