import { UsageError } from '../errors/usage-errors.ts';
import { type History, type HistoryRecord, historyVersion, type RunRecord } from './records.ts';

/** A history as text: one JSON object a line, the run first. */
export function writeHistory({ run, records }: History): string {
  return [run, ...records].map((record) => `${JSON.stringify(record)}\n`).join('');
}

const kinds: readonly string[] = ['request', 'driver', 'clock', 'webhook'] satisfies HistoryRecord['kind'][];

/**
 * Reads what `writeHistory` has written. `name` is what messages call the file.
 *
 * @throws UsageError with the line when the text is no history, or one of another version
 */
export function readHistory(text: string, name: string): History {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const [run, ...records] = lines.map((line, index) => readLine(line, `${name}, line ${index + 1}`));
  if (!run || !isRun(run)) {
    throw new UsageError(
      `${name} is no history: its first line must be the record of a run; write one with --report history=PATH`,
    );
  }
  if (run.version !== historyVersion) {
    throw new UsageError(
      `${name} is a history of version ${String(run.version)}, and this suite reads version ${historyVersion}; judge it with the version of the suite that wrote it`,
    );
  }
  return {
    run,
    records: records.map((record, index) => {
      if (isRecord(record)) return record;
      throw new UsageError(`${name}, line ${index + 2}: the kind of the record must be one of ${kinds.join(', ')}`);
    }),
  };
}

function readLine(line: string, place: string): { kind?: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported below, as any other line that holds no object.
  }
  throw new UsageError(`${place} is no JSON object; a history has one on each line`);
}

function isRun(record: { kind?: unknown }): record is RunRecord {
  return record.kind === 'run';
}

function isRecord(record: { kind?: unknown }): record is HistoryRecord {
  return typeof record.kind === 'string' && kinds.includes(record.kind);
}
