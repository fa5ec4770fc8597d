import { checkoutMachine, ordersMachine, refundsMachine } from '../../generated/catalogue.ts';
import { ownValue } from './json.ts';

const machines = { orders: ordersMachine, checkout: checkoutMachine, refunds: refundsMachine };

const statuses: readonly string[] = [
  ...new Set([...Object.keys(ordersMachine.states), ...Object.keys(refundsMachine.states)]),
];

/** The statuses of the orders or refunds of an area. */
export const statusesOf = (area: keyof typeof machines): readonly string[] => Object.keys(machines[area].states);

/** The statuses of orders and refunds that a text has as words. */
export function statusesIn(text: string): string[] {
  return statuses.filter((each) => new RegExp(`\\b${each}\\b`).test(text));
}

/**
 * True when a text may announce a status: it has this status as a word, or none at all. The contract leaves the form of a webhook's
 * body open, so every word of it counts.
 */
export function mayAnnounce(text: string, status: string): boolean {
  const named = statusesIn(text);
  return named.length === 0 || named.includes(status);
}

/** How far a status is on its way: 0 at the beginning, 2 where it is final. `undefined`: the contract has no such status there. */
export function progressOf(area: keyof typeof machines, status: unknown): 0 | 1 | 2 | undefined {
  const state = typeof status === 'string' ? ownValue(machines[area].states, status) : undefined;
  if (state === undefined) return undefined;
  if (ownValue(state, 'final') === true) return 2;
  return status === 'PROCESSING' ? 1 : 0;
}

/** True for a status that an order or a refund never leaves. */
export const isFinalStatus = (area: keyof typeof machines, status: unknown): boolean => progressOf(area, status) === 2;
