import type { Credentials } from '../testing/signing.ts';
import { type Kind, kinds } from './contenders.ts';
import { provision } from './database.ts';
import { load, median, quantile } from './load.ts';
import { orderIdOf, queryRequest } from './requests.ts';
import { assay, type Server, start } from './servers.ts';

/** A query by itself on a table of a size. */
export interface GrowthResult {
  kind: Kind;
  orders: number;
  /** Latency in milliseconds. */
  median: number;
  p99: number;
  /** What the server's process spent on one answer, in microseconds. */
  cpu: number;
}

interface Round {
  median: number;
  p99: number;
  cpu: number;
}

const queriesPerRound = 1000;

/**
 * Signed queries, one at a time, of orders all over the table; one server for each size and kind of database, in turn in every
 * round. Medians over the rounds.
 */
export async function measureGrowth(plan: {
  folder: string;
  newDatabase(kind: Kind, name: string): Promise<string>;
  sizes: readonly number[];
  rounds: number;
}): Promise<GrowthResult[]> {
  const { folder, newDatabase, sizes, rounds } = plan;
  const subjects: { kind: Kind; orders: number; merchant: Credentials; server: Server; measured: Round[] }[] = [];
  try {
    for (const kind of kinds) {
      for (const orders of sizes) {
        const database = await newDatabase(kind, `orders_${orders}`);
        const merchant = await provision(database, orders);
        const server = await start(assay(`${orders} orders, ${kind}`, database), merchant, folder);
        subjects.push({ kind, orders, merchant, server, measured: [] });
      }
    }
    for (let round = 0; round <= rounds; round += 1) {
      for (const { orders, merchant, server, measured } of subjects) {
        const ids = Array.from({ length: queriesPerRound }, () => 1 + Math.floor(Math.random() * orders));
        const requests = ids.map((id) => queryRequest(merchant, orderIdOf(id)));
        const before = await server.usage();
        const { latencies } = await load(server.port, requests, 1);
        const cpu = ((await server.usage()).cpu - before.cpu) / requests.length;
        // The first round only warms up.
        if (round > 0) measured.push({ median: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), cpu });
      }
    }
  } finally {
    for (const { server } of subjects) await server.stop();
  }
  return subjects.map(({ kind, orders, measured }) => ({
    kind,
    orders,
    median: median(measured.map((round) => round.median)),
    p99: median(measured.map((round) => round.p99)),
    cpu: median(measured.map((round) => round.cpu)),
  }));
}
