/**
 * The events that checks wait for before they can judge, such as the expiry of an order. A wait that was in vain once is not
 * repeated in full: where the event has not come in the whole time, later checks that need it wait a little and then have no verdict.
 *
 * A check that judges whether the event comes never asks here: it always waits for the whole time, so that no failure depends on
 * the order of the checks.
 */
export interface AwaitedEvents {
  /**
   * Waits for an event, named in words that are the same for all checks. `wait` is given the part of the whole time that it may take;
   * `hasCome` says of what it resolves with whether the event has come.
   */
  await<Seen>(event: string, wait: (share: number) => Promise<Seen>, hasCome: (seen: Seen) => boolean): Promise<Seen>;
}

/** The part of the whole time that is enough after a wait in vain. */
export const shareAfterVainWait = 1 / 20;

export function createAwaitedEvents(): AwaitedEvents {
  const missed = new Set<string>();
  return {
    await: async (event, wait, hasCome) => {
      const share = missed.has(event) ? shareAfterVainWait : 1;
      const seen = await wait(share);
      if (hasCome(seen)) missed.delete(event);
      else if (share === 1) missed.add(event);
      return seen;
    },
  };
}
