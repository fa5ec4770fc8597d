import { type OrderCreateRequest, ordersClient } from '../../arrange/orders/client.ts';
import { optionalFields, ticket } from '../../arrange/orders/optional-fields.ts';
import { makeOrder, orderRequest, splitInTwo } from '../../arrange/orders/orders.ts';
import { hostedOrders, sendOrderCreate } from '../../arrange/products.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectAmount,
  expectField,
  expectNothingOf,
  expectSchema,
  isAccepted,
  isTaken,
  needAccepted,
  statusOf,
  summary,
} from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { show } from '../../contract/show.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import {
  choicesOf,
  emptyTexts,
  everyOptionalField,
  lengthsInCharacters,
  letters,
  merchantOrderIdAlphabet,
  minimalCreate,
  optionalParts,
  pairsOfFields,
  unknownField,
} from '../support/order-checks.ts';
import { observeForms, observeLeapSecond, timeForms } from '../support/value-forms.ts';

/** Amounts that are written with an exponent, or rounded, by what keeps them as floating-point numbers. The run's rules see how they are shown. */
const unusualAmounts = [
  '12345678901234567.89',
  '123456789012345679',
  '1000000000000000000000000',
  '0.00000012',
  '0.000000000000000001',
];

const { subMerchants: shops = [] } = splitInTwo;

/** An order of which one sub-merchant gets everything. */
const splitInOne: Partial<OrderCreateRequest> = {
  orderAmount: { value: '9.5', currency: 'USDT' },
  // With every field, where those of an order that is split in two have no mcc.
  subMerchants: [{ subMerchantId: 'sub-0', name: 'Shop 0', amount: '9.5', mcc: '5411', settlementRatio: '0.9' }],
};

/** Nothing, what is in every field, and the smallest that each may be. */
const valuesOfFields: readonly (readonly Partial<OrderCreateRequest>[])[] = [
  [
    {},
    { paymentMethodConfig: optionalFields.paymentMethodConfig },
    { paymentMethodConfig: null },
    { paymentMethodConfig: {} },
    { paymentMethodConfig: { allowedPaymentMethodTypes: [], allowedPaymentMethods: [] } },
    { paymentMethodConfig: { allowedPaymentMethodTypes: null, allowedPaymentMethods: null } },
    { paymentMethodConfig: { allowedPaymentMethodTypes: ['ON_CHAIN_TRANSFER'] } },
  ],
  [{}, { customer: optionalFields.customer }, { customer: {} }, { customer: { name: 'Ada' } }],
  [{}, { items: optionalFields.items }, { items: [] }, { items: [ticket, ticket] }],
  [{}, { description: optionalFields.description }, { description: '' }],
  [{}, { userAgent: optionalFields.userAgent }, { userAgent: '' }],
  [{}, { customerIp: optionalFields.customerIp }, { customerIp: '192.0.2.1' }],
  [{}, { metadata: optionalFields.metadata }, { metadata: '{}' }],
  [{}, { callbackUrl: optionalFields.callbackUrl }],
];

/** The optional fields of an item. */
const furtherOfItem = { description: 'Row 7', imageUrl: 'https://shop.example/ticket.png' };

export const ordersCreateChecks: readonly CheckDeclaration[] = [
  minimalCreate(hostedOrders, 'A request with the four required fields makes an order'),
  everyOptionalField(hostedOrders, sendOrderCreate, optionalFields),
  emptyTexts<OrderCreateRequest>(hostedOrders, sendOrderCreate, [
    ['userAgent', { userAgent: '' }, 'orders.create.user-agent.length'],
    ['description', { description: '' }, 'orders.create.description.length'],
    ['customer.customerId', { customer: { customerId: '' } }, 'orders.create.optional-fields'],
    ['customer.name', { customer: { name: '' } }, 'orders.create.optional-fields'],
    ['customer.phone', { customer: { phone: '' } }, 'orders.create.optional-fields'],
    ['items[0].description', { items: [{ ...ticket, description: '' }] }, 'orders.create.optional-fields'],
  ]),
  lengthsInCharacters<OrderCreateRequest>(hostedOrders, sendOrderCreate, [
    { name: 'description', fields: (description) => ({ description }) },
    { name: 'userAgent', fields: (userAgent) => ({ userAgent }) },
    { name: 'metadata', fields: (text) => ({ metadata: `{"a":"${text}"}` }), around: '{"a":""}'.length },
    {
      name: 'subMerchants.name',
      fields: (name) => ({ ...splitInTwo, subMerchants: shops.map((each) => ({ ...each, name })) }),
      mayBeRefused: true,
    },
  ]),
  {
    id: 'orders.create.other-merchant',
    title: "A create under the merchantOrderId of another merchant's order does not show that order",
    requirements: ['orders.create.other-merchant'],
    openPoint: 'id-namespaces',
    needs: ['other-merchant'],
    async run(context) {
      const { request, orderId, query } = await makeOrder(context, await context.merchant());
      const { client } = await makeOrder(context, await context.merchant('other'));
      const answer = await client.create(orderRequest(context, { merchantOrderId: request.merchantOrderId }));
      context.observeIn(answer, 'id-namespaces', `hosted, two merchants: ${summary(answer)}`);
      for (const each of [answer, await client.query(request.merchantOrderId)])
        expectNothingOf(each, [orderId], [request.merchantOrderId], 'order');
      expectField(await query(), 'data.orderId', orderId);
    },
  },
  optionalParts<Partial<OrderCreateRequest>>(hostedOrders, sendOrderCreate, {
    ...choicesOf('a customer', optionalFields.customer, (customer) => ({ customer })),
    ...choicesOf('an item, beside its required fields,', furtherOfItem, (further) => ({
      items: [{ ...ticket, ...further }],
    })),
    'a list of no items': { items: [] },
    'a callbackUrl without a path': { callbackUrl: 'https://shop.example' },
  }),
  pairsOfFields<OrderCreateRequest>(hostedOrders, sendOrderCreate, async (context) => {
    // Not every merchant may send subMerchants.
    const isSplit = isAccepted((await sendOrderCreate(context, splitInTwo)).answer);
    return isSplit ? [...valuesOfFields, [{}, splitInTwo, splitInOne]] : valuesOfFields;
  }),
  merchantOrderIdAlphabet(hostedOrders),
  {
    id: 'orders.create.both-currencies',
    title: 'An order may be priced in USD and in USDT',
    requirements: ['orders.amount.currency-values', 'orders.create.accepted'],
    async run(context) {
      for (const currency of ['USD', 'USDT'] as const) {
        const { answer } = await sendOrderCreate(context, { orderAmount: { value: '9.50', currency } });
        expectAccepted(answer, `an order in ${currency}`);
      }
    },
  },
  {
    id: 'orders.create.initial-state',
    title: 'A new order is seen as INIT',
    requirements: ['orders.states.initial'],
    async run(context) {
      const order = await makeOrder(context, await context.merchant());
      expectField(await order.query(), 'data.status', 'INIT');
    },
  },
  {
    id: 'orders.create.answers-init',
    title: 'The answer to a create shows the order as INIT, not as PENDING',
    requirements: ['orders.create.pending-example'],
    openPoint: 'orders-pending-example',
    async run(context) {
      const { created } = await makeOrder(context, await context.merchant());
      const status = show(statusOf(created));
      context.observeIn(created, 'orders-pending-example', `data.status = ${status}`, status.toLowerCase());
      expectField(created, 'data.status', 'INIT');
    },
  },
  {
    id: 'orders.create.eighteen-decimals',
    title: 'An amount with 18 decimal places is kept to the last one',
    requirements: ['orders.amount.decimal-places', 'orders.view.echo'],
    async run(context) {
      const value = '1234.123456789012345678';
      needAccepted((await sendOrderCreate(context, {})).answer, 'the same request with two decimal places');
      const { client, merchantOrderId, answer } = await sendOrderCreate(context, {
        orderAmount: { value, currency: 'USDT' },
      });
      expectAccepted(answer, `an amount of ${value}`);
      const query = await client.query(merchantOrderId);
      expectAmount(query, 'data.orderAmount.value', value);
    },
  },
  {
    id: 'orders.create.duplicate-id',
    title: 'What a second create with the same merchantOrderId is answered with',
    requirements: ['orders.create.duplicate-id'],
    async run(context) {
      const { client, request, orderId } = await makeOrder(context, await context.merchant());
      const repeats: [string, Partial<OrderCreateRequest>][] = [
        ['the same request', {}],
        ['another description', { description: 'another one' }],
        ['another amount', { orderAmount: { value: '8.25', currency: 'USDT' } }],
      ];
      const existing: boolean[] = [];
      const answers: Answer[] = [];
      const seen: string[] = [];
      for (const [what, change] of repeats) {
        const answer = await client.create({ ...request, ...change });
        const same = field(answer, 'data.orderId') === orderId;
        answers.push(answer);
        existing.push(isAccepted(answer) && same);
        seen.push(
          `${what}: ${isAccepted(answer) ? (same ? 'the existing order' : 'another order') : `code ${show(field(answer, 'code'))}`}`,
        );
      }
      const values = ['always-refused', 'same-request', 'same-terms', 'always-existing'];
      // Every value knows two answers: the existing order, and a refusal with this code.
      const duplicate = errorCode('orders', 'ORDER_ALREADY_EXISTS');
      const other = answers.some((answer, index) => !existing[index] && field(answer, 'code') !== duplicate);
      const value = other ? null : values[existing.filter(Boolean).length];
      context.observeIn(answers, 'orders-duplicate-id', seen.join('; '), value);
    },
  },
  {
    id: 'orders.create.expiry-in-the-past',
    title: 'What an expiry time in the past, two days ahead, or a year ahead is answered with',
    requirements: ['orders.create.expires-at.range'],
    async run(context) {
      const at = async (hours: number) => {
        const expiresAt = new Date(context.now() + hours * 3_600_000).toISOString();
        return (await sendOrderCreate(context, { expiresAt })).answer;
      };
      needAccepted(await at(1), 'the same create with an expiry in an hour');
      const [past, far, distant] = [await at(-1), await at(48), await at(365 * 24)];
      const word = (answer: Answer) =>
        isAccepted(answer) ? 'accepted' : `refused with ${show(field(answer, 'code'))}`;
      const seen = `an hour ago: ${word(past)}; in two days: ${word(far)}; in a year: ${word(distant)}`;
      const refusedPast = isAccepted(far) ? (isAccepted(distant) ? 'past-refused' : null) : 'bounded';
      const value = isAccepted(past) ? (isAccepted(distant) ? 'past-accepted' : null) : refusedPast;
      context.observeIn([past, far, distant], 'orders-expiry-past', seen, value);
    },
  },
  {
    id: 'orders.create.expired-at-once',
    title: 'An order that is made with an expiry in the past, where that is taken, is CLOSED',
    requirements: ['orders.states.expired'],
    async run(context) {
      const expiresAt = new Date(context.now() - 3_600_000).toISOString();
      const { answer, client, merchantOrderId } = await sendOrderCreate(context, { expiresAt });
      if (!isTaken(answer, 'a create with an expiry in the past'))
        throw new PermittedChoice('an expiry in the past is refused (open point orders-expiry-past)');
      const closed = await context.poll(
        () => client.query(merchantOrderId),
        (each) => statusOf(each) === 'CLOSED',
      );
      expectField(closed, 'data.status', 'CLOSED');
    },
  },
  {
    id: 'orders.create.expires-at.forms',
    title: 'What forms of ISO 8601 other than that of RFC 3339 are answered with',
    requirements: ['general.date-forms'],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      const creates = timeForms(context).map(([what, expiresAt]): [string, object] => [
        what,
        { ...orderRequest(context), expiresAt },
      ]);
      await observeForms(context, creates, (body) => client.createAnything(body), 'field-forms');
    },
  },
  {
    id: 'orders.create.expires-at.leap-second',
    title: 'What an expiry time on a leap second is answered with',
    requirements: ['general.leap-seconds'],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      const create = (expiresAt: string) => client.createAnything({ ...orderRequest(context), expiresAt });
      await observeLeapSecond(context, create);
    },
  },
  {
    id: 'orders.create.amount.limits',
    title: 'What an amount of zero, a very small and a very large one are answered with',
    requirements: ['orders.amount.positive'],
    async run(context) {
      const create = async (value: string) =>
        (await sendOrderCreate(context, { orderAmount: { value, currency: 'USDT' } })).answer;
      needAccepted(await create('9.50'), 'an ordinary amount');
      const amounts = ['0', '0.000001', '1000000000'];
      const answers = [];
      for (const amount of amounts) answers.push(await create(amount));
      for (const amount of unusualAmounts) await create(amount);
      const [zero, small, large] = answers.map(isAccepted);
      const value = small && large ? (zero ? 'zero-accepted' : 'above-zero') : zero ? null : 'bounded';
      const seen = answers.map((answer, index) => `${amounts[index]}: ${summary(answer)}`).join('; ');
      context.observeIn(answers, 'orders-amount-limits', seen, value);
    },
  },
  {
    id: 'orders.create.items.free',
    title: 'What an item in another currency than the order, and an item that costs nothing, are answered with',
    requirements: ['orders.create.items.amount'],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      const create = (value: string, currency: string) =>
        client.createAnything({
          ...orderRequest(context),
          items: [{ name: 'Ticket', quantity: 1, amount: { value, currency } }],
        });
      needAccepted(await create('4.75', 'USDT'), 'a create with an item in the currency of the order');
      const other = await create('4.75', 'EUR');
      const value = isAccepted(other) ? 'any' : 'of-the-order';
      context.observeIn(other, 'item-currency', `an item in EUR: ${summary(other)}`, value);
      const free = await create('0', 'USDT');
      context.observeIn(free, 'item-currency', `an item for 0: ${summary(free)}`);
    },
  },
  letters(hostedOrders),
  unknownField('orders', 'merchantOrderId', async (context) => {
    const client = ordersClient(context, await context.merchant());
    const other = orderRequest(context, { orderAmount: { value: '8.40', currency: 'USD' } });
    return { request: { ...orderRequest(context) }, other: { ...other }, send: client.createAnything };
  }),
  {
    id: 'orders.create.success-envelope',
    title: 'A success has code, message and the view under data',
    requirements: ['orders.envelope.success', 'orders.view.fields', 'orders.view.amounts', 'orders.view.times'],
    async run(context) {
      const created = (await sendOrderCreate(context, {})).answer;
      needAccepted(created, 'making an order');
      // orders.create.answers-init warns about PENDING, so this check must not fail for it.
      const pending = statusOf(created) === 'PENDING';
      const json = pending
        ? JSON.parse(created.text.replace(/"status"\s*:\s*"PENDING"/, '"status":"INIT"'))
        : created.json;
      expectSchema({ ...created, json }, 'OrderSuccess');
    },
  },
];
