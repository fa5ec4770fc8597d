import { endedBeforeAnswer } from './ended-target.ts';
import { lateWebhooksIn } from './late-webhooks.ts';
import type { HandshakeRecord, HistoryRecord, RequestRecord, Span } from './records.ts';

/** No answer that came within this time counts as slow, in milliseconds. */
const shortestSlow = 1000;

/** How long an answer or a webhook may take before the target counts as slow, where so many milliseconds are waited for a webhook. */
export const longestPrompt = (webhookWait: number): number => Math.max(shortestSlow, webhookWait / 4);

/** The requests to one of the operations that took longer than `longest` milliseconds, answered or not. */
function slowIn(records: readonly HistoryRecord[], longest: number): RequestRecord[] {
  return records.filter(
    (record): record is RequestRecord =>
      record.kind === 'request' && record.operation !== undefined && record.end - record.start > longest,
  );
}

/**
 * The times of a run in which requests to two operations or more had each waited for longer than `longest` milliseconds at once: the
 * target, or the machine of the runner, was too busy for its silence to say anything. A single operation that hangs is no such time.
 *
 * @returns the times in their order, in milliseconds since the run began; they do not overlap
 */
function stallsIn(records: readonly HistoryRecord[], longest: number): Span[] {
  const slow = slowIn(records, longest);
  const moments = slow
    .flatMap(({ operation = '', start, end }) => [
      { operation, at: start, change: 1 },
      { operation, at: end, change: -1 },
    ])
    .sort((one, other) => one.at - other.at);
  const waiting = new Map<string, number>();
  const stalls: Span[] = [];
  let since: number | undefined;
  for (const { operation, at, change } of moments) {
    const count = (waiting.get(operation) ?? 0) + change;
    if (count > 0) waiting.set(operation, count);
    else waiting.delete(operation);
    if (waiting.size > 1) since ??= at;
    else if (since !== undefined) {
      stalls.push({ start: since, end: at });
      since = undefined;
    }
  }
  return stalls;
}

/** A time in which a webhook that is missing says nothing against its sender, and why, in words. */
export interface Hindrance extends Span {
  why: string;
}

/** The hindrances in a run, where an answer or a webhook may take `longest` milliseconds before it counts as slow. */
export function hindrancesIn(records: readonly HistoryRecord[], longest: number): Hindrance[] {
  const stalled = `requests to several operations waited for more than ${longest / 1000} s at the same time`;
  const failed = records.filter((record): record is HandshakeRecord => record.kind === 'handshake');
  return [
    ...failed.map(({ start, end, error }) => ({ start, end, why: brokenOff(error) })),
    ...endsIn(records),
    ...stallsIn(records, longest).map((stall) => ({ ...stall, why: stalled })),
    ...lateWebhooksIn(records, longest).map((late) => ({ ...late, why: cameLate(late) })),
  ];
}

/** The times from the requests on that were under way when the target ended, until it took connections again or was no longer waited for. */
const endsIn = (records: readonly HistoryRecord[]): Hindrance[] =>
  records.flatMap((record) =>
    record.kind === 'request' && record.error?.startsWith(endedBeforeAnswer)
      ? { start: record.start, end: record.end, why: 'the target ended meanwhile, and was started again' }
      : [],
  );

const cameLate = ({ start, end }: Span) =>
  `another webhook came only ${Math.round((end - start) / 1000)} s after what it tells of: where webhooks take that long, the run must wait longer for them (timing.webhookMs)`;

const brokenOff = (error: string) =>
  `a connection to the receiver of webhooks was broken off before it was secure (${error}): its sender gives up too soon, or does not trust the receiver's certificate`;

/** The first of these hindrances that has a part of this time. `undefined`: none has. */
export const hindranceIn = (hindrances: readonly Hindrance[], { start, end }: Span): Hindrance | undefined =>
  hindrances.find((each) => each.start < end && each.end > start);
