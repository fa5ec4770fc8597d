import type { Choices, Machine, OrdersEvent, OrdersState, Transition } from '../../generated/catalogue.ts';

/** Whether a payment covers what is owed. */
export type PaidEnough = NonNullable<Transition<string, string>['when']>;

/**
 * The state that `event` leads to from `from`, by the machine's table; `undefined` when the table has no such move.
 * `paid` chooses among moves that depend on the amount.
 */
export function nextState<State extends string, Event extends string>(
  machine: Machine<State, Event>,
  from: State,
  event: Event,
  paid?: PaidEnough,
): State | undefined {
  return machine.transitions.find(
    (move) => move.from === from && move.event === event && (move.when === undefined || move.when === paid),
  )?.to;
}

/** The state of a checkout order that expires unpaid; `undefined`: the state in the table (open point `checkout-transitions`). */
const expiredTo: Readonly<Record<Choices['checkout-transitions'], OrdersState | undefined>> = {
  'as-hosted': undefined,
  'expiry-fails': 'FAILED',
};

/** The machine of checkout orders, changed as the choice demands. */
export function chosenCheckoutMachine(
  machine: Machine<OrdersState, OrdersEvent>,
  choice: Choices['checkout-transitions'],
): Machine<OrdersState, OrdersEvent> {
  const to = expiredTo[choice];
  if (to === undefined) return machine;
  return {
    ...machine,
    transitions: machine.transitions.map((move) => (move.event === 'expired' ? { ...move, to } : move)),
  };
}
