import type { OrdersState } from '../../../generated/catalogue-ids.ts';
import {
  checkoutMerchant,
  checkoutOrderIn,
  checkoutRequest,
  type MadeCheckoutOrder,
  makeCheckoutOrder,
  makeCheckoutOrderIn,
  makeExpiringCheckoutOrder,
  orderedBy,
  readyCheckoutMerchant,
} from '../../arrange/checkout-orders/checkout-orders.ts';
import type { CheckoutOrderCreateRequest } from '../../arrange/checkout-orders/client.ts';
import { paymentMethodsOf } from '../../arrange/checkout-orders/payment-methods.ts';
import { expire, orderStateNeeds, orderStates } from '../../arrange/orders/any-order.ts';
import { confirmed, overpaid } from '../../arrange/orders/payments.ts';
import { allWays } from '../../arrange/requests/unusual-ways.ts';
import { atTheSameMoment, everyRound, type Start } from '../../arrange/situations/races.ts';
import { letHappen, sideBySide, unpaidEnds } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectField,
  expectThat,
  isAccepted,
  isTaken,
  needAccepted,
  summary,
} from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { isSameMoment } from '../../contract/moments.ts';
import { show } from '../../contract/show.ts';
import type { OrderStep } from '../../drivers/driver.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { repeatOfCheckoutOrder } from '../support/repeated-creates.ts';
import { manyAtOnce, needSomeAccepted } from '../support/repeats.ts';

/** The same amount, written with another zero. */
const rewritten = (value: string) => (value.includes('.') ? `${value}0` : `${value}.0`);

/** How much longer an order lives that is made under the id of another, in milliseconds: it may be made after that one has expired. */
const livingLonger = 21_600_000;

type Prepare = (context: CheckContext) => Promise<MadeCheckoutOrder>;

/** Fails where an identical repeat, in whichever way it is sent, or one with the same amount in another form or with another one, changes anything. */
async function expectUnchangedByRepeats(context: CheckContext, order: MadeCheckoutOrder): Promise<void> {
  for (const way of allWays) {
    await repeatOfCheckoutOrder(context, order, {}, `the same create again, ${way.words}`, way);
  }
  const orderAmount = { ...order.request.orderAmount, value: rewritten(order.request.orderAmount.value) };
  const what = `the same create again, with its amount written ${orderAmount.value}`;
  await repeatOfCheckoutOrder(context, order, { orderAmount }, what);
  const other = { ...order.request.orderAmount, value: anotherAmount(order) };
  const expiresAt = new Date(Date.parse(order.request.expiresAt) + livingLonger).toISOString();
  const changes = { orderAmount: other, expiresAt, description: 'another one' };
  const another = `a create of an order over ${other.value} under the same merchantOrderId`;
  await repeatOfCheckoutOrder(context, order, changes, another);
}

/** A check of such repeats. `prepare` and each of the `others` make an order. */
function identicalRepeat(
  check: Pick<CheckDeclaration, 'id' | 'title' | 'needs'>,
  prepare: Prepare,
  others: readonly Prepare[] = [],
): CheckDeclaration {
  return {
    ...check,
    long: true,
    requirements: ['checkout.create.idempotent', 'checkout.create.repeat-same-order', 'general.success-code'],
    async run(context) {
      await sideBySide(
        [prepare, ...others].map(async (each) => expectUnchangedByRepeats(context, await each(context))),
      );
    },
  };
}

/** Makes an order to which these steps have happened. */
const prepareBy =
  (steps: readonly OrderStep[]): Prepare =>
  async (context) => {
    const order = await makeCheckoutOrder(context, await context.ownMerchant());
    await letHappen(context, order, steps);
    return order;
  };

/** Further ways of an order to a state than the usual one. */
const otherWaysTo: Readonly<Partial<Record<OrdersState, readonly (readonly OrderStep[])[]>>> = {
  SUCCEEDED: [[overpaid, confirmed]],
  FAILED: [unpaidEnds.failed, [overpaid, { type: 'payment_failed' }]],
};

const inEveryState: readonly CheckDeclaration[] = [
  ...orderStates.map((state) =>
    identicalRepeat(
      {
        id: `checkout.create.repeat.${state.toLowerCase()}`,
        title: `A create that is sent again while its order is ${state} makes no second order and changes nothing`,
        needs: orderStateNeeds(state),
      },
      (context) => checkoutOrderIn(context, state),
      otherWaysTo[state]?.map(prepareBy),
    ),
  ),
  identicalRepeat(
    {
      id: 'checkout.create.repeat.expired',
      title: 'A create that is sent again after its order has expired makes no second order and opens nothing again',
    },
    async (context) => {
      const order = await makeExpiringCheckoutOrder(context, await context.ownMerchant());
      await expire(context, order);
      return order;
    },
  ),
];

/** A check that an identical repeat is answered with the order while it is open. */
function answeredRepeat(check: Pick<CheckDeclaration, 'id' | 'title' | 'needs'>, state: OrdersState): CheckDeclaration {
  return {
    ...check,
    requirements: ['checkout.create.repeat-identical'],
    openPoint: 'checkout-repeat',
    async run(context) {
      const order = await checkoutOrderIn(context, state);
      const answer = await order.client.create(order.request);
      const value = isAccepted(answer) ? undefined : 'always-refused';
      context.observeIn(answer, 'checkout-repeat', `the same request in ${state}: ${summary(answer)}`, value);
      expectAccepted(answer, 'the same create again');
    },
  };
}

/** Repeats that differ from the request of the order, each with its difference in words. */
async function differentRepeats(order: MadeCheckoutOrder): Promise<[string, Partial<CheckoutOrderCreateRequest>][]> {
  const { method, request, client } = order;
  const { orderAmount } = request;
  const other = (await paymentMethodsOf(client)).find(({ network }) => network !== method.network);
  const later = new Date(Date.parse(request.expiresAt) + 60_000).toISOString();
  const single: [string, Partial<CheckoutOrderCreateRequest>][] = [
    ['another description', { description: 'another one' }],
    ['another expiresAt', { expiresAt: later }],
    ['another customer', { customer: { customerId: 'C-2', name: 'Another One' } }],
    ['other items', { items: [{ name: 'Another item', quantity: 2, price: '1.00', currency: orderAmount.currency }] }],
    ['another customerIp', { customerIp: '192.0.2.77' }],
    ['another userAgent', { userAgent: 'another/2' }],
    ['other metadata', { metadata: '{"case":"other"}' }],
    ['another callbackUrl', { callbackUrl: 'https://shop.example/hooks/other' }],
    ['another amount', { orderAmount: { ...orderAmount, value: anotherAmount(order) } }],
    ...(other
      ? ([
          [
            'another payment method',
            { network: other.network, orderAmount: { ...orderAmount, currency: other.currency } },
          ],
        ] satisfies [string, Partial<CheckoutOrderCreateRequest>][])
      : []),
  ];
  // What is refused for one difference must not leave the others behind.
  const all: Partial<CheckoutOrderCreateRequest> = {};
  for (const [, changes] of single) Object.assign(all, changes);
  return [...single, ['all of these differences', all]];
}

/** An amount of the order's payment method that is not the order's. */
function anotherAmount({ method, request }: MadeCheckoutOrder): string {
  return [method.minAmount, method.maxAmount].find((each) => each !== request.orderAmount.value) ?? method.maxAmount;
}

const different: readonly CheckDeclaration[] = [
  {
    id: 'checkout.create.repeat.changed',
    title: 'A create under the id of an order, with other fields, makes no second order and changes nothing',
    requirements: ['checkout.create.idempotent', 'checkout.create.repeat-same-order', 'general.success-code'],
    async run(context) {
      const order = await makeCheckoutOrder(context, await context.merchant());
      for (const [what, changes] of await differentRepeats(order)) {
        await repeatOfCheckoutOrder(context, order, changes, `a create with ${what} under the same merchantOrderId`);
      }
    },
  },
  {
    id: 'checkout.create.repeat.different',
    title: 'Which repeats of a create get the existing order',
    requirements: ['checkout.create.repeat-different'],
    async run(context) {
      const order = await makeCheckoutOrder(context, await context.merchant());
      const value = rewritten(order.request.orderAmount.value);
      const repeats: [string, Partial<CheckoutOrderCreateRequest>][] = [
        ['the same request', {}],
        [`the amount written ${value}`, { orderAmount: { ...order.request.orderAmount, value } }],
        ...(await differentRepeats(order)),
      ];
      const existing = new Map<string, boolean>();
      const seen: string[] = [];
      const answers: Answer[] = [];
      let isKnown = true;
      const look = (what: string, answer: Answer, orderId: string) => {
        answers.push(answer);
        const isExisting = isAccepted(answer) && field(answer, 'data.orderId') === orderId;
        existing.set(what, isExisting);
        seen.push(`${what}: ${isExisting ? 'the existing order' : `code ${show(field(answer, 'code'))}`}`);
        // Every value knows two answers: the existing order, and a refusal with this code.
        isKnown &&= isExisting || field(answer, 'code') === errorCode('checkout', 'ORDER_ALREADY_EXISTS');
      };
      for (const [what, changes] of repeats) {
        look(what, await order.client.create({ ...order.request, ...changes }), order.orderId);
      }
      if (context.has('order-events')) {
        const paid = await makeCheckoutOrderIn(context, 'SUCCEEDED');
        look('the same request once it is paid', await paid.client.create(paid.request), paid.orderId);
      }
      context.observeIn(
        answers,
        'checkout-repeat',
        seen.join('; '),
        isKnown ? repeatValue((what) => existing.get(what)) : null,
      );
    },
  },
];

/** The value at open point checkout-repeat; `existing` tells whether a repeat was answered with the existing order. */
function repeatValue(existing: (what: string) => boolean | undefined): string {
  if (!existing('the same request')) return 'always-refused';
  if (existing('the same request once it is paid') === false) return 'while-open';
  if (existing('another amount')) return 'always-existing';
  return existing('another description') ? 'same-terms' : 'same-request';
}

/** Fields that the answer to a create never has a value for, because they belong to queries. */
const onlyInQueries = ['cryptoPaidAmount', 'cryptoPaymentDetail', 'paidAt'] as const;

const more: readonly CheckDeclaration[] = [
  {
    id: 'checkout.create.repeat.paid-view',
    title: 'A repeated create of a paid order is answered with the view of a create, without the payment',
    requirements: ['checkout.view.fields'],
    needs: ['order-events'],
    async run(context) {
      const order = await makeCheckoutOrderIn(context, 'SUCCEEDED');
      const answer = await order.client.create(order.request);
      if (!isTaken(answer, 'a repeated create of a paid order'))
        throw new PermittedChoice('a repeat of a paid order is refused (open point checkout-repeat)');
      for (const name of onlyInQueries) {
        const value = field(answer, `data.${name}`) ?? null;
        expectThat(value === null, answer, {
          expected: `data.${name} has no value in the answer to a create`,
          actual: `data.${name} = ${show(value)}`,
        });
      }
    },
  },
  {
    id: 'checkout.create.repeat.parallel',
    title: `${manyAtOnce} identical creates at the same moment make one order`,
    requirements: ['checkout.create.idempotent', 'checkout.create.repeat-same-order'],
    async run(context) {
      const { client, method } = await readyCheckoutMerchant(context, await context.merchant());
      await everyRound(async () => {
        const request = checkoutRequest(context, method);
        const create = (start: Start) => client.post(client.createPath, request, start);
        const accepted = needSomeAccepted(await atTheSameMoment(Array.from({ length: manyAtOnce }, () => create)));
        const query = await client.query(request.merchantOrderId);
        expectAccepted(query, 'a query for the order that was made', 'checkout.query.by-merchant-order-id');
        const orderId = field(query, 'data.orderId');
        for (const answer of accepted) {
          expectField(answer, 'data.orderId', orderId, 'checkout.create.repeat-same-order');
        }
      });
    },
  },
  {
    id: 'checkout.create.repeat.other-merchant',
    title: 'A merchantOrderId that another merchant has used makes an order of its own',
    requirements: ['checkout.create.other-merchant'],
    needs: ['other-merchant'],
    async run(context) {
      const merchant = await context.merchant();
      const other = await context.merchant('other');
      const { client, method } = await checkoutMerchant(context, other);
      // Both orders are alike, because a target that takes one for the other may compare their terms.
      const order = await makeCheckoutOrder(
        context,
        merchant,
        orderedBy((await checkoutMerchant(context, merchant)).method),
      );
      needAccepted(await client.create(checkoutRequest(context, method)), "another merchant's ordinary create");
      const { merchantOrderId } = order.request;
      // Two merchants may each have an order with the same platform id, so that another expiry tells the orders apart.
      const expiresAt = new Date(Date.parse(order.request.expiresAt) + 3_600_000).toISOString();
      const answer = await client.create(checkoutRequest(context, method, { merchantOrderId, expiresAt }));
      expectAccepted(answer, "a create under a merchantOrderId of another merchant's");
      for (const each of [answer, await client.query(merchantOrderId)]) {
        expectField(each, 'data.merchantId', other.merchantId);
        const shown = field(each, 'data.expiresAt');
        expectThat(isSameMoment(String(shown), expiresAt), each, {
          expected: `an order of its own: data.expiresAt = ${expiresAt}`,
          actual: `data.expiresAt = ${show(shown)}`,
        });
      }
      expectField(await order.query(), 'data.orderId', order.orderId);
    },
  },
];

export const checkoutIdempotencyChecks: readonly CheckDeclaration[] = [
  answeredRepeat(
    {
      id: 'checkout.create.repeat.identical',
      title: 'The same create sent again is answered with the order, not with 20001',
      needs: [],
    },
    'INIT',
  ),
  answeredRepeat(
    {
      id: 'checkout.create.repeat.identical-while-paying',
      title: 'The same create sent again while the order is being paid is answered with the order, not with 20001',
      needs: ['order-events'],
    },
    'PROCESSING',
  ),
  ...inEveryState,
  ...different,
  ...more,
];
