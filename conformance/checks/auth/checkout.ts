import { checkoutMerchant, checkoutRequest } from '../../arrange/checkout-orders/checkout-orders.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import {
  createCheckoutOrder,
  listPaymentMethods,
  queryCheckoutOrder,
} from '../../arrange/checkout-orders/operations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectField, expectRefused, isAccepted, needAccepted, summary } from '../../check/expect.ts';
import type { Credentials } from '../../drivers/driver.ts';
import type { Answer } from '../../wire/exchange.ts';

/** Requests of a merchant without API Checkout, which would be right if the merchant had it. */
const requests: readonly [string, string, (context: CheckContext, disabled: Credentials) => Promise<Answer>][] = [
  [
    listPaymentMethods.name,
    'a list of payment methods',
    (context, disabled) => checkoutClient(context, disabled).paymentMethods(),
  ],
  [
    createCheckoutOrder.name,
    'a checkout create',
    async (context, disabled) => {
      const { client, method } = await checkoutMerchant(context, await context.merchant());
      needAccepted(await client.create(checkoutRequest(context, method)), 'the same create of another merchant');
      return checkoutClient(context, disabled).create(checkoutRequest(context, method));
    },
  ],
  [
    queryCheckoutOrder.name,
    'a checkout query',
    (context, disabled) => checkoutClient(context, disabled).query(context.newOrderId()),
  ],
];

const enabled: readonly CheckDeclaration[] = requests.map(
  ([name, noun, send]): CheckDeclaration => ({
    id: `auth.${name}.not-enabled`,
    title: `A merchant without API Checkout gets 50010 to ${noun}`,
    calls: ['checkout'],
    requirements: ['auth.checkout-enabled'],
    needs: ['checkout-disabled'],
    async run(context) {
      const answer = await send(context, await context.merchant('checkoutDisabled'));
      expectRefused(answer, `${noun} of a merchant without API Checkout`);
      expectField(answer, 'code', '50010');
    },
  }),
);

const key: readonly CheckDeclaration[] = [
  {
    id: 'auth.checkout.api-key',
    title: 'Whether checkout requests need X-Api-Key, and whether it is looked at',
    calls: ['checkout'],
    requirements: ['auth.checkout-api-key'],
    async run(context) {
      const { client, request } = await listPaymentMethods.prepare(context, await context.merchant());
      const right = await client.send(request);
      const absent = await client.send({ ...request, headers: { 'X-Api-Key': undefined } });
      const foreign = await client.send({ ...request, headers: { 'X-Api-Key': 'ak_this-key-was-never-issued' } });
      const seen = { "the merchant's key": right, 'no key': absent, 'an unknown key': foreign };
      const words = Object.entries(seen).map(([what, answer]) => `${what}: ${summary(answer)}`);
      const whenAbsent = isAccepted(foreign) ? 'ignored' : 'optional';
      needAccepted(right, 'a list of payment methods, rightly signed');
      const value = isAccepted(absent) ? whenAbsent : 'required';
      context.observeIn([absent, foreign], 'checkout-api-key', words.join('; '), value);
    },
  },
];

/** What only checkout operations ask for or leave open. */
export const authCheckoutChecks: readonly CheckDeclaration[] = [...enabled, ...key];
