import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { startPostgres, type TestPostgres } from '../storage/testing/postgres.ts';
import { contentsOf } from './testing/contents.ts';
import { type InstanceProcess, spawnInstance } from './testing/instance.ts';
import { seededRandom } from './testing/random.ts';
import { startReceivers } from './testing/receivers.ts';
import { brokenStatements, undeliveredOf } from './testing/statements.ts';
import { controlToken, createTraffic, provision } from './testing/traffic.ts';

/** How many orders are active at the same time. */
const width = 8;
/** How many orders and refunds are requested in total, and after about how many of them an instance is killed. */
const [all, half] = [240, 120];
/** The delay of a slow receiver. It is longer than the interval at which each instance looks for due work. */
const slowAnswer = 700;

let postgres: TestPostgres;
const started: InstanceProcess[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(async () => {
  await Promise.all(started.map((instance) => instance.kill()));
  await postgres.stop();
});

// The tests run concurrently because each waits until the claims of the killed instance have expired.
describe.concurrent('over one PostgreSQL database', () => {
  test.for([2, 3])(
    '%i instances and then one less keep their word',
    { timeout: 600_000 },
    async (count, { expect }) => {
      const random = seededRandom();
      const message = `ASSAY_SEED=${random.seed}`;
      const database = await postgres.createDatabase(`instances_${count}`);
      const receivers = await startReceivers(() => (random.chance(0.2) ? slowAnswer : 0));
      // The instances start at the same moment, so that all of them find no tables.
      const instances = Array.from({ length: count }, () =>
        spawnInstance(['--database', database, '--control-token', controlToken]),
      );
      started.push(...instances);
      const urls = await Promise.all(instances.map((instance) => instance.ready()));
      const [first = ''] = urls;
      const { callbackUrl, notifyUrl } = receivers;
      const merchants = [await provision(first, notifyUrl), await provision(first, notifyUrl)];
      let running: readonly string[] = urls;
      const traffic = createTraffic({ random, merchants, targets: () => running, callbackUrl });

      const load = traffic.run(width, () => traffic.sent.length < all);
      const middle = half + random.below(half / 2);
      await vi.waitUntil(() => traffic.sent.length >= middle, { interval: 5, timeout: 60_000 });
      const victim = random.below(count);
      const killed = instances[victim]?.kill();
      running = urls.filter((_, index) => index !== victim);
      await Promise.all([killed, load]);
      await traffic.repeatUnanswered();

      const contents = await contentsOf(database);
      expect(brokenStatements(contents, traffic), message).toEqual([]);
      const undelivered = async () => undeliveredOf(await contentsOf(database));
      await expect.poll(undelivered, { message, interval: 500, timeout: 60_000 }).toEqual([]);
      const events = receivers.events();
      expect(
        contents.deliveries.map(({ eventId }) => eventId).filter((eventId) => !events.has(eventId)),
        message,
      ).toEqual([]);
      expect(receivers.overlapping, message).toEqual([]);
      await receivers.close();
      const { orders, refunds, deliveries } = contents;
      console.info(
        `${count} instances, ${orders.length} orders, ${refunds.length} refunds, ${deliveries.length} webhooks, ` +
          `${traffic.interrupted()} requests without an answer`,
      );
    },
  );
});
