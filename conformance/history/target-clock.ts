import type { RequestRecord, RunRecord } from './records.ts';

/** The smallest jump that counts, in milliseconds: less may be two machines behind one address. */
const smallestJump = 2000;

/** A date that is further away than that was not read off a clock, in milliseconds. */
const farthestJump = 600_000;

/** How long a `Date` header may be shown after its second has begun, in milliseconds: servers write it once a second. */
const dateLasts = 2000;

/** The clock of a target, as the `Date` headers of its answers show it. It may jump while a run goes on. */
export interface TargetClock {
  /** Milliseconds by which it is ahead of the runner's now. */
  readonly ahead: number;
  /** Milliseconds by which it was ahead of the runner's, at least and at most, so far. */
  readonly range: Readonly<Span>;
  /** How often it has jumped so far. */
  readonly jumps: number;
  hear(record: Pick<RequestRecord, 'start' | 'end' | 'answer'>): void;
}

interface Span {
  least: number;
  most: number;
}

const middle = ({ least, most }: Span) => Math.round((least + most) / 2);

/** The clock of the target of a run that begins. What jumps is told from the first `Date` on, because that may be another clock's. */
export function createTargetClock({ startedAt, clockAhead }: Pick<RunRecord, 'startedAt' | 'clockAhead'>): TargetClock {
  let shown: Span | undefined;
  let before = { ahead: clockAhead, shown: 0 };
  let jumps = 0;
  const range = { least: clockAhead, most: clockAhead };
  const ahead = () => (jumps === 0 || !shown ? clockAhead : before.ahead + middle(shown) - before.shown);

  return {
    get ahead() {
      return ahead();
    },
    range,
    get jumps() {
      return jumps;
    },
    hear({ start, end, answer }) {
      const date = Date.parse(answer?.headers.date ?? '') - startedAt;
      if (Number.isNaN(date)) return;
      // The answer was dated at some moment between its request and its end.
      const heard = { least: date - end, most: date + dateLasts - start };
      const common = shown && { least: Math.max(shown.least, heard.least), most: Math.min(shown.most, heard.most) };
      const apart = common ? common.least - common.most : 0;
      if (apart > farthestJump) return;
      if (shown && apart >= smallestJump) {
        before = { ahead: ahead(), shown: middle(shown) };
        jumps += 1;
      }
      shown = common && apart <= 0 ? common : heard;
      // How far a jump went is read off dates, which are no more precise than that.
      const vague = jumps === 0 ? 0 : dateLasts;
      range.least = Math.min(range.least, ahead() - vague);
      range.most = Math.max(range.most, ahead() + vague);
    },
  };
}
