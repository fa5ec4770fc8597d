import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../server/main.ts';
import { allChecks } from '../checks/index.ts';
import { allFaults } from '../proof/faults/index.ts';
import type { Limits } from '../wire/limits.ts';
import { openGate } from './gate.ts';
import { watched } from './showing.ts';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    database: ':memory:',
    mode: 'sandbox',
    implementation: 'other/1',
  });
});
afterAll(() => server.close());

const gateWith = (limits: Limits = {}) =>
  openGate({
    target: {
      target: server.url,
      control: { url: `${server.url}/sandbox/v1`, token: server.controlToken ?? '' },
      merchants: {},
      timeout: 30_000,
      settle: 5000,
      webhookWait: 5000,
      limits,
    },
    baseline: [],
    pins: {},
    seed: 1,
    stop: new AbortController().signal,
  });

const faultOf = (id: string) => {
  const fault = allFaults.find((each) => each.id === id);
  if (!fault) throw new Error(`there is no fault ${id}`);
  return fault;
};

describe('a gate', () => {
  it.each([
    ['a fault of requests, which are signed again', 'batch-without-its-last'],
    ['a fault of webhooks', 'event-without-ids'],
    ['a fault of webhooks that follows redirects', 'redirect-followed'],
    ['a fault that acts on the control API', 'checkout-open-to-all-merchants'],
  ])('tells a target from the same target behind %s', async (_what, id) => {
    const fault = faultOf(id);
    const checks = allChecks.filter((check) => check.id === fault.caughtBy);
    const gate = await gateWith();
    try {
      const { make, hasShown } = watched(fault.make);
      const alone = await gate.judge({}, checks);
      const behind = await gate.judge(make, checks);
      const verdicts = [alone, behind].map(({ results }) => results.map(({ verdict }) => verdict));
      expect(verdicts).toEqual([['passed'], ['failed']]);
      expect(hasShown()).toBe(true);
    } finally {
      await gate.close();
    }
  });

  it('sees that a fault made no difference where nothing asked for what it changes', async () => {
    const gate = await gateWith();
    try {
      const { make, hasShown } = watched(faultOf('batch-without-its-last').make);
      await gate.judge(
        make,
        allChecks.filter(({ id }) => id === 'orders.create.minimal'),
      );
      expect(hasShown()).toBe(false);
    } finally {
      await gate.close();
    }
  });

  it('counts the orders of all wrong servers together', async () => {
    const gate = await gateWith({ maxOrders: 1 });
    const [check] = allChecks.filter(({ id }) => id === 'orders.create.minimal');
    if (!check) throw new Error('there is no such check');
    try {
      const { results } = await gate.judge({}, [check]);
      expect(results.map(({ verdict }) => verdict)).toEqual(['passed']);
      expect(gate.limitReached()).toBeUndefined();
      await gate.judge({}, [check]).catch(() => undefined);
      expect(gate.limitReached()).toContain('limits.maxOrders');
    } finally {
      await gate.close();
    }
  });
});
