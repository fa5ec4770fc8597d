import { checkoutMerchant, checkoutRequest, makeCheckoutOrder } from '../../arrange/checkout-orders/checkout-orders.ts';
import { type CheckoutOrderCreateRequest, checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { type OptionalFields, optionalFields } from '../../arrange/checkout-orders/optional-fields.ts';
import { paymentMethodsOf, preciseAmountFor } from '../../arrange/checkout-orders/payment-methods.ts';
import { checkoutOrders, sendCheckoutCreate } from '../../arrange/products.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectAmount,
  expectField,
  expectSchema,
  isAccepted,
  isParameterRefusal,
  needAccepted,
} from '../../check/expect.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { otherJsonTexts } from '../../values/classes/addresses.ts';
import { field } from '../../wire/exchange.ts';
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

const [fullItem = {}] = optionalFields.items;

/** Objects whose fields are all optional, with each choice of their fields. */
const parts: Record<string, OptionalFields> = {
  ...choicesOf('a customer', optionalFields.customer, (customer) => ({ customer })),
  ...choicesOf('an item', fullItem, (item) => ({ items: [item] })),
  'a list of no items': { items: [] },
  'a callbackUrl without a path': { callbackUrl: 'https://shop.example' },
};

/** Nothing, what is in every field, and the smallest that each may be. */
const valuesOfFields: readonly (readonly Partial<OptionalFields>[])[] = [
  [
    {},
    { items: optionalFields.items },
    { items: [] },
    { items: [{}] },
    { items: [{ name: 'Seat' }, ...optionalFields.items] },
  ],
  [{}, { customer: optionalFields.customer }, { customer: {} }, { customer: { name: 'Ada' } }],
  [{}, { description: optionalFields.description }, { description: '' }],
  [{}, { userAgent: optionalFields.userAgent }, { userAgent: '' }],
  [{}, { customerIp: optionalFields.customerIp }, { customerIp: '192.0.2.1' }],
  [{}, { metadata: optionalFields.metadata }, { metadata: '' }],
  [{}, { callbackUrl: optionalFields.callbackUrl }],
];

/** Text that does not survive parsing and writing as JSON, trimming, HTML escaping, or filling in as a pattern unchanged. */
const metadata = ' {"cart": "c-17 <b>&amp;</b> 100 %% of it%n {0} $1 \\\\1",  "weight": 1.50} ';

export const checkoutCreateChecks: readonly CheckDeclaration[] = [
  minimalCreate(checkoutOrders, 'A request with the five required fields makes an order in one step'),
  everyOptionalField(checkoutOrders, sendCheckoutCreate, optionalFields),
  optionalParts(checkoutOrders, sendCheckoutCreate, parts),
  pairsOfFields<OptionalFields>(checkoutOrders, sendCheckoutCreate, () => Promise.resolve(valuesOfFields)),
  merchantOrderIdAlphabet(checkoutOrders),
  emptyTexts<CheckoutOrderCreateRequest>(checkoutOrders, sendCheckoutCreate, [
    ['userAgent', { userAgent: '' }, 'checkout.create.user-agent.length'],
    ['description', { description: '' }, 'checkout.create.description.length'],
    // Unlike that of a hosted order, it has no rule but its longest length.
    ['customerIp', { customerIp: '' }, 'checkout.create.customer-ip.length'],
    ['customer.customerId', { customer: { customerId: '' } }, 'checkout.create.optional-fields'],
    ['customer.name', { customer: { name: '' } }, 'checkout.create.optional-fields'],
    ['items[0].name', { items: [{ name: '' }] }, 'checkout.create.optional-fields'],
  ]),
  lengthsInCharacters<CheckoutOrderCreateRequest>(checkoutOrders, sendCheckoutCreate, [
    { name: 'description', fields: (description) => ({ description }) },
    { name: 'userAgent', fields: (userAgent) => ({ userAgent }) },
    { name: 'metadata', fields: (metadata) => ({ metadata }) },
  ]),
  {
    id: 'checkout.create.initial-state',
    title: 'A new checkout order is INIT',
    requirements: ['checkout.states.initial'],
    async run(context) {
      const order = await makeCheckoutOrder(context, await context.merchant());
      for (const answer of [order.created, await order.query()]) expectField(answer, 'data.status', 'INIT');
    },
  },
  {
    id: 'checkout.create.success-envelope',
    title: 'A create answers with code, message and, under data, what the payer has to send and where',
    requirements: [
      'checkout.envelope.success',
      'checkout.view.fields',
      'checkout.view.amounts',
      'checkout.view.times',
      'checkout.view.unpaid',
      'checkout.states.values',
    ],
    async run(context) {
      const { answer } = await sendCheckoutCreate(context, {});
      needAccepted(answer, 'making a checkout order');
      expectSchema(answer, 'CheckoutOrderCreateSuccess');
    },
  },
  {
    id: 'checkout.create.exact-amount',
    title: 'An amount that is taken is kept to its last decimal place',
    requirements: ['checkout.view.echo'],
    async run(context) {
      const { client, method } = await checkoutMerchant(context, await context.merchant());
      needAccepted((await sendCheckoutCreate(context, {})).answer, 'the same request with two decimal places');
      const value = preciseAmountFor(method);
      const request = checkoutRequest(context, method, { orderAmount: { value, currency: method.currency } });
      const answer = await client.create(request);
      // The contract does not say how many decimal places an amount may have.
      if (isParameterRefusal(answer)) throw new PermittedChoice(`an amount of ${value} is not taken`);
      expectAccepted(answer, `an amount of ${value}`);
      for (const each of [answer, await client.query(request.merchantOrderId)]) {
        expectAmount(each, 'data.orderAmount.value', value);
      }
    },
  },
  {
    id: 'checkout.create.listed-pairs',
    title: 'Every pair of the list can be used for an order',
    requirements: ['checkout.create.listed-pairs', 'checkout.view.echo'],
    async run(context) {
      const client = checkoutClient(context, await context.merchant());
      const methods = await paymentMethodsOf(client);
      const requests = methods.map((method) => checkoutRequest(context, method));
      const answers = await Promise.all(requests.map((request) => client.create(request)));
      // Where the target refuses every order, the fault is not in a pair.
      const [first] = answers;
      if (first && !answers.some(isAccepted)) needAccepted(first, 'making a checkout order');
      for (const [index, { merchantOrderId, orderAmount, network }] of requests.entries()) {
        const answer = answers[index] ?? first;
        if (!answer) continue;
        const { currency } = orderAmount;
        expectAccepted(answer, `an order in ${currency} on ${network}`);
        expectField(answer, 'data.merchantOrderId', merchantOrderId, 'checkout.view.echo');
        expectField(answer, 'data.network', network, 'checkout.view.echo');
        expectField(answer, 'data.orderAmount.currency', currency, 'checkout.view.echo');
      }
    },
  },
  {
    id: 'checkout.create.metadata.any-text',
    title: 'metadata may be empty, text that is no JSON, and JSON that is no object',
    requirements: ['checkout.create.metadata.any-text', 'checkout.create.metadata.unchanged'],
    async run(context) {
      const { answer: usual } = await sendCheckoutCreate(context, { metadata });
      needAccepted(usual, 'the same request with JSON');
      const isReturned = field(usual, 'data.metadata') === metadata;
      await sideBySide(
        ['', 'cart c-17', '{"cart":', 'null and void', '0', 'false', '{}', ...otherJsonTexts].map(async (text) => {
          const { answer } = await sendCheckoutCreate(context, { metadata: text });
          expectAccepted(answer, `metadata of ${text || 'no characters'}`);
          // What is returned of one order is returned of each, though a text of no characters may be none.
          if (isReturned && text !== '') {
            expectField(answer, 'data.metadata', text, 'checkout.create.metadata.unchanged');
          }
        }),
      );
    },
  },
  {
    id: 'checkout.create.metadata.unchanged',
    title: 'metadata comes back as it was sent, where it comes back',
    requirements: ['checkout.create.metadata.unchanged'],
    openPoint: 'checkout-metadata',
    async run(context) {
      const merchant = await context.merchant();
      const order = await makeCheckoutOrder(context, merchant, { metadata });
      // The rules over the whole run see whether one that has none shows that of another order.
      await (await makeCheckoutOrder(context, merchant)).query();
      const answers = [order.created, await order.query()];
      const returned = answers.filter((answer) => (field(answer, 'data.metadata') ?? null) !== null);
      const value = ['not-returned', null, 'returned'][returned.length];
      context.observeIn(answers, 'checkout-metadata', `in ${returned.length} of the views of create and query`, value);
      for (const answer of returned) expectField(answer, 'data.metadata', metadata);
    },
  },
  letters(checkoutOrders),
  unknownField('checkout', 'merchantOrderId', async (context) => {
    const { client, method } = await checkoutMerchant(context, await context.merchant());
    const [request, other] = [checkoutRequest(context, method), checkoutRequest(context, method)];
    return { request: { ...request }, other: { ...other }, send: client.createAnything };
  }),
];
