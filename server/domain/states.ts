import type { Machine, Transition } from '../../generated/catalogue.ts';

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
