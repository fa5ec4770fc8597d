import { setTimeout as pause } from 'node:timers/promises';
import { contentsOf } from './contents.ts';
import { type InstanceProcess, spawnInstance } from './instance.ts';
import type { Random } from './random.ts';
import type { Receivers } from './receivers.ts';
import { brokenStatements, undeliveredOf } from './statements.ts';
import { controlToken, createTraffic, provision } from './traffic.ts';

/** How many orders are active at the same time. */
const width = 8;
/**
 * How many orders and refunds a round requests at most before the kill, and the further delay of the kill in
 * milliseconds.
 */
const [most, latest] = [24, 40];
/** How long a server that is killed at its start has been running at most, in milliseconds. */
const longestStart = 400;
/** How long a round may take to send its requests, and the last webhooks to arrive, in milliseconds: only a hang takes longer. */
const longestWait = 120_000;

/** A server to kill and what it works with. */
export interface KillPlan {
  /** How often the server is killed while it works. */
  kills: number;
  /** Its database, as a location and as flags of `assay serve`. */
  database: string;
  flags: readonly string[];
  receivers: Receivers;
  random: Random;
}

/** What was found after the kills. */
export interface KillOutcome {
  /** Each statement that does not hold, and after which kill; empty when all hold. */
  broken: string[];
  /** Kills that hit a server under load; those at a start come on top. */
  kills: number;
  killsAtStart: number;
  orders: number;
  refunds: number;
  webhooks: number;
  /** Requests that the kills left without an answer. */
  interrupted: number;
}

/** Kills a server under load again and again, and holds its database against what it had acknowledged. */
export async function killUnderLoad({ kills, database, flags, receivers, random }: KillPlan): Promise<KillOutcome> {
  let server: InstanceProcess | undefined;
  const start = async () => {
    server = spawnInstance([...flags, '--control-token', controlToken]);
    return server.ready();
  };
  try {
    let url = await start();
    const { callbackUrl, notifyUrl } = receivers;
    const merchants = [await provision(url, notifyUrl), await provision(url, notifyUrl)];
    const traffic = createTraffic({ random, merchants, targets: () => [url], callbackUrl });
    let killsAtStart = 0;
    const outcome = async (killed: number, found: string[]): Promise<KillOutcome> => {
      const { orders, refunds, deliveries } = await contentsOf(database);
      return {
        broken: found.map((statement) => `after kill ${killed}: ${statement}`),
        ...{ kills: killed, killsAtStart, interrupted: traffic.interrupted() },
        ...{ orders: orders.length, refunds: refunds.length, webhooks: deliveries.length },
      };
    };

    for (let kill = 1; kill <= kills; kill += 1) {
      let alive = true;
      const load = traffic.run(width, () => alive);
      const enough = traffic.sent.length + 1 + random.below(most);
      await until(() => traffic.sent.length >= enough, 5);
      await pause(random.below(latest));
      const killed = server?.kill();
      alive = false;
      await killed;
      await load;
      const broken = brokenStatements(await contentsOf(database), traffic);
      if (broken.length > 0) return await outcome(kill, broken);
      const ready = start();
      if (random.chance(0.2)) {
        // The server is killed again while it starts and resumes the work of the previous server.
        ready.catch(() => {});
        await pause(random.below(longestStart));
        await server?.kill();
        killsAtStart += 1;
        url = await start();
      } else {
        url = await ready;
      }
      await traffic.repeatUnanswered();
    }

    const contents = await contentsOf(database);
    const broken = brokenStatements(contents, traffic);
    // Deliveries that the last killed server had claimed arrive after the claim has expired.
    let undelivered: readonly unknown[] = [];
    const arrived = await until(async () => {
      undelivered = undeliveredOf(await contentsOf(database));
      return undelivered.length === 0;
    }, 500).catch(() => false);
    if (arrived === false) broken.push(`${undelivered.length} webhooks are not delivered`);
    const events = receivers.events();
    const missing = contents.deliveries.filter(({ eventId }) => !events.has(eventId));
    return await outcome(kills, [...broken, ...missing.map(({ eventId }) => `event ${eventId} never arrived`)]);
  } finally {
    await server?.kill();
  }
}

/** Resolves with true once `holds` is true; rejects when it takes too long. `interval` is in milliseconds. */
async function until(holds: () => boolean | Promise<boolean>, interval: number): Promise<true> {
  const end = Date.now() + longestWait;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`nothing happened within ${longestWait / 1000} s`);
    await pause(interval);
  }
  return true;
}
