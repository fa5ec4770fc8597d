import { describe, expect, test } from 'vitest';
import { constraints } from '../../generated/catalogue.ts';
import { contract as controlContract } from '../../generated/sandbox-control-contract.ts';
import { inWords } from '../http/refusal-words.ts';
import { checkoutClient, checkoutFailureOf } from './support/checkout.ts';
import { failureOf, type OrderView, problemOf } from './support/contract.ts';
import { refundClient, refundFailureOf } from './support/refunds.ts';
import { advance, control, merchantClient, newMerchant, orderEvent, stoppedClock } from './support/server.ts';
import { sharedServer } from './support/shared-server.ts';

const clock = stoppedClock();
const server = await sharedServer({ clock: clock.read });
const credentials = await newMerchant(server);
const hosted = merchantClient(server, credentials);
const checkout = checkoutClient(server, credentials);
const refunds = refundClient(server, credentials);

const day = 86_400_000;
const iso = (milliseconds: number) => new Date(milliseconds).toISOString();

/** An order that is paid. */
async function paid(client: typeof hosted): Promise<OrderView> {
  const order = await client.create();
  await orderEvent(server, order, { type: 'transaction_detected' });
  await orderEvent(server, order, { type: 'payment_confirmed' });
  return order;
}

const item = { name: 'tea', quantity: 1, amount: { value: '1', currency: 'USDT' } };
const part = { subMerchantId: 's', name: 'n', amount: '10' };
const priced = (value: unknown) => ({ orderAmount: { value, currency: 'USDT' } });
const decimal = (example: string) =>
  `must be decimal text such as ${example}: digits with at most one point between them, no sign, exponent, space or comma`;

describe('the message of a refused hosted order says what the field must be', () => {
  test.each<[string, object]>([
    ['merchantOrderId: must be given', { merchantOrderId: undefined }],
    ['expiresAt: must be given', { expiresAt: undefined }],
    ['items.0.name: must be given', { items: [{ ...item, name: undefined }] }],
    ['merchantOrderId: must have 16 to 64 characters; it has 5', { merchantOrderId: 'short' }],
    ['merchantOrderId: must have only letters, digits, _ and -', { merchantOrderId: 'order 000000000001' }],
    ['userAgent: must have at most 512 characters; it has 513', { userAgent: '😀'.repeat(513) }],
    [
      'expiresAt: must say its time zone; end it with Z for UTC, such as 2026-12-31T23:59:59Z',
      { expiresAt: '2026-12-31T00:00:00' },
    ],
    [
      'expiresAt: must be a date and a time that exist; correct the one that does not',
      { expiresAt: '2026-02-30T00:00:00Z' },
    ],
    ['expiresAt: must be a time of RFC 3339 with a time zone, such as 2026-12-31T23:59:59Z', { expiresAt: 'tomorrow' }],
    ['expiresAt: is a leap second; set the second before or after it', { expiresAt: '2026-12-31T23:59:60Z' }],
    [
      'expiresAt: must end with Z or with an offset in hours and minutes, such as +01:00',
      { expiresAt: '2026-12-31T23:59:59+01' },
    ],
    ['expiresAt: must be text; write it in quotes', { expiresAt: 1798761599000 }],
    ['expiresAt: is in the past; set a time in the future', { expiresAt: '2020-01-01T00:00:00Z' }],
    [`orderAmount.value: ${decimal('25.50')}`, priced('1,000.00')],
    [`orderAmount.value: ${decimal('25.50')}`, priced('')],
    [`orderAmount.value: ${decimal('25.50')}`, priced(' 5')],
    ['orderAmount.value: must be text; write it in quotes, such as "25.50"', priced(25.5)],
    ['orderAmount.value: must be text, not null', priced(null)],
    ['orderAmount.value: must be above 0', priced('0')],
    ['orderAmount.value: must have at most 18 decimal places', priced(`0.${'1'.repeat(19)}`)],
    [
      'orderAmount.currency: must be 3 to 16 upper-case letters and digits, such as USDT',
      { orderAmount: { value: '1', currency: 'usdt' } },
    ],
    ['orderAmount.currency: must be one of USD, USDT', { orderAmount: { value: '1', currency: 'EUR' } }],
    [
      'returnUrl: must be an absolute address of http or https, such as https://shop.example/thanks',
      { returnUrl: '/' },
    ],
    [
      'metadata: must be text; send the JSON as text, which is what a function such as JSON.stringify gives',
      { metadata: {} },
    ],
    [
      'metadata: must be JSON text, such as {"cart":7}; send what a function such as JSON.stringify gives',
      { metadata: 'cart 7' },
    ],
    ['description: must be text, not null; leave it out', { description: null }],
    ['customerIp: must be an IPv4 or IPv6 address, such as 203.0.113.7', { customerIp: 'localhost' }],
    [
      'callbackUrl: must be an absolute address of https with a host and, where it has a port, one from 1 to 65535, such as https://shop.example/webhooks',
      { callbackUrl: 'http://shop.example/webhooks' },
    ],
    ['items: must be a list', { items: item }],
    ['items: must have at most 500 entries; it has 501', { items: Array.from({ length: 501 }, () => item) }],
    ['items.0.quantity: must be a whole number; write it without quotes', { items: [{ ...item, quantity: '1' }] }],
    ['items.0.quantity: must be a whole number, such as 2', { items: [{ ...item, quantity: 1.5 }] }],
    ['items.0.quantity: must be above 0', { items: [{ ...item, quantity: 0 }] }],
    ['paymentMethodConfig: must be an object or null', { paymentMethodConfig: [] }],
    ['subMerchants.0.amount: must be above 0.01', { subMerchants: [{ ...part, amount: '0.01' }] }],
    ['subMerchants.0.mcc: must be four digits, such as 5411', { subMerchants: [{ ...part, mcc: '541' }] }],
    [`subMerchants.0.settlementRatio: ${decimal('0.95')}`, { subMerchants: [{ ...part, settlementRatio: '95%' }] }],
  ])('%s', async (message, changes) => {
    expect(failureOf(await hosted.post({ ...hosted.body(), ...changes })).message).toBe(message);
  });

  test.each(['', 'null', '[]', '"text"'])('of the body %j as a whole', async (body) => {
    expect(failureOf(await hosted.post(body)).message).toBe('body: must be a JSON object; send one');
  });
});

const webhookAddress =
  'must be an absolute address of http or https with a host and, where it has a port, one from 1 to 65535, such as https://shop.example/webhooks';

describe('the message of a refused checkout order says what the field must be', () => {
  test.each<[string, object]>([
    ['paymentMethodType: must be ON_CHAIN_TRANSFER', { paymentMethodType: 'CARD' }],
    [`orderAmount.value: ${decimal('25.50')}`, priced('+5')],
    ['orderAmount.value: must be above 0', priced('-5')],
    [`callbackUrl: ${webhookAddress}`, { callbackUrl: '/webhooks' }],
    ['items.0.price: must be text; write it in quotes, such as "25.50"', { items: [{ price: 25.5 }] }],
  ])('%s', async (message, changes) => {
    expect(checkoutFailureOf(await checkout.post({ ...checkout.body(), ...changes })).message).toBe(message);
  });
});

describe('the details of a refused refund say what the field must be', () => {
  test.each<[string, object]>([
    ['refundReason: must be given', { refundReason: undefined }],
    ['merchantRefundOrderId: must not be empty', { merchantRefundOrderId: '' }],
    [`notifyUrl: ${webhookAddress}`, { notifyUrl: '/webhooks' }],
  ])('%s', async (details, changes) => {
    const body = { ...refunds.body('ord.22222222222222222222222222'), ...changes };
    expect(refundFailureOf(await refunds.post(body), 400).details).toBe(details);
  });

  test('and that the order is named by the id of the platform', async () => {
    const { merchantOrderId } = await hosted.create();
    expect(refundFailureOf(await refunds.post(refunds.body(merchantOrderId)), 404).details).toBe(
      "acquiringOrderId: this merchant has no such order; give the platform's id, which is the order's orderId",
    );
  });

  test("which are the same for another merchant's order as for one that does not exist", async () => {
    const other = merchantClient(server, await newMerchant(server));
    const { orderId } = await other.create();
    const ofOther = refundFailureOf(await refunds.post(refunds.body(orderId)), 404);
    const ofNobody = refundFailureOf(await refunds.post(refunds.body('ord.22222222222222222222222222')), 404);
    expect(ofOther.details).toBe(ofNobody.details);
  });
});

test.each([
  ['refundOrderId=a&refundOrderId=b', 'refundOrderId: is given 2 times; give it once'],
  ['merchantRefundOrderId=', 'merchantRefundOrderId: must not be empty'],
  [
    'refundOrderId=refund-1',
    "refundOrderId: this merchant has no such refund; give the platform's id, or ask by merchantRefundOrderId",
  ],
  [
    'merchantRefundOrderId=refund-1',
    'merchantRefundOrderId: this merchant has no such refund; give the id of its create',
  ],
  [
    'acquiringOrderId=order-1',
    "acquiringOrderId: this merchant has no refund of such an order; give the platform's id, which is the order's orderId",
  ],
  [
    'merchantRefundOrderId=refund-1&acquiringOrderId=order-1',
    'query: finds no refund of this merchant; ask by one id alone',
  ],
])('a refund query with %s is told which id is wanted', async (query, details) => {
  const answer = await refunds.get(query);
  expect(refundFailureOf(answer, answer.status).details).toBe(details);
});

describe('where the clock of a merchant was moved, a message about a time', () => {
  test('says what the clock shows', async () => {
    const own = await newMerchant(server);
    const now = await advance(server, own.merchantId, 3600);
    const ofClock = `; it is ${now} for this merchant, whose clock was moved`;
    const client = merchantClient(server, own);
    const checkoutOrders = checkoutClient(server, own);
    const past = `expiresAt: is in the past; set a time in the future${ofClock}`;
    const expiresAt = iso(clock.read() + 3_000_000);
    expect(failureOf(await client.post(client.body({ expiresAt }))).message).toBe(past);
    expect(checkoutFailureOf(await checkoutOrders.post(checkoutOrders.body({ expiresAt }))).message).toBe(past);
    const far = checkoutOrders.body({ expiresAt: iso(Date.parse(now) + day + 1) });
    expect(checkoutFailureOf(await checkoutOrders.post(far)).message).toBe(
      `expiresAt: is more than 24 hours ahead; set an earlier time${ofClock}`,
    );
  });

  test('says it of the refund period too', async () => {
    const own = await newMerchant(server);
    const { orderId } = await paid(merchantClient(server, own));
    const now = await advance(server, own.merchantId, (31 * day) / 1000);
    const client = refundClient(server, own);
    expect(refundFailureOf(await client.post(client.body(orderId)), 400).details).toBe(
      `acquiringOrderId: the order could be refunded until ${iso(clock.read() + 30 * day)}; it is ${now} for this merchant, whose clock was moved`,
    );
  });
});

describe('the control API', () => {
  /** The detail of an example in the document of the control API. */
  function documented(response: string, example: string): unknown {
    const { responses, examples } = Object(controlContract.components);
    const found = Object.values(Object(responses[response].content))
      .map((content) => Object(content).examples[example])
      .at(0);
    return (found.$ref ? examples[String(found.$ref).split('/').at(-1) ?? ''] : found).value.detail;
  }

  const merchants = '/merchants';
  test.each<[string, string, string, string, object | string | undefined, Record<string, string>?]>([
    ['Unauthorized', 'unauthorized', 'POST', 'MERCHANT/clock', undefined, {}],
    ['MalformedJson', 'malformed', 'POST', 'MERCHANT/clock', '{"advanceSeconds":'],
    ['NoRestart', 'alone', 'POST', '/restart', undefined],
    ['UnknownMerchant', 'merchant', 'POST', '/merchants/M-1043/clock', { advanceSeconds: 1 }],
    ['UnknownKey', 'key', 'DELETE', 'MERCHANT/keys/no-such-key', undefined],
    ['UnknownOrder', 'merchant', 'POST', '/merchants/M-1043/orders/x/events', { type: 'failed' }],
    ['UnknownOrder', 'order', 'POST', 'MERCHANT/orders/shop-2026-000017/events', { type: 'cancelled' }],
    ['UnknownRefund', 'merchant', 'POST', '/merchants/M-1043/refunds/x/events', { type: 'failed' }],
    ['UnknownRefund', 'refund', 'POST', 'MERCHANT/refunds/shop-2026-000017-refund-1/events', { type: 'closed' }],
    ['UnknownDelivery', 'delivery', 'POST', 'MERCHANT/deliveries/dlv.3/replay', undefined],
    ['MerchantDoesNotFit', 'unknownField', 'POST', merchants, { checkoutEnable: true }],
    [
      'MerchantDoesNotFit',
      'unknownPair',
      'POST',
      merchants,
      { paymentMethods: [{ cryptoCurrency: 'USD1', network: 'tron', minAmount: 1, maxAmount: 2 }] },
    ],
    ['OrderEventDoesNotFit', 'zero', 'POST', 'ORDER/events', { type: 'transaction_detected', amount: '0' }],
    ['RefundEventDoesNotFit', 'unknownType', 'POST', 'REFUND/events', { type: 'paid' }],
    ['AdvanceDoesNotFit', 'backwards', 'POST', 'MERCHANT/clock', { advanceSeconds: -1 }],
    ['AdvanceDoesNotFit', 'tooFar', 'POST', 'MERCHANT/clock', { advanceSeconds: 253_402_300_799 }],
  ])('answers as its document shows: %s, %s', async (response, example, method, path, body, headers) => {
    const { merchantId } = credentials;
    const { orderId } = await paid(hosted);
    const { refundOrderId } = await refunds.create(orderId);
    const target = path
      .replace('ORDER', `MERCHANT/orders/${orderId}`)
      .replace('REFUND', `MERCHANT/refunds/${refundOrderId}`)
      .replace('MERCHANT', `/merchants/${merchantId}`);
    const answer = await control(server, method, target, body, headers);
    expect(problemOf(answer, answer.status).replaceAll(merchantId, 'M-1042')).toBe(documented(response, example));
  });
});

test('every constraint of a body has words, so that no message quotes a pattern', () => {
  const wordless = constraints.filter(
    (constraint) =>
      constraint.in === 'body' &&
      constraint.keyword !== 'x-decimal.number' &&
      inWords({ value: 'a', name: constraint.path.at(-1) ?? '', constraint, ofField: [constraint] }) === undefined,
  );
  expect(wordless.map(({ id }) => id)).toEqual([]);
});
