import { createServer, type IncomingMessage, request as requestTo, type ServerResponse } from 'node:http';
import { request as securely } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Check } from '../check/check.ts';
import { allChecks } from '../checks/index.ts';
import { decoded } from '../proof/stand/changes.ts';
import { sending } from '../proof/stand/webhook-changes.ts';
import { openStand } from '../proof/stand.ts';
import { quickPart } from '../proof/testing/quick-checks.ts';
import type { Report } from '../run/report.ts';
import { runConformance } from '../run/run-conformance.ts';
import { listen } from './support/loopback.ts';
import { startTarget, type Target } from './support/target.ts';

let server: Target;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startTarget();
});
afterAll(async () => {
  for (const close of closing.splice(0)) await close();
  await server.close();
});

/** What a gateway does with a request; `undefined`: it passes it on. */
type Manners = (count: number, incoming: IncomingMessage, response: ServerResponse) => 'handled' | undefined;

/** A gateway before the server, with manners of its own towards requests to the merchant API, which it counts. */
async function gateway(manners: Manners, keepAliveTimeout = 5000): Promise<string> {
  const upstream = new URL(server.url);
  let count = 0;
  const front = createServer({ keepAliveTimeout }, (incoming, response) => {
    const { method, url: path = '', headers } = incoming;
    if (path.startsWith('/api/')) count += 1;
    if (path.startsWith('/api/') && manners(count, incoming, response) === 'handled') return;
    const to = { host: upstream.hostname, port: upstream.port, method, path, headers };
    const forwarded = requestTo(to, (answer) => {
      const { connection: _ours, 'keep-alive': _hint, ...passed } = answer.headers;
      response.writeHead(answer.statusCode ?? 500, passed);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  });
  const { port, close } = await listen(front);
  closing.push(close);
  return `http://127.0.0.1:${port}`;
}

/** The servers here share the checks: each is judged by one of so many parts of them, and the proof judges its own by all. */
const parts = 6;

/** A part of the checks of each kind of an area: how many have each verdict, who accuses the target, and what stayed open and why. */
async function judge(
  url: string,
  area: Check['area'],
  turn: number,
): Promise<Report['summary'] & { accused: string[]; open: string[] }> {
  const control = { url: `${url}/sandbox/v1`, token: server.controlToken };
  const checks = quickPart(turn, parts).filter((check) => check.area === area);
  const { report } = await runConformance({ target: url, control, checks, settle: 1000, timeout: 60_000, seed: 1 });
  const accused = report.checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned');
  const open = report.checks.filter(({ verdict }) => verdict === 'inconclusive');
  return {
    ...report.summary,
    accused: accused.map(({ id, actual }) => `${id}: ${actual}`),
    open: open.map(({ id, reason }) => `${id}: ${reason}`),
  };
}

describe('a right target is not accused', () => {
  it('behind a gateway that loses requests now and then; what it lost stays open', async () => {
    const url = await gateway((count, incoming, response) => {
      if (count % 23 !== 0) return undefined;
      if (count % 2 === 0) incoming.socket.resetAndDestroy();
      else response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
      return 'handled';
    });
    const { accused, inconclusive, passed } = await judge(url, 'checkout', 0);
    expect(accused).toEqual([]);
    expect(inconclusive).toBeGreaterThan(5);
    expect(passed).toBeGreaterThan(30);
  });

  it('behind one that announces that it closes connections soon, asks for a little patience, and refuses orders for their rate with the code of a system error, or with a code of its own', async () => {
    const soon = 1000;
    const url = await gateway((count, { url: path = '', method }, response) => {
      if (count % 30 === 0) {
        response.writeHead(429, { 'retry-after': '0' }).end('slow down');
        return 'handled';
      }
      // Two at a time: the run asks a third time, and by then a single request may be all that is sent.
      if (count < 100 || count % 100 > 1) return undefined;
      const code = count % 200 < 100 ? '99999' : '77001';
      const [, , , , merchantId, , merchantOrderId] = path.split('/').map(decoded);
      const ids = { orderId: null, merchantId, merchantOrderId: method === 'GET' ? merchantOrderId : null };
      const data = { ...ids, status: 'FAILED', standardResponseCode: code, standardResponseMessage: 'not now' };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code, message: 'too many requests', data }));
      return 'handled';
    }, soon);
    const { accused, open, passed } = await judge(url, 'orders', 2);
    // What is asked for a second time is there already, so that a refused repeat of a create is not sent again.
    const others = open.filter((reason) => !/^\S*(repeat|duplicate|situations\.expired)\S*: /.test(reason));
    expect({ accused, others }).toEqual({ accused: [], others: [] });
    expect(passed).toBeGreaterThan(30);
  });

  it('whose sender does not trust the certificate of the receiver: what did not come stays open, and the reason says so', async () => {
    const trusting = sending(
      ({ url, headers, body }) =>
        new Promise((resolve) => {
          const outgoing = securely(url, { method: 'POST', headers, agent: false }, (response) => {
            response.resume();
            resolve({ httpStatus: response.statusCode ?? 0 });
          });
          outgoing.on('error', ({ message }) => resolve({ error: message })).end(body);
        }),
    );
    const stand = await openStand();
    closing.push(() => stand.close());
    const checks = quickPart(0, parts).filter(({ id, area }) => area === 'webhooks' && !id.includes('.no-answer'));
    const { results } = await stand.judge(trusting, checks, { concurrency: 16 });
    const accused = results.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned');
    expect(accused.map(({ check, actual }) => `${check.id}: ${actual}`)).toEqual([]);
    const open = results.filter(({ reason }) => reason?.includes("does not trust the receiver's certificate"));
    expect(open.length).toBeGreaterThan(10);
  });

  it('that leaves the first query of a run unanswered, by its other operations', async () => {
    const url = await gateway((_count, { url: path = '' }) => (path.endsWith('/refunds') ? 'handled' : undefined));
    const control = { url: `${url}/sandbox/v1`, token: server.controlToken };
    const checks = allChecks.filter(({ id }) => id === 'orders.create.minimal');
    const { report } = await runConformance({ target: url, control, checks, timeout: 5000, seed: 1 });
    expect(report.checks).toMatchObject([{ id: 'orders.create.minimal', verdict: 'passed' }]);
  });
});
