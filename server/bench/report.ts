import { type Contender, type Kind, kinds, type Work } from './contenders.ts';
import type { GrowthResult, GrowthRound } from './growth.ts';
import { median } from './load.ts';

/**
 * The aims. The ratios of creates and queries say how many times as fast, by CPU time, which is nearly the same when others use
 * the machine too; the ratio of growth says how many times as long.
 */
const aims = {
  toBare: { SQLite: 0.85, PostgreSQL: 0.8 },
  toPrism: { SQLite: 1.5, PostgreSQL: 1.5 },
  firstAnswerMilliseconds: 500,
  memoryMegabytes: 150,
  growth: 1.3,
};

/** Every program with its figures. Each ratio (×) is to the bare server on the same database; above 1 is better. */
export function contenderTable(contenders: readonly Contender[]): string {
  const heading = [
    ...['', 'creates/s', '×', 'CPU, µs', '×', 'queries/s', '×', 'CPU, µs', '×'],
    ...['line, ms', 'first answer, ms', 'memory at start, MB', 'after the load'],
  ];
  const rows = contenders.map((contender) => {
    const bare = contenders.find(({ name }) => name === `bare, ${kindOf(contender)}`) ?? contender;
    const work = (of: 'creates' | 'queries') => {
      const { perSecond, cpu } = ratios(contender[of], bare[of]);
      const middle = (name: keyof Work) => median(contender[of].map((round) => round[name])).toFixed(0);
      return [middle('perSecond'), perSecond.toFixed(2), middle('cpu'), cpu.toFixed(2)];
    };
    const { start, memory } = contender;
    return [
      contender.name,
      ...work('creates'),
      ...work('queries'),
      start.announced?.toFixed(0) ?? '',
      start.answered.toFixed(0),
      memory.started.toFixed(0),
      memory.loaded.toFixed(0),
    ];
  });
  return table(heading, rows);
}

/** How the time of a query changes as the table grows. Each ratio (×) is to the smallest table; above 1 is slower. */
export function growthTable(results: readonly GrowthResult[]): string {
  const rows = results.map((result) => {
    const smallest = results.find(({ kind }) => kind === result.kind) ?? result;
    const of = (name: keyof GrowthRound, places: number) => [
      median(result.rounds.map((round) => round[name])).toFixed(places),
      growthOf(result, smallest, name).toFixed(2),
    ];
    const orders = `${result.orders.toLocaleString('en')}, ${result.kind}`;
    return [orders, ...of('median', 3), ...of('p99', 3), ...of('cpu', 0)];
  });
  return table(['orders', 'median, ms', '×', 'p99, ms', '×', 'CPU, µs', '×'], rows);
}

/** Each aim with the measurement on each database, and whether it is met. */
export function aimsTable(contenders: readonly Contender[], growth: readonly GrowthResult[]): string {
  const named = (name: string) => contenders.find((each) => each.name === name);
  const row = (aim: string, of: (kind: Kind, assay: Contender) => string | undefined) => {
    const cells = kinds.map((kind) => {
      const assay = named(`Assay, ${kind}`);
      return (assay && of(kind, assay)) ?? 'not measured';
    });
    return [aim, ...cells];
  };
  const faster = (
    aim: string,
    work: 'creates' | 'queries',
    yardstick: (kind: Kind) => string,
    atLeast: Readonly<Record<Kind, number>>,
  ) =>
    row(aim, (kind, assay) => {
      const other = named(yardstick(kind));
      if (!other) return undefined;
      const { perSecond, cpu } = ratios(assay[work], other[work]);
      const least = atLeast[kind];
      return `${cpu.toFixed(2)} (by answers per second ${perSecond.toFixed(2)}), at least ${least}: ${verdict(cpu >= least)}`;
    });
  const largest = (kind: Kind) => {
    const ofKind = growth.filter((result) => result.kind === kind);
    const [first, last] = [ofKind[0], ofKind.at(-1)];
    return first && last && { orders: last.orders, ratio: growthOf(last, first, 'median') };
  };
  return table(
    ['aim', ...kinds],
    [
      faster('creates to the bare server', 'creates', (kind) => `bare, ${kind}`, aims.toBare),
      faster('queries to the bare server', 'queries', (kind) => `bare, ${kind}`, aims.toBare),
      faster('creates to Prism', 'creates', () => 'Prism', aims.toPrism),
      faster('queries to Prism', 'queries', () => 'Prism', aims.toPrism),
      row(`first answer under ${aims.firstAnswerMilliseconds} ms`, (_kind, { start: { answered } }) => {
        return `${answered.toFixed(0)}: ${verdict(answered < aims.firstAnswerMilliseconds)}`;
      }),
      row(`memory under ${aims.memoryMegabytes} MB`, (_kind, { memory: { started, loaded } }) => {
        const most = Math.max(started, loaded);
        return `${started.toFixed(0)}, after the load ${loaded.toFixed(0)}: ${verdict(most < aims.memoryMegabytes)}`;
      }),
      row(`query on a large table at most ${aims.growth.toFixed(1)} times as long as at 1,000 orders`, (kind) => {
        const found = largest(kind);
        if (!found) return undefined;
        return `${found.ratio.toFixed(2)} at ${found.orders.toLocaleString('en')}: ${verdict(found.ratio <= aims.growth)}`;
      }),
    ],
  );
}

/**
 * How many times as fast, by answers per second and by CPU time for one answer. The ratio is the median of the ratios
 * of the single rounds, since a machine that others use as well changes from one round to the next.
 */
function ratios(work: readonly Work[], yardstick: readonly Work[]): Work {
  const rounds = work.flatMap((each, round) => {
    const beside = yardstick[round];
    return beside ? [{ perSecond: each.perSecond / beside.perSecond, cpu: beside.cpu / each.cpu }] : [];
  });
  return { perSecond: median(rounds.map(({ perSecond }) => perSecond)), cpu: median(rounds.map(({ cpu }) => cpu)) };
}

/** How many times as long as on the smallest table, as the median over the rounds. */
function growthOf({ rounds }: GrowthResult, smallest: GrowthResult, name: keyof GrowthRound): number {
  return median(rounds.map((round, index) => round[name] / (smallest.rounds[index]?.[name] ?? Number.NaN)));
}

function kindOf({ name }: Contender): Kind {
  return kinds.find((kind) => name.endsWith(kind)) ?? kinds[0];
}

function verdict(met: boolean): string {
  return met ? 'met' : 'missed';
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = heading.map((_cell, index) => (index === 0 ? '---' : '---:'));
  return `${[heading, rule, ...rows].map(line).join('\n')}\n`;
}
