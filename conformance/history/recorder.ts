import { performance } from 'node:perf_hooks';
import { redact } from '../text/redact.ts';
import { cutMark } from '../text/secret-finder.ts';
import {
  type Body,
  type HandshakeRecord,
  type History,
  type HistoryRecord,
  longestBody,
  type RunRecord,
  type Span,
} from './records.ts';
import { createTargetClock, type TargetClock } from './target-clock.ts';

/** Writes down what happens in a run. */
export interface Recorder extends History {
  /** The clock of the target, as the answers so far show it. */
  readonly clock: TargetClock;
  /** The present moment on the run's monotonic clock, in milliseconds. */
  now(): number;
  add(record: HistoryRecord): void;
  /** Writes down that a handshake has failed. Those with the same error soon after each other are one record, however many they are. */
  failHandshake(error: string): void;
  /**
   * A body of the target as a record keeps it: at most `longestBody` characters, and far less once the run has kept much. `whole`: nothing of
   * it was lost on the way here.
   */
  keepBody(text: string, whole?: boolean): Body;
  /** A body of the run's own: at most `longestBody` characters. However much the target says, what it was asked is known to the end. */
  keepOwnBody(text: string): Body;
  /** Headers as a record keeps them: as they are, and with short values once the run has kept much. */
  keepHeaders(headers: Record<string, string>): Record<string, string>;
}

/** A copy of a history to which nothing is added, although the run goes on. It is the same one as long as the run has added nothing. */
export function stillOf(recorder: Recorder): Recorder {
  const known = stills.get(recorder);
  if (known && known.records.length === recorder.records.length) return known;
  const still = { ...recorder, records: [...recorder.records] };
  stills.set(recorder, still);
  return still;
}

const stills = new WeakMap<Recorder, Recorder>();

/** By how much handshakes are apart that are written down one by one, in milliseconds. */
const shortestPause = 1000;

/** How much text of the target's bodies, and of headers, a run keeps, in bytes. A usual run keeps less than a third of it. */
const mostKept = 40 * 1024 * 1024;

/** How much of a body is kept when the run has kept that much, in characters. */
const keptOfLater = 1024;

/** How much of a header's value is kept then, in characters. */
const keptOfLaterHeader = 128;

/** Begins a history at the present moment. */
export function createRecorder(facts: Omit<RunRecord, 'kind' | 'version' | 'startedAt'>): Recorder {
  const origin = performance.now();
  const records: HistoryRecord[] = [];
  let kept = 0;
  const handshakes = new Map<string, HandshakeRecord>();
  const run: RunRecord = { kind: 'run', version: 1, startedAt: Date.now(), ...facts };
  const clock = createTargetClock(run);
  const now = () => performance.now() - origin;
  return {
    run,
    records,
    clock,
    now,
    add: (record) => {
      records.push(record);
      if (record.kind === 'request') clock.hear(record);
    },
    failHandshake: (error) => {
      const end = now();
      const last = handshakes.get(error);
      if (last && end - last.end < shortestPause) {
        last.end = end;
        return;
      }
      const handshake: HandshakeRecord = { kind: 'handshake', start: end, end, error };
      handshakes.set(error, handshake);
      records.push(handshake);
    },
    keepBody: (text, whole = true) => {
      const body = cutBody(text, kept < mostKept ? longestBody : keptOfLater, whole);
      kept += Buffer.byteLength(body.text);
      return body;
    },
    keepOwnBody: (text) => cutBody(text, longestBody, true),
    keepHeaders: (headers) => {
      for (const name of Object.keys(headers)) kept += name.length + (headers[name]?.length ?? 0);
      if (kept < mostKept) return headers;
      const short = Object.entries(headers)
        .slice(0, mostLaterHeaders)
        .map(([name, value]) => {
          return [beginningOf(name, keptOfLaterHeader), beginningOf(value, keptOfLaterHeader)];
        });
      return Object.fromEntries(short);
    },
  };
}

/** How many headers of a message are kept then. */
const mostLaterHeaders = 24;

function cutBody(text: string, longest: number, whole: boolean): Body {
  if (whole && text.length <= longest) return { text };
  return { text: text.length <= longest ? `${text}${cutMark}` : beginningOf(text, longest), cut: true };
}

/** The beginning of a text, with the mark of a cut. A text that is not longer is returned as it is. */
export function beginningOf(text: string, longest = 2048): string {
  if (text.length <= longest) return text;
  // The characters are copied, because a slice would keep the whole text in memory.
  return `${Buffer.from(text.slice(0, longest)).toString()}${cutMark}`;
}

/** Fields of a history that hold the runner's own words, and ids that the rules compare. */
const ownFields: ReadonlySet<string> = new Set([
  ...[
    'kind',
    'version',
    'suite',
    'target',
    'pins',
    'step',
    'type',
    'operation',
    'check',
    'method',
    'authentication',
    'answered',
  ],
  ...['as', 'merchantId', 'orderId', 'refundOrderId', 'parameters', 'path', 'query', 'address', 'settings'],
]);

/** A copy of a history without secrets. The rules still judge it, because its structure stays as it is. */
export function withoutSecrets({ run, records }: History, secrets: Iterable<string>): History {
  return redact({ run, records }, secrets, ownFields);
}

/** How many bodies of the target are kept in part. They are not judged. */
export function countCutBodies({ records }: Pick<History, 'records'>): number {
  const bodies = records.flatMap((record) => {
    if (record.kind === 'webhook') return [record.body];
    return record.kind === 'request' ? [record.answer?.body] : [];
  });
  return bodies.filter((body) => body?.cut).length;
}

/** Whether `first` was over before `second` began. Otherwise nothing orders the two. */
export function isBefore(first: Span, second: Span): boolean {
  return first.end <= second.start;
}
