import { currencies, limit, networks } from '../../../generated/catalogue.ts';
import {
  checkoutMerchant,
  checkoutRequest,
  readyCheckoutMerchant,
} from '../../arrange/checkout-orders/checkout-orders.ts';
import type { CheckoutClient } from '../../arrange/checkout-orders/client.ts';
import { type PaymentMethod, paymentMethodsOf } from '../../arrange/checkout-orders/payment-methods.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectCode, expectRefused, isAccepted } from '../../check/expect.ts';
import { addDecimals, compareDecimals, subtractDecimals } from '../../contract/decimals.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { instantOf } from '../../contract/moments.ts';
import { show } from '../../contract/show.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { textsBeside } from '../../values/classes/enumerations.ts';
import { printed } from '../../values/printed.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { observeForms, observeLeapSecond, timeForms } from '../support/value-forms.ts';

/** The payment method of a merchant that has only one. */
const oneMethod = { cryptoCurrency: 'USDT', network: 'tron', minAmount: 1, maxAmount: 500 } as const;

/** By how much an amount lies outside of a range: an amount that every stablecoin has, and one that no double can show. */
const offsets = ['0.000001', '0.000000000000000001'];

/** Codes of the refusals that are named for a create. */
const [invalidParameter, invalidExpiry, unconfiguredPair] = [
  errorCode('checkout', 'INVALID_PARAMETER'),
  errorCode('checkout', 'INVALID_EXPIRES_AT'),
  errorCode('checkout', 'UNCONFIGURED_PAYMENT_METHOD'),
];

const day = limit('checkout.expires-at.farthest', 'max');
const minute = 60_000;

const codes: readonly string[] = networks.map(({ code }) => code);

/** Names of the platform's networks that are none of their codes: those in hosted orders, and of the standards of tokens, in letters of either case. */
const otherNetworkNames = [
  ...new Set(
    networks.flatMap(({ hostedName, standard }) =>
      [hostedName, standard].flatMap((name) => [name, name.toLowerCase()]),
    ),
  ),
].filter((name) => !codes.includes(name.toLowerCase()));

/** Patterns that a search with LIKE takes for a network. */
const likeNetwork = (network: string): string[] => [
  '%',
  `${network.slice(0, -1)}%`,
  `${network.slice(0, 1)}_${network.slice(2)}`,
];

const pairs = currencies.flatMap(({ code, networks }) => networks.map((network) => ({ currency: code, network })));
type Pair = { currency: string; network: string };
const isSame = (left: Pair, right: Pair) => left.currency === right.currency && left.network === right.network;

/** The body of an ordinary create with another pair or amount, which the typed client may not be able to send. */
function bodyWith(context: CheckContext, method: PaymentMethod, { currency, network }: Partial<Pair>, value?: string) {
  const request = checkoutRequest(context, method);
  const { orderAmount } = request;
  return {
    ...request,
    orderAmount: { value: value ?? orderAmount.value, currency: currency ?? orderAmount.currency },
    network: network ?? request.network,
  };
}

type Body = ReturnType<typeof bodyWith>;

/** Sends a create that must be refused, with one of these codes where any are given. Fails when it is not, or when an order was made. */
async function expectCreateRefused(
  client: CheckoutClient,
  body: Body,
  what: string,
  ...codes: string[]
): Promise<Answer> {
  const answer = await client.createAnything(body);
  expectRefused(answer, what);
  const afterwards = await client.query(body.merchantOrderId);
  expectRefused(afterwards, `a query for what was refused (${what})`, 'checkout.errors.refused');
  if (codes.length > 0) expectCode(answer, codes);
  return answer;
}

/** Sends a create for each pair, all of which must be refused with the code of an unsupported pair, and refused when they are sent again. */
async function expectPairsRefused(
  context: CheckContext,
  client: CheckoutClient,
  method: PaymentMethod,
  refused: readonly Pair[],
  why: string,
): Promise<void> {
  await someAtOnce(refused, async (pair) => {
    const what = `${pair.currency} on ${pair.network}, ${why}`;
    const body = bodyWith(context, method, pair);
    await expectCreateRefused(client, body, what, unconfiguredPair);
    expectRefused(await client.createAnything(body), `${what}, sent again`);
  });
}

/** The client and the first payment method of the shared merchant, whose ordinary creates are accepted. */
const readyMerchant = async (context: CheckContext) => readyCheckoutMerchant(context, await context.merchant());

/** The body of a create that expires so many milliseconds from now, for the shared merchant. */
async function expiringIn(context: CheckContext, milliseconds: number) {
  const { client, method } = await checkoutMerchant(context, await context.merchant());
  const expiresAt = new Date(context.now() + milliseconds).toISOString();
  return { client, body: { ...bodyWith(context, method, {}), expiresAt } };
}

const pairChecks: readonly CheckDeclaration[] = [
  {
    id: 'checkout.create.pair.not-listed',
    title:
      "A pair of the platform that is not in the merchant's list is refused with 10011, and a create without network, even where the list has one method only",
    requirements: ['checkout.create.pair', 'checkout.errors.refused', 'checkout.create.required-fields'],
    async run(context) {
      const settings = { paymentMethods: [oneMethod] };
      const own = context.has('own-merchant') ? context.ownMerchant(settings) : context.merchant();
      const { client, method } = await readyCheckoutMerchant(context, await own);
      const listed = await paymentMethodsOf(client);
      if (listed.length === 1) {
        // Where a merchant has one method only, a create names it as well.
        const { network: _left, ...request } = checkoutRequest(context, method);
        const what = 'a create without network, of a merchant with one payment method';
        expectRefused(await client.createAnything(request), what, 'checkout.create.required-fields');
      }
      const unlisted = pairs.filter((pair) => !listed.some((each) => isSame(each, pair)));
      if (unlisted.length === 0) throw new NotApplicable('the merchant has every pair of the platform');
      await expectPairsRefused(context, client, method, unlisted, 'which is not listed');
    },
  },
  {
    id: 'checkout.create.pair.not-on-platform',
    title: 'A currency on a network where the platform does not have it is refused with 10011',
    requirements: ['checkout.create.pair', 'checkout.errors.refused'],
    async run(context) {
      const { client, method } = await readyMerchant(context);
      const listed = await paymentMethodsOf(client);
      const strange = currencies
        .flatMap(({ code }) => networks.map((network) => ({ currency: code, network: network.code })))
        .filter((pair) => ![...pairs, ...listed].some((known) => isSame(known, pair)));
      await expectPairsRefused(context, client, method, strange, 'which the platform does not have');
    },
  },
  {
    id: 'checkout.create.pair.unknown-network',
    title: 'A network that nobody knows is refused with 10011 or 10001',
    requirements: ['checkout.create.pair', 'checkout.create.network', 'checkout.errors.refused'],
    async run(context) {
      const { client, method } = await readyMerchant(context);
      const texts = [
        ...textsBeside([method.network, ...codes.filter((code) => code !== method.network)]),
        ...otherNetworkNames.map((text) => ({ text, title: 'the name of a network elsewhere' })),
        ...likeNetwork(method.network).map((text) => ({ text, title: 'a pattern of SQL that fits a network' })),
      ];
      await someAtOnce(texts, ({ text, title }) => {
        const body = bodyWith(context, method, { network: text });
        return expectCreateRefused(
          client,
          body,
          `network = ${printed(text)} (${title})`,
          unconfiguredPair,
          invalidParameter,
        );
      });
    },
  },
];

const amountChecks: readonly CheckDeclaration[] = [
  {
    id: 'checkout.create.amount.within-range',
    title: 'The smallest and the greatest amount of a payment method are accepted',
    requirements: ['checkout.amount.range'],
    async run(context) {
      const { client, method } = await readyMerchant(context);
      const { minAmount, maxAmount, currency } = method;
      for (const value of [minAmount, maxAmount].filter((each) => compareDecimals(each, '0') > 0)) {
        const answer = await client.create(checkoutRequest(context, method, { orderAmount: { value, currency } }));
        expectAccepted(answer, `an amount of ${value}, at the edge of the range from ${minAmount} to ${maxAmount}`);
      }
    },
  },
  {
    id: 'checkout.create.amount.outside-range',
    title: 'An amount below the smallest or above the greatest of a payment method is refused',
    requirements: ['checkout.amount.range', 'checkout.errors.refused'],
    openPoint: 'checkout-amount-range',
    async run(context) {
      const { client, method } = await readyMerchant(context);
      const { minAmount, maxAmount } = method;
      const above = offsets.map((offset) => addDecimals([maxAmount, offset]));
      // Where the least amount is not above the offset, only amounts that another rule refuses lie below it.
      const below = offsets.filter((offset) => compareDecimals(minAmount, offset) > 0);
      for (const value of [...below.map((offset) => subtractDecimals(minAmount, offset)), ...above]) {
        const what = `an amount of ${value} where the range is from ${minAmount} to ${maxAmount}`;
        const answer = await expectCreateRefused(client, bodyWith(context, method, {}, value), what);
        const code = show(field(answer, 'code'));
        context.observeIn(answer, 'checkout-amount-range', `${what}: code ${code}`, code);
      }
    },
  },
];

/** How long before a time that has passed for sure an expiry lies, in milliseconds: more than clocks of one service are apart. */
const shortlyBefore = 5000;

const expiryChecks: readonly CheckDeclaration[] = [
  {
    id: 'checkout.create.expires-at.past',
    title: 'An expiry time in the past is refused with 10005 or 10001',
    requirements: ['checkout.create.expires-at.future', 'checkout.errors.refused'],
    async run(context) {
      await readyMerchant(context);
      for (const minutes of [1, 60]) {
        const { client, body } = await expiringIn(context, -minutes * minute);
        await expectCreateRefused(client, body, `an expiresAt ${minutes} min ago`, invalidExpiry, invalidParameter);
      }
      const { client, body } = await expiringIn(context, 30 * minute);
      const created = await client.createAnything(body);
      const createdAt = instantOf(field(created, 'data.createdAt'));
      if (!isAccepted(created) || Number.isNaN(createdAt)) return;
      // The target's own clock, which may be off from every other one, was later than that.
      const expiresAt = new Date(createdAt - shortlyBefore).toISOString();
      const late = { ...body, merchantOrderId: context.newOrderId(), expiresAt };
      const what = `an expiresAt ${shortlyBefore / 1000} s before the createdAt of an order that exists`;
      await expectCreateRefused(client, late, what, invalidExpiry, invalidParameter);
    },
  },
  {
    id: 'checkout.create.expires-at.forms',
    title: 'What forms of ISO 8601 other than that of RFC 3339 are answered with',
    requirements: ['general.date-forms'],
    async run(context) {
      const { client, method } = await readyMerchant(context);
      const creates = timeForms(context).map(([what, expiresAt]): [string, object] => [
        what,
        { ...bodyWith(context, method, {}), expiresAt },
      ]);
      await observeForms(context, creates, (body) => client.createAnything(body), 'field-forms');
    },
  },
  {
    id: 'checkout.create.expires-at.leap-second',
    title: 'What an expiry time on a leap second is answered with',
    requirements: ['general.leap-seconds'],
    async run(context) {
      const { client, method } = await readyMerchant(context);
      const create = (expiresAt: string) => client.createAnything({ ...bodyWith(context, method, {}), expiresAt });
      await observeLeapSecond(context, create);
    },
  },
  {
    id: 'checkout.create.expires-at.within-limit',
    title: 'An expiry time in two minutes, in nearly 24 hours, and in whole seconds is accepted',
    requirements: [
      'checkout.create.expires-at.limit',
      'checkout.create.expires-at.future',
      'checkout.create.expires-at.form',
    ],
    async run(context) {
      const { client } = await readyMerchant(context);
      const soon = (await expiringIn(context, 2 * minute)).body;
      const late = (await expiringIn(context, day - minute)).body;
      const { body } = await expiringIn(context, 30 * minute);
      const whole = { ...body, expiresAt: body.expiresAt.replace(/\.[0-9]+Z$/, 'Z') };
      const limitId = 'checkout.create.expires-at.limit';
      const inTwoMinutes = await client.createAnything(soon);
      expectAccepted(inTwoMinutes, 'an expiresAt in 2 min', 'checkout.create.expires-at.future');
      expectAccepted(await client.createAnything(late), 'an expiresAt in 23 h 59 min', limitId);
      const inSeconds = await client.createAnything(whole);
      expectAccepted(inSeconds, `an expiresAt of ${whole.expiresAt}`, 'checkout.create.expires-at.form');
    },
  },
  {
    id: 'checkout.create.expires-at.beyond-limit',
    title: 'An expiry time more than 24 hours ahead is refused',
    requirements: ['checkout.create.expires-at.limit', 'checkout.errors.refused'],
    openPoint: 'checkout-expiry-limit',
    async run(context) {
      await readyMerchant(context);
      for (const beyond of [minute, day]) {
        const { client, body } = await expiringIn(context, day + beyond);
        const what = `an expiresAt ${beyond / minute} min beyond 24 h`;
        const answer = await expectCreateRefused(client, body, what);
        const code = show(field(answer, 'code'));
        context.observeIn(answer, 'checkout-expiry-limit', `${what}: code ${code}`, code);
      }
    },
  },
];

/** Rules of a checkout create beyond the form of its fields: pairs, ranges and times. */
export const checkoutCreateRulesChecks: readonly CheckDeclaration[] = [...pairChecks, ...amountChecks, ...expiryChecks];
