import { afterAll, beforeAll, type TestContext, test } from 'vitest';
import { requirements } from '../generated/catalogue.ts';
import type { Check } from './check/check.ts';
import type { Session } from './check/session.ts';
import { allChecks } from './checks/index.ts';
import { applyBaseline } from './run/baseline.ts';
import { type ConformanceRun, randomSeed } from './run/run-conformance.ts';
import { runDefaults } from './run/run-defaults.ts';
import { endsTarget, runChecks } from './run/runner.ts';
import { openSession } from './run/session.ts';
import { asJudgedBy } from './run/suite-version.ts';
import type { CheckResult } from './run/verdict.ts';
import { printable, printableLines } from './text/printable.ts';
import { redact } from './text/redact.ts';

/** The settings of the tests. The checks are a parameter of their own, because vitest must know them earlier. */
export type ConformanceTarget = Omit<ConformanceRun, 'checks' | 'onResult' | 'bail' | 'maxDuration'>;

/** The limit for one check, in milliseconds. Some checks wait long, for events without a deadline. */
const testTimeout = 120_000;

/**
 * Registers one vitest test for each check, under the check's id. Call it at the top of a test file or inside `describe`.
 * A failed check fails its test, with the expected and the actual value, the requirement and the request. A skipped check is
 * skipped with its reason, and so is a failure that the baseline knows.
 *
 * @param target the settings of the target, or a function that returns them before the first test and may start a server
 * @param checks such as `allChecks.filter(({ area }) => area === 'orders')`; default: all
 */
export function conformanceTests(
  target: ConformanceTarget | (() => ConformanceTarget | Promise<ConformanceTarget>),
  checks: readonly Check[] = allChecks,
): void {
  let options: ConformanceTarget & { seed: number };
  let session: Session;

  beforeAll(async () => {
    options = { seed: randomSeed(), ...(typeof target === 'function' ? await target() : target) };
    session = await openSession({ ...runDefaults, ...options });
  }, testTimeout);
  afterAll(() => session?.close());

  async function judge(check: Check, context: TestContext): Promise<void> {
    if (session.limits.reached !== undefined) context.skip(session.limits.reached);
    const run = { ...runDefaults, pins: options.pins ?? {}, concurrency: 1 };
    const [result] = redact(await runChecks(session, asJudgedBy(options.suite, [check]), run), session.secrets);
    if (result) await tell(result, options, context);
  }
  // As in any run, a check that disturbs others on a shared merchant runs alone after the others, rules over everything that was
  // exchanged are judged then, and the target is ended last of all.
  for (const check of checks.filter((each) => !each.alone && !each.afterwards && !endsTarget(each))) {
    test.concurrent(check.id, { timeout: testTimeout }, (context) => judge(check, context));
  }
  const last = [
    ...checks.filter(({ alone }) => alone),
    ...checks.filter(({ afterwards }) => afterwards),
    ...checks.filter(endsTarget),
  ];
  for (const check of last) {
    test.sequential(check.id, { timeout: testTimeout }, (context) => judge(check, context));
  }
}

/** Turns a verdict into the outcome of a test. */
async function tell(result: CheckResult, { baseline = [], seed }: ConformanceTarget, context: TestContext) {
  const { check, verdict, reason, fault } = result;
  if (fault !== undefined) throw fault;
  const applied = applyBaseline([result], baseline, {
    today: new Date().toISOString().slice(0, 10),
    known: allChecks.map(({ id }) => id),
  });
  const known = applied.results[0]?.baseline;
  if (known) context.skip(`known: ${known.reason}`);
  const [problem] = [...applied.stale, ...applied.ended];
  if (problem !== undefined) throw new Error(`the baseline: ${problem}`);
  if (verdict === 'failed') throw new CheckFailed(result, seed);
  if (verdict === 'warned') await context.annotate(explanation(result), 'warning');
  if (verdict === 'inconclusive' && check.level === 'MUST') throw new Error(`no verdict: ${printable(reason ?? '')}`);
  if (verdict === 'skipped' || verdict === 'inconclusive') context.skip(reason);
}

/** A broken requirement. Vitest shows `expected` and `actual` as a difference. */
class CheckFailed extends Error {
  readonly expected: string | undefined;
  readonly actual: string | undefined;

  constructor(result: CheckResult, seed: number | undefined) {
    super(`${explanation(result)}\n  seed: ${seed}`);
    this.name = result.check.id;
    this.expected = result.expected && printableLines(result.expected);
    this.actual = result.actual && printableLines(result.actual);
  }
}

function explanation({ message, expected, actual, requirement, exchange, exchanges }: CheckResult): string {
  const request = exchange === undefined ? undefined : exchanges[exchange - 1]?.request;
  const rule = requirements.find(({ id }) => id === requirement);
  const lines = {
    expected,
    actual,
    request: request && `${request.method} ${request.url}`,
    requirement: rule && `${rule.id}: ${rule.text}`,
  };
  const shown = Object.entries(lines).flatMap(([name, value]) => (value === undefined ? [] : [`  ${name}: ${value}`]));
  return printableLines([message, ...shown].join('\n'));
}
