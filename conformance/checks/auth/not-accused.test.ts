import { afterAll, beforeAll, expect, it } from 'vitest';
import { isHostedQuery, jsonAnswer } from '../../proof/stand/changes.ts';
import type { Make } from '../../proof/stand/fault.ts';
import { openStand, type Stand } from '../../proof/stand.ts';
import { allChecks } from '../index.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const checks = allChecks.filter(({ id }) =>
  /^auth\.(orders\.query\.(inside-future|headers|content-type-without-body|too-old|failure-envelope)|orders\.create\.(inside-past|headers|content-type|signed)|refunds\.create\.(wrong-signature|another-body))$/.test(
    id,
  ),
);

/** Servers that are wrong, and whose authentication is not. */
const servers: readonly { words: string; make(): Make }[] = [
  {
    words: 'that finds no order at every second query',
    make() {
      let queries = 0;
      return {
        merchantApi: async (request, server) => {
          const answer = await server.forward(request);
          if (isHostedQuery(request)) queries += 1;
          const isLost = isHostedQuery(request) && queries % 2 === 0 && answer.body.includes('"code":"00000"');
          return isLost ? jsonAnswer({ code: '40001', message: 'there is no such order', data: null }) : answer;
        },
      };
    },
  },
  {
    words: 'that fails at every create after the first ones',
    make() {
      let creates = 0;
      const failure = { status: 500, headers: {}, body: Buffer.from('{"error":"OutOfMemoryError"}') };
      return {
        merchantApi: async (request, server) => {
          if (request.method === 'POST') creates += 1;
          return request.method === 'POST' && creates > 3 ? failure : server.forward(request);
        },
      };
    },
  },
  {
    words: 'that takes no body of more than 300 bytes',
    make: () => ({
      merchantApi: async (request, server) =>
        request.body.length > 300 ? { status: 413, headers: {}, body: Buffer.alloc(0) } : server.forward(request),
    }),
  },
];

it.for(servers)('no sentence on authentication is broken by a server $words', async ({ make }) => {
  const { results } = await stand.judge(make(), checks);
  const accused = results.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned');
  expect(accused.map(({ check: { id }, expected, actual }) => [id, expected, actual])).toEqual([]);
  expect(results).toHaveLength(checks.length);
});
