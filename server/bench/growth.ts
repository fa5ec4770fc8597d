import type { Credentials } from '../tests/support/signing.ts';
import { type Kind, kinds } from './contenders.ts';
import { provision } from './database.ts';
import { load, quantile } from './load.ts';
import { orderIdOf, queryRequest } from './requests.ts';
import { assay, type Server, start } from './servers.ts';

/** Measurements of single queries on a table of one size. */
export interface GrowthResult {
  kind: Kind;
  orders: number;
  /** One entry for each round. All sizes take their turn within the same round. */
  rounds: readonly GrowthRound[];
}

export interface GrowthRound {
  /** Latency in milliseconds. */
  median: number;
  p99: number;
  /** CPU time of the server's process for one answer, in microseconds. */
  cpu: number;
}

const queriesPerRound = 300;
/** The number of warm-up rounds. */
const warmUps = 3;

/**
 * Sends signed queries, one at a time, of orders all over the table. Each size and kind of database has its own server,
 * and all servers take their turn in every round.
 */
export async function measureGrowth(plan: {
  folder: string;
  newDatabase(kind: Kind, name: string): Promise<string>;
  sizes: readonly number[];
  rounds: number;
}): Promise<GrowthResult[]> {
  const { folder, newDatabase, sizes, rounds } = plan;
  const subjects: { kind: Kind; orders: number; merchant: Credentials; server: Server; measured: GrowthRound[] }[] = [];
  try {
    for (const kind of kinds) {
      for (const orders of sizes) {
        const database = await newDatabase(kind, `orders_${orders}`);
        const merchant = await provision(database, orders);
        const server = await start(assay(`${orders} orders, ${kind}`, database), merchant, folder);
        subjects.push({ kind, orders, merchant, server, measured: [] });
      }
    }
    for (let round = 1 - warmUps; round <= rounds; round += 1) {
      for (const { orders, merchant, server, measured } of subjects) {
        const ids = Array.from({ length: queriesPerRound }, () => 1 + Math.floor(Math.random() * orders));
        const requests = ids.map((id) => queryRequest(merchant, orderIdOf(id)));
        const before = await server.usage();
        const { latencies } = await load(server.port, requests, 1);
        const cpu = ((await server.usage()).cpu - before.cpu) / requests.length;
        if (round > 0) measured.push({ median: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), cpu });
      }
    }
  } finally {
    for (const { server } of subjects) await server.stop();
  }
  return subjects.map(({ kind, orders, measured }) => ({ kind, orders, rounds: measured }));
}
