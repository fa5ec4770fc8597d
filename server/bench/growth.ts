import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials } from '../testing/signing.ts';
import { provision } from './database.ts';
import { load, median, quantile } from './load.ts';
import { orderIdOf, queryRequest } from './requests.ts';
import { assay, type Server, start } from './servers.ts';

/** Latency of a query, in milliseconds. */
export interface GrowthResult {
  orders: number;
  median: number;
  p99: number;
}

const queriesPerRound = 1000;

/**
 * Latency of signed queries, one at a time, of orders all over a SQLite table; one server for each size, in turn in every
 * round. Medians over the rounds.
 */
export async function measureGrowth(folder: string, sizes: readonly number[], rounds: number): Promise<GrowthResult[]> {
  const subjects: { orders: number; merchant: Credentials; server: Server; medians: number[]; p99s: number[] }[] = [];
  try {
    for (const orders of sizes) {
      const data = join(folder, `orders-${orders}`);
      await mkdir(data);
      const merchant = await provision(data, orders);
      const server = await start(assay(`${orders} orders`, data), merchant);
      subjects.push({ orders, merchant, server, medians: [], p99s: [] });
    }
    for (let round = 0; round <= rounds; round += 1) {
      for (const { orders, merchant, server, medians, p99s } of subjects) {
        const ids = Array.from({ length: queriesPerRound }, () => 1 + Math.floor(Math.random() * orders));
        const { latencies } = await load(
          server.port,
          ids.map((id) => queryRequest(merchant, orderIdOf(id))),
          1,
        );
        // The first round only warms up.
        if (round === 0) continue;
        medians.push(quantile(latencies, 0.5));
        p99s.push(quantile(latencies, 0.99));
      }
    }
  } finally {
    for (const { server } of subjects) await server.stop();
  }
  return subjects.map(({ orders, medians, p99s }) => ({ orders, median: median(medians), p99: median(p99s) }));
}
