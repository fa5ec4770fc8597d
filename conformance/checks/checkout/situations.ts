import {
  checkoutMerchant,
  checkoutRequest,
  type MadeCheckoutOrder,
  makeCheckoutOrder,
} from '../../arrange/checkout-orders/checkout-orders.ts';
import { type CheckoutOrderCreateRequest, checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { optionalFields } from '../../arrange/checkout-orders/optional-fields.ts';
import {
  amountFor,
  inEachCurrencyAndNetwork,
  type PaymentMethod,
  paymentMethodsOf,
  preciseAmountFor,
} from '../../arrange/checkout-orders/payment-methods.ts';
import { expectSoonAccepted, passSoon, similarOrderIds, soon } from '../../arrange/orders/any-order.ts';
import { confirmed, networksOfEachForm, paymentOver, unusualPaymentsOver } from '../../arrange/orders/payments.ts';
import {
  acceptedWith,
  awaitEnd,
  behindUtc,
  ifTaken,
  letHappen,
  momentsOfTheDay,
  nearExpiries,
  otherPrecisions,
  pauses,
  payByOneTransaction,
  sideBySide,
  unpaidEnds,
} from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted } from '../../check/expect.ts';
import { addDecimals, compareDecimals } from '../../contract/decimals.ts';
import { lengthLimit } from '../../contract/lengths.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { askedAgain } from '../support/failures.ts';

const requirements = ['checkout.create.accepted'] as const;

const hour = 3_600_000;

/** Prices that a payment method may take: round, odd, with zeros at the end. */
const otherPrices = ['100', '1234.5600', '1000000'];

/** More decimal places than there are of any stablecoin, behind the 18 of a precise amount. */
const furtherPlaces = '123457';

/** As many items as no target may refuse. */
const manyItems = Array.from({ length: lengthLimit('checkout', 'items', 'maxItems').limit }, () => ({
  name: 'Ticket',
  quantity: 1,
  price: '0.01',
  currency: 'USDT',
}));

/** Another one for each place of a list, so that no two orders are paid alike; none of them is a whole number. */
const smallSteps = (index: number) => `0.${String(index + 1).padStart(2, '0')}`;

/** Ways of an order to each of its ends. */
const waysToAnEnd: readonly (readonly OrderStep[])[] = [
  [{ type: 'transaction_detected' }, confirmed],
  unpaidEnds.failed,
  unpaidEnds.cancelled,
];

const make = (
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<CheckoutOrderCreateRequest> = {},
): Promise<MadeCheckoutOrder> => makeCheckoutOrder(context, merchant, changes, acceptedWith(changes));

/** The fields of a create by which an order is paid with a method. */
function pricedIn(method: PaymentMethod, value = amountFor(method)): Partial<CheckoutOrderCreateRequest> {
  return { orderAmount: { value, currency: method.currency }, network: method.network };
}

const isTaken = ({ minAmount, maxAmount }: PaymentMethod, amount: string): boolean =>
  compareDecimals(amount, minAmount) >= 0 && compareDecimals(amount, maxAmount) <= 0;

/** An amount of a method that differs from that of the list's other methods where the range leaves room for it. */
function ownAmount(method: PaymentMethod, index: number): string {
  const amount = addDecimals([amountFor(method), smallSteps(index)]);
  return isTaken(method, amount) ? amount : amountFor(method);
}

const look = (context: CheckContext, { query, client }: MadeCheckoutOrder): Promise<unknown> =>
  askedAgain(context, query, () => client.paymentMethods());

/** The first of a merchant's payment methods in each currency. */
async function methodsByCurrency(context: CheckContext, merchant: Credentials): Promise<PaymentMethod[]> {
  const methods = await paymentMethodsOf(checkoutClient(context, merchant));
  return [...new Map(methods.toReversed().map((method) => [method.currency, method])).values()];
}

/** Orders in each currency whose time runs out while nobody asks for them. `first` is done with each when it was made. */
async function makeExpired(
  context: CheckContext,
  first?: (order: MadeCheckoutOrder) => Promise<unknown>,
): Promise<MadeCheckoutOrder[]> {
  const merchant = await context.ownMerchant();
  const methods = await methodsByCurrency(context, merchant);
  const times = soon(context);
  const acceptance = expectSoonAccepted(context);
  const orders = await Promise.all(
    methods.map((method) => makeCheckoutOrder(context, merchant, { ...pricedIn(method), ...times }, acceptance)),
  );
  if (first) await sideBySide(orders.map(first));
  await passSoon(context, merchant);
  return orders;
}

/** After how many hours each an order is looked at that waits for its payment for 23 hours: while it waits, and when its time is over. */
const hoursOfWaiting = [5, 8, 9, 1.5];

export const checkoutSituationsChecks: readonly CheckDeclaration[] = [
  {
    id: 'checkout.situations.created',
    title:
      'Checkout orders are made in every listed pair of currency and network, with round and odd amounts, and with many items',
    requirements,
    async run(context) {
      const merchant = await context.merchant();
      const client = checkoutClient(context, merchant);
      const methods = await paymentMethodsOf(client);
      const made = async (changes: Partial<CheckoutOrderCreateRequest>) =>
        look(context, await make(context, merchant, changes));
      const inEach = methods.map((method, index) =>
        made({ ...pricedIn(method, ownAmount(method, index)), metadata: `{"place": ${index}, "text": "a b%20c+d"}` }),
      );
      const inSeveral = methods.slice(0, 3).flatMap((method) => [
        ...otherPrices.filter((amount) => isTaken(method, amount)).map((amount) => made(pricedIn(method, amount))),
        ...(compareDecimals(method.minAmount, '0') > 0 ? [made(pricedIn(method, method.minAmount))] : []),
        // How many places a price may have is said of hosted orders only.
        ...[preciseAmountFor(method), `${preciseAmountFor(method)}${furtherPlaces}`].map((amount) =>
          ifTaken(makeCheckoutOrder(context, merchant, pricedIn(method, amount)).then((order) => look(context, order))),
        ),
      ]);
      const at = new Date(context.now() + hour).toISOString();
      const local = new Date(context.now() + 3 * hour).toISOString();
      const forms = [
        ...[at.replace(/\.\d+Z$/, 'Z'), ...nearExpiries(context), ...momentsOfTheDay(context)].map((expiresAt) =>
          made({ expiresAt }),
        ),
        // With another offset than Z they are not UTC to the letter, and how finely they may be given is not said.
        ...[
          at.replace('Z', '+00:00'),
          local.replace('Z', '+02:00'),
          ...behindUtc(context),
          ...otherPrecisions(context),
        ].map((expiresAt) =>
          ifTaken(makeCheckoutOrder(context, merchant, { expiresAt }).then((order) => look(context, order))),
        ),
      ];
      const large = [
        ...[101, manyItems.length].map((count) => manyItems.slice(0, count)),
        // The contract has no upper bound for a quantity.
        ...[1001, 2 ** 31].map((quantity) => manyItems.slice(0, 1).map((item) => ({ ...item, quantity }))),
      ].map((items) => made({ items }));
      await sideBySide([...inEach, ...inSeveral, ...forms, ...large]);
    },
  },
  {
    id: 'checkout.situations.repeated',
    title:
      'Checkout orders are made that are asked for a second time, alike and differently, and at their end, and ones that were refused first',
    requirements,
    async run(context) {
      const merchant = await context.merchant();
      const { client, method } = await checkoutMerchant(context, merchant);
      const again = async (
        changes: Partial<CheckoutOrderCreateRequest>,
        first: Partial<CheckoutOrderCreateRequest> = {},
      ) => {
        const order = await make(context, merchant, first);
        const repeat = () => client.create({ ...order.request, ...changes });
        await askedAgain(context, repeat, () => client.create(checkoutRequest(context, method)));
        await look(context, order);
        if (!context.has('order-events')) return;
        // What a repeat has changed may show only when the order is paid.
        await letHappen(context, order, [paymentOver(context, order.request.network), confirmed]);
        await look(context, order);
      };
      const againAtEnd = async (steps: readonly OrderStep[]) => {
        const order = await make(context, merchant);
        await letHappen(context, order, steps);
        // Seen before, so that it can be told what the repeat has changed.
        await order.query();
        await client.create(order.request);
        await look(context, order);
      };
      const refusedFirst = async (wrong: object, refused: { timestamp?: string } = {}) => {
        const request = checkoutRequest(context, method);
        const body = Buffer.from(JSON.stringify({ ...request, ...wrong }));
        await client.send({ method: 'POST', path: client.createPath, body, ...refused });
        await client.query(request.merchantOrderId);
        expectAccepted(await client.create(request), 'making a checkout order under an id that a refused request had');
        await client.query(request.merchantOrderId);
      };
      await sideBySide([
        again({}),
        again({ orderAmount: { value: method.minAmount, currency: method.currency } }),
        again({ orderAmount: { value: method.maxAmount, currency: method.currency } }),
        again({ expiresAt: new Date(context.now() + 2 * hour).toISOString() }),
        // Different in all that it may say, so that whoever changes what he refuses shows it somewhere.
        again({
          ...optionalFields,
          orderAmount: { value: method.maxAmount, currency: method.currency },
          expiresAt: new Date(context.now() + 2 * hour).toISOString(),
        }),
        again({ metadata: '{"repeated": true}' }),
        again({ metadata: '{"repeated": true}' }, { metadata: '{"repeated": false}' }),
        ...(context.has('order-events') ? waysToAnEnd.map(againAtEnd) : []),
        refusedFirst({ orderAmount: { value: 'much', currency: method.currency } }),
        refusedFirst({ network: undefined }),
        refusedFirst({}, { timestamp: String(context.now() - hour) }),
      ]);
    },
  },
  {
    id: 'checkout.situations.other-merchant',
    title: 'Two merchants make checkout orders that look alike, and each asks for those of the other',
    requirements,
    needs: ['other-merchant'],
    async run(context) {
      const [mine, others] = await Promise.all([context.merchant(), context.merchant('other')]);
      const merchantOrderId = context.newOrderId();
      const [first, second = context.newOrderId()] = similarOrderIds(context);
      const orders = await Promise.all([
        make(context, mine, { merchantOrderId }),
        make(context, others, { merchantOrderId }),
        make(context, mine, { merchantOrderId: first }),
        make(context, others, { merchantOrderId: second }),
      ]);
      const asked = [mine, others].map((each) => checkoutClient(context, each));
      await Promise.all(
        orders.flatMap((order) =>
          asked.flatMap((client) => [client.query(order.request.merchantOrderId), client.query(order.orderId)]),
        ),
      );
    },
  },
  {
    id: 'checkout.situations.paid',
    title:
      'Checkout orders are paid in every listed pair of currency and network, exactly or more than that, by payers and transactions whose text looks like a number, and two by one transaction',
    requirements,
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const methods = await paymentMethodsOf(checkoutClient(context, merchant));
      const payBy = async (method: PaymentMethod, value: string, payment: OrderStep) => {
        const order = await make(context, merchant, pricedIn(method, value));
        await letHappen(context, order, [payment, confirmed]);
        await look(context, order);
      };
      const pay = (method: PaymentMethod, value: string, amount?: string) =>
        payBy(method, value, paymentOver(context, method.network, amount));
      const payTogether = async (method: PaymentMethod) => {
        const orders = await Promise.all(
          [0, 1].map((index) => make(context, merchant, pricedIn(method, ownAmount(method, index)))),
        );
        await payByOneTransaction(context, orders, paymentOver(context, method.network));
        for (const order of orders) await look(context, order);
      };
      const [first] = methods;
      const round = first && isTaken(first, '100') ? [pay(first, '100')] : [];
      const together = first ? [payTogether(first)] : [];
      const over = inEachCurrencyAndNetwork(methods).map((method) =>
        pay(method, amountFor(method), addDecimals([method.maxAmount, '0.25'])),
      );
      await sideBySide([
        ...methods.map((method, index) => pay(method, ownAmount(method, index))),
        ...round,
        ...over,
        ...together,
        ...networksOfEachForm.flatMap((network) => {
          const method = methods.find((each) => each.network === network);
          if (!method) return [];
          return unusualPaymentsOver(context, network).map((payment) => payBy(method, amountFor(method), payment));
        }),
      ]);
    },
  },
  {
    id: 'checkout.situations.unpaid',
    title:
      'Checkout orders come to their end without being paid: too little is sent, the payment fails, they are cancelled',
    requirements,
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const methods = await methodsByCurrency(context, merchant);
      await sideBySide(
        methods.flatMap((method) =>
          Object.values(unpaidEnds).map(async (steps) => {
            const order = await make(context, merchant, pricedIn(method));
            await letHappen(context, order, steps);
            await look(context, order);
          }),
        ),
      );
    },
  },
  {
    id: 'checkout.situations.time-passes',
    title:
      'Checkout orders in each currency and over each network are made, paid and confirmed at times that lie well apart, and are asked for a day later; others wait for their payment for most of a day',
    requirements,
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const methods = inEachCurrencyAndNetwork(await paymentMethodsOf(checkoutClient(context, merchant)));
      const orders = await Promise.all(methods.map((method) => make(context, merchant, pricedIn(method))));
      const expiresAt = new Date(context.now() + 23 * hour).toISOString();
      const waiting = await Promise.all(
        methods.map((method) => make(context, merchant, { ...pricedIn(method), expiresAt })),
      );
      const [repeated] = waiting;
      // Before they are paid one of them stands for all.
      const unpaid = orders.slice(0, 1);
      const pass = async (seconds: number, asked: readonly MadeCheckoutOrder[]) => {
        await context.advanceClock(merchant, seconds);
        await sideBySide(asked.map((order) => look(context, order)));
      };
      await pass(pauses.beforePayment, unpaid);
      await sideBySide(
        orders.map(({ orderId, request }) =>
          context.orderEvent(merchant, orderId, paymentOver(context, request.network)),
        ),
      );
      await pass(pauses.beforeConfirmation, unpaid);
      await sideBySide(orders.map((order) => letHappen(context, order, [confirmed])));
      for (const hours of hoursOfWaiting) {
        // A create that is sent again gives no further time to pay.
        await repeated?.client.create(repeated.request);
        await pass((hours * hour) / 1000, waiting);
      }
      await sideBySide(waiting.map((order) => awaitEnd(context, order)));
      await pass(pauses.beforeRefund, orders);
    },
  },
  {
    id: 'checkout.situations.expired',
    title:
      'Checkout orders are made whose time runs out while nobody asks for them, though they are asked for a second time with a later expiry',
    requirements,
    long: true,
    async run(context) {
      const later = new Date(context.now() + 12 * hour).toISOString();
      const orders = await makeExpired(context, ({ client, request }) =>
        client.create({ ...request, expiresAt: later }),
      );
      await Promise.all(orders.map((order) => awaitEnd(context, order)));
    },
  },
  {
    id: 'checkout.situations.paid-late',
    title: 'Checkout orders are made whose payment comes when their time has run out and nobody has asked for them',
    requirements,
    needs: ['order-events'],
    long: true,
    async run(context) {
      const orders = await makeExpired(context);
      await sideBySide(
        orders.map(async (order) => {
          await letHappen(context, order, [paymentOver(context, order.request.network), confirmed]);
          await look(context, order);
        }),
      );
    },
  },
];
