import { subtractDecimals } from '../../../contract/decimals.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { bodyOf, isOf, isRightlySigned, onlyFor, refusal, refusingBodies, showing } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy } from '../../stand/fault.ts';
import type { Handler } from '../../stand/proxy.ts';
import { sending } from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('');

const amountOf = (body: JsonObject) => (isObject(body.orderAmount) ? body.orderAmount : {});

/** A server that takes the amounts of the first method for those of every method. */
const boundsOf = (refuses: (value: number, body: JsonObject) => boolean): Handler =>
  refusingBodies('checkout.create', (body) => refuses(Number(amountOf(body).value), body), '10004');

/** The bounds of the methods that the check gives to its merchant, the first one of each currency. */
const ownBounds = {
  USDT: { min: 1.5, max: 500 },
  USDC: { min: 0.01, max: 99.99 },
  USD1: { min: 600, max: 600.125 },
} as const;

/** A server that reads an amount which is beyond one of the bounds of its method as the bound. */
const takingBeyond = (bound: 'min' | 'max'): Handler =>
  onlyFor(isOf('checkout.create'), (request, server) => {
    const body = bodyOf(request);
    const { value, currency } = amountOf(body ?? {});
    const bounds = Object.entries(ownBounds).find(([name]) => name === currency)?.[1];
    if (!body || !bounds || !isRightlySigned(request, server)) return server.forward(request);
    const isBeyond = bound === 'min' ? Number(value) < bounds.min : Number(value) > bounds.max;
    if (!isBeyond) return server.forward(request);
    return server.forward(
      sending(request, { ...body, orderAmount: { value: String(bounds[bound]), currency } }, server),
    );
  });

/** A server that reads a create for a pair that it refuses as one for another pair of the merchant. */
const takingCrossed: Handler = onlyFor(isOf('checkout.create'), async (request, server) => {
  const answer = await server.forward(request);
  if (bodyOf(answer)?.code !== '10011') return answer;
  const body = bodyOf(request);
  const networks: Record<string, string> = { USDT: 'eth', USDC: 'bsc', USD1: 'eth' };
  if (!body) return answer;
  return server.forward(sending(request, { ...body, network: networks[String(amountOf(body).currency)] }, server));
});

const listing = (change: (method: JsonObject, index: number) => JsonObject): Handler =>
  onlyFor(
    isOf('checkout.payment-methods'),
    showing((data) => ({
      ...data,
      paymentMethods: [data.paymentMethods]
        .flat()
        .map((method, index) => (isObject(method) ? change(method, index) : method)),
    })),
  );

/** A server that shows a list of one method as an empty one. */
const listingSeveral: Handler = onlyFor(
  isOf('checkout.payment-methods'),
  showing((data) => ({
    ...data,
    paymentMethods: [data.paymentMethods].flat().length > 1 ? data.paymentMethods : [],
  })),
);

/** A server that shows an empty list of methods as one with a method of the platform. */
const listingOthersForNone: Handler = onlyFor(
  isOf('checkout.payment-methods'),
  showing((data) => ({
    ...data,
    paymentMethods:
      [data.paymentMethods].flat().length > 0
        ? data.paymentMethods
        : [{ cryptoCurrency: 'USDT', network: 'tron', minAmount: 1, maxAmount: 1_000_000, displayOrder: 1 }],
  })),
);

/** A server that shows the list that it has shown first of as many methods. */
function listingByLength(): Handler {
  const first = new Map<number, unknown>();
  return onlyFor(
    isOf('checkout.payment-methods'),
    showing((data) => {
      const { length } = [data.paymentMethods].flat();
      first.set(length, first.get(length) ?? data.paymentMethods);
      return { ...data, paymentMethods: first.get(length) };
    }),
  );
}

/** Servers that take the bounds or the pairs of one payment method of a merchant for those of another, or list them wrongly. */
export const paymentBoundFaults: readonly Fault[] = [
  fault(
    'bounds-remembered-by-pairs',
    'Takes the amounts of the merchant that had the same pairs first.',
    'checkout.amount.range',
    'checkout.create.amount.own-bounds',
    boundsOf((value) => value === 20_000 || value === 30_000),
  ),
  fault(
    'only-method-not-listed',
    'Lists no method where a merchant has a single one.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    listingSeveral,
  ),
  fault(
    'methods-kept-by-their-number',
    'Keeps the list of payment methods by how many there are, and shows it to the next merchant with as many.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    listingByLength(),
  ),
  fault(
    'no-method-taken-for-all',
    'Lists the methods of the platform where a merchant has none.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    listingOthersForNone,
  ),
  fault(
    'bounds-of-the-platform-listed',
    'Lists the bounds of the platform for every method of a merchant.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    listing((method) => ({ ...method, minAmount: 1, maxAmount: 1_000_000 })),
  ),
  fault(
    'bounds-listed-in-whole-coins',
    'Lists bounds in whole coins.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    listing((method) => ({ ...method, maxAmount: Math.floor(Number(method.maxAmount)) })),
  ),
  fault(
    'bounds-listed-in-32-bits',
    'Keeps bounds as floating-point numbers of 32 bits.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    listing((method) => ({ ...method, maxAmount: Number(Math.fround(Number(method.maxAmount)).toPrecision(8)) })),
  ),
  fault(
    'pair-in-two-lists',
    'Looks for the currency and for the network of a pair in two lists.',
    'checkout.create.pair',
    'checkout.create.pair.crossed',
    takingCrossed,
  ),
  fault(
    'crossed-pair-as-amount',
    'Answers a pair that is not listed with the code of an amount.',
    'checkout.create.pair',
    'checkout.create.pair.crossed',
    onlyFor(isOf('checkout.create'), async (request, server) => {
      const answer = await server.forward(request);
      return bodyOf(answer)?.code === '10011' ? refusal(request, '10004', 'the amount is wrong') : answer;
    }),
  ),
  fault(
    'bounds-exclusive',
    'Takes only amounts between the bounds of a method.',
    'checkout.amount.range',
    'checkout.create.amount.own-bounds',
    boundsOf((value) => [1.5, 500, 0.01, 99.99, 600, 600.125].includes(value)),
  ),
  ...(
    [
      ['least-amount-ignored', 'Holds no amount against the least of its method.', 'min'],
      ['greatest-amount-ignored', 'Holds no amount against the greatest of its method.', 'max'],
    ] as const
  ).map(([id, title, bound]) =>
    fault(id, title, 'checkout.amount.range', 'checkout.create.amount.own-bounds', takingBeyond(bound)),
  ),
  ...(['min', 'max'] as const).flatMap((bound) =>
    (['USDT', 'USDC', 'USD1'] as const).map((currency) =>
      fault(
        `${bound}-of-${currency.toLowerCase()}-exclusive`,
        `Takes for ${bound === 'min' ? 'the least' : 'the greatest'} amount of one method, in ${currency}, the one next to it.`,
        'checkout.amount.range',
        'checkout.create.amount.own-bounds',
        boundsOf((value, body) => amountOf(body).currency === currency && value === ownBounds[currency][bound]),
      ),
    ),
  ),
  fault(
    'least-of-usdc-over-arbitrum-exclusive',
    'Takes only more than the least amount in USDC over Arbitrum, and the least itself by every other method.',
    'checkout.amount.range',
    'checkout.create.amount.own-bounds',
    boundsOf((value, body) => amountOf(body).currency === 'USDC' && body.network === 'arbitrum' && value === 7.25),
  ),
  fault(
    'small-bounds-cut-at-their-exponent',
    'Takes for the least amount of a method the digits before the exponent with which its language writes it.',
    'checkout.amount.range',
    'checkout.create.amount.own-bounds',
    boundsOf((value, body) => amountOf(body).currency === 'USDT' && value < 0.0001),
  ),
  fault(
    'bounds-of-the-first-method',
    'Holds every amount against the bounds of the first method.',
    'checkout.amount.range',
    'checkout.create.amount.own-bounds',
    boundsOf((value) => value < 1.5 || value > 500),
  ),
  fault(
    'bounds-of-the-currency',
    'Holds an amount against the bounds of the first method with its currency.',
    'checkout.amount.range',
    'checkout.create.amount.own-bounds',
    boundsOf((value, body) => body.network === 'tron' && (value < ownBounds.USDT.min || value > ownBounds.USDT.max)),
  ),
  fault(
    'amount-rounded-before-its-bounds',
    'Rounds an amount to hundredths before it compares it with the bounds.',
    'checkout.amount.range',
    'checkout.create.amount.own-bounds',
    onlyFor(isOf('checkout.create'), async (request, server) => {
      const answer = await server.forward(request);
      const body = bodyOf(request);
      const { value, currency } = amountOf(body ?? {});
      if (bodyOf(answer)?.code === successCode || !body || value !== '600.126') return answer;
      const orderAmount = { value: subtractDecimals(value, '0.001'), currency };
      return server.forward(sending(request, { ...body, orderAmount }, server));
    }),
  ),
];
