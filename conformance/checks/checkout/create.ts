import {
  checkoutMerchant,
  checkoutRequest,
  makeCheckoutOrder,
  paymentMethodsOf,
  preciseAmountFor,
} from '../../arrange/checkout-orders/checkout-orders.ts';
import { type CheckoutOrderCreateRequest, checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { noFurtherLetters } from '../../arrange/orders/orders.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectAmount,
  expectField,
  expectSchema,
  isAccepted,
  needAccepted,
  show,
} from '../../check/expect.ts';
import { successCode } from '../../contract/success-code.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';

type Optional = Pick<
  CheckoutOrderCreateRequest,
  'customer' | 'description' | 'items' | 'customerIp' | 'userAgent' | 'callbackUrl' | 'metadata'
>;

/** Every optional field, each with a value that keeps its rule. */
const optionalFields: Optional = {
  customer: { email: 'payer@shop.example', name: 'Ada Żółć', customerId: 'c-1' },
  description: 'Two tickets — zwei Karten',
  items: [{ name: 'Ticket', quantity: 2, price: '4.75', currency: 'USDT' }],
  customerIp: '2001:db8::1',
  userAgent: 'Mozilla/5.0',
  callbackUrl: 'https://shop.example/hooks/checkout',
  metadata: '{"cart":"c-17"}',
};

/** Fields whose own fields are optional, each with one of them or with none. */
const optionalParts: readonly [string, Optional][] = [
  ['a customer with an email only', { customer: { email: 'payer@shop.example' } }],
  ['a customer with a name only', { customer: { name: 'Ada' } }],
  ['a customer with a customerId only', { customer: { customerId: 'c-1' } }],
  ['a customer with no field', { customer: {} }],
  ['an item with a name only', { items: [{ name: 'Ticket' }] }],
  ['an item with a quantity only', { items: [{ quantity: 2 }] }],
  ['an item with a price only', { items: [{ price: '4.75' }] }],
  ['an item with a currency only', { items: [{ currency: 'USDT' }] }],
];

/** Text that is changed by reading and writing it as JSON, by cutting space off it, and by making it fit for a page. */
const metadata = ' {"cart": "c-17 <b>&amp;</b> Żółć",  "weight": 1.50} ';

/** Creates with `changes` on the shared merchant; the answer is what is judged. */
async function create(context: CheckContext, changes: Partial<CheckoutOrderCreateRequest>) {
  const { client, method } = await checkoutMerchant(context, await context.merchant());
  const request = checkoutRequest(context, method, changes);
  return { client, request, answer: await client.create(request) };
}

export const checkoutCreateChecks: readonly CheckDeclaration[] = [
  {
    id: 'checkout.create.minimal',
    title: 'A request with the five required fields makes an order in one step',
    requirements: [
      'checkout.create.accepted',
      'checkout.create.optional-fields',
      'general.base-path',
      'general.success-code',
    ],
    async run(context) {
      const { client, request, answer } = await create(context, {});
      // Where the answer shows an order, it is only the code that is wrong.
      const made = typeof field(answer, 'data.orderId') === 'string';
      if (made) expectField(answer, 'code', successCode, 'general.success-code');
      expectAccepted(answer, 'a checkout create with every required field');
      const query = await client.query(request.merchantOrderId);
      expectAccepted(query, 'a query for the order that was just made', 'checkout.query.by-merchant-order-id');
    },
  },
  {
    id: 'checkout.create.every-optional-field',
    title: 'A request with every optional field makes an order',
    requirements: ['checkout.create.optional-fields'],
    async run(context) {
      needAccepted((await create(context, {})).answer, 'the same request without optional fields');
      const { answer } = await create(context, optionalFields);
      expectAccepted(answer, 'a checkout create with every optional field');
    },
  },
  {
    id: 'checkout.create.optional-parts',
    title: 'Each field of customer and items may be left out',
    requirements: ['checkout.create.optional-fields'],
    async run(context) {
      const { customer, items } = optionalFields;
      const whole = await create(context, { ...(customer && { customer }), ...(items && { items }) });
      needAccepted(whole.answer, 'the same request with all fields of customer and items');
      for (const [what, changes] of optionalParts) {
        expectAccepted((await create(context, changes)).answer, what);
      }
    },
  },
  {
    id: 'checkout.create.merchant-order-id.alphabet',
    title: 'A merchantOrderId may have capital and small letters, digits, underscore and hyphen, and is kept as it is',
    requirements: ['checkout.create.merchant-order-id.characters', 'checkout.view.echo'],
    async run(context) {
      needAccepted((await create(context, {})).answer, 'the same request with another merchantOrderId');
      const merchantOrderId = `_${context.newOrderId()}_Az-`;
      const { client, answer } = await create(context, { merchantOrderId });
      expectAccepted(answer, `a merchantOrderId of ${merchantOrderId}`);
      for (const each of [answer, await client.query(merchantOrderId)]) {
        expectField(each, 'data.merchantOrderId', merchantOrderId, 'checkout.view.echo');
      }
    },
  },
  {
    id: 'checkout.create.lengths-in-characters',
    title: 'A text may have as many characters as its rule says, whatever bytes they take',
    requirements: ['checkout.create.description.length', 'checkout.create.metadata.length'],
    async run(context) {
      const short = await create(context, { description: 'ż', metadata: 'ż' });
      if (!isAccepted(short.answer)) throw new NotApplicable(noFurtherLetters);
      const description = await create(context, { description: 'ż'.repeat(512) });
      expectAccepted(description.answer, 'a description of 512 ż', 'checkout.create.description.length');
      const long = await create(context, { metadata: 'ż'.repeat(4096) });
      expectAccepted(long.answer, 'metadata of 4096 ż', 'checkout.create.metadata.length');
    },
  },
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
      const { answer } = await create(context, {});
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
      needAccepted((await create(context, {})).answer, 'the same request with two decimal places');
      const value = preciseAmountFor(method);
      const request = checkoutRequest(context, method, { orderAmount: { value, currency: method.currency } });
      const answer = await client.create(request);
      // How many places an amount may have is not said.
      if (!isAccepted(answer)) throw new NotApplicable(`an amount of ${value} is not taken`);
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
      // None at all says nothing of pairs.
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
    title: 'metadata may be text that is no JSON',
    requirements: ['checkout.create.metadata.any-text'],
    async run(context) {
      needAccepted((await create(context, { metadata: '{"cart":"c-17"}' })).answer, 'the same request with JSON');
      for (const text of ['cart c-17', '{"cart":', 'null and void']) {
        expectAccepted((await create(context, { metadata: text })).answer, `metadata of ${text}`);
      }
    },
  },
  {
    id: 'checkout.create.metadata.unchanged',
    title: 'metadata comes back as it was sent, where it comes back',
    requirements: ['checkout.create.metadata.unchanged'],
    openPoint: 'checkout-metadata',
    async run(context) {
      const order = await makeCheckoutOrder(context, await context.merchant(), { metadata });
      const answers = [order.created, await order.query()];
      const returned = answers.filter((answer) => (field(answer, 'data.metadata') ?? null) !== null);
      const value = ['not-returned', undefined, 'returned'][returned.length];
      context.observe('checkout-metadata', `in ${returned.length} of the views of create and query`, value);
      for (const answer of returned) expectField(answer, 'data.metadata', metadata);
    },
  },
  {
    id: 'checkout.create.unknown-field',
    title: 'What a field that the contract does not name is answered with',
    requirements: ['general.unknown-fields'],
    async run(context) {
      const { client, method } = await checkoutMerchant(context, await context.merchant());
      const answer = await client.createAnything({ ...checkoutRequest(context, method), assayUnknownField: 'x' });
      const value = isAccepted(answer) ? 'ignored' : 'refused';
      context.observe('unknown-fields', `checkout: ${value}, code ${show(field(answer, 'code'))}`, value);
    },
  },
];
