import { ordersMachine, refundsMachine } from '../../generated/catalogue.ts';

const statuses: readonly string[] = [
  ...new Set([...Object.keys(ordersMachine.states), ...Object.keys(refundsMachine.states)]),
];

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
