/** What the refusals of requests for their rate tell of a target: whether it counts the requests of each merchant for itself. */
export interface RateRefusals {
  /** Takes note that a request of a merchant was not refused for its rate. */
  letThrough(merchantId: string): void;
  /** Whether requests of this merchant may be refused under a limit of its own, so that others may be asked meanwhile. */
  mayBeOwn(merchantId: string): boolean;
  /**
   * Takes note that a request was refused for its rate. True: it may be the merchant's own limit. False: the target counts all requests
   * together, or the request belongs to no merchant.
   */
  refused(merchantId: string | undefined): boolean;
  /** Whether requests of this merchant were refused under a limit of its own. */
  isLimited(merchantId: string): boolean;
}

/** A merchant that is refused before so many of its requests were let through is refused for those of others. */
const fewestBefore = 5;

/** The refusals of a run. `makesMerchants`: its driver does, so that there are many, most of which send a few requests only. */
export function createRateRefusals(makesMerchants: () => boolean): RateRefusals {
  const through = new Map<string, number>();
  const limited = new Set<string>();
  let countsTogether = false;
  const mayBeOwn = (merchantId: string) =>
    !countsTogether && (through.get(merchantId) ?? 0) >= fewestBefore && makesMerchants();
  return {
    letThrough: (merchantId) => {
      through.set(merchantId, (through.get(merchantId) ?? 0) + 1);
    },
    mayBeOwn,
    refused: (merchantId) => {
      countsTogether ||= merchantId === undefined || !mayBeOwn(merchantId);
      if (countsTogether || merchantId === undefined) return false;
      limited.add(merchantId);
      return true;
    },
    isLimited: (merchantId) => !countsTogether && limited.has(merchantId),
  };
}
