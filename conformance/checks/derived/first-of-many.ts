import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, makeRefund } from '../../arrange/refunds/refunds.ts';
import { waysToAsk } from '../../arrange/refunds/ways-to-ask.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import { letHappen, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectThat } from '../../check/expect.ts';
import { parseJson, valueAt } from '../../contract/json.ts';
import type { OperationArea } from '../../contract/operations.ts';
import { show } from '../../contract/show.ts';
import { successCode } from '../../contract/success-code.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { repeatOfCheckoutOrder, repeatOfRefund } from '../support/repeated-creates.ts';

/** How many others at least are made after the first. Caches, pages and lists of what is newest often hold a hundred. */
const others = 120;

/** How long an order waits that is to be found at the end of a run, in milliseconds. */
const lifetime = 12 * 3_600_000;

const inLifetime = (context: CheckContext) => new Date(context.now() + lifetime).toISOString();

/** How many creates of an area a merchant was answered with success, of those that are in the history behind its first `since` records. */
function countMade({ history }: CheckContext, area: OperationArea, { merchantId }: Credentials, since: number): number {
  return history.records
    .slice(since)
    .filter(
      (record) =>
        record.kind === 'request' &&
        record.operation === `${area}.create` &&
        record.as === merchantId &&
        valueAt(parseJson(record.answer?.body.text ?? ''), ['code']) === successCode,
    ).length;
}

/** Waits until the other checks have made what they make, and makes as many more as it takes. Where the run has limits, there may be fewer. */
async function makeMany(
  context: CheckContext,
  area: OperationArea,
  merchant: Credentials,
  make: () => Promise<unknown>,
): Promise<void> {
  const since = context.history.records.length;
  await context.othersEnded();
  const missing = context.isThrifty ? 0 : Math.max(others - countMade(context, area, merchant, since), 0);
  // A few at once: what one of them needs must not be far behind the others already.
  await someAtOnce(Array.from({ length: missing }), make);
}

/**
 * What a run makes first for the merchant of all checks is looked at again when a hundred others and more have been made: a server that keeps the
 * newest at hand has put it away, and must still find it.
 */
export const firstOfManyChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.situations.first-of-many',
    title: `A hosted order is found, and paid, when ${others} others of its merchant or more have been made after it`,
    requirements: ['orders.query.by-merchant-order-id'],
    lasts: true,
    async run(context) {
      const merchant = await context.merchant();
      const order = await makeOrder(context, merchant, { expiresAt: inLifetime(context) });
      await makeMany(context, 'orders', merchant, () => makeOrder(context, merchant));
      expectAccepted(await order.query(), 'a query for the first of many orders of a merchant');
      // Whether orders are found by the platform's id is open. The rules over the whole run see whether some are, and others not.
      await order.client.query(order.orderId);
      if (!context.has('order-events')) return;
      await letHappen(context, order, [{ type: 'transaction_detected' }, confirmed]);
      expectAccepted(await order.query(), 'a query for the first of many orders of a merchant, once it is paid');
    },
  },
  {
    id: 'checkout.situations.first-of-many',
    title: `A checkout order is found, paid, and not made again, when ${others} others of its merchant or more have been made after it`,
    requirements: ['checkout.query.by-merchant-order-id', 'checkout.create.idempotent'],
    lasts: true,
    async run(context) {
      const merchant = await context.merchant();
      const order = await makeCheckoutOrder(context, merchant, { expiresAt: inLifetime(context) });
      await makeMany(context, 'checkout', merchant, () => makeCheckoutOrder(context, merchant));
      expectAccepted(await order.query(), 'a query for the first of many checkout orders of a merchant');
      await repeatOfCheckoutOrder(context, order, {}, 'the create of the first of many checkout orders sent again');
      if (!context.has('order-events')) return;
      await letHappen(context, order, [{ type: 'transaction_detected' }, confirmed]);
      expectAccepted(
        await order.query(),
        'a query for the first of many checkout orders of a merchant, once it is paid',
      );
    },
  },
  {
    id: 'refunds.situations.first-of-many',
    title: `A refund is found and not made again, and an order is refunded, when ${others} refunds of their merchant or more have been made after them`,
    requirements: [
      'refunds.query.by-merchant-refund-order-id',
      'refunds.query.by-refund-order-id',
      'refunds.query.by-acquiring-order-id',
      'refunds.batch-query.known',
      'refunds.create.idempotent',
      'refunds.create.accepted',
    ],
    needs: ['order-events'],
    lasts: true,
    async run(context) {
      const merchant = await context.merchant();
      const order = await makePaidOrder(context, merchant);
      const refund = await makeRefund(context, merchant);
      // An order whose refund has FAILED may take another, so that nothing but its id keeps the same create from making one.
      const failed = context.has('refund-events') ? await makeRefund(context, merchant) : undefined;
      if (failed) await whereReached(bringRefundTo(context, failed, 'FAILED'));
      await makeMany(context, 'refunds', merchant, () => makeRefund(context, merchant));
      await sideBySide(
        waysToAsk(refund).map(async ({ words, requirement, ask, statusIn }) => {
          const answer = await ask();
          const what = `a query by ${words} for the first of many refunds of a merchant`;
          expectAccepted(answer, what, requirement);
          const status = statusIn(answer);
          expectThat(typeof status === 'string', answer, {
            expected: `${what} shows its status`,
            actual: `status = ${show(status)}`,
            requirement,
          });
        }),
      );
      for (const each of [refund, ...(failed ? [failed] : [])]) {
        await repeatOfRefund(context, each, {}, 'the create of the first of many refunds sent again');
      }
      await makeRefund(context, merchant, { order }, (created) =>
        expectAccepted(created, 'a refund of the first of many orders of a merchant', 'refunds.create.accepted'),
      );
    },
  },
];
