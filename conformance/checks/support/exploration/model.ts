import {
  checkoutMachine,
  type OrdersEvent,
  type OrdersState,
  ordersMachine,
  type RefundsState,
  refundsMachine,
} from '../../../../generated/catalogue.ts';
import type { AnyMadeOrder, Product } from '../../../arrange/orders/any-order.ts';
import type { MadeRefund } from '../../../arrange/refunds/refunds.ts';
import { addDecimals, compareDecimals } from '../../../contract/decimals.ts';
import type { Answer } from '../../../wire/exchange.ts';

/** An order as the contract says it must be by now. */
export interface ModelOrder {
  /** A letter, for the list of actions. */
  name: string;
  product: Product;
  made: AnyMadeOrder;
  /** The amount that is due: decimal text and currency. */
  due: { value: string; currency: string };
  state: OrdersState;
  /** The amount paid, once a transaction was detected: decimal text. */
  paid?: string;
  /** The driver has let its payment fail. A checkout order need not show that it had been seen before. */
  paymentFailed?: boolean;
  /** When it was paid: business time, in seconds since the sequence began. Absent: its payment was not confirmed. */
  confirmedAt?: number;
  /**
   * Time has passed while its payment was not confirmed, so that it may have failed or been confirmed by that alone, and a view may show it late
   * (open point `processing-timeout`).
   */
  mayHaveEnded?: boolean;
  /** Business time at which it expires, in seconds since the sequence began. */
  expiresAt: number;
  /** Sends its create again. */
  repeat(): Promise<Answer>;
}

/** A refund as it was last seen. The contract leaves most of its moves free, so the model follows them. */
export interface ModelRefund {
  name: string;
  made: MadeRefund;
  order: ModelOrder;
  state: RefundsState;
  /** The least and the most that may be reserved for it: decimal text. */
  reserved: { least: string; most: string };
}

/** What must be true after the actions taken so far. */
export interface Model {
  /** By how much business time was moved, in seconds. */
  now: number;
  orders: ModelOrder[];
  refunds: ModelRefund[];
}

/** The balance of each currency at the beginning, as decimal text: enough for some refunds, but not for all. */
export const openingBalance = '25';

/** Whether a state is never left. */
export const isFinalOrder = (state: OrdersState): boolean => ordersMachine.states[state].final;
export const isFinalRefund = (state: RefundsState): boolean => refundsMachine.states[state].final;

/** Whether a refund has ended without its money being paid out: the order may be refunded again. */
export const isGivenBack = (state: RefundsState): boolean => state === 'FAILED' || state === 'CLOSED';

/**
 * The state of an order after an event, by the contract's table; its present state where the table has no move. For a
 * checkout order the table has moves that the contract leaves free: a target may move another way.
 */
export function after({ product, state, paid, due }: ModelOrder, event: OrdersEvent): OrdersState {
  const { transitions } = product === 'orders' ? ordersMachine : checkoutMachine;
  const amount = paid !== undefined && compareDecimals(paid, due.value) < 0 ? 'underpaid' : 'paidInFull';
  const move = transitions.find(
    (each) => each.from === state && each.event === event && (each.when === undefined || each.when === amount),
  );
  return move?.to ?? state;
}

/** The least and the most that refunds in a currency have reserved: FAILED and CLOSED need not give anything back. */
export function reservedIn({ refunds }: Model, currency: string): { least: string; most: string } {
  const ofCurrency = refunds.filter(({ order }) => order.due.currency === currency);
  const held = ofCurrency.filter(({ state }) => !isGivenBack(state));
  return {
    least: addDecimals(held.map(({ reserved }) => reserved.least)),
    most: addDecimals(ofCurrency.map(({ reserved }) => reserved.most)),
  };
}

/**
 * What a new refund of a payment has reserved: what its first answer says. A target may not show that amount yet (open point
 * `refund-record-fields`), and the contract does not say how much more than the payment it may be: twice the payment is taken to be enough.
 */
export function reservedBy(paid: string, deducted: string | undefined): ModelRefund['reserved'] {
  return deducted === undefined ? { least: '0', most: addDecimals([paid, paid]) } : { least: deducted, most: deducted };
}
