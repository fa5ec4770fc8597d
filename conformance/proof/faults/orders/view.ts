import type { OrdersState } from '../../../../generated/catalogue.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { changing, isHostedCreate, showing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { eightHoursAhead, inZoneEightHoursAhead } from '../../stand/order-changes.ts';

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
    id: 'network-in-turkish-capitals',
    title: 'Writes the network of a payment in the capitals of Turkish, in which an i keeps its dot.',
    breaks: 'orders.view.payment-detail',
    caughtBy: 'orders.query.declared.success',
    feeds: ['orders.situations.paid-on-chain'],
    make: showingIn(
      'SUCCEEDED',
      changing('cryptoPaymentDetail.network', (network) => String(network).replaceAll('I', 'İ')),
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
    id: 'expiry-rounded-without-carry',
    title: 'Rounds the fraction of expiresAt up to a thousand milliseconds, and writes their first three digits.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.echo.expires-at',
    feeds: ['orders.situations.created'],
    make: {
      merchantApi: showing(changing('expiresAt', (time) => String(time).replace(/\.999[5-9]?\d*Z$/, '.100Z'))),
    },
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

/** Wrong servers of the views of hosted orders. */
export const viewFaults: readonly Fault[] = [...unpaid, ...paid, ...echoes];
