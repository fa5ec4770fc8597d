import { type NetworkCode, networks, refundFailureCodes } from '../../../generated/catalogue.ts';
import type { components } from '../../../generated/sandbox-control.ts';
import type { Delivery } from '../../domain/delivery.ts';
import { businessTime } from '../../domain/merchant.ts';
import { networkOf } from '../../domain/networks.ts';
import {
  atRate,
  type CryptoAmount,
  type Order,
  type OrderEvent,
  type OrderStatus,
  type Payment,
} from '../../domain/order.ts';
import type { RefundEvent, RefundStatus } from '../../domain/refund.ts';
import { endOfTime } from '../../domain/times.ts';
import { replay } from '../delivery/deliver.ts';
import { type Moves, refundProcessing } from '../orders/moves.ts';
import type { Clock, Ids, Storage } from '../ports.ts';
import {
  confirmationTime,
  depositAddress,
  simulatedAddress,
  simulatedBlockNumber,
  simulatedTransactionHash,
} from '../simulated-chain.ts';
import { merchantService } from './merchants.ts';
import { SandboxRefusal, unknownMerchant } from './sandbox-refusal.ts';

export type OrderEventInput = components['schemas']['OrderEvent'];
export type RefundEventInput = components['schemas']['RefundEvent'];

export interface SandboxParts {
  storage: Storage;
  clock: Clock;
  ids: Ids;
  moves: Moves;
  /** Starts the webhooks that are due; resolves once they are on their way. */
  startDeliveries: () => Promise<unknown>;
}

export type Sandbox = ReturnType<typeof sandbox>;

/** The work of the control API: it makes merchants, pays and cancels orders, and moves refunds and time. */
export function sandbox({ storage, clock, ids, moves, startDeliveries }: SandboxParts) {
  /** Applies an event to an order; resolves with the order's status after it and the amount that the payer owes. */
  async function orderEvent(
    merchantId: string,
    orderId: string,
    input: OrderEventInput,
  ): Promise<{ status: OrderStatus; due: CryptoAmount }> {
    // A refused event must not undo what time has done to the order, so the refusal is thrown after the transaction.
    const { before, after } = await storage.transaction(async (records) => {
      const merchant = (await records.findMerchant(merchantId)) ?? unknownMerchant(merchantId);
      const locked = (await records.lockOrder(merchantId, orderId)) ?? unknown('order', merchantId, orderId);
      const now = businessTime(merchant, clock());
      const order = atRate(await moves.catchUpOrder(records, locked, now), merchant.settings.usdRate);
      const event = orderEventOf(input, order, moves.isAutomatic(merchant), now);
      return { before: order, after: await moves.moveOrder(records, order, event, now) };
    });
    if (!after) throw new SandboxRefusal('conflict', `${input.type} is no move from ${before.status}`);
    return { status: after.status, due: after.due };
  }

  /** Applies an event to a refund; resolves with the refund's status after it. */
  async function refundEvent(
    merchantId: string,
    refundOrderId: string,
    input: RefundEventInput,
  ): Promise<{ status: RefundStatus }> {
    const { before, after } = await storage.transaction(async (records) => {
      const merchant = (await records.lockMerchant(merchantId)) ?? unknownMerchant(merchantId);
      const locked =
        (await records.lockRefund(merchantId, refundOrderId)) ?? unknown('refund', merchantId, refundOrderId);
      const now = businessTime(merchant, clock());
      const refund = await moves.catchUpRefund(records, merchant, locked, now);
      const current = (await records.findMerchant(merchantId)) ?? merchant;
      const event = refundEventOf(input, moves.isAutomatic(merchant), now);
      return { before: refund, after: await moves.moveRefund(records, current, refund, event, now) };
    });
    if (!after) throw new SandboxRefusal('conflict', `${input.type} is no move from ${before.status}`);
    return { status: after.status };
  }

  /** Moves a merchant's business clock forward and does all that falls due. Resolves with the new time in milliseconds. */
  async function advanceClock(merchantId: string, seconds: number): Promise<number> {
    const after = await storage.transaction(async (records) => {
      const merchant = (await records.lockMerchant(merchantId)) ?? unknownMerchant(merchantId);
      const moved = { ...merchant, clockOffset: merchant.clockOffset + seconds * 1000 };
      const real = clock();
      const now = businessTime(moved, real);
      if (now > endOfTime)
        throw new SandboxRefusal('unprocessable', 'advanceSeconds: leads beyond the year 9999; advance by less');
      await records.updateMerchant(moved);
      for (const order of await records.lockDueOrders(real, Number.MAX_SAFE_INTEGER, merchantId)) {
        await moves.catchUpOrder(records, order, now);
      }
      for (const refund of await records.lockDueRefunds(real, Number.MAX_SAFE_INTEGER, merchantId)) {
        // Each refund changes the ledger, so the merchant is read anew.
        await moves.catchUpRefund(records, (await records.findMerchant(merchantId)) ?? moved, refund, now);
      }
      return now;
    });
    await startDeliveries();
    return after;
  }

  /** A merchant's newest webhooks, newest first. */
  async function deliveries(merchantId: string): Promise<Delivery[]> {
    await expectMerchant(merchantId);
    return storage.reads.listDeliveries(merchantId);
  }

  /** Makes a webhook due at once, whatever its status. */
  async function replayDelivery(merchantId: string, deliveryId: string): Promise<void> {
    await storage.transaction(async (records) => {
      const merchant = (await records.findMerchant(merchantId)) ?? unknownMerchant(merchantId);
      const found = await replay(records, merchantId, deliveryId, businessTime(merchant, clock()));
      if (!found) unknown('delivery', merchantId, deliveryId);
    });
  }

  /** Rejects with a refusal when there is no such merchant. */
  async function expectMerchant(merchantId: string): Promise<void> {
    if (!(await storage.reads.findMerchant(merchantId))) unknownMerchant(merchantId);
  }

  /** Rejects with a refusal when the merchant has no such order. */
  async function expectOrder(merchantId: string, orderId: string): Promise<void> {
    await expectMerchant(merchantId);
    if (!(await storage.reads.findOrderById(merchantId, orderId))) unknown('order', merchantId, orderId);
  }

  /** Rejects with a refusal when the merchant has no such refund. */
  async function expectRefund(merchantId: string, refundOrderId: string): Promise<void> {
    await expectMerchant(merchantId);
    if (!(await storage.reads.findRefundById(merchantId, refundOrderId))) unknown('refund', merchantId, refundOrderId);
  }

  const { createMerchant, revokeKey } = merchantService({ storage, clock, ids });
  return {
    createMerchant,
    revokeKey,
    orderEvent,
    refundEvent,
    advanceClock,
    deliveries,
    replayDelivery,
    expectMerchant,
    expectOrder,
    expectRefund,
  };
}

/** Where the id is found that names a record here. */
const whichId = {
  order: "give the platform's id, which is the order's orderId",
  refund: "give the platform's id, which is the refund's refundOrderId",
  delivery: "give a deliveryId of the merchant's list of deliveries",
};

/** Throws the refusal for a record that the merchant does not have. */
function unknown(kind: keyof typeof whichId, merchantId: string, id: string): never {
  throw new SandboxRefusal('not-found', `merchant ${merchantId} has no ${kind} ${id}; ${whichId[kind]}`);
}

function orderEventOf(input: OrderEventInput, order: Order, automatic: boolean, now: number): OrderEvent {
  switch (input.type) {
    case 'transaction_detected': {
      const payment = detectedPayment(input, order);
      const confirmsIn = networkOf(payment.network).confirmations * confirmationTime;
      return { type: input.type, payment, confirmsAt: automatic ? now + confirmsIn : null };
    }
    case 'payment_confirmed':
      return { type: input.type, confirmations: order.payment ? networkOf(order.payment.network).confirmations : 0 };
    default:
      return { type: input.type };
  }
}

function refundEventOf(input: RefundEventInput, automatic: boolean, now: number): RefundEvent {
  switch (input.type) {
    case 'processing_started':
      return { type: input.type, nextAt: automatic ? now + refundProcessing.takes : null };
    case 'failed': {
      const [known] = refundFailureCodes;
      const { errorCode = known?.code ?? 'FAILED' } = input;
      const meaning = refundFailureCodes.find(({ code }) => code === errorCode)?.meaning;
      return { type: input.type, errorCode, errorMessage: input.errorMessage ?? meaning ?? errorCode };
    }
    default:
      return { type: input.type };
  }
}

function detectedPayment(input: Extract<OrderEventInput, { type: 'transaction_detected' }>, order: Order): Payment {
  const value = input.amount ?? order.due.value;
  const { paymentMethod = 'ON_CHAIN_TRANSFER' } = input;
  const network = namedNetwork(input.network ?? (order.product === 'checkout' ? order.request.network : 'tron'));
  const { orderId } = order;
  if (order.product === 'checkout') {
    if (paymentMethod !== 'ON_CHAIN_TRANSFER') {
      throw new SandboxRefusal('unprocessable', 'paymentMethod: a checkout order is paid by ON_CHAIN_TRANSFER only');
    }
    if (network !== order.request.network) {
      throw new SandboxRefusal('unprocessable', `network: the order is to be paid on ${order.request.network}`);
    }
  }
  return {
    amount: { value, currency: order.due.currency },
    paymentMethod,
    network,
    fromAddress: input.fromAddress ?? simulatedAddress(network, `payer of ${orderId}`),
    toAddress: order.product === 'checkout' ? order.depositAddress : depositAddress(network, orderId),
    transactionHash: input.transactionHash ?? simulatedTransactionHash(network, orderId),
    blockNumber: simulatedBlockNumber(orderId),
    confirmations: 0,
  };
}

/** The network that a request names; throws a `SandboxRefusal` for one that the contract does not have. */
function namedNetwork(code: string): NetworkCode {
  const known = networks.find((network) => network.code === code);
  if (!known) {
    const codes = networks.map((network) => network.code).join(', ');
    throw new SandboxRefusal('unprocessable', `network: ${code} is none of ${codes}`);
  }
  return known.code;
}
