import { isOtherAuthFailure } from '../../arrange/authentication/refusals.ts';
import {
  checkoutRequest,
  makeCheckoutOrder,
  readyCheckoutMerchant,
} from '../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectField, expectJsonType, expectRefused, expectSchema } from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { show } from '../../contract/show.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { tooLong } from '../support/too-long.ts';

/** Answers to requests that are refused for different reasons, each with its request in words. */
async function refusals(context: CheckContext): Promise<[string, Answer][]> {
  const { client, method } = await readyCheckoutMerchant(context, await context.merchant());
  const request = () => checkoutRequest(context, method);
  const { merchantOrderId: _left, ...withoutId } = request();
  const free = { ...request(), orderAmount: { value: '0', currency: method.currency } };
  const malformed = Buffer.from('{"merchantOrderId":');
  return [
    ['a query for an unknown order', await client.query(context.newOrderId())],
    ['a create without merchantOrderId', await client.createAnything(withoutId)],
    ['a create with an amount of 0', await client.createAnything(free)],
    ['a create on an unknown network', await client.createAnything({ ...request(), network: 'assay-no-network' })],
    ['a create with malformed JSON', await client.send({ method: 'POST', path: client.createPath, body: malformed })],
    ['a create whose body is a list', await client.createAnything([])],
  ];
}

export const checkoutErrorsChecks: readonly CheckDeclaration[] = [
  {
    id: 'checkout.errors.envelope',
    title: 'A refusal has its code, a message, and data that is null',
    requirements: ['checkout.envelope.failure', 'checkout.errors.refused', 'general.json'],
    async run(context) {
      for (const [what, answer] of await refusals(context)) {
        expectRefused(answer, what, 'checkout.errors.refused');
        expectSchema(answer, 'CheckoutFailure');
      }
    },
  },
  {
    id: 'checkout.errors.content-type',
    title: 'Answers are JSON and say so',
    requirements: ['general.json'],
    async run(context) {
      const order = await makeCheckoutOrder(context, await context.merchant());
      const { client } = order;
      const answers = [
        await client.paymentMethods(),
        order.created,
        await order.query(),
        await client.query(context.newOrderId()),
      ];
      for (const answer of answers) {
        expectJsonType(answer);
      }
    },
  },
  {
    id: 'checkout.errors.http-status',
    title: 'Which HTTP status a refusal has',
    requirements: ['checkout.http-status'],
    async run(context) {
      const seen = await refusals(context);
      const kinds = seen.map(([, { status }]) => (status === 200 ? '200' : `${String(status).charAt(0)}xx`));
      const value = new Set(kinds).size === 1 ? kinds[0] : null;
      const words = seen.map(([what, { status }]) => `${what}: HTTP ${status}`);
      const answers = seen.map(([, answer]) => answer);
      context.observeIn(answers, 'checkout-http-status', words.join('; '), value);
    },
  },
  {
    id: 'checkout.errors.invalid-parameter',
    title: 'A parameter that breaks its rule is refused with 10001, where no other code is named for it',
    requirements: ['checkout.errors.invalid-parameter'],
    async run(context) {
      const { client, method } = await readyCheckoutMerchant(context, await context.merchant());
      const { merchantOrderId } = checkoutRequest(context, method);
      const wrong: [string, object][] = [
        ['a merchantOrderId that is too short', { merchantOrderId: merchantOrderId.slice(-15) }],
        ['a merchantOrderId with a space', { merchantOrderId: `${merchantOrderId} x` }],
        ['no merchantOrderId', { merchantOrderId: undefined }],
        ['a description that is too long', { description: tooLong('checkout.description.length') }],
        ['a userAgent that is too long', { userAgent: tooLong('checkout.user-agent.length') }],
        ['a customerIp that is too long', { customerIp: tooLong('checkout.customer-ip.length') }],
        ['metadata that is too long', { metadata: tooLong('checkout.metadata.length') }],
      ];
      for (const [what, change] of wrong) {
        const answer = await client.createAnything({ ...checkoutRequest(context, method), ...change });
        expectRefused(answer, `a create with ${what}`);
        expectField(answer, 'code', errorCode('checkout', 'INVALID_PARAMETER'));
      }
    },
  },
  {
    id: 'checkout.errors.unknown-merchant',
    title: 'A checkout request for a merchant that does not exist is refused',
    requirements: ['checkout.errors.unknown-merchant'],
    openPoint: 'unknown-merchant',
    async run(context) {
      const credentials = await context.merchant();
      const { method, request } = await makeCheckoutOrder(context, credentials);
      const stranger = checkoutClient(context, { ...credentials, merchantId: `${credentials.merchantId}-unknown` });
      const answers = [
        await stranger.create(checkoutRequest(context, method)),
        await stranger.query(request.merchantOrderId),
        await stranger.paymentMethods(),
      ];
      for (const answer of answers) {
        const code = show(field(answer, 'code'));
        const value = code === errorCode('checkout', 'INVALID_MERCHANT') ? 'by-area' : 'as-authentication';
        const seen = `checkout: HTTP ${answer.status}, code ${code}`;
        // The status of a failed authentication is open, so the contract need not declare it.
        if (isOtherAuthFailure(answer)) context.observe('unknown-merchant', seen, 'as-authentication');
        else context.observeIn(answer, 'unknown-merchant', seen, value);
        expectRefused(answer, 'a checkout request for a merchant that does not exist');
      }
    },
  },
];
