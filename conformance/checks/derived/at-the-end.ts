import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { inABatch, requirementsOfWays } from '../../arrange/refunds/ways-to-ask.ts';
import { type MadeRecord, recordsMade } from '../../arrange/requests/made-records.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import type { WayToAsk } from '../../arrange/requests/way-to-ask.ts';
import { sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectThat, isAccepted, summary } from '../../check/expect.ts';
import { shuffled } from '../../check/random.ts';
import { errorCode } from '../../contract/error-codes.ts';
import type { OperationArea } from '../../contract/operations.ts';
import { show } from '../../contract/show.ts';
import { NotApplicable } from '../../errors/outcomes.ts';
import { type Answer, field } from '../../wire/exchange.ts';

// At the end of a run there are orders and refunds in every state, by every way that the checks have led them there. Each is shown alike, however it
// is asked for.

/** How many records of an area are asked for at most. Each is asked for in two to four ways. */
const most = 250;

/** The days after which a record may be handled otherwise, and so is another case. */
const ages = [0, 1, 8, 32, 95, 370];

/** What may have happened last to something that has not ended. */
const underWay: ReadonlySet<string | undefined> = new Set([undefined, 'transaction_detected', 'processing_started']);

/** What has happened in a run so far. */
interface Past {
  /** What happened to an order or a refund, by its platform id, in words that tell one course from another. */
  courseOf(id: string): string;
  /** How far the clock of a merchant was moved, as a place in `ages`. */
  ageOf(merchantId: string): number;
  /** Whether something was asked for alone since the last thing that happened to it, so that a target that looks only then has done so. */
  wasSeen(record: MadeRecord): boolean;
}

function pastOf({ history }: CheckContext): Past {
  const events = new Map<string, string[]>();
  const seconds = new Map<string, number>();
  /** When a clock was moved, something happened, or something was asked for, in milliseconds since the run began. */
  const [moved, happened, asked] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  for (const record of history.records) {
    if (record.kind === 'clock') {
      seconds.set(record.merchantId, (seconds.get(record.merchantId) ?? 0) + record.seconds);
      moved.set(record.merchantId, record.end);
    } else if (record.kind === 'driver' && (record.step === 'orderEvent' || record.step === 'refundEvent')) {
      const { type, paymentMethod, network, reason } = record.event;
      const isDone = 'done' in record.result && record.result.done;
      const id = record.step === 'orderEvent' ? record.orderId : record.refundOrderId;
      events.set(id, [...(events.get(id) ?? []), [type, paymentMethod, network, reason, isDone].join(' ')]);
      happened.set(id, record.end);
    } else if (record.kind === 'request' && record.operation?.endsWith('.query')) {
      const ids = [record.parameters?.merchantOrderId, ...new URLSearchParams(record.query).values()];
      for (const id of ids) if (id !== undefined) asked.set(`${record.as} ${id}`, record.start);
    }
  }
  const daysOf = (merchantId: string) => (seconds.get(merchantId) ?? 0) / 86_400;
  return {
    courseOf: (id) => (events.get(id) ?? []).join(', '),
    ageOf: (merchantId) => ages.findLastIndex((age) => daysOf(merchantId) >= age),
    wasSeen: ({ merchant: { merchantId }, id, ownId }) => {
      const [seenAt = -1] = [id, ownId]
        .map((each) => asked.get(`${merchantId} ${each}`) ?? -1)
        .sort((one, other) => other - one);
      // Time moves nothing that has ended.
      const mayRunOut = underWay.has(events.get(id)?.at(-1)?.split(' ')[0]);
      return seenAt >= Math.max(mayRunOut ? (moved.get(merchantId) ?? 0) : 0, happened.get(id) ?? 0);
    },
  };
}

/** Of what the run has made in an area, one of each kind and course, and at least one with each feature that a create gives. */
function someOfEach(context: CheckContext, area: OperationArea): MadeRecord[] {
  const made = recordsMade(context);
  const { courseOf, ageOf, wasSeen } = pastOf(context);
  const refundsOf = new Map<string, string[]>();
  for (const { id, ofOrder } of made) {
    if (ofOrder !== undefined) refundsOf.set(ofOrder, [...(refundsOf.get(ofOrder) ?? []), courseOf(id)]);
  }
  const caseOf = ({ id, kind, merchant, ofOrder }: MadeRecord) =>
    JSON.stringify([kind, ageOf(merchant.merchantId), courseOf(id), ofOrder && courseOf(ofOrder), refundsOf.get(id)]);
  // The key of a merchant may have been revoked.
  const ofArea = made.filter(
    (record) => record.area === area && wasSeen(record) && !context.isRevoked(record.merchant),
  );
  const mixed = shuffled(ofArea, context.random);
  const byCase = new Map(mixed.map((record) => [caseOf(record), record]));
  const ofCourses = [...byCase.values()].slice(0, context.isThrifty ? 10 : most);
  const known = new Set(ofCourses.flatMap(({ features }) => features));
  const ofFeatures = mixed.filter(({ features }) => {
    const isNew = features.some((feature) => !known.has(feature));
    for (const feature of features) known.add(feature);
    return isNew;
  });
  return [...ofCourses, ...(context.isThrifty ? [] : ofFeatures)];
}

/** What a way of asking showed of a record. */
interface Shown {
  way: WayToAsk;
  answer: Answer;
  /** Absent: it was not found. */
  status: unknown;
}

/** The code of a query that finds nothing. */
const notFound: Readonly<Record<OperationArea, string>> = {
  orders: errorCode('orders', 'ORDER_NOT_FOUND'),
  checkout: errorCode('checkout', 'ORDER_NOT_FOUND'),
  refunds: errorCode('refunds', 'REFUND_NOT_FOUND'),
};

/** The platform's id and the merchant's own one of each record that an answer shows, alone or first in a list. */
const shownIn = (answer: Answer): { id: unknown; ownId: unknown }[] =>
  ['data', 'data.0'].flatMap((place) => [
    { id: field(answer, `${place}.orderId`), ownId: field(answer, `${place}.merchantOrderId`) },
    { id: field(answer, `${place}.refundOrderId`), ownId: field(answer, `${place}.merchantRefundOrderId`) },
  ]);

/** Asks in one way. `undefined`: the answer says nothing of the record, such as a refusal for the rate of requests, or shows another one. */
async function look(record: MadeRecord, way: WayToAsk): Promise<Shown | undefined> {
  const answer = await way.ask();
  const status = way.statusIn(answer);
  if (!isAccepted(answer))
    return field(answer, 'code') === notFound[record.area] ? { way, answer, status: undefined } : undefined;
  const isOther = typeof status === 'string' && !shownIn(answer).some(({ id }) => id === record.id);
  return isOther ? undefined : { way, answer, status };
}

/** Fails when a way of asking does not show a record as the first one does that finds it. */
async function expectShownAlike(context: CheckContext, record: MadeRecord, shown: readonly Shown[]): Promise<void> {
  const reference = shown.find(({ status }) => typeof status === 'string');
  const isAlike = ({ way }: Shown, answer: Answer) => way.statusIn(answer) === reference?.status;
  for (const each of shown) {
    const { way } = each;
    if (way.mayFindNothing && each.status === undefined) continue;
    // What is late, or has moved meanwhile, is no fault.
    const late = reference && !isAlike(each, each.answer);
    const answer = late ? await context.poll(way.ask, (again) => isAlike(each, again)) : each.answer;
    const isSteady = !late || (await look(record, reference.way))?.status === reference.status;
    expectThat(!isSteady || (reference !== undefined && isAlike(each, answer)), answer, {
      expected: `asked for by ${way.words} at the end of the run: ${reference ? `status = ${show(reference.status)}, as by ${reference.way.words}` : 'what was made is found'}`,
      actual: typeof way.statusIn(answer) === 'string' ? `status = ${show(way.statusIn(answer))}` : summary(answer),
      requirement: way.requirement,
    });
  }
}

/** What says that a record is hidden from other merchants. */
const hiddenBy = ({ area }: MadeRecord, { words }: WayToAsk): RequirementId =>
  words === inABatch ? 'refunds.batch-query.other-merchant' : `${area}.query.other-merchant`;

/** Asks for a record as another merchant, in a way that may find it. Fails where that one is shown it. */
async function expectHidden(context: CheckContext, record: MadeRecord, index: number): Promise<void> {
  const other = await context.merchant('other');
  const way = record.waysToAsk(context, other)[index];
  if (!way || other.merchantId === record.merchant.merchantId) return;
  const answer = await way.ask();
  // Each merchant may have something of its own under the same id, and under the same id of the platform.
  const isOwn = field(answer, 'data.merchantId') === other.merchantId;
  const isShown = !isOwn && shownIn(answer).some(({ id, ownId }) => id === record.id && ownId === record.ownId);
  expectThat(!isShown, answer, {
    expected: `asked for by ${way.words} at the end of the run, by another merchant: ${record.id} is not shown`,
    actual: `${record.id} of ${record.merchant.merchantId} is shown to ${other.merchantId}`,
    requirement: hiddenBy(record, way),
  });
}

/** Each record with one of its ways to ask, in turn; and with all of them one record with each feature: what is seldom is looked at closely. */
function questionsOf(context: CheckContext, records: readonly MadeRecord[]): (readonly [MadeRecord, number])[] {
  const known = new Set<string>();
  return records.flatMap((record, index) => {
    const count = record.waysToAsk(context).length;
    const isSeldom = record.features.some((feature) => !known.has(feature));
    for (const feature of record.features) known.add(feature);
    const places = isSeldom ? Array.from({ length: count }).keys() : [index % count];
    return [...places].map((place) => [record, place] as const);
  });
}

/** Asks for one record of each course in every way that it may be found, and fails where one of them shows it otherwise. */
async function expectAllShownAlike(context: CheckContext, area: OperationArea): Promise<void> {
  await context.othersEnded();
  const records = someOfEach(context, area);
  if (records.length === 0) throw new NotApplicable('nothing was made in this run that could be asked for');
  const looks = await someAtOnce(records, async (record) => {
    const shown = await Promise.all(record.waysToAsk(context).map((way) => look(record, way)));
    return { record, shown: shown.flatMap((each) => each ?? []) };
  });
  await sideBySide(looks.map(({ record, shown }) => expectShownAlike(context, record, shown)));
  if (!context.has('other-merchant')) return;
  await someAtOnce(questionsOf(context, records), ([record, index]) => expectHidden(context, record, index));
}

/** The looks at what the checks of a run have made, when all others have ended. */
export const atTheEndChecks: readonly CheckDeclaration[] = [
  {
    id: 'orders.situations.at-the-end',
    title:
      'At the end of a run, a hosted order of every course is shown alike by each id that finds hosted orders, and to no other merchant',
    requirements: ['orders.query.by-merchant-order-id', 'orders.query.by-order-id', 'orders.query.other-merchant'],
    lasts: true,
    ofOthers: true,
    run: (context) => expectAllShownAlike(context, 'orders'),
  },
  {
    id: 'checkout.situations.at-the-end',
    title:
      'At the end of a run, a checkout order of every course is shown alike by each id that finds checkout orders, and to no other merchant',
    requirements: ['checkout.query.by-merchant-order-id', 'checkout.query.other-merchant'],
    lasts: true,
    ofOthers: true,
    run: (context) => expectAllShownAlike(context, 'checkout'),
  },
  {
    id: 'refunds.situations.at-the-end',
    title:
      'At the end of a run, a refund of every course is shown alike by each of its ids, and in a batch, and to no other merchant',
    requirements: [...requirementsOfWays, 'refunds.query.other-merchant', 'refunds.batch-query.other-merchant'],
    lasts: true,
    ofOthers: true,
    run: (context) => expectAllShownAlike(context, 'refunds'),
  },
];
