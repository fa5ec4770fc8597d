import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ordersClient } from '../arrange/orders/client.ts';
import { type CheckDeclaration, defineChecks } from '../check/define-checks.ts';
import { expectRefused } from '../check/expect.ts';
import { openStand, type Stand } from '../proof/stand.ts';

describe('a check that comes to its end', () => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand();
  });
  afterAll(() => stand.close());

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
