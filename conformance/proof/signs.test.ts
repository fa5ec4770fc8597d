import { afterAll, beforeAll, expect, it } from 'vitest';
import { textSummary } from '../reporters/text.ts';
import { bodyOf, isHostedCreate, jsonAnswer } from './stand/changes.ts';
import type { Handler, ProxyAnswer } from './stand/proxy.ts';
import { openStand, type Stand } from './stand.ts';
import { quickChecks } from './testing/quick-checks.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

/** Keeps the answers to GETs for three seconds, by their address alone. */
function keeping(): Handler {
  const kept = new Map<string, { at: number; answer: ProxyAnswer }>();
  return async (request, server) => {
    if (request.method !== 'GET') return server.forward(request);
    const known = kept.get(request.target);
    if (known && performance.now() - known.at < 3000) return known.answer;
    const answer = await server.forward(request);
    kept.set(request.target, { at: performance.now(), answer });
    return answer;
  };
}

/** Has room for so many hosted orders, and fails at each create after them. */
function filling(room: number): Handler {
  let creates = 0;
  return async (request, server) => {
    if (!isHostedCreate(request)) return server.forward(request);
    creates += 1;
    return creates > room ? { ...jsonAnswer({ error: 'out of memory' }), status: 500 } : server.forward(request);
  };
}

/** Stands behind a filter that takes a quotation mark in a description for an attack. */
const filtering: Handler = async (request, server) => {
  const description = isHostedCreate(request) ? bodyOf(request)?.description : undefined;
  return /['"]/.test(String(description)) ? { ...jsonAnswer('Forbidden'), status: 403 } : server.forward(request);
};

/** Checks that make hosted orders of many kinds and query them, and wait for no webhook. */
const someChecks = quickChecks.filter(
  ({ id, afterwards }) => !afterwards && /^orders\.(situations|query|errors|create\.(echo|constant))\./.test(id),
);

const told = async (merchantApi: Handler | undefined) => {
  const { report } = await stand.run(merchantApi ? { merchantApi } : {}, someChecks);
  const lines = textSummary(report).trimEnd().split('\n');
  return { report, lines, signs: lines.filter((line) => line.startsWith('Fix first, as findings may come from it: ')) };
};

it.each([
  {
    title: 'an intermediary that keeps answers',
    make: keeping,
    sign: /GETs get an earlier answer again, .*: something between keeps them\.$/,
  },
  {
    title: 'a server that is full',
    make: () => filling(30),
    sign: /since [\d.]+ s into the run, .* answered with HTTP 500; before, /,
  },
  {
    title: 'a filter of texts',
    make: () => filtering,
    sign: /a right orders\.create is answered with HTTP 403 and no code where it has a quotation mark in description: \d+ of \d+ times; where not: 0 of \d+ times/,
  },
])('the screen names $title', async ({ make, sign }) => {
  const { lines, signs, report } = await told(make());
  expect(signs.join('\n'), lines.join('\n')).toMatch(sign);
  expect(report.signs?.length).toBe(1);
  expect(lines.at(-2)).toMatch(/^Then: /);
  expect(lines.at(-3)).toBe(signs[0]);
});

it('of a right server there is nothing to tell', async () => {
  const { report, lines } = await told(undefined);
  expect(report.signs, lines.join('\n')).toBe(undefined);
});
