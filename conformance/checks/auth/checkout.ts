import { pathEscaped } from '../../arrange/authentication/as-sent.ts';
import { needToldOf, passageOf, saysNothing } from '../../arrange/authentication/passage.ts';
import { checkoutMerchant, checkoutRequest } from '../../arrange/checkout-orders/checkout-orders.ts';
import { type CheckoutClient, checkoutClient } from '../../arrange/checkout-orders/client.ts';
import {
  createCheckoutOrder,
  listPaymentMethods,
  queryCheckoutOrder,
} from '../../arrange/checkout-orders/operations.ts';
import { post } from '../../arrange/requests/arranged-operation.ts';
import type { SignedRequest } from '../../arrange/requests/signed-client.ts';
import { ifTaken } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectField, expectRefused, isAccepted, needAccepted, summary } from '../../check/expect.ts';
import { generousLimit, ownMethods, ownRate } from '../../check/merchant-settings.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { field } from '../../wire/exchange.ts';

/** Requests of a merchant without API Checkout, which would be right if the merchant had it. */
const requests: readonly [string, string, (context: CheckContext, client: CheckoutClient) => Promise<SignedRequest>][] =
  [
    [
      listPaymentMethods.name,
      'a list of payment methods',
      async (_, { methodsPath }) => ({ method: 'GET', path: methodsPath }),
    ],
    [
      createCheckoutOrder.name,
      'a checkout create',
      async (context, { createPath }) => {
        const { client, method } = await checkoutMerchant(context, await context.merchant());
        needAccepted(await client.create(checkoutRequest(context, method)), 'the same create of another merchant');
        return post(createPath, checkoutRequest(context, method));
      },
    ],
    [
      queryCheckoutOrder.name,
      'a checkout query',
      async (context, { queryPath }) => ({ method: 'GET', path: queryPath(context.newOrderId()) }),
    ],
  ];

const notEnabled = errorCode('checkout', 'API_PERMISSION_DISABLED');

/** Throws `Inconclusive` where a merchant that has API Checkout is refused too: then it is not for want of it. */
async function needOthersAccepted(context: CheckContext): Promise<void> {
  const { client, request } = await listPaymentMethods.prepare(context, await context.merchant());
  needAccepted(await client.send(request), `${listPaymentMethods.noun} of a merchant that has API Checkout`);
}

/** How far the clock of a merchant is moved, in seconds each time: more than a day, and more than a year. */
const pauses = [2 * 86_400, 400 * 86_400];

/** What merchants without API Checkout may have beside that. */
const furtherSettings = [{}, { ...ownMethods, ...generousLimit, ...ownRate }] as const;

/** Fails where a merchant without API Checkout is not refused, whatever else it has, and when time has passed. */
async function expectAllRefused(
  context: CheckContext,
  noun: string,
  prepare: (typeof requests)[number][2],
): Promise<void> {
  for (const further of furtherSettings) {
    // A driver may not know every setting.
    const merchant = await ifTaken(context.ownMerchant({ checkoutEnabled: false, ...further }));
    if (!merchant) continue;
    const client = checkoutClient(context, merchant);
    const settings = Object.keys(further).length === 0 ? '' : ' that has settings of its own';
    const expect = async (when: string) =>
      expectRefused(
        await client.send(await prepare(context, client)),
        `${noun} of a merchant without API Checkout${settings}${when}`,
      );
    await expect('');
    if (!context.has('clock')) continue;
    for (const seconds of pauses) {
      await context.advanceClock(merchant, seconds);
      await expect(', whose clock was moved');
    }
  }
}

const enabled: readonly CheckDeclaration[] = requests.map(
  ([name, noun, prepare]): CheckDeclaration => ({
    id: `auth.${name}.not-enabled`,
    title: `A merchant without API Checkout gets 50010 to ${noun}`,
    calls: ['checkout'],
    requirements: ['auth.checkout-enabled'],
    needs: ['checkout-disabled'],
    async run(context) {
      const client = checkoutClient(context, await context.merchant('checkoutDisabled'));
      const request = await prepare(context, client);
      const what = `${noun} of a merchant without API Checkout`;
      for (const [words, asked] of [
        [what, request],
        [`${what}, with needless escapes in its path`, pathEscaped(request)],
      ] as const) {
        const answer = await client.send(asked);
        expectRefused(answer, words);
        needToldOf(answer, words);
        if (passageOf(answer) === 'refused' && field(answer, 'code') !== notEnabled) await needOthersAccepted(context);
        expectField(answer, 'code', notEnabled);
      }
      if (context.has('own-merchant')) await expectAllRefused(context, noun, prepare);
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
      const whenRefused = saysNothing(absent) ? null : 'required';
      const value = isAccepted(absent) ? whenAbsent : whenRefused;
      context.observeIn([absent, foreign], 'checkout-api-key', words.join('; '), value);
    },
  },
];

/** What only checkout operations ask for or leave open. */
export const authCheckoutChecks: readonly CheckDeclaration[] = [...enabled, ...key];
