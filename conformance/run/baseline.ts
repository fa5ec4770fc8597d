import { readFileSync } from 'node:fs';
import { UsageError } from '../errors/usage-errors.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import type { CheckResult } from './verdict.ts';
import { yamlReader } from './yaml-reader.ts';

/** A known failure. */
export interface BaselineEntry {
  /** The id of the failing check. */
  check: string;
  reason: string;
  /** The last day on which the entry counts, `YYYY-MM-DD` in UTC. Absent: the entry counts until it is removed. */
  until?: string;
}

/** The results of a run after its baseline. */
export interface AppliedBaseline {
  /** The results of the run. Known failures carry their baseline entry. */
  results: CheckResult[];
  /** Entries that must be removed, in words: their check does not exist, or was judged and did not fail. */
  stale: string[];
  /** Entries that have expired while their check still fails, in words. */
  ended: string[];
}

const text = { type: 'string', minLength: 1, description: 'text' };

/** Reads the entries from YAML text. The arguments are the text and its name for errors. Throws `UsageError`. */
export const parseBaseline = yamlReader<BaselineEntry[]>(
  {
    type: 'array',
    description: 'a list of entries, each with check and reason',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['check', 'reason'],
      properties: {
        check: text,
        reason: text,
        until: { type: 'string', format: 'date', description: 'a day, such as 2026-12-31' },
      },
      description: 'an entry with check and reason',
    },
  },
  [],
);

/** Reads a baseline file. Throws `UsageError`. */
export function readBaseline(path: string): BaselineEntry[] {
  let yaml: string;
  try {
    yaml = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`the baseline ${path} cannot be read; check that the file is there`);
  }
  const entries = parseBaseline(yaml, path);
  const ids = entries.map(({ check }) => check);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw new UsageError(`${path}: there are two entries for ${repeated}; keep one`);
  return entries;
}

/** Compares results with a baseline. `today` is `YYYY-MM-DD` in UTC, and `known` lists every check id. */
export function applyBaseline(
  results: readonly CheckResult[],
  entries: readonly BaselineEntry[],
  { today, known }: { today: string; known: readonly string[] },
): AppliedBaseline {
  const stale: string[] = [];
  const ended: string[] = [];
  const covering = new Map<string, BaselineEntry>();
  for (const entry of entries) {
    const { check: id, until } = entry;
    const verdict = results.find(({ check }) => check.id === id)?.verdict;
    if (!known.includes(id)) {
      stale.push(`there is no check ${id}${didYouMean(id, known) || '.'} Correct the entry or remove it`);
    } else if (verdict === 'passed' || verdict === 'warned' || verdict === 'observed') {
      stale.push(`${id} no longer fails: remove its entry`);
    } else if (verdict === 'failed' && until !== undefined && until < today) {
      ended.push(`${id} still fails, and its entry counted only until ${until}`);
    } else {
      covering.set(id, entry);
    }
  }
  return { results: results.map((result) => withKnown(result, covering.get(result.check.id))), stale, ended };
}

function withKnown(result: CheckResult, entry: BaselineEntry | undefined): CheckResult {
  if (!entry || result.verdict !== 'failed') return result;
  const { reason, until } = entry;
  return { ...result, baseline: { reason, ...(until !== undefined && { until }) } };
}
