import { Agent, get } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { Machine, OrdersEvent, OrdersState } from '../../generated/catalogue.ts';
import type { AppParts } from '../app.ts';
import type { ApiKey, Merchant } from '../domain/merchant.ts';
import { failureOf, orderOf } from './support/contract.ts';
import { send } from './support/http.ts';
import {
  type MerchantClient,
  merchantClient,
  newMerchant,
  startTestServer,
  type TestServer,
} from './support/server.ts';

const servers: TestServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  servers.push(server);
  return server;
}

/** A merchant of a server that has no control API. */
async function provisioned(server: TestServer): Promise<MerchantClient> {
  const [merchantId, createdAt] = ['M-1', server.clock()];
  const settings = { checkoutEnabled: true, balances: {}, paymentMethods: [], usdRate: '1', automatic: false };
  const merchant: Merchant = { merchantId, settings, ledger: {}, clockOffset: 0, createdAt };
  const key: ApiKey = { merchantId, apiKey: 'ak_1', apiSecret: 'sk_1', createdAt, endsAt: null };
  await server.storage.transaction(async (records) => {
    await records.insertMerchant(merchant);
    await records.insertApiKey(key);
  });
  return merchantClient(server, key);
}

/** A server whose orders have no id: the contract asks for one. */
const withoutIds = (parts: AppParts): AppParts => ({ ...parts, ids: { ...parts.ids, orderId: () => '' } });

/** A server whose machine knows a state that the contract does not. */
const inUnknownState = (parts: AppParts): AppParts => {
  const initial: string = 'PENDING';
  const machine: Machine<OrdersState, OrdersEvent> = { ...parts.states.orders };
  Reflect.set(machine, 'initial', initial);
  return { ...parts, states: { ...parts.states, orders: machine } };
};

describe('an answer of ours that breaks the contract', () => {
  test.each([
    ['an empty order id', withoutIds, /orderId/],
    ['an unknown status', inUnknownState, /status/],
  ])('with %s is a 500 that says where, and is logged', async (_, replace, where) => {
    const server = await start({ replace });
    const merchant = merchantClient(server, await newMerchant(server));
    const body = merchant.body();
    for (const answer of [await merchant.post(body), await merchant.get(body.merchantOrderId)]) {
      expect(answer.status).toBe(500);
      expect(answer.text).toMatch(where);
      expect(answer.text).not.toContain('"code"');
    }
    expect(server.logged).toEqual([expect.stringMatching(where), expect.stringMatching(where)]);
  });

  test('is not looked for in production', async () => {
    const server = await start({ mode: 'production', replace: withoutIds });
    const merchant = await provisioned(server);
    const answer = await merchant.post(merchant.body());
    expect(answer).toMatchObject({ status: 200, body: { code: '00000', data: { orderId: '' } } });
    expect(server.logged).toEqual([]);
  });
});

test('production holds requests against the contract as the sandbox does', async () => {
  const merchant = await provisioned(await start({ mode: 'production' }));
  const { merchantOrderId } = orderOf(await merchant.post(merchant.body()));
  orderOf(await merchant.get(merchantOrderId));
  expect(failureOf(await merchant.post({ ...merchant.body(), returnUrl: 1 })).message).toContain('returnUrl');
});

describe('a failure of ours', () => {
  const secret = 'postgres://user:hunter2@db';
  const gone = () => Promise.reject(new Error(`cannot reach ${secret}`));
  const broken = (parts: AppParts): AppParts => ({
    ...parts,
    storage: { ...parts.storage, insertOrder: gone, transaction: gone },
  });

  test('is 99999 in the failure envelope, with HTTP status 200, and says nothing of its cause', async () => {
    const storages: AppParts[] = [];
    const server = await start({
      replace: (parts) => {
        storages.push(parts);
        return broken(parts);
      },
    });
    const [own] = storages;
    if (!own) throw new Error('the server has no parts');
    const merchant = await provisioned({ ...server, storage: own.storage });
    const answer = await merchant.post(merchant.body());
    expect(failureOf(answer)).toMatchObject({ code: '99999', data: { merchantId: 'M-1' } });
    expect(answer.text).not.toContain('hunter2');
    // The background work may have failed in the meantime as well, and says so in other words.
    expect(server.logged.filter((line) => line.startsWith('a request failed'))).toHaveLength(1);
  });
});

describe('the server', () => {
  test('has nothing outside its areas', async () => {
    const { url } = await start();
    for (const target of ['/', '/api/v1/merchants/M-1', '/api/v2/merchants/M-1/orders', '/checkout/ord.1', '//']) {
      expect((await send(url, { method: 'GET', target })).status).toBe(404);
    }
  });

  test('does not say what it is made of', async () => {
    const { url } = await start();
    const response = await fetch(url);
    await response.text();
    expect(response.headers.get('x-powered-by')).toBeNull();
    expect(response.headers.get('etag')).toBeNull();
  });

  test('refuses a port that is taken, and says so', async () => {
    const { url } = await start();
    await expect(start({ port: Number(new URL(url).port) })).rejects.toThrow(/EADDRINUSE/);
  });

  test('answers what is under way before it ends, and nothing after', async () => {
    let proceed: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    let reached: () => void = () => {};
    const underWay = new Promise<void>((resolve) => {
      reached = resolve;
    });
    // The server has transactions of its own; only those after a request came are held.
    let requested = false;
    const server = await startTestServer({
      replace: (parts) => ({
        ...parts,
        ids: {
          ...parts.ids,
          merchantId: () => {
            requested = true;
            return parts.ids.merchantId();
          },
        },
        storage: {
          ...parts.storage,
          transaction: async (work) => {
            if (requested) {
              reached();
              await held;
            }
            return parts.storage.transaction(work);
          },
        },
      }),
    });
    const creation = newMerchant(server);
    await underWay;
    // A client keeps its connection for ever: a server that waited for it would never end.
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve, reject) => {
      get(server.url, { agent }, (response) => response.resume().once('end', resolve)).once('error', reject);
    });
    const closed = server.close();
    proceed();
    expect((await creation).merchantId).not.toBe('');
    await closed;
    agent.destroy();
    await expect(send(server.url, { method: 'GET', target: '/' })).rejects.toThrow();
  });
});
