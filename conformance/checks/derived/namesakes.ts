import type { OrdersState, RequirementId } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import {
  type AnyMadeOrder,
  bringOrderTo,
  orderStates,
  type Product,
  passSoon,
} from '../../arrange/orders/any-order.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import {
  bringRefundTo,
  type MadeRefund,
  makeRefund,
  type ReachableRefundState,
  refundStates,
} from '../../arrange/refunds/refunds.ts';
import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, statusOf } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';

// Two merchants may have something under the same id. What happens to one of them leaves the other where it is.

/** Fails unless what `query` shows is still in the status in which it was made. */
function expectUnmoved(answer: Answer, noun: string, status: string, what: string, requirement: RequirementId): void {
  expectThat(statusOf(answer) === status, answer, {
    expected: `${noun} that nothing has happened to stays ${status}, whatever becomes of another merchant's under the same id (${what})`,
    actual: `data.status = ${show(statusOf(answer))}`,
    requirement,
  });
}

/** What one of two namesakes may come to: the states, and the end of its time. */
type End = Exclude<OrdersState, 'INIT'> | 'expired';

const ends = (context: CheckContext): End[] => [
  ...orderStates.filter((state) => state !== 'INIT'),
  ...(context.has('clock') ? (['expired'] as const) : []),
];

/** Where the other one stays meanwhile. */
const standing = ['INIT', 'PROCESSING'] as const satisfies readonly OrdersState[];

/** Brings one of two namesakes to an end; the other stays, and can be paid then. False where the target does not take both. */
async function expectOrderUnmoved(
  context: CheckContext,
  product: Product,
  end: End,
  stays: (typeof standing)[number],
  isFirstMoved: boolean,
): Promise<boolean> {
  const merchantOrderId = context.newOrderId();
  const make = async (): Promise<AnyMadeOrder> => {
    const merchant = await context.ownMerchant();
    return product === 'orders'
      ? makeOrder(context, merchant, { merchantOrderId })
      : makeCheckoutOrder(context, merchant, { merchantOrderId });
  };
  const first = await make();
  const second = await ifTaken(make());
  if (!second) return false;
  const [moved, other] = isFirstMoved ? [first, second] : [second, first];
  await bringOrderTo(context, other, stays);
  if (end === 'expired') await passSoon(context, moved.merchant);
  else await bringOrderTo(context, moved, end);
  const noun = product === 'orders' ? 'a hosted order' : 'a checkout order';
  expectUnmoved(await other.query(), noun, stays, end, `${product}.states.initial`);
  await bringOrderTo(context, other, 'SUCCEEDED');
  return true;
}

const notTaken = () => new PermittedChoice('two merchants cannot have the same id here (open point id-namespaces)');

const ordersCheck = (product: Product, noun: string): CheckDeclaration => ({
  id: `${product}.situations.namesakes`,
  title: `What happens to ${noun} moves none that another merchant has under the same id`,
  requirements: [`${product}.states.initial`],
  needs: ['order-events', 'own-merchant'],
  async run(context) {
    const judged = await sideBySide(
      ends(context).flatMap((end, place) =>
        standing.map((stays, index) =>
          ifReached(expectOrderUnmoved(context, product, end, stays, (place + index) % 2 === 0)),
        ),
      ),
    );
    if (!judged.includes(true)) throw notTaken();
  },
});

/** False where the target does not come to a state that it may leave out. */
async function ifReached(judged: Promise<boolean>): Promise<boolean> {
  try {
    return await judged;
  } catch (error) {
    if (error instanceof PermittedChoice) return false;
    throw error;
  }
}

const standingRefunds = ['PENDING', 'PROCESSING'] as const satisfies readonly ReachableRefundState[];

async function expectRefundUnmoved(
  context: CheckContext,
  state: ReachableRefundState,
  stays: (typeof standingRefunds)[number],
  isFirstMoved: boolean,
): Promise<boolean> {
  const merchantRefundOrderId = context.newOrderId();
  const make = async (): Promise<MadeRefund> =>
    makeRefund(context, await context.ownMerchant(), { merchantRefundOrderId });
  const first = await make();
  const second = await ifTaken(make());
  if (!second) return false;
  const [moved, other] = isFirstMoved ? [first, second] : [second, first];
  await bringRefundTo(context, other, stays);
  await bringRefundTo(context, moved, state);
  expectUnmoved(await other.query(), 'a refund', stays, state, 'refunds.create.accepted');
  return true;
}

/** Where two merchants have something under the same id, each of them moves by itself. */
export const namesakeChecks: readonly CheckDeclaration[] = [
  ordersCheck('orders', 'a hosted order'),
  ordersCheck('checkout', 'a checkout order'),
  {
    id: 'refunds.situations.namesakes',
    title: 'What happens to a refund moves none that another merchant has under the same id',
    requirements: ['refunds.create.accepted'],
    needs: ['order-events', 'refund-events', 'own-merchant'],
    async run(context) {
      const states = refundStates.filter((state) => state !== 'PENDING');
      const judged = await sideBySide(
        states.flatMap((state, place) =>
          standingRefunds.map((stays, index) =>
            ifReached(expectRefundUnmoved(context, state, stays, (place + index) % 2 === 0)),
          ),
        ),
      );
      if (!judged.includes(true)) throw notTaken();
    },
  },
];
