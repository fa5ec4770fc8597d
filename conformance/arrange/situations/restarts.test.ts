import { createServer } from 'node:http';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createContext } from '../../check/context.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import { openSession } from '../../run/session.ts';
import { listen } from '../../tests/support/loopback.ts';
import { signedClient } from '../requests/signed-client.ts';
import { askUntilBack } from './restarts.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Pauses that take no time to wait, and as much on the clock as they say. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Asks a target for what it fails at for good, beside a probe that it answers, or fails at too. */
async function askFailing(isProbeAnswered: boolean) {
  const server = createServer(({ url }, response) => {
    const isAnswered = isProbeAnswered && url === '/probe';
    response.end(isAnswered ? '{"code":"10000"}' : '{"code":"99999","message":"no"}');
  });
  const { port, close } = await listen(server);
  closing.push(close);
  const merchant = { merchantId: 'M-1', apiKey: 'key', apiSecret: 'secret' };
  const session = await openSession({
    target: `http://127.0.0.1:${port}`,
    merchants: { default: merchant },
    seed: 1,
    concurrency: 1,
    timeout: 5000,
    settle: 0,
    webhookWait: 0,
  });
  closing.push(async () => session.close());
  let paused = 0;
  const context = {
    ...createContext(session, 'a.first'),
    pause: async (milliseconds: number) => {
      paused += milliseconds;
      vi.setSystemTime(Date.now() + milliseconds);
    },
  };
  const client = signedClient(context, merchant);
  const ask = (path: string) => () => client.send({ method: 'GET', path });
  const error: unknown = await askUntilBack(context, ask('/wanted'), ask('/probe')).catch((thrown: unknown) => thrown);
  return { error, paused };
}

describe('a target that was ended and fails at a request', () => {
  it('is said to fail at that one alone where it answers others, soon', async () => {
    const { error, paused } = await askFailing(true);
    expect(error).toBeInstanceOf(Inconclusive);
    expect(String(error)).toContain('the target answers again after its restart, but fails at this request');
    expect(paused).toBeLessThan(15_000);
  });

  it('is said not to have come back where it answers nothing', async () => {
    const { error, paused } = await askFailing(false);
    expect(error).toBeInstanceOf(Inconclusive);
    expect(String(error)).toContain('the target did not come back');
    expect(paused).toBeGreaterThan(50_000);
  });
});
