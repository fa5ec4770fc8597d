import type { Credentials } from '../tests/support/signing.ts';
import { provision } from './database.ts';
import { load, median } from './load.ts';
import { createRequest, newOrderId, queryRequest } from './requests.ts';
import { assay, bare, prism, type Server, type Subject, start } from './servers.ts';

export const kinds = ['SQLite', 'PostgreSQL'] as const;

/** A kind of database. */
export type Kind = (typeof kinds)[number];

/** Measurements of one operation in one round. */
export interface Work {
  /** Answers per second, over all connections. */
  perSecond: number;
  /**
   * CPU time of the server's process for one answer, in microseconds; nearly the same when others use the machine too.
   */
  cpu: number;
}

/** A program in the run, and its measurements. */
export interface Contender {
  name: string;
  /** One entry for each round. All contenders take their turn within the same round. */
  creates: readonly Work[];
  queries: readonly Work[];
  /**
   * Milliseconds since the process was started: until the line on stdout, if there is one, and until the first answer.
   */
  start: { announced: number | undefined; answered: number };
  /** Resident memory after the first answer and after all rounds, in megabytes. */
  memory: { started: number; loaded: number };
}

interface Entry {
  subject: Subject;
  merchant: Credentials;
}

interface Plan {
  folder: string;
  newDatabase(kind: Kind, name: string): Promise<string>;
  connections: number;
  requestsPerRound: number;
  rounds: number;
  /** How often each program is started. */
  starts: number;
  withPrism: boolean;
}

/**
 * Measures the starts of all programs in turn, then loads all programs in turn, round by round. All programs are
 * stopped at the end. `client` is the CPU time that the measuring process itself spent on a request, in microseconds.
 */
export async function measureContenders(plan: Plan): Promise<{ contenders: Contender[]; client: number }> {
  const entries = await enter(plan);
  const starts = await measureStarts(entries, plan);
  const { loads, client } = await measureLoads(entries, plan);
  return {
    client,
    contenders: entries.map(({ subject: { name } }, index) => {
      const [started = [], rounds = []] = [starts[index], loads[index]];
      const announced = started.flatMap((each) => each.announced ?? []);
      return {
        name,
        creates: rounds.map(({ creates }) => creates),
        queries: rounds.map(({ queries }) => queries),
        start: {
          announced: announced.length === 0 ? undefined : median(announced),
          answered: median(started.map((each) => each.answered)),
        },
        memory: { started: median(started.map((each) => each.memory)), loaded: rounds.at(-1)?.memory ?? Number.NaN },
      };
    }),
  };
}

/** Both programs on both databases, each with its own database; and Prism, which stores nothing. */
async function enter({ newDatabase, withPrism }: Plan): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const kind of kinds) {
    const [ofBare, ofAssay] = [await newDatabase(kind, 'bare'), await newDatabase(kind, 'assay')];
    entries.push({ subject: bare(`bare, ${kind}`, ofBare), merchant: await provision(ofBare, 1) });
    entries.push({ subject: assay(`Assay, ${kind}`, ofAssay), merchant: await provision(ofAssay, 1) });
  }
  const [first] = entries;
  if (!withPrism || !first) return entries;
  const { logging, silent } = await prism();
  const { merchant } = first;
  return [...entries, { subject: logging, merchant }, { subject: silent, merchant }];
}

async function measureStarts(entries: readonly Entry[], plan: Plan) {
  const starts = entries.map((): { announced: number | undefined; answered: number; memory: number }[] => []);
  for (let round = 1; round <= plan.starts; round += 1) {
    for (const [index, { subject, merchant }] of entries.entries()) {
      const server = await start(subject, merchant, plan.folder);
      try {
        starts[index]?.push({ ...server.started, memory: megabytes(await server.usage()) });
      } finally {
        await server.stop();
      }
    }
  }
  return starts;
}

/** The number of warm-up rounds. Before they end, much of a program is still interpreted. */
const warmUps = 4;

/**
 * Measures rounds of creates followed by queries of the created orders. The order of programs changes from round to
 * round.
 */
async function measureLoads(entries: readonly Entry[], { folder, rounds, requestsPerRound, connections }: Plan) {
  const loads = entries.map((): { creates: Work; queries: Work; memory: number }[] => []);
  const client: number[] = [];
  const running: { index: number; merchant: Credentials; server: Server }[] = [];

  const work = async (server: Server, requests: readonly Buffer[]): Promise<Work> => {
    const [before, own] = [await server.usage(), process.cpuUsage()];
    const { perSecond } = await load(server.port, requests, connections);
    const { user, system } = process.cpuUsage(own);
    client.push((user + system) / requests.length);
    return { perSecond, cpu: ((await server.usage()).cpu - before.cpu) / requests.length };
  };

  try {
    for (const [index, { subject, merchant }] of entries.entries()) {
      running.push({ index, merchant, server: await start(subject, merchant, folder) });
    }
    for (let round = 1 - warmUps; round <= rounds; round += 1) {
      running.push(...running.splice(0, 1));
      for (const { index, merchant, server } of running) {
        const ids = Array.from({ length: requestsPerRound }, newOrderId);
        const requestsOf = (request: typeof createRequest) => ids.map((id) => request(merchant, id));
        const creates = await work(server, requestsOf(createRequest));
        const queries = await work(server, requestsOf(queryRequest));
        const memory = megabytes(await server.usage());
        if (round > 0) loads[index]?.push({ creates, queries, memory });
      }
    }
  } finally {
    for (const { server } of running) await server.stop();
  }
  return { loads, client: median(client) };
}

function megabytes({ memory }: { memory: number }): number {
  return memory / 2 ** 20;
}
