/** The time between the refusal of a request for its rate and the moment when it is sent again, in milliseconds from any moment. */
export interface RateWait {
  start: number;
  end: number;
}

/** How much a run waits because the target refuses requests for their rate. */
export interface RateWaits {
  /** Takes note of a refused request, and of how long it waits. */
  add(wait: RateWait): void;
  /** How many requests were refused. One that is refused again counts again. */
  readonly refused: number;
  /** For how long requests have waited, in milliseconds. Waits that overlap count once. */
  readonly waited: number;
  /** When the last wait ends. */
  readonly until: number;
}

/** Makes the count of a run. `onAdd` is told of each wait. */
export function createRateWaits(onAdd: (wait: RateWait) => void = () => undefined): RateWaits {
  let [refused, waited, until] = [0, 0, Number.NEGATIVE_INFINITY];
  return {
    add: (wait) => {
      refused += 1;
      waited += Math.max(0, wait.end - Math.max(wait.start, until));
      until = Math.max(until, wait.end);
      onAdd(wait);
    },
    get refused() {
      return refused;
    },
    get waited() {
      return waited;
    },
    get until() {
      return until;
    },
  };
}
