import { afterEach, describe, expect, it } from 'vitest';
import type { Send } from '../services/delivery/deliver.ts';
import { send } from '../tests/support/http.ts';
import { control, merchantClient, newMerchant, startTestServer, type TestServer } from '../tests/support/server.ts';
import { createLogger } from './logger.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface Line {
  message: string;
  [field: string]: unknown;
}

/** A server whose log is at hand. `line` resolves with the next line that fits, once it is there. */
async function startLogged(options: Parameters<typeof startTestServer>[0] = {}) {
  const lines: Line[] = [];
  let written = () => {};
  const logger = createLogger({
    write: (text) => {
      lines.push(JSON.parse(text));
      written();
    },
  });
  const server = await startTestServer({ logger, ...options });
  servers.push(server);
  const line = async (fits: (line: Line) => boolean): Promise<Line> => {
    for (;;) {
      const found = lines.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => {
        written = resolve;
      });
    }
  };
  return { server, lines, line, requestLine: (id: string) => line(({ requestId }) => requestId === id) };
}

const withId = (id: string) => ({ headers: { 'X-Request-Id': id } });

describe('every request', () => {
  it('is one line: what, for whom, and what came of it', async () => {
    const { server, lines, requestLine } = await startLogged();
    const merchant = merchantClient(server, await newMerchant(server));
    const { merchantId, ordersPath } = merchant;
    await merchant.post(merchant.body(), withId('created'));
    expect(await requestLine('created')).toEqual({
      time: expect.any(String),
      level: 'info',
      message: 'request',
      requestId: 'created',
      method: 'POST',
      path: ordersPath,
      area: 'orders',
      operation: 'orders.create',
      merchantId,
      status: 200,
      code: '00000',
      durationMs: expect.any(Number),
    });
    await merchant.get('no-such-order-here', withId('missed'));
    expect(await requestLine('missed')).toMatchObject({ operation: 'orders.query', code: '40001' });
    await control(
      server,
      'POST',
      `/merchants/${merchantId}/clock`,
      { advanceSeconds: 1 },
      {
        authorization: 'Bearer wrong',
        'x-request-id': 'refused',
      },
    );
    expect(await requestLine('refused')).toMatchObject({
      area: 'control',
      operation: 'advanceClock',
      merchantId,
      status: 401,
    });
    await send(server.url, { method: 'GET', target: '/nowhere', headers: { 'X-Request-Id': 'nowhere' } });
    const nowhere = await requestLine('nowhere');
    expect(nowhere).toMatchObject({ path: '/nowhere', status: 404 });
    expect(nowhere).not.toHaveProperty('area');
    expect(lines.filter(({ requestId }) => requestId === 'created')).toHaveLength(1);
  });

  it('has an area, operation and merchant also when it is refused for its signature', async () => {
    const { server, requestLine } = await startLogged();
    const merchant = merchantClient(server, await newMerchant(server));
    const target = `/api/v1/merchants/${merchant.merchantId}/checkout/payment-methods`;
    await merchant.request('GET', target, undefined, { headers: { 'X-Signature': 'no', 'X-Request-Id': 'unsigned' } });
    const { merchantId } = merchant;
    expect(await requestLine('unsigned')).toMatchObject({
      operation: 'checkout.payment-methods',
      merchantId,
      status: 401,
    });
  });

  it('leaves no credential, query value or body in the log', async () => {
    const { server, lines, requestLine } = await startLogged();
    const credentials = await newMerchant(server);
    const merchant = merchantClient(server, credentials);
    const canary = 'c4n4ry';
    const headers = { 'X-Signature': canary, Authorization: `Bearer ${canary}`, 'X-Request-Id': 'signed' };
    const target = `/api/v1/merchants/${merchant.merchantId}/refunds?refundOrderId=${canary}&${canary}`;
    await merchant.request('GET', target, undefined, { headers });
    await requestLine('signed');
    await merchant.post({ ...merchant.body(), description: canary }, withId('sent'));
    await requestLine('sent');
    const all = JSON.stringify(lines);
    for (const secret of [canary, credentials.apiKey, credentials.apiSecret, 'a control token']) {
      expect(all).not.toContain(secret);
    }
  });
});

describe('a request id', () => {
  it.each(['order-7', 'a', 'A.b_c-1'.padEnd(64, 'x')])('is the one that was sent: %s', async (id) => {
    const { server } = await startLogged();
    const answer = await send(server.url, { method: 'GET', target: '/x', headers: { 'X-Request-Id': id } });
    expect(answer.headers['x-request-id']).toBe(id);
  });

  it.each(['x'.repeat(65), 'a b', '{"a":1}', '-a', 'ä'])('is a new one instead of %s', async (id) => {
    const { server } = await startLogged();
    const answer = await send(server.url, { method: 'GET', target: '/x', headers: { 'X-Request-Id': id } });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is that of the refund envelope, of refusals and of successes', async () => {
    const { server } = await startLogged();
    const merchant = merchantClient(server, await newMerchant(server));
    const path = `/api/v1/merchants/${merchant.merchantId}/refunds`;
    const batch = JSON.stringify({ merchantRefundOrderIds: ['none'] });
    const found = await merchant.request('POST', `${path}/batch-query`, batch, withId('found'));
    expect(found).toMatchObject({ status: 200, body: { requestId: 'found' }, headers: { 'x-request-id': 'found' } });
    const missed = await merchant.request('GET', `${path}?refundOrderId=none`);
    expect(missed).toMatchObject({ status: 404, body: { requestId: missed.headers['x-request-id'] } });
  });
});

it('a failure is logged with its stack and the id of its request', async () => {
  const { server, line } = await startLogged({
    replace: (parts) => ({
      ...parts,
      ids: {
        ...parts.ids,
        orderId: () => {
          throw new Error('no more ids');
        },
      },
      log: (message, error, context) => logger.error({ ...context, error }, message),
    }),
  });
  const lines: Line[] = [];
  const logger = createLogger({ write: (text) => lines.push(JSON.parse(text)) });
  const merchant = merchantClient(server, await newMerchant(server));
  await merchant.post(merchant.body(), withId('failed'));
  expect(await line(({ requestId }) => requestId === 'failed')).toMatchObject({ code: '99999' });
  expect(lines).toMatchObject([
    { message: 'a request failed', requestId: 'failed', error: { message: 'no more ids', stack: expect.any(String) } },
  ]);
});

describe('health', () => {
  it('says whether the process and the database answer', async () => {
    let down = false;
    const { server } = await startLogged({
      replace: (parts) => ({
        ...parts,
        storage: {
          ...parts.storage,
          ping: () => (down ? Promise.reject(new Error('postgres://u:c4n4ry@db')) : parts.storage.ping()),
        },
      }),
    });
    const health = (what: string) => send(server.url, { method: 'GET', target: `/health/${what}` });
    expect(await health('ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
    down = true;
    const answer = await health('ready');
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain('c4n4ry');
    expect((await health('live')).status).toBe(200);
  });
});

describe('metrics', () => {
  /** The metrics of a server by name with labels. */
  async function metricsOf({ lines }: { lines: Line[] }): Promise<Map<string, number>> {
    const url = lines.find(({ metrics }) => metrics !== undefined)?.metrics;
    const text = await (await fetch(String(url))).text();
    const samples = text.split('\n').filter((each) => each !== '' && !each.startsWith('#'));
    return new Map(
      samples.map((each) => {
        const at = each.lastIndexOf(' ');
        return [each.slice(0, at), Number(each.slice(at + 1))];
      }),
    );
  }

  it('count requests, webhook attempts and the work that waits', async () => {
    let attempted = () => {};
    const attempts = new Promise<void>((resolve) => {
      attempted = resolve;
    });
    const answers = [{ httpStatus: 500 }, { httpStatus: 200 }, { error: 'gone' }];
    const toAll: Send = async () => {
      const result = answers.shift() ?? { error: 'one too many' };
      if (answers.length === 0) attempted();
      return result;
    };
    const logged = await startLogged({ metricsPort: 0, replace: (parts) => ({ ...parts, send: toAll }) });
    const { server, requestLine } = logged;
    const merchant = merchantClient(server, await newMerchant(server));
    for (const id of ['one', 'two', 'three']) {
      const { orderId } = await merchant.create({ callbackUrl: 'https://127.0.0.1:1/hook' });
      await control(server, 'POST', `/merchants/${merchant.merchantId}/orders/${orderId}/events`, {
        type: 'cancelled',
      });
      await merchant.get(`no-such-order-${id}`, withId(id));
      await requestLine(id);
    }
    await attempts;
    const metrics = await metricsOf(logged);
    const requests = (labels: string) => metrics.get(`assay_requests_total{${labels}}`);
    expect(requests('area="orders",operation="orders.create",code="00000",status="200"')).toBe(3);
    expect(requests('area="orders",operation="orders.query",code="40001",status="200"')).toBe(3);
    expect(metrics.get('assay_request_duration_seconds_count{area="orders",operation="orders.query"}')).toBe(3);
    for (const outcome of ['acknowledged', 'refused', 'failed']) {
      expect(metrics.get(`assay_webhook_attempts_total{outcome="${outcome}"}`), outcome).toBe(1);
    }
    expect(metrics.get('assay_due_work{kind="orders"}')).toBe(0);
    expect(metrics.has('assay_deliveries_pending')).toBe(true);
    expect(metrics.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
  });

  it('are on a port of their own and nowhere else', async () => {
    const { server, lines } = await startLogged({ metricsPort: 0 });
    const metrics = lines.find((each) => each.metrics !== undefined)?.metrics;
    expect(new URL(String(metrics)).hostname).toBe('127.0.0.1');
    expect((await send(server.url, { method: 'GET', target: '/metrics' })).status).toBe(404);
    expect((await fetch(new URL('/health/live', String(metrics)))).status).toBe(404);
  });

  it('are still there when the database is not', async () => {
    const logged = await startLogged({ metricsPort: 0 });
    await metricsOf(logged);
    logged.server.storage.reads.countWork = () => Promise.reject(new Error('database gone'));
    const metrics = await metricsOf(logged);
    expect(metrics.has('assay_deliveries_pending')).toBe(false);
    expect(metrics.has('process_resident_memory_bytes')).toBe(true);
    expect(logged.lines).toContainEqual(expect.objectContaining({ level: 'error' }));
  });
});
