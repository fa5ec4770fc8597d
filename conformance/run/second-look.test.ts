import { afterAll, beforeAll, expect, it } from 'vitest';
import { allChecks } from '../checks/index.ts';
import { isRightlySigned } from '../proof/stand/changes.ts';
import { type Handler, type ProxyRequest, resigned } from '../proof/stand/proxy.ts';
import { openStand, type Stand } from '../proof/stand.ts';
import { textSummary } from '../reporters/text.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const check = 'auth.orders.create.another-method';

/** Takes wrongly signed requests for which `takes` is true. It is told of those that are rightly signed. */
function taking(takes: (request: ProxyRequest) => boolean, told: (request: ProxyRequest) => void = () => {}): Handler {
  return (request, server) => {
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    if (owner === undefined) return server.forward(request);
    const isRight = isRightlySigned(request, server);
    if (isRight) told(request);
    return server.forward(!isRight && takes(request) ? resigned(request, owner) : request);
  };
}

/** What a run of the check says of a server: how the check passes by itself, and the lines about it in the summary, beside it and at the end. */
async function lookAt(merchantApi: Handler): Promise<{ byItself: unknown; lines: string[] }> {
  const { report } = await stand.run(
    { merchantApi },
    allChecks.filter(({ id }) => id === check),
  );
  expect(report.checks).toMatchObject([{ id: check, verdict: 'failed' }]);
  const lines = textSummary(report)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^(alone|Not each time):/.test(line));
  return { byItself: report.checks[0]?.byItself, lines };
}

it('tells a fault that shows only after another request on the connection', async () => {
  const trusted = new WeakSet<object>();
  const handler = taking(
    ({ connection }) => trusted.has(connection),
    ({ connection }) => trusted.add(connection),
  );
  expect(await lookAt(handler)).toEqual({
    byItself: 'passes-on-new-connections',
    lines: [
      `alone: ${check} failed again by itself, and passed with a connection for each request: the fault depends on what came before on the connection`,
      `Not each time: ${check} failed again by itself, and passed with a connection for each request: the fault depends on what came before on the connection.`,
    ],
  });
});

it('tells a fault that shows now and then', async () => {
  let isFirst = true;
  const handler = taking(() => {
    const was = isFirst;
    isFirst = false;
    return was;
  });
  expect(await lookAt(handler)).toEqual({
    byItself: 'passes',
    lines: [
      `alone: ${check} passed when it was run once more by itself: the fault depends on what is asked before or beside it, or on chance`,
      `Not each time: ${check} passed when it was run once more by itself: the fault depends on what is asked before or beside it, or on chance.`,
    ],
  });
});

it('blames no connection for a fault that shows every other time that the check runs', async () => {
  // Each run of the check has a merchant of its own. The first two are the run itself and the first look.
  const merchants = new Set<string>();
  const handler = taking(({ headers }) => {
    merchants.add(headers['x-api-key'] ?? '');
    return merchants.size === 1 || merchants.size % 2 === 0;
  });
  expect(await lookAt(handler)).toMatchObject({ byItself: 'passes' });
});

it('says nothing of a fault that shows each time', async () => {
  expect(await lookAt(taking(() => true))).toEqual({ byItself: undefined, lines: [] });
});
