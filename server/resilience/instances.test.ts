import { expect, onTestFinished, test, vi } from 'vitest';
import { newPostgresDatabase } from '../storage/testing/postgres.ts';
import { contentsOf } from './testing/contents.ts';
import { spawnInstance } from './testing/instance.ts';
import { seededRandom } from './testing/random.ts';
import { startReceivers } from './testing/receivers.ts';
import { brokenStatements, undeliveredOf } from './testing/statements.ts';
import { controlToken, createTraffic, provision } from './testing/traffic.ts';

/** How many orders are active at the same time. */
const width = 8;
/** How many orders and refunds are requested in total, and after about how many of them an instance is killed. */
const [all, killsAfter] = [120, [40, 80]];
/** The delay of a slow receiver. It is longer than the interval at which each instance looks for due work. */
const slowAnswer = 700;
/** The longest wait for anything, in milliseconds; only a hang takes longer. */
const timeout = 180_000;

test('three instances over one PostgreSQL database, of which two are killed, keep their word', async () => {
  const random = seededRandom();
  const message = `ASSAY_SEED=${random.seed}`;
  const database = await newPostgresDatabase();
  const receivers = await startReceivers(() => (random.chance(0.2) ? slowAnswer : 0));
  // The instances start at the same moment, so that all of them find no tables.
  const started = Array.from({ length: 3 }, () =>
    spawnInstance(['--database', database, '--control-token', controlToken]),
  );
  onTestFinished(async () => {
    await Promise.all(started.map((instance) => instance.kill()));
    await receivers.close();
  });
  let running = await Promise.all(started.map(async ({ ready, kill }) => ({ url: await ready(), kill })));
  const { url } = random.pick(running);
  const { callbackUrl, notifyUrl } = receivers;
  const merchants = [await provision(url, notifyUrl), await provision(url, notifyUrl)];
  const targets = () => running.map((instance) => instance.url);
  const traffic = createTraffic({ random, merchants, targets, callbackUrl });

  const load = traffic.run(width, () => traffic.sent.length < all);
  for (const kill of killsAfter) {
    const enough = kill + random.below(width);
    await vi.waitUntil(() => traffic.sent.length >= enough, { interval: 5, timeout });
    const victim = random.pick(running);
    const killed = victim.kill();
    running = running.filter((instance) => instance !== victim);
    await killed;
  }
  await load;
  await traffic.repeatUnanswered();

  const contents = await contentsOf(database);
  expect(brokenStatements(contents, traffic), message).toEqual([]);
  // The claims of the killed instances expire before another sends what they had claimed.
  const undelivered = async () => undeliveredOf(await contentsOf(database));
  await expect.poll(undelivered, { message, interval: 500, timeout }).toEqual([]);
  const events = receivers.events();
  const missing = contents.deliveries.map(({ eventId }) => eventId).filter((eventId) => !events.has(eventId));
  expect(missing, message).toEqual([]);
  expect(receivers.overlapping, message).toEqual([]);
});
