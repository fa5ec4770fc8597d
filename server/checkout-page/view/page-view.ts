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

/** An order as its page is made of it. */
export interface PageFacts {
  order: HostedOrder;
  /** The merchant's business time, in milliseconds. */
  now: number;
  /** Path of the order's page, without a closing slash. */
  path: string;
  /** Whether payments can be simulated; without it there is neither the panel nor an exchange that could pay. */
  sandbox: boolean;
  /** What of a payment is shown, the same as in answers and webhooks. */
  detailOf: (payment: Payment) => PaymentDetail;
}

/** Everything that a page shows. Amounts are texts of value and currency; merchant-given texts are made plain. */
export interface PageView {
  /** Path of this page, as the customer has chosen so far. */
  path: string;
  /** Path of the order's page. */
  orderPath: string;
  sandbox: boolean;
  summary: Summary;
  content: Content;
  /** Where the merchant wants the customer back; absent where that is no http or https address. */
  returnTo?: ReturnLink;
  /** What the sandbox's panel offers; absent in production and once the order has ended. */
  simulation?: Simulation;
}

/** The part of the page that depends on where the order and the customer are. */
export type Content =
  | { kind: 'choose'; networks: NetworkOption[]; exchanges: ExchangeOption[]; expiry: Expiry }
  | Transfer
  | { kind: 'exchange'; exchange: Exchange; connected: boolean; signedIn: boolean; due: string; expiry: Expiry }
  | { kind: 'cancelled'; expiry: Expiry }
  | { kind: 'processing'; payment: PaymentFacts }
  | { kind: 'receipt'; payment: PaymentFacts; paidAt: number }
  | { kind: 'failed'; payment?: PaymentFacts }
  | { kind: 'closed'; expired: boolean };

/** What is bought, from whom, for how much. */
export interface Summary {
  merchant: string;
  merchantOrderId: string;
  description?: string;
  items: { name: string; quantity: string; amount: string; description?: string }[];
  /** How many items are left out. */
  furtherItems: number;
  /** What the merchant asks for. */
  price: string;
  /** What the customer pays. */
  due: string;
  /** USDT for one USD, where the price is converted; `final` once a payment has fixed it. */
  rate?: { usdRate: string; final: boolean };
}

export interface ReturnLink {
  href: string;
  /** Its host, in ASCII, so that no letter can pass for another. */
  host: string;
}

export interface NetworkOption {
  name: string;
  /** How long confirmations usually take together, in milliseconds. */
  confirmationTime: number;
  path: string;
}

export interface ExchangeOption {
  name: string;
  /** False where nothing can be paid from it. */
  connected: boolean;
  path: string;
}

/** When the order closes, and how long that is from now; milliseconds. */
export interface Expiry {
  at: number;
  left: number;
}

/** How to pay on a network. */
export interface Transfer {
  kind: 'transfer';
  network: string;
  due: string;
  /** The amount alone, to be copied. */
  amount: string;
  address: string;
  /** For wallets; absent where the network has no standard for it. */
  paymentUri?: string;
  confirmations: number;
  /** How long these usually take together, in milliseconds. */
  confirmationTime: number;
  expiry: Expiry;
}

/** A payment that was seen. */
export interface PaymentFacts {
  /** The exchange that sent it; absent when the customer did, from a wallet. */
  exchange?: string;
  network: string;
  paid: string;
  due: string;
  /** What is missing, or was paid beyond what is due. */
  missing?: string;
  excess?: string;
  transactionHash: string;
  fromAddress: string;
  toAddress: string;
  /** Where on the network it is; absent where an exchange gives only a reference of its own. */
  block?: { number: number; confirmations: number; requiredConfirmations: number };
}

/** More items than these are only counted. */
const mostItems = 20;

const longest = { id: 128, description: 512, itemName: 120, itemDescription: 200, itemAmount: 80 };

/**
 * The page of an order at a choice; `undefined` when that choice is not open: its configuration does not offer the
 * method, or the order no longer waits for a payment. The page of the order itself is always there.
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

/** How the customer has chosen to pay; `undefined` before that. */
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
 * Where the customer goes back to (requirement orders.checkout-page.return-url); `undefined` for an address that a browser
 * would run or keep to itself, whatever the contract let through.
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

/** How many confirmations a payment has: on the simulated chain of an automatic merchant they come one by one. */
function confirmationsOf({ dueAt }: HostedOrder, { network, confirmations }: Payment, now: number): number {
  if (dueAt === null) return confirmations;
  const required = networkOf(network).confirmations;
  return Math.min(required, Math.max(0, required - Math.ceil((dueAt - now) / confirmationTime)));
}

function amountText({ value, currency }: { value: string; currency: string }): string {
  return `${value} ${currency}`;
}
