import { readFileSync } from 'node:fs';
import { closest } from 'fastest-levenshtein';
import { UsageError } from '../errors/usage-errors.ts';
import type { CheckResult } from './verdict.ts';
import { yamlReader } from './yaml-reader.ts';

/** A failure that is known. */
export interface BaselineEntry {
  /** Id of the check that fails. */
  check: string;
  reason: string;
  /** The last day on which the entry counts, `YYYY-MM-DD` in UTC; absent: it counts until it is removed. */
  until?: string;
}

/** What a baseline makes of a run. */
export interface AppliedBaseline {
  /** The run's results; failures that are known say so. */
  results: CheckResult[];
  /** Entries that must go, in words: they name no check, or one that was judged and did not fail. */
  stale: string[];
  /** Entries that no longer count though their check fails, in words. */
  ended: string[];
}

const text = { type: 'string', minLength: 1, description: 'text' };

/** The entries that a YAML text holds; its arguments are the text and a name for it. */
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
    throw new UsageError(`there is no baseline ${path} that can be read`);
  }
  const entries = parseBaseline(yaml, path);
  const ids = entries.map(({ check }) => check);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw new UsageError(`${path}: there are two entries for ${repeated}; keep one`);
  return entries;
}

/** Holds results against a baseline. `today` is `YYYY-MM-DD` in UTC, and `known` every check id there is. */
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
      stale.push(`there is no check ${id}, did you mean ${closest(id, [...known])}? Mend the entry or remove it`);
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
