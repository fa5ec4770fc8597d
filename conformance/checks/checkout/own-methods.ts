import { currencies } from '../../../generated/catalogue.ts';
import { checkoutRequest } from '../../arrange/checkout-orders/checkout-orders.ts';
import { type CheckoutClient, checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { type PaymentMethod, paymentMethodsOf } from '../../arrange/checkout-orders/payment-methods.ts';
import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectCode, expectRefused, expectThat, isAccepted } from '../../check/expect.ts';
import { counted } from '../../contract/counted.ts';
import { addDecimals, compareDecimals, numberText, subtractDecimals } from '../../contract/decimals.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { show } from '../../contract/show.ts';
import type { MerchantSettings } from '../../drivers/driver.ts';
import { field } from '../../wire/exchange.ts';

/**
 * The only methods of a merchant. Each has bounds of its own, beside those of another network of its currency too; the pairs cross, so that
 * every currency and every network is listed, and not every pair of them.
 */
const variousMethods = [
  { cryptoCurrency: 'USDT', network: 'eth', minAmount: 1.5, maxAmount: 500 },
  { cryptoCurrency: 'USDT', network: 'tron', minAmount: 0.5, maxAmount: 2000 },
  // More than 16 bits hold, more digits than a float of 32 bits has, and more places than a price in dollars has. Many languages print the
  // greatest and the smallest one with an exponent.
  { cryptoCurrency: 'USDC', network: 'polygon', minAmount: 70_000, maxAmount: 12_345_678.9 },
  { cryptoCurrency: 'USDT', network: 'solana', minAmount: 0.000005, maxAmount: 300.0625 },
  { cryptoCurrency: 'USDC', network: 'bsc', minAmount: 0.01, maxAmount: 99.99 },
  { cryptoCurrency: 'USD1', network: 'eth', minAmount: 600, maxAmount: 600.125 },
  // Takes every amount above 0.
  { cryptoCurrency: 'USDT', network: 'arbitrum', minAmount: 0, maxAmount: 40 },
] as const;

type OwnMethods = readonly Pick<
  NonNullable<MerchantSettings['paymentMethods']>[number],
  'cryptoCurrency' | 'network' | 'minAmount' | 'maxAmount'
>[];

/** Every pair of a currency and a network that the contract has. */
const allPairs: OwnMethods = currencies.flatMap(({ code, networks }) =>
  networks.map((network) => ({ cryptoCurrency: code, network, minAmount: 7.25, maxAmount: 48.75 })),
);

/** The methods of another merchant: the same pairs with other bounds, of which none is within those of the first merchant. */
const otherMethods: OwnMethods = variousMethods.map((method) => ({ ...method, minAmount: 20_000, maxAmount: 30_000 }));

/** Pairs of the platform whose currency and whose network the merchant has, each with another one. */
const crossedPairs = [
  { currency: 'USDT', network: 'bsc' },
  { currency: 'USDC', network: 'eth' },
  { currency: 'USD1', network: 'bsc' },
] as const;

/** A merchant with these methods alone. They come from here and not from its list, which is judged by them. */
async function narrowMerchant(
  context: CheckContext,
  ownMethods: OwnMethods = variousMethods,
): Promise<{ client: CheckoutClient; methods: PaymentMethod[] }> {
  const merchant = await context.ownMerchant({ paymentMethods: [...ownMethods] });
  const methods = ownMethods.map(({ cryptoCurrency, network, minAmount, maxAmount }) => ({
    currency: cryptoCurrency,
    network,
    minAmount: numberText(minAmount),
    maxAmount: numberText(maxAmount),
  }));
  return { client: checkoutClient(context, merchant), methods };
}

/** A step of the last decimal place that a bound itself has, as decimal text. */
function lastStep(bound: string): string {
  const places = bound.split('.')[1]?.length ?? 0;
  return places === 0 ? '1' : `0.${'1'.padStart(places, '0')}`;
}

const isPositive = (amount: string): boolean => compareDecimals(amount, '0') > 0;

/**
 * The amounts at the bounds of a method, and those one step beyond. Of those that are not above 0, which another rule refuses, only a bound
 * of 0; above that, a cent is within the range.
 */
function amountsAround({ minAmount, maxAmount }: PaymentMethod): { within: string[]; outside: string[] } {
  const beyond = [subtractDecimals(minAmount, lastStep(minAmount)), addDecimals([maxAmount, lastStep(maxAmount)])];
  return {
    within: [isPositive(minAmount) ? minAmount : '0.01', maxAmount],
    outside: [...beyond.filter(isPositive), ...(isPositive(minAmount) ? [] : [minAmount])],
  };
}

/** An amount that most languages print with an exponent, unless they are told otherwise. */
const tiny = '0.0000001';

/**
 * Makes an order over a tiny amount by each method that takes every amount. Whether such an amount is one of its token is not said; what the order
 * shows is judged by the rules for every answer.
 */
async function makeTinyOrders(context: CheckContext, client: CheckoutClient, methods: readonly PaymentMethod[]) {
  for (const method of methods.filter(({ minAmount }) => !isPositive(minAmount))) {
    const request = checkoutRequest(context, method, { orderAmount: { value: tiny, currency: method.currency } });
    if (isAccepted(await client.create(request))) await client.query(request.merchantOrderId);
  }
}

/** Holds creates at the bounds of each method and one step beyond against the range. */
async function expectBoundsKept(context: CheckContext, client: CheckoutClient, methods: readonly PaymentMethod[]) {
  await makeTinyOrders(context, client, methods);
  const what = ({ currency, network, minAmount, maxAmount }: PaymentMethod, value: string) =>
    `${value} ${currency} on ${network}, where the range is from ${minAmount} to ${maxAmount}`;
  const priced = (method: PaymentMethod, value: string) =>
    checkoutRequest(context, method, { orderAmount: { value, currency: method.currency } });
  await sideBySide(
    methods.flatMap((method) => {
      const { within, outside } = amountsAround(method);
      return [
        ...within.map(async (value) => expectAccepted(await client.create(priced(method, value)), what(method, value))),
        ...outside.map(async (value) => {
          const request = priced(method, value);
          const rule = isPositive(value) ? 'checkout.amount.range' : 'checkout.amount.positive';
          expectRefused(await client.create(request), what(method, value), rule);
          const afterwards = await client.query(request.merchantOrderId);
          expectRefused(afterwards, `a query for what was refused (${what(method, value)})`, 'checkout.errors.refused');
        }),
      ];
    }),
  );
}

/** A method of a list as its pair and its bounds: `USDT eth from 1.5 to 500`. */
function inWords(method: unknown): string {
  const { cryptoCurrency, network, minAmount, maxAmount } = Object(method);
  const bound = (value: unknown) => (typeof value === 'number' ? numberText(value) : show(value));
  return `${cryptoCurrency} ${network} from ${bound(minAmount)} to ${bound(maxAmount)}`;
}

export const checkoutOwnMethodsChecks: readonly CheckDeclaration[] = [
  {
    id: 'checkout.payment-methods.own-bounds',
    title: 'The list shows each method of a merchant with the bounds that this method has',
    requirements: ['checkout.payment-methods.list', 'checkout.payment-methods.bounds'],
    needs: ['own-merchant'],
    async run(context) {
      // A list of one is easily lost, or shown as no list; an empty one is easily taken for none, and shown as the platform's; and one of the same
      // pairs, or of as many, for another merchant's.
      const lists: readonly OwnMethods[] = [
        ...[variousMethods, otherMethods, variousMethods.slice(0, 1), otherMethods.slice(1, 2)],
        ...[variousMethods.slice(-2), []],
      ];
      await sideBySide(
        lists.map(async (ownMethods) => {
          const made = narrowMerchant(context, ownMethods);
          // A driver may make no merchant without methods.
          const merchant = await (ownMethods.length === 0 ? ifTaken(made) : made);
          if (!merchant) return;
          const answer = await merchant.client.paymentMethods();
          expectAccepted(answer, 'a request for the payment methods');
          const shown = field(answer, 'data.paymentMethods');
          const own = ownMethods.map(inWords);
          expectThat(Array.isArray(shown), answer, {
            expected: `a list of the methods that the merchant was made with: ${own.join(', ') || 'none'}`,
            actual: `paymentMethods = ${show(shown)}`,
          });
          const seen = [shown].flat().map(inWords);
          const missing = own.filter((method) => !seen.includes(method));
          const others = seen.filter((method) => !own.includes(method));
          const repeated = seen.filter((method, index) => own.includes(method) && seen.indexOf(method) !== index);
          expectThat(missing.length === 0 && others.length === 0 && seen.length === own.length, answer, {
            expected: `the methods that the merchant was made with: ${own.join(', ') || 'none'}`,
            actual: `${counted(seen.length, 'method')}; missing: ${missing.join(', ') || 'none'}; beside them: ${others.join(', ') || 'none'}; more than once: ${repeated.join(', ') || 'none'}`,
          });
        }),
      );
    },
  },
  {
    id: 'checkout.create.pair.crossed',
    title: 'A pair that is not listed is refused with 10011 where its currency and its network are, with others',
    requirements: ['checkout.create.pair', 'checkout.errors.refused'],
    needs: ['own-merchant'],
    async run(context) {
      const { client, methods } = await narrowMerchant(context);
      const listed = methods.map((method) => client.create(checkoutRequest(context, method)));
      for (const [index, answer] of (await Promise.all(listed)).entries()) {
        expectAccepted(answer, `an order by the listed method ${inWords(variousMethods[index])}`);
      }
      await sideBySide(
        crossedPairs.map(async (pair) => {
          // An amount in the range of the one method with this currency.
          const like = methods.find(({ currency }) => currency === pair.currency);
          if (!like) return;
          const request = checkoutRequest(context, { ...like, ...pair });
          const what = `${pair.currency} on ${pair.network}, which is not listed`;
          const answer = await client.create(request);
          expectRefused(answer, what);
          expectRefused(
            await client.query(request.merchantOrderId),
            `a query after ${what}`,
            'checkout.errors.refused',
          );
          expectCode(answer, [errorCode('checkout', 'UNCONFIGURED_PAYMENT_METHOD')]);
        }),
      );
    },
  },
  {
    id: 'checkout.create.amount.own-bounds',
    title:
      'Every method takes amounts at its own bounds, by each pair of currency and network, and none beyond them by the last decimal place of the bound, whatever the bounds of another merchant; a bound of 0 is none that is taken',
    requirements: ['checkout.amount.range', 'checkout.amount.positive', 'checkout.errors.refused'],
    openPoint: 'checkout-amount-range',
    async run(context) {
      if (context.has('own-merchant')) {
        const { client, methods } = await narrowMerchant(context);
        await expectBoundsKept(context, client, methods);
        const all = await ifTaken(narrowMerchant(context, allPairs));
        if (all) await expectBoundsKept(context, all.client, all.methods);
        const other = await narrowMerchant(context, otherMethods);
        return expectBoundsKept(context, other.client, other.methods.slice(0, 2));
      }
      const client = checkoutClient(context, await context.merchant());
      return expectBoundsKept(context, client, await paymentMethodsOf(client));
    },
  },
];
