import type { RequirementId } from '../../../../generated/catalogue.ts';
import { type Product, tooLittle, unpaidStatuses } from '../../../arrange/orders/any-order.ts';
import { confirmed, exchanges, hostedNetworks, paymentOver } from '../../../arrange/orders/payments.ts';
import type { CheckContext } from '../../../check/context.ts';
import { addDecimals, compareDecimals, subtractDecimals } from '../../../contract/decimals.ts';
import type { OrderStep } from '../../../drivers/driver.ts';

/** Something that happens to an order: a step of the driver, or that its time to be paid runs out. */
export type Happening = OrderStep | 'time runs out';

/** What becomes of an order, from its create to its end. */
export interface Course {
  /** In words that follow an order. */
  words: string;
  /** What happens to it. `due`: decimal text, where the answer to its create tells it. */
  happenings(context: CheckContext, due: string | undefined): readonly Happening[];
  /** The statuses in which it must be then. Absent: which of those of an end is open. */
  ends?: readonly string[];
  /** The sentence by which it ends so. */
  requirement: RequirementId;
  /** The sentence by which that is announced. Absent: whether it is announced is open. */
  announced?: RequirementId;
  /** Its orders name no address: what is to be announced is open where time may end a payment. */
  isUnaddressed?: true;
}

/** By how much a payment misses what is due. */
const aCent = '0.01';

const detected: OrderStep = { type: 'transaction_detected' };

/** How orders of a product end. */
interface Ends {
  /** The sentence by which each of these brings an order to its end. */
  confirmed: RequirementId;
  underpaid: RequirementId;
  expired: RequirementId;
  final: RequirementId;
  /** Absent: whether that happens to such an order, and what becomes of it then, is open. */
  underWay?: RequirementId;
  failed?: RequirementId;
  cancelled?: RequirementId;
  /** The statuses of an order whose time has run out. */
  unpaid: readonly string[];
}

const endsOf: Readonly<Record<Product, Ends>> = {
  orders: {
    confirmed: 'orders.states.confirmed',
    underpaid: 'orders.states.failed',
    expired: 'orders.states.expired',
    final: 'orders.states.final',
    underWay: 'orders.states.no-other-moves',
    failed: 'orders.states.failed',
    cancelled: 'orders.states.cancelled',
    unpaid: ['CLOSED'],
  },
  checkout: {
    confirmed: 'checkout.payment-rule',
    underpaid: 'checkout.payment-rule',
    expired: 'checkout.states.expired',
    final: 'checkout.states.final',
    unpaid: unpaidStatuses,
  },
};

/** A cent less than what is due. An order of which that is not known is paid too little in any case. */
function lessThan(due: string | undefined): string {
  return due !== undefined && compareDecimals(due, aCent) > 0 ? subtractDecimals(due, aCent) : tooLittle;
}

/** Every course that the contract ends in a way of its own. */
function courses(product: Product): readonly Course[] {
  const { confirmed: paid, underpaid, expired, final, underWay, failed, cancelled, unpaid } = endsOf[product];
  return [
    {
      words: 'which is paid',
      happenings: () => [detected, confirmed],
      ends: ['SUCCEEDED'],
      requirement: paid,
      announced: 'webhooks.order.paid',
    },
    {
      words: 'of which a cent more is paid',
      happenings: (_, due) => [
        { ...detected, ...(due !== undefined && { amount: addDecimals([due, aCent]) }) },
        confirmed,
      ],
      ends: ['SUCCEEDED'],
      requirement: paid,
      announced: 'webhooks.order.paid',
    },
    {
      words: 'of which a cent less is paid',
      happenings: (_, due) => [{ ...detected, amount: lessThan(due) }, confirmed],
      ends: ['FAILED'],
      requirement: underpaid,
      announced: 'webhooks.order.failed',
    },
    {
      words: 'whose time runs out',
      happenings: () => ['time runs out'],
      ends: unpaid,
      requirement: expired,
      announced: 'webhooks.order.expired',
    },
    {
      words: 'which is paid when its time has run out',
      happenings: () => ['time runs out', detected, confirmed],
      ends: unpaid,
      requirement: final,
      announced: 'webhooks.order.expired',
    },
    {
      words: 'whose time runs out while its payment is under way',
      happenings: () => [detected, 'time runs out', confirmed],
      // A payment may time out meanwhile.
      ...(underWay && { ends: ['SUCCEEDED', 'FAILED'] }),
      requirement: underWay ?? final,
      isUnaddressed: true,
    },
    {
      words: 'whose payment fails',
      happenings: () => [detected, { type: 'payment_failed', reason: 'error' }],
      ...(failed && { ends: ['FAILED'], announced: 'webhooks.order.failed' }),
      requirement: failed ?? final,
    },
    {
      words: 'which is cancelled',
      happenings: () => [{ type: 'cancelled' }],
      ...(cancelled && { ends: ['CLOSED'], announced: 'webhooks.order.cancelled' }),
      requirement: cancelled ?? final,
    },
  ];
}

/** Payments of hosted orders in each way for which the specification has a name. */
const byEachMeans: readonly Course[] = [
  ...hostedNetworks.map((network) => ({
    words: `which is paid over ${network}`,
    pay: (context: CheckContext) => paymentOver(context, network),
  })),
  ...exchanges.map((paymentMethod) => ({
    words: `which ${paymentMethod} pays`,
    pay: () => ({ ...detected, paymentMethod }),
  })),
].map(({ words, pay }) => ({
  words,
  happenings: (context) => [pay(context), confirmed],
  ends: ['SUCCEEDED'],
  requirement: endsOf.orders.confirmed,
  announced: 'webhooks.order.paid',
}));

/** True for a course that is possible with the driver. That the time of an order runs out alone can be awaited. */
function isPossible(context: CheckContext, course: Course): boolean {
  const happenings = course.happenings(context, undefined);
  const isExpiry = happenings.includes('time runs out');
  const needsDriver = happenings.length > 1 || !isExpiry;
  return (context.has('order-events') || !needsDriver) && (context.has('clock') || !(isExpiry && needsDriver));
}

/** The courses of orders of a product, as far as the target can be led them. */
export function coursesOf(context: CheckContext, product: Product): readonly Course[] {
  const all = [...courses(product), ...(product === 'orders' ? byEachMeans : [])];
  return all.filter((course) => isPossible(context, course));
}
