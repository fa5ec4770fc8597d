/**
 * The events that checks wait for before they can judge, such as the expiry of an order. Where an event has not come in the whole time,
 * several times and never in between, later checks that need it wait a little and then have no verdict.
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

/** After how many waits in vain, one after the other, an event is awaited shortly. A busy target may miss one. */
export const waitsInVain = 3;

/** The part of the whole time that is enough then. */
export const shareAfterVainWaits = 1 / 10;

export function createAwaitedEvents(): AwaitedEvents {
  const inVain = new Map<string, number>();
  return {
    await: async (event, wait, hasCome) => {
      const share = (inVain.get(event) ?? 0) < waitsInVain ? 1 : shareAfterVainWaits;
      const seen = await wait(share);
      if (hasCome(seen)) inVain.delete(event);
      else inVain.set(event, (inVain.get(event) ?? 0) + 1);
      return seen;
    },
  };
}
