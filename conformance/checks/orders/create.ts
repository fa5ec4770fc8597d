import { type OrderCreateRequest, ordersClient } from '../../arrange/orders/client.ts';
import { makeOrder, noFurtherLetters, noSubMerchants, orderRequest } from '../../arrange/orders/orders.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectAmount,
  expectField,
  expectRefused,
  expectSchema,
  expectThat,
  isAccepted,
  needAccepted,
  show,
  summary,
} from '../../check/expect.ts';
import { addDecimals } from '../../contract/decimals.ts';
import { successCode } from '../../contract/success-code.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** Every optional field, each with a value that keeps its rule. */
const optionalFields: Omit<OrderCreateRequest, 'merchantOrderId' | 'orderAmount' | 'expiresAt' | 'returnUrl'> = {
  paymentMethodConfig: {
    allowedPaymentMethodTypes: ['ON_CHAIN_TRANSFER', 'EXCHANGE_TRANSFER'],
    allowedPaymentMethods: ['EXCHANGE_ONE'],
  },
  callbackUrl: 'https://shop.example/hooks/orders',
  customer: { customerId: 'c-1', email: 'payer@shop.example', name: 'Ada Żółć', phone: '+48 22 000 00 00' },
  customerIp: '2001:db8::1',
  userAgent: 'Mozilla/5.0',
  description: 'Two tickets — zwei Karten',
  items: [{ name: 'Ticket', quantity: 2, amount: { value: '4.75', currency: 'USDT' }, description: 'Row 7' }],
  metadata: '{"cart":"c-17"}',
};

/** Every way to say that paymentMethodConfig restricts nothing. */
const unrestricted: Record<string, NonNullable<OrderCreateRequest['paymentMethodConfig']> | null> = {
  'null as a whole': null,
  'both lists null': { allowedPaymentMethodTypes: null, allowedPaymentMethods: null },
  'both lists empty': { allowedPaymentMethodTypes: [], allowedPaymentMethods: [] },
  'no list': {},
};

/** Creates with `changes` on the shared merchant; the answer is what is judged. */
async function create(context: CheckContext, changes: Partial<OrderCreateRequest>) {
  const client = ordersClient(context, await context.merchant());
  const request = orderRequest(context, changes);
  return { client, request, answer: await client.create(request) };
}

/** A create with sub-merchants of these amounts, for an order of `total`; the split stands whole in each request. */
function split(total: string, amounts: readonly string[]): Partial<OrderCreateRequest> {
  return {
    orderAmount: { value: total, currency: 'USDT' },
    subMerchants: amounts.map((amount, index) => ({ subMerchantId: `sub-${index}`, name: `Shop ${index}`, amount })),
  };
}

/** A split that keeps every rule; skips the check where this merchant may not send any. */
async function createSplit(context: CheckContext, total: string, amounts: readonly string[]) {
  const created = await create(context, split(total, amounts));
  if (!isAccepted(created.answer)) throw new NotApplicable(noSubMerchants);
  return created;
}

/** Refuses a split whose sum is not the total, after accepting the same split with the right total. */
async function sumRule(context: CheckContext, wrongTotal: string, amounts: readonly string[]): Promise<void> {
  await createSplit(context, addDecimals(amounts), amounts);
  const wrong = await create(context, split(wrongTotal, amounts));
  expectRefused(wrong.answer, `sub-merchant amounts of ${addDecimals(amounts)} for an order of ${wrongTotal}`);
  const afterwards = await wrong.client.query(wrong.request.merchantOrderId);
  expectRefused(afterwards, 'a query for the order that was refused', 'orders.errors.refused');
}

export const ordersCreateChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.create.minimal',
    title: 'A request with the four required fields makes an order',
    requirements: [
      'orders.create.accepted',
      'orders.create.optional-fields',
      'general.base-path',
      'general.success-code',
    ],
    async run(context) {
      const { client, request, answer } = await create(context, {});
      // Where the answer shows an order, it is only the code that is wrong.
      const made = typeof field(answer, 'data.orderId') === 'string';
      if (made) expectField(answer, 'code', successCode, 'general.success-code');
      expectAccepted(answer, 'a create request with every required field');
      const query = await client.query(request.merchantOrderId);
      expectAccepted(query, 'a query for the order that was just made', 'orders.query.by-merchant-order-id');
    },
  },
  {
    id: 'orders.create.every-optional-field',
    title: 'A request with every optional field makes an order',
    requirements: ['orders.create.optional-fields'],
    async run(context) {
      needAccepted((await create(context, {})).answer, 'the same request without optional fields');
      const { answer } = await create(context, optionalFields);
      expectAccepted(answer, 'a create request with every optional field');
    },
  },
  {
    id: 'orders.create.empty-texts',
    title: 'userAgent and description may be empty',
    requirements: ['orders.create.user-agent.length', 'orders.create.description.length'],
    async run(context) {
      needAccepted((await create(context, {})).answer, 'the same request without them');
      const userAgent = (await create(context, { userAgent: '' })).answer;
      expectAccepted(userAgent, 'an empty userAgent', 'orders.create.user-agent.length');
      const description = (await create(context, { description: '' })).answer;
      expectAccepted(description, 'an empty description', 'orders.create.description.length');
    },
  },
  {
    id: 'orders.create.lengths-in-characters',
    title: 'A text may have as many characters as its rule says, whatever bytes they take',
    requirements: ['orders.create.description.length', 'orders.create.user-agent.length'],
    async run(context) {
      const short = await create(context, { description: 'ż', userAgent: 'ż' });
      if (!isAccepted(short.answer)) throw new NotApplicable(noFurtherLetters);
      const description = await create(context, { description: 'ż'.repeat(512) });
      expectAccepted(description.answer, 'a description of 512 ż', 'orders.create.description.length');
      const userAgent = await create(context, { userAgent: 'ż'.repeat(512) });
      expectAccepted(userAgent.answer, 'a userAgent of 512 ż', 'orders.create.user-agent.length');
    },
  },
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
      context.observe('id-namespaces', `hosted, two merchants: ${summary(answer)}`);
      for (const each of [answer, await client.query(request.merchantOrderId)]) {
        expectThat(!each.text.includes(orderId), each, {
          expected: "nothing of the other merchant's order in the answer",
          actual: `the answer names ${orderId}`,
        });
      }
      expectField(await query(), 'data.orderId', orderId);
    },
  },
  {
    id: 'orders.create.payment-method-config.unrestricted',
    title: 'paymentMethodConfig may be null, and its lists null, empty or absent',
    requirements: ['orders.create.payment-method-config.nullable'],
    async run(context) {
      needAccepted((await create(context, {})).answer, 'the same request without paymentMethodConfig');
      for (const [what, paymentMethodConfig] of Object.entries(unrestricted)) {
        const { answer } = await create(context, { paymentMethodConfig });
        expectAccepted(answer, `a paymentMethodConfig with ${what}`);
      }
    },
  },
  {
    id: 'orders.create.merchant-order-id.alphabet',
    title: 'A merchantOrderId may have capital and small letters, digits, underscore and hyphen, and is kept as it is',
    requirements: ['orders.create.merchant-order-id.characters', 'orders.view.echo'],
    async run(context) {
      needAccepted((await create(context, {})).answer, 'the same request with another merchantOrderId');
      const merchantOrderId = `_${context.newOrderId()}_Az-`;
      const { client, answer } = await create(context, { merchantOrderId });
      expectAccepted(answer, `a merchantOrderId of ${merchantOrderId}`);
      for (const each of [answer, await client.query(merchantOrderId)]) {
        expectField(each, 'data.merchantOrderId', merchantOrderId, 'orders.view.echo');
      }
    },
  },
  {
    id: 'orders.create.both-currencies',
    title: 'An order may be priced in USD and in USDT',
    requirements: ['orders.amount.currency-values', 'orders.create.accepted'],
    async run(context) {
      for (const currency of ['USD', 'USDT'] as const) {
        const { answer } = await create(context, { orderAmount: { value: '9.50', currency } });
        expectAccepted(answer, `an order in ${currency}`);
        expectField(answer, 'data.orderAmount.currency', currency, 'orders.view.echo');
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
      const status = show(field(created, 'data.status'));
      context.observe('orders-pending-example', `data.status = ${status}`, status.toLowerCase());
      expectField(created, 'data.status', 'INIT');
    },
  },
  {
    id: 'orders.create.eighteen-decimals',
    title: 'An amount with 18 decimal places is kept to the last one',
    requirements: ['orders.amount.decimal-places', 'orders.view.echo'],
    async run(context) {
      const value = '8.123456789012345678';
      needAccepted((await create(context, {})).answer, 'the same request with two decimal places');
      const { client, request, answer } = await create(context, { orderAmount: { value, currency: 'USDT' } });
      expectAccepted(answer, `an amount of ${value}`);
      const query = await client.query(request.merchantOrderId);
      expectAmount(query, 'data.orderAmount.value', value);
    },
  },
  {
    id: 'orders.create.sub-merchants.sum-too-small',
    title: 'A split that makes less than the amount is refused, down to the last decimal place',
    requirements: ['orders.create.sub-merchants.sum', 'orders.errors.refused'],
    run: (context) => sumRule(context, '9.000000000000000001', ['4.5', '4.5']),
  },
  {
    id: 'orders.create.sub-merchants.sum-too-large',
    title: 'A split that makes more than the amount is refused, down to the last decimal place',
    requirements: ['orders.create.sub-merchants.sum', 'orders.errors.refused'],
    run: (context) => sumRule(context, '9', ['4.5', '4.500000000000000001']),
  },
  {
    id: 'orders.create.sub-merchants.exact-sum',
    title: 'A split whose sum is exact in decimals, though not in binary floating point or as text, is accepted',
    requirements: ['orders.create.sub-merchants.sum'],
    async run(context) {
      await createSplit(context, '9.5', ['4.5', '5']);
      // 1.1 + 2.2 is 3.3000000000000003 for a double, and 9.5 is not the text 9.50.
      const splits: [string, string[]][] = [
        ['3.3', ['1.1', '2.2']],
        ['9.50', ['4.5', '5']],
      ];
      for (const [total, amounts] of splits) {
        const { answer } = await create(context, split(total, amounts));
        expectAccepted(answer, `sub-merchant amounts of ${amounts.join(' and ')} for an order of ${total}`);
      }
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
      const seen: string[] = [];
      for (const [what, change] of repeats) {
        const answer = await client.create({ ...request, ...change });
        const same = field(answer, 'data.orderId') === orderId;
        existing.push(isAccepted(answer) && same);
        seen.push(
          `${what}: ${isAccepted(answer) ? (same ? 'the existing order' : 'another order') : `code ${show(field(answer, 'code'))}`}`,
        );
      }
      const values = ['always-refused', 'same-request', 'same-terms', 'always-existing'];
      context.observe('orders-duplicate-id', seen.join('; '), values[existing.filter(Boolean).length]);
    },
  },
  {
    id: 'orders.create.expiry-in-the-past',
    title: 'What an expiry time in the past, or two days ahead, is answered with',
    requirements: ['orders.create.expires-at.range'],
    async run(context) {
      const at = (hours: number) => ({ expiresAt: new Date(context.now() + hours * 3_600_000).toISOString() });
      const [past, far] = [(await create(context, at(-1))).answer, (await create(context, at(48))).answer];
      const word = (answer: Answer) =>
        isAccepted(answer) ? 'accepted' : `refused with ${show(field(answer, 'code'))}`;
      const refusedPast = isAccepted(far) ? 'past-refused' : 'bounded';
      const value = isAccepted(past) ? 'past-accepted' : refusedPast;
      context.observe('orders-expiry-past', `an hour ago: ${word(past)}; in two days: ${word(far)}`, value);
    },
  },
  {
    id: 'orders.create.unknown-field',
    title: 'What a field that the contract does not name is answered with',
    requirements: ['general.unknown-fields'],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      const answer = await client.createAnything({ ...orderRequest(context), assayUnknownField: 'x' });
      const value = isAccepted(answer) ? 'ignored' : 'refused';
      context.observe('unknown-fields', `${value}: code ${show(field(answer, 'code'))}`, value);
    },
  },
  {
    id: 'orders.create.sub-merchants.any-merchant',
    title: 'Whether this merchant may send subMerchants',
    requirements: ['orders.create.sub-merchants.platform-only'],
    async run(context) {
      const { answer } = await create(context, split('9.5', ['4.5', '5']));
      const value = isAccepted(answer) ? 'accepted' : 'refused';
      context.observe('sub-merchants-platform-only', `${value}: code ${show(field(answer, 'code'))}`, value);
    },
  },
  {
    id: 'orders.create.sub-merchants.settlement-ratio-edges',
    title: 'Whether settlementRatio may be 0 and 1',
    requirements: ['orders.create.sub-merchants.settlement-ratio-edges'],
    async run(context) {
      await createSplit(context, '9.5', ['4.5', '5']);
      const taken: boolean[] = [];
      for (const settlementRatio of ['0', '1']) {
        const request = split('9.5', ['4.5', '5']);
        const subMerchants = request.subMerchants?.map((part) => ({ ...part, settlementRatio }));
        taken.push(isAccepted((await create(context, { ...request, ...(subMerchants && { subMerchants }) })).answer));
      }
      const seen = `0: ${taken[0] ? 'accepted' : 'refused'}; 1: ${taken[1] ? 'accepted' : 'refused'}`;
      const value = taken.every(Boolean) ? 'inclusive' : taken.some(Boolean) ? undefined : 'exclusive';
      context.observe('settlement-ratio-edges', seen, value);
    },
  },
  {
    id: 'orders.create.success-envelope',
    title: 'A success has code, message and the view under data',
    requirements: ['orders.envelope.success', 'orders.view.fields', 'orders.view.amounts', 'orders.view.times'],
    async run(context) {
      const created = (await create(context, {})).answer;
      needAccepted(created, 'making an order');
      // PENDING is warned about by a check of its own, so it must not fail this one.
      const pending = field(created, 'data.status') === 'PENDING';
      const json = pending
        ? JSON.parse(created.text.replace(/"status"\s*:\s*"PENDING"/, '"status":"INIT"'))
        : created.json;
      expectSchema({ ...created, json }, 'OrderSuccess');
    },
  },
];
