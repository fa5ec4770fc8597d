import { type CurrencyCode, currencies } from '../../../generated/catalogue.ts';
import { makePaidCheckoutOrder } from '../../arrange/checkout-orders/paid-orders.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { shownDeduction } from '../../arrange/refunds/fees.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  businessError,
  expectRefundRefused,
  isInsufficient,
  makeRefund,
  refundRequest,
} from '../../arrange/refunds/refunds.ts';
import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectField, expectRefused, isTaken } from '../../check/expect.ts';
import { addDecimals, subtractDecimals } from '../../contract/decimals.ts';
import { errorCode } from '../../contract/error-codes.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { NotApplicable, PermittedChoice } from '../../errors/outcomes.ts';
import type { Answer } from '../../wire/exchange.ts';
import { expectInsufficient } from '../support/insufficient-balance.ts';

/** A balance that covers every refund of a check, and one that covers none. */
const [plenty, nothing] = ['1000000', '0'];

/** The balances of a merchant with so much in one currency, and so much in every other one. */
const balancesOf = (own: CurrencyCode, inOwn: string, inOthers: string) =>
  Object.fromEntries(currencies.map(({ code }) => [code, code === own ? inOwn : inOthers]));

/** Refunds a checkout order in a currency from balances; `undefined` where the merchant has no such orders. */
async function refundInCurrency(context: CheckContext, currency: CurrencyCode, balances?: Record<string, string>) {
  const merchant = await context.ownMerchant(balances ? { balances } : {});
  const order = await makePaidCheckoutOrder(context, merchant, currency).catch((error) => {
    if (error instanceof NotApplicable) return undefined;
    throw error;
  });
  return order && refundsClient(context, merchant).create(refundRequest(context, order.orderId));
}

/** Fails where refunds in a currency do not draw on its balance. False where the target has no such refunds. */
async function expectOwnBalance(context: CheckContext, currency: CurrencyCode): Promise<boolean> {
  const [fromOwn, fromOthers] = await Promise.all([
    refundInCurrency(context, currency, balancesOf(currency, plenty, nothing)),
    refundInCurrency(context, currency, balancesOf(currency, nothing, plenty)),
  ]);
  if (!fromOwn || !fromOthers) return false;
  if (!isTaken(fromOwn, `a refund in ${currency}`)) {
    // Whether checkout orders can be refunded is not said: only a refusal for the balance is one for the wrong balance.
    const fromAll = isInsufficient(fromOwn) ? await refundInCurrency(context, currency) : undefined;
    if (!fromAll || !isTaken(fromAll, `a refund in ${currency}`)) return false;
    expectAccepted(
      fromOwn,
      `a refund in ${currency} from a balance of ${plenty} ${currency}`,
      'refunds.create.accepted',
    );
  }
  const what = `a refund in ${currency} from ${nothing} ${currency}, with ${plenty} in every other currency`;
  expectRefused(fromOthers, what);
  expectField(fromOthers, 'code', errorCode('refunds', 'INSUFFICIENT_BALANCE'));
  return true;
}

/** What each order costs, and a balance that covers one of them and no second. Decimal text. */
const [price, coversOne] = ['20', '25'];

/** Fails where a refund that is under way in one currency counts against the balance in another. */
async function expectBalancesApart(context: CheckContext): Promise<void> {
  const balances = Object.fromEntries(currencies.map(({ code }) => [code, coversOne]));
  const merchant = await context.ownMerchant({ balances });
  const orders = await sideBySide(
    currencies.map(async ({ code }) => ({
      code,
      order: await ifTaken(makePaidCheckoutOrder(context, merchant, code, price)),
    })),
  );
  for (const { code, order } of orders) {
    if (!order) continue;
    const what = `a refund of ${price} ${code} from ${coversOne} ${code}, whatever refunds in other currencies are under way`;
    const paid = { merchant, orderId: order.orderId };
    await makeRefund(context, merchant, { order: paid }, (created) =>
      expectAccepted(created, what, 'refunds.create.accepted'),
    );
  }
}

/** A price with the last of 18 decimal places, which a target may refuse, one without any, and that last place. */
const [longPrice, shortPrice, lastPlace] = ['20.000000000000000001', '10', '0.000000000000000001'];

/** The answer to the second of two refunds from a balance that lacks the last decimal place of what both take; `undefined`: there is none. */
async function refundBeyondLastPlace(context: CheckContext, code: CurrencyCode): Promise<Answer | undefined> {
  const prices = [longPrice, shortPrice] as const;
  const paid = (merchant: Credentials) =>
    sideBySide(prices.map((price) => makePaidCheckoutOrder(context, merchant, code, price)));
  const rich = await context.ownMerchant({ balances: { [code]: plenty } });
  const refunds = await sideBySide(
    (await paid(rich)).map(({ orderId }) => makeRefund(context, rich, { order: { merchant: rich, orderId } })),
  );
  const taken = refunds.flatMap(({ created }) => shownDeduction(created) ?? []);
  if (taken.length < prices.length) return undefined;
  const poor = await context.ownMerchant({ balances: { [code]: subtractDecimals(addDecimals(taken), lastPlace) } });
  const [one, two] = await paid(poor);
  if (!one || !two) return undefined;
  const { client, created } = await makeRefund(context, poor, { order: { merchant: poor, orderId: one.orderId } });
  // How much a refund takes is open: only where it is the same each time does the balance lack something.
  if (shownDeduction(created) !== taken[0]) return undefined;
  return client.create(refundRequest(context, two.orderId));
}

/** Fails where less than what a refund takes is enough for it, however little is lacking. */
async function expectLastPlaceCounted(context: CheckContext, code: CurrencyCode): Promise<void> {
  const second = await ifTaken(refundBeyondLastPlace(context, code));
  const what = `the second of two refunds in ${code} from a balance that lacks ${lastPlace} of what both take`;
  if (second) expectInsufficient(second, what);
}

export const balanceOfCurrenciesChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.balance.every-currency',
    mayCall: ['checkout'],
    long: true,
    title: 'A refund of a checkout order draws on the balance in the currency that was paid, and on no other',
    calls: ['checkout', 'refunds'],
    requirements: [
      'refunds.errors.insufficient-balance',
      'refunds.create.accepted',
      'refunds.create.reserves-funds',
      'refunds.errors.business',
    ],
    needs: ['order-events', 'own-merchant'],
    async run(context) {
      if (!context.has('checkout')) throw new NotApplicable('the target has no checkout orders');
      const codes = currencies.map(({ code }) => code);
      const judged = await sideBySide(codes.map((currency) => expectOwnBalance(context, currency)));
      if (!judged.includes(true)) throw new PermittedChoice('checkout orders cannot be refunded here');
      await expectBalancesApart(context);
      await sideBySide(codes.map((currency) => expectLastPlaceCounted(context, currency)));
    },
  },
  {
    id: 'refunds.balance.other-currency',
    title: 'A refund is refused with INSUFFICIENT_BALANCE where the merchant has enough in every other currency only',
    requirements: ['refunds.errors.insufficient-balance', 'refunds.errors.business', 'refunds.errors.refused'],
    needs: ['order-events', 'own-merchant'],
    async run(context) {
      const others = { USDC: plenty, USD1: plenty };
      const [rich, poor, without] = await Promise.all([
        context.ownMerchant({ balances: { USDT: plenty, USDC: nothing, USD1: nothing } }),
        context.ownMerchant({ balances: { USDT: nothing, ...others } }),
        // A merchant may have no account in a currency at all.
        context.ownMerchant({ balances: others }),
      ]);
      await makeRefund(context, rich, {}, expectAccepted);
      const expectShort = async (merchant: Credentials, usdt: string) => {
        const { orderId } = await makePaidOrder(context, merchant);
        const request = refundRequest(context, orderId);
        const what = `a refund in USDT from balances of ${usdt} USDT, ${plenty} USDC and ${plenty} USD1`;
        await expectRefundRefused(refundsClient(context, merchant), request, what, {
          ...businessError,
          code: errorCode('refunds', 'INSUFFICIENT_BALANCE'),
        });
      };
      await sideBySide([expectShort(poor, nothing), expectShort(without, 'no')]);
    },
  },
];
