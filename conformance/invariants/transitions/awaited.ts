import type { RunRecord } from '../../history/records.ts';

/** The longest pause between two looks of a check that waits for an effect, in milliseconds. */
const longestPause = 1000;

/** The first pause, in milliseconds. Each further one is twice as long. */
const firstPause = 20;

/**
 * How long a driver may lag, in milliseconds: as long as the checks wait for an effect at least, from the event to their last look. They wait
 * for `settle` less the pause that would come next.
 */
export const awaitedFor = ({ settle }: RunRecord): number =>
  Math.max(0, settle - longestPause, settle / 2 - firstPause);

/**
 * How long a payment that is under way lasts before time alone may end it, in milliseconds. The contract does not say how soon a payment
 * times out; any chain takes longer for its confirmations. A run that waits longer for effects reckons with nothing sooner.
 */
const shortestTimeout = 15_000;

/** How long an order in PROCESSING stays there at least unless something happens to it, in milliseconds. */
export const staysProcessingFor = ({ settle }: RunRecord): number => Math.max(settle, shortestTimeout);

/** How far a query may lag behind the answer to a create, which may come from another copy of the data, in milliseconds. */
export const behindCreates = ({ settle }: RunRecord): number => settle / 20;
