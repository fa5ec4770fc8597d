import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ordersClient } from '../arrange/orders/client.ts';
import { refundsClient } from '../arrange/refunds/client.ts';
import { amidRestart, askUntilBack } from '../arrange/situations/restarts.ts';
import { type CheckDeclaration, defineChecks } from '../check/define-checks.ts';
import { expectRefused, expectStatus } from '../check/expect.ts';
import type { JsonObject } from '../contract/json.ts';
import { bodyOf, jsonAnswer, merchantIdOf } from '../proof/stand/changes.ts';
import type { Make } from '../proof/stand/fault.ts';
import { refundRefusal } from '../proof/stand/refund-changes.ts';
import { openStand, type Stand } from '../proof/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

describe('a check that comes to its end', () => {
  /** The verdict and its reason on a check that asks for unknown orders and judges the answers as `run` does. */
  async function verdictOn(run: CheckDeclaration['run'], requirement: CheckDeclaration['requirements'][number]) {
    const checks = defineChecks([{ id: 'orders.some', title: 'Some', requirements: [requirement], run }]);
    const [result] = (await stand.judge({}, checks)).results;
    return [result?.verdict, result?.reason];
  }
  const askFor =
    (...ids: string[]): CheckDeclaration['run'] =>
    async (context) => {
      const client = ordersClient(context, await context.merchant());
      for (const id of ids) expectRefused(await client.query(id), 'a query for an unknown order');
    };

  it('passes when it has judged an answer', async () => {
    expect(await verdictOn(askFor('unknown-order-0001'), 'orders.errors.unknown-order')).toEqual(['passed', undefined]);
  });

  it('has no verdict when there was nothing for it to judge, even if it has asked', async () => {
    const nothing = ['inconclusive', 'the check came to its end with nothing to judge'];
    expect(await verdictOn(askFor(), 'orders.errors.unknown-order')).toEqual(nothing);
    const unjudged: CheckDeclaration['run'] = async (context) => {
      await ordersClient(context, await context.merchant()).query('unknown-order-0001');
    };
    expect(await verdictOn(unjudged, 'orders.errors.unknown-order')).toEqual(nothing);
  });

  it('is observed when it has seen the behaviour at an open point', async () => {
    const seeing: CheckDeclaration['run'] = async (context) => {
      context.observe('time-forms', 'milliseconds');
    };
    expect(await verdictOn(seeing, 'orders.payment.typical-confirmations')).toEqual(['observed', undefined]);
  });
});

it('a check that lasts looks again when all others have ended, even where one at a time may run', async () => {
  const done: string[] = [];
  const noting =
    (words: string): CheckDeclaration['run'] =>
    async (context) => {
      context.observe('time-forms', words);
      done.push(words);
    };
  const lasts: CheckDeclaration['run'] = async (context) => {
    await noting('begins')(context);
    await context.othersEnded();
    await noting('looks again')(context);
  };
  const named = { title: 'Some', requirements: ['orders.payment.typical-confirmations'] } as const;
  const checks = defineChecks([
    { ...named, id: 'orders.first', run: noting('another') },
    { ...named, id: 'orders.lasting', lasts: true, run: lasts },
    { ...named, id: 'orders.second', run: noting('another') },
  ]);
  await stand.judge({}, checks, { concurrency: 1 });
  expect(done).toEqual(['begins', 'another', 'another', 'looks again']);
});

describe('settings of merchants that no check asked for', () => {
  /** What the control API is asked for by checks that make a merchant each, and their verdicts. `refuse`: whether it refuses such settings. */
  async function askedFor(refuse: (settings: JsonObject) => boolean) {
    const asked: JsonObject[] = [];
    const make: Make = {
      control: async (request, server) => {
        const settings = request.target.endsWith('/merchants') && bodyOf(request);
        if (!settings) return server.forward(request);
        asked.push(settings);
        return refuse(settings) ? jsonAnswer({ title: 'not known here' }, 422) : server.forward(request);
      },
    };
    const checks = defineChecks(
      Array.from({ length: 24 }, (_, index) => ({
        id: `auth.number-${index}`,
        title: `Number ${index}`,
        calls: ['orders'],
        requirements: ['orders.errors.unknown-order'],
        run: async (context) => {
          const client = ordersClient(context, await context.ownMerchant({ usdRate: '1.5' }));
          expectRefused(await client.query('unknown-order-0001'), 'a query for an unknown order');
        },
      })),
    );
    const { results } = await stand.judge(make, checks, { concurrency: 1 });
    return { asked, verdicts: new Set(results.map(({ verdict }) => verdict)) };
  }
  const names = (settings: JsonObject) => Object.keys(settings).sort().join(' ');

  it('differ from check to check, beside those that it asks for', async () => {
    const { asked, verdicts } = await askedFor(() => false);
    const seen = new Set(asked.map(names));
    expect(seen).toContain('usdRate');
    expect(seen).toContain('paymentMethods rateLimit usdRate');
    expect(seen).toContain('automatic usdRate');
    expect(verdicts).toEqual(new Set(['passed']));
  });

  it('are left out from the first time on that the driver does not take them', async () => {
    const { asked, verdicts } = await askedFor((settings) => names(settings) !== 'usdRate');
    expect(asked.filter((settings) => names(settings) !== 'usdRate')).toHaveLength(1);
    expect(asked).toHaveLength(25);
    expect(verdicts).toEqual(new Set(['passed']));
  });

  it('are kept where the driver refuses what the check itself asks for', async () => {
    const { asked, verdicts } = await askedFor((settings) => 'usdRate' in settings);
    expect(asked.filter((settings) => names(settings) !== 'usdRate').length).toBeGreaterThan(1);
    expect(verdicts).toEqual(new Set(['inconclusive']));
  });
});

describe('a check that lacks an answer', () => {
  /** The verdicts on two checks with one query each, where the first so many queries are not answered, and how many were sent. */
  async function verdictsWhere(unanswered: number) {
    const orderId = 'unknown-order-0001';
    let queries = 0;
    const make: Make = {
      merchantApi: (request, server) => {
        if (!request.target.endsWith(`/${orderId}`)) return server.forward(request);
        queries += 1;
        return queries > unanswered ? server.forward(request) : new Promise(() => undefined);
      },
    };
    const checks = defineChecks(
      ['orders.first', 'orders.second'].map((id) => ({
        id,
        title: id,
        requirements: ['orders.errors.unknown-order'],
        run: async (context) => {
          const client = ordersClient(context, await context.merchant());
          expectRefused(await client.query(orderId), 'a query for an unknown order');
        },
      })),
    );
    const { results } = await stand.judge(make, checks, { concurrency: 1, timeout: 2000 });
    return { verdicts: results.map(({ verdict }) => verdict), queries };
  }

  it('runs once more when the others have ended', async () => {
    expect(await verdictsWhere(2)).toEqual({ verdicts: ['passed', 'passed'], queries: 4 });
  });

  it('has no verdict when none comes again, and then no other runs once more', async () => {
    expect(await verdictsWhere(3)).toEqual({ verdicts: ['inconclusive', 'inconclusive'], queries: 3 });
  });
});

describe('a check whose merchant has asked too often', () => {
  const most = 10;

  /** The verdicts on two checks, one at a time, with more queries than a merchant has, and how many merchants asked. */
  async function verdictsWhere(mayAsk: (merchantId: string, asked: ReadonlyMap<string, number>) => boolean) {
    const asked = new Map<string, number>();
    const make: Make = {
      merchantApi: async (request, server) => {
        const merchantId = merchantIdOf(request);
        // The run itself asks once whether the target is there.
        if (merchantId === 'unknown') return server.forward(request);
        asked.set(merchantId, (asked.get(merchantId) ?? 0) + 1);
        return mayAsk(merchantId, asked) ? server.forward(request) : refundRefusal(429, 'RATE_LIMIT_EXCEEDED');
      },
    };
    const checks = defineChecks(
      ['refunds.first', 'refunds.second'].map((id) => ({
        id,
        title: id,
        requirements: ['refunds.errors.refund-not-found'],
        run: async (context) => {
          const client = refundsClient(context, await context.merchant());
          for (let query = 0; query <= most; query += 1) {
            const refundOrderId = context.newOrderId();
            expectStatus(await client.query({ refundOrderId }), 404, 'a query for an unknown refund');
          }
        },
      })),
    );
    const { results } = await stand.judge(make, checks, { concurrency: 1 });
    return { verdicts: results.map(({ verdict }) => verdict), merchants: asked.size };
  }

  it('lets another one ask with a new merchant, until its own may go on', async () => {
    const untilAnotherAsks = await verdictsWhere(
      (merchantId, asked) => (asked.get(merchantId) ?? 0) <= most || asked.size > 1,
    );
    expect(untilAnotherAsks).toEqual({ verdicts: ['passed', 'passed'], merchants: 2 });
  });

  it('keeps its place and its merchant where the target refuses requests of any merchant', async () => {
    let all = 0;
    const eachFourth = await verdictsWhere(() => {
      all += 1;
      return all % 4 !== 0;
    });
    expect(eachFourth).toEqual({ verdicts: ['passed', 'passed'], merchants: 1 });
  });
});

describe('checks that have the target ended', () => {
  /** How often the target was ended for three such checks, and how many of their exchanges show that. */
  async function restartsOf(concurrency: number, apart: readonly string[] = []) {
    let restarts = 0;
    const make: Make = {
      restarts: true,
      control: (request, server) => {
        if (request.target.endsWith('/restart')) restarts += 1;
        return server.forward(request);
      },
    };
    const checks = defineChecks(
      ['orders.first', 'orders.second', 'orders.third'].map((id) => ({
        id,
        title: id,
        requirements: ['orders.errors.unknown-order'],
        needs: ['own-merchant', 'restart'],
        ...(apart.includes(id) && { restartsApart: true as const }),
        run: async (context) => {
          const client = ordersClient(context, await context.ownMerchant());
          const ask = () => client.query('unknown-order-0001');
          await amidRestart(context, [], async () => undefined, ask);
          expectRefused(await askUntilBack(context, ask), 'a query for an unknown order');
        },
      })),
    );
    const { results } = await stand.judge(make, checks, { concurrency });
    expect(results.map(({ verdict, reason }) => reason ?? verdict)).toEqual(['passed', 'passed', 'passed']);
    const exchanges = results.flatMap((result) => result.exchanges);
    return { restarts, shown: exchanges.filter(({ request }) => request.url.endsWith('/restart')).length };
  }

  it('share one end where they run side by side, and each of them shows it', async () => {
    expect(await restartsOf(3)).toEqual({ restarts: 1, shown: 3 });
  });

  it('share none with those that restart apart, which share one', async () => {
    expect(await restartsOf(3, ['orders.second'])).toEqual({ restarts: 2, shown: 3 });
    expect(await restartsOf(3, ['orders.second', 'orders.third'])).toEqual({ restarts: 2, shown: 3 });
  });

  it('share an end with no more than may run at the same time', async () => {
    expect(await restartsOf(2)).toEqual({ restarts: 2, shown: 3 });
    expect(await restartsOf(1)).toEqual({ restarts: 3, shown: 3 });
  });
});
