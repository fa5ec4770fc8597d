import type { OrdersEvent, RefundsEvent } from '../../generated/catalogue.ts';
import type { components } from '../../generated/sandbox-control.ts';
import type { Transport } from '../wire/transport.ts';

/** What signs a merchant's requests. */
export interface Credentials {
  merchantId: string;
  apiKey: string;
  apiSecret: string;
}

/** How a merchant is to be; what is left out takes the control API's default. */
export type MerchantSettings = components['schemas']['MerchantSettings'];

/** What a driver can be asked to let happen to an order. Expiry is no event: it is what the clock does. */
export interface OrderStep {
  type: Exclude<OrdersEvent, 'expired'>;
  /** Of a detected transaction: decimal text in the currency that is due; default: exactly what is due. */
  amount?: string;
  /** Of a detected transaction: how and over which network it is paid, by whom, and under which hash; default: the target's own. */
  paymentMethod?: string;
  network?: string;
  fromAddress?: string;
  transactionHash?: string;
}

/** What a driver can be asked to let happen to a refund. */
export interface RefundStep {
  type: Exclude<RefundsEvent, 'accepted'>;
}

/** How a step went: done, or refused because the target's state rules do not have it. */
export type StepOutcome =
  | {
      done: true;
      /** What the payer owes, where the driver knows. */
      due?: { value: string; currency: string };
      /** The payment as it was made, where the driver vouches for it: orders are judged by it. */
      payment?: Omit<OrderStep, 'type'>;
    }
  | { done: false; message: string };

/**
 * Makes happen what the merchant contract has no operation for. Every step is optional: checks that need a missing one
 * are skipped. A step that does not work throws; one that the state rules do not have is refused. A driver obeys the
 * target's production rules. What is sent through the transport stands in the check's report and keeps the
 * run's limits; what a driver does by other means does neither.
 */
export interface Driver {
  /** A new merchant of its own, which nothing else uses. */
  provisionMerchant?(settings: MerchantSettings, transport: Transport): Promise<Credentials>;
  orderEvent?(merchantId: string, orderId: string, step: OrderStep, transport: Transport): Promise<StepOutcome>;
  refundEvent?(merchantId: string, refundOrderId: string, step: RefundStep, transport: Transport): Promise<StepOutcome>;
  /** Moves the merchant's business time forward; what falls due by it has taken effect afterwards. */
  advanceClock?(merchantId: string, seconds: number, transport: Transport): Promise<void>;
}

/** The names of a driver's steps. */
export const driverSteps = [
  'provisionMerchant',
  'orderEvent',
  'refundEvent',
  'advanceClock',
] as const satisfies readonly (keyof Driver)[];

export type DriverStep = (typeof driverSteps)[number];
