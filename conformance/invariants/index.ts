import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Check } from '../check/check.ts';
import type { CheckContext } from '../check/context.ts';
import { type CheckDeclaration, defineChecks } from '../check/define-checks.ts';
import { Broken, NotApplicable } from '../errors/outcomes.ts';
import type { History } from '../history/records.ts';
import type { Exchange } from '../wire/exchange.ts';
import { addresses } from './addresses.ts';
import { asked } from './asked.ts';
import { type Book, readBook } from './book.ts';
import { constant } from './constant.ts';
import { declared } from './declared.ts';
import { deliveries } from './deliveries/deliveries.ts';
import { echo } from './echo.ts';
import { effects } from './effects.ts';
import { exchangeOf } from './exchange-of.ts';
import { failedRefunds } from './failed-refunds.ts';
import { failures } from './failures.ts';
import { forms } from './forms.ts';
import { identity } from './identity.ts';
import type { Fault, Invariant, Judgement } from './invariant.ts';
import { isolation } from './isolation.ts';
import { marksAbout } from './marks/marks-about.ts';
import { type Marked, tellingMark } from './marks/telling-mark.ts';
import { money } from './money/index.ts';
import { networkNames } from './network-names.ts';
import { onceForEach } from './once-for-each.ts';
import { presence } from './presence.ts';
import { refunded } from './refunded.ts';
import { refusalIds } from './refusal-ids.ts';
import { rightCreates } from './right-creates.ts';
import { timesOfEvents } from './times.ts';
import { transitions } from './transitions/index.ts';
import { unknownOrders } from './unknown-orders.ts';
import { whyUnseen } from './unseen.ts';

/** Every invariant, in the order of the contract's subjects. */
export const invariants: readonly Invariant[] = [
  declared,
  presence,
  forms,
  addresses,
  networkNames,
  echo,
  constant,
  transitions,
  timesOfEvents,
  money,
  effects,
  rightCreates,
  failures,
  asked,
  unknownOrders,
  refusalIds,
  refunded,
  failedRefunds,
  identity,
  isolation,
  deliveries,
];

/** What a history shows of one rule. */
export interface RuleFindings {
  /** How often the history had something to look at. */
  looked: number;
  broken: readonly (Judgement & { fault: Fault })[];
}

/** A history as it was read, with what it shows of every rule, by the rule's id. A rule that the history never touches has no entry. */
interface Read {
  book: Book;
  findings: ReadonlyMap<string, RuleFindings>;
}

/** For how long a history is read and judged at a time, in milliseconds. The target may be asked meanwhile. */
const longestTurn = 10;

async function readAndJudge(history: History): Promise<Read> {
  const book = readBook(history);
  const findings = new Map<string, { looked: number; broken: (Judgement & { fault: Fault })[] }>();
  let began = performance.now();
  for (const invariant of invariants) {
    for (const judgement of invariant.judge(book)) {
      const known = findings.get(judgement.rule) ?? { looked: 0, broken: [] };
      findings.set(judgement.rule, known);
      known.looked += 1;
      if (isBroken(judgement)) known.broken.push(judgement);
      if (performance.now() - began < longestTurn) continue;
      await nextTurn();
      began = performance.now();
    }
  }
  return { book, findings };
}

const isBroken = (judgement: Judgement): judgement is Judgement & { fault: Fault } => judgement.fault !== undefined;

/** What was read of each history: every rule's check asks for it. */
const kept = new WeakMap<History, Promise<Read>>();

function readOnce(history: History): Promise<Read> {
  const read = kept.get(history) ?? readAndJudge(history);
  kept.set(history, read);
  return read;
}

/** What a history says of one rule, as a check ends: with nothing, with what is broken, or because there was nothing to look at. */
export interface RuleOutcome {
  thrown?: Broken | NotApplicable;
  /** The exchanges that show it. */
  exchanges: readonly Exchange[];
}

/** Judges a history, to which nothing is added any more, by one rule, named by its id. */
export async function judgeRule(id: string, history: History): Promise<RuleOutcome> {
  const { book, findings } = await readOnce(history);
  const found = findings.get(id);
  if (!found) return { thrown: new NotApplicable(whyUnseen(id, book)), exchanges: [] };
  const [first, ...others] = found.broken;
  if (!first) return { exchanges: [] };
  const { expected, actual, requirement } = first.fault;
  const exchanges = first.records.flatMap((record) => exchangeOf(record, history.run) ?? []);
  const apart = found.broken.length < fewestBroken ? undefined : whatSetsApart(id, book);
  const more = `and ${others.length} more of the ${found.looked} times that the run could see it`;
  const places = others.length > 0 ? ` (${apart === undefined ? more : `${more}: ${apart}`})` : '';
  const thrown = new Broken(`${actual}${places}`, {
    expected,
    actual,
    ...(requirement && { requirement }),
    ...(exchanges.length > 0 && { exchange: exchanges.length }),
  });
  return { thrown, exchanges };
}

/** From how many broken looks on it is asked what they have in common. */
const fewestBroken = 10;

/** What the creates of nearly all orders and refunds have for which a rule is broken, and those of few others, in words. `undefined`: there is nothing of the kind. */
function whatSetsApart(id: string, book: Book): string | undefined {
  const invariant = invariantOf(id);
  const looks = invariant && markedLooks(invariant, book).get(id);
  return looks && tellingMark(looks, fewestBroken)?.words;
}

/** What is known of each look of an invariant, by its rules. Most runs ask for none, and a target that is wrong everywhere for all rules of some. */
function markedLooks(invariant: Invariant, book: Book): ReadonlyMap<string, readonly Marked[]> {
  const known = looksOfBooks(book);
  const looks = known.get(invariant) ?? new Map<string, Marked[]>();
  if (known.has(invariant)) return looks;
  known.set(invariant, looks);
  const about = marksAbout(book);
  for (const { rule, records, fault } of invariant.judge(book)) {
    const last = records.at(-1);
    const marks = last && about(last);
    if (!marks) continue;
    const ofRule = looks.get(rule) ?? [];
    looks.set(rule, ofRule);
    ofRule.push({ isMeant: fault !== undefined, marks });
  }
  return looks;
}

const looksOfBooks = onceForEach((_: Book) => new Map<Invariant, Map<string, Marked[]>>());

/** The invariant that a check is a rule of; `undefined` for every other check. */
export function invariantOf(id: string): Invariant | undefined {
  return invariants.find(({ rules }) => rules.some((rule) => rule.id === id));
}

async function runRule(id: string, { history, transport }: CheckContext): Promise<void> {
  const { thrown, exchanges } = await judgeRule(id, history);
  for (const exchange of exchanges) transport.record(exchange);
  if (thrown) throw thrown;
}

/** The check of each rule of each invariant. */
export const invariantChecks: readonly Check[] = defineChecks(
  invariants.flatMap(({ rules }) =>
    rules.map(
      (rule): CheckDeclaration => ({
        ...rule,
        afterwards: true,
        run: (context) => runRule(rule.id, context),
      }),
    ),
  ),
);
