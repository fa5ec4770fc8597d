import { ordersMachine } from '../../../generated/catalogue.ts';
import { valueAt } from '../../contract/json.ts';
import { readMoment } from '../../contract/moments.ts';
import type { OperationArea } from '../../contract/operations.ts';
import { show } from '../../contract/show.ts';
import { isFinalStatus, statusesOf } from '../../contract/statuses.ts';
import { isBefore } from '../../history/recorder.ts';
import { between, sinceCreate } from '../between.ts';
import { type Book, type Entity, type Sighting, textAt } from '../book.ts';
import type { Fault, Invariant, Judgement } from '../invariant.ts';
import { awaitedFor, behindCreates } from './awaited.ts';
import { differenceOf } from './final-view.ts';
import { type OrderCourse, orderCourse } from './order-course.ts';
import { type QueryRule, ruleId, rules, subjects } from './rules.ts';

/**
 * The states in which an entity is seen follow from one another, from what the driver was asked for and from the time that has passed, as
 * far as the contract binds them. Only the answers to queries show a present state; an end is one in every answer. A status that the
 * contract does not have is no state in a course, and breaks the sentence that says which there are.
 */
export const transitions: Invariant = { name: 'transitions', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  for (const entity of book.entities) {
    yield* judgeCreate(book, entity);
    yield* judgeQueries(book, entity);
  }
}

/** Whether a status is one that the contract has for things of an area. */
const showsState = (area: OperationArea, { status }: Sighting): boolean => statusesOf(area).includes(status);

/** The answer to the create that made something. Where it may have been a repeat's it is not judged. */
function* judgeCreate({ clock }: Book, { area, merchantId, origins, sightings }: Entity): Iterable<Judgement> {
  const [origin] = origins;
  const first = sightings.find(({ exchanged }) => exchanged === origin);
  if (!origin || !first || origins.length > 1) return;
  // One example of the contract shows a new hosted order as PENDING. A check of its own warns about it.
  if (area === 'orders' && first.status === 'PENDING') return;
  const expiry = readMoment(textAt(origin.sent, 'expiresAt') ?? '');
  if (expiry && clock.at(merchantId, origin.record.end).latest >= expiry.instant) return;
  const { initial } = subjects[area];
  const rule = ruleId(origin.operation, 'initial');
  const records = [origin.record];
  if (first.status === initial) return yield { rule, records };
  yield { rule, records, fault: { expected: `data.status = ${initial}`, actual: `data.status = ${first.status}` } };
}

/** Walks through the queries that show an entity, in the order in which they began. */
function* judgeQueries(book: Book, entity: Entity): Iterable<Judgement> {
  const course = orderCourse(book, entity);
  const queries = entity.sightings.filter((each) => each.by === 'query' && showsState(entity.area, each));
  const inOrderOfStart = [...queries].sort((left, right) => left.record.start - right.record.start);
  /** The first query of each kind that showed each state, of those that had ended. */
  const seen = new Map<string, Sighting>();
  // A create that is repeated may show its first answer again, but no end that has not come.
  const ends = entity.sightings.filter(({ by, status }) => by === 'create' && isFinalStatus(entity.area, status));
  let ended = 0;
  for (const sighting of inOrderOfStart) {
    for (let next = queries[ended]; next && isBefore(next.record, sighting.record); next = queries[ended]) {
      const key = JSON.stringify([next.status, kindOf(next)]);
      if (!seen.has(key)) seen.set(key, next);
      ended += 1;
    }
    const earlier = [...seen.values()].filter((before) => !mayBeBehind(book, before, sighting));
    const followed = judgeAfterOthers(book, entity, earlier, sighting);
    yield* followed;
    const end = ends.find(({ record }) => record.end + behindCreates(book.run) < sighting.record.start);
    if (end && end.status !== sighting.status && !followed.some(({ fault }) => fault)) {
      const records = [end.record, sighting.record];
      yield {
        rule: ruleId(sighting.exchanged.operation, 'final'),
        records,
        fault: movedFrom(book, entity, end, sighting),
      };
      continue;
    }
    // A repeat that shows the payment shows the one that queries show. When that was is told of what queries show only.
    const repeat = ends.find(({ status }) => status === sighting.status);
    const field = repeat && differenceOf(entity.area, repeat, sighting);
    const isOfPayment = field && !field.path.includes('paidAt');
    if (repeat && isOfPayment && !followed.some(({ fault }) => fault)) {
      const records = [repeat.record, sighting.record];
      const fault = differingIn(book, entity, field, repeat, sighting);
      yield { rule: ruleId(sighting.exchanged.operation, 'final-view'), records, fault };
    }
    if (!course) continue;
    const contradicts = followed.some(({ fault }) => fault);
    for (const judgement of judgeCourse(book, entity, course, sighting)) {
      // A state that contradicts an earlier one is no second fault, unless a late payment explains it.
      const isLatePayment = judgement.rule === ruleId(sighting.exchanged.operation, 'late-payment');
      if (!contradicts || isLatePayment) yield judgement;
    }
  }
}

/** What a query looks an entity up by, which may be a copy of the data of its own: by an id of the merchant's or the platform's, or in a batch. */
function kindOf({ exchanged: { operation, record }, view }: Sighting): string {
  if (operation !== 'refunds.query')
    return `${operation} ${record.parameters?.merchantOrderId === view.merchantOrderId}`;
  return [...new URLSearchParams(record.query).keys()].sort().join(' ');
}

/** Whether a query may show another state than one of another kind has shown before it: the two may be behind by different times. */
const mayBeBehind = ({ run }: Book, before: Sighting, now: Sighting): boolean =>
  before.status !== now.status &&
  kindOf(before) !== kindOf(now) &&
  now.record.start - before.record.end < awaitedFor(run);

/** Holds a query against earlier ones. */
function judgeAfterOthers(book: Book, entity: Entity, earlier: readonly Sighting[], sighting: Sighting): Judgement[] {
  const { area } = entity;
  const { bound } = subjects[area];
  const { operation } = sighting.exchanged;
  const judgements: Judgement[] = [];
  const add = (name: QueryRule, before: Sighting, fault?: Fault) => {
    if (!bound[name]) return;
    const records = [before.record, sighting.record];
    judgements.push({ rule: ruleId(operation, name), records, ...(fault && { fault }) });
  };
  const final = earlier.find(({ status }) => isFinalStatus(area, status));
  if (final) {
    if (final.status === sighting.status) {
      add('final', final);
      const field = differenceOf(area, final, sighting);
      add('final-view', final, field && differingIn(book, entity, field, final, sighting));
    } else add('final', final, movedFrom(book, entity, final, sighting));
    return judgements;
  }
  for (const before of earlier) {
    if (before.status === sighting.status) continue;
    const follows = area !== 'orders' || isReachable(before.status, sighting.status);
    add('no-other-moves', before, follows ? undefined : movedFrom(book, entity, before, sighting));
  }
  return judgements;
}

const movedFrom = (book: Book, entity: Entity, before: Sighting, now: Sighting): Fault => ({
  expected: `data.status = ${before.status}, as an earlier answer showed, or a state to which moves lead from there`,
  actual: `data.status = ${now.status}${between(book, entity, before.record, now.record)}`,
});

function differingIn(
  book: Book,
  entity: Entity,
  { path, requirement }: NonNullable<ReturnType<typeof differenceOf>>,
  before: Sighting,
  now: Sighting,
): Fault {
  const name = `data.${path.join('.')}`;
  const [first, second] = [before, now].map(({ view }) => show(valueAt(view, path)));
  return {
    expected: `${name} stays as it is once data.status = ${now.status}`,
    actual: `${name} = ${first} in one answer, ${second} in a later one${between(book, entity, before.record, now.record)}`,
    requirement,
  };
}

/** Whether the moves of a hosted order lead from one state to another. */
function isReachable(from: string, to: string): boolean {
  const reached = new Set([from]);
  // A set that grows while it is walked through is walked through to its end.
  for (const state of reached) {
    for (const move of ordersMachine.transitions) if (move.from === state) reached.add(move.to);
  }
  return reached.has(to);
}

/** Holds a query against what the run let happen. */
function* judgeCourse(
  book: Book,
  entity: Entity,
  course: OrderCourse,
  { exchanged, record, status }: Sighting,
): Iterable<Judgement> {
  const { area, origins } = entity;
  const expected = course.expectedDuring(record);
  if (!expected) return;
  const { statuses, cause, decidedBy, latePayment } = expected;
  const name = latePayment && (cause === 'expired' || cause === 'waits') ? 'late-payment' : cause;
  if (!subjects[area].bound[name]) return;
  const reason = (name === 'late-payment' ? latePayment : decidedBy) ?? origins[0]?.record;
  const rule = ruleId(exchanged.operation, name);
  const records = reason ? [reason, record] : [record];
  if ([...statuses].some((each) => each === status)) return yield { rule, records };
  yield {
    rule,
    records,
    fault: {
      expected: `data.status = ${[...statuses].join(' or ')} ${because[name](expiryGiven(entity))}`,
      actual: `data.status = ${status}${sinceCreate(book, entity, record)}`,
    },
  };
}

/** The expiry that the create of an order gave, as it stands in a sentence. */
function expiryGiven({ origins }: Entity): string {
  const given = textAt(origins[0]?.sent, 'expiresAt');
  return given === undefined ? 'whose expiresAt' : `whose expiresAt, ${show(given)},`;
}

/** What the states that are expected follow from. Given is the expiry, as the beginning of a clause. */
const because: Readonly<
  Record<Exclude<QueryRule, 'final' | 'final-view' | 'no-other-moves'>, (expiry: string) => string>
> = {
  waits: (expiry) => `of an order that nobody has paid and ${expiry} has not passed`,
  detected: () => 'after transaction_detected',
  confirmed: () => 'after payment_confirmed of a payment that is large enough',
  underpaid: () => 'after payment_confirmed of a payment that is too small',
  failed: () => 'after payment_failed',
  cancelled: () => 'after cancelled',
  expired: (expiry) => `of an order ${expiry} has passed`,
  'late-payment': (expiry) => `of an order ${expiry} had passed when its payment came`,
};
