import type { OrdersState } from '../../../../generated/catalogue.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { changing, isCheckout, isOf, onlyFor, showing, storing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { eightHoursAhead, inZoneEightHoursAhead } from '../../stand/order-changes.ts';

const isCreate = isOf('checkout.create');

/** A server that shows checkout orders, in one state or in all of them, as `change` makes them. */
const showingOrders = (change: (view: JsonObject) => JsonObject, state?: OrdersState): Make => ({
  merchantApi: onlyFor(
    (request) => isCheckout(request) && !isOf('checkout.payment-methods')(request),
    showing((view) => (state === undefined || view.status === state ? change(view) : view)),
  ),
});

/** A server that shows checkout orders as `change` makes them, in answers to queries only. */
const showingQueried = (change: (view: JsonObject) => JsonObject): Make => ({
  merchantApi: onlyFor(isOf('checkout.query'), showing(change)),
});

const anotherCoin = (currency: unknown) => (currency === 'USDT' ? 'USDC' : 'USDT');

const detail = {
  network: 'tron',
  cryptoCurrency: 'USDT',
  transactionHash: '0xabc',
  fromAddress: 'TPayer',
  toAddress: 'TDeposit',
  amount: '9.50',
  confirmations: 1,
  requiredConfirmations: 19,
};

const unpaid: readonly Fault[] = [
  {
    id: 'checkout-status-in-small-letters',
    title: 'Writes the states of checkout orders in small letters.',
    breaks: 'checkout.states.values',
    caughtBy: 'checkout.view.init',
    make: showingOrders(changing('status', (status) => String(status).toLowerCase())),
  },
  {
    id: 'checkout-query-without-address',
    title: 'Shows the deposit address in the answer to the create only.',
    breaks: 'checkout.view.fields',
    caughtBy: 'checkout.view.init',
    make: showingQueried(({ depositAddress: _left, ...view }) => view),
  },
  {
    id: 'checkout-query-without-payment-amount',
    title: 'Shows what is to be paid in the answer to the create only.',
    breaks: 'checkout.view.fields',
    caughtBy: 'checkout.view.init',
    make: showingQueried(({ cryptoPaymentAmount: _left, ...view }) => view),
  },
  {
    id: 'checkout-without-network-name',
    title: "Leaves the network's display name out of checkout orders.",
    breaks: 'checkout.view.fields',
    caughtBy: 'checkout.view.init',
    make: showingOrders(({ networkDisplayName: _left, ...view }) => view),
  },
  {
    id: 'checkout-times-without-zone',
    title: 'Writes the times of checkout orders without a zone.',
    breaks: 'checkout.view.times',
    caughtBy: 'checkout.view.init',
    make: showingOrders(changing('createdAt', (time) => String(time).replace('Z', ''))),
  },
  {
    id: 'checkout-times-in-local-zone',
    title: 'Writes the times of checkout orders in a zone eight hours ahead of UTC.',
    breaks: 'checkout.view.times',
    caughtBy: 'checkout.view.init',
    make: showingOrders(changing('expiresAt', inZoneEightHoursAhead)),
  },
  {
    id: 'checkout-local-time-written-as-utc',
    title: 'Writes the time of a zone eight hours ahead as if it were UTC.',
    breaks: 'checkout.view.times',
    caughtBy: 'checkout.view.times',
    make: showingOrders(changing('createdAt', eightHoursAhead)),
  },
  {
    id: 'checkout-times-as-numbers',
    title: 'Writes the times of checkout orders as milliseconds.',
    breaks: 'checkout.view.times',
    caughtBy: 'checkout.view.init',
    make: showingOrders(changing('createdAt', (time) => Date.parse(String(time)))),
  },
  {
    id: 'checkout-amounts-as-numbers',
    title: 'Writes the amounts of checkout orders as JSON numbers, like the bounds of payment methods.',
    breaks: 'checkout.view.amounts',
    caughtBy: 'checkout.view.init',
    make: showingOrders(changing('orderAmount.value', Number)),
  },
  {
    id: 'checkout-amounts-with-exponent',
    title: 'Writes the amounts of checkout orders with an exponent.',
    breaks: 'checkout.view.amounts',
    caughtBy: 'checkout.view.init',
    make: showingOrders(changing('cryptoPaymentAmount.value', (value) => Number(value).toExponential())),
  },
  {
    id: 'checkout-amount-without-currency',
    title: 'Shows what is to be paid without its currency.',
    breaks: 'checkout.view.amounts',
    caughtBy: 'checkout.view.init',
    make: showingOrders(changing('cryptoPaymentAmount', (amount) => ({ value: Object(amount).value }))),
  },
  {
    id: 'checkout-amount-in-usd',
    title: 'Shows checkout orders as priced in USD.',
    breaks: 'checkout.currencies',
    caughtBy: 'checkout.view.init',
    make: showingOrders(changing('orderAmount.currency', () => 'USD')),
  },
  {
    id: 'checkout-nothing-paid-yet',
    title: 'Shows a checkout order that waits for its payment as paid with zero.',
    breaks: 'checkout.view.unpaid',
    caughtBy: 'checkout.view.init',
    make: showingOrders((view) => ({ ...view, cryptoPaidAmount: { value: '0', currency: 'USDT' } }), 'INIT'),
  },
  {
    id: 'checkout-paid-at-when-detected',
    title: 'Shows paidAt of a checkout order as soon as a transaction is seen.',
    breaks: 'checkout.view.unpaid',
    caughtBy: 'checkout.view.processing',
    make: showingOrders((view) => ({ ...view, paidAt: view.createdAt }), 'PROCESSING'),
  },
  {
    id: 'checkout-payment-detail-when-detected',
    title: 'Shows the transaction of a checkout order while it is being confirmed.',
    breaks: 'checkout.view.unpaid',
    caughtBy: 'checkout.view.processing',
    make: showingOrders((view) => ({ ...view, cryptoPaymentDetail: detail }), 'PROCESSING'),
  },
  {
    id: 'checkout-too-little-shown-as-paid',
    title: 'Shows what was paid too little as cryptoPaidAmount of the failed checkout order.',
    breaks: 'checkout.view.unpaid',
    caughtBy: 'checkout.view.failed',
    make: showingOrders((view) => ({ ...view, cryptoPaidAmount: { value: '0.01', currency: 'USDT' } }), 'FAILED'),
  },
  {
    id: 'checkout-closed-has-payment',
    title: 'Shows an empty payment in a closed checkout order.',
    breaks: 'checkout.view.unpaid',
    caughtBy: 'checkout.view.closed',
    make: showingOrders((view) => ({ ...view, cryptoPaymentDetail: {} }), 'CLOSED'),
  },
];

/** A server that shows the payment of checkout orders as `change` makes it. */
const showingPayment = (change: (payment: JsonObject) => JsonObject): Make =>
  showingOrders(
    changing('cryptoPaymentDetail', (payment) => (isObject(payment) ? change(payment) : payment)),
    'SUCCEEDED',
  );

const shapes: readonly Fault[] = [
  ...(['paidAt', 'cryptoPaidAmount', 'cryptoPaymentDetail'] as const).flatMap((name): Fault[] => [
    {
      id: `checkout-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-stays-null`,
      title: `Leaves ${name} null in a paid checkout order.`,
      breaks: 'checkout.view.paid-fields',
      caughtBy: 'checkout.view.succeeded',
      make: showingOrders((view) => (isObject(view) ? { ...view, [name]: null } : view), 'SUCCEEDED'),
    },
  ]),
  {
    id: 'checkout-create-view-for-queries',
    title: 'Answers a query with the same fields as a create, whatever was paid.',
    breaks: 'checkout.view.paid-fields',
    caughtBy: 'checkout.view.succeeded',
    make: showingQueried(({ cryptoPaidAmount: _amount, cryptoPaymentDetail: _detail, paidAt: _at, ...view }) => view),
  },
  {
    id: 'checkout-hash-as-in-hosted-orders',
    title: 'Names the transaction of a checkout order txHash, as hosted orders do.',
    breaks: 'checkout.view.payment-detail',
    caughtBy: 'checkout.view.succeeded',
    make: showingPayment(({ transactionHash: txHash, ...payment }) => ({ ...payment, txHash })),
  },
  {
    id: 'checkout-hash-empty',
    title: 'Leaves the transaction of a checkout order empty.',
    breaks: 'checkout.view.payment-detail',
    caughtBy: 'checkout.view.succeeded',
    make: showingPayment((payment) => ({ ...payment, transactionHash: '' })),
  },
  {
    id: 'checkout-required-confirmations-missing',
    title: 'Does not say how many confirmations a payment needs.',
    breaks: 'checkout.view.payment-detail',
    caughtBy: 'checkout.view.succeeded',
    make: showingPayment(({ requiredConfirmations: _left, ...payment }) => payment),
  },
  {
    id: 'checkout-payer-unknown',
    title: 'Does not say which address has paid.',
    breaks: 'checkout.view.payment-detail',
    caughtBy: 'checkout.view.succeeded',
    make: showingPayment((payment) => ({ ...payment, fromAddress: null })),
  },
  {
    id: 'checkout-confirmations-as-text',
    title: 'Writes the confirmations of a checkout payment as text of both numbers.',
    breaks: 'checkout.view.payment-detail',
    caughtBy: 'checkout.view.succeeded',
    make: showingPayment((payment) => ({
      ...payment,
      confirmations: `${payment.confirmations}/${payment.requiredConfirmations}`,
    })),
  },
  {
    id: 'checkout-payment-amount-as-number',
    title: 'Writes the amount of a checkout payment as a JSON number.',
    breaks: 'checkout.view.payment-detail',
    caughtBy: 'checkout.view.succeeded',
    make: showingPayment((payment) => ({ ...payment, amount: Number(payment.amount) })),
  },
  {
    id: 'checkout-payment-amount-with-currency',
    title: 'Writes the amount of a checkout payment as an object with its currency.',
    breaks: 'checkout.view.payment-detail',
    caughtBy: 'checkout.view.succeeded',
    make: showingPayment((payment) => ({
      ...payment,
      amount: { value: payment.amount, currency: payment.cryptoCurrency },
    })),
  },
  {
    id: 'checkout-paid-at-in-seconds',
    title: 'Writes paidAt of a checkout order as seconds since 1970.',
    breaks: 'checkout.view.times',
    caughtBy: 'checkout.view.succeeded',
    make: showingOrders(
      changing('paidAt', (time) => String(Math.floor(Date.parse(String(time)) / 1000))),
      'SUCCEEDED',
    ),
  },
];

const payments: readonly Fault[] = [
  {
    id: 'checkout-price-shown-as-paid',
    title: 'Shows what was to be paid of a checkout order as what was paid.',
    breaks: 'checkout.view.paid-amount',
    caughtBy: 'checkout.query.money.paid-amount',
    feeds: ['checkout.situations.paid'],
    make: showingOrders((view) => ({ ...view, cryptoPaidAmount: view.cryptoPaymentAmount }), 'SUCCEEDED'),
  },
  {
    id: 'checkout-paid-amount-to-the-cent',
    title: 'Rounds what was paid of a checkout order to two decimal places.',
    breaks: 'checkout.view.paid-amount',
    caughtBy: 'checkout.query.money.paid-amount',
    feeds: ['checkout.state.payment.more-by-last-decimal'],
    make: showingOrders(
      changing('cryptoPaidAmount.value', (value) => Number(value).toFixed(2)),
      'SUCCEEDED',
    ),
  },
  {
    id: 'checkout-paid-amount-as-double',
    title: 'Keeps what was paid of a checkout order in binary floating point.',
    breaks: 'checkout.view.paid-amount',
    caughtBy: 'checkout.query.money.paid-amount',
    feeds: ['checkout.state.payment.more-by-last-decimal'],
    make: showingOrders(
      changing('cryptoPaidAmount.value', (value) => String(Number(value))),
      'SUCCEEDED',
    ),
  },
  {
    id: 'checkout-paid-amount-in-another-coin',
    title: 'Shows what was paid of a checkout order in another coin than it was.',
    breaks: 'checkout.view.paid-amount',
    caughtBy: 'checkout.query.money.paid-currency',
    feeds: ['checkout.situations.paid'],
    make: showingOrders(changing('cryptoPaidAmount.currency', anotherCoin), 'SUCCEEDED'),
  },
  {
    id: 'checkout-price-overwritten-by-payment',
    title: 'Shows what was paid as the price of a checkout order.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.query.echo.amount',
    feeds: ['checkout.situations.paid'],
    make: showingOrders((view) => ({ ...view, orderAmount: view.cryptoPaidAmount }), 'SUCCEEDED'),
  },
  {
    id: 'checkout-confirmations-below-required',
    title: 'Shows a checkout order as paid whose transaction has no confirmations.',
    breaks: 'checkout.view.payment-detail',
    caughtBy: 'checkout.view.payment-detail',
    make: showingPayment((payment) => ({ ...payment, confirmations: 0 })),
  },
  {
    id: 'checkout-detail-of-another-network',
    title: 'Names Ethereum as the network of every payment.',
    breaks: 'checkout.view.payment-detail',
    caughtBy: 'checkout.view.payment-detail',
    make: showingPayment((payment) => ({ ...payment, network: payment.network === 'eth' ? 'bsc' : 'eth' })),
  },
  {
    id: 'checkout-detail-of-another-coin',
    title: 'Names another coin in the payment than was paid.',
    breaks: 'checkout.view.payment-detail',
    caughtBy: 'checkout.view.payment-detail',
    make: showingPayment((payment) => ({ ...payment, cryptoCurrency: anotherCoin(payment.cryptoCurrency) })),
  },
  {
    id: 'checkout-detail-shows-what-is-due',
    title: 'Shows what was to be paid as the amount of the transaction.',
    breaks: 'checkout.view.payment-detail',
    caughtBy: 'checkout.view.payment-detail',
    make: showingOrders((view) => {
      const { value } = Object(view.cryptoPaymentAmount);
      return { ...view, cryptoPaymentDetail: { ...Object(view.cryptoPaymentDetail), amount: value } };
    }, 'SUCCEEDED'),
  },
  {
    id: 'checkout-paid-at-is-now',
    title: 'Shows the present time as paidAt each time a paid checkout order is asked for.',
    breaks: 'checkout.states.final',
    caughtBy: 'checkout.view.stable-when-paid',
    make: showingOrders(
      (view) => ({ ...view, paidAt: new Date(Date.now() + Math.random() * 1000).toISOString() }),
      'SUCCEEDED',
    ),
  },
];

const echoes: readonly Fault[] = [
  {
    id: 'checkout-expiry-of-its-own',
    title: 'Gives every checkout order fifteen minutes, whatever expiresAt says.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.query.echo.expires-at',
    feeds: ['checkout.situations.created'],
    make: showingOrders((view) => ({
      ...view,
      expiresAt: new Date(Date.parse(String(view.createdAt)) + 900_000).toISOString(),
    })),
  },
  {
    id: 'checkout-merchant-under-other-name',
    title: 'Shows another merchantId in checkout orders than the path has.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.query.echo.merchant-id',
    feeds: ['checkout.situations.created'],
    make: showingOrders(changing('merchantId', (id) => `internal-${id}`)),
  },
  {
    id: 'checkout-network-in-capitals',
    title: 'Shows the network of a checkout order in capital letters.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.query.echo.network',
    feeds: ['checkout.situations.created'],
    make: showingOrders(changing('network', (network) => String(network).toUpperCase())),
  },
  {
    id: 'checkout-network-by-display-name',
    title: 'Shows the network of a checkout order by its name for people.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.create.echo.network',
    feeds: ['checkout.situations.created'],
    make: showingOrders((view) => ({ ...view, network: view.networkDisplayName })),
  },
  {
    id: 'checkout-amount-in-cents',
    title: 'Shows the price of a checkout order in hundredths.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.query.echo.amount',
    feeds: ['checkout.situations.created'],
    make: showingOrders(changing('orderAmount.value', (value) => String(Math.round(Number(value) * 100)))),
  },
  {
    id: 'checkout-price-with-fees',
    title: 'Adds its fees to orderAmount too.',
    breaks: 'checkout.view.echo',
    caughtBy: 'checkout.create.echo.amount',
    feeds: ['checkout.situations.created'],
    make: showingOrders(changing('orderAmount.value', (value) => (Number(value) + 0.3).toFixed(2))),
  },
  {
    id: 'payment-amount-without-cents',
    title: 'Asks for whole coins only.',
    breaks: 'checkout.view.payment-amount',
    caughtBy: 'checkout.view.payment-amount',
    make: showingOrders(changing('cryptoPaymentAmount.value', (value) => String(Math.floor(Number(value))))),
  },
  {
    id: 'fees-taken-off-what-is-paid',
    title: 'Takes its fees off what is to be paid.',
    breaks: 'checkout.view.payment-amount',
    caughtBy: 'checkout.view.payment-amount',
    make: showingOrders(changing('cryptoPaymentAmount.value', (value) => (Number(value) * 0.99).toFixed(4))),
  },
  {
    id: 'payment-amount-in-another-coin',
    title: 'Asks for another coin than the one that the order is in.',
    breaks: 'checkout.view.payment-amount',
    caughtBy: 'checkout.view.payment-amount',
    make: showingOrders(changing('cryptoPaymentAmount.currency', anotherCoin)),
  },
  {
    id: 'payment-amount-estimated-anew',
    title: 'Reckons what is to be paid anew each time an order is shown.',
    breaks: 'checkout.view.payment-amount',
    caughtBy: 'checkout.view.payment-amount',
    make: {
      merchantApi: onlyFor(
        isCreate,
        showing(changing('cryptoPaymentAmount.value', (value) => (Number(value) + 0.25).toFixed(2))),
      ),
    },
  },
  {
    id: 'deposit-address-shown-but-not-kept',
    title: 'Answers the create with a deposit address that the query does not know.',
    breaks: 'checkout.query.by-merchant-order-id',
    caughtBy: 'checkout.query.by-merchant-order-id',
    make: {
      parts: storing((records) => ({
        insertOrder: (order) =>
          records.insertOrder(
            order.product === 'checkout' ? { ...order, depositAddress: `${order.depositAddress}x` } : order,
          ),
      })),
    },
  },
];

/** Wrong servers of what checkout orders look like. */
export const checkoutViewFaults: readonly Fault[] = [...unpaid, ...shapes, ...payments, ...echoes];
