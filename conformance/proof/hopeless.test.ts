import { afterAll, beforeAll, expect, it } from 'vitest';
import { invariantOf } from '../invariants/index.ts';
import { textSummary } from '../reporters/text.ts';
import { hopelessServers } from './faults/hopeless.ts';
import { openStand, type Stand } from './stand.ts';
import { quickChecks, quickPart } from './testing/quick-checks.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

/**
 * Checks in every part: an ordinary create is accepted, which any server as wrong as these may fail at, and a query for a refund for which nothing
 * is made before, since by others alone a server that refuses every create is asked about no refund.
 */
const always = quickChecks.filter(({ id }) => ['orders.create.minimal', 'refunds.query.impossible-id'].includes(id));

/** Rules of what each refusal is made of, whatever it is for. Nothing else can be told of a server that refuses every request as wrongly signed. */
const isOfRefusals = (id: string): boolean => ['declared', 'refusal-ids'].includes(invariantOf(id)?.name ?? '');

/** What else must be asked to see what is wrong with some of the servers, by their ids: few checks of a part meet it. */
const shownBy: Readonly<Record<string, readonly string[]>> = {
  'no-webhooks': ['webhooks.order.cancelled', 'webhooks.checkout-order.failed', 'webhooks.order.paid'],
  'orders-never-expire': ['orders.state.init.expired', 'checkout.state.init.expired'],
};

const part = (turn: number, server: string) => [
  ...new Set([...quickPart(turn, 24), ...always, ...quickChecks.filter(({ id }) => shownBy[server]?.includes(id))]),
];

it.for(hopelessServers.map((server, turn) => ({ ...server, turn })))(
  '$id is wrong as a whole: it is not found conformant, and one screen says why',
  async ({ id: server, make, cause, leaves, breaks, turn }) => {
    const { report, exitCode } = await stand.run(make, part(turn, server));
    expect(report.outcome).not.toBe('conformant');
    expect([1, 3]).toContain(exitCode);
    expect(report.summary.failed).toBeGreaterThan(0);
    for (const { id, verdict, expected, actual, reason } of report.checks) {
      const words = expect.stringMatching(/\S/);
      if (verdict === 'failed' || verdict === 'warned') expect([id, expected, actual]).toEqual([id, words, words]);
      if (verdict === 'inconclusive') expect([id, reason]).toEqual([id, words]);
    }
    if (breaks) {
      const accused = report.checks.filter(({ verdict }) => verdict === 'failed');
      const others = accused.filter(({ brokenRequirement }) => !breaks.test(brokenRequirement ?? ''));
      expect(others.map(({ id, brokenRequirement }) => [id, brokenRequirement])).toEqual([]);
    }
    const passed = report.checks.flatMap(({ id, verdict }) => (verdict === 'passed' ? [id] : []));
    if (leaves === 'nothing') expect(passed).toEqual([]);
    if (leaves === 'refusals') expect(passed.filter((id) => !isOfRefusals(id))).toEqual([]);
    const lines = textSummary(report).trimEnd().split('\n');
    expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(40);
    const [fixFirst, last] = lines.slice(-2);
    expect(fixFirst).toMatch(
      /^Fix first: .* \((1 check waits|\d+ checks wait) for it\)\. npx --no-install assay (doctor --target|run .*--check) \S+/,
    );
    expect(fixFirst).toMatch(cause);
    expect(last).toMatch(/^(non-conformant|incomplete); \d+ of \d+ MUST checks judged/);
  },
);
