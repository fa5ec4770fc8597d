import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { alteredId } from '../../arrange/refunds/altered-id.ts';
import { type RefundQuery, refundsClient } from '../../arrange/refunds/client.ts';
import { everyKind, type OrderKind } from '../../arrange/refunds/kinds-of-orders.ts';
import {
  bringRefundTo,
  type MadeRefund,
  makeRefund,
  makeRefundIn,
  refundRequest,
  standingRefund,
  twoRefunds,
  unrefundedOrder,
} from '../../arrange/refunds/refunds.ts';
import { isRefundOfOtherCheck } from '../../arrange/refunds/refunds-of-others.ts';
import { inDigits } from '../../arrange/requests/further-fields.ts';
import { someAtOnce } from '../../arrange/requests/some-at-once.ts';
import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectField,
  expectNothingOf,
  expectRefused,
  expectStatus,
  expectThat,
  isAccepted,
  needAccepted,
  needText,
  seenAt,
  statusOf,
  summary,
} from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { percentEncoded } from '../../contract/percent-encoding.ts';
import { show } from '../../contract/show.ts';
import { PermittedChoice } from '../../errors/outcomes.ts';
import { changedIds } from '../../values/parameters.ts';
import { printed } from '../../values/printed.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { expectShown } from '../support/batch-answers.ts';
import { askedAgain, expectRefusedWithoutFailure } from '../support/failures.ts';
import { showsIdAsked } from '../support/platform-ids.ts';

type QueryName = keyof RefundQuery;

/** The three ids by which a refund is found. */
const idsOf = ({
  refundOrderId,
  request,
  order,
}: Pick<MadeRefund, 'refundOrderId' | 'request' | 'order'>): Required<RefundQuery> => ({
  refundOrderId,
  merchantRefundOrderId: request.merchantRefundOrderId,
  acquiringOrderId: order.orderId,
});

/** A check that a query by one kind of id shows the right one of two refunds. */
function byId(name: QueryName, requirement: RequirementId): CheckDeclaration {
  return {
    id: requirement,
    title: `A query by ${name} shows that refund`,
    requirements: [requirement, 'refunds.errors.success-status'],
    needs: ['paid-order'],
    async run(context) {
      const refunds = await twoRefunds(context);
      for (const refund of refunds) {
        const answer = await refund.client.query({ [name]: idsOf(refund)[name] });
        expectAccepted(answer, 'a query for a refund that exists');
        expectStatus(answer, 200, 'a query that succeeds', 'refunds.errors.success-status');
        expectField(answer, 'data.refundOrderId', refund.refundOrderId);
        expectField(answer, 'data.merchantRefundOrderId', refund.request.merchantRefundOrderId);
      }
    },
  };
}

/** A check that a query by one kind of id shows the present state of a refund. */
function currentBy(name: QueryName, requirement: RequirementId): CheckDeclaration {
  return {
    id: `${requirement}.current`,
    title: `A query by ${name} shows that the refund has SUCCEEDED meanwhile`,
    requirements: [requirement],
    needs: ['paid-order', 'refund-events'],
    async run(context) {
      const refund = await makeRefund(context, await context.merchant());
      const ids = idsOf(refund);
      // Whether the refund got there is asked by another id than the one that is judged.
      const other = name === 'refundOrderId' ? 'merchantRefundOrderId' : 'refundOrderId';
      const follow = () => refund.client.query({ [other]: ids[other] });
      await bringRefundTo(context, { ...refund, query: follow }, 'SUCCEEDED');
      const query = () => refund.client.query({ [name]: ids[name] });
      const answer = await context.poll(query, (each) => statusOf(each) === 'SUCCEEDED');
      expectField(answer, 'data.status', 'SUCCEEDED');
    },
  };
}

/** The requirement on a query by each id. */
const names: readonly [QueryName, RequirementId][] = [
  ['refundOrderId', 'refunds.query.by-refund-order-id'],
  ['merchantRefundOrderId', 'refunds.query.by-merchant-refund-order-id'],
  ['acquiringOrderId', 'refunds.query.by-acquiring-order-id'],
];

/** Ids that no refund can have. */
const impossibleIds = ['x', 'a'.repeat(300), "ref-'; --", '日本'];

/** A refund in `state` of an order of a kind. */
async function refundOfKind(
  context: CheckContext,
  { pay }: OrderKind,
  state: 'FAILED' | 'CLOSED',
): Promise<MadeRefund> {
  const merchant = await context.ownMerchant();
  const refund = await makeRefund(context, merchant, { order: await pay(context, merchant) });
  await bringRefundTo(context, refund, state);
  return refund;
}

/** What becomes of the further refunds of an order, each of which is made when the one before has ended. */
const endsOfFurther = ['failed', 'failed', 'completed'] as const;

/**
 * Refunds an order again whose first refund has ended so, and fails unless the first is shown. `false`: the second one is refused, or such an order
 * cannot be made or refunded.
 */
async function expectFirstShown(context: CheckContext, state: 'FAILED' | 'CLOSED', kind?: OrderKind): Promise<boolean> {
  const first = kind ? await ifTaken(refundOfKind(context, kind, state)) : await makeRefundIn(context, state);
  if (!first) return false;
  const { client, order, refundOrderId } = first;
  const all: { refundOrderId: string; request: MadeRefund['request'] }[] = [first];
  const expectFirst = async () => {
    const answer = await client.query({ acquiringOrderId: order.orderId });
    expectThat(field(answer, 'data.refundOrderId') === refundOrderId, answer, {
      expected: `data.refundOrderId = ${refundOrderId}, the first refund of ${kind?.words ?? 'an order'}`,
      actual: seenAt(answer, 'data.refundOrderId'),
    });
  };
  for (const end of endsOfFurther) {
    const request = refundRequest(context, order.orderId);
    const further = await client.create(request);
    if (!isAccepted(further)) break;
    await expectFirst();
    const furtherId = needText(further, 'data.refundOrderId');
    all.push({ refundOrderId: furtherId, request });
    expectShown(await client.batchQuery(all.map((each) => each.request.merchantRefundOrderId)), all);
    for (const type of ['processing_started', end] as const) {
      await context.refundEvent(order.merchant, furtherId, { type });
    }
    await expectFirst();
  }
  return all.length > 1;
}

const found: readonly CheckDeclaration[] = [
  ...names.map(([name, requirement]) => byId(name, requirement)),
  ...names.map(([name, requirement]) => currentBy(name, requirement)),
  {
    id: 'refunds.query.first-of-order',
    mayCall: ['checkout'],
    long: true,
    title:
      'A query by acquiringOrderId shows the first of several refunds of the order, whatever that is like and whatever becomes of the others, and a batch query shows all',
    requirements: ['refunds.query.by-acquiring-order-id', 'refunds.batch-query.known'],
    needs: ['order-events', 'refund-events'],
    async run(context) {
      const twice = await sideBySide([
        ...(['FAILED', 'CLOSED'] as const).map((state) => expectFirstShown(context, state)),
        ...everyKind(context).map((kind) => expectFirstShown(context, 'FAILED', kind)),
      ]);
      if (!twice.includes(true))
        throw new PermittedChoice('an order is not refunded twice here (open point refund-second)');
    },
  },
  {
    id: 'refunds.query.priority',
    title: 'refundOrderId decides, whatever the other two ids of a query are, and wherever it stands among them',
    requirements: ['refunds.query.priority', 'refunds.errors.refund-not-found'],
    needs: ['paid-order'],
    async run(context) {
      const [one, two] = await twoRefunds(context);
      const { refundOrderId } = one;
      const others = idsOf(two);
      const { merchantRefundOrderId, acquiringOrderId } = others;
      needAccepted(await two.query(), 'a query for the other refund');
      const own = await one.client.query({ refundOrderId, merchantRefundOrderId: one.request.merchantRefundOrderId });
      // A signature that the target computes in another way has a check of its own: auth.refunds.query.query-as-sent.
      if (own.status === 401) needAccepted(own, 'a query with two ids of one refund, rightly signed');
      // An id that a careless reader takes for a number, which a target may refuse.
      const likeNumber = { merchantRefundOrderId: `${inDigits(context.newOrderId().slice(-18))}e5` };
      const ofNumber = context.has('order-events')
        ? await ifTaken(makeRefund(context, two.merchant, likeNumber))
        : undefined;
      const queries: RefundQuery[] = [
        ...(ofNumber ? [{ refundOrderId, ...likeNumber }] : []),
        { refundOrderId, merchantRefundOrderId },
        { merchantRefundOrderId, refundOrderId },
        { refundOrderId, acquiringOrderId },
        { acquiringOrderId, refundOrderId },
        { refundOrderId, merchantRefundOrderId, acquiringOrderId },
        { merchantRefundOrderId, refundOrderId, acquiringOrderId },
        { acquiringOrderId, merchantRefundOrderId, refundOrderId },
      ];
      for (const query of queries) {
        const answer = await one.client.query(query);
        expectAccepted(answer, 'a query with the refundOrderId of one refund and other ids of another');
        expectField(answer, 'data.refundOrderId', refundOrderId);
      }
      const unknown = { refundOrderId: alteredId(refundOrderId) };
      // Ids may keep rules that only the platform knows. One that it finds malformed decides nothing.
      if ((await one.client.query(unknown)).status !== 404) return;
      for (const name of ['merchantRefundOrderId', 'acquiringOrderId'] as const) {
        const answer = await one.client.query({ ...unknown, [name]: others[name] });
        const what = `a query with an unknown refundOrderId and the ${name} of a refund`;
        expectRefused(answer, what);
        expectStatus(answer, 404, what, 'refunds.errors.refund-not-found');
      }
    },
  },
  {
    id: 'refunds.query.priority.beside-wrong',
    title: 'What a query by refundOrderId is answered with beside another id that is empty, malformed or doubled',
    requirements: ['refunds.query.priority-beside-malformed'],
    needs: ['paid-order'],
    async run(context) {
      const { client, query, refundOrderId, request } = await makeRefund(context, await context.merchant());
      needAccepted(await query(), 'a query by refundOrderId alone');
      const own = percentEncoded(request.merchantRefundOrderId);
      const besides: [string, string][] = [
        ['an empty merchantRefundOrderId', 'merchantRefundOrderId='],
        ['an empty acquiringOrderId', 'acquiringOrderId='],
        ['a malformed acquiringOrderId', 'acquiringOrderId=x'],
        ['a doubled merchantRefundOrderId', `merchantRefundOrderId=${own}&merchantRefundOrderId=${own}`],
      ];
      const answers = await Promise.all(
        besides.map(([, beside]) =>
          client.send({
            method: 'GET',
            path: client.refundsPath,
            query: `refundOrderId=${percentEncoded(refundOrderId)}&${beside}`,
          }),
        ),
      );
      const seen = answers.map((answer, index) => `beside ${besides[index]?.[0]}: ${summary(answer)}`);
      context.observeIn(answers, 'refund-query-priority', seen.join('; '));
    },
  },
  {
    id: 'refunds.query.other-priority',
    title: 'Which of merchantRefundOrderId and acquiringOrderId decides, and what a miss of the one that decides gets',
    requirements: ['refunds.query.other-priority'],
    needs: ['paid-order'],
    async run(context) {
      const [one, two] = await twoRefunds(context);
      const { merchantRefundOrderId } = idsOf(one);
      const { acquiringOrderId } = idsOf(two);
      const which = (answer: Answer) => {
        const id = isAccepted(answer) ? field(answer, 'data.refundOrderId') : undefined;
        return [one.refundOrderId, two.refundOrderId].indexOf(String(id));
      };
      const answer = await one.client.query({ merchantRefundOrderId, acquiringOrderId });
      const missed = await one.client.query({ merchantRefundOrderId: context.newOrderId(), acquiringOrderId });
      const neither = await one.client.query({ refundOrderId: alteredId(one.refundOrderId), merchantRefundOrderId });
      const value = ['both-must-match', 'merchant-refund-order-id', 'acquiring-order-id'][which(answer) + 1];
      const seen = [
        `ids of two refunds: ${['none', "merchantRefundOrderId's", "acquiringOrderId's"][which(answer) + 1]}`,
        `an unknown merchantRefundOrderId with a known acquiringOrderId: ${summary(missed)}`,
        `an unknown refundOrderId with a known merchantRefundOrderId: ${summary(neither)}`,
      ];
      context.observeIn([answer, missed, neither], 'refund-query-priority', seen.join('; '), value);
    },
  },
];

/** Fails unless an answer says that there is no such refund. */
function expectNotFound(answer: Answer, what: string): void {
  expectStatus(answer, 404, what, 'refunds.errors.refund-not-found');
  expectField(answer, 'code', errorCode('refunds', 'REFUND_NOT_FOUND'), 'refunds.errors.refund-not-found');
}

/**
 * Fails unless a refund is not found of a merchant that has made nothing, nor of one that has made an order and no refund. What a target keeps of a
 * merchant may be there only once the merchant has made something. `askRightly`: asks for a refund that there is.
 */
async function expectNotFoundOfNewcomer(context: CheckContext, askRightly: () => Promise<Answer>): Promise<void> {
  const merchant = await context.ownMerchant();
  const client = refundsClient(context, merchant);
  const ask = (query: RefundQuery) => askedAgain(context, () => client.query(query), askRightly);
  const unknown = () => ask({ merchantRefundOrderId: context.newOrderId() });
  expectNotFound(await unknown(), 'a query for an unknown merchantRefundOrderId, of a merchant that has made nothing');
  const { orderId } = await makeOrder(context, merchant);
  expectNotFound(await unknown(), 'a query for an unknown merchantRefundOrderId, of a merchant without refunds');
  const unpaid = await ask({ acquiringOrderId: orderId });
  expectNotFound(unpaid, 'a query for an order that is not paid, of a merchant without refunds');
}

/** Every choice of ids for one query. */
const choicesOfIds: readonly (readonly QueryName[])[] = [
  ['refundOrderId'],
  ['merchantRefundOrderId'],
  ['acquiringOrderId'],
  ['refundOrderId', 'merchantRefundOrderId'],
  ['refundOrderId', 'acquiringOrderId'],
  ['merchantRefundOrderId', 'acquiringOrderId'],
  ['refundOrderId', 'merchantRefundOrderId', 'acquiringOrderId'],
];

const missed: readonly CheckDeclaration[] = [
  {
    id: 'refunds.query.one-required',
    title: 'A query without any of the three ids is refused, whatever other parameters it has',
    requirements: ['refunds.query.one-required'],
    needs: ['paid-order'],
    async run(context) {
      // There must be a refund that the answer could show.
      const refund = await standingRefund(context);
      const { client, query, order } = refund;
      const { refundOrderId, acquiringOrderId } = idsOf(refund);
      const { merchantOrderId: ofMerchant } = order;
      // The names that other interfaces have for the ids, and those with which lists are asked for.
      const others = [
        ...['id', 'refundId', 'refund_order_id', 'refundorderid', 'RefundOrderId', 'refundOrderID'].map(
          (name) => `${name}=${percentEncoded(refundOrderId)}`,
        ),
        ...['orderId', 'merchantOrderId', 'acquiringorderid'].map(
          (name) => `${name}=${percentEncoded(acquiringOrderId)}`,
        ),
        ...(ofMerchant === undefined ? [] : [`merchantOrderId=${percentEncoded(ofMerchant)}`]),
        ...['foo=1', 'page=1&limit=1', 'status=PENDING'],
      ];
      await someAtOnce([undefined, ...others], async (asked) => {
        const ask = () => client.send({ method: 'GET', path: client.refundsPath, query: asked });
        const what = `a query ${asked === undefined ? 'without any id' : `with ${asked} and none of the three ids`}`;
        expectRefusedWithoutFailure(await askedAgain(context, ask, query), what);
      });
    },
  },
  {
    id: 'refunds.query.unknown',
    title: 'A query for a refund that does not exist is refused with HTTP 404 and REFUND_NOT_FOUND',
    requirements: ['refunds.errors.refund-not-found'],
    needs: ['paid-order'],
    async run(context) {
      const { client, refundOrderId, query: askRightly } = await standingRefund(context);
      const { orderId } = await unrefundedOrder(context);
      const made: [string, RefundQuery][] = [
        ['a query for an unknown merchantRefundOrderId', { merchantRefundOrderId: context.newOrderId() }],
        ['a query for an order without a refund', { acquiringOrderId: orderId }],
      ];
      const madeUp: [string, RefundQuery][] = [
        ['a query for an unknown refundOrderId', { refundOrderId: alteredId(refundOrderId) }],
        ['a query for an unknown acquiringOrderId', { acquiringOrderId: alteredId(orderId) }],
      ];
      for (const [what, query] of made) {
        const answer = await client.query(query);
        if (!isRefundOfOtherCheck(context, answer, orderId)) expectNotFound(answer, what);
      }
      for (const [what, query] of madeUp) {
        const answer = await client.query(query);
        expectRefused(answer, what);
        // The platform's ids may keep rules that only it knows, such as a check digit: a made-up one may be malformed.
        if (![400, 422].includes(answer.status)) expectNotFound(answer, what);
      }
      if (context.has('own-merchant')) await expectNotFoundOfNewcomer(context, askRightly);
    },
  },
  {
    id: 'refunds.query.impossible-id',
    title: 'A query for an id that no refund can have is refused',
    requirements: ['refunds.query.malformed-id'],
    openPoint: 'query-malformed-id',
    async run(context) {
      const client = refundsClient(context, await context.merchant());
      for (const id of impossibleIds) {
        const answer = await client.query({ refundOrderId: id });
        if (showsIdAsked(answer, id, ['refundOrderId'])) continue;
        const code = field(answer, 'code');
        const invalid = answer.status === 400 ? 'invalid-parameter' : null;
        const value = code === errorCode('refunds', 'REFUND_NOT_FOUND') ? 'not-found' : invalid;
        context.observeIn(
          answer,
          'query-malformed-id',
          `${show(id)}: HTTP ${answer.status}, code ${show(code)}`,
          value,
        );
        expectRefused(answer, `a query for ${show(id)}`);
      }
    },
  },
  {
    id: 'refunds.query.changed-id',
    title: 'A query for an id that is not that of a refund, but nearly, does not show the refund',
    requirements: ['refunds.query.malformed-id', 'refunds.errors.refund-not-found'],
    needs: ['paid-order'],
    async run(context) {
      const { client, ...refund } = await standingRefund(context);
      const ids = idsOf(refund);
      const right = () => client.query({ refundOrderId: ids.refundOrderId });
      const queries = names.flatMap(([name]) =>
        changedIds(ids[name], context.random, name === 'merchantRefundOrderId' ? 'merchant' : 'platform').map((id) => ({
          name,
          ...id,
        })),
      );
      const sent = await someAtOnce(queries, async ({ name, value, valueClass }) => {
        const answer = await askedAgain(context, () => client.query({ [name]: value }), right);
        return { answer, name, value, what: `a query for the ${name} ${printed(value)} (${valueClass.title})` };
      });
      for (const { answer, name, value, what } of sent) {
        if (!showsIdAsked(answer, value, [name, 'refundOrderId'])) expectRefusedWithoutFailure(answer, what);
      }
      // As they stand here, these marks separate ids, or name a list, for careless readers of queries only. A semicolon once did what `&` does,
      // and for many readers still does: it is sent as an escape only, among the changed ids.
      const written = names.flatMap(([name]) => {
        const id = percentEncoded(ids[name]);
        return [`${name}=${id},x`, `${name}=x,${id}`, `${name}[]=${id}`];
      });
      await someAtOnce(written, async (query) => {
        const answer = await client.send({ method: 'GET', path: client.refundsPath, query });
        expectRefused(answer, `a query with ${query}, which names no refund`);
      });
    },
  },
  {
    id: 'refunds.query.empty-parameter',
    title: 'What a query parameter without a value is answered with',
    requirements: ['refunds.query.empty-parameter'],
    async run(context) {
      const client = refundsClient(context, await context.merchant());
      const queries = names.map(([name]) => `${name}=`);
      const answers = await Promise.all(
        queries.map((query) => client.send({ method: 'GET', path: client.refundsPath, query })),
      );
      const seen = answers.map((answer, index) => `${queries[index]}: ${summary(answer)}`);
      context.observeIn(answers, 'query-malformed-id', seen.join('; '));
    },
  },
  {
    id: 'refunds.query.other-merchant',
    title: "A merchant's query does not show another merchant's refund, by any of its ids or several of them",
    requirements: ['refunds.query.other-merchant', 'refunds.errors.refund-not-found'],
    needs: ['paid-order', 'other-merchant'],
    async run(context) {
      const refund = await standingRefund(context);
      const ids = idsOf(refund);
      const other = refundsClient(context, await context.merchant('other'));
      for (const asked of choicesOfIds) {
        const query = Object.fromEntries(asked.map((name) => [name, ids[name]]));
        const answer = await other.query(query);
        // A target that finds the signature of every such query wrong says nothing of whose refund it is.
        if (answer.status === 401)
          needAccepted(await refund.client.query(query), `its owner's query by ${asked.join(' and ')}`);
        // Two merchants may each have an order with the same platform id, and a refund of it.
        const isItsOwn =
          showsIdAsked(answer, ids.acquiringOrderId, ['acquiringOrderId']) &&
          field(answer, 'data.merchantRefundOrderId') !== ids.merchantRefundOrderId;
        const what = `a query for another merchant's refund by ${asked.join(' and ')}`;
        if (!isItsOwn) expectRefused(answer, what);
        // The order is another merchant's, too, and a target may say so instead.
        if (!isItsOwn && !asked.includes('acquiringOrderId')) expectNotFound(answer, what);
        expectNothingOf(
          answer,
          Object.values(ids),
          asked.map((name) => ids[name]),
          'refund',
        );
      }
    },
  },
];

export const refundsQueryChecks: readonly CheckDeclaration[] = [...found, ...missed];
