import { currencies, limit, networks } from '../../../../generated/catalogue.ts';
import type { Merchant } from '../../../../server/domain/merchant.ts';
import { compareAmounts, numberText } from '../../../../server/domain/money.ts';
import type { CheckoutOrderCreateRequest } from '../../../../server/domain/order.ts';
import { type JsonObject, setAt, valueAt } from '../../../contract/json.ts';
import { lengthLimit } from '../../../contract/lengths.ts';
import { successCode } from '../../../contract/success-code.ts';
import { timestampOf } from '../../stand/auth-changes.ts';
import {
  bodyOf,
  hasText,
  isOf,
  isRightlySigned,
  onlyFor,
  readingBodies,
  refusing,
  refusingBodies,
} from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { isImpossible } from '../../stand/order-changes.ts';
import { sending } from '../../stand/refund-changes.ts';

type Request = CheckoutOrderCreateRequest;
type RuleId = 'checkout.create.pair' | 'checkout.amount.range' | `checkout.create.expires-at.${'future' | 'limit'}`;

/** How far ahead a checkout order may expire, in milliseconds. */
const farthest = limit('checkout.expires-at.farthest', 'max');

/** How far the clocks of New York are ahead of UTC at a moment, in milliseconds. */
function aheadInNewYork(moment: number): number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', timeZoneName: 'longOffset' });
  const [, sign, hours = 0] = /GMT([+-])(\d\d)/.exec(format.format(moment)) ?? [];
  return (sign === '-' ? -1 : 1) * Number(hours) * 3_600_000;
}

/**
 * A server that lacks some rules of creates. It refuses a create if `breaks`, which replaces the first of these rules,
 * is true.
 */
function ruling(
  requirements: readonly [RuleId, ...RuleId[]],
  breaks: (request: Request, facts: { now: number; merchant: Merchant }) => boolean = () => false,
): Make {
  const [requirement] = requirements;
  return {
    parts: (parts) => {
      const kept = parts.rules.createCheckoutOrder.filter(
        (rule) => !requirements.some((id) => id === rule.requirement),
      );
      const violation = (request: Request, facts: { now: number; merchant: Merchant }) =>
        breaks(request, facts) ? 'request: breaks a rule' : undefined;
      return { ...parts, rules: { ...parts.rules, createCheckoutOrder: [{ requirement, violation }, ...kept] } };
    },
  };
}

const isCreate = isOf('checkout.create');

/** A server that takes the X-Timestamp of a create for the time at which the order is made. */
function countingFromTimestamp(): Make {
  const timestamps = new Map<unknown, number>();
  const rules = ruling(
    ['checkout.create.expires-at.future', 'checkout.create.expires-at.limit'],
    ({ merchantOrderId, expiresAt }, { now }) => {
      const life = Date.parse(expiresAt) - (timestamps.get(merchantOrderId) ?? now);
      return life <= 0 || life > 24 * hours * 1000;
    },
  );
  return {
    ...rules,
    merchantApi: onlyFor(isCreate, (request, server) => {
      timestamps.set(bodyOf(request)?.merchantOrderId, Number(timestampOf(request)));
      return server.forward(request);
    }),
  };
}

const amountOf = (body: unknown) => String(valueAt(body, ['orderAmount', 'value']));
const currencyOf = (body: unknown) => valueAt(body, ['orderAmount', 'currency']);
const secondsAhead = ({ expiresAt }: JsonObject) => (Date.parse(String(expiresAt)) - Date.now()) / 1000;
const hours = 3600;

/** A server that refuses a create if `refuses` is true of it. */
const refusingCreates = (refuses: (body: JsonObject) => boolean, code = '10001'): Make => ({
  merchantApi: refusingBodies('checkout.create', refuses, code),
});

/** A server that reads each create as `change` makes it. */
const readingCreates = (change: (body: JsonObject) => unknown): Make => ({
  merchantApi: readingBodies('checkout.create', change),
});

/** The body, with an impossible expiry replaced by one in an hour. */
const inAnHour = (body: JsonObject): JsonObject =>
  isImpossible(body) ? { ...body, expiresAt: new Date(Date.now() + hours * 1000).toISOString() } : body;

/** A server that refuses with `instead` where it should refuse with `code`. */
const recoding = (code: string, instead: string): Make => ({
  merchantApi: onlyFor(
    isCreate,
    refusing((envelope) => (envelope.code === code ? { ...envelope, code: instead } : envelope)),
  ),
});

/** A server that refuses a create, but makes the order from the body that `change` returns. */
function makingWhatItRefuses(
  refuses: (body: JsonObject) => boolean,
  change: (body: JsonObject) => unknown,
  code: string,
): Make {
  const make = readingBodies('checkout.create', (body) => (refuses(body) ? change(body) : body));
  return {
    merchantApi: onlyFor(isCreate, async (request, server) => {
      const answer = await make(request, server);
      const body = bodyOf(request);
      if (!body || !refuses(body) || bodyOf(answer)?.code !== successCode) return answer;
      return { ...answer, body: Buffer.from(JSON.stringify({ code, message: 'a parameter is invalid', data: null })) };
    }),
  };
}

function methodOf({ orderAmount, network }: Request, { settings }: Merchant) {
  return settings.paymentMethods.find(
    (method) => method.cryptoCurrency === orderAmount.currency && method.network === network,
  );
}

const isOnPlatform = ({ orderAmount, network }: Request) =>
  currencies.some(({ code, networks: on }) => code === orderAmount.currency && on.some((each) => each === network));

const isKnownNetwork = (network: unknown) => networks.some(({ code }) => code === network);

const pairs: readonly Fault[] = [
  {
    id: 'pairs-of-the-platform-taken',
    title: 'Takes every pair of the platform, whether the merchant has it or not.',
    breaks: 'checkout.create.pair',
    caughtBy: 'checkout.create.pair.not-listed',
    make: ruling(['checkout.create.pair', 'checkout.amount.range'], (request) => !isOnPlatform(request)),
  },
  {
    id: 'network-of-the-only-method',
    title: 'Takes the network of a create that names none from the only method of its merchant.',
    breaks: 'checkout.create.required-fields',
    caughtBy: 'checkout.create.pair.not-listed',
    make: {
      merchantApi: onlyFor(isOf('checkout.create'), (request, server) => {
        const body = bodyOf(request);
        const isLeftOut = body && body.network === undefined && isRightlySigned(request, server);
        return server.forward(isLeftOut ? sending(request, { ...body, network: 'tron' }, server) : request);
      }),
    },
  },
  {
    id: 'pair-checked-by-currency',
    title: 'Takes any network as long as the merchant has the currency.',
    breaks: 'checkout.create.pair',
    caughtBy: 'checkout.create.pair.not-on-platform',
    make: ruling(
      ['checkout.create.pair', 'checkout.amount.range'],
      ({ orderAmount, network }, { merchant }) =>
        !isKnownNetwork(network) ||
        !merchant.settings.paymentMethods.some(({ cryptoCurrency }) => cryptoCurrency === orderAmount.currency),
    ),
  },
  {
    id: 'unlisted-pair-invalid-parameter',
    title: 'Answers a pair that the merchant does not have as a wrong parameter.',
    breaks: 'checkout.create.pair',
    caughtBy: 'checkout.create.pair.not-listed',
    make: recoding('10011', '10001'),
  },
  {
    id: 'unknown-pair-invalid-parameter',
    title: 'Answers a pair that the platform does not have as a wrong parameter.',
    breaks: 'checkout.create.pair',
    caughtBy: 'checkout.create.pair.not-on-platform',
    make: refusingCreates((body) => currencyOf(body) === 'USDT' && body.network === 'base'),
  },
  {
    id: 'unknown-network-fails',
    title: 'Fails at a network that it does not know.',
    breaks: 'checkout.create.pair',
    caughtBy: 'checkout.create.pair.unknown-network',
    make: refusingCreates(({ network }) => !isKnownNetwork(network), '99999'),
  },
  {
    id: 'unknown-network-replaced',
    title: 'Takes an order on a network that it does not know as one on Ethereum.',
    breaks: 'checkout.create.pair',
    caughtBy: 'checkout.create.pair.unknown-network',
    make: readingCreates((body) => (isKnownNetwork(body.network) ? body : { ...body, network: 'eth' })),
  },
  {
    id: 'network-by-a-pattern',
    title: 'Looks for the network of a checkout order with LIKE.',
    breaks: 'checkout.create.pair',
    caughtBy: 'checkout.create.pair.unknown-network',
    make: readingCreates((body) => {
      const pattern = new RegExp(`^${String(body.network).replaceAll('%', '.*').replaceAll('_', '.')}$`);
      const found = isKnownNetwork(body.network) ? undefined : networks.find(({ code }) => pattern.test(code));
      return found ? { ...body, network: found.code } : body;
    }),
  },
  {
    id: 'network-by-its-standard',
    title: 'Takes the name of a standard of tokens for a network.',
    breaks: 'checkout.create.pair',
    caughtBy: 'checkout.create.pair.unknown-network',
    make: readingCreates((body) => (body.network === 'erc20' ? { ...body, network: 'eth' } : body)),
  },
  {
    id: 'refused-pair-makes-order',
    title: 'Refuses a pair that it does not know, and makes the order on another network.',
    breaks: 'checkout.errors.refused',
    caughtBy: 'checkout.create.pair.unknown-network',
    make: makingWhatItRefuses(
      ({ network }) => !isKnownNetwork(network),
      (body) => ({ ...body, network: 'eth' }),
      '10011',
    ),
  },
  {
    id: 'unknown-currency-as-amount',
    title: 'Answers a currency that it does not know as a wrong amount.',
    breaks: 'checkout.amount.currency-values',
    caughtBy: 'checkout.create.orderAmount.currency.enum',
    make: refusingCreates((body) => !currencies.some(({ code }) => code === currencyOf(body)), '10004'),
  },
];

const amounts: readonly Fault[] = [
  {
    id: 'checkout-letters-as-amount',
    title: 'Reads letters as an amount of one.',
    breaks: 'checkout.amount.number',
    caughtBy: 'checkout.create.orderAmount.value.number',
    make: readingCreates((body) => (/[0-9]/.test(amountOf(body)) ? body : setAt(body, ['orderAmount', 'value'], '1'))),
  },
  {
    id: 'zero-with-decimals-taken',
    title: 'Knows zero only when it is written 0.',
    breaks: 'checkout.amount.positive',
    caughtBy: 'checkout.create.orderAmount.value.exclusiveMinimum',
    make: readingCreates((body) =>
      /^0\.0+$/.test(amountOf(body)) ? setAt(body, ['orderAmount', 'value'], '1') : body,
    ),
  },
  {
    id: 'sign-dropped',
    title: 'Reads an amount without its sign.',
    breaks: 'checkout.amount.positive',
    caughtBy: 'checkout.create.orderAmount.value.exclusiveMinimum',
    make: readingCreates((body) =>
      amountOf(body).startsWith('-') ? setAt(body, ['orderAmount', 'value'], amountOf(body).slice(1)) : body,
    ),
  },
  {
    id: 'zero-taken-within-range',
    title: 'Holds an amount to the range of the payment method alone, which begins with zero on one network.',
    breaks: 'checkout.amount.positive',
    caughtBy: 'checkout.create.amount.own-bounds',
    make: readingCreates((body) =>
      body.network === 'arbitrum' && amountOf(body) === '0' ? setAt(body, ['orderAmount', 'value'], '1') : body,
    ),
  },
  {
    id: 'amount-of-zero-unsupported',
    title: 'Answers an amount of zero as an unsupported method.',
    breaks: 'checkout.amount.positive',
    caughtBy: 'checkout.create.orderAmount.value.exclusiveMinimum',
    make: recoding('10004', '10011'),
  },
  {
    id: 'refused-amount-makes-order',
    title: 'Refuses an amount of zero, and makes the order with the smallest amount that it has.',
    breaks: 'checkout.errors.refused',
    caughtBy: 'checkout.create.orderAmount.value.exclusiveMinimum',
    make: makingWhatItRefuses(
      (body) => Number(amountOf(body)) <= 0,
      (body) => setAt(body, ['orderAmount', 'value'], '1'),
      '10004',
    ),
  },
  ...(
    [
      ['range-not-checked', 'Shows a range for each payment method and does not hold orders to it.', () => false],
      [
        'range-without-minimum',
        'Holds orders to the greatest amount of a payment method only.',
        (amount, _, most) => compareAmounts(amount, most) > 0,
      ],
      [
        'range-without-maximum',
        'Holds orders to the smallest amount of a payment method only.',
        (amount, least) => compareAmounts(amount, least) < 0,
      ],
      [
        'range-in-cents',
        'Rounds amounts to hundredths before it holds them to the range of a payment method.',
        (amount, least, most) => {
          const cents = Math.round(Number(amount) * 100) / 100;
          return cents < Number(least) || cents > Number(most);
        },
      ],
      [
        'range-in-doubles',
        'Compares amounts with the range of a payment method in binary floating point.',
        (amount, least, most) => Number(amount) < Number(least) || Number(amount) > Number(most),
      ],
    ] satisfies [string, string, (amount: string, least: string, most: string) => boolean][]
  ).map(
    ([id, title, refuses]): Fault => ({
      id,
      title,
      breaks: 'checkout.amount.range',
      caughtBy: 'checkout.create.amount.outside-range',
      make: inRange(refuses),
    }),
  ),
  ...(
    [
      [
        'minimum-excluded',
        'Refuses the smallest amount of a payment method.',
        (amount, least) => compareAmounts(amount, least) <= 0,
      ],
      [
        'maximum-excluded',
        'Refuses the greatest amount of a payment method.',
        (amount, _, most) => compareAmounts(amount, most) >= 0,
      ],
      ['range-of-its-own', 'Takes no order above 1000, whatever its list says.', (amount) => Number(amount) > 1000],
    ] satisfies [string, string, (amount: string, least: string, most: string) => boolean][]
  ).map(
    ([id, title, refuses]): Fault => ({
      id,
      title,
      breaks: 'checkout.amount.range',
      caughtBy: 'checkout.create.amount.within-range',
      make: inRange(refuses),
    }),
  ),
];

/** Compares the range as text, where 9.50 is above 1000000, and so refuses ordinary orders. */
const comparedAsText: Fault = {
  id: 'range-compared-as-text',
  title: 'Compares amounts with the range of a payment method as text.',
  breaks: 'checkout.create.accepted',
  caughtBy: 'checkout.create.minimal',
  make: inRange((amount, least, most) => amount < least || amount > most),
};

/** A server with another rule for the range of an amount. `refuses` gets the amount and the range of its method. */
function inRange(refuses: (amount: string, least: string, most: string) => boolean): Make {
  return ruling(['checkout.amount.range'], (request, { merchant }) => {
    const method = methodOf(request, merchant);
    if (!method) return false;
    return refuses(request.orderAmount.value, numberText(method.minAmount), numberText(method.maxAmount));
  });
}

const expiry: readonly Fault[] = [
  {
    id: 'checkout-impossible-date-taken',
    title: 'Reads an impossible date as one in an hour.',
    breaks: 'checkout.create.expires-at.form',
    caughtBy: 'checkout.create.expiresAt.format',
    make: readingCreates((body) => inAnHour(body)),
  },
  {
    id: 'checkout-expiry-in-the-past-taken',
    title: 'Takes checkout orders that have expired already.',
    breaks: 'checkout.create.expires-at.future',
    caughtBy: 'checkout.create.expires-at.past',
    make: ruling(['checkout.create.expires-at.future']),
  },
  {
    id: 'checkout-expiry-read-in-local-time',
    title: 'Reads expiresAt in a zone one hour behind UTC.',
    breaks: 'checkout.create.expires-at.future',
    caughtBy: 'checkout.create.expires-at.past',
    make: ruling(
      ['checkout.create.expires-at.future'],
      ({ expiresAt }, { now }) => Date.parse(expiresAt) + hours * 1000 <= now,
    ),
  },
  {
    id: 'checkout-expiry-of-the-last-minute-taken',
    title: 'Takes a time of expiry that has passed less than a minute ago.',
    breaks: 'checkout.create.expires-at.future',
    caughtBy: 'checkout.create.expires-at.past',
    make: ruling(
      ['checkout.create.expires-at.future'],
      ({ expiresAt }, { now }) => Date.parse(expiresAt) + 60_000 <= now,
    ),
  },
  {
    id: 'checkout-expiry-by-the-day',
    title: 'Refuses only those times of expiry that lie more than a day in the past.',
    breaks: 'checkout.create.expires-at.future',
    caughtBy: 'checkout.create.expires-at.past',
    make: ruling(
      ['checkout.create.expires-at.future'],
      ({ expiresAt }, { now }) => Date.parse(expiresAt) + 24 * hours * 1000 <= now,
    ),
  },
  {
    id: 'checkout-expiry-of-five-seconds-ago-taken',
    title: 'Takes a time of expiry that has passed less than five seconds ago.',
    breaks: 'checkout.create.expires-at.future',
    caughtBy: 'checkout.create.expires-at.edges',
    make: ruling(
      ['checkout.create.expires-at.future'],
      ({ expiresAt }, { now }) => Date.parse(expiresAt) + 5000 <= now,
    ),
  },
  {
    id: 'checkout-day-of-a-zone',
    title:
      'Takes the limit of an expiry for the same time of the next day in New York, which is 23 or 25 hours ahead where its clocks change.',
    breaks: 'checkout.create.expires-at.limit',
    caughtBy: 'checkout.create.expires-at.clock-changes',
    make: ruling(
      ['checkout.create.expires-at.limit'],
      ({ expiresAt }, { now }) =>
        Date.parse(expiresAt) > now + farthest + aheadInNewYork(now) - aheadInNewYork(now + farthest),
    ),
  },
  {
    id: 'checkout-expiry-half-a-minute-over',
    title: 'Takes checkout orders that wait for half a minute more than 24 hours.',
    breaks: 'checkout.create.expires-at.limit',
    caughtBy: 'checkout.create.expires-at.edges',
    make: ruling(
      ['checkout.create.expires-at.limit'],
      ({ expiresAt }, { now }) => Date.parse(expiresAt) - now > 24 * hours * 1000 + 30_000,
    ),
  },
  {
    id: 'checkout-expiry-seconds-short',
    title: 'Refuses checkout orders that wait for five seconds less than 24 hours, or for longer.',
    breaks: 'checkout.create.expires-at.limit',
    caughtBy: 'checkout.create.expires-at.edges',
    make: ruling(
      ['checkout.create.expires-at.limit'],
      ({ expiresAt }, { now }) => Date.parse(expiresAt) - now > 24 * hours * 1000 - 5000,
    ),
  },
  {
    id: 'checkout-expiry-by-timestamp',
    title: 'Counts how long an order may live from the X-Timestamp of its request.',
    breaks: 'checkout.create.expires-at.future',
    caughtBy: 'checkout.create.expires-at.not-by-timestamp',
    make: countingFromTimestamp(),
  },
  {
    id: 'past-expiry-unsupported',
    title: 'Answers a time of expiry in the past as an unsupported method.',
    breaks: 'checkout.create.expires-at.future',
    caughtBy: 'checkout.create.expires-at.past',
    make: recoding('10005', '10011'),
  },
  {
    id: 'refused-expiry-makes-order',
    title: 'Refuses a time of expiry in the past, and makes the order with one of its own.',
    breaks: 'checkout.errors.refused',
    caughtBy: 'checkout.create.expires-at.past',
    make: makingWhatItRefuses(
      (body) => secondsAhead(body) < 0,
      (body) => ({ ...body, expiresAt: new Date(Date.now() + 900_000).toISOString() }),
      '10005',
    ),
  },
  {
    id: 'checkout-expiry-unlimited',
    title: 'Takes checkout orders that wait for days.',
    breaks: 'checkout.create.expires-at.limit',
    caughtBy: 'checkout.create.expires-at.beyond-limit',
    make: ruling(['checkout.create.expires-at.limit']),
  },
  {
    id: 'checkout-expiry-one-hour-over',
    title: 'Takes checkout orders that wait for up to 25 hours.',
    breaks: 'checkout.create.expires-at.limit',
    caughtBy: 'checkout.create.expires-at.beyond-limit',
    make: ruling(
      ['checkout.create.expires-at.limit'],
      ({ expiresAt }, { now }) => Date.parse(expiresAt) - now > 25 * hours * 1000,
    ),
  },
  {
    id: 'checkout-expiry-cut-silently',
    title: 'Cuts a time of expiry that is too late down to 24 hours, and takes the order.',
    breaks: 'checkout.create.expires-at.limit',
    caughtBy: 'checkout.create.expires-at.beyond-limit',
    make: readingCreates((body) =>
      secondsAhead(body) > 24 * hours
        ? { ...body, expiresAt: new Date(Date.now() + 24 * hours * 1000 - 1000).toISOString() }
        : body,
    ),
  },
  {
    id: 'checkout-expiry-limited-to-an-hour',
    title: 'Lets checkout orders wait for one hour at most.',
    breaks: 'checkout.create.expires-at.limit',
    caughtBy: 'checkout.create.expires-at.within-limit',
    make: refusingCreates((body) => secondsAhead(body) > hours, '10005'),
  },
  {
    id: 'checkout-expiry-not-soon',
    title: 'Wants checkout orders to wait for a quarter of an hour at least.',
    breaks: 'checkout.create.expires-at.future',
    caughtBy: 'checkout.create.expires-at.within-limit',
    make: refusingCreates((body) => secondsAhead(body) < 900, '10005'),
  },
  {
    id: 'whole-seconds-refused',
    title: 'Wants milliseconds in expiresAt.',
    breaks: 'checkout.create.expires-at.form',
    caughtBy: 'checkout.create.expires-at.within-limit',
    make: refusingCreates(hasText('expiresAt', (text) => !text.includes('.'))),
  },
];

const texts: readonly Fault[] = [
  {
    id: 'checkout-refused-description-makes-order',
    title: 'Says that the description of a checkout order is too long, and makes the order.',
    breaks: 'checkout.errors.refused',
    caughtBy: 'checkout.create.description.maxLength',
    make: makingWhatItRefuses(
      hasText('description', (text) => text.length > lengthLimit('checkout', 'description', 'maxLength').limit),
      (body) => ({ ...body, description: 'cut' }),
      '10001',
    ),
  },
];

/** Wrong servers of the rules that a checkout create has to keep. */
export const checkoutRuleFaults: readonly Fault[] = [...pairs, ...amounts, comparedAsText, ...expiry, ...texts];
