import { makeOrder } from '../../arrange/orders/orders.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { businessError, expectRefundRefused, makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { confirmed, ifTaken, letHappen } from '../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted } from '../../check/expect.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';

/** Every refund period is over after so many years. */
const years = 10;
const year = 366 * 86_400;

/** A balance that covers every refund of a check, and one that covers none. */
const [plenty, nothing] = ['1000000', '0'];

export const refundsBoundsChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.balance.other-currency',
    title: 'A refund is refused with INSUFFICIENT_BALANCE where the merchant has enough in every other currency only',
    requirements: ['refunds.errors.insufficient-balance', 'refunds.errors.business', 'refunds.errors.refused'],
    needs: ['order-events', 'own-merchant'],
    async run(context) {
      const [rich, poor] = await Promise.all([
        context.ownMerchant({ balances: { USDT: plenty, USDC: nothing, USD1: nothing } }),
        context.ownMerchant({ balances: { USDT: nothing, USDC: plenty, USD1: plenty } }),
      ]);
      const [, { orderId }] = await Promise.all([
        makeRefund(context, rich, {}, expectAccepted),
        makePaidOrder(context, poor),
      ]);
      const request = refundRequest(context, orderId);
      const what = `a refund in USDT from balances of ${nothing} USDT, ${plenty} USDC and ${plenty} USD1`;
      await expectRefundRefused(refundsClient(context, poor), request, what, {
        ...businessError,
        code: 'INSUFFICIENT_BALANCE',
      });
    },
  },
  {
    id: 'refunds.errors.period-expired.from-payment',
    title: `An order that is paid ${years} years after it was made can be refunded then`,
    requirements: ['refunds.errors.period-from-payment'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const expiresAt = new Date(context.now() + (years + 1) * year * 1000).toISOString();
      // How far away an expiry may be is not said.
      const order = await ifTaken(makeOrder(context, merchant, { expiresAt }));
      if (!order) throw new PermittedChoice('orders may not live so long here (open point orders-expiry-past)');
      await makeRefund(context, merchant);
      await context.advanceClock(merchant, years * year);
      await letHappen(context, order, [{ type: 'transaction_detected' }, confirmed]);
      const paid = { merchant, orderId: order.orderId };
      await makeRefund(context, merchant, { order: paid }, (created) =>
        expectAccepted(created, `a refund just after the payment of an order that was made ${years} years before`),
      );
    },
  },
];
