import { compareAmounts, subtractAmounts } from '../../domain/money.ts';
import { networkOf } from '../../domain/networks.ts';
import type { HostedOrder, Payment } from '../../domain/order.ts';
import { confirmationTime, depositAddress } from '../../services/simulated-chain.ts';
import type { PaymentDetail } from '../../views/order.ts';
import { type Exchange, exchanges, offeredMethods } from './method-rule.ts';
import { paymentUri } from './payment-uri.ts';
import { type PayWith, type Simulation, simulationOf } from './simulation.ts';
import { type Choice, stagePath } from './stages.ts';
import { plainText } from './text.ts';

/** The data from which an order's page is made. */
export interface PageFacts {
  order: HostedOrder;
  /** The merchant's business time, in milliseconds. */
  now: number;
  /** The path of the order's page, without a closing slash. */
  path: string;
  /** Whether payments can be simulated. If not, there is no panel and no exchange that could pay. */
  sandbox: boolean;
  /** The details of a payment that are shown, the same as in answers and webhooks. */
  detailOf: (payment: Payment) => PaymentDetail;
}

/**
 * Everything that a page shows. Amounts are texts of value and currency. Texts given by the merchant are made plain.
 */
export interface PageView {
  /** The path of this page, with the customer's choices so far. */
  path: string;
  /** The path of the order's page. */
  orderPath: string;
  sandbox: boolean;
  summary: Summary;
  content: Content;
  /** The address to which the merchant wants the customer to return; absent if it is not an http or https address. */
  returnTo?: ReturnLink;
  /** The content of the sandbox's panel; absent in production and once the order has ended. */
  simulation?: Simulation;
}

/** The part of the page that depends on the state of the order and the customer's choices. */
export type Content =
  | { kind: 'choose'; networks: NetworkOption[]; exchanges: ExchangeOption[]; expiry: Expiry }
  | Transfer
  | { kind: 'exchange'; exchange: Exchange; connected: boolean; signedIn: boolean; due: string; expiry: Expiry }
  | { kind: 'cancelled'; expiry: Expiry }
  | { kind: 'processing'; payment: PaymentFacts }
  | { kind: 'receipt'; payment: PaymentFacts; paidAt: number }
  | { kind: 'failed'; payment?: PaymentFacts }
  | { kind: 'closed'; expired: boolean };

/** The goods, the merchant and the price. */
export interface Summary {
  merchant: string;
  merchantOrderId: string;
  description?: string;
  items: { name: string; quantity: string; amount: string; description?: string }[];
  /** The number of items left out. */
  furtherItems: number;
  /** The amount that the merchant asks for. */
  price: string;
  /** The amount that the customer pays. */
  due: string;
  /** The price of one USD in USDT, if the price is converted. `final` once a payment has fixed the rate. */
  rate?: { usdRate: string; final: boolean };
}

export interface ReturnLink {
  href: string;
  /** The host of the address, in ASCII, so that no letter can pass for another. */
  host: string;
}

export interface NetworkOption {
  name: string;
  /** How long all confirmations together usually take, in milliseconds. */
  confirmationTime: number;
  path: string;
}

export interface ExchangeOption {
  name: string;
  /** False if the customer cannot pay from it. */
  connected: boolean;
  path: string;
}

/** The time at which the order closes, and the time left until then, in milliseconds. */
export interface Expiry {
  at: number;
  left: number;
}

/** How to pay on a network. */
export interface Transfer {
  kind: 'transfer';
  network: string;
  due: string;
  /** The amount without the currency, for copying. */
  amount: string;
  address: string;
  /** The payment URI for wallets; absent if the network has no standard for it. */
  paymentUri?: string;
  confirmations: number;
  /** How long these confirmations together usually take, in milliseconds. */
  confirmationTime: number;
  expiry: Expiry;
}

/** A payment that was detected. */
export interface PaymentFacts {
  /** The exchange that sent the payment; absent if the customer sent it from a wallet. */
  exchange?: string;
  network: string;
  paid: string;
  due: string;
  /** The amount missing, or the amount paid in excess. */
  missing?: string;
  excess?: string;
  transactionHash: string;
  fromAddress: string;
  toAddress: string;
  /** The position on the network; absent if an exchange gives only its own reference. */
  block?: { number: number; confirmations: number; requiredConfirmations: number };
}

/** Items beyond this number are counted but not listed. */
const mostItems = 20;

const longest = { id: 128, description: 512, itemName: 120, itemDescription: 200, itemAmount: 80 };

/**
 * The page of an order at a choice; `undefined` when that choice is not open, because the order's configuration does
 * not offer the method or the order no longer waits for a payment. The page of the order itself always exists.
 */
export function pageView(facts: PageFacts, choice: Choice): PageView | undefined {
  const { order, now, path: orderPath, sandbox } = facts;
  const content = contentOf(facts, choice);
  if (!content) return undefined;
  const returnTo = returnLink(order.request.returnUrl);
  const simulation = sandbox ? simulationOf(order, payWith(choice), now) : undefined;
  return {
    path: stagePath(choice, orderPath),
    orderPath,
    sandbox,
    summary: summaryOf(order),
    content,
    ...(returnTo && { returnTo }),
    ...(simulation && { simulation }),
  };
}

/** The method that the customer has chosen to pay with; `undefined` before the choice. */
function payWith(choice: Choice): PayWith | undefined {
  if (choice.at === 'network') return { network: choice.network };
  return choice.at === 'exchange' ? { paymentMethod: choice.exchange.code } : undefined;
}

function contentOf(facts: PageFacts, choice: Choice): Content | undefined {
  const { order, now } = facts;
  if (order.status === 'INIT') return waitingContent(facts, choice);
  if (choice.at !== 'start') return undefined;
  const payment = order.payment ? paymentFacts(facts, order.payment) : undefined;
  switch (order.status) {
    case 'PROCESSING':
      return payment && { kind: 'processing', payment };
    case 'SUCCEEDED':
      return payment && { kind: 'receipt', payment, paidAt: order.paidAt ?? now };
    case 'FAILED':
      return { kind: 'failed', ...(payment && { payment }) };
    case 'CLOSED':
      return { kind: 'closed', expired: now >= order.expiresAt };
  }
}

/** The stages of an order that waits for its payment. */
function waitingContent({ order, now, path, sandbox }: PageFacts, choice: Choice): Content | undefined {
  const offered = offeredMethods(order.request.paymentMethodConfig);
  const due = amountText(order.due);
  const expiry = { at: order.expiresAt, left: Math.max(0, order.expiresAt - now) };
  switch (choice.at) {
    case 'start':
      return {
        kind: 'choose',
        networks: offered.networks.map((network) => {
          const { displayName, estimatedConfirmationTimeSec } = networkOf(network);
          return {
            name: displayName,
            confirmationTime: estimatedConfirmationTimeSec * 1000,
            path: stagePath({ at: 'network', network }, path),
          };
        }),
        exchanges: offered.exchanges.map((exchange) => ({
          name: exchange.name,
          connected: sandbox,
          path: stagePath({ at: 'exchange', exchange, signedIn: false }, path),
        })),
        expiry,
      };
    case 'network': {
      const { network } = choice;
      if (!offered.networks.includes(network)) return undefined;
      const { displayName, confirmations, estimatedConfirmationTimeSec } = networkOf(network);
      const address = depositAddress(network, order.orderId);
      const uri = paymentUri(network, address, order.due.value);
      return {
        kind: 'transfer',
        network: displayName,
        due,
        amount: order.due.value,
        address,
        ...(uri !== undefined && { paymentUri: uri }),
        confirmations,
        confirmationTime: estimatedConfirmationTimeSec * 1000,
        expiry,
      };
    }
    case 'exchange': {
      const { exchange, signedIn } = choice;
      if (!offered.exchanges.includes(exchange)) return undefined;
      return { kind: 'exchange', exchange, connected: sandbox, signedIn, due, expiry };
    }
    case 'cancelled':
      return { kind: 'cancelled', expiry };
  }
}

function summaryOf({ merchantId, merchantOrderId, request, due, usdRate, payment }: HostedOrder): Summary {
  const { description, items = [], orderAmount } = request;
  return {
    merchant: plainText(merchantId, longest.id),
    merchantOrderId,
    ...(description && { description: plainText(description, longest.description) }),
    items: items.slice(0, mostItems).map((item) => ({
      name: plainText(item.name, longest.itemName),
      quantity: String(item.quantity),
      amount: plainText(amountText(item.amount), longest.itemAmount),
      ...(item.description && { description: plainText(item.description, longest.itemDescription) }),
    })),
    furtherItems: Math.max(0, items.length - mostItems),
    price: amountText(orderAmount),
    due: amountText(due),
    ...(usdRate !== undefined && { rate: { usdRate, final: payment !== null } }),
  };
}

/**
 * The link back to the merchant (requirement orders.checkout-page.return-url); `undefined` for an address that a
 * browser would run or handle itself, even if the contract accepted it.
 */
function returnLink(returnUrl: string): ReturnLink | undefined {
  if (!URL.canParse(returnUrl)) return undefined;
  const { protocol, href, host } = new URL(returnUrl);
  return protocol === 'https:' || protocol === 'http:' ? { href, host } : undefined;
}

function paymentFacts({ order, now, detailOf }: PageFacts, payment: Payment): PaymentFacts {
  const { amount, paymentMethod, network } = payment;
  const { due } = order;
  const { txHash, fromAddress, toAddress, blockNumber } = detailOf(payment);
  const compared = compareAmounts(amount.value, due.value);
  const difference = (more: string, less: string) =>
    amountText({ value: subtractAmounts(more, less), currency: due.currency });
  const exchange = exchanges.find(({ code }) => code === paymentMethod)?.name;
  return {
    ...(exchange !== undefined && { exchange }),
    network: networkOf(network).displayName,
    paid: amountText(amount),
    due: amountText(due),
    ...(compared < 0 && { missing: difference(due.value, amount.value) }),
    ...(compared > 0 && { excess: difference(amount.value, due.value) }),
    transactionHash: plainText(txHash, longest.id),
    fromAddress: plainText(fromAddress, longest.id),
    toAddress,
    ...(blockNumber > 0 && {
      block: {
        number: blockNumber,
        confirmations: confirmationsOf(order, payment, now),
        requiredConfirmations: networkOf(network).confirmations,
      },
    }),
  };
}

/** How many confirmations a payment has. On the simulated chain of an automatic merchant they arrive one by one. */
function confirmationsOf({ dueAt }: HostedOrder, { network, confirmations }: Payment, now: number): number {
  if (dueAt === null) return confirmations;
  const required = networkOf(network).confirmations;
  return Math.min(required, Math.max(0, required - Math.ceil((dueAt - now) / confirmationTime)));
}

function amountText({ value, currency }: { value: string; currency: string }): string {
  return `${value} ${currency}`;
}
