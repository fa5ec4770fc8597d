import { expectSoonAccepted, passSoon, similarOrderIds, soon, tooLittle } from '../../arrange/orders/any-order.ts';
import { type OrderCreateRequest, ordersClient } from '../../arrange/orders/client.ts';
import { optionalFields } from '../../arrange/orders/optional-fields.ts';
import { type Acceptance, type MadeOrder, makeOrder, orderRequest } from '../../arrange/orders/orders.ts';
import {
  confirmed,
  exchanges,
  hostedNetworks,
  networksOfEachForm,
  paymentOver,
  unusualPaymentsOver,
} from '../../arrange/orders/payments.ts';
import { besideClockChanges } from '../../arrange/situations/clock-changes.ts';
import { furtherNetworks } from '../../arrange/situations/means.ts';
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
import { lengthLimit } from '../../contract/lengths.ts';
import type { Credentials, OrderStep } from '../../drivers/driver.ts';
import { askedAgain } from '../support/failures.ts';

const requirements = ['orders.create.accepted'] as const;

const hour = 3_600_000;

/** Prices that every target takes: round, with zeros at the end, with every decimal place that there may be and more digits than a library rounds to. */
const prices = [
  { value: '100', currency: 'USDT' },
  { value: '1234.5600', currency: 'USDT' },
  { value: '1234.567890123456789012', currency: 'USDT' },
  { value: '9.99', currency: 'USD' },
  { value: '20', currency: 'USD' },
] as const satisfies readonly OrderCreateRequest['orderAmount'][];

/** Prices that a target may find too small or too great (open point `orders-amount-limits`). */
const extremePrices = [
  { value: '0.000000000000000001', currency: 'USDT' },
  { value: '1000000', currency: 'USDT' },
  { value: '1000000', currency: 'USD' },
] as const satisfies readonly OrderCreateRequest['orderAmount'][];

/** Payments that differ in what they are made by, each in another currency of the price than the one before it. */
const slowPayments = [
  { currency: 'USDT', by: (context) => paymentOver(context, 'tron') },
  { currency: 'USD', by: (context) => paymentOver(context, 'eth') },
  { currency: 'USDT', by: (context) => paymentOver(context, 'bsc') },
  { currency: 'USD', by: () => ({ type: 'transaction_detected', paymentMethod: 'EXCHANGE_ONE' }) },
  { currency: 'USDT', by: () => ({ type: 'transaction_detected', paymentMethod: 'EXCHANGE_TWO' }) },
] as const satisfies readonly { currency: string; by: (context: CheckContext) => OrderStep }[];

/** Payments of an order of 100 USD that lie between the price and what it comes to in USDT: less than is due, and enough. */
const besideThePrice = [
  { usdRate: '1.0003337', amount: '100.01' },
  { usdRate: '0.98', amount: '98.5' },
] as const;

/** More than every price of an order that is paid over a network or by an exchange, with places of its own. */
const tooMuch = '97.654321';

const item = { name: 'Ticket', quantity: 1, amount: { value: '0.01', currency: 'USDT' } } as const;

/** An item with as many words as shops write: 500 of them are more than the 100 kB that web servers often read by default. */
const describedItem = {
  ...item,
  description: 'A seat in the stalls, with a view of the whole stage; '.repeat(5).trim(),
};

/** Items up to the number that no target may refuse, and quantities, for which the contract has no upper bound. */
const largePurchases = [
  Array.from({ length: 101 }, () => item),
  Array.from({ length: lengthLimit('orders', 'items', 'maxItems').limit }, () => describedItem),
  ...[1001, 2 ** 31].map((quantity) => [{ ...item, quantity }]),
];

/** Times that 32 bits of seconds do not count, with a sign and without one, and that 64 bits of nanoseconds do not. */
const farAhead = ['2040-02-29T12:30:05Z', '2107-01-01T00:00:00Z', '2701-02-28T23:59:59Z'];

/** Ways of an order to each of its ends. */
const waysToAnEnd: readonly (readonly OrderStep[])[] = [
  [{ type: 'transaction_detected' }, confirmed],
  [{ type: 'transaction_detected', paymentMethod: exchanges[0] }, confirmed],
  unpaidEnds.failed,
  unpaidEnds.cancelled,
];

const make = (
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest> = {},
  acceptance: Acceptance = acceptedWith(changes),
): Promise<MadeOrder> => makeOrder(context, merchant, changes, acceptance);

/** Asks for an order by each of its ids. */
async function look(context: CheckContext, { client, request, orderId }: MadeOrder): Promise<void> {
  const other = () => client.create(orderRequest(context));
  await Promise.all([askedAgain(context, () => client.query(request.merchantOrderId), other), client.query(orderId)]);
}

/** Makes an order, lets it be paid in these steps and asks for it by each of its ids. */
async function makePaid(
  context: CheckContext,
  merchant: Credentials,
  changes: Partial<OrderCreateRequest>,
  payment: OrderStep,
): Promise<void> {
  const order = await make(context, merchant, changes);
  await letHappen(context, order, [payment, confirmed]);
  await look(context, order);
}

/** The same for an order whose price a target may refuse. */
async function payIfTaken(
  context: CheckContext,
  merchant: Credentials,
  orderAmount: OrderCreateRequest['orderAmount'],
): Promise<void> {
  const order = await ifTaken(makeOrder(context, merchant, { orderAmount }));
  if (!order) return;
  await letHappen(context, order, [{ type: 'transaction_detected' }, confirmed]);
  await look(context, order);
}

/** Orders in both currencies whose time will soon run out. */
function makeExpiring(context: CheckContext, merchant: Credentials): Promise<MadeOrder[]> {
  const acceptance = expectSoonAccepted(context);
  return Promise.all(
    (['USDT', 'USD'] as const).map((currency) =>
      makeOrder(context, merchant, { orderAmount: { value: '9.50', currency }, ...soon(context) }, acceptance),
    ),
  );
}

/** Sends the create of an order again with another expiry. How that is answered is open. */
const repeatUntil = ({ client, request }: MadeOrder, expiresAt: string) => client.create({ ...request, expiresAt });

/**
 * Times of expiry in several forms, and ones beyond the years that numbers of few bits count. With an offset other than Z they are not UTC to the
 * letter, and how far ahead an expiry may lie and how finely it may be given is open (open points `orders-expiry-past` and `field-forms`).
 */
function expiries(context: CheckContext) {
  const at = new Date(context.now() + hour).toISOString();
  const local = new Date(context.now() + 3 * hour).toISOString();
  return {
    right: [at, at.replace(/\.\d+Z$/, 'Z'), ...nearExpiries(context), ...momentsOfTheDay(context)],
    open: [
      at.replace('Z', '+00:00'),
      local.replace('Z', '+02:00'),
      local.replace(/\.\d+Z$/, '+02:00'),
      ...behindUtc(context),
      ...otherPrecisions(context),
      ...farAhead,
      ...besideClockChanges(context.now()),
    ],
  };
}

/** Where a merchant tries out its shop. Nothing says that the customer's browser must find it from elsewhere. */
const returnUrls = ['http://localhost:3000/thanks', 'http://192.168.0.7/thanks?order=7'];

export const ordersSituationsChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.situations.created',
    title:
      'Orders of round and odd prices in both currencies, with expiries in several forms and with many items, are made',
    requirements,
    async run(context) {
      const merchant = await context.merchant();
      const { right, open } = expiries(context);
      const made = async (changes: Partial<OrderCreateRequest>) =>
        look(context, await make(context, merchant, changes));
      const tried = async (changes: Partial<OrderCreateRequest>) => {
        const order = await ifTaken(makeOrder(context, merchant, changes));
        if (order) await look(context, order);
      };
      await sideBySide([
        ...prices.map((orderAmount) => made({ orderAmount })),
        ...right.map((expiresAt) => made({ expiresAt })),
        ...largePurchases.map((items) => made({ items })),
        ...returnUrls.map((returnUrl) => made({ returnUrl })),
        ...extremePrices.map((orderAmount) => tried({ orderAmount })),
        ...open.map((expiresAt) => tried({ expiresAt })),
      ]);
    },
  },
  {
    id: 'orders.situations.repeated',
    title:
      'Orders are made that are asked for a second time, alike and differently, and in each state, and ones that were refused first',
    requirements,
    async run(context) {
      const merchant = await context.merchant();
      const again = async (changes: Partial<OrderCreateRequest>) => {
        const order = await make(context, merchant);
        const repeat = () => order.client.create({ ...order.request, ...changes });
        await askedAgain(context, repeat, () => order.client.create(orderRequest(context)));
        await look(context, order);
      };
      const againAfterEach = async (steps: readonly OrderStep[]) => {
        const order = await make(context, merchant);
        for (const step of steps) {
          await context.orderEvent(merchant, order.orderId, step);
          // Seen before, so that it can be told what the repeat has changed.
          await order.query();
          await order.client.create(order.request);
          await order.client.create({ ...order.request, orderAmount: { value: '11', currency: 'USDT' } });
          await look(context, order);
        }
      };
      const refusedFirst = async (wrong: object, refused: { timestamp?: string } = {}) => {
        const client = ordersClient(context, merchant);
        const request = orderRequest(context);
        const body = Buffer.from(JSON.stringify({ ...request, ...wrong }));
        await client.send({ method: 'POST', path: client.createPath, body, ...refused });
        await client.query(request.merchantOrderId);
        expectAccepted(await client.create(request), 'making an order under an id that a refused request had');
        await client.query(request.merchantOrderId);
      };
      await sideBySide([
        again({}),
        again({ orderAmount: { value: '9.5', currency: 'USDT' } }),
        again({ orderAmount: { value: '11', currency: 'USDT' } }),
        again({ orderAmount: { value: '9.50', currency: 'USD' } }),
        again({ expiresAt: new Date(context.now() + 2 * hour).toISOString() }),
        // Different in all that it may say, so that whoever changes what he refuses shows it somewhere.
        again({
          ...optionalFields,
          orderAmount: { value: '11', currency: 'USDT' },
          expiresAt: new Date(context.now() + 2 * hour).toISOString(),
          returnUrl: 'https://shop.example/changed',
        }),
        ...(context.has('order-events') ? waysToAnEnd.map(againAfterEach) : []),
        refusedFirst({ orderAmount: { value: 'much', currency: 'USDT' } }),
        refusedFirst({ returnUrl: undefined }),
        refusedFirst({}, { timestamp: String(context.now() - hour) }),
      ]);
    },
  },
  {
    id: 'orders.situations.other-merchant',
    title: 'Two merchants make orders that look alike, and each asks for those of the other',
    requirements,
    needs: ['other-merchant'],
    async run(context) {
      const [mine, others] = await Promise.all([context.merchant(), context.merchant('other')]);
      const merchants = [mine, others];
      const request = orderRequest(context);
      // Whether two merchants can have orders of the same id is not judged here.
      const alike = await Promise.all(merchants.map((each) => ifTaken(makeOrder(context, each, request))));
      const [first, second = context.newOrderId()] = similarOrderIds(context);
      const similar = await Promise.all([
        make(context, mine, { merchantOrderId: first }),
        make(context, others, { merchantOrderId: second }),
      ]);
      const orders = [...alike, ...similar].flatMap((each) => each ?? []);
      const asked = merchants.map((each) => ordersClient(context, each));
      await Promise.all(
        orders.flatMap((order) =>
          asked.flatMap((client) => [client.query(order.request.merchantOrderId), client.query(order.orderId)]),
        ),
      );
    },
  },
  {
    id: 'orders.situations.paid-on-chain',
    title:
      'Orders are paid over each network, exactly or with more, by a payer and with a transaction that are known, and whose text may look like a number, and two by one transaction',
    requirements,
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const inBoth = (network: string, index: number) =>
        (['USDT', 'USD'] as const).flatMap((currency) => {
          const orderAmount = { value: `${index + 1}9.50`, currency };
          return [undefined, tooMuch].map((amount) =>
            makePaid(context, merchant, { orderAmount }, paymentOver(context, network, amount)),
          );
        });
      await sideBySide([
        ...hostedNetworks.flatMap(inBoth),
        // Whether hosted orders can be paid over these too is not said.
        ...furtherNetworks.flatMap(inBoth).map(ifTaken),
        ...networksOfEachForm.flatMap((network) =>
          unusualPaymentsOver(context, network).map((payment) => {
            const paid = makePaid(context, merchant, {}, payment);
            return hostedNetworks.some((code) => code === network) ? paid : ifTaken(paid);
          }),
        ),
        ...hostedNetworks.slice(0, 1).map(async (network) => {
          const orders = await Promise.all(
            ['41.50', '42.50'].map((value) => make(context, merchant, { orderAmount: { value, currency: 'USDT' } })),
          );
          await payByOneTransaction(context, orders, paymentOver(context, network));
          for (const order of orders) await look(context, order);
        }),
      ]);
    },
  },
  {
    id: 'orders.situations.paid-by-exchange',
    title: 'Orders in both currencies are paid by each exchange, exactly, with more and with less',
    requirements,
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      await sideBySide(
        exchanges.flatMap((paymentMethod) =>
          (['USDT', 'USD'] as const).map((currency) => {
            const orderAmount = { value: '31.07', currency };
            const payment = { type: 'transaction_detected', paymentMethod } as const;
            return Promise.all([
              makePaid(context, merchant, { orderAmount }, payment),
              makePaid(context, merchant, { orderAmount }, { ...payment, amount: tooMuch }),
              makePaid(context, merchant, { orderAmount }, { ...payment, amount: tooLittle }),
            ]);
          }),
        ),
      );
    },
  },
  {
    id: 'orders.situations.paid-amounts',
    title: 'Orders of round and odd prices are paid, exactly or more than that',
    requirements,
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const exactly = prices.map((orderAmount) =>
        makePaid(context, merchant, { orderAmount }, { type: 'transaction_detected' }),
      );
      const extremes = extremePrices.map((orderAmount) => payIfTaken(context, merchant, orderAmount));
      const over = ['9.500000000000000001', '100', '1234.5600'].map((amount) =>
        makePaid(context, merchant, {}, { type: 'transaction_detected', amount }),
      );
      await sideBySide([...exactly, ...extremes, ...over]);
    },
  },
  {
    id: 'orders.situations.converted',
    title: 'Orders in USD of small and large prices are made and paid at a rate that asks for rounding',
    requirements,
    needs: ['order-events', 'own-merchant'],
    async run(context) {
      const merchant = await context.ownMerchant({ usdRate: '1.0003337' });
      const usual = ['9.99', '100', '1.01', '1234.5678', '99.99', '1000'].map((value) =>
        makePaid(context, merchant, { orderAmount: { value, currency: 'USD' } }, { type: 'transaction_detected' }),
      );
      // The last needs more digits than a number of 64 bits with a binary exponent has.
      const others = ['0.37', '25000.123456', '123456789012.123456'].map((value) =>
        payIfTaken(context, merchant, { value, currency: 'USD' }),
      );
      const between = besideThePrice.map(async ({ usdRate, amount }) => {
        const own = await context.ownMerchant({ usdRate });
        const orderAmount = { value: '100', currency: 'USD' } as const;
        await makePaid(context, own, { orderAmount }, { type: 'transaction_detected', amount });
      });
      await sideBySide([...usual, ...others, ...between]);
    },
  },
  {
    id: 'orders.situations.unpaid',
    title: 'Orders come to their end without being paid: too little is sent, the payment fails, the merchant cancels',
    requirements,
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      await sideBySide(
        Object.values(unpaidEnds).flatMap((steps) =>
          (['USDT', 'USD'] as const).map(async (currency) => {
            const order = await make(context, merchant, { orderAmount: { value: '9.50', currency } });
            await letHappen(context, order, steps);
            await look(context, order);
          }),
        ),
      );
    },
  },
  {
    id: 'orders.situations.time-passes',
    title:
      'Orders in both currencies are made, paid in several ways and confirmed at times that lie well apart, and are asked for a day later',
    requirements,
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const orders = await Promise.all(
        slowPayments.map(async ({ currency, by }) => {
          const order = await make(context, merchant, { orderAmount: { value: '9.50', currency } });
          return { order, payment: by(context) };
        }),
      );
      // One whose payment is never confirmed, and whose time does not run out. How far away an expiry may be is not said.
      const expiresAt = new Date(context.now() + 3 * 24 * hour).toISOString();
      const waiting = await ifTaken(makeOrder(context, merchant, { expiresAt }));
      const unconfirmed = waiting ? [{ order: waiting, payment: paymentOver(context, 'tron') }] : [];
      // Before they are paid one of them stands for all.
      const unpaid = orders.slice(0, 1);
      const pass = async (seconds: number, asked: typeof unconfirmed) => {
        await context.advanceClock(merchant, seconds);
        await sideBySide(asked.map(({ order }) => look(context, order)));
      };
      const paid = [...orders, ...unconfirmed];
      await pass(pauses.beforePayment, unpaid);
      await sideBySide(paid.map(({ order, payment }) => context.orderEvent(merchant, order.orderId, payment)));
      // What is shown of a payment under way may depend on what it is made by.
      await pass(pauses.beforeConfirmation, paid);
      await sideBySide(orders.map(({ order }) => letHappen(context, order, [confirmed])));
      await pass(pauses.beforeRefund, paid);
    },
  },
  {
    id: 'orders.situations.expired',
    title:
      'Orders are made whose time runs out, are asked for a second time with another expiry, and are asked for shortly before and after their own',
    requirements,
    long: true,
    async run(context) {
      const merchant = await context.ownMerchant();
      const later = new Date(context.now() + 24 * hour).toISOString();
      const [orders, open] = [
        [...(await makeExpiring(context, merchant)), ...(await makeExpiring(context, merchant))],
        await make(context, merchant, { expiresAt: later }),
      ];
      const [first] = orders;
      // Half of them, so that a second create can be told from the first as what an order's end goes by.
      const repeated = orders.slice(orders.length / 2).map((order) => repeatUntil(order, later));
      await sideBySide([...repeated, ...(first ? [repeatUntil(open, first.request.expiresAt)] : [])]);
      const lookAtAll = () => Promise.all([...orders, open].map((order) => look(context, order)));
      await passSoon(context, merchant, lookAtAll);
      await Promise.all(orders.map((order) => awaitEnd(context, order)));
      await lookAtAll();
    },
  },
  {
    id: 'orders.situations.paid-late',
    title: 'Orders are made whose payment comes when their time has run out and nobody has asked for them',
    requirements,
    needs: ['order-events'],
    long: true,
    async run(context) {
      const merchant = await context.ownMerchant();
      const orders = await makeExpiring(context, merchant);
      await passSoon(context, merchant);
      await sideBySide(
        orders.map(async (order) => {
          await letHappen(context, order, [paymentOver(context, 'tron'), confirmed]);
          await look(context, order);
        }),
      );
    },
  },
];
