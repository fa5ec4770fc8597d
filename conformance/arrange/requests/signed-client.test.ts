import { createServer } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { createContext } from '../../check/context.ts';
import { openSession } from '../../run/session.ts';
import { listen } from '../../tests/support/loopback.ts';
import { signedClient } from './signed-client.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('a signed request that had to wait', () => {
  it('is signed anew with the time at which it is sent, a timestamp of its own at its distance from it', async () => {
    const seen: { timestamp: number; signature: string }[] = [];
    const server = createServer(({ headers }, response) => {
      seen.push({ timestamp: Number(headers['x-timestamp']), signature: String(headers['x-signature']) });
      // The first request is the run's greeting.
      response.writeHead(seen.length % 2 === 0 ? 429 : 200, { 'retry-after': '1' }).end('{}');
    });
    const { port, close } = await listen(server);
    closing.push(close);
    const merchant = { merchantId: 'M-1', apiKey: 'key', apiSecret: 'secret' };
    const session = await openSession({
      target: `http://127.0.0.1:${port}`,
      merchants: { default: merchant },
      seed: 1,
      concurrency: 16,
      timeout: 5000,
      settle: 0,
      webhookWait: 0,
    });
    closing.push(async () => session.close());
    const client = signedClient(createContext(session, 'a.check'), merchant);
    const ago = 290_000;
    const before = Date.now();
    await client.send({ method: 'GET', path: '/a' });
    await client.send({ method: 'GET', path: '/a', timestamp: String(Date.now() - ago) });
    const [, first, again, past, pastAgain] = seen.map(({ timestamp }) => timestamp);
    expect(first).toBeGreaterThanOrEqual(before);
    expect((again ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(990);
    expect((pastAgain ?? 0) - (past ?? 0)).toBeGreaterThanOrEqual(990);
    expect(Math.abs((pastAgain ?? 0) + ago - Date.now())).toBeLessThan(5000);
    expect(new Set(seen.slice(1).map(({ signature }) => signature)).size).toBe(4);
    // Ten requests alike within a millisecond have ten signatures.
    const earlier = seen.length;
    await Promise.all(Array.from({ length: 10 }, () => client.send({ method: 'GET', path: '/a' })));
    expect(new Set(seen.slice(earlier).map(({ signature }) => signature)).size).toBe(seen.length - earlier);
  });
});
