import { currencies, type NetworkCode, networks } from '../../generated/catalogue.ts';
import type { components } from '../../generated/sandbox-control.ts';
import type { ApiKey, Merchant, MerchantSettings } from '../domain/merchant.ts';
import { compareAmounts } from '../domain/money.ts';
import type { CryptoAmount, Order, OrderEvent, OrderMachine, OrderStatus, Payment } from '../domain/order.ts';
import { businessTime, catchUp, moveOrder, requiredConfirmations } from './order-moves.ts';
import type { Clock, Ids, Storage } from './ports.ts';
import { simulatedAddress, simulatedBlockNumber, simulatedTransactionHash } from './simulated-chain.ts';

export type MerchantInput = components['schemas']['MerchantSettings'];
export type OrderEventInput = components['schemas']['OrderEvent'];

/** Why a step is refused; each has its HTTP status in the control API. */
export type SandboxRefusalReason = 'not-found' | 'unprocessable' | 'conflict';

/** A step that is refused: nothing was changed. */
export class SandboxRefusal extends Error {
  readonly reason: SandboxRefusalReason;

  constructor(reason: SandboxRefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface SandboxParts {
  storage: Storage;
  clock: Clock;
  ids: Ids;
  machine: OrderMachine;
}

export type Sandbox = ReturnType<typeof sandbox>;

/** The last moment that ISO 8601 can write with four digits for the year. */
const endOfTime = Date.parse('9999-12-31T23:59:59.999Z');

const defaultBalance = '1000000';
const defaultRange = { minAmount: 1, maxAmount: 1_000_000 };

/** What the merchant contract has no operation for: making merchants, paying and cancelling orders, moving time. */
export function sandbox({ storage, clock, ids, machine }: SandboxParts) {
  /** Makes a merchant with its first key. */
  async function createMerchant(input: MerchantInput): Promise<ApiKey> {
    const createdAt = clock();
    const merchant: Merchant = { merchantId: ids.merchantId(), settings: settingsOf(input), clockOffset: 0, createdAt };
    const { merchantId } = merchant;
    const key: ApiKey = { apiKey: ids.apiKey(), apiSecret: ids.apiSecret(), merchantId, createdAt, endsAt: null };
    await storage.transaction(async (records) => {
      await records.insertMerchant(merchant);
      await records.insertApiKey(key);
    });
    return key;
  }

  /** Lets something happen to an order; answers with its status after that and what the payer owes. */
  async function orderEvent(
    merchantId: string,
    orderId: string,
    input: OrderEventInput,
  ): Promise<{ status: OrderStatus; due: CryptoAmount }> {
    // A refused event must not undo what time has done to the order, so the refusal is thrown after the transaction.
    const { before, after } = await storage.transaction(async (records) => {
      const merchant = await records.findMerchant(merchantId);
      const locked = merchant && (await records.lockOrder(merchantId, orderId));
      if (!merchant || !locked) throw new SandboxRefusal('not-found', `merchant ${merchantId} has no order ${orderId}`);
      const now = businessTime(merchant, clock());
      const order = await catchUp(records, machine, locked, now);
      const event = orderEventOf(input, order, merchant, now);
      return { before: order, after: await moveOrder(records, machine, order, event, now) };
    });
    if (!after) throw new SandboxRefusal('conflict', `${input.type} does not apply to an order in ${before.status}`);
    return { status: after.status, due: after.due };
  }

  /** Moves a merchant's business clock forward, and with it all that falls due. Answers with the new time in milliseconds. */
  async function advanceClock(merchantId: string, seconds: number): Promise<number> {
    return storage.transaction(async (records) => {
      const merchant = await records.lockMerchant(merchantId);
      if (!merchant) throw new SandboxRefusal('not-found', `there is no merchant ${merchantId}`);
      const moved = { ...merchant, clockOffset: merchant.clockOffset + seconds * 1000 };
      const real = clock();
      const now = businessTime(moved, real);
      if (now > endOfTime)
        throw new SandboxRefusal('unprocessable', 'advanceSeconds: the clock would pass the year 9999');
      await records.updateMerchant(moved);
      for (const order of await records.lockDueOrders(real, Number.MAX_SAFE_INTEGER, merchantId)) {
        await catchUp(records, machine, order, now);
      }
      return now;
    });
  }

  /** Rejects with a refusal when there is no such merchant. */
  async function expectMerchant(merchantId: string): Promise<void> {
    if (!(await storage.reads.findMerchant(merchantId))) {
      throw new SandboxRefusal('not-found', `there is no merchant ${merchantId}`);
    }
  }

  /** Rejects with a refusal when the merchant has no such order. */
  async function expectOrder(merchantId: string, orderId: string): Promise<void> {
    if (!(await storage.reads.findOrderById(merchantId, orderId))) {
      throw new SandboxRefusal('not-found', `merchant ${merchantId} has no order ${orderId}`);
    }
  }

  return { createMerchant, orderEvent, advanceClock, expectMerchant, expectOrder };
}

function settingsOf(input: MerchantInput): MerchantSettings {
  const pairs = currencies.flatMap(({ code, networks: codes }) => codes.map((network) => [code, network] as const));
  const paymentMethods =
    input.paymentMethods ?? pairs.map(([cryptoCurrency, network]) => ({ cryptoCurrency, network, ...defaultRange }));
  for (const { cryptoCurrency, network, minAmount, maxAmount } of paymentMethods) {
    if (!pairs.some(([code, on]) => code === cryptoCurrency && on === network)) {
      throw new SandboxRefusal('unprocessable', `paymentMethods: ${cryptoCurrency} cannot be paid on ${network}`);
    }
    if (minAmount > maxAmount) {
      throw new SandboxRefusal(
        'unprocessable',
        `paymentMethods: minAmount ${minAmount} is above maxAmount ${maxAmount}`,
      );
    }
  }
  return {
    checkoutEnabled: input.checkoutEnabled ?? true,
    balances: input.balances ?? Object.fromEntries(currencies.map(({ code }) => [code, defaultBalance])),
    paymentMethods,
    ...(input.defaultNotifyUrl === undefined ? {} : { defaultNotifyUrl: input.defaultNotifyUrl }),
    ...(input.rateLimit === undefined ? {} : { rateLimit: input.rateLimit }),
    usdRate: input.usdRate ?? '1',
    automatic: input.automatic ?? false,
  };
}

function orderEventOf(input: OrderEventInput, order: Order, merchant: Merchant, now: number): OrderEvent {
  switch (input.type) {
    case 'transaction_detected': {
      const payment = detectedPayment(input, order);
      const confirmsIn = requiredConfirmations(payment.network) * 1000;
      return { type: input.type, payment, confirmsAt: merchant.settings.automatic ? now + confirmsIn : null };
    }
    case 'payment_confirmed':
      return { type: input.type, confirmations: order.payment ? requiredConfirmations(order.payment.network) : 0 };
    default:
      return { type: input.type };
  }
}

function detectedPayment(input: Extract<OrderEventInput, { type: 'transaction_detected' }>, order: Order): Payment {
  const value = input.amount ?? order.due.value;
  if (compareAmounts(value, '0') <= 0) throw new SandboxRefusal('unprocessable', 'amount: must be above 0');
  const network: NetworkCode = networkOf(input.network ?? 'tron');
  const { orderId } = order;
  return {
    amount: { value, currency: order.due.currency },
    paymentMethod: input.paymentMethod ?? 'ON_CHAIN_TRANSFER',
    network,
    fromAddress: input.fromAddress ?? simulatedAddress(network, `payer of ${orderId}`),
    toAddress: simulatedAddress(network, `deposit of ${orderId}`),
    transactionHash: input.transactionHash ?? simulatedTransactionHash(network, orderId),
    blockNumber: simulatedBlockNumber(orderId),
    confirmations: 0,
  };
}

function networkOf(code: string): NetworkCode {
  const known = networks.find((network) => network.code === code);
  if (!known)
    throw new SandboxRefusal('unprocessable', `network: ${code} is none of ${networks.map((n) => n.code).join(', ')}`);
  return known.code;
}
