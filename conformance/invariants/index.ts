import type { Check } from '../check/check.ts';
import type { CheckContext } from '../check/context.ts';
import { type CheckDeclaration, defineChecks } from '../check/define-checks.ts';
import { Broken, NotApplicable } from '../errors/outcomes.ts';
import type { History } from '../history/records.ts';
import { readBook } from './book.ts';
import { constant } from './constant.ts';
import { echo } from './echo.ts';
import { exchangeOf } from './exchange-of.ts';
import type { Fault, Invariant, InvariantRule, Judgement } from './invariant.ts';
import { timesOfEvents } from './times.ts';
import { transitions } from './transitions/index.ts';

/** Every invariant, in the order of the contract's subjects. */
export const invariants: readonly Invariant[] = [echo, constant, transitions, timesOfEvents];

/** What a history shows of one rule. */
export interface RuleFindings {
  /** How often the history had something to look at. */
  looked: number;
  broken: readonly (Judgement & { fault: Fault })[];
}

/** What a history shows of every rule, by its id. A rule that the history never touches has no entry. */
export function judgeHistory(history: History): ReadonlyMap<string, RuleFindings> {
  const book = readBook(history);
  const findings = new Map<string, { looked: number; broken: (Judgement & { fault: Fault })[] }>();
  for (const invariant of invariants) {
    for (const judgement of invariant.judge(book)) {
      const known = findings.get(judgement.rule) ?? { looked: 0, broken: [] };
      findings.set(judgement.rule, known);
      known.looked += 1;
      if (isBroken(judgement)) known.broken.push(judgement);
    }
  }
  return findings;
}

const isBroken = (judgement: Judgement): judgement is Judgement & { fault: Fault } => judgement.fault !== undefined;

/** The findings on a history, kept as long as nothing is added to it: every rule's check asks for them. */
const kept = new WeakMap<History, { length: number; findings: ReadonlyMap<string, RuleFindings> }>();

function findingsOn(history: History): ReadonlyMap<string, RuleFindings> {
  const known = kept.get(history);
  if (known && known.length === history.records.length) return known.findings;
  const findings = judgeHistory(history);
  kept.set(history, { length: history.records.length, findings });
  return findings;
}

/** How many further places of the same fault a message counts by their number alone. */
const shownPlaces = 1;

async function judgeRule({ id }: InvariantRule, { history, transport }: CheckContext): Promise<void> {
  const found = findingsOn(history).get(id);
  if (!found) throw new NotApplicable('nothing was exchanged that this could be seen in');
  const [first] = found.broken;
  if (!first) return;
  const { expected, actual, requirement } = first.fault;
  const exchange = first.records
    .flatMap((record) => exchangeOf(record, history.run) ?? [])
    .map((shown) => transport.record(shown))
    .at(-1);
  const others = found.broken.length - shownPlaces;
  const places = others > 0 ? `; and so ${others} more of ${found.looked} times that the run could see it` : '';
  throw new Broken(`${actual}${places}`, {
    expected,
    actual,
    ...(requirement && { requirement }),
    ...(exchange !== undefined && { exchange }),
  });
}

/** The check of each rule of each invariant. */
export const invariantChecks: readonly Check[] = defineChecks(
  invariants.flatMap(({ rules }) =>
    rules.map(
      (rule): CheckDeclaration => ({
        ...rule,
        afterwards: true,
        run: (context) => judgeRule(rule, context),
      }),
    ),
  ),
);
