import { UsageError } from '../errors/usage-errors.ts';
import { expectRecord, type RecordName, type RunLine } from './history-schema.ts';
import { type History, type HistoryRecord, historyVersion } from './records.ts';

/** A history as text: one JSON object a line, the run first. `history.schema.json` describes the lines. */
export function writeHistory({ run, records }: History): string {
  const first: RunLine = { ...run, records: records.length };
  return [first, ...records].map((record) => `${JSON.stringify(record)}\n`).join('');
}

/**
 * Reads text that `writeHistory` has written. `name` is the name of the file in messages.
 *
 * @throws UsageError when the text is no history, is one of another version, or is not whole. The message names the line, the field,
 *   the rule and the cure, and repeats no value, because a value may be a secret.
 */
export function readHistory(text: string, name: string): History {
  const [first = '', ...lines] = text.split('\n');
  // A line feed ends the last line too.
  if (lines.at(-1) === '') lines.pop();
  const { records: count, ...run } = readRun(first, name);
  if (lines.length !== count) {
    const problem = lines.length < count ? 'is not whole' : 'goes on after its end';
    throw new UsageError(
      `${name} ${problem}: by its first line ${count} lines follow, and there are ${lines.length}; take the file as the run wrote it`,
    );
  }
  return { run, records: lines.map((line, index) => readRecord(line, `${name}, line ${index + 2}`)) };
}

function readRun(line: string, name: string): RunLine {
  const record = parsed(line);
  if (record?.kind !== 'run') {
    throw new UsageError(
      `${name} is no history: its first line must be the record of a run; write one with --report history=PATH`,
    );
  }
  if (record.version !== historyVersion) {
    throw new UsageError(
      `${name} is a history of another version, and this suite reads version ${historyVersion}; judge it with the version of the suite that wrote it`,
    );
  }
  expectRecord(record, 'run', `${name}, line 1`);
  return record;
}

const kinds = [
  'request',
  'driver',
  'clock',
  'webhook',
  'handshake',
] as const satisfies readonly HistoryRecord['kind'][];
const steps = ['provisionMerchant', 'orderEvent', 'refundEvent', 'restart'] as const satisfies readonly RecordName[];

function readRecord(line: string, place: string): HistoryRecord {
  const record = parsed(line);
  if (!record) {
    throw new UsageError(
      `${place} is no JSON object; each line of a history is one; take the file as the run wrote it`,
    );
  }
  const kind = kinds.find((each) => each === record.kind);
  if (!kind) throw new UsageError(`${place}: kind must be one of ${kinds.join(', ')}; correct it`);
  const name = kind === 'driver' ? steps.find((each) => each === record.step) : kind;
  if (!name) throw new UsageError(`${place}: step must be one of ${steps.join(', ')}; correct it`);
  expectRecord(record, name, place);
  return record;
}

/** A line that is a JSON object; `undefined` for any other. */
function parsed(line: string): { kind?: unknown; version?: unknown; step?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
