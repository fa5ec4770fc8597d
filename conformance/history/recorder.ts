import { performance } from 'node:perf_hooks';
import { cutMark } from '../text/redact.ts';
import { type Body, type History, type HistoryRecord, longestBody, type RunRecord, type Span } from './records.ts';

/** Writes down what happens in a run. */
export interface Recorder extends History {
  /** The present moment on the run's monotonic clock, in milliseconds. */
  now(): number;
  add(record: HistoryRecord): void;
}

/** Begins a history at the present moment. */
export function createRecorder(facts: Omit<RunRecord, 'kind' | 'version' | 'startedAt'>): Recorder {
  const origin = performance.now();
  const records: HistoryRecord[] = [];
  return {
    run: { kind: 'run', version: 1, startedAt: Date.now(), ...facts },
    records,
    now: () => performance.now() - origin,
    add: (record) => {
      records.push(record);
    },
  };
}

/** A body as a record keeps it: at most `longestBody` characters. `whole`: nothing of it was lost on the way here. */
export function keptBody(text: string, whole = true): Body {
  if (whole && text.length <= longestBody) return { text };
  // The bytes are copied, because a slice would keep the whole text in memory.
  const kept = Buffer.from(text.slice(0, longestBody)).toString();
  return { text: `${kept}${cutMark}`, cut: true };
}

/** How many bodies of a history are kept in part. They are not judged. */
export function countCutBodies({ records }: Pick<History, 'records'>): number {
  const bodies = records.flatMap((record) => {
    if (record.kind === 'webhook') return [record.body];
    return record.kind === 'request' ? [record.body, record.answer?.body] : [];
  });
  return bodies.filter((body) => body?.cut).length;
}

/** Whether `first` was over before `second` began. Otherwise nothing orders the two. */
export function isBefore(first: Span, second: Span): boolean {
  return first.end <= second.start;
}
