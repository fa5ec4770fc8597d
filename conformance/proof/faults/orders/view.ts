import type { OrdersState } from '../../../../generated/catalogue.ts';
import { errorCode } from '../../../contract/error-codes.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import {
  answering,
  answeringJson,
  bodyOf,
  changing,
  isHostedCreate,
  isHostedQuery,
  isRightlySigned,
  jsonAnswer,
  notFindingPlatformIds,
  queriedId,
  refusing,
  refusingWithStatus,
  showing,
} from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import {
  acceptingImpossibleIds,
  answeringUnknownOrder,
  eightHoursAhead,
  emptySuccess,
  inZoneEightHoursAhead,
  servingTheKeysMerchant,
  sharedOrders,
  showingTheFirstView,
  showingTheNewest,
  tellingOfOthers,
} from '../../stand/order-changes.ts';
import type { Handler } from '../../stand/proxy.ts';

/** A server that shows orders in one state as `change` makes them. */
const showingIn = (state: OrdersState, change: (view: JsonObject) => JsonObject): Make => ({
  merchantApi: showing((view) => (view.status === state ? change(view) : view)),
});

const payment = {
  txHash: '0xabc',
  network: 'TRON',
  fromAddress: 'TPayer',
  toAddress: 'TDeposit',
  confirmations: 1,
  blockNumber: 60_000_000,
};

const unpaid: readonly Fault[] = [
  {
    id: 'paid-fields-left-out',
    title: 'Leaves out the fields of a payment as long as there is none.',
    breaks: 'orders.view.fields',
    caughtBy: 'orders.view.init',
    make: showingIn(
      'INIT',
      ({ paidAt: _at, cryptoPaidAmount: _amount, cryptoPaymentDetail: _detail, ...view }) => view,
    ),
  },
  {
    id: 'status-in-small-letters',
    title: 'Writes states in small letters.',
    breaks: 'orders.states.values',
    caughtBy: 'orders.view.init',
    make: { merchantApi: showing(changing('status', (status) => String(status).toLowerCase())) },
  },
  {
    id: 'standard-code-fixed',
    title: 'Writes SUCCESS as standardResponseCode beside code 00000.',
    breaks: 'orders.view.standard-response',
    caughtBy: 'orders.view.init',
    make: { merchantApi: showing((view) => ({ ...view, standardResponseCode: 'SUCCESS' })) },
  },
  {
    id: 'standard-message-missing',
    title: 'Leaves out standardResponseMessage in successes.',
    breaks: 'orders.view.fields',
    caughtBy: 'orders.view.init',
    make: { merchantApi: showing(({ standardResponseMessage: _left, ...view }) => view) },
  },
  {
    id: 'times-without-zone',
    title: 'Writes times without a zone.',
    breaks: 'orders.view.times',
    caughtBy: 'orders.view.init',
    make: { merchantApi: showing(changing('createdAt', (time) => String(time).replace('Z', ''))) },
  },
  {
    id: 'times-in-local-zone',
    title: 'Writes times in a zone eight hours ahead of UTC.',
    breaks: 'orders.view.times',
    caughtBy: 'orders.view.init',
    make: {
      merchantApi: showing(changing('expiresAt', inZoneEightHoursAhead)),
    },
  },
  {
    id: 'local-time-written-as-utc',
    title: 'Writes the time of a zone eight hours ahead as if it were UTC.',
    breaks: 'orders.view.moments',
    caughtBy: 'orders.create.times.created-at',
    feeds: ['orders.situations.created'],
    make: { merchantApi: showing(changing('createdAt', eightHoursAhead)) },
  },
  {
    id: 'times-as-numbers',
    title: 'Writes times as milliseconds.',
    breaks: 'orders.view.times',
    caughtBy: 'orders.view.init',
    make: { merchantApi: showing(changing('createdAt', (time) => Date.parse(String(time)))) },
  },
  {
    id: 'amounts-as-numbers',
    title: 'Writes amounts as JSON numbers.',
    breaks: 'orders.view.amounts',
    caughtBy: 'orders.view.init',
    make: { merchantApi: showing(changing('orderAmount.value', Number)) },
  },
  {
    id: 'amounts-with-exponent',
    title: 'Writes amounts with an exponent.',
    breaks: 'orders.view.amounts',
    caughtBy: 'orders.view.init',
    make: { merchantApi: showing(changing('orderAmount.value', (value) => Number(value).toExponential())) },
  },
  {
    id: 'amount-without-currency',
    title: 'Shows what an order costs without the currency.',
    breaks: 'orders.view.amounts',
    caughtBy: 'orders.view.init',
    make: { merchantApi: showing(changing('orderAmount', (amount) => ({ ...Object(amount), currency: undefined }))) },
  },
  {
    id: 'paid-at-when-detected',
    title: 'Shows paidAt as soon as a transaction is seen.',
    breaks: 'orders.view.unpaid-nulls',
    caughtBy: 'orders.view.processing',
    make: showingIn('PROCESSING', (view) => ({ ...view, paidAt: view.createdAt })),
  },
  {
    id: 'payment-detail-when-detected',
    title: 'Shows the transaction while it is being confirmed.',
    breaks: 'orders.view.unpaid-nulls',
    caughtBy: 'orders.view.processing',
    make: showingIn('PROCESSING', (view) => ({ ...view, cryptoPaymentDetail: payment })),
  },
  {
    id: 'too-little-shown-as-paid',
    title: 'Shows what was paid too little as cryptoPaidAmount of the failed order.',
    breaks: 'orders.view.unpaid-nulls',
    caughtBy: 'orders.view.failed',
    make: showingIn('FAILED', (view) => ({ ...view, cryptoPaidAmount: { value: '0.5', currency: 'USDT' } })),
  },
  {
    id: 'zero-paid-when-closed',
    title: 'Shows a closed order as paid with zero.',
    breaks: 'orders.view.unpaid-nulls',
    caughtBy: 'orders.view.closed',
    make: showingIn('CLOSED', (view) => ({ ...view, cryptoPaidAmount: { value: '0', currency: 'USDT' } })),
  },
  {
    id: 'closed-written-cancelled',
    title: 'Shows a cancelled order as CANCELLED, in every way that shows it.',
    breaks: 'orders.states.cancelled',
    caughtBy: 'orders.state.init.cancelled',
    make: showingIn('CLOSED', (view) => ({ ...view, status: 'CANCELLED' })),
  },
];

const paid: readonly Fault[] = [
  {
    id: 'paid-at-stays-null',
    title: 'Leaves paidAt null in a paid order.',
    breaks: 'orders.view.paid-fields',
    caughtBy: 'orders.view.succeeded',
    make: showingIn('SUCCEEDED', (view) => ({ ...view, paidAt: null })),
  },
  {
    id: 'payment-detail-stays-null',
    title: 'Never shows the transaction that paid.',
    breaks: 'orders.view.paid-fields',
    caughtBy: 'orders.view.succeeded',
    make: showingIn('SUCCEEDED', (view) => ({ ...view, cryptoPaymentDetail: null })),
  },
  {
    id: 'paid-amount-stays-null',
    title: 'Never shows what was paid.',
    breaks: 'orders.view.paid-fields',
    caughtBy: 'orders.view.succeeded',
    make: showingIn('SUCCEEDED', (view) => ({ ...view, cryptoPaidAmount: null })),
  },
  {
    id: 'hash-under-other-name',
    title: 'Names the transaction transactionHash, as checkout orders do.',
    breaks: 'orders.view.payment-detail',
    caughtBy: 'orders.view.succeeded',
    make: showingIn(
      'SUCCEEDED',
      changing('cryptoPaymentDetail', (detail) => {
        const { txHash: transactionHash, ...rest } = Object(detail);
        return { ...rest, transactionHash };
      }),
    ),
  },
  {
    id: 'network-in-small-letters',
    title: 'Writes the network of a payment in small letters, as checkout orders do.',
    breaks: 'orders.view.payment-detail',
    caughtBy: 'orders.view.succeeded',
    make: showingIn(
      'SUCCEEDED',
      changing('cryptoPaymentDetail.network', (network) => String(network).toLowerCase()),
    ),
  },
  {
    id: 'confirmations-as-text',
    title: 'Writes the number of confirmations as text.',
    breaks: 'orders.view.payment-detail',
    caughtBy: 'orders.view.succeeded',
    make: showingIn('SUCCEEDED', changing('cryptoPaymentDetail.confirmations', String)),
  },
  {
    id: 'paid-at-in-seconds',
    title: 'Writes paidAt as seconds since 1970, as text.',
    breaks: 'orders.view.times',
    caughtBy: 'orders.view.succeeded',
    make: showingIn(
      'SUCCEEDED',
      changing('paidAt', (time) => String(Math.floor(Date.parse(String(time)) / 1000))),
    ),
  },
  {
    id: 'price-shown-as-paid',
    title: 'Shows the price as what was paid.',
    breaks: 'orders.view.crypto-paid-amount',
    caughtBy: 'orders.query.money.paid-amount',
    feeds: ['orders.situations.paid-amounts'],
    make: showingIn('SUCCEEDED', (view) => ({
      ...view,
      cryptoPaidAmount: { ...Object(view.orderAmount), currency: 'USDT' },
    })),
  },
  {
    id: 'paid-amount-to-the-cent',
    title: 'Rounds what was paid to two decimal places.',
    breaks: 'orders.view.crypto-paid-amount',
    caughtBy: 'orders.query.money.paid-amount',
    feeds: ['orders.situations.paid-amounts'],
    make: showingIn(
      'SUCCEEDED',
      changing('cryptoPaidAmount.value', (value) => Number(value).toFixed(2)),
    ),
  },
  {
    id: 'paid-amount-in-usd',
    title: "Shows what was paid in the currency of the order's price, USD too.",
    breaks: 'orders.view.crypto-paid-amount',
    caughtBy: 'orders.query.money.paid-currency',
    feeds: ['orders.situations.paid-amounts'],
    make: showingIn('SUCCEEDED', (view) => {
      const { currency } = Object(view.orderAmount);
      return { ...view, cryptoPaidAmount: { ...Object(view.cryptoPaidAmount), currency } };
    }),
  },
  {
    id: 'price-overwritten-by-payment',
    title: 'Shows what was paid as the price of the order.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.query.echo.amount',
    feeds: ['orders.situations.paid-amounts'],
    make: showingIn('SUCCEEDED', (view) => ({ ...view, orderAmount: view.cryptoPaidAmount })),
  },
  {
    id: 'paid-at-is-now',
    title: 'Shows the present time as paidAt each time a paid order is asked for.',
    breaks: 'orders.states.final',
    caughtBy: 'orders.view.stable-when-paid',
    make: showingIn('SUCCEEDED', (view) => ({
      ...view,
      paidAt: new Date(Date.now() + Math.random() * 1000).toISOString(),
    })),
  },
];

const echoes: readonly Fault[] = [
  {
    id: 'expiry-of-its-own',
    title: 'Gives every order fifteen minutes, whatever expiresAt says.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.query.echo.expires-at',
    feeds: ['orders.situations.created'],
    make: {
      merchantApi: showing((view) => {
        const createdAt = Date.parse(String(view.createdAt));
        return Number.isNaN(createdAt) ? view : { ...view, expiresAt: new Date(createdAt + 900_000).toISOString() };
      }),
    },
  },
  {
    id: 'expiry-cut-to-minutes',
    title: 'Keeps expiresAt to the minute.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.echo.expires-at',
    feeds: ['orders.situations.created'],
    make: { merchantApi: showing(changing('expiresAt', (time) => `${String(time).slice(0, 11)}00:00:00.000Z`)) },
  },
  {
    id: 'amount-in-cents',
    title: 'Shows amounts in hundredths.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.query.echo.amount',
    feeds: ['orders.situations.created'],
    make: { merchantApi: showing(changing('orderAmount.value', (value) => String(Math.round(Number(value) * 100)))) },
  },
  {
    id: 'merchant-under-other-name',
    title: 'Shows another merchantId than the path has.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.query.echo.merchant-id',
    feeds: ['orders.situations.created'],
    make: { merchantApi: showing(changing('merchantId', (id) => `internal-${id}`)) },
  },
  {
    id: 'other-id-in-query',
    title: 'Answers the create with an orderId that the query does not know.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.merchant-order-id.distinct',
    make: {
      merchantApi: showing((view, request) =>
        isHostedCreate(request) ? { ...view, orderId: `draft-${view.orderId}` } : view,
      ),
    },
  },
  {
    id: 'checkout-url-without-id',
    title: 'Sends every customer to the same checkout page.',
    breaks: 'orders.view.checkout-url',
    caughtBy: 'orders.view.checkout-url',
    make: { merchantApi: showing((view) => ({ ...view, checkoutUrl: 'https://checkout.example/start' })) },
  },
  {
    id: 'checkout-url-with-broken-encoding',
    title: 'Ends checkoutUrl with a percent sign, which encodes nothing.',
    breaks: 'orders.view.checkout-url',
    caughtBy: 'orders.view.checkout-url',
    make: { merchantApi: showing((view) => ({ ...view, checkoutUrl: `${view.checkoutUrl}%` })) },
  },
  {
    id: 'checkout-url-with-merchant-order-id',
    title: "Ends checkoutUrl with the merchant's own id.",
    breaks: 'orders.view.checkout-url',
    caughtBy: 'orders.view.checkout-url',
    make: {
      merchantApi: showing((view) => ({ ...view, checkoutUrl: `https://checkout.example/${view.merchantOrderId}` })),
    },
  },
];

const queries: readonly Fault[] = [
  {
    id: 'views-never-refreshed',
    title: 'Shows an order as it was when it was made, whatever has become of it.',
    breaks: 'orders.states.detected',
    caughtBy: 'orders.state.init.transaction-detected',
    make: { merchantApi: showingTheFirstView() },
  },
  {
    id: 'newest-order-shown',
    title: "Answers each query with the merchant's newest order.",
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.query.by-merchant-order-id',
    make: { merchantApi: showingTheNewest() },
  },
  {
    id: 'order-id-changes',
    title: 'Shows another orderId each time an order is asked for.',
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.query.by-merchant-order-id',
    make: {
      merchantApi: showing((view) => ({ ...view, orderId: `${view.orderId}-${Math.random().toString(36).slice(2)}` })),
    },
  },
  {
    id: 'platform-id-not-found',
    title: 'Finds orders by merchantOrderId only.',
    breaks: 'orders.query.by-order-id',
    caughtBy: 'orders.query.by-order-id',
    make: { merchantApi: notFindingPlatformIds },
  },
  {
    id: 'unknown-order-success',
    title: 'Answers a query for an order that does not exist with success and no data.',
    breaks: 'orders.errors.unknown-order',
    caughtBy: 'orders.query.unknown',
    make: { merchantApi: answeringJson((envelope) => (envelope.code === '40001' ? emptySuccess : envelope)) },
  },
  {
    id: 'unknown-order-code-404',
    title: 'Answers a query for an order that does not exist with code 404.',
    breaks: 'orders.errors.unknown-order',
    caughtBy: 'orders.query.unknown',
    make: answeringUnknownOrder(isHostedQuery, (envelope) => ({ ...envelope, code: '404' })),
  },
  {
    id: 'unknown-order-invalid-parameter',
    title: 'Answers a query for an order that does not exist as one with a wrong parameter.',
    breaks: 'orders.errors.unknown-order',
    caughtBy: 'orders.query.unknown',
    make: answeringUnknownOrder(isHostedQuery, (envelope) => ({ ...envelope, code: '10001' })),
  },
  {
    id: 'unknown-longest-id-invalid-parameter',
    title:
      'Answers a query for an order that does not exist as one with a wrong parameter, where the id is as long as it may be.',
    breaks: 'orders.errors.unknown-order',
    caughtBy: 'orders.query.unknown',
    make: answeringUnknownOrder(
      (request) => isHostedQuery(request) && queriedId(request)?.length === 64,
      (envelope) => ({ ...envelope, code: errorCode('orders', 'INVALID_PARAMETER') }),
    ),
  },
  {
    id: 'impossible-id-success',
    title: 'Answers a query for an id of the wrong form with success and no data.',
    breaks: 'orders.query.malformed-id',
    caughtBy: 'orders.query.impossible-id',
    make: acceptingImpossibleIds(/^[A-Za-z0-9_.-]{16,64}$/),
  },
  {
    id: 'orders-shared-by-merchants',
    title: 'Shows an order to every merchant that knows its id.',
    breaks: 'orders.query.other-merchant',
    caughtBy: 'orders.query.other-merchant',
    make: sharedOrders(),
  },
  {
    id: 'refusal-tells-of-others',
    title: 'Tells a merchant the platform id of the order of another that it asked for.',
    breaks: 'orders.query.other-merchant',
    caughtBy: 'orders.query.other-merchant',
    make: { merchantApi: tellingOfOthers() },
  },
  {
    id: 'path-merchant-ignored',
    title: 'Serves the merchant of the key, whoever stands in the path.',
    breaks: 'orders.errors.unknown-merchant',
    caughtBy: 'orders.errors.unknown-merchant',
    make: {
      merchantApi: servingTheKeysMerchant,
    },
  },
];

const withData = (envelope: JsonObject, change: (data: JsonObject) => JsonObject): JsonObject =>
  isObject(envelope.data) ? { ...envelope, data: change(envelope.data) } : envelope;

/** A server that answers a create whose body is malformed JSON with `answer` instead of an envelope. */
const onMalformedJson =
  (answer: ReturnType<typeof jsonAnswer>): Handler =>
  async (request, server) => {
    if (!isHostedCreate(request) || !isRightlySigned(request, server)) return server.forward(request);
    return /^\s*\{/.test(request.body.toString('utf8')) && bodyOf(request) === undefined
      ? answer
      : server.forward(request);
  };

const refusals: readonly Fault[] = [
  {
    id: 'unknown-order-http-404',
    title: 'Answers a query for an order that does not exist with HTTP 404.',
    breaks: 'orders.http-200',
    caughtBy: 'orders.errors.http-200',
    make: { merchantApi: refusingWithStatus((code) => (code === '40001' ? 404 : undefined)) },
  },
  {
    id: 'invalid-parameter-http-400',
    title: 'Answers a wrong parameter with HTTP 400.',
    breaks: 'orders.http-200',
    caughtBy: 'orders.errors.http-200',
    make: { merchantApi: refusingWithStatus((code) => (code === '10001' ? 400 : undefined)) },
  },
  {
    id: 'malformed-json-http-400',
    title: 'Answers a body that is no JSON with HTTP 400.',
    breaks: 'orders.http-200',
    caughtBy: 'orders.errors.http-200',
    make: { merchantApi: onMalformedJson(jsonAnswer({ code: '10001', message: 'malformed JSON', data: null }, 400)) },
  },
  {
    id: 'malformed-json-html',
    title: 'Answers a body that is no JSON with an HTML page.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: {
      merchantApi: onMalformedJson({
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: Buffer.from('<html><body>Bad Request</body></html>'),
      }),
    },
  },
  {
    id: 'refusal-without-data',
    title: 'Leaves data null in refusals, as checkout operations do.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing((envelope) => ({ ...envelope, data: null })) },
  },
  {
    id: 'refusal-without-message',
    title: 'Leaves out the message of a refusal.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing(({ message: _left, ...envelope }) => envelope) },
  },
  {
    id: 'refusal-without-status',
    title: 'Leaves out the status in refusals.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing((envelope) => withData(envelope, ({ status: _left, ...data }) => data)) },
  },
  {
    id: 'refusal-status-rejected',
    title: 'Writes the status of a refusal as REJECTED.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing((envelope) => withData(envelope, (data) => ({ ...data, status: 'REJECTED' }))) },
  },
  {
    id: 'refusal-with-order-id',
    title: 'Gives refused orders an orderId.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing((envelope) => withData(envelope, (data) => ({ ...data, orderId: '' }))) },
  },
  {
    id: 'refusal-of-nobody',
    title: 'Leaves the merchantId of a refusal empty.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing((envelope) => withData(envelope, (data) => ({ ...data, merchantId: '' }))) },
  },
  {
    id: 'refusal-code-not-mirrored',
    title: 'Writes the same standardResponseCode in all refusals.',
    breaks: 'orders.view.standard-response',
    caughtBy: 'orders.errors.envelope',
    make: {
      merchantApi: refusing((envelope) => withData(envelope, (data) => ({ ...data, standardResponseCode: '99999' }))),
    },
  },
  {
    id: 'refusal-code-number',
    title: 'Writes the codes of refusals as numbers.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.envelope',
    make: { merchantApi: refusing((envelope) => ({ ...envelope, code: Number(envelope.code) })) },
  },
  {
    id: 'refusal-code-success',
    title: 'Says 00000 to a list where a body is due, and makes nothing.',
    breaks: 'orders.errors.refused',
    caughtBy: 'orders.errors.envelope',
    make: {
      merchantApi: async (request, server) => {
        const answer = await server.forward(request);
        return request.body.toString('utf8').startsWith('[') && isRightlySigned(request, server)
          ? jsonAnswer(emptySuccess)
          : answer;
      },
    },
  },
  {
    id: 'answers-as-text',
    title: 'Says that its JSON is plain text.',
    breaks: 'general.json',
    caughtBy: 'orders.errors.content-type',
    make: {
      merchantApi: answering((answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } })),
    },
  },
  {
    id: 'refusals-without-content-type',
    title: 'Names no content type in refusals.',
    breaks: 'general.json',
    caughtBy: 'orders.errors.content-type',
    make: {
      merchantApi: answering((answer) => {
        const { 'content-type': _left, ...headers } = answer.headers;
        return bodyOf(answer)?.code === successCode ? answer : { ...answer, headers };
      }),
    },
  },
  {
    id: 'refusal-forgets-the-id',
    title: 'Leaves merchantOrderId null in every refusal.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.request-id-echoed',
    make: { merchantApi: refusing((envelope) => withData(envelope, (data) => ({ ...data, merchantOrderId: null }))) },
  },
  {
    id: 'refused-create-forgets-the-id',
    title: 'Leaves merchantOrderId null in refused creates.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'orders.errors.request-id-echoed',
    make: {
      merchantApi: refusing((envelope, request) =>
        isHostedQuery(request) ? envelope : withData(envelope, (data) => ({ ...data, merchantOrderId: null })),
      ),
    },
  },
  {
    id: 'invalid-parameter-other-code',
    title: 'Answers a wrong parameter with a code of its own.',
    breaks: 'orders.errors.invalid-parameter',
    caughtBy: 'orders.errors.invalid-parameter',
    make: {
      merchantApi: refusing((envelope) => (envelope.code === '10001' ? { ...envelope, code: '40000' } : envelope)),
    },
  },
  {
    id: 'wrong-address-other-code',
    title: 'Answers a wrong callbackUrl with a code of its own.',
    breaks: 'orders.errors.invalid-parameter',
    caughtBy: 'orders.errors.invalid-parameter',
    make: {
      merchantApi: refusing((envelope) =>
        String(envelope.message).includes('callbackUrl') ? { ...envelope, code: '40000' } : envelope,
      ),
    },
  },
  {
    id: 'invalid-parameter-unnamed',
    title: 'Does not say which parameter is wrong.',
    breaks: 'orders.errors.invalid-parameter',
    caughtBy: 'orders.errors.invalid-parameter',
    make: { merchantApi: refusing((envelope) => ({ ...envelope, message: 'invalid request' })) },
  },
];

/** Wrong servers of the views and queries of hosted orders. */
export const viewFaults: readonly Fault[] = [...unpaid, ...paid, ...echoes, ...queries, ...refusals];
