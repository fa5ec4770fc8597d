import { afterAll, beforeAll, expect, it } from 'vitest';
import { allChecks } from '../checks/index.ts';
import { allFaults } from './faults/index.ts';
import { openStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

it.each([
  [
    'order-expires-on-read',
    'webhooks.order.expired-unseen',
    'none came, though days of business time have passed, until a query asked for the order: the target seems to end an order only when it is asked for',
  ],
  ['order-timer-of-32-bits', 'orders.states.far-ahead', 'data.status = CLOSED'],
])('%s is told by %s with its cause', async (faultId, checkId, actual) => {
  const fault = allFaults.find(({ id }) => id === faultId);
  const checks = allChecks.filter(({ id }) => id === checkId);
  // A part of the wait decides whether a webhook came once a query had asked, and a busy machine needs that part to be long.
  const { results } = await stand.judge(fault?.make ?? {}, checks, { settle: 1000, webhookWait: 10_000 });
  expect(results).toMatchObject([{ check: { id: checkId }, verdict: 'failed', actual }]);
});
