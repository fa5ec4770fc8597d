import type { OrdersEvent, RefundsEvent } from '../../generated/catalogue.ts';
import type { components } from '../../generated/sandbox-control.ts';
import type { Transport } from '../wire/transport.ts';

/** The credentials that sign a merchant's requests. */
export interface Credentials {
  merchantId: string;
  apiKey: string;
  apiSecret: string;
}

/** The settings of a new merchant. An absent setting takes the default of the control API. */
export type MerchantSettings = components['schemas']['MerchantSettings'];

/** An event that a driver lets happen to an order. Expiry is no event, because the clock brings it. */
export interface OrderStep {
  type: Exclude<OrdersEvent, 'expired'>;
  /** The amount of a detected transaction: decimal text in the currency of the amount due. Default: exactly the amount due. */
  amount?: string;
  /** Method, network, payer and hash of a detected transaction. Default: the target chooses. */
  paymentMethod?: string;
  network?: string;
  fromAddress?: string;
  transactionHash?: string;
  /** Why a payment fails (`payment_failed`). Default: the target chooses. */
  reason?: 'timeout' | 'error';
}

/** An event that a driver lets happen to a refund. */
export interface RefundStep {
  type: Exclude<RefundsEvent, 'accepted'>;
  /** The `errorCode` that a refund then shows which fails (`failed`). Default: that of an exchange without enough funds. */
  errorCode?: string;
}

/** The outcome of a step: done, or refused because the state rules of the target do not allow it. */
export type StepOutcome =
  | {
      done: true;
      /** The amount that the payer owes, if the driver knows it. */
      due?: { value: string; currency: string };
      /** The payment as it was made, if the driver vouches for it. Orders are judged by it. */
      payment?: Omit<OrderStep, 'type' | 'reason'>;
    }
  | { done: false; message: string };

/**
 * Brings about events for which the merchant contract has no operation. Every step is optional; checks that need a missing
 * step are skipped. A step that does not work throws. A step that the state rules do not allow is refused. A driver obeys
 * the production rules of the target. Requests through the transport stand in the check's report and keep the limits of the
 * run; a driver's other requests do neither.
 */
export interface Driver {
  /** Makes a new merchant, which nothing else uses. */
  provisionMerchant?(settings: MerchantSettings, transport: Transport): Promise<Credentials>;
  /** Ends a key of a merchant, so that no request under it may be accepted any more. */
  revokeKey?(merchantId: string, apiKey: string, transport: Transport): Promise<void>;
  orderEvent?(merchantId: string, orderId: string, step: OrderStep, transport: Transport): Promise<StepOutcome>;
  refundEvent?(merchantId: string, refundOrderId: string, step: RefundStep, transport: Transport): Promise<StepOutcome>;
  /** Moves the merchant's business time forward by `seconds`. Everything that falls due has taken effect when it resolves. */
  advanceClock?(merchantId: string, seconds: number, transport: Transport): Promise<void>;
  /**
   * Ends the target without warning, as a kill or a power cut would, and starts it again with the same data at the same address. It may
   * resolve before the target answers again.
   */
  restart?(transport: Transport): Promise<void>;
}

/** The names of a driver's steps. */
export const driverSteps = [
  'provisionMerchant',
  'revokeKey',
  'orderEvent',
  'refundEvent',
  'advanceClock',
  'restart',
] as const satisfies readonly (keyof Driver)[];

/** The name of a driver's step. */
export type DriverStep = (typeof driverSteps)[number];
