import type { RequirementId } from '../../../generated/catalogue.ts';
import { type Product, passSoon, unpaidStatuses } from '../../arrange/orders/any-order.ts';
import { ordersClient } from '../../arrange/orders/client.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { isInsufficient, refundRequest } from '../../arrange/refunds/refunds.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import {
  dueFor,
  makeCheckoutOfEveryShape,
  makeHostedOfEveryShape,
  paymentOf,
  type Shaped,
} from '../../arrange/situations/shapes.ts';
import { awaitEnd, isFinal, letHappen, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectThat, needAccepted, seenAt, statusOf } from '../../check/expect.ts';
import { compareDecimals, subtractDecimals } from '../../contract/decimals.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';

// An order lives as every other one does, whatever else its create says.

/** A product, and how its orders end. */
interface Ends {
  product: Product;
  noun: string;
  make: typeof makeHostedOfEveryShape;
  /** The statuses of an order whose time has run out. */
  unpaid: readonly string[];
  /** The sentences by which a payment that is confirmed ends an order, and by which one does that is too small. */
  confirmation: RequirementId;
  underpayment: RequirementId;
}

const products: readonly Ends[] = [
  {
    product: 'orders',
    noun: 'hosted order',
    make: makeHostedOfEveryShape,
    unpaid: ['CLOSED'],
    confirmation: 'orders.states.confirmed',
    underpayment: 'orders.states.failed',
  },
  {
    product: 'checkout',
    noun: 'checkout order',
    make: makeCheckoutOfEveryShape,
    unpaid: unpaidStatuses,
    confirmation: 'checkout.payment-rule',
    underpayment: 'checkout.payment-rule',
  },
];

/** What is missing of a payment that is too small. */
const missing = '0.01';

/** Fails unless an answer shows one of the statuses in which an order ends. */
function expectEnd(answer: Answer, ends: readonly string[], what: string, requirement: RequirementId): void {
  expectThat(ends.includes(String(statusOf(answer))), answer, {
    expected: `${what}: ${ends.join(' or ')}`,
    actual: seenAt(answer, 'data.status'),
    requirement,
  });
}

/** Longer than a day and than a month, in seconds. */
const later = 40 * 86_400;

/** Asks for orders that have ended once more when time has passed. The rules over the whole run see whether each is what it was. */
async function askLater(context: CheckContext, merchant: Credentials, orders: readonly Shaped[]): Promise<void> {
  if (!context.has('clock')) return;
  await context.advanceClock(merchant, later);
  await someAtOnce(orders, ({ order }) => order.query());
}

/**
 * Asks for hosted orders by the platform's ids. Whether any is found by that is open; the rules over the whole run see whether some are, and others
 * not.
 */
async function askByPlatformId(context: CheckContext, orders: readonly Shaped[]): Promise<void> {
  const hosted = orders.filter(({ order }) => order.product === 'orders');
  await someAtOnce(hosted, ({ order }) => ordersClient(context, order.merchant).query(order.orderId));
}

function checksOf({ product, noun, make, unpaid, confirmation, underpayment }: Ends): CheckDeclaration[] {
  return [
    {
      id: `${product}.shapes.expired`,
      title: `A ${noun} ends when its time has run out, whatever further fields, price and network it has`,
      requirements: [`${product}.states.expired`],
      long: true,
      async run(context) {
        const merchant = await context.ownMerchant();
        const orders = await make(context, merchant, 'short');
        await askByPlatformId(context, orders);
        await passSoon(context, merchant);
        await sideBySide(
          orders.map(async ({ words, order }) => {
            const what = `a ${noun} ${words}, whose time has run out`;
            expectEnd(await awaitEnd(context, order), unpaid, what, `${product}.states.expired`);
          }),
        );
        await askByPlatformId(context, orders);
        await askLater(context, merchant, orders);
      },
    },
    {
      id: `${product}.shapes.paid`,
      title: `A ${noun} is paid, whatever further fields, price and network it has`,
      requirements: [confirmation],
      needs: ['order-events'],
      async run(context) {
        const merchant = await context.ownMerchant();
        const orders = await make(context, merchant);
        await sideBySide(
          orders.map(async (shaped) => {
            const ended = await letHappen(context, shaped.order, [paymentOf(context, shaped), confirmed]);
            const what = `a ${noun} ${shaped.words}, whose payment is confirmed`;
            expectEnd(ended, ['SUCCEEDED'], what, confirmation);
          }),
        );
        await askByPlatformId(context, orders);
        await askLater(context, merchant, orders);
      },
    },
    {
      id: `${product}.shapes.underpaid`,
      title: `A ${noun} fails of whose payment a cent is missing, whatever further fields, price and network it has`,
      requirements: [underpayment],
      needs: ['order-events'],
      async run(context) {
        const merchant = await context.ownMerchant();
        const orders = await make(context, merchant);
        await sideBySide(
          orders.map(async (shaped) => {
            const due = dueFor(shaped);
            if (due === undefined || compareDecimals(due, missing) <= 0) return;
            const amount = subtractDecimals(due, missing);
            const ended = await letHappen(context, shaped.order, [paymentOf(context, shaped, amount), confirmed]);
            // A driver may pay nothing but what is due.
            if (!isFinal(ended)) return;
            const what = `a ${noun} ${shaped.words}, of which ${amount} is paid where ${due} is due`;
            expectEnd(ended, ['FAILED'], what, underpayment);
          }),
        );
        await askLater(context, merchant, orders);
      },
    },
  ];
}

/** More than an order of each shape is worth, in the currency in which hosted orders are paid. */
const richBalances = { USDT: '100000000' };

const refundedCheck: CheckDeclaration = {
  id: 'refunds.create.shapes',
  title: 'A hosted order that was paid is refunded, whatever further fields, price and network it has',
  requirements: ['refunds.create.accepted'],
  needs: ['order-events'],
  async run(context) {
    const merchant = await context.ownMerchant({ balances: richBalances });
    const client = refundsClient(context, merchant);
    const orders = await makeHostedOfEveryShape(context, merchant);
    const refund = (orderId: string) => client.create(refundRequest(context, orderId));
    const paid = async (shaped: Shaped) =>
      statusOf(await letHappen(context, shaped.order, [paymentOf(context, shaped), confirmed])) === 'SUCCEEDED';
    const usual = await makePaidOrder(context, merchant);
    needAccepted(await refund(usual.orderId), 'a refund of a usual order');
    await sideBySide(
      orders.map(async (shaped) => {
        // That an order is paid is judged by another check.
        if (!(await paid(shaped))) return;
        const answer = await refund(shaped.order.orderId);
        // Where balances cannot be set, they may not cover the largest.
        if (!isInsufficient(answer))
          expectAccepted(answer, `a refund of a hosted order ${shaped.words}, which was paid`);
      }),
    );
  },
};

/** Checks that orders of every shape end, and are refunded, as the others are. */
export const shapeChecks: readonly CheckDeclaration[] = [...products.flatMap(checksOf), refundedCheck];
