/**
 * `npm run mutation` has mutants of the reference server judged by the suite over HTTP, and prints which survive. `--sample N`
 * judges N of them, which `--seed S` chooses; `--static` judges those in code that runs while modules are loaded, each in a
 * process of its own. `--recount` judges none: it counts the last pass again, with the survivors that were read since.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { longestFirst } from '../check/longest-first.ts';
import { seededRandom } from '../check/random.ts';
import { allChecks } from '../checks/index.ts';
import { buildMutants } from './build.ts';
import { type Crew, openCrew, ProcessLost } from './crew.ts';
import { type Figures, figuresOf, figuresText, type PassResult } from './figures.ts';
import type { Mutant } from './instrument.ts';
import type { Covered, Judged } from './judge.ts';
import { readResults, writeResults } from './results.ts';
import { roundsOf } from './rounds.ts';
import { rootFolder } from './sources.ts';
import { matchSurvivors, readSurvivors } from './survivors.ts';

/** The file from which the docs read the figures. */
const figuresFile = join(rootFolder, 'docs/data/mutation.json');

/** How many jobs a process does at the same time: one waits for a webhook or a change while another is judged. */
const sideBySide = 10;

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    static: { type: 'boolean' },
    recount: { type: 'boolean' },
  },
});
const sample = values.sample === undefined ? undefined : Number(values.sample);
if (sample !== undefined && !(Number.isInteger(sample) && sample > 0)) {
  throw new Error(`--sample ${values.sample}: give how many mutants to judge, such as 200`);
}
const started = performance.now();
const processes = availableParallelism();

/** Calls `work` for each item, for `lanes` of them at the same time; resolves with the results in their order. */
async function forEach<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  lanes = processes * sideBySide,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const lane = async () => {
    for (const [position, item] of waiting) {
      results[position] = await work(item);
      process.stderr.write(`\r${position + 1} of ${items.length} `);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  process.stderr.write('\n');
  return results;
}

/** The checks that reach each mutant. Throws an error when a check accuses the right server: it could kill any mutant. */
async function coverage(crew: Crew): Promise<ReadonlyMap<string, Covered[]>> {
  // Those that wait for long begin first.
  const asking = allChecks.filter(({ afterwards }) => !afterwards).toSorted(longestFirst);
  const covered = await forEach(asking, ({ id }) => crew.cover(id));
  for (const { check, against } of covered) {
    // A wait may have been too short beside so many others.
    const again = against === undefined ? undefined : (await crew.cover(check, 'patient')).against;
    if (again !== undefined) throw new Error(`the right server is accused by ${again}`);
  }
  const byMutant = new Map<string, Covered[]>();
  for (const each of covered) {
    for (const mutant of each.mutants) byMutant.set(mutant, [...(byMutant.get(mutant) ?? []), each]);
  }
  return byMutant;
}

/**
 * Judges mutants, and learns from each which checks find those of its file. One whose time was over beside many others is judged again
 * beside few.
 */
async function judgeAll(
  mutants: readonly Mutant[],
  checksOf: (id: string) => Covered[],
  judge: Judge,
): Promise<Judged[]> {
  const finders = new Map<string, Map<string, number>>();
  const judgeOne = async (mutant: Mutant) => {
    const { id, file } = mutant;
    const found = finders.get(file) ?? new Map<string, number>();
    finders.set(file, found);
    const judged = await judge(id, roundsOf(checksOf(id), found));
    if (judged.killedBy) found.set(judged.killedBy, (found.get(judged.killedBy) ?? 0) + 1);
    printNews(mutant, judged);
    return judged;
  };
  // A mutant with a process of its own takes the place of a whole process.
  const judged = await forEach(mutants, judgeOne, values.static ? processes : undefined);
  const hurried = mutants.filter((_, position) => judged[position]?.cutShort);
  if (hurried.length === 0) return judged;
  const again = await forEach(hurried, judgeOne, processes);
  const late = new Map(again.map((each) => [each.mutant, each]));
  return judged.map((each) => late.get(each.mutant) ?? each);
}

type Judge = Crew['judge'];

/** Prints a survivor that nobody has read, and a known one that is found now. */
function printNews({ id, file, line, code, replacement }: Mutant, { killedBy, undecided, cutShort }: Judged): void {
  const entry = known.byId.get(id);
  if ((killedBy === undefined) === (entry !== undefined)) return;
  const survived = cutShort ? 'not judged in time' : undecided ? 'without a verdict' : 'not read';
  const news = entry ? `no longer ${entry.kind}` : survived;
  process.stdout.write(`${news}: ${file}:${line} ${code} → ${replacement}\n`);
}

/** CPU time of the processes that had many mutants, and of those that had one only, in milliseconds. */
let [spentTogether, spentAlone] = [0, 0];

/** Judges a mutant in a process of its own, in which it is active from the start. A process that is lost is a server that ends. */
const judgeAlone: Judge = async (id, rounds) => {
  const crew = openCrew(1, id);
  try {
    return await crew.judge(id, rounds);
  } catch (error) {
    if (error instanceof ProcessLost) return { mutant: id, checks: 0, killedBy: 'crash', finding: error.message };
    throw error;
  } finally {
    spentAlone += crew.cpu();
    crew.close();
  }
};

/** Judges a mutant beside others. Of those that were under way in a lost process, each is judged again alone. */
const judgeBeside =
  (crew: Crew): Judge =>
  (id, rounds) =>
    crew.judge(id, rounds).catch((error: unknown) => {
      if (error instanceof ProcessLost) return judgeAlone(id, rounds);
      throw error;
    });

/** `count` of these mutants. */
function sampleOf(mutants: readonly Mutant[], count: number, seed: string): Mutant[] {
  const random = seededRandom(`${seed} mutants`);
  const ranked = mutants.map((mutant) => ({ mutant, rank: random() }));
  const chosen = new Set(ranked.toSorted((left, right) => left.rank - right.rank).slice(0, count));
  return ranked.filter((each) => chosen.has(each)).map(({ mutant }) => mutant);
}

/** Judges the mutants of the scope, and keeps what was found. */
async function pass(): Promise<PassResult> {
  const crew = openCrew(processes);
  try {
    const covering = await coverage(crew);
    const loaded = new Set(await crew.loaded());
    const everyCheck = [...new Set([...covering.values()].flat())];
    const inScope = mutants.filter(({ id }) =>
      values.static ? loaded.has(id) && !covering.has(id) : covering.has(id),
    );
    const chosen = sample === undefined ? inScope : sampleOf(inScope, sample, values.seed);
    // A hole may have been closed since, and what was out of sight may show by now. What the contract permits is not looked at again.
    const isOpen = ({ id }: Mutant) => ['hole', 'out-of-sight'].includes(known.byId.get(id)?.kind ?? 'hole');
    const judged = await judgeAll(
      chosen.filter(isOpen),
      (id) => covering.get(id) ?? everyCheck,
      values.static ? judgeAlone : judgeBeside(crew),
    );
    const unseen = chosen.filter((mutant) => !isOpen(mutant)).map(({ id }) => ({ mutant: id }));
    const result = { reached: new Set(covering.keys()), loaded, judged: [...judged, ...unseen] };
    writeResults(mutants, result);
    return result;
  } finally {
    spentTogether = crew.cpu();
    crew.close();
  }
}

const mutants = await buildMutants();
const known = matchSurvivors(readSurvivors(), mutants);
if (known.stale.length > 0) throw new Error(`the survivors describe mutants that are gone:\n${known.stale.join('\n')}`);
const result = values.recount ? readResults(mutants) : await pass();
const figures: Figures = figuresOf(mutants, known, result);
if (!values.static) writeFileSync(figuresFile, `${JSON.stringify(figures)}\n`);
const minutes = (performance.now() - started) / 60_000;
const cpu = (spentTogether + spentAlone) / 60_000;
process.stdout.write(`${figuresText(figures)}\n${minutes.toFixed(1)} minutes, ${cpu.toFixed(1)} of CPU time\n`);
if (figures.unread > 0) process.exitCode = 1;
