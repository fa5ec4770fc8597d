import { counted } from '../contract/counted.ts';
import type { RateWaits } from '../wire/rate-waits.ts';

/** How long requests must have waited before it is told, in milliseconds, and in which part of the run: a short wait is no reason to change anything. */
const shortest = 5000;
const smallestPart = 0.1;

/** Why a run of so many milliseconds was slow, where the target refused requests for their rate, in words. `undefined`: they hardly waited. */
export function slownessOf(
  { refused, waited }: Pick<RateWaits, 'refused' | 'waited'>,
  milliseconds: number,
): string | undefined {
  if (waited < shortest || waited < milliseconds * smallestPart) return undefined;
  const seconds = (time: number) => Math.round(time / 1000);
  return `the target refused ${counted(refused, 'request')} for their rate, and in ${seconds(waited)} of ${seconds(milliseconds)} s requests waited to be sent again; give the test merchants a higher limit, or keep the run below it with limits.requestsPerSecond`;
}
