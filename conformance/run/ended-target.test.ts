import { createServer, request as requestTo } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ordersClient } from '../arrange/orders/client.ts';
import { orderRequest } from '../arrange/orders/orders.ts';
import type { Check } from '../check/check.ts';
import { defineChecks } from '../check/define-checks.ts';
import { expectAccepted, expectRefused } from '../check/expect.ts';
import { allChecks } from '../checks/index.ts';
import { openStand, type Stand } from '../proof/stand.ts';
import { textSummary } from '../reporters/text.ts';
import { runConformance } from './run-conformance.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

/** For how long nothing listens when the server has ended, in milliseconds. */
const absence = 1000;

/** A server before a target that ends at some requests, by their bodies, and listens again after a second. */
async function endingAt(target: string, ends: (body: string) => boolean) {
  let ended = 0;
  let again: NodeJS.Timeout | undefined;
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      if (ends(body.toString())) {
        ended += 1;
        server.close();
        server.closeAllConnections();
        again = setTimeout(() => server.listen(port, '127.0.0.1'), absence);
        return;
      }
      const { method, headers } = incoming;
      requestTo(`${target}${incoming.url}`, { method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      })
        .on('error', () => response.destroy())
        .end(body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    ended: () => ended,
    close: () => {
      clearTimeout(again);
      server.close();
      server.closeAllConnections();
    },
  };
}

const named = { title: 'Some', requirements: ['orders.create.accepted'] } as const;

/** Ids of checks: a report knows since when each is there. */
const ids = allChecks.flatMap(({ id, afterwards }) => (id.startsWith('orders.') && !afterwards ? id : []));

/** Checks that create orders with such descriptions, one each, and then ask for one that is not there. */
const creating = (...descriptions: readonly string[]) =>
  defineChecks(
    descriptions.map((description, index) => ({
      ...named,
      id: ids[index] ?? '',
      run: async (context) => {
        const client = ordersClient(context, await context.merchant());
        expectAccepted(await client.create({ ...orderRequest(context), description }), 'a create');
        expectRefused(await client.query(context.newOrderId()), 'a query for an unknown order');
      },
    })),
  );

/** A run of such checks, and of the rule over failures, against a server that ends. */
const runAgainst = (checks: readonly Check[], ends: (body: string) => boolean) =>
  stand.against({}, async (target) => {
    const server = await endingAt(target.target, ends);
    try {
      const rule = allChecks.filter(({ id }) => id === 'orders.create.failures.lasting');
      const options = { ...target, target: server.url, timeout: 5000, settle: 300, webhookWait: 1500, concurrency: 4 };
      const { report } = await runConformance({ ...options, checks: [...checks, ...rule] });
      const verdicts = report.checks.map(({ verdict }) => verdict);
      return { report, verdicts, ended: server.ended(), screen: textSummary(report) };
    } finally {
      server.close();
    }
  });

const tea = '🍵';
const isTea = (body: string) => body.includes(tea);

describe('a target that ends at a request and is started again', () => {
  it('is waited for, and the screen names the request at which it ends each time', async () => {
    const checks = creating(tea, ...Array.from({ length: 12 }, (_, index) => `coffee ${index}`));
    const { report, verdicts, ended, screen } = await runAgainst(checks, isTea);
    expect(ended).toBe(2);
    expect(verdicts).toEqual(['inconclusive', ...Array.from({ length: 12 }, () => 'passed'), 'warned']);
    expect(report.checks[0]?.reason).toMatch(
      /^the target ended at POST …\/orders \(twice, the second time with nothing beside it\), and came back after (less than a second|\d+ s)$/,
    );
    expect(report.checks.at(-1)).toMatchObject({
      brokenRequirement: 'general.lasting-failure',
      actual: expect.stringContaining('the target ended at POST /api/v1/merchants/'),
    });
    expect(screen).toMatch(/the target ended at POST …\/orders \(twice/);
  });

  it('is not held against a request during which it ended by chance', async () => {
    let times = 0;
    const onlyOnce = (body: string) => {
      times += isTea(body) ? 1 : 0;
      return isTea(body) && times === 1;
    };
    const { verdicts, ended } = await runAgainst(creating(tea, 'coffee', 'water'), onlyOnce);
    expect(ended).toBe(1);
    expect(verdicts).toEqual(['passed', 'passed', 'passed', 'passed']);
  });
});
