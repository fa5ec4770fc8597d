/** What the refusals of requests for their rate tell of a target that counts the requests of each merchant for itself. */
export interface RateRefusals {
  /** Takes note that a request of a merchant was not refused for its rate. */
  letThrough(merchantId: string): void;
  /**
   * Takes note that a request was refused for its rate. True: it may be the merchant's own limit, so that others may be asked meanwhile.
   * False: the target counts all requests together, or the request belongs to no merchant.
   */
  refused(merchantId: string | undefined): boolean;
  /** Whether requests of this merchant were refused under a limit of its own. */
  isLimited(merchantId: string): boolean;
}

/** A merchant that is refused before so many of its requests were let through is refused for those of others. */
const fewestBefore = 10;

/** The refusals of a run whose driver makes merchants, most of which send a few requests only. */
export function createRateRefusals(): RateRefusals {
  const through = new Map<string, number>();
  const limited = new Set<string>();
  let countsTogether = false;
  return {
    letThrough: (merchantId) => {
      through.set(merchantId, (through.get(merchantId) ?? 0) + 1);
    },
    refused: (merchantId) => {
      countsTogether ||= merchantId === undefined || (through.get(merchantId) ?? 0) < fewestBefore;
      if (countsTogether || merchantId === undefined) return false;
      limited.add(merchantId);
      return true;
    },
    isLimited: (merchantId) => !countsTogether && limited.has(merchantId),
  };
}
