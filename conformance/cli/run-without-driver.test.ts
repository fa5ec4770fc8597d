import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppParts } from '../../server/app.ts';
import { makePaidOrder } from '../arrange/refunds/paid-orders.ts';
import { createContext } from '../check/context.ts';
import { roleSettings } from '../check/roles.ts';
import { allChecks } from '../checks/index.ts';
import type { Credentials } from '../drivers/driver.ts';
import { quickChecks } from '../proof/testing/quick-checks.ts';
import type { Report } from '../run/report.ts';
import { openSession } from '../run/session.ts';
import { startTarget, type Target } from '../tests/support/target.ts';
import { assayHere } from './testing/assay-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-without-driver-'));
let server: Target;

beforeAll(async () => {
  server = await startTarget();
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Merchants in every role and paid orders of the default one, as somebody has them who made them by hand. */
async function byHand(
  count: number,
  target = server,
): Promise<{ target: Target; merchants: Record<string, Credentials>; paidOrders: string[] }> {
  const session = await openSession({
    target: target.url,
    control: { url: target.control, token: target.controlToken },
    merchants: {},
    seed: 1,
    concurrency: 1,
    timeout: 10_000,
    settle: 5000,
    webhookWait: 5000,
  });
  try {
    const context = createContext(session, 'by-hand');
    const roles = ['default', 'other', 'checkoutDisabled', 'lowBalance'] as const;
    const merchants: Record<string, Credentials> = {};
    for (const role of roles) merchants[role] = await context.ownMerchant(roleSettings[role]);
    const owner = merchants.default;
    if (!owner) throw new Error('there is no default merchant');
    const paidOrders: string[] = [];
    while (paidOrders.length < count) paidOrders.push((await makePaidOrder(context, owner)).orderId);
    return { target, merchants, paidOrders };
  } finally {
    await session.close();
  }
}

/** A run that knows merchants and paid orders, and nothing else. */
async function run(
  { target, merchants, paidOrders }: Awaited<ReturnType<typeof byHand>>,
  ...args: string[]
): Promise<{ report: Report; code: number | null }> {
  const [configuration, reportFile] = [join(folder, 'assay.yaml'), join(folder, 'report.json')];
  // Every JSON text is YAML.
  writeFileSync(configuration, JSON.stringify({ target: target.url, merchants, fixtures: { paidOrders } }));
  // A machine may be so busy with other tests that an answer takes long.
  const flags = ['--timeout', '60000', '--report', `json=${reportFile}`];
  const { code } = await assayHere(['run', '--config', configuration, ...flags, ...args]);
  return { code, report: JSON.parse(readFileSync(reportFile, 'utf8')) };
}

/** Checks of level MUST that need no event, no settings of a merchant and no moved clock: ids, or their beginning with a dot. */
const judgedWithoutDriver = [
  'auth.',
  'orders.create.',
  'orders.query.by-merchant-order-id',
  'orders.query.unknown',
  'orders.query.other-merchant',
  'orders.query.hostile-address',
  'orders.view.init',
  'orders.view.closed',
  'orders.view.succeeded',
  'orders.view.stable-when-paid',
  'orders.state.init.expired',
  'checkout.state.expired',
  'checkout.create.repeat.expired',
  'checkout.view.closed',
  'webhooks.order.expired',
  'webhooks.checkout-order.expired',
  'refunds.create.minimal',
  'refunds.create.extra-data.unchanged',
  'refunds.create.unknown-order',
  'refunds.create.other-merchant',
  'refunds.create.unpaid-order.init',
  'refunds.create.unpaid-order.closed',
  'refunds.create.repeat.pending',
  'refunds.create.repeat.changed',
  'refunds.create.repeat.other-order',
  'refunds.create.repeat.parallel',
  'refunds.create.refundReason.required',
  'refunds.create.hostile-bytes',
  'refunds.record.pending',
  'refunds.record.references',
  'refunds.record.times',
  'refunds.query.priority',
  'refunds.query.one-required',
  'refunds.query.unknown',
  'refunds.query.other-merchant',
  'refunds.query.hostile-address',
  'refunds.batch-query.known',
  'refunds.batch-query.hundred-ids',
  'refunds.batch-query.other-merchant',
  'refunds.errors.envelope',
  'refunds.errors.invalid-parameter',
  'refunds.batch-query.echo.extra-data',
];

/** One check of each kind, and those that must be judged by their own names. */
const selected = allChecks.filter((check) => quickChecks.includes(check) || judgedWithoutDriver.includes(check.id));

/** A fault for `startTarget`: keys are looked up without regard to the case of their letters. */
function ignoringCaseOfKeys(parts: AppParts): AppParts {
  const { storage } = parts;
  const reads = new Proxy(storage.reads, {
    get: (target, name) => {
      if (name === 'findApiKeyWithMerchant')
        return (apiKey: string) => target.findApiKeyWithMerchant(apiKey.toLowerCase());
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...parts, storage: { ...storage, reads } };
}

/** Why a refund that is to be accepted is not asked for where paid orders are few. */
const wouldUseUp = 'would use up a paid order';

describe('assay run without a driver', () => {
  it('judges all that needs no event with configured merchants and three paid orders, and accuses nobody', async () => {
    const configured = await byHand(3);
    const { report } = await run(configured, '--seed', '7', ...selected.flatMap(({ id }) => ['--check', id]));
    expect(report.summary).toMatchObject({ failed: 0, warned: 0, inconclusive: 0 });
    const needsDriver = ({ needs }: (typeof allChecks)[number]) =>
      needs.some((need) => need === 'clock' || need === 'own-merchant' || need === 'order-events');
    const driven = new Set(allChecks.filter(needsDriver).map(({ id }) => id));
    const musts = report.checks.filter(({ id, level }) => level === 'MUST' && !driven.has(id));
    const open = judgedWithoutDriver.flatMap((name) => {
      const own = musts.filter(({ id }) => (name.endsWith('.') ? id.startsWith(name) : id === name));
      expect(own, name).not.toEqual([]);
      return own.filter(({ verdict, reason }) => verdict !== 'passed' && !reason?.includes(wouldUseUp));
    });
    // Where no clock can be moved, an order that is to expire lives for seconds, in which a machine may be too busy to make it.
    const wereLate = open.filter(({ reason }) => reason?.includes('and no clock can be moved'));
    expect(open.filter((each) => !wereLate.includes(each)).map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
    if (wereLate.length > 0) {
      const alone = await run(configured, ...wereLate.flatMap(({ id }) => ['--check', id]));
      expect(alone.report.summary).toMatchObject({ passed: wereLate.length });
    }

    // The orders have been refunded by the run before. That is nobody's fault, and it is not hidden either.
    const again = await run(configured, '--check', 'refunds.create.minimal', '--check', 'refunds.query.priority');
    expect(again.code).toBe(3);
    expect(again.report.summary).toMatchObject({ failed: 0, skipped: 2 });
    expect(again.report.scope.undeclared).toEqual(['paid-order']);
  });

  it('accuses only the checks of keys of a server that refunds the order of all refused requests under a wrong key', async () => {
    const wrong = await startTarget(ignoringCaseOfKeys);
    try {
      const names = ['auth.refunds.create.*', 'refunds.query.*', 'refunds.create.*', 'refunds.errors.*'];
      const flags = names.flatMap((name) => ['--check', name]);
      const { report } = await run(await byHand(3, wrong), '--seed', '7', ...flags);
      const accused = report.checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned');
      expect(accused.length).toBeGreaterThan(0);
      const others = accused.filter(({ id }) => !/^auth\.refunds\.create\..*key/.test(id));
      expect(others.map(({ id, actual }) => `${id}: ${actual}`)).toEqual([]);
    } finally {
      await wrong.close();
    }
  });
});
