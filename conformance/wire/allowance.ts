/** What one run as a whole may spend on its target, however the target behaves. */
export interface Allowance {
  /**
   * Counts so many further bytes of an answer of which `read` bytes have come before. False: it is too long, or the run has read enough of
   * long answers, and its rest must not be read.
   */
  mayRead(further: number, read: number): boolean;
  /** Counts a webhook of so many bytes. Returns why the run must not take any more of them; `undefined`: it may. */
  webhookExcess(bytes: number): string | undefined;
  /** Counts a wait for `Retry-After`, in milliseconds, from the moment `now` on. False: the run has waited enough in vain, and must not wait again. */
  mayWait(milliseconds: number, now: number): boolean;
  /** A request that has waited was carried out: until now, no wait was in vain. */
  hasWaitedWell(): void;
}

/** The longest answer that is read, in bytes. */
const longestAnswer = 4 * 1024 * 1024;

/** Up to this length, in bytes, an answer does not count as long. The contract's own answers are far shorter. */
const ordinaryAnswer = 64 * 1024;

/** How many bytes of long answers a run reads, all that come at the same time among them. Beyond, it reads only ordinary ones. */
const mostOfLong = 48 * 1024 * 1024;

/** How many webhooks a run takes, and how many bytes of them in all. A usual run takes a few hundred. */
const mostWebhooks = { count: 20_000, bytes: 32 * 1024 * 1024 };

/** How long a run waits for `Retry-After` in vain, in milliseconds. Waits that overlap count once. */
export const mostWaiting = 180_000;

/** The allowance of a new run. */
export function createAllowance(): Allowance {
  const webhooks = { count: 0, bytes: 0 };
  let [long, waited, waitedUntil] = [0, 0, Number.NEGATIVE_INFINITY];
  return {
    mayRead: (further, read) => {
      const length = read + further;
      if (length <= ordinaryAnswer) return true;
      // Once it is long, an answer counts from its first byte on.
      long += read <= ordinaryAnswer ? length : further;
      return length <= longestAnswer && long <= mostOfLong;
    },
    webhookExcess: (bytes) => {
      webhooks.count += 1;
      webhooks.bytes += bytes;
      if (webhooks.count <= mostWebhooks.count && webhooks.bytes <= mostWebhooks.bytes) return undefined;
      return `the target has sent ${webhooks.count} webhooks with ${Math.round(webhooks.bytes / 1024)} KiB, more than a run takes; find out why it sends so many`;
    },
    mayWait: (milliseconds, now) => {
      const end = now + milliseconds;
      const added = Math.max(0, end - Math.max(now, waitedUntil));
      if (waited + added > mostWaiting) return false;
      waited += added;
      waitedUntil = Math.max(waitedUntil, end);
      return true;
    },
    hasWaitedWell: () => {
      waited = 0;
    },
  };
}
