import { randomUUID } from 'node:crypto';
import { limit } from '../../../generated/catalogue.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { checkoutKinds, hostedKinds } from '../../arrange/refunds/kinds-of-orders.ts';
import { type KnownRefunds, knownRefunds } from '../../arrange/refunds/known-refunds.ts';
import { makePaidOrders } from '../../arrange/refunds/paid-orders.ts';
import {
  bringRefundTo,
  type MadeRefund,
  makeRefund,
  makeRefundIn,
  refundStates,
  standingRefund,
  twoRefunds,
} from '../../arrange/refunds/refunds.ts';
import { ifTaken, sideBySide, whereReached } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectField,
  expectNothingOf,
  expectRefused,
  expectSchema,
  expectStatus,
  expectThat,
  isAccepted,
  isTaken,
  needAccepted,
  summary,
} from '../../check/expect.ts';
import { counted } from '../../contract/counted.ts';
import { instantOf } from '../../contract/moments.ts';
import { show } from '../../contract/show.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive, PermittedChoice } from '../../errors/outcomes.ts';
import { changedIds } from '../../values/parameters.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { expectEach, expectShown, idOf, idsIn, recordsOf } from '../support/batch-answers.ts';
import { leftOut, ownFields } from '../support/refund-states.ts';

/** How many ids a batch query takes. */
const most = limit('refunds.batch.ids', 'max');

/** How long the ids are of a batch whose query is longer than one of ordinary ids. No length of refund ids is given. */
const longId = limit('orders.merchant-order-id.length', 'max');

/** More refunds than a page of usual length shows: fewer prove little. */
const beyondAPage = 26;

/** Ids that no refund has. */
const unknownIds = (context: CheckContext, count: number) => Array.from({ length: count }, () => context.newOrderId());

/** A list of this length that repeats `ids`. */
const repeated = (ids: readonly string[], length: number) =>
  Array.from({ length }, (_, index) => ids[index % ids.length] ?? '');

/** Three ids that are equal once they are read as floating-point numbers. The first and the last are equal as exact numbers too. */
function nearNumbers(): string[] {
  const digits = `1${BigInt(`0x${randomUUID().slice(0, 8)}${randomUUID().slice(0, 8)}`)}`;
  return [`${digits}1`, `${digits}2`, `0${digits}1`];
}

/** The fields that tell in which state a refund is, and what it gives back. */
const tellingFields = [
  'status',
  ...ownFields.flatMap(({ names }) => names),
  'refundCurrency',
  'paymentMethod',
  'acquiringOrderId',
];

/** Whether two values of a field mean the same: of times those within a second, because how exactly they are written is not said. */
const isSame = (name: string, one: unknown, other: unknown): boolean =>
  one === other || (name.endsWith('Time') && Math.abs(instantOf(one) - instantOf(other)) < 1000);

/** The record of a refund in the answer to a batch query, and its place there. */
function recordIn(answer: Answer, id: string): { place: number; record: unknown } {
  const data = field(answer, 'data');
  const place = idsIn(answer).indexOf(id);
  return { place, record: Array.isArray(data) ? data[place] : undefined };
}

/** Whether the record of a refund in the answer to a batch query says what a query for it has said. */
function isAsAlone(answer: Answer, id: string, alone: Answer): boolean {
  const { record } = recordIn(answer, id);
  return tellingFields.every((name) => isSame(name, field({ json: record }, name), field(alone, `data.${name}`)));
}

/** Fails unless the record of a refund in the answer to a batch query says what the queries for it before and after it have said. */
function expectAsAlone(answer: Answer, id: string, before: Answer, after: Answer): void {
  const { place, record } = recordIn(answer, id);
  for (const name of tellingFields) {
    const [alone, later] = [field(before, `data.${name}`), field(after, `data.${name}`)];
    // A refund may move on by itself meanwhile.
    if (!isSame(name, alone, later)) continue;
    const shown = field({ json: record }, name);
    expectThat(isSame(name, shown, alone), answer, {
      expected: `data[${place}].${name} = ${show(alone)}, as in the answer to a query for this refund alone`,
      actual: `data[${place}].${name} = ${show(shown)}`,
    });
  }
}

/** Several refunds of the shared merchant that no check moves. */
async function severalRefunds(context: CheckContext): Promise<[MadeRefund, ...MadeRefund[]]> {
  if (!context.has('order-events')) return twoRefunds(context);
  const merchant = await context.merchant();
  return Promise.all([makeRefund(context, merchant), makeRefund(context, merchant), makeRefund(context, merchant)]);
}

/** Refunds that exist, by their merchantRefundOrderIds: three, or, where none can be made, the two that all checks share. */
async function someRefunds(context: CheckContext): Promise<KnownRefunds> {
  if (context.has('order-events')) return knownRefunds(context, 3);
  const [first, second] = await twoRefunds(context);
  return { client: first.client, ids: [first, second].map(ownIdOf) };
}

/** Refunds of the merchant of orders of every kind, of both products. Some may not be taken, and so their refunds are missing. */
async function refundsOfEveryKind(context: CheckContext, merchant: Credentials): Promise<MadeRefund[]> {
  // There are fewer kinds of checkout orders than states.
  const ofCheckout = refundStates.flatMap((_, index) => checkoutKinds[index % checkoutKinds.length] ?? []);
  const kinds = [...hostedKinds, ...(context.has('checkout') ? ofCheckout : [])];
  const made = await sideBySide(
    kinds.map((kind) =>
      ifTaken(
        whereReached(kind.pay(context, merchant)).then(
          async (order) => order && makeRefund(context, merchant, { order }),
        ),
      ),
    ),
  );
  return made.flatMap((refund) => refund ?? []);
}

/** The refunds of an order that was refunded twice, the first of them FAILED. Empty: no order is refunded a second time (open point refund-second). */
async function refundsOfOneOrder(context: CheckContext, merchant: Credentials): Promise<MadeRefund[]> {
  const first = await makeRefund(context, merchant);
  await bringRefundTo(context, first, 'FAILED');
  const second = await ifTaken(makeRefund(context, merchant, { order: first.order }));
  return second ? [first, second] : [];
}

const ownIdOf = ({ request }: MadeRefund) => request.merchantRefundOrderId;

/** A refund under an id as long as one of an order may be. A target may refuse it, because no sentence says what the id of a refund is made of. */
async function makeLongNamedRefund(context: CheckContext): Promise<MadeRefund> {
  const merchantRefundOrderId = context.newOrderId().padEnd(longId, '-');
  return makeRefund(context, await context.merchant(), { merchantRefundOrderId });
}

export const refundsBatchQueryChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.batch-query.known',
    title: 'A batch query shows every refund that was asked for',
    requirements: ['refunds.batch-query.known', 'refunds.errors.success-status'],
    needs: ['paid-order'],
    async run(context) {
      const refunds = await severalRefunds(context);
      const answer = await refunds[0].client.batchQuery(refunds.map(ownIdOf).reverse());
      expectAccepted(answer, 'a batch query for refunds that exist');
      expectStatus(answer, 200, 'a batch query that succeeds', 'refunds.errors.success-status');
      expectShown(answer, refunds);
    },
  },
  {
    id: 'refunds.batch-query.current',
    title: 'A batch query shows that a refund has SUCCEEDED meanwhile',
    requirements: ['refunds.batch-query.known'],
    needs: ['paid-order', 'refund-events'],
    async run(context) {
      const { client, request } = await makeRefundIn(context, 'SUCCEEDED');
      const ask = () => client.batchQuery([request.merchantRefundOrderId]);
      const answer = await context.poll(ask, (each) => field(each, 'data.0.status') === 'SUCCEEDED');
      expectField(answer, 'data.0.status', 'SUCCEEDED');
    },
  },
  {
    id: 'refunds.batch-query.success-envelope',
    title: 'The answer to a batch query is the whole envelope with a list of records',
    requirements: ['refunds.envelope.batch', 'refunds.record.fields', 'refunds.envelope.timestamp'],
    needs: ['paid-order'],
    async run(context) {
      const { client, request } = await standingRefund(context);
      const answer = await client.batchQuery([request.merchantRefundOrderId]);
      needAccepted(answer, 'a batch query');
      expectSchema(answer, 'RefundBatchSuccess');
    },
  },
  {
    id: 'refunds.batch-query.hundred-ids',
    title: 'A batch query for 100 ids is answered, where one for an unknown id is',
    requirements: ['refunds.batch-query.ids.maximum'],
    openPoint: 'refund-batch-unknown',
    needs: ['paid-order'],
    async run(context) {
      const refund = await standingRefund(context);
      const { client } = refund;
      const unknownId = () => context.newOrderId().padEnd(longId, '-');
      const some = await client.batchQuery([ownIdOf(refund), unknownId()]);
      needAccepted(await client.batchQuery([ownIdOf(refund)]), 'a batch query for a known id');
      if (!isTaken(some, 'a batch query for an unknown id'))
        throw new PermittedChoice('such ids are refused (open points refund-batch-unknown and query-malformed-id)');
      const unknown = Array.from({ length: most - 1 }, unknownId);
      const answer = await client.batchQuery([...unknown, ownIdOf(refund)]);
      expectAccepted(answer, `a batch query for ${most} ids`);
      expectShown(answer, [refund]);
    },
  },
  {
    id: 'refunds.batch-query.unknown-ids',
    title: 'What a batch query answers for unknown ids, for one given twice and for none, and in which order',
    requirements: ['refunds.batch-query.unknown-ids', 'refunds.batch-query.ids.minimum'],
    needs: ['paid-order'],
    async run(context) {
      const [first, ...others] = await severalRefunds(context);
      const { client } = first;
      const ids = [first, ...others].map(ownIdOf).reverse();
      const unknown = await client.batchQuery([context.newOrderId(), ownIdOf(first)]);
      const [twice, none, ordered] = [
        await client.batchQuery([ownIdOf(first), ownIdOf(first)]),
        await client.batchQuery([]),
        await client.batchQuery(ids),
      ];
      const shown = recordsOf(ordered).map((record) => field({ json: record }, 'merchantRefundOrderId'));
      const words = (answer: Answer) =>
        isAccepted(answer) ? `${recordsOf(answer).length} records` : `HTTP ${answer.status}, ${summary(answer)}`;
      const seen = [
        `an unknown and a known id: ${words(unknown)}`,
        `an id given twice: ${words(twice)}`,
        `no ids: ${words(none)}`,
        `records ${JSON.stringify(shown) === JSON.stringify(ids) ? 'in' : 'not in'} the order of the request`,
      ];
      const leftOut = isAccepted(unknown) && recordsOf(unknown).length === 1;
      const value = leftOut ? 'left-out' : unknown.status === 404 ? 'not-found' : null;
      context.observeIn([unknown, twice, none, ordered], 'refund-batch-unknown', seen.join('; '), value);
    },
  },
  {
    id: 'refunds.batch-query.changed-ids',
    title:
      'A batch query for ids that are not that of a refund, but nearly, or that it has in another place, does not show the refund',
    requirements: ['refunds.batch-query.known'],
    needs: ['paid-order'],
    async run(context) {
      const refund = await standingRefund(context);
      needAccepted(await refund.client.batchQuery([ownIdOf(refund)]), 'a batch query for the refund');
      const { refundOrderId, order } = refund;
      const changed = changedIds(ownIdOf(refund), context.random, 'merchant').map(({ value }) => value);
      // A platform may take the merchant's ids for its own, and then they are those that were asked for.
      const elsewhere = [refundOrderId, order.orderId, order.merchantOrderId ?? refundOrderId];
      const ids = [...changed, ...elsewhere.filter((id) => id !== ownIdOf(refund))];
      // One id with a character that the target refuses would keep it from looking at the others.
      const answer = await refund.client.batchQuery(ids.filter((id) => /^[!-~]+$|^[\uff01-\uff5e]+$/.test(id)));
      const shown = recordsOf(answer).find((record) => idOf(record) === refund.refundOrderId);
      expectThat(shown === undefined, answer, {
        expected: 'nothing under data of a refund whose id was not asked for',
        actual: `data shows ${refund.refundOrderId} with merchantRefundOrderId = ${show(field({ json: shown }, 'merchantRefundOrderId'))}`,
      });
    },
  },
  {
    id: 'refunds.batch-query.other-merchant',
    title: "A merchant's batch query does not show another merchant's refund",
    requirements: ['refunds.batch-query.other-merchant'],
    needs: ['paid-order', 'other-merchant'],
    async run(context) {
      const refund = await standingRefund(context);
      needAccepted(await refund.client.batchQuery([ownIdOf(refund)]), "the owner's batch query");
      const withLongId = context.has('order-events') && (await ifTaken(makeLongNamedRefund(context)));
      const other = refundsClient(context, await context.merchant('other'));
      const unknown = Array.from({ length: limit('refunds.batch.ids', 'max') - 1 }, () => context.newOrderId());
      for (const each of [refund, ...(withLongId ? [withLongId] : [])]) {
        // A target may look for many ids at once in another way than for one.
        for (const ids of [[ownIdOf(each)], [...unknown, ownIdOf(each)]]) {
          const answer = await other.batchQuery(ids);
          expectNothingOf(answer, [each.refundOrderId, each.order.orderId], ids, 'refund');
        }
      }
    },
  },
  {
    id: 'refunds.batch-query.states',
    mayCall: ['checkout'],
    long: true,
    title:
      'A batch query shows refunds in every state, of orders of every kind and of one refunded twice, as a query for each alone does, although it was asked for them before',
    requirements: ['refunds.batch-query.known'],
    needs: ['paid-order', 'order-events', 'refund-events'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const usual = await sideBySide(refundStates.map(() => makeRefund(context, merchant)));
      const refunds = [...usual, ...(await refundsOfEveryKind(context, merchant))];
      const { batchQuery } = refundsClient(context, merchant);
      const ids = refunds.map(({ request }) => request.merchantRefundOrderId);
      // Asked for once before they move: a server may remember what it has answered to the same ids.
      expectEach(
        await batchQuery(ids),
        ids,
        ids,
        `a batch query for ${counted(ids.length, 'refund')} that have just been made`,
      );
      await sideBySide(
        refunds.flatMap((refund, index) => {
          const state = refundStates[index % refundStates.length];
          // The contract lets a target leave some of the states out: such a refund stays in the state before.
          return state ? bringRefundTo(context, refund, state).catch(leftOut) : [];
        }),
      );
      const askAlone = () => Promise.all(refunds.map(({ query }) => query()));
      const before = await askAlone();
      // Batches may be answered from a copy of the data that is further behind.
      const answer = await context.poll(
        () => batchQuery(ids),
        (batch) => before.every((alone, index) => isAsAlone(batch, ids[index] ?? '', alone)),
      );
      expectEach(answer, ids, ids, `a batch query for ${counted(ids.length, 'refund')} in different states`);
      const after = await askAlone();
      for (const [index, id] of ids.entries()) {
        const [alone, later] = [before[index], after[index]];
        if (!alone || !later || !isAccepted(alone) || !isAccepted(later)) continue;
        expectAsAlone(answer, id, alone, later);
        // An id that stands there twice may be refused.
        const doubled = index < usual.length ? await batchQuery([id, id]) : undefined;
        if (doubled && isAccepted(doubled)) expectAsAlone(doubled, id, alone, later);
      }
      // Of an order with several refunds a batch may look for the order.
      const ofOneOrder = await refundsOfOneOrder(context, merchant);
      for (const asked of ofOneOrder.length > 0
        ? [...ofOneOrder.map((refund) => [refund]), ofOneOrder.toReversed()]
        : []) {
        const theirs = asked.map(ownIdOf);
        const alone = await Promise.all(asked.map(({ query }) => query()));
        const shown = await context.poll(
          () => batchQuery(theirs),
          (batch) => alone.every((each, index) => isAsAlone(batch, theirs[index] ?? '', each)),
        );
        if (!alone.every(isAccepted)) continue;
        const what = `a batch query for ${counted(theirs.length, 'refund')} of an order that was refunded twice`;
        expectEach(shown, theirs, theirs, what);
        const later = await Promise.all(asked.map(({ query }) => query()));
        for (const [index, id] of theirs.entries()) {
          const [before, after] = [alone[index], later[index]];
          if (before && after) expectAsAlone(shown, id, before, after);
        }
      }
    },
  },
  {
    id: 'refunds.batch-query.many-known',
    title: `A batch query for ${most} refunds, or as many as the run may make, shows all of them`,
    requirements: ['refunds.batch-query.known', 'refunds.batch-query.ids.maximum'],
    openPoint: 'refund-batch-unknown',
    needs: ['order-events'],
    async run(context) {
      const { client, ids } = await knownRefunds(context, most, beyondAPage);
      const answer = await client.batchQuery(ids);
      expectEach(answer, ids, ids, `a batch query for ${counted(ids.length, 'refund')}`);
      const shown = idsIn(answer);
      const order = shown.every((id, index) => id === ids[index]) ? 'in the order of the request' : 'in another order';
      const once = new Set(shown).size === shown.length ? 'each once' : 'some more than once';
      context.observeIn(answer, 'refund-batch-unknown', `${counted(ids.length, 'refund')}: ${once}, ${order}`);
    },
  },
  {
    id: 'refunds.batch-query.among-unknown',
    title: `A batch query for ${most} ids shows the refunds that exist, wherever they stand among the unknown ones`,
    requirements: ['refunds.batch-query.known', 'refunds.batch-query.ids.maximum'],
    openPoint: 'refund-batch-unknown',
    needs: ['paid-order'],
    async run(context) {
      const { client, ids } = await someRefunds(context);
      needAccepted(await client.batchQuery(ids), 'a batch query for refunds that exist');
      const [first = '', last = '', ...middle] = ids;
      const asked = [first, ...unknownIds(context, most - ids.length), last];
      asked.splice(most / 2, 0, ...middle);
      const answer = await client.batchQuery(asked);
      if (!isTaken(answer, `a batch query for ${most} ids`)) {
        if (isTaken(await client.batchQuery([first, context.newOrderId()]), 'a batch query for an unknown id')) {
          expectAccepted(answer, `a batch query for ${most} ids, as one for an unknown and a known id is`);
        }
        throw new PermittedChoice('unknown ids are refused (open point refund-batch-unknown)');
      }
      expectEach(
        answer,
        ids,
        asked,
        `a batch query for ${counted(ids.length, 'refund')} among ${counted(most - ids.length, 'unknown id')}`,
      );
    },
  },
  {
    id: 'refunds.batch-query.doubled-ids',
    title: 'A batch query that gives ids twice shows their refunds, and one with more ids than are allowed is refused',
    requirements: ['refunds.batch-query.known', 'refunds.batch-query.ids.maximum'],
    openPoint: 'refund-batch-unknown',
    needs: ['paid-order'],
    async run(context) {
      const { client, ids } = await someRefunds(context);
      needAccepted(await client.batchQuery(ids), 'a batch query for refunds that exist');
      // Side by side: where the second of each is struck out, a gap is left that no list has.
      const doubled = ids.flatMap((id) => [id, id]);
      const answer = await client.batchQuery(doubled);
      // What an id that is given twice is answered with is not said.
      if (!isTaken(answer, 'a batch query that gives every id twice'))
        throw new PermittedChoice('an id that is given twice is refused (open point refund-batch-unknown)');
      expectEach(answer, ids, ids, 'a batch query that gives every id twice');
      const full = await client.batchQuery(repeated(ids, most));
      expectEach(full, ids, ids, `a batch query of ${most} ids, none of them unknown`);
      const what = `a batch query of ${most + 1} ids, none of them unknown`;
      expectRefused(await client.batchQuery(repeated(ids, most + 1)), what, 'refunds.batch-query.ids.maximum');
    },
  },
  {
    id: 'refunds.batch-query.similar-ids',
    title: 'A batch query tells ids apart that differ in the case of one letter, or that are the same number',
    requirements: ['refunds.batch-query.known', 'refunds.record.references'],
    openPoint: 'refund-batch-unknown',
    needs: ['paid-order'],
    async run(context) {
      const merchant = await context.merchant();
      const id = context.newOrderId();
      const ids = [`${id}-a`, `${id}-A`, `${id}-b`];
      const orders = await makePaidOrders(context, merchant, ids.length);
      const [small, capital, alone] = await Promise.all(
        orders.map((order, index) => makeRefund(context, merchant, { order, merchantRefundOrderId: ids[index] ?? id })),
      );
      if (!small || !capital || !alone) throw new Inconclusive('there are no three refunds');
      const { client } = small;
      for (const asked of [[`${id}-a`], [`${id}-A`], [`${id}-A`, `${id}-a`]]) {
        expectEach(await client.batchQuery(asked), asked, asked, `a batch query for ${asked.join(' and ')}`);
      }
      const unknown = `${id}-B`;
      const answer = await client.batchQuery([unknown, `${id}-a`]);
      const what = `a batch query for ${unknown}, where there is ${id}-b, and for a refund that there is`;
      // A batch query with an unknown id may be refused.
      if (isAccepted(answer)) expectEach(answer, [`${id}-a`], [`${id}-a`], what);
      // Configured orders are too few for all of them.
      const numbers = context.has('order-events') ? nearNumbers() : [];
      // No sentence says what an id is made of.
      const made = await sideBySide(
        numbers.map((merchantRefundOrderId) => ifTaken(makeRefund(context, merchant, { merchantRefundOrderId }))),
      );
      const taken = numbers.filter((_, index) => made[index] !== undefined);
      if (taken.length === 0) return;
      expectEach(await client.batchQuery(taken), taken, taken, `a batch query for ${taken.join(' and ')}`);
    },
  },
];
