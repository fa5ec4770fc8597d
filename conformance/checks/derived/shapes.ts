import type { RequirementId } from '../../../generated/catalogue.ts';
import { makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { type CheckoutOrderCreateRequest, checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { optionalFields as checkoutFields } from '../../arrange/checkout-orders/optional-fields.ts';
import { amountFor, paymentMethodsOf } from '../../arrange/checkout-orders/payment-methods.ts';
import {
  type AnyMadeOrder,
  needSoonAccepted,
  type Product,
  passSoon,
  soon,
  unpaidStatuses,
} from '../../arrange/orders/any-order.ts';
import type { OrderCreateRequest } from '../../arrange/orders/client.ts';
import { optionalFields as hostedFields } from '../../arrange/orders/optional-fields.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import {
  awaitEnd,
  confirmed,
  ifTaken,
  letHappen,
  paymentOver,
  sideBySide,
} from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, statusOf } from '../../check/expect.ts';
import { keysOf } from '../../check/keys-of.ts';
import { show } from '../../contract/show.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';

// An order lives as every other one does, whatever else its create says.

/** An order, and in what it differs from a usual one: the end of a sentence. */
interface Shaped {
  words: string;
  order: AnyMadeOrder;
  /** The network over which it is paid, by its code. Absent: any. */
  network?: string;
}

type Shape<Request> = readonly [words: string, changes: Partial<Request>];

const usdt = (value: string): Pick<OrderCreateRequest, 'orderAmount'> => ({ orderAmount: { value, currency: 'USDT' } });

/** Creates of hosted orders that every target takes. */
const hostedShapes: readonly Shape<OrderCreateRequest>[] = [
  ...keysOf(hostedFields).map((name) => [`with ${name}`, { [name]: hostedFields[name] }] as const),
  ['with every further field', hostedFields],
  ['that is priced in USD', { orderAmount: { value: '20', currency: 'USD' } }],
];

/** Creates of hosted orders that a target may refuse. */
const openHostedShapes: readonly Shape<OrderCreateRequest>[] = [
  [
    'that is split among sub-merchants',
    {
      ...usdt('9.5'),
      subMerchants: ['4.5', '5'].map((amount, index) => ({
        subMerchantId: `sub-${index}`,
        name: `Shop ${index}`,
        amount,
      })),
    },
  ],
  ['of a large price', usdt('1000000')],
  ['of a small price', usdt('0.000001')],
];

/** The changes with the address of a mailbox in the place of one at which nobody listens. */
const heard = async <Changes extends { callbackUrl?: string }>(context: CheckContext, changes: Changes) =>
  changes.callbackUrl === undefined ? changes : { ...changes, callbackUrl: (await context.mailbox()).url };

async function makeHosted(context: CheckContext, merchant: Credentials): Promise<Shaped[]> {
  const acceptance = needSoonAccepted(context);
  const make = async ([words, changes]: Shape<OrderCreateRequest>): Promise<Shaped> => ({
    words,
    order: await makeOrder(context, merchant, { ...(await heard(context, changes)), ...soon(context) }, acceptance),
  });
  const open = openHostedShapes.map((shape) => ifTaken(make(shape)));
  const made = await sideBySide([...hostedShapes.map(make), ...open]);
  return made.flatMap((each) => each ?? []);
}

/** Orders by each of the merchant's methods, of a usual and of the largest amount, and with every further field. */
async function makeCheckout(context: CheckContext, merchant: Credentials): Promise<Shaped[]> {
  const acceptance = needSoonAccepted(context);
  const methods = await paymentMethodsOf(checkoutClient(context, merchant));
  const byMethod = methods.flatMap(({ currency, network, ...range }) =>
    [...new Set([amountFor({ currency, network, ...range }), range.maxAmount])].map(
      (value): Shape<CheckoutOrderCreateRequest> => [
        `of ${value} ${currency} over ${network}`,
        { orderAmount: { value, currency }, network },
      ],
    ),
  );
  const shapes: Shape<CheckoutOrderCreateRequest>[] = [
    ...keysOf(checkoutFields).map((name) => [`with ${name}`, { [name]: checkoutFields[name] }] as const),
    ['with every further field', checkoutFields],
    ...byMethod,
  ];
  return sideBySide(
    shapes.map(async ([words, changes]) => {
      const heardChanges = { ...(await heard(context, changes)), ...soon(context) };
      const order = await makeCheckoutOrder(context, merchant, heardChanges, acceptance);
      return { words, order, network: order.request.network };
    }),
  );
}

/** A product, and how its orders end. */
interface Ends {
  product: Product;
  noun: string;
  make(context: CheckContext, merchant: Credentials): Promise<Shaped[]>;
  /** The statuses of an order whose time has run out. */
  unpaid: readonly string[];
}

const products: readonly Ends[] = [
  { product: 'orders', noun: 'hosted order', make: makeHosted, unpaid: ['CLOSED'] },
  { product: 'checkout', noun: 'checkout order', make: makeCheckout, unpaid: unpaidStatuses },
];

/** The sentences by which a payment that is confirmed ends an order. */
const confirmation: Readonly<Record<Product, RequirementId>> = {
  orders: 'orders.states.confirmed',
  checkout: 'checkout.payment-rule',
};

/** Fails unless an answer shows one of the statuses in which an order ends. */
function expectEnd(answer: Answer, ends: readonly string[], what: string, requirement: RequirementId): void {
  expectThat(ends.includes(String(statusOf(answer))), answer, {
    expected: `${what}: ${ends.join(' or ')}`,
    actual: `data.status = ${show(statusOf(answer))}`,
    requirement,
  });
}

function checksOf({ product, noun, make, unpaid }: Ends): CheckDeclaration[] {
  return [
    {
      id: `${product}.shapes.expired`,
      title: `A ${noun} ends when its time has run out, whatever further fields, price and network it has`,
      requirements: [`${product}.states.expired`],
      long: true,
      async run(context) {
        const merchant = await context.ownMerchant();
        const orders = await make(context, merchant);
        await passSoon(context, merchant);
        await sideBySide(
          orders.map(async ({ words, order }) => {
            const what = `a ${noun} ${words}, whose time has run out`;
            expectEnd(await awaitEnd(context, order), unpaid, what, `${product}.states.expired`);
          }),
        );
      },
    },
    {
      id: `${product}.shapes.paid`,
      title: `A ${noun} is paid, whatever further fields, price and network it has`,
      requirements: [confirmation[product]],
      needs: ['order-events'],
      async run(context) {
        const merchant = await context.ownMerchant();
        const orders = await make(context, merchant);
        await sideBySide(
          orders.map(async ({ words, order, network }) => {
            const payment =
              network === undefined ? ({ type: 'transaction_detected' } as const) : paymentOver(context, network);
            const ended = await letHappen(context, order, [payment, confirmed]);
            expectEnd(ended, ['SUCCEEDED'], `a ${noun} ${words}, whose payment is confirmed`, confirmation[product]);
          }),
        );
      },
    },
  ];
}

/** Checks that orders of every shape end as the others do. */
export const shapeChecks: readonly CheckDeclaration[] = products.flatMap(checksOf);
