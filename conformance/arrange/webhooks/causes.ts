import type { OrdersState, RequirementId } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import { needText } from '../../check/expect.ts';
import type { Need } from '../../check/needs.ts';
import type { OrderStep } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import { expire, type Product, tooLittle } from '../orders/any-order.ts';
import { bringAnyOrderTo } from '../products.ts';
import { bringTo } from '../requests/bring-to.ts';
import { awaitShortly, mentionsStatus } from './waiting.ts';
import { makeNotifiedOrder, type NotifiedOrder } from './webhooks.ts';

/** Why an order comes to an end that must be announced. */
export interface Cause {
  /** The last word of ids. */
  name: string;
  /** The cause in words that follow `an order that`. */
  words: string;
  requirement: RequirementId;
  needs: readonly Need[];
  /** How long its orders live. Absent: as usual. */
  lifetime?: 'short';
  /** Absent: both products; the contract announces a cancelled order for hosted orders only. */
  onlyOf?: Product;
  /**
   * Brings an order of a product to its end. Resolves with the status that it then has. Throws `Inconclusive` when it does not get there, and
   * `PermittedChoice` when the contract lets the target leave out a state on the way.
   */
  bringAbout(context: CheckContext, order: NotifiedOrder, product: Product): Promise<string>;
}

const detected: OrderStep = { type: 'transaction_detected' };
const confirmed: OrderStep = { type: 'payment_confirmed' };

const byDriver = (
  name: string,
  words: string,
  requirement: RequirementId,
  state: OrdersState,
  steps: readonly OrderStep[],
): Cause => ({
  name,
  words,
  requirement,
  needs: ['order-events'],
  bringAbout: async (context, { product, merchant, orderId, query }) => {
    await bringTo(context, product, state, query, steps, (step) => context.orderEvent(merchant, orderId, step));
    return state;
  },
});

/** The payment of an order in PROCESSING fails. A checkout order may leave PROCESSING out, or have no way for its payment to fail. */
const byFailure = (name: string, words: string, reason: 'timeout' | 'error'): Cause => ({
  name,
  words,
  requirement: 'webhooks.order.failed',
  needs: ['order-events'],
  bringAbout: async (context, order, product) => {
    await bringAnyOrderTo(context, order, 'PROCESSING');
    const { merchant, orderId, query } = order;
    await bringTo(context, product, 'FAILED', query, [{ type: 'payment_failed', reason } as const], async (step) => {
      const outcome = await context.orderEvent(merchant, orderId, step);
      if (outcome.done || product === 'orders') return outcome;
      throw new PermittedChoice(
        `${step.type} does not happen to a checkout order here (open point checkout-transitions)`,
      );
    });
    return 'FAILED';
  },
});

/** The causes for which orders of both products come to an end, as the contract lists them. */
export const causes: readonly Cause[] = [
  byDriver('paid', 'is paid', 'webhooks.order.paid', 'SUCCEEDED', [detected, confirmed]),
  byDriver('failed', 'is paid too little', 'webhooks.order.failed', 'FAILED', [
    { ...detected, amount: tooLittle },
    confirmed,
  ]),
  byFailure('timed-out', 'fails because its payment takes too long', 'timeout'),
  byFailure('error', 'fails because of an error', 'error'),
  {
    name: 'expired',
    words: 'expires',
    requirement: 'webhooks.order.expired',
    needs: [],
    lifetime: 'short',
    bringAbout: async (context, order) => needText(await expire(context, order), 'data.status'),
  },
  {
    ...byDriver('cancelled', 'is cancelled', 'webhooks.order.cancelled', 'CLOSED', [{ type: 'cancelled' }]),
    onlyOf: 'orders',
  },
];

/**
 * An order of a merchant of its own that came to an end for a cause, and whose webhook has come. `undefined`: the run cannot bring the cause
 * about at once, the target may leave a state on the way out, or no webhook came; the checks of announcements judge that.
 */
export async function bringAboutAndHear(
  context: CheckContext,
  product: Product,
  name: string,
): Promise<NotifiedOrder | undefined> {
  const cause = causes.find((each) => each.name === name);
  if (!cause?.needs.every((need) => context.has(need)) || (cause.lifetime && !context.has('clock'))) return undefined;
  try {
    const { lifetime } = cause;
    const order = await makeNotifiedOrder(context, product, await context.mailbox(), lifetime && { lifetime });
    const status = await cause.bringAbout(context, order, product);
    const what = `a webhook of ${product} that is ${status} (${name})`;
    return (await awaitShortly(context, order, mentionsStatus(status), what)) && order;
  } catch (error) {
    if (error instanceof Inconclusive || error instanceof PermittedChoice) return undefined;
    throw error;
  }
}
