import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../server/main.ts';
import type { Check } from '../check/check.ts';
import type { Session } from '../check/session.ts';
import { allChecks } from '../checks/index.ts';
import { runChecks } from '../run/runner.ts';
import { openSession } from '../run/session.ts';

/** One test for each check that the command line runs, against the reference server. */
describe('the reference server', () => {
  let server: RunningServer;
  let session: Session;
  const seed = Math.floor(Math.random() * 2 ** 31);

  beforeAll(async () => {
    server = await startServer({
      host: '127.0.0.1',
      port: 0,
      database: ':memory:',
      mode: 'sandbox',
      implementation: 'assay/test',
    });
    const { control: url = '', controlToken: token = '' } = server;
    session = await openSession({
      target: server.url,
      control: { url, token },
      merchants: {},
      seed,
      concurrency: 4,
      timeout: 10_000,
      settle: 5000,
    });
  });
  afterAll(async () => {
    await session.close();
    await server.close();
  });

  async function expectKept(check: Check): Promise<void> {
    const [result] = await runChecks(session, [check], { bail: false, pins: {} });
    const { verdict, reason, expected, actual } = result ?? {};
    const expectedVerdict = check.level === 'MAY' ? 'observed' : 'passed';
    expect({ verdict, reason, expected, actual }, `seed ${seed}`).toEqual({ verdict: expectedVerdict });
  }
  const named = (checks: readonly Check[]) => checks.map((check) => [check.id, check] as const);

  it.concurrent.each(named(allChecks.filter(({ afterwards }) => !afterwards)))('%s', (_id, check) => expectKept(check));
  it.each(named(allChecks.filter(({ afterwards }) => afterwards)))('%s', (_id, check) => expectKept(check));
});
