import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildFolder } from './build.ts';
import type { Fate, PassResult } from './figures.ts';
import type { Mutant } from './instrument.ts';
import { type Change, changesOf, keyOf } from './survivors.ts';

/** The file with the fate of each mutant in the last pass, for those who read the survivors. */
const resultsFile = join(buildFolder, '../mutation-results.json');

/** A mutant by its change, because the ids are others in the next build. */
interface Result extends Change, Omit<Fate, 'mutant'> {
  file: string;
  line: number;
  reached: boolean;
  loaded: boolean;
  judged: boolean;
}

/** Keeps what a pass has found out. */
export function writeResults(
  mutants: readonly Mutant[],
  { reached, loaded, judged }: PassResult,
  file = resultsFile,
): void {
  const fates = new Map(judged.map((fate) => [fate.mutant, fate]));
  const results = changesOf(mutants).map(({ mutant: { id, file: source, line }, change }): Result => {
    const { mutant: _, ...fate } = fates.get(id) ?? { mutant: id };
    const place = { file: source, line, ...change };
    return { ...place, reached: reached.has(id), loaded: loaded.has(id), judged: fates.has(id), ...fate };
  });
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
}

/**
 * What the last pass has found out about these mutants. Mutants of code that has changed since were not looked at. Throws an error when there
 * was no pass.
 */
export function readResults(mutants: readonly Mutant[], file = resultsFile): PassResult {
  if (!existsSync(file)) throw new Error(`${file} is missing: run a pass first, with npm run mutation`);
  const results: Result[] = JSON.parse(readFileSync(file, 'utf8'));
  const byKey = new Map(results.map((result) => [keyOf(result.file, result), result]));
  const found = changesOf(mutants).flatMap(({ mutant: { id, file: source }, change }) => {
    const result = byKey.get(keyOf(source, change));
    return result ? [{ id, result }] : [];
  });
  const idsOf = (which: 'reached' | 'loaded') =>
    new Set(found.filter(({ result }) => result[which]).map(({ id }) => id));
  const judged = found
    .filter(({ result }) => result.judged)
    .map(
      ({ id, result: { killedBy, finding, undecided } }): Fate => ({
        mutant: id,
        ...(killedBy !== undefined && { killedBy }),
        ...(finding !== undefined && { finding }),
        ...(undecided !== undefined && { undecided }),
      }),
    );
  return { reached: idsOf('reached'), loaded: idsOf('loaded'), judged };
}
