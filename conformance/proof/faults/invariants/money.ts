import { networks, type RequirementId } from '../../../../generated/catalogue.ts';
import type { Order } from '../../../../server/domain/order.ts';
import type { Refund } from '../../../../server/domain/refund.ts';
import { subtractDecimals } from '../../../contract/decimals.ts';
import { isObject, type JsonObject, setAt, valueAt } from '../../../contract/json.ts';
import {
  bodyOf,
  changing,
  firstOf,
  isHostedQuery,
  isOf,
  onlyFor,
  readingBodies,
  recordOfEvent,
  showing,
} from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import {
  acceptingRefunds,
  isRefundBatch,
  isRefundCreate,
  isRefundQuery,
  refundingAgain,
  showingRefunds,
  storingRefunds,
} from '../../stand/refund-changes.ts';

type Change = (view: JsonObject) => JsonObject;

/** A server that shows paid hosted orders as `change` makes them. */
const hosted = (change: Change): Make => ({
  merchantApi: onlyFor(
    isHostedQuery,
    showing((view) => (view.status === 'SUCCEEDED' ? change(view) : view)),
  ),
});

/** A server that changes the views in its answers to one operation of checkout orders. */
const checkout = (operation: 'checkout.create' | 'checkout.query', change: Change): Make => ({
  merchantApi: onlyFor(isOf(operation), showing(change)),
});

/** Shows the value of one field in another field. */
const instead = (path: string, from: (view: JsonObject) => unknown) => (view: JsonObject) => {
  const changed = setAt(view, path.split('.'), from(view));
  return isObject(view.cryptoPaymentDetail) && isObject(changed) ? changed : view;
};

/** The same change, of payments over Solana alone. */
const onSolana =
  (change: Change): Change =>
  (view) =>
    String(valueAt(view, ['cryptoPaymentDetail', 'network'])).toLowerCase() === 'solana' ? change(view) : view;

const lastOf = (value: unknown) => String(value).replace(/.$/, (last) => (last === '0' ? '1' : '0'));
const other = (currency: unknown) => (currency === 'USDT' ? 'USDC' : 'USDT');
const codeOf = (name: unknown) => networks.find(({ hostedName }) => hostedName === name)?.code;
const valueIn = (amount: unknown) => (isObject(amount) ? amount.value : undefined);

/** A server that remembers what it showed in a field of the first payment by a transaction, and shows it of each payment by that. */
function remembering(operation: 'orders.query' | 'checkout.query', name: string): Make {
  const firsts = new Map<unknown, unknown>();
  const remembered: Change = (view) => {
    const { txHash, transactionHash = txHash } = Object(view[detail]);
    if (transactionHash === undefined) return view;
    const first = firsts.get(transactionHash) ?? view[name];
    firsts.set(transactionHash, first);
    return { ...view, [name]: first };
  };
  return { merchantApi: onlyFor(isOf(operation), showing(remembered)) };
}

const fault = (
  id: string,
  title: string,
  breaks: RequirementId,
  caughtBy: string,
  make: Make,
  ...feeds: readonly string[]
): Fault => ({ id, title, breaks, caughtBy, make, ...(feeds.length > 0 && { feeds }) });

const detail = 'cryptoPaymentDetail';

/** A server that shows the price in USDT of an order that was paid by an exchange as what was paid. */
function showingPriceOfExchanges(): Make {
  const exchanged = new Set<unknown>();
  return {
    ...hosted((view) => {
      const isPriced = isObject(view.orderAmount) && view.orderAmount.currency === 'USDT';
      return exchanged.has(view.orderId) && isPriced ? { ...view, cryptoPaidAmount: view.orderAmount } : view;
    }),
    control: (request, server) => {
      const order = recordOfEvent('orders', request);
      if (order && String(bodyOf(request)?.paymentMethod).startsWith('EXCHANGE')) exchanged.add(order);
      return server.forward(request);
    },
  };
}

/** A server that takes prices in USD from so many on for prices in USDT. */
function atNoRateFrom(least: number): Make {
  const given = new Map<unknown, JsonObject>();
  return {
    merchantApi: firstOf(
      showing((view) => ({ ...view, orderAmount: given.get(view.merchantOrderId) ?? view.orderAmount })),
      readingBodies('orders.create', (body) => {
        const { orderAmount, merchantOrderId } = body;
        if (!isObject(orderAmount) || orderAmount.currency !== 'USD' || Number(orderAmount.value) < least) return body;
        given.set(merchantOrderId, orderAmount);
        return { ...body, orderAmount: { ...orderAmount, currency: 'USDT' } };
      }),
    ),
  };
}

/** A server that shows what was paid for an order of a large price in USD with the digits that a double has. */
const convertingByDoubles = (): Make =>
  hosted((view) => {
    const { orderAmount, cryptoPaidAmount: paid } = view;
    const isLarge = isObject(orderAmount) && orderAmount.currency === 'USD' && Number(orderAmount.value) >= 1e8;
    if (!isLarge || !isObject(paid)) return view;
    return { ...view, cryptoPaidAmount: { ...paid, value: String(Number(paid.value)) } };
  });

/** The amount as a number is printed that has grown too large for plain digits. */
const withExponent = (value: unknown) => (Number(value) >= 1e16 ? Number(value).toExponential() : value);

const ofHosted: readonly Fault[] = [
  fault(
    'paid-amounts-remembered-by-transaction',
    'Shows of each hosted order that a transaction has paid how much was paid for the first.',
    'orders.view.crypto-paid-amount',
    'orders.query.money.paid-amount',
    remembering('orders.query', 'cryptoPaidAmount'),
    'orders.situations.paid-on-chain',
  ),
  fault(
    'large-prices-with-exponent',
    'Shows prices of 10 million billions and more with an exponent.',
    'orders.view.amounts',
    'orders.create.money.form',
    { merchantApi: showing(changing('orderAmount.value', withExponent)) },
    'orders.create.amount.limits',
  ),
  fault(
    'price-as-paid-amount',
    'Shows the price of a hosted order as what was paid, whatever came.',
    'orders.view.crypto-paid-amount',
    'orders.query.money.paid-amount',
    hosted((view) => ({ ...view, cryptoPaidAmount: view.orderAmount })),
    'orders.view.crypto-paid-amount',
  ),
  fault(
    'paid-amount-to-five-places',
    'Rounds what was paid for a hosted order to five decimal places.',
    'orders.view.crypto-paid-amount',
    'orders.query.money.paid-amount',
    hosted(changing('cryptoPaidAmount.value', (value) => Number(value).toFixed(5))),
    'orders.view.crypto-paid-amount',
  ),
  fault(
    'paid-in-the-currency-of-the-price',
    'Shows what was paid for a hosted order in the currency of its price.',
    'orders.view.crypto-paid-amount',
    'orders.query.money.paid-currency',
    hosted((view) => ({
      ...view,
      cryptoPaidAmount: { ...Object(view.cryptoPaidAmount), currency: Object(view.orderAmount).currency },
    })),
    'orders.situations.converted',
  ),
  fault(
    'hosted-network-by-its-code',
    'Names the network of a hosted payment by its code in upper case.',
    'orders.view.payment-detail',
    'orders.query.money.payment-network',
    hosted(changing(`${detail}.network`, (name) => codeOf(name)?.toUpperCase() ?? name)),
    'orders.situations.paid-on-chain',
  ),
  fault(
    'hosted-network-of-solana-in-small-letters',
    'Names the network of a hosted payment over Solana in small letters.',
    'orders.view.payment-detail',
    'orders.query.declared.success',
    hosted(changing(`${detail}.network`, (name) => (name === 'SOLANA' ? 'solana' : name))),
    'orders.situations.paid-on-chain',
  ),
  fault(
    'exchange-payment-shows-what-was-due',
    'Shows the price of a hosted order as what an exchange paid for it.',
    'orders.view.crypto-paid-amount',
    'orders.query.money.paid-amount',
    showingPriceOfExchanges(),
    'orders.situations.paid-by-exchange',
  ),
  fault(
    'rate-left-out-from-100-usd',
    'Leaves the rate out of account for prices of 100 USD and more.',
    'orders.view.crypto-paid-amount',
    'orders.query.money.converted-amount',
    atNoRateFrom(100),
    'orders.situations.converted',
  ),
  fault(
    'large-prices-converted-by-doubles',
    'Converts prices in USD from 100,000,000 on with the digits that a double has.',
    'orders.view.crypto-paid-amount',
    'orders.query.money.converted-amount',
    convertingByDoubles(),
    'orders.situations.converted',
  ),
  fault(
    'hosted-network-always-tron',
    'Names TRON as the network of every hosted payment.',
    'orders.view.payment-detail',
    'orders.query.money.payment-network',
    hosted(changing(`${detail}.network`, () => 'TRON')),
    'orders.situations.paid-on-chain',
  ),
  fault(
    'hosted-payer-is-the-receiver',
    'Shows the receiving address of a hosted payment as the one that paid.',
    'orders.view.payment-detail',
    'orders.query.money.payer',
    hosted(instead(`${detail}.fromAddress`, (view) => Object(view[detail]).toAddress)),
    'orders.situations.paid-on-chain',
  ),
  fault(
    'hosted-hash-cut-off',
    'Shows the first 32 characters of the hash of a hosted payment.',
    'orders.view.payment-detail',
    'orders.query.money.transaction',
    hosted(changing(`${detail}.txHash`, (hash) => String(hash).slice(0, 32))),
    'orders.situations.paid-on-chain',
  ),
  fault(
    'hosted-payer-on-solana-is-the-receiver',
    'Shows the receiving address of a hosted payment over Solana as the one that paid.',
    'orders.view.payment-detail',
    'orders.query.money.payer',
    hosted(onSolana(instead(`${detail}.fromAddress`, (view) => Object(view[detail]).toAddress))),
    'orders.situations.paid-on-chain',
  ),
  fault(
    'hosted-hash-on-solana-in-small-letters',
    'Shows the hash of a hosted payment over Solana in small letters.',
    'orders.view.payment-detail',
    'orders.query.money.transaction',
    hosted(onSolana(changing(`${detail}.txHash`, (hash) => String(hash).toLowerCase()))),
    'orders.situations.paid-on-chain',
  ),
];

const due = ['checkout.create', 'checkout.query'] as const;

const ofDue: readonly Fault[] = due.flatMap((operation) => {
  const name = operation.replace('.', '-');
  const breaks = 'checkout.view.payment-amount';
  return [
    fault(
      `${name}-asks-for-whole-coins`,
      `Asks in the answers of ${operation} for whole coins, rounded down.`,
      breaks,
      `${operation}.money.payment-amount`,
      checkout(
        operation,
        changing('cryptoPaymentAmount.value', (value) => String(Math.floor(Number(value)))),
      ),
      'checkout.view.payment-amount',
    ),
    fault(
      `${name}-asks-with-a-margin`,
      `Asks in the answers of ${operation} for a little more than is due, to be safe.`,
      breaks,
      `${operation}.money.amount-due`,
      checkout(
        operation,
        changing('cryptoPaymentAmount.value', (value) => (Number(value) * 1.01).toFixed(6)),
      ),
      'checkout.situations.paid',
    ),
    fault(
      `${name}-asks-for-another-coin`,
      `Asks in the answers of ${operation} for another coin than the price is in.`,
      breaks,
      `${operation}.money.payment-currency`,
      checkout(operation, changing('cryptoPaymentAmount.currency', other)),
      'checkout.view.payment-amount',
    ),
  ];
});

/** A checkout fault with the given rule and change. The situations show it unless `feeds` names checks. */
const paidCheckout = (id: string, title: string, rule: string, change: Change, ...feeds: readonly string[]): Fault =>
  fault(
    id,
    title,
    rule.startsWith('paid-') ? 'checkout.view.paid-amount' : 'checkout.view.payment-detail',
    `checkout.query.money.${rule}`,
    checkout('checkout.query', change),
    ...feeds,
  );

const paid = 'checkout.situations.paid';

const ofCheckout: readonly Fault[] = [
  fault(
    'small-amounts-due-with-exponent',
    'Shows amounts due of checkout orders with an exponent where they begin with six zeros.',
    'checkout.view.amounts',
    'checkout.create.money.form',
    {
      merchantApi: onlyFor(
        isOf('checkout.create'),
        showing(
          changing('cryptoPaymentAmount.value', (value) =>
            Number(value) < 0.000001 ? Number(value).toExponential() : value,
          ),
        ),
      ),
    },
    'checkout.create.amount.own-bounds',
  ),
  fault(
    'checkout-payments-remembered-by-transaction',
    'Shows of each checkout order that a transaction has paid the payment of the first.',
    'checkout.view.payment-detail',
    'checkout.query.money.receiver',
    remembering('checkout.query', detail),
    'checkout.situations.paid',
  ),
  paidCheckout(
    'checkout-price-as-paid-amount',
    'Shows the price of a checkout order as what was paid.',
    'paid-amount',
    instead('cryptoPaidAmount', (view) => view.orderAmount),
    paid,
  ),
  paidCheckout(
    'checkout-paid-currency-fixed',
    'Shows what was paid for any checkout order in one of two coins only.',
    'paid-currency',
    changing('cryptoPaidAmount.currency', other),
    paid,
  ),
  paidCheckout(
    'checkout-sent-amount-is-the-due-one',
    'Shows what was due as the amount that was sent.',
    'sent-amount',
    instead(`${detail}.amount`, (view) => valueIn(view.cryptoPaymentAmount)),
    paid,
  ),
  paidCheckout(
    'checkout-sent-currency-fixed',
    'Shows another coin as the one that was sent.',
    'sent-currency',
    changing(`${detail}.cryptoCurrency`, other),
    paid,
  ),
  paidCheckout(
    'checkout-payment-network-as-hosted',
    'Names the network of a checkout payment as hosted orders do.',
    'payment-network',
    changing(`${detail}.network`, (code) => networks.find((each) => each.code === code)?.hostedName ?? code),
    paid,
  ),
  paidCheckout(
    'checkout-payer-is-the-receiver',
    'Shows the receiving address of a checkout payment as the one that paid.',
    'payer',
    instead(`${detail}.fromAddress`, (view) => Object(view[detail]).toAddress),
    paid,
  ),
  paidCheckout(
    'checkout-receiver-is-the-payer',
    'Shows the paying address of a checkout payment as the one that received it.',
    'receiver',
    instead(`${detail}.toAddress`, (view) => Object(view[detail]).fromAddress),
    paid,
  ),
  paidCheckout(
    'checkout-hash-of-its-own',
    'Shows a reference of its own as the hash of a checkout payment.',
    'transaction',
    changing(`${detail}.transactionHash`, lastOf),
    paid,
  ),
  paidCheckout(
    'checkout-payer-on-solana-is-the-receiver',
    'Shows the receiving address of a checkout payment over Solana as the one that paid.',
    'payer',
    onSolana(instead(`${detail}.fromAddress`, (view) => Object(view[detail]).toAddress)),
    paid,
  ),
  paidCheckout(
    'checkout-hash-on-solana-in-small-letters',
    'Shows the hash of a checkout payment over Solana in small letters.',
    'transaction',
    onSolana(changing(`${detail}.transactionHash`, (hash) => String(hash).toLowerCase())),
    paid,
  ),
];

const refundOperations = [
  ['create', isRefundCreate, 'refunds.record.amount'],
  ['query', isRefundQuery, 'refunds.query.by-merchant-refund-order-id'],
  ['batch-query', isRefundBatch, 'refunds.batch-query.known'],
] as const;

const ofRefunds: readonly Fault[] = refundOperations.flatMap(([name, applies, feed]) => [
  fault(
    `refund-${name}-shows-less`,
    `Shows in the answers of refunds.${name} the refund less a fee of 1 %.`,
    'refunds.record.amount',
    `refunds.${name}.money.refund-amount`,
    {
      merchantApi: showingRefunds(
        changing('refundAmount', (value) => (Number(value) * 0.99).toFixed(6)),
        applies,
      ),
    },
    feed,
  ),
  fault(
    `refund-${name}-shows-usd`,
    `Shows in the answers of refunds.${name} every refund in USD.`,
    'refunds.record.amount',
    `refunds.${name}.money.refund-currency`,
    { merchantApi: showingRefunds((record) => ({ ...record, refundCurrency: 'USD' }), applies) },
    feed,
  ),
]);

const lessAFee = (refund: Refund): Refund => ({
  ...refund,
  amount: { ...refund.amount, value: subtractDecimals(refund.amount.value, '0.01') },
});

/** A server that refunds payments of some orders in another way. */
const refunding = (change: (refund: Refund, order: Order, further: boolean) => Refund): Make =>
  storingRefunds(async (refund, records) => {
    const order = await records.lockOrder(refund.merchantId, refund.acquiringOrderId);
    const earlier = await records.listRefundsOfOrder(refund.merchantId, refund.acquiringOrderId);
    return order ? change(refund, order, earlier.length > 0) : refund;
  });

const ofKindsOfPayments: readonly Fault[] = [
  fault(
    'overpaid-usd-refunded-as-due',
    'Refunds of an overpaid order in USD what was due.',
    'refunds.record.amount',
    'refunds.batch-query.money.refund-amount',
    refunding((refund, { due, request }) =>
      request.orderAmount.currency === 'USD' ? { ...refund, amount: due } : refund,
    ),
    'refunds.situations.of-every-payment',
  ),
  fault(
    'further-refund-always-on-chain',
    'Says of the second refund of an order that it was paid on chain, whatever paid it.',
    'refunds.record.payment-method',
    'refunds.batch-query.money.payment-method',
    refunding((refund, _, further) => (further ? { ...refund, paymentMethod: 'ON_CHAIN_TRANSFER' } : refund)),
    'refunds.situations.of-every-payment',
  ),
  fault(
    'further-refund-always-in-usdt',
    'Gives back in USDT with the second refund of an order, whatever stablecoin it was paid in.',
    'refunds.record.amount',
    'refunds.batch-query.money.refund-currency',
    refunding((refund, _, further) =>
      further ? { ...refund, amount: { ...refund.amount, currency: 'USDT' } } : refund,
    ),
    'refunds.situations.of-checkout-orders',
  ),
  fault(
    'hosted-payment-over-bsc-refunded-less-a-fee',
    'Refunds of a payment over BNB Smart Chain less than was paid.',
    'refunds.record.amount',
    'refunds.batch-query.money.refund-amount',
    refunding((refund, { payment }) => (payment?.network === 'bsc' ? lessAFee(refund) : refund)),
    'refunds.situations.of-every-payment',
  ),
  fault(
    'checkout-payment-over-tron-refunded-less-a-fee',
    'Refunds of a checkout payment over Tron less than was paid.',
    'refunds.record.amount',
    'refunds.batch-query.money.refund-amount',
    refunding((refund, { product, payment }) =>
      product === 'checkout' && payment?.network === 'tron' ? lessAFee(refund) : refund,
    ),
    'refunds.situations.of-checkout-orders',
  ),
];

const ofBalances: readonly Fault[] = [
  fault(
    'refund-beyond-the-balance',
    'Accepts refunds that the balance does not cover.',
    'refunds.create.reserves-funds',
    'refunds.create.money.balance',
    { merchantApi: acceptingRefunds(({ code }) => code === 'INSUFFICIENT_BALANCE') },
    'refunds.errors.insufficient-balance',
  ),
  fault(
    'same-payment-refunded-from-the-balance-again',
    'Refunds a payment as often as it is asked to, and counts none of it.',
    'refunds.create.reserves-funds',
    'refunds.create.money.balance',
    {
      parts: refundingAgain,
      merchantApi: acceptingRefunds(({ code }) => code === 'INSUFFICIENT_BALANCE'),
    },
    'refunds.balance.too-little',
  ),
];

/** Wrong servers of amounts, payments and balances. */
export const moneyFaults: readonly Fault[] = [
  ...ofHosted,
  ...ofDue,
  ...ofCheckout,
  ...ofRefunds,
  ...ofKindsOfPayments,
  ...ofBalances,
];
