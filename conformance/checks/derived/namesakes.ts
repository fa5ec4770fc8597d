import type { OrdersState, RequirementId } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import {
  type AnyMadeOrder,
  orderLifetime,
  orderStates,
  type Product,
  passSoon,
} from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { bringAnyOrderTo } from '../../arrange/products.ts';
import {
  bringRefundTo,
  type MadeRefund,
  makeRefund,
  type ReachableRefundState,
  refundStates,
} from '../../arrange/refunds/refunds.ts';
import { confirmed, ifTaken, letHappen, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectField, expectThat, isAccepted, seenAt, statusOf } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { NotApplicable, PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { idOf, recordsOf } from '../support/batch-answers.ts';

// Two merchants, or two products of one, may have something under the same id. What happens to one of them leaves the other where it is.

/** Fails unless the answer to a query shows that something is still in the status in which it was left. */
function expectUnmoved(answer: Answer, noun: string, status: string, what: string, requirement: RequirementId): void {
  expectThat(statusOf(answer) === status, answer, {
    expected: `${noun} that nothing has happened to stays ${status}, whatever becomes of another one under the same id (${what})`,
    actual: seenAt(answer, 'data.status'),
    requirement,
  });
}

/** How often each of two namesakes is asked for, in turn: what a target remembers may be remembered by one of its parts only. */
const turns = 3;

/** Fails where a query for one of two namesakes shows the other one. */
async function expectEachItsOwn(namesakes: readonly AnyMadeOrder[], requirement: RequirementId): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { orderId, query } of namesakes) {
      const answer = await query();
      if (isAccepted(answer)) expectField(answer, 'data.orderId', orderId, requirement);
    }
  }
}

/** What one of two namesakes may come to: the states, and the end of its time. */
type End = Exclude<OrdersState, 'INIT'> | 'expired';

const ends = (context: CheckContext): End[] => [
  ...orderStates.filter((state) => state !== 'INIT'),
  ...(context.has('clock') ? (['expired'] as const) : []),
];

/** Where the other one stays meanwhile. */
const standing = ['INIT', 'PROCESSING'] as const satisfies readonly OrdersState[];

/** Whose orders two namesakes are, and of which products. */
interface Pair {
  moved: Product;
  other: Product;
  /** False: they are of two merchants. */
  ofOneMerchant: boolean;
}

/** Longer than the ordinary lifetime of an order, and within what every product allows; in milliseconds. */
const longer = 3 * orderLifetime * 1000;

/** Brings one of two namesakes to an end; the other stays. False where the target does not take both. */
async function expectOrderUnmoved(
  context: CheckContext,
  { moved: movedProduct, other: otherProduct, ofOneMerchant }: Pair,
  end: End,
  stays: (typeof standing)[number],
  isFirstMoved: boolean,
): Promise<boolean> {
  // A payment may time out while the clock of its merchant is moved.
  if (ofOneMerchant && end === 'expired' && stays === 'PROCESSING') return false;
  const merchantOrderId = context.newOrderId();
  const merchant = await context.ownMerchant();
  const otherMerchant = ofOneMerchant ? merchant : await context.ownMerchant();
  const makeMoved = () => make(context, movedProduct, merchant, { merchantOrderId, ...own('moved') });
  // Where the time of one runs out, that of the other lasts.
  const expiresAt = new Date(context.now() + longer).toISOString();
  const makeOther = () => make(context, otherProduct, otherMerchant, { merchantOrderId, expiresAt, ...own('other') });
  const first = isFirstMoved ? await makeMoved() : await makeOther();
  const second = await ifTaken(isFirstMoved ? makeOther() : makeMoved());
  if (!second) return false;
  const [moved, other] = isFirstMoved ? [first, second] : [second, first];
  await bringAnyOrderTo(context, other, stays);
  if (end === 'expired') await passSoon(context, moved.merchant);
  else await bringAnyOrderTo(context, moved, end);
  const noun = otherProduct === 'orders' ? 'a hosted order' : 'a checkout order';
  expectUnmoved(await other.query(), noun, stays, end, `${otherProduct}.states.initial`);
  // A target may remember of orders what can no longer change.
  if (stays === 'INIT') await bringAnyOrderTo(context, other, 'CLOSED');
  else await letHappen(context, other, [confirmed]);
  const namesakes = [moved, other];
  if (!ofOneMerchant) await expectEachItsOwn(namesakes, `${otherProduct}.query.other-merchant`);
  else await expectEachItsOwn(namesakes, `${otherProduct}.query.by-merchant-order-id`);
  return true;
}

/** Data of its own for each of two namesakes. The rules over the whole run see whether one is shown for the other's. */
const own = (name: string) => ({ description: `The ${name} one of two`, metadata: `{"namesake":"${name}"}` });

const make = (
  context: CheckContext,
  product: Product,
  merchant: Credentials,
  changes: { merchantOrderId: string; expiresAt?: string; description: string; metadata: string },
): Promise<AnyMadeOrder> => (product === 'orders' ? makeOrder : makeCheckoutOrder)(context, merchant, changes);

const notTaken = () => new PermittedChoice('two merchants cannot have the same id here (open point id-namespaces)');

/** Fails unless each of two namesakes stays where it is, whatever becomes of the other. */
async function expectUnmovedByAll(context: CheckContext, pair: Pair): Promise<boolean> {
  const judged = await sideBySide(
    ends(context).flatMap((end, place) =>
      standing.map((stays, index) =>
        whereReached(expectOrderUnmoved(context, pair, end, stays, (place + index) % 2 === 0)),
      ),
    ),
  );
  return judged.includes(true);
}

const ordersCheck = (product: Product, noun: string): CheckDeclaration => ({
  id: `${product}.situations.namesakes`,
  title: `What happens to ${noun} moves none that another merchant has under the same id, and each merchant is shown its own`,
  requirements: [`${product}.states.initial`, `${product}.query.other-merchant`],
  needs: ['order-events', 'own-merchant'],
  async run(context) {
    if (!(await expectUnmovedByAll(context, { moved: product, other: product, ofOneMerchant: false })))
      throw notTaken();
  },
});

const productsCheck = (moved: Product, other: Product, title: string): CheckDeclaration => ({
  id: `${other}.situations.namesakes-of-both-products`,
  title,
  calls: ['orders', 'checkout'],
  requirements: [`${other}.states.initial`, `${other}.query.by-merchant-order-id`],
  needs: ['order-events', 'own-merchant'],
  async run(context) {
    if (!context.has(moved) || !context.has(other)) throw new NotApplicable('there are no orders of another product');
    if (await expectUnmovedByAll(context, { moved, other, ofOneMerchant: true })) return;
    throw new PermittedChoice('the products share their ids here (open point id-namespaces)');
  },
});

const standingRefunds = ['PENDING', 'PROCESSING'] as const satisfies readonly ReachableRefundState[];

/** Fails where a query of one merchant, for one refund or several, shows the refund that another merchant has under the same id. */
async function expectEachItsOwnRefund(namesakes: readonly MadeRefund[]): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { client, request, refundOrderId } of namesakes) {
      const { merchantRefundOrderId } = request;
      const alone = await client.query({ merchantRefundOrderId });
      if (isAccepted(alone)) expectField(alone, 'data.refundOrderId', refundOrderId, 'refunds.query.other-merchant');
      const batch = await client.batchQuery([merchantRefundOrderId]);
      const strange = recordsOf(batch)
        .map(idOf)
        .find((id) => id !== refundOrderId);
      expectThat(strange === undefined, batch, {
        expected: `the refund ${refundOrderId}, and no other one under the same id`,
        actual: `data shows ${show(strange)}`,
        requirement: 'refunds.batch-query.other-merchant',
      });
    }
  }
}

async function expectRefundUnmoved(
  context: CheckContext,
  state: ReachableRefundState,
  stays: (typeof standingRefunds)[number],
  isFirstMoved: boolean,
): Promise<boolean> {
  const merchantRefundOrderId = context.newOrderId();
  const make = async (name: string): Promise<MadeRefund> =>
    makeRefund(context, await context.ownMerchant(), {
      merchantRefundOrderId,
      refundReason: `The ${name} one of two`,
      extraData: `{"namesake":"${name}"}`,
    });
  const first = await make('first');
  const second = await ifTaken(make('second'));
  if (!second) return false;
  const [moved, other] = isFirstMoved ? [first, second] : [second, first];
  await bringRefundTo(context, other, stays);
  await bringRefundTo(context, moved, state);
  expectUnmoved(await other.query(), 'a refund', stays, state, 'refunds.create.accepted');
  // A target may remember of refunds what can no longer change.
  await whereReached(bringRefundTo(context, other, state === 'SUCCEEDED' ? 'FAILED' : 'SUCCEEDED', stays));
  await expectEachItsOwnRefund([moved, other]);
  return true;
}

/** Where two merchants have something under the same id, each of them moves by itself. */
export const namesakeChecks: readonly CheckDeclaration[] = [
  ordersCheck('orders', 'a hosted order'),
  ordersCheck('checkout', 'a checkout order'),
  productsCheck(
    'checkout',
    'orders',
    'What happens to a checkout order moves no hosted order under the same id, and each is shown for itself',
  ),
  productsCheck(
    'orders',
    'checkout',
    'What happens to a hosted order moves no checkout order under the same id, and each is shown for itself',
  ),
  {
    id: 'refunds.situations.namesakes',
    title:
      'What happens to a refund moves none that another merchant has under the same id, and each merchant is shown its own',
    requirements: ['refunds.create.accepted', 'refunds.query.other-merchant', 'refunds.batch-query.other-merchant'],
    needs: ['order-events', 'refund-events', 'own-merchant'],
    async run(context) {
      const states = refundStates.filter((state) => state !== 'PENDING');
      const judged = await sideBySide(
        states.flatMap((state, place) =>
          standingRefunds.map((stays, index) =>
            whereReached(expectRefundUnmoved(context, state, stays, (place + index) % 2 === 0)),
          ),
        ),
      );
      if (!judged.includes(true)) throw notTaken();
    },
  },
];
