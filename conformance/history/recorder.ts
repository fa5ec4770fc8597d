import { performance } from 'node:perf_hooks';
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

/** A body as a record keeps it. */
export function keptBody(text: string): Body {
  return text.length > longestBody ? { text: text.slice(0, longestBody), cut: true } : { text };
}

/** Whether `first` was over before `second` began. Otherwise nothing orders the two. */
export function isBefore(first: Span, second: Span): boolean {
  return first.end <= second.start;
}
