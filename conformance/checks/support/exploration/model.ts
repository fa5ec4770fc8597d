import {
  checkoutMachine,
  type OrdersEvent,
  type OrdersState,
  ordersMachine,
  type RefundsState,
  refundsMachine,
} from '../../../../generated/catalogue.ts';
import type { AnyMadeOrder } from '../../../arrange/orders/orders.ts';
import type { MadeRefund } from '../../../arrange/refunds/refunds.ts';
import { addDecimals, compareDecimals } from '../../../contract/decimals.ts';
import type { Answer } from '../../../wire/exchange.ts';

/** An order as the contract says it must be by now. */
export interface ModelOrder {
  /** A letter, for the list of steps. */
  name: string;
  product: 'orders' | 'checkout';
  made: AnyMadeOrder;
  /** What the payer owes: decimal text and currency. */
  due: { value: string; currency: string };
  state: OrdersState;
  /** What was paid, once a transaction was seen: decimal text. */
  paid?: string;
  /** Business time at which it expires, in seconds since the sequence began. */
  expiresAt: number;
  /** Sends its create again. */
  repeat(): Promise<Answer>;
}

/** A refund as it was last seen. Its moves are free, so the model follows what it sees, as far as the contract binds it. */
export interface ModelRefund {
  name: string;
  made: MadeRefund;
  order: ModelOrder;
  state: RefundsState;
  /** What was reserved for it: decimal text. */
  deducted: string;
}

/** What must be true after the steps taken so far. */
export interface Model {
  /** Business time that has been passed, in seconds. */
  now: number;
  orders: ModelOrder[];
  refunds: ModelRefund[];
}

/** What each currency's balance is at the beginning: enough for some refunds, and not for all. Decimal text. */
export const openingBalance = '25';

/** Whether a state is never left. */
export const isFinalOrder = (state: OrdersState): boolean => ordersMachine.states[state].final;
export const isFinalRefund = (state: RefundsState): boolean => refundsMachine.states[state].final;

/**
 * Where an event leads a hosted order, by the contract's table; its present state where there is no such move. For checkout
 * orders the same, but the moves that the contract leaves free are only what the reference server would do.
 */
export function after({ product, state, paid, due }: ModelOrder, event: OrdersEvent): OrdersState {
  const { transitions } = product === 'orders' ? ordersMachine : checkoutMachine;
  const amount = paid !== undefined && compareDecimals(paid, due.value) < 0 ? 'underpaid' : 'paidInFull';
  const move = transitions.find(
    (each) => each.from === state && each.event === event && (each.when === undefined || each.when === amount),
  );
  return move?.to ?? state;
}

/** What refunds in a currency have reserved: at least, and at most, since FAILED and CLOSED need not give anything back. */
export function reservedIn({ refunds }: Model, currency: string): { least: string; most: string } {
  const ofCurrency = refunds.filter(({ order }) => order.due.currency === currency);
  const held = ofCurrency.filter(({ state }) => state !== 'FAILED' && state !== 'CLOSED');
  return { least: sum(held), most: sum(ofCurrency) };
}

const sum = (refunds: readonly ModelRefund[]) => addDecimals(refunds.map(({ deducted }) => deducted));
