import { createServer } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { createContext } from '../../check/context.ts';
import { openSession } from '../../run/session.ts';
import { listen } from '../../tests/support/loopback.ts';
import { sharedAnswer } from './shared-answers.ts';
import { signedClient } from './signed-client.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('an answer that several checks share', () => {
  it('is asked for once, and once more after the clock of the target has jumped', async () => {
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
    const ask = async (check: string) => {
      const context = createContext(session, check);
      const send = () => signedClient(context, merchant).send({ method: 'GET', path: '/shared' });
      return (await sharedAnswer(context, 'the same', send)).json;
    };
    expect(await ask('a.first')).toEqual({ asked: 1 });
    expect(await ask('a.second')).toEqual({ asked: 1 });
    clock.ahead = 240_000;
    await signedClient(createContext(session, 'a.third'), merchant).send({ method: 'GET', path: '/other' });
    expect(await ask('a.fourth')).toEqual({ asked: 2 });
    expect(await ask('a.fifth')).toEqual({ asked: 2 });
  });
});
