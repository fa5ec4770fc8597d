import {
  checkoutMachine,
  type Machine,
  ordersMachine,
  refundsMachine,
  type Transition,
} from '../../../generated/catalogue.ts';

export type AnyMachine = Machine<string, string>;
export type Move = Transition<string, string>;

/** The state machines of the contract by area. */
export const machines: Readonly<Record<string, AnyMachine>> = {
  orders: ordersMachine,
  checkout: checkoutMachine,
  refunds: refundsMachine,
};

/** Whether the contract leaves the implementation free to make a move or not. */
export function isFree(machine: AnyMachine, move: Move): boolean {
  return move.requirement === undefined && machine.free !== undefined;
}
