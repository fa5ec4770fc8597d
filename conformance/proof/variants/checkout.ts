import { networks } from '../../../generated/catalogue.ts';
import { addDecimals, compareDecimals, multiplyRoundedUp } from '../../contract/decimals.ts';
import { isObject, type JsonObject, valueAt } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import {
  answering,
  answeringJson,
  bodyOf,
  changing,
  isCheckout,
  isOf,
  isRightlySigned,
  jsonAnswer,
  merchantIdOf,
  objectAt,
  onlyFor,
  queriedId,
  recordOfEvent,
  refusingBodies,
  showing,
  spoiled,
  storing,
  underContract,
  withSchema,
} from '../stand/changes.ts';
import type { Make, Variant } from '../stand/fault.ts';
import { lenient, movesOf, refusingRepeats, repeating } from '../stand/order-changes.ts';
import type { Handler } from '../stand/proxy.ts';
import { acknowledged, eventOf, isOfCheckout, sending } from '../stand/webhook-changes.ts';

const createSchema = '/components/schemas/CheckoutOrderCreateRequest';
const isCreate = isOf('checkout.create');
const isQuery = isOf('checkout.query');
const amountOf = (body: unknown) => String(valueAt(body, ['orderAmount', 'value']));
const placesOf = (amount: string) => amount.split('.')[1]?.length ?? 0;

/** An address in the form of a network, the same for all orders on it. */
function sharedAddress(code: string): string {
  switch (networks.find((network) => network.code === code)?.addressFamily) {
    case 'tron':
      return 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
    case 'solana':
      return '1'.repeat(32);
    default:
      return `0x${'7e57'.repeat(10)}`;
  }
}

/** The HTTP status of each refusal, after its kind. */
const statuses: Readonly<Record<string, number>> = {
  '10001': 400,
  '10004': 422,
  '10005': 422,
  '10007': 404,
  '10011': 409,
  '20001': 409,
  '40001': 404,
  '50010': 403,
};

/** Codes that the contract permits in the place of those of the reference server. */
const otherCodes: Handler = async (request, server) => {
  const answer = await server.forward(request);
  const envelope = bodyOf(answer);
  const coded = (code: string) => jsonAnswer({ ...envelope, code });
  const body = bodyOf(request);
  switch (envelope?.code) {
    case '90001':
    case '90002':
    case '90003':
    case '10007':
      return coded('10001');
    case '10004':
      return compareDecimals(amountOf(body).replace('-', ''), '0') > 0 && !amountOf(body).startsWith('-')
        ? coded('10001')
        : answer;
    case '10005':
      return Date.parse(String(body?.expiresAt)) > Date.now() ? coded('10001') : answer;
    case '40001':
      return /^[A-Za-z0-9_-]{16,64}$/.test(queriedId(request) ?? '') ? answer : coded('10001');
    default:
      return answer;
  }
};

/** A server whose amount due is computed from the price by `due`. */
const asking = (due: (price: string) => string): Make => ({
  parts: storing((records) => ({
    insertOrder: (order) =>
      records.insertOrder(
        order.product === 'checkout' ? { ...order, due: { ...order.due, value: due(order.due.value) } } : order,
      ),
  })),
  merchantApi: onlyFor(
    isCreate,
    showing((view) => ({ ...view, cryptoPaymentAmount: { ...Object(view.orderAmount), value: due(amountOf(view)) } })),
  ),
});

/** The price with the places that a token has, rounded up. */
function roundedUp(price: string): string {
  const [whole = '0', places = ''] = price.split('.');
  const cut = `${whole}.${places.slice(0, 6).padEnd(6, '0')}`;
  return /[1-9]/.test(places.slice(6)) ? addDecimals([cut, '0.000001']) : cut;
}

/** A server whose merchants have these payment methods, unless a check asks for others. */
const withMethods = (...paymentMethods: object[]): Make => ({
  control: (request, server) => {
    const settings = bodyOf(request);
    if (request.method !== 'POST' || !request.target.endsWith('/merchants') || settings?.paymentMethods !== undefined)
      return server.forward(request);
    return server.forward({ ...request, body: Buffer.from(JSON.stringify({ ...settings, paymentMethods })) });
  },
});

/** A server that answers a repeated create with the same bytes as the first one. */
function replaying(): Handler {
  const first = new Map<string, JsonObject>();
  const isOfAuthentication = ({ code }: JsonObject) => String(code).startsWith('900');
  const replay = answeringJson((envelope, request) => {
    const id = bodyOf(request)?.merchantOrderId;
    if (typeof id !== 'string') return envelope;
    const key = `${merchantIdOf(request)} ${id}`;
    const known = first.get(key);
    if (known && !isOfAuthentication(envelope)) return known;
    if (envelope.code === successCode) first.set(key, envelope);
    return envelope;
  });
  return (request, server) =>
    isCreate(request) && isRightlySigned(request, server) ? replay(request, server) : server.forward(request);
}

/** A server whose driver steps for checkout orders `happen` replaces; its hosted orders are unchanged. */
function drivenBy(happen: (type: unknown) => 'as-ever' | 'refused' | 'and-confirmed'): Make {
  const orders = new Set<unknown>();
  return {
    merchantApi: onlyFor(
      isCreate,
      showing((view) => {
        orders.add(view.orderId);
        return view;
      }),
    ),
    control: async (request, server) => {
      const orderId = recordOfEvent('orders', request) ?? '';
      const done = orders.has(orderId) ? happen(bodyOf(request)?.type) : 'as-ever';
      if (done === 'refused') return jsonAnswer({ title: 'Conflict', status: 409, detail: 'not here' }, 409);
      const answer = await server.forward(request);
      if (done === 'as-ever' || answer.status !== 200) return answer;
      const body = Buffer.from(JSON.stringify({ type: 'payment_confirmed' }));
      await server.forward({ ...request, body });
      return answer;
    },
  };
}

/** A server with one namespace for the ids of both products. */
export function sharedByProducts(): Make & Required<Pick<Make, 'parts'>> {
  const taken = new Map<string, string>();
  return {
    parts: storing((records) => ({
      insertOrder: async (order) => {
        const key = `${order.merchantId} ${order.merchantOrderId}`;
        if ((taken.get(key) ?? order.product) !== order.product) return false;
        taken.set(key, order.product);
        return records.insertOrder(order);
      },
    })),
  };
}

/** A server that settles a checkout order as soon as its payment is seen. */
export const settlingAtOnce = (): Make =>
  drivenBy((type) => (type === 'transaction_detected' ? 'and-confirmed' : 'as-ever'));

const isElsewhere = ({ target }: { target: string }) => /\/merchants\/[^/]+\/(orders|refunds)/.test(target);

const all = ['INIT', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CLOSED'] as const;

const servers: readonly Omit<Variant, 'area'>[] = [
  {
    id: 'checkout-http-statuses',
    title: 'Gives refusals of checkout operations an HTTP status after their kind, and a new order HTTP 201.',
    make: {
      merchantApi: onlyFor(
        isCheckout,
        answering((answer, request) => {
          const code = String(bodyOf(answer)?.code);
          if (code === successCode) return { ...answer, status: isCreate(request) ? 201 : 200 };
          return { ...answer, status: statuses[code] ?? answer.status };
        }),
      ),
    },
  },
  {
    id: 'checkout-other-codes',
    title: 'Uses 10001 wherever no other code is named, for failed authentication too, and answers all with HTTP 200.',
    make: { merchantApi: onlyFor(isCheckout, otherCodes) },
  },
  {
    id: 'checkout-fees-beside-the-price',
    title: 'Asks for a fee beside the price of a checkout order.',
    make: asking((price) => addDecimals([price, '0.300001'])),
  },
  {
    id: 'checkout-fees-in-percent',
    title: 'Asks for one percent beside the price of a checkout order, to more places than a payment can have.',
    make: asking((price) => multiplyRoundedUp(price, '1.01', 40)),
  },
  {
    id: 'checkout-asks-for-six-places',
    title: 'Takes prices of 18 decimal places, and asks for the next amount that the token can show.',
    make: asking(roundedUp),
  },
  {
    id: 'checkout-takes-six-places',
    title: 'Refuses prices of more than six decimal places.',
    make: { merchantApi: refusingBodies('checkout.create', (body) => placesOf(amountOf(body)) > 6) },
  },
  {
    id: 'checkout-null-fields',
    title: 'Shows what a checkout order does not have as null, in the answers to creates too.',
    make: {
      merchantApi: onlyFor(
        (request) => isCreate(request) || isQuery(request),
        showing((view, request) => {
          const none = { cryptoPaidAmount: null, cryptoPaymentDetail: null, paidAt: null, metadata: null };
          return isCreate(request) || view.status !== 'SUCCEEDED' ? { ...none, ...view } : { metadata: null, ...view };
        }),
      ),
    },
  },
  {
    id: 'checkout-addresses-in-capitals',
    title: 'Writes the hexadecimal digits of deposit addresses in capitals.',
    make: {
      merchantApi: showing(
        changing('depositAddress', (address) =>
          String(address).replace(/(?<=^0x)[0-9a-f]+$/, (digits) => digits.toUpperCase()),
        ),
      ),
    },
  },
  {
    id: 'checkout-shared-address',
    title: 'Has one deposit address for all orders on a network, and does not return metadata.',
    make: {
      merchantApi: onlyFor(
        (request) => isCreate(request) || isQuery(request),
        showing(({ metadata: _left, ...view }) => {
          const depositAddress = sharedAddress(String(view.network));
          const { cryptoPaymentDetail: detail } = view;
          const paid = isObject(detail) && { cryptoPaymentDetail: { ...detail, toAddress: depositAddress } };
          return { ...view, depositAddress, ...paid };
        }),
      ),
    },
  },
  {
    id: 'checkout-expiry-fails',
    title: 'Lets checkout orders fail whose time runs out.',
    make: movesOf('checkout').leading('INIT', 'expired', 'FAILED'),
  },
  {
    id: 'checkout-processing-skipped',
    title: 'Settles a checkout order as soon as its payment is seen.',
    make: settlingAtOnce(),
  },
  {
    id: 'checkout-processing-unseen',
    title: 'Neither shows nor announces that the payment of a checkout order was seen.',
    make: {
      ...sending((webhook, send) =>
        isOfCheckout(webhook) && eventOf(webhook).status === 'PROCESSING'
          ? Promise.resolve(acknowledged)
          : send(webhook),
      ),
      merchantApi: onlyFor(
        isCheckout,
        showing((view) => (view.status === 'PROCESSING' ? { ...view, status: 'INIT' } : view)),
      ),
    },
  },
  {
    id: 'checkout-never-cancelled',
    title: 'Has no way to cancel a checkout order, and none for its payment to go wrong.',
    make: drivenBy((type) => (type === 'cancelled' || type === 'payment_failed' ? 'refused' : 'as-ever')),
  },
  {
    id: 'checkout-repeats-existing',
    title: 'Answers every second create under an id with the order that exists.',
    make: { merchantApi: repeating('checkout.create', 'as-first') },
  },
  {
    id: 'checkout-repeats-identical',
    title: 'Answers a second create with the order that exists only when the request is the same.',
    make: { merchantApi: repeating('checkout.create', 'only-identical') },
  },
  {
    id: 'checkout-repeats-replayed',
    title: 'Answers a second create under an id as it answered the first one, whatever became of the order.',
    make: { merchantApi: replaying() },
  },
  {
    id: 'checkout-repeats-while-open',
    title: 'Refuses a second create under an id once its order is final.',
    make: { merchantApi: refusingRepeats('checkout.create', ['SUCCEEDED', 'FAILED', 'CLOSED']) },
  },
  {
    id: 'checkout-repeats-refused',
    title: 'Refuses every second create under an id.',
    make: { merchantApi: refusingRepeats('checkout.create', all) },
  },
  {
    id: 'checkout-one-method',
    title: 'Has merchants with one payment method, for large amounts only.',
    make: withMethods({ cryptoCurrency: 'USDC', network: 'base', minAmount: 250, maxAmount: 1_000_000_000 }),
  },
  {
    id: 'checkout-small-amounts',
    title: 'Has merchants with two payment methods, for small amounts only.',
    make: withMethods(
      { cryptoCurrency: 'USD1', network: 'bsc', minAmount: 0.000001, maxAmount: 2.5 },
      { cryptoCurrency: 'USDT', network: 'solana', minAmount: 0, maxAmount: 1.000001 },
    ),
  },
  {
    id: 'checkout-api-key-required',
    title: 'Refuses checkout requests without X-Api-Key.',
    make: {
      merchantApi: onlyFor(isCheckout, (request, server) =>
        server.forward(request.headers['x-api-key'] === undefined ? spoiled(request) : request),
      ),
    },
  },
  {
    id: 'checkout-api-key-ignored',
    title: 'Does not look at the X-Api-Key of checkout requests.',
    make: {
      merchantApi: onlyFor(isCheckout, (request, server) => {
        const { 'x-api-key': _ignored, ...headers } = request.headers;
        return server.forward({ ...request, headers });
      }),
    },
  },
  {
    id: 'checkout-ids-shared-by-products',
    title: 'Has one namespace for the ids of hosted and checkout orders.',
    make: sharedByProducts(),
  },
  {
    id: 'checkout-lenient-requests',
    title: 'Takes values of other JSON types in checkout creates, and any text as their callbackUrl.',
    make: {
      parts: underContract((contract) => {
        const callbackUrl = objectAt(contract, `${createSchema}/properties/callbackUrl`);
        for (const keyword of ['format', 'pattern']) Reflect.deleteProperty(callbackUrl, keyword);
      }),
      merchantApi: lenient('checkout.create', createSchema),
    },
  },
  {
    id: 'checkout-strict-requests',
    title: 'Refuses fields that it does not know in checkout creates.',
    make: { parts: withSchema(createSchema, { additionalProperties: false }) },
  },
  {
    id: 'checkout-only',
    title: 'Has checkout orders and nothing else.',
    make: {
      areas: ['checkout'],
      merchantApi: onlyFor(isElsewhere, async () => jsonAnswer({ error: 'not found' }, 404)),
    },
  },
];

/** Conforming servers of checkout orders that use what the contract leaves free. */
export const checkoutVariants: readonly Variant[] = servers.map((variant) => ({ ...variant, area: 'checkout' }));
