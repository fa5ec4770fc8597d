import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from '../contract/json.ts';
import { makeFolder, ownerOnly } from './make-folder.ts';
import type { Report } from './report.ts';
import type { Verdict } from './verdict.ts';

/** What is kept of the last run of a folder. */
export interface LastRun {
  target: string;
  checks: { id: string; verdict: Verdict }[];
  openPoints: { id: string; observed: { value: string | null }[] }[];
}

/** The folder for what the command keeps between its calls, and the file of the last run in it. */
const folder = '.assay';
const file = join(folder, 'last-run.json');

/**
 * Keeps the verdicts and observations of a run in this folder, beside those of earlier runs against the same target that this
 * one did not repeat. A folder that cannot be written to keeps nothing.
 */
export function keepLastRun({ target, checks, openPoints }: Report): void {
  const before = readLastRun();
  const earlier = before?.target === target ? before : { checks: [], openPoints: [] };
  const observations = openPoints.map(({ id, observed }) => ({
    id,
    observed: observed.map(({ value }) => ({ value })),
  }));
  const kept: LastRun = {
    target,
    checks: joined(
      earlier.checks,
      checks.map(({ id, verdict }) => ({ id, verdict })),
    ),
    openPoints: joined(
      earlier.openPoints,
      observations.filter(({ observed }) => observed.length > 0),
    ),
  };
  try {
    makeFolder(folder, ownerOnly);
    writeFileSync(join(folder, '.gitignore'), '*\n');
    writeFileSync(file, JSON.stringify(kept));
  } catch {
    // A run in a folder that is read-only is a run all the same.
  }
}

/** The last run of this folder. `undefined`: none was kept. */
export function readLastRun(): LastRun | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const kept = parseJson(text);
  return isLastRun(kept) ? kept : undefined;
}

/** All entries, the later of those with the same id. */
function joined<Entry extends { id: string }>(earlier: readonly Entry[], later: readonly Entry[]): Entry[] {
  return [...new Map([...earlier, ...later].map((entry) => [entry.id, entry])).values()];
}

function isLastRun(kept: unknown): kept is LastRun {
  return isObject(kept) && Array.isArray(kept.checks) && Array.isArray(kept.openPoints);
}
