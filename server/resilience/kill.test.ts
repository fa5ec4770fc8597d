import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { contentsOf } from './testing/contents.ts';
import { type InstanceProcess, spawnInstance } from './testing/instance.ts';
import { seededRandom } from './testing/random.ts';
import { type Receivers, startReceivers } from './testing/receivers.ts';
import { brokenStatements, undeliveredOf } from './testing/statements.ts';
import { controlToken, createTraffic, provision } from './testing/traffic.ts';

/** How often the server is killed while it works. */
const kills = 20;
/** How many orders are active at the same time. */
const width = 8;
/**
 * How many orders and refunds a round requests at most before the kill, and the further delay of the kill in
 * milliseconds.
 */
const [most, latest] = [24, 40];
/** How long a server that is killed at its start has been running at most, in milliseconds. */
const longestStart = 400;

let data: string;
let receivers: Receivers;
const started: InstanceProcess[] = [];

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'assay-kill-'));
  receivers = await startReceivers();
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((instance) => instance.kill()));
});

afterAll(async () => {
  await receivers.close();
  await rm(data, { recursive: true });
});

function spawnServer(): InstanceProcess {
  const instance = spawnInstance(['--data', data, '--control-token', controlToken]);
  started.push(instance);
  return instance;
}

test(`${kills} kills under load lose nothing that was acknowledged`, { timeout: 600_000 }, async () => {
  const random = seededRandom();
  const database = join(data, 'assay.sqlite');
  let server = spawnServer();
  let url = await server.ready();
  const { callbackUrl, notifyUrl } = receivers;
  const merchants = [await provision(url, notifyUrl), await provision(url, notifyUrl)];
  const traffic = createTraffic({ random, merchants, targets: () => [url], callbackUrl });

  for (let kill = 1; kill <= kills; kill += 1) {
    let alive = true;
    const load = traffic.run(width, () => alive);
    const enough = traffic.sent.length + 1 + random.below(most);
    await vi.waitUntil(() => traffic.sent.length >= enough, { interval: 5, timeout: 60_000 });
    await pause(random.below(latest));
    const killed = server.kill();
    alive = false;
    await killed;
    await load;
    const broken = brokenStatements(await contentsOf(database), traffic);
    expect(broken, `after kill ${kill}, ASSAY_SEED=${random.seed}`).toEqual([]);

    server = spawnServer();
    if (random.chance(0.2)) {
      // The server is killed again while it starts and resumes the work of the previous server.
      await pause(random.below(longestStart));
      await server.kill();
      server = spawnServer();
    }
    url = await server.ready();
    await traffic.repeatUnanswered();
  }

  const contents = await contentsOf(database);
  const message = `ASSAY_SEED=${random.seed}`;
  expect(brokenStatements(contents, traffic), message).toEqual([]);
  expect(traffic.interrupted(), 'kills that hit nothing prove nothing').toBeGreaterThan(kills);
  const undelivered = async () => undeliveredOf(await contentsOf(database));
  // Deliveries that the last killed server had claimed arrive after the claim has expired.
  await expect.poll(undelivered, { message, interval: 500, timeout: 60_000 }).toEqual([]);
  const events = receivers.events();
  const missing = contents.deliveries.map(({ eventId }) => eventId).filter((eventId) => !events.has(eventId));
  expect(missing, message).toEqual([]);
  const { orders, refunds, deliveries } = contents;
  console.info(
    `${kills} kills, ${orders.length} orders, ${refunds.length} refunds, ${deliveries.length} webhooks, ` +
      `${traffic.interrupted()} requests without an answer`,
  );
});
