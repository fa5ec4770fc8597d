import { createServer } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { type CheckContext, createContext } from '../../check/context.ts';
import { restartsAtOnce } from '../../check/restarts.ts';
import { openSession } from '../../run/session.ts';
import { listen } from '../../tests/support/loopback.ts';
import { sharedAnswer } from './shared-answers.ts';
import { signedClient } from './signed-client.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A session of one place with a target that counts how often something is asked for, and whose clock can be ahead. */
async function openCounting() {
  const clock = { ahead: 0 };
  let asked = 0;
  const server = createServer(({ url }, response) => {
    if (url === '/shared') asked += 1;
    response.setHeader('date', new Date(Date.now() + clock.ahead).toUTCString()).end(`{"asked":${asked}}`);
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
  const get = (context: CheckContext, path: string) => signedClient(context, merchant).send({ method: 'GET', path });
  return { clock, session, get };
}

describe('an answer that several checks share', () => {
  it('is asked for once, and once more after the clock of the target has jumped', async () => {
    const { clock, session, get } = await openCounting();
    const ask = async (check: string) => {
      const context = createContext(session, check);
      return (await sharedAnswer(context, 'the same', () => get(context, '/shared'))).json;
    };
    expect(await ask('a.first')).toEqual({ asked: 1 });
    expect(await ask('a.second')).toEqual({ asked: 1 });
    clock.ahead = 240_000;
    await get(createContext(session, 'a.third'), '/other');
    expect(await ask('a.fourth')).toEqual({ asked: 2 });
    expect(await ask('a.fifth')).toEqual({ asked: 2 });
  });

  it('comes to those who wait for it although the check that asks gives its place away and takes it again', async () => {
    const { session, get } = await openCounting();
    const ask = async (check: string) => {
      const place = await session.pace.enter();
      const context = createContext(session, check, { place, restarts: restartsAtOnce, ended: Promise.resolve() });
      const send = async () => {
        await context.pause(20);
        return get(context, '/shared');
      };
      try {
        return (await sharedAnswer(context, 'the same', send)).json;
      } finally {
        place.leave();
      }
    };
    expect(await Promise.all(['a.first', 'a.second', 'a.third'].map(ask))).toEqual(Array(3).fill({ asked: 1 }));
  });
});
