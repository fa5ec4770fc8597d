/** How long a sender may keep others from sending because it gets no answer, in milliseconds. Then nothing is expected of them any more. */
const longestUnanswered = 60_000;

/** A sender that had a queue goes on with it within so many milliseconds after a webhook. */
const longestBetween = 1000;

/** How many webhooks must have come before they say anything about how they are sent. */
const telling = 20;

/**
 * A sender counts as one that sends in turn while at most one of so many webhooks begins beside another. One that has given a webhook up begins
 * the next before the receiver notices.
 */
const oneBesideIn = 20;

/**
 * Tells from how webhooks arrive whether the target may be kept from sending others, because it sends one after the other, or a few at
 * a time.
 */
export interface HoldUps {
  /** A webhook begins to arrive: with its connection, or over one in use. The returned function is called once it is answered, or lost. */
  began(): () => void;
  /** A webhook is read, while others may have no answer. */
  reading(): void;
  /** A sender gets no answer. The returned function is called once it waits no more. */
  leftUnanswered(): () => void;
  /**
   * True while so many senders wait for an answer that none has ever sent beside them, and while webhooks come that have come one after the
   * other so far: the queue of the target may hold the one that is waited for.
   */
  isHeldUp(): boolean;
}

export function createHoldUps(): HoldUps {
  /** How many senders wait for an answer that no mailbox gives, and beside how many such others at most one has sent. */
  let unanswered = 0;
  let besideUnanswered = 0;
  let lastUnanswered = 0;
  /** How many webhooks are arriving; how many have, and how many of these began beside another; when the last one ended. */
  let arriving = 0;
  let begun = 0;
  let beside = 0;
  let lastEnd = 0;

  const isInTurn = () => begun >= telling && beside * oneBesideIn <= begun;

  return {
    began: () => {
      if (arriving > 0) beside += 1;
      begun += 1;
      arriving += 1;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        arriving -= 1;
        lastEnd = performance.now();
      };
    },
    reading: () => {
      besideUnanswered = Math.max(besideUnanswered, unanswered);
    },
    leftUnanswered: () => {
      unanswered += 1;
      lastUnanswered = performance.now();
      return () => {
        unanswered -= 1;
      };
    },
    isHeldUp: () => {
      const now = performance.now();
      if (unanswered > besideUnanswered && now - lastUnanswered < longestUnanswered) return true;
      return isInTurn() && (arriving > 0 || now - lastEnd < longestBetween);
    },
  };
}
