import type { OrdersState, RequirementId } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { type PaymentMethod, paymentMethodsOf } from '../../arrange/checkout-orders/payment-methods.ts';
import {
  type AnyMadeOrder,
  orderLifetime,
  orderStates,
  type Product,
  passSoon,
  similarOrderIds,
} from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { confirmed } from '../../arrange/orders/payments.ts';
import { bringAnyOrderTo } from '../../arrange/products.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  bringRefundTo,
  type MadeRefund,
  makeRefund,
  type ReachableRefundState,
  refundStates,
} from '../../arrange/refunds/refunds.ts';
import { ifTaken, letHappen, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectField, expectThat, isAccepted, seenAt, statusOf } from '../../check/expect.ts';
import { compareDecimals } from '../../contract/decimals.ts';
import { show } from '../../contract/show.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, NotApplicable, PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { idOf, recordsOf } from '../support/batch-answers.ts';

// Two merchants, or two products of one, may have something under the same id, and one merchant under ids that differ in the case of one letter.
// What happens to one of them leaves the other where it is.

/** Fails unless the answer to a query shows that something is still in the status in which it was left. */
function expectUnmoved(
  answer: Answer,
  noun: string,
  status: string,
  { end, onlySimilar }: { end: string; onlySimilar: boolean },
  requirement: RequirementId,
): void {
  const id = onlySimilar ? 'an id that differs from its own in the case of one letter' : 'the same id';
  expectThat(statusOf(answer) === status, answer, {
    expected: `${noun} that nothing has happened to stays ${status}, whatever becomes of another one under ${id} (${end})`,
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
  /** True: their ids differ in the case of one letter. False: they are the same. */
  onlySimilar: boolean;
}

/** Two ids that differ in the case of one letter, which databases are often told to leave out of account. */
function similarIds(context: CheckContext): [string, string] {
  const [first, , inCase = first] = similarOrderIds(context);
  return [first, inCase];
}

/** Longer than the ordinary lifetime of an order, and within what every product allows; in milliseconds. */
const longer = 3 * orderLifetime * 1000;

/** Brings one of two namesakes to an end; the other stays. False where the target does not take both. */
async function expectOrderUnmoved(
  context: CheckContext,
  { moved: movedProduct, other: otherProduct, ofOneMerchant, onlySimilar }: Pair,
  end: End,
  stays: (typeof standing)[number],
  place: number,
): Promise<boolean> {
  // A payment may time out while the clock of its merchant is moved.
  if (ofOneMerchant && end === 'expired' && stays === 'PROCESSING') return false;
  const isFirstMoved = place % 2 === 0;
  const sameId = context.newOrderId();
  const [movedId, otherId] = onlySimilar ? similarIds(context) : [sameId, sameId];
  const merchant = await context.ownMerchant();
  const otherMerchant = ofOneMerchant ? merchant : await context.ownMerchant();
  const makeMoved = () => make(context, movedProduct, merchant, 'first', { merchantOrderId: movedId });
  // Where the time of one runs out, that of the other lasts.
  const expiresAt = new Date(context.now() + longer).toISOString();
  const makeOther = () => make(context, otherProduct, otherMerchant, 'second', { merchantOrderId: otherId, expiresAt });
  const first = isFirstMoved ? await makeMoved() : await makeOther();
  const second = await ifTaken(isFirstMoved ? makeOther() : makeMoved());
  if (!second) return false;
  const [moved, other] = isFirstMoved ? [first, second] : [second, first];
  await bringAnyOrderTo(context, other, stays);
  if (end === 'expired') await passSoon(context, moved.merchant);
  else await bringAnyOrderTo(context, moved, end);
  const noun = otherProduct === 'orders' ? 'a hosted order' : 'a checkout order';
  expectUnmoved(await other.query(), noun, stays, { end, onlySimilar }, `${otherProduct}.states.initial`);
  // A target may remember of orders what can no longer change.
  if (stays === 'INIT') await bringAnyOrderTo(context, other, 'CLOSED');
  else await letHappen(context, other, [confirmed]);
  const namesakes = [moved, other];
  if (!ofOneMerchant) await expectEachItsOwn(namesakes, `${otherProduct}.query.other-merchant`);
  else await expectEachItsOwn(namesakes, `${otherProduct}.query.by-merchant-order-id`);
  return true;
}

/** What the two cost, in a stablecoin. */
const prices = { first: '12.75', second: '31.2' } as const;

type Name = keyof typeof prices;

const hostedPrice = (name: Name) => ({ orderAmount: { value: prices[name], currency: 'USDT' } }) as const;

/** Makes one of two namesakes, with data of its own. The rules over the whole run see whether one is shown for the other's. */
async function make(
  context: CheckContext,
  product: Product,
  merchant: Credentials,
  name: Name,
  times: { merchantOrderId: string; expiresAt?: string },
): Promise<AnyMadeOrder> {
  const own = { description: `The ${name} one of two`, metadata: `{"namesake":"${name}"}` };
  if (product === 'orders') return makeOrder(context, merchant, { ...times, ...own, ...hostedPrice(name) });
  const [method] = await paymentMethodsOf(checkoutClient(context, merchant));
  const amount = method && {
    network: method.network,
    orderAmount: { value: within(method, prices[name]), currency: method.currency },
  };
  return makeCheckoutOrder(context, merchant, { ...times, ...own, ...amount });
}

/** An amount, or the bound of the method that is nearest to it. Decimal text. */
function within({ minAmount, maxAmount }: PaymentMethod, amount: string): string {
  if (compareDecimals(amount, minAmount) < 0) return minAmount;
  return compareDecimals(amount, maxAmount) > 0 ? maxAmount : amount;
}

const notTaken = () => new PermittedChoice('two merchants cannot have the same id here (open point id-namespaces)');

/** Fails unless each of two namesakes stays where it is, whatever becomes of the other. */
async function expectUnmovedByAll(context: CheckContext, pair: Pair): Promise<boolean> {
  const judged = await sideBySide(
    ends(context).flatMap((end, place) =>
      standing.map((stays, index) => whereReached(expectOrderUnmoved(context, pair, end, stays, place + index))),
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
    const pair = { moved: product, other: product, ofOneMerchant: false, onlySimilar: false };
    if (!(await expectUnmovedByAll(context, pair))) throw notTaken();
  },
});

const similarOrdersCheck = (product: Product, noun: string): CheckDeclaration => ({
  id: `${product}.situations.similar-ids`,
  title: `What happens to ${noun} moves none of the same merchant whose id differs from its own in the case of one letter, and each is shown for itself`,
  requirements: [`${product}.states.initial`, `${product}.query.by-merchant-order-id`],
  needs: ['order-events'],
  async run(context) {
    const pair = { moved: product, other: product, ofOneMerchant: true, onlySimilar: true };
    // Whether ids that differ in one place are those of two orders is judged elsewhere.
    if (!(await expectUnmovedByAll(context, pair))) throw new Inconclusive('no two orders have such ids');
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
    if (await expectUnmovedByAll(context, { moved, other, ofOneMerchant: true, onlySimilar: false })) return;
    throw new PermittedChoice('the products share their ids here (open point id-namespaces)');
  },
});

const standingRefunds = ['PENDING', 'PROCESSING'] as const satisfies readonly ReachableRefundState[];

/** Fails where a query for one of two namesakes, alone or among several, shows the other one. */
async function expectEachItsOwnRefund(namesakes: readonly MadeRefund[], onlySimilar: boolean): Promise<void> {
  const [byOne, bySeveral] = onlySimilar
    ? (['refunds.query.by-merchant-refund-order-id', 'refunds.batch-query.known'] as const)
    : (['refunds.query.other-merchant', 'refunds.batch-query.other-merchant'] as const);
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { client, request, refundOrderId } of namesakes) {
      const { merchantRefundOrderId } = request;
      const alone = await client.query({ merchantRefundOrderId });
      if (isAccepted(alone)) expectField(alone, 'data.refundOrderId', refundOrderId, byOne);
      const batch = await client.batchQuery([merchantRefundOrderId]);
      const strange = recordsOf(batch)
        .map(idOf)
        .find((id) => id !== refundOrderId);
      expectThat(strange === undefined, batch, {
        expected: `the refund ${refundOrderId}, and no other one`,
        actual: `data shows ${show(strange)}`,
        requirement: bySeveral,
      });
    }
  }
}

/** Brings one of two namesakes to a state; the other stays. False where the target does not take both. */
async function expectRefundUnmoved(
  context: CheckContext,
  onlySimilar: boolean,
  state: ReachableRefundState,
  stays: (typeof standingRefunds)[number],
  place: number,
): Promise<boolean> {
  const sameId = context.newOrderId();
  const [firstId, secondId] = onlySimilar ? similarIds(context) : [sameId, sameId];
  const owner = await context.ownMerchant();
  const makeOne = async (merchant: Credentials, merchantRefundOrderId: string, name: Name): Promise<MadeRefund> =>
    makeRefund(context, merchant, {
      order: await makePaidOrder(context, merchant, hostedPrice(name)),
      merchantRefundOrderId,
      refundReason: `The ${name} one of two`,
      extraData: `{"namesake":"${name}"}`,
    });
  const first = await makeOne(owner, firstId, 'first');
  const second = await ifTaken(makeOne(onlySimilar ? owner : await context.ownMerchant(), secondId, 'second'));
  if (!second) return false;
  const [moved, other] = place % 2 === 0 ? [first, second] : [second, first];
  await bringRefundTo(context, other, stays);
  await bringRefundTo(context, moved, state);
  const what = { end: state, onlySimilar };
  expectUnmoved(await other.query(), 'a refund', stays, what, 'refunds.create.accepted');
  // A target may remember of refunds what can no longer change.
  await whereReached(bringRefundTo(context, other, state === 'SUCCEEDED' ? 'FAILED' : 'SUCCEEDED', stays));
  await expectEachItsOwnRefund([moved, other], onlySimilar);
  return true;
}

/** Fails unless each of two namesakes stays where it is, whatever becomes of the other. False where the target takes no two. */
async function expectRefundUnmovedByAll(context: CheckContext, onlySimilar: boolean): Promise<boolean> {
  const states = refundStates.filter((state) => state !== 'PENDING');
  const judged = await sideBySide(
    states.flatMap((state, place) =>
      standingRefunds.map((stays, index) =>
        whereReached(expectRefundUnmoved(context, onlySimilar, state, stays, place + index)),
      ),
    ),
  );
  return judged.includes(true);
}

/** Where there is something under the same id, or nearly the same, each moves by itself. */
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
      if (!(await expectRefundUnmovedByAll(context, false))) throw notTaken();
    },
  },
  similarOrdersCheck('orders', 'a hosted order'),
  similarOrdersCheck('checkout', 'a checkout order'),
  {
    id: 'refunds.situations.similar-ids',
    title:
      'What happens to a refund moves none of the same merchant whose id differs from its own in the case of one letter, and each is shown for itself',
    requirements: ['refunds.create.accepted', 'refunds.query.by-merchant-refund-order-id', 'refunds.batch-query.known'],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      // Of what an id of a refund may be made is not said.
      if (await expectRefundUnmovedByAll(context, true)) return;
      throw new PermittedChoice('no two refunds can have ids that differ in the case of one letter');
    },
  },
];
