import type { Mutant } from './instrument.ts';
import type { Judged } from './judge.ts';
import { type KnownSurvivors, type SurvivorKind, survivorKinds } from './survivors.ts';

/** The result of a pass, in numbers of mutants. */
export interface Figures {
  /** All mutants of the build. */
  mutants: number;
  /** Those that only change what happens while modules are loaded. */
  static: number;
  /** Those whose place some check reaches. */
  reached: number;
  /** Those of the reached ones that this pass has looked at. */
  judged: number;
  killed: number;
  /** Survivors that were read, by kind. */
  survived: Record<SurvivorKind, number>;
  /** Those that no check finds, but that leave a MUST without a verdict: a run against them is incomplete. */
  undecided: number;
  /** Survivors that nobody has read. */
  unread: number;
  /** Killed ones among those judged that are neither equivalent nor permitted; per cent. */
  found: number;
  /** The same with the undecided ones: no run against any of these ends as conformant. */
  notConformant: number;
}

/** The result of a pass, with the survivors that were read. */
export function figuresOf(
  mutants: readonly Mutant[],
  known: KnownSurvivors,
  { reached, loaded, judged }: PassResult,
): Figures {
  const survivors = judged.filter(({ killedBy }) => killedBy === undefined);
  const ofKind = (kind: SurvivorKind) => survivors.filter(({ mutant }) => known.byId.get(mutant)?.kind === kind).length;
  const open = survivors.filter(({ mutant }) => !known.byId.has(mutant));
  const killed = judged.length - survivors.length;
  const countable = judged.length - ofKind('equivalent') - ofKind('permitted');
  const undecided = open.filter((each) => each.undecided !== undefined).length;
  const share = (count: number) => (countable === 0 ? 100 : (100 * count) / countable);
  return {
    mutants: mutants.length,
    static: mutants.filter(({ id }) => loaded.has(id) && !reached.has(id)).length,
    reached: reached.size,
    judged: judged.length,
    killed,
    survived: {
      equivalent: ofKind('equivalent'),
      permitted: ofKind('permitted'),
      'out-of-sight': ofKind('out-of-sight'),
      hole: ofKind('hole'),
    },
    undecided,
    unread: open.length - undecided,
    found: share(killed),
    notConformant: share(killed + undecided),
  };
}

/** What a pass has found out. */
export interface PassResult {
  /** The ids of the mutants that some check reaches. */
  reached: ReadonlySet<string>;
  /** The ids of those that were reached while modules were loaded. */
  loaded: ReadonlySet<string>;
  /** Those that it has looked at. The ones of which it says nothing else have survived. */
  judged: readonly Fate[];
}

/** What a pass has found out about a mutant. */
export type Fate = Pick<Judged, 'mutant' | 'killedBy' | 'finding' | 'undecided'>;

const percent = (share: number) => `${share.toFixed(1)} %`;

/** The figures as lines of text. */
export function figuresText(figures: Figures): string {
  const { survived } = figures;
  const rows: [string, string | number][] = [
    ['mutants', figures.mutants],
    ['of them only in code that runs while modules are loaded (--static)', figures.static],
    ['reached by a check', figures.reached],
    ['judged in this pass', figures.judged],
    ['killed', figures.killed],
    ...survivorKinds.map((kind): [string, number] => [`survived: ${kind}`, survived[kind]]),
    ['survived: a MUST is left without a verdict', figures.undecided],
    ['survived: not read yet', figures.unread],
    ['of those that are neither equivalent nor permitted, killed', percent(figures.found)],
    ['of the same, killed or left without a verdict', percent(figures.notConformant)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${String(value).padStart(7)}`).join('\n');
}
