import { pathEscaped } from '../../arrange/authentication/as-sent.ts';
import { type OrderCreateRequest, type OrdersClient, ordersClient } from '../../arrange/orders/client.ts';
import { optionalFields, ticket } from '../../arrange/orders/optional-fields.ts';
import { makeOrder, orderRequest, splitInTwo } from '../../arrange/orders/orders.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import { allWays } from '../../arrange/requests/unusual-ways.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectField,
  expectJsonType,
  expectRefused,
  expectSchema,
  expectStatus,
  expectThat,
  isAccepted,
  needAccepted,
} from '../../check/expect.ts';
import { keysOf } from '../../check/keys-of.ts';
import { errorCode, fieldErrorCodes } from '../../contract/error-codes.ts';
import { lengthLimit } from '../../contract/lengths.ts';
import { show } from '../../contract/show.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { tooLong } from '../support/too-long.ts';

/** The client of the shared merchant, after an ordinary create has shown that its creates are accepted. */
async function acceptedClient(context: CheckContext): Promise<OrdersClient> {
  const client = ordersClient(context, await context.merchant());
  needAccepted(await client.create(orderRequest(context)), 'an ordinary create');
  return client;
}

/** Answers to requests that are refused for different reasons, each with its request in words. */
async function refusals(context: CheckContext): Promise<[string, Answer][]> {
  const client = ordersClient(context, await context.merchant());
  const { merchantOrderId: _left, ...withoutId } = orderRequest(context);
  const currency = { ...orderRequest(context), orderAmount: { value: '9.50', currency: 'eur' } };
  const malformed = Buffer.from('{"merchantOrderId":');
  const unknown = pathEscaped({ method: 'GET', path: client.queryPath(context.newOrderId()) });
  return [
    ['a query for an unknown order', await client.query(context.newOrderId())],
    ['a query for an unknown order with needless escapes in its path', await client.send(unknown)],
    ['a create without merchantOrderId', await client.createAnything(withoutId)],
    ['a create in a currency that is none', await client.createAnything(currency)],
    ['a create with malformed JSON', await client.send({ method: 'POST', path: client.createPath, body: malformed })],
    ['a create whose body is a list', await client.createAnything([])],
  ];
}

type Change = Partial<OrderCreateRequest>;

/**
 * Answers to creates of one order that break a rule of a value each, where every field is of its type and the body can be read: each rule, and then
 * one or another of them in each way to send, and beside each further field.
 */
function furtherRefusals(context: CheckContext, client: OrdersClient, request: OrderCreateRequest): Promise<Answer[]> {
  const changes: readonly [Change, ...Change[]] = [
    { orderAmount: { value: '-9.50', currency: 'USDT' } },
    { expiresAt: new Date(context.businessTime(client.merchant) - 3_600_000).toISOString() },
    { description: tooLong('orders.description.length') },
    { items: [{ ...ticket, quantity: 0 }] },
  ];
  const [simple] = changes;
  const beside = [...keysOf(optionalFields).map((name) => ({ [name]: optionalFields[name] })), optionalFields];
  return someAtOnce(
    [
      ...changes.map((change) => ({ change, way: undefined })),
      ...allWays.map((way, index) => ({ change: changes[index % changes.length], way })),
      ...beside.map((further) => ({ change: { ...further, ...simple }, way: undefined })),
    ],
    ({ change, way }) => client.post(client.createPath, { ...request, ...change }, way && { way }),
  );
}

/** Answers to creates that say of themselves that they are no JSON, each with its request in words. Whether they are refused is judged elsewhere. */
function sentAsOtherTypes(context: CheckContext, client: OrdersClient): Promise<[string, Answer][]> {
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/xml'];
  return Promise.all(
    types.map(async (type): Promise<[string, Answer]> => {
      const body = Buffer.from(JSON.stringify(orderRequest(context)));
      const headers = { 'Content-Type': type };
      return [
        `a create sent as ${type}`,
        await client.send({ method: 'POST', path: client.createPath, body, headers }),
      ];
    }),
  );
}

const invalidParameter = errorCode('orders', 'INVALID_PARAMETER');

export const ordersErrorsChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.errors.http-200',
    title: 'Every answer has HTTP status 200, a refusal too',
    requirements: ['orders.http-200'],
    async run(context) {
      const order = await makeOrder(context, await context.merchant());
      const answers: [string, Answer][] = [
        ['a create', order.created],
        ['a query', await order.query()],
        ...(await refusals(context)),
        ...(await sentAsOtherTypes(context, ordersClient(context, await context.merchant()))),
      ];
      for (const [what, answer] of answers) {
        expectStatus(answer, 200, what);
      }
    },
  },
  {
    id: 'orders.errors.envelope',
    title: 'A refusal wears the failure envelope',
    requirements: ['orders.envelope.failure', 'general.json'],
    async run(context) {
      const { merchantId } = await context.merchant();
      for (const [what, answer] of await refusals(context)) {
        expectRefused(answer, what, 'orders.errors.refused');
        expectSchema(answer, 'OrderFailure');
        expectField(answer, 'data.merchantId', merchantId);
        expectField(answer, 'data.standardResponseCode', field(answer, 'code'), 'orders.view.standard-response');
      }
    },
  },
  {
    id: 'orders.errors.content-type',
    title: 'Answers are JSON and say so',
    requirements: ['general.json'],
    async run(context) {
      const order = await makeOrder(context, await context.merchant());
      for (const answer of [order.created, await order.query(), await order.client.query(context.newOrderId())]) {
        expectJsonType(answer);
      }
    },
  },
  {
    id: 'orders.errors.request-id-echoed',
    title: 'A refusal names the merchantOrderId that it is about',
    requirements: ['orders.envelope.failure-names-request'],
    async run(context) {
      const client = await acceptedClient(context);
      // As long as an id may be, with every kind of character that it may have.
      const { limit: longest } = lengthLimit('orders', 'merchantOrderId', 'maxLength');
      const id = `_${context.newOrderId()}_Az-`.padEnd(longest, 'Z9');
      expectField(await client.query(id), 'data.merchantOrderId', id);
      // An id that a path escapes is the same id. Whether it is read is judged elsewhere.
      const escaped = await client.send(pathEscaped({ method: 'GET', path: client.queryPath(id) }));
      if (field(escaped, 'code') === errorCode('orders', 'ORDER_NOT_FOUND')) {
        expectField(escaped, 'data.merchantOrderId', id);
      }
      const refused = { ...orderRequest(context), merchantOrderId: id };
      const answer = await client.createAnything({ ...refused, orderAmount: { value: '9.50', currency: 'eur' } });
      expectRefused(answer, 'a create in a currency that is none', 'orders.amount.currency-form');
      expectField(answer, 'data.merchantOrderId', id);
      for (const refusal of await furtherRefusals(context, client, refused)) {
        // Whether it is refused is judged elsewhere. What stands in front of a target may take no body in chunks.
        const isOfFields = fieldErrorCodes.orders.includes(String(field(refusal, 'code')));
        if (isOfFields && refusal.status === 200) expectField(refusal, 'data.merchantOrderId', id);
      }
    },
  },
  {
    id: 'orders.errors.invalid-parameter',
    title: 'A field that breaks its rule, also one inside of another, is refused with 10001 and named in the message',
    requirements: ['orders.errors.invalid-parameter'],
    openPoint: 'orders-error-codes',
    async run(context) {
      const client = await acceptedClient(context);
      const wrong: [string, object][] = [
        ['userAgent', { userAgent: tooLong('orders.user-agent.length') }],
        ['customerIp', { customerIp: 'not-an-address' }],
        ['currency', { orderAmount: { value: '9.50', currency: 'eur' } }],
        ['merchantOrderId', { merchantOrderId: 'too short' }],
        ['description', { description: tooLong('orders.description.length') }],
        ['returnUrl', { returnUrl: undefined }],
        ['callbackUrl', { callbackUrl: 'no address' }],
        ['quantity', { items: [{ ...ticket, quantity: 0 }] }],
        ['quantity', { items: [ticket, { ...ticket, quantity: -1 }] }],
        ['quantity', { items: [{ ...ticket, quantity: 1.5 }] }],
        ['name', { items: [{ ...ticket, name: undefined }] }],
        ['currency', { items: [{ ...ticket, amount: { ...ticket.amount, currency: 'eur' } }] }],
        ['allowedPaymentMethodTypes', { paymentMethodConfig: { allowedPaymentMethodTypes: ['CASH'] } }],
        ['allowedPaymentMethods', { paymentMethodConfig: { allowedPaymentMethods: ['CASH'] } }],
      ];
      const send = (change: object) => client.createAnything({ ...orderRequest(context), ...change });
      const [first, second] = splitInTwo.subMerchants ?? [];
      const splitWith = (change: object) => ({ ...splitInTwo, subMerchants: [first, { ...second, ...change }] });
      // Not every merchant may split an order.
      if (isAccepted(await send(splitInTwo))) {
        wrong.push(
          ['mcc', splitWith({ mcc: '58I2' })],
          ['settlementRatio', splitWith({ settlementRatio: '1.01' })],
          ['subMerchantId', splitWith({ subMerchantId: '' })],
          ['name', splitWith({ name: '' })],
        );
      }
      const answers = await Promise.all(wrong.map(async ([name, change]) => ({ name, answer: await send(change) })));
      for (const { name, answer } of answers) {
        expectRefused(answer, `a create with a wrong ${name}`);
        expectField(answer, 'code', invalidParameter);
        const message = String(field(answer, 'message'));
        expectThat(message.toLowerCase().includes(name.toLowerCase()), answer, {
          expected: `message names ${name}`,
          actual: `message = ${show(message)}`,
        });
      }
    },
  },
  {
    id: 'orders.errors.amount-code',
    title: 'Which code an amount of zero is refused with',
    requirements: ['orders.amount.positive'],
    openPoint: 'orders-error-codes',
    async run(context) {
      const client = await acceptedClient(context);
      const answer = await client.create(orderRequest(context, { orderAmount: { value: '0', currency: 'USDT' } }));
      const code = show(field(answer, 'code'));
      const values: Record<string, string> = {
        [errorCode('orders', 'INVALID_AMOUNT')]: 'as-checkout',
        [invalidParameter]: 'only-known',
      };
      // An amount of 0 that is accepted has no code.
      const value = isAccepted(answer) ? undefined : (values[code] ?? null);
      context.observeIn(answer, 'orders-error-codes', `an amount of 0: code ${code}`, value);
    },
  },
  {
    id: 'orders.errors.unreadable-request',
    title: 'What stands as merchantOrderId when the request could not be read',
    requirements: ['orders.envelope.failure-ids'],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      const answer = await client.send({ method: 'POST', path: client.createPath, body: Buffer.from('{') });
      const seen = field(answer, 'data.merchantOrderId');
      const value = seen === null ? 'null-id' : seen === '' ? 'empty-text' : null;
      context.observeIn(answer, 'failure-envelope-ids', `data.merchantOrderId = ${show(seen)}`, value);
    },
  },
  {
    id: 'orders.errors.unknown-merchant',
    title: 'A request for a merchant that does not exist is refused',
    requirements: ['orders.errors.unknown-merchant'],
    openPoint: 'unknown-merchant',
    async run(context) {
      const credentials = await context.merchant();
      const order = await makeOrder(context, credentials);
      const stranger = ordersClient(context, { ...credentials, merchantId: `${credentials.merchantId}-unknown` });
      const request = orderRequest(context);
      const path = ordersClient(context, credentials).queryPath(request.merchantOrderId);
      const headers = { 'X-Api-Key': 'ak_this-key-was-never-issued' };
      const unauthenticated = await ordersClient(context, credentials).send({ method: 'GET', path, headers });
      // Where a failed authentication gets 10001 too, this code does not tell the two reasons apart.
      const byArea = field(unauthenticated, 'code') === invalidParameter ? undefined : 'by-area';
      for (const answer of [await stranger.create(request), await stranger.query(request.merchantOrderId)]) {
        const code = show(field(answer, 'code'));
        context.observeIn(
          answer,
          'unknown-merchant',
          `hosted orders: code ${code}`,
          code === invalidParameter ? byArea : 'as-authentication',
        );
        expectRefused(answer, 'a request for a merchant that does not exist');
      }
      // The same number is another id.
      const sameNumber = ordersClient(context, { ...credentials, merchantId: `0${credentials.merchantId}` });
      const answer = await sameNumber.query(order.request.merchantOrderId);
      expectRefused(answer, 'a query for a merchant whose id is that of another one behind a 0');
    },
  },
];
