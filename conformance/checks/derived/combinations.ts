import type { RequirementId } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { paymentMethodsOf } from '../../arrange/checkout-orders/payment-methods.ts';
import { ordersClient } from '../../arrange/orders/client.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { seededRandom } from '../../check/random.ts';
import { Broken } from '../../errors/outcomes.ts';
import {
  checkoutFeatures,
  makeCombinedCheckoutOrder,
  merchantWithMethod,
} from '../support/combinations/checkout-orders.ts';
import { type Feature, merchantWith, merged } from '../support/combinations/features.ts';
import { hostedFeatures, makeHostedOrder } from '../support/combinations/hosted-orders.ts';
import { broken } from '../support/combinations/lives.ts';
import { leadOrder, type Making } from '../support/combinations/order-life.ts';
import { pairwise } from '../support/combinations/pairwise.ts';
import { refundFeatures } from '../support/combinations/refund-features.ts';
import { leadRefund } from '../support/combinations/refund-life.ts';
import { sharedFeatures } from '../support/combinations/shared-features.ts';

// A rule may be broken only where two circumstances meet, and nobody can list all of those. So any two of them meet in one order at least.

const makeUsualHosted: Making<Feature>['makeUsual'] = (context, merchant, merchantOrderId) =>
  makeOrder(context, merchant, { merchantOrderId });

const makeUsualCheckout: Making<Feature>['makeUsual'] = (context, merchant, merchantOrderId) =>
  makeCheckoutOrder(context, merchant, { merchantOrderId });

/** Leads an order of every combination through its course, all side by side. */
async function leadAll<ProductFeature extends Feature>(
  context: CheckContext,
  making: Making<ProductFeature>,
  ownFeatures: readonly (readonly ProductFeature[])[],
): Promise<void> {
  const lists = [...sharedFeatures(context, making.product), ...ownFeatures];
  const combinations = combine<Feature | ProductFeature>(lists);
  await leadEach(context, combinations, (features) => leadOrder(context, making, features));
}

/** The combinations of these lists. They are the same in every run, so that no verdict hangs on the seed. */
const combine = <Item>(lists: readonly (readonly Item[])[]): Item[][] => pairwise(lists, seededRandom('combinations'));

/** How many combinations are enough where the run has limits, or has to wait until the time of orders runs out. The first ones meet most pairs. */
const fewest = 24;

/** How many are led side by side. */
const mostAtOnce = 24;

/** Leads each to its end, some of them side by side. Throws the gravest error then, as `sideBySide` does. */
async function leadEach<Named extends { words?: string }>(
  context: CheckContext,
  combinations: readonly (readonly Named[])[],
  lead: (combination: readonly Named[]) => Promise<void>,
): Promise<void> {
  const led = await someAtOnce(
    context.isThrifty || !context.has('clock') ? combinations.slice(0, fewest) : combinations,
    async (combination) => {
      const [outcome] = await Promise.allSettled([lead(combination)]);
      return { outcome, words: combination.flatMap(({ words }) => words ?? []) };
    },
    mostAtOnce,
  );
  const faulty = led.filter(({ outcome }) => outcome.status === 'rejected' && outcome.reason instanceof Broken);
  const shared = sharedBy(faulty.map(({ words }) => words));
  await sideBySide(
    led.map(async ({ outcome }) => {
      if (outcome.status === 'rejected') throw tellingShared(outcome.reason, shared);
    }),
  );
}

/** What all of several have in common. Empty: there are not several. */
function sharedBy([first = [], ...others]: readonly (readonly string[])[]): readonly string[] {
  return others.length === 0 ? [] : first.filter((words) => others.every((each) => each.includes(words)));
}

/** A fault that says what all that have one share. */
function tellingShared(error: unknown, shared: readonly string[]): unknown {
  if (!(error instanceof Broken) || shared.length === 0) return error;
  return broken(error, { actual: `${error.actual}; common to all that show a fault: ${shared.join(', ')}` });
}

/** The payment methods of the shared merchant. */
const methodsOf = async (context: CheckContext) => paymentMethodsOf(checkoutClient(context, await context.merchant()));

/** The sentences by which the end of an order is announced. */
const announcements = [
  'webhooks.order.paid',
  'webhooks.order.failed',
  'webhooks.order.expired',
  'webhooks.retry',
] as const satisfies readonly RequirementId[];

/** Checks that orders come to their ends whichever two circumstances meet. */
export const combinationChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.combinations',
    title: 'A hosted order comes to the end that the contract gives it, whichever two circumstances meet',
    mayCall: ['checkout'],
    requirements: [
      'orders.states.confirmed',
      'orders.states.failed',
      'orders.states.expired',
      'orders.states.cancelled',
      'orders.states.no-other-moves',
      'orders.states.final',
      ...announcements,
      'webhooks.order.cancelled',
    ],
    long: true,
    run: (context) =>
      leadAll(
        context,
        {
          product: 'orders',
          noun: 'a hosted order',
          merchantFor: (by, features) => merchantWith(by, merged<Feature>(features).settings),
          make: makeHostedOrder,
          clientOf: ordersClient,
          makeUsual: makeUsualHosted,
          makeOther: makeUsualCheckout,
        },
        hostedFeatures,
      ),
  },
  {
    id: 'checkout.combinations',
    title: 'A checkout order comes to the end that the contract gives it, whichever two circumstances meet',
    mayCall: ['orders'],
    requirements: ['checkout.payment-rule', 'checkout.states.expired', 'checkout.states.final', ...announcements],
    long: true,
    run: async (context) =>
      leadAll(
        context,
        {
          product: 'checkout',
          noun: 'a checkout order',
          merchantFor: merchantWithMethod,
          make: makeCombinedCheckoutOrder,
          clientOf: checkoutClient,
          makeUsual: makeUsualCheckout,
          makeOther: makeUsualHosted,
        },
        checkoutFeatures(await methodsOf(context)),
      ),
  },
  {
    id: 'refunds.combinations',
    title: 'A refund lives as the contract says, whichever two circumstances meet',
    calls: ['orders'],
    mayCall: ['checkout'],
    requirements: [
      'refunds.create.accepted',
      'refunds.create.completed-payments',
      'refunds.create.idempotent',
      'webhooks.refund.notify-url',
      'webhooks.refund.default-address',
      'webhooks.refund.retry',
    ],
    needs: ['own-merchant', 'order-events', 'refund-events'],
    long: true,
    async run(context) {
      const methods = context.has('checkout') ? await methodsOf(context) : [];
      const combinations = combine(refundFeatures(context, methods));
      await leadEach(context, combinations, (features) => leadRefund(context, features));
    },
  },
];
