import { systemErrorCodes } from '../contract/error-codes.ts';
import { contractOperation, contractOperations } from '../contract/operations.ts';
import { schemaFaults } from '../contract/schema.ts';
import { show } from '../contract/show.ts';
import { endedBeforeAnswer } from '../history/ended-target.ts';
import { isBefore } from '../history/recorder.ts';
import { type Book, type Exchanged, withoutAnswer } from './book.ts';
import { codeOf, isOrdinary, saysSomethingOf } from './bound-answers.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

/** How often in a row a request must fail, and how long after one another, in milliseconds. */
const [times, leastPause] = [3, 250];

/** The list of payment methods has one right request. A service that fails at it has no other by which it shows that it is up. */
const operations = contractOperations.map(({ name }) => name).filter((name) => name !== 'checkout.payment-methods');

const ruleId = (operation: string) => `${operation}.failures.lasting`;

const rules: readonly InvariantRule[] = operations.map((operation) => ({
  id: ruleId(operation),
  title: `No right request of ${operation} is answered with a system error again and again while others are carried out, and none ends the target twice`,
  requirements: ['general.lasting-failure'],
}));

/**
 * A service fails by chance, for a while or because it is asked too much, but not at one request for good. Only failures between which
 * the same merchant had another request carried out count, so that a service that is down or busy is not accused.
 */
export const failures: Invariant = { name: 'failures', rules, judge };

/** What makes a request another one than the same sent again. Its headers change with the time. */
const keyOf = ({ operation, record: { path, query, body } }: Exchanged) =>
  JSON.stringify([operation, path, query, body?.text]);

/** A refusal that says when to ask again is for the rate of requests, and has a code of a failure too. */
const isFailure = (exchanged: Exchanged) =>
  (exchanged.status >= 500 || systemErrorCodes.includes(codeOf(exchanged) ?? '')) &&
  exchanged.record.answer?.headers['retry-after'] === undefined;

function* judge(book: Book): Iterable<Judgement> {
  yield* judgeFailures(book);
  yield* judgeEnds(book);
}

function* judgeFailures(book: Book): Iterable<Judgement> {
  const acceptedOf = grouped(
    book.exchanged.filter(({ accepted }) => accepted),
    ({ merchantId }) => merchantId,
  );
  const repeated = grouped(
    book.exchanged.filter((each) => operations.includes(each.operation) && isOrdinary(book, each)),
    keyOf,
  );
  for (const same of repeated.values()) {
    const [first] = same;
    if (!first) continue;
    const rule = ruleId(first.operation);
    const row = longestRow(same, acceptedOf.get(first.merchantId) ?? []);
    const last = row.at(-1);
    const records = (row.length > 0 ? row : [first]).map(({ record }) => record);
    if (!last || row.length < times) {
      // Where every answer is unreadable, finds a right signature wrong, or is a failure as all others are, nothing is told of this request.
      if (same.some(saysSomethingOf) || (last && acceptedOf.has(first.merchantId))) yield { rule, records };
    } else {
      yield {
        rule,
        records,
        fault: {
          expected: `${first.operation} carries out or refuses a request for which it failed before`,
          actual: `the same request failed ${row.length} times in a row, the last time with HTTP ${last.status} and code ${show(codeOf(last))}, while other requests were carried out`,
        },
      };
    }
  }
}

/**
 * A check that was under way when the target ended is run once more by itself. Where the target ends again at a right request of the same operation,
 * with nothing beside it, and has carried out others in between, that is no chance.
 */
function* judgeEnds(book: Book): Iterable<Judgement> {
  const ended = book.unanswered
    .filter(({ error }) => error?.startsWith(endedBeforeAnswer))
    .flatMap((record) => withoutAnswer(record) ?? [])
    .filter((each) => operations.includes(each.operation) && isOrdinary(book, each) && keepsSchema(each));
  const same = grouped(ended, ({ operation, record: { check } }) => JSON.stringify([operation, check]));
  for (const alike of same.values()) {
    const [first, ...later] = alike;
    const last = later.find((each) => first && isAlone(book, each, alike) && hasCarriedOut(book, first, each));
    if (!first || !last) continue;
    const { method, path } = last.record;
    yield {
      rule: ruleId(first.operation),
      records: [first.record, last.record],
      fault: {
        expected: `${first.operation} carries out or refuses a request at which the target ended before`,
        actual: `the target ended at ${method} ${path} as it did at the same request of the same check before, this time with nothing beside it, and carried out others in between`,
      },
    };
  }
}

/** The body of the request, where the operation has one, is as the contract declares it. */
function keepsSchema({ operation, sent }: Exchanged): boolean {
  const { bodySchema } = contractOperation(operation);
  return bodySchema === undefined || schemaFaults(sent, bodySchema).length === 0;
}

/** No other request was under way at the same time, but for right ones of the same check and operation that got no answer either. */
const isAlone = ({ exchanged, unanswered }: Book, each: Exchanged, like: readonly Exchanged[]): boolean => {
  const alike = new Set(like.map(({ record }) => record));
  return [...exchanged.map(({ record }) => record), ...unanswered].every(
    (other) => alike.has(other) || isBefore(other, each.record) || isBefore(each.record, other),
  );
};

/** A request was carried out after one and before another. */
const hasCarriedOut = ({ exchanged }: Book, first: Exchanged, last: Exchanged): boolean =>
  exchanged.some(({ accepted, record }) => accepted && isBefore(first.record, record) && isBefore(record, last.record));

function grouped(all: readonly Exchanged[], keyFor: (each: Exchanged) => string): Map<string, Exchanged[]> {
  const groups = new Map<string, Exchanged[]>();
  for (const each of all) {
    const key = keyFor(each);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(each);
  }
  return groups;
}

/** The longest row of failures at one request, each a while after the one before, with a request carried out in between. */
function longestRow(same: readonly Exchanged[], accepted: readonly Exchanged[]): readonly Exchanged[] {
  let [longest, row]: [Exchanged[], Exchanged[]] = [[], []];
  for (const each of same) {
    const before = row.at(-1);
    if (!isFailure(each)) row = [];
    else if (!before) row = [each];
    else if (
      each.record.start - before.record.end >= leastPause &&
      accepted.some(({ record }) => isBefore(before.record, record) && isBefore(record, each.record))
    ) {
      row = [...row, each];
    }
    if (row.length > longest.length) longest = row;
  }
  return longest;
}
