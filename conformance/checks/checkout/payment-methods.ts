import { currencies } from '../../../generated/catalogue.ts';
import { checkoutClient } from '../../arrange/checkout-orders/client.ts';
import { ifTaken } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectField, expectSchema, expectThat, needAccepted } from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { successCode } from '../../contract/success-code.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** What a merchant of a check's own can be paid with. */
const fewMethods = [
  { cryptoCurrency: 'USDT', network: 'tron', minAmount: 1, maxAmount: 500 },
  { cryptoCurrency: 'USDT', network: 'eth', minAmount: 1, maxAmount: 500 },
  { cryptoCurrency: 'USDC', network: 'base', minAmount: 1, maxAmount: 500 },
] as const;

/** Every pair of the platform, more than a page of a list may hold. */
const everyMethod = currencies.flatMap(({ code: cryptoCurrency, networks }) =>
  networks.map((network) => ({ cryptoCurrency, network, minAmount: 1, maxAmount: 500 })),
);

const list = (context: CheckContext, merchant: Credentials) => checkoutClient(context, merchant).paymentMethods();

/** Each method of a list as its pair, `USDT tron`. */
function pairsOf(answer: Answer): string[] {
  const methods = field(answer, 'data.paymentMethods');
  return [methods].flat().map((method) => {
    const { cryptoCurrency, network } = Object(method);
    return `${show(cryptoCurrency)} ${show(network)}`;
  });
}

/** The shared merchant's list. Skips the check where nothing stands in it. */
async function someMethods(context: CheckContext): Promise<Answer> {
  const answer = await list(context, await context.merchant());
  needAccepted(answer, 'listing the payment methods');
  const methods = field(answer, 'data.paymentMethods');
  if (Array.isArray(methods) && methods.length === 0) throw new NotApplicable('the merchant has no payment method');
  return answer;
}

export const checkoutPaymentMethodsChecks: readonly CheckDeclaration[] = [
  {
    id: 'checkout.payment-methods.list',
    title: 'The list of payment methods has the merchant and the methods under data',
    requirements: [
      'checkout.payment-methods.list',
      'checkout.envelope.success',
      'general.base-path',
      'general.success-code',
    ],
    async run(context) {
      const merchant = await context.merchant();
      const answer = await list(context, merchant);
      const methods = field(answer, 'data.paymentMethods');
      // Where the answer shows a list, it is only the code that is wrong.
      if (Array.isArray(methods)) expectField(answer, 'code', successCode, 'general.success-code');
      expectAccepted(answer, 'a request for the payment methods');
      expectField(answer, 'data.merchantId', merchant.merchantId);
      expectThat(Array.isArray(methods), answer, {
        expected: 'data.paymentMethods is a list',
        actual: `data.paymentMethods = ${show(methods)}`,
      });
    },
  },
  {
    id: 'checkout.payment-methods.fields',
    title: 'Each payment method has all of its fields, its bounds as JSON numbers',
    requirements: ['checkout.payment-methods.fields', 'checkout.payment-methods.bounds', 'checkout.currencies'],
    async run(context) {
      expectSchema(await someMethods(context), 'CheckoutPaymentMethodsSuccess');
    },
  },
  {
    id: 'checkout.payment-methods.pairs',
    title: 'Each payment method is a pair of currency and network that the platform has',
    requirements: ['checkout.payment-methods.pairs'],
    async run(context) {
      const answer = await someMethods(context);
      const known = currencies.flatMap(({ code, networks }) => networks.map((network) => `${code} ${network}`));
      const strange = pairsOf(answer).filter((pair) => !known.includes(pair));
      expectThat(strange.length === 0, answer, {
        expected: `pairs of the platform: ${known.join(', ')}`,
        actual: `beside them ${strange.join(', ')}`,
      });
    },
  },
  {
    id: 'checkout.payment-methods.own-list',
    title: 'The list has exactly the methods that the merchant can be paid with',
    requirements: ['checkout.payment-methods.list'],
    needs: ['own-merchant'],
    async run(context) {
      needAccepted(await list(context, await context.merchant()), "listing another merchant's payment methods");
      for (const paymentMethods of [[...fewMethods], everyMethod]) {
        const making = context.ownMerchant({ paymentMethods });
        // A driver may give a merchant less than the whole platform.
        const own = paymentMethods === everyMethod ? await ifTaken(making) : await making;
        if (!own) continue;
        const answer = await list(context, own);
        expectAccepted(answer, 'a request for the payment methods');
        const seen = pairsOf(answer).sort();
        const expected = paymentMethods.map(({ cryptoCurrency, network }) => `${cryptoCurrency} ${network}`).sort();
        expectThat(seen.join() === expected.join(), answer, {
          expected: `the methods that the merchant was made with: ${expected.join(', ')}`,
          actual: seen.join(', ') || 'none',
        });
      }
      // Without a method the list is empty, or refused where that means that API Checkout is disabled. The rules over the whole run see its form.
      const without = await ifTaken(context.ownMerchant({ paymentMethods: [] }));
      if (without) await list(context, without);
    },
  },
];
