import { limit } from '../../../generated/catalogue.ts';
import { makeOrder } from '../../arrange/orders/orders.ts';
import { alteredId } from '../../arrange/refunds/altered-id.ts';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import {
  businessError,
  expectNoRefund,
  expectRefundRefused,
  makeRefund,
  refundRequest,
  standingRefund,
  unrefundedOrder,
} from '../../arrange/refunds/refunds.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectJsonType,
  expectRefused,
  expectSchema,
  expectStatus,
  expectThat,
  isAccepted,
  summary,
} from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { percentEncoded } from '../../contract/percent-encoding.ts';
import { show } from '../../contract/show.ts';
import { type Answer, field } from '../../wire/exchange.ts';

const day = 86_400;

/** The codes that fit a refund of an order that is not paid. */
const namedForUnpaid = [errorCode('refunds', 'ORDER_NOT_REFUNDABLE'), errorCode('refunds', 'INVALID_PARAMETER')];

/** The refund period in the contract's example, in days. */
const period = limit('refunds.period', 'value');

/** After so many years every refund period is over; the specification does not say how long it is. */
const years = 10;

/** A day, in milliseconds: a time in another unit is further from the present than that. */
const dayOff = day * 1000;

/** Answers to requests that are refused for different reasons, each with its request in words. */
async function refusals(context: CheckContext): Promise<[string, Answer][]> {
  const { client, order, request } = await standingRefund(context);
  const { refundReason: _left, ...withoutReason } = refundRequest(context, order.orderId);
  const malformed = Buffer.from('{"merchantRefundOrderId":');
  const right = Buffer.from(JSON.stringify(request));
  const query = `merchantRefundOrderId=${percentEncoded(request.merchantRefundOrderId)}`;
  const sign = () => 'A'.repeat(44);
  const ids = Buffer.from(JSON.stringify({ merchantRefundOrderIds: [request.merchantRefundOrderId] }));
  return Promise.all(
    (
      [
        ['a query for an unknown refund', client.query({ merchantRefundOrderId: context.newOrderId() })],
        ['a query without an id', client.send({ method: 'GET', path: client.refundsPath })],
        ['a refund of an unknown order', client.create(refundRequest(context, alteredId(order.orderId)))],
        ['a create without refundReason', client.createAnything(withoutReason)],
        ['a create whose body is a list', client.createAnything([])],
        ['a create with malformed JSON', client.send({ method: 'POST', path: client.refundsPath, body: malformed })],
        ['a batch query without ids', client.batchQueryAnything({})],
        [
          'a create with a wrong signature',
          client.send({ method: 'POST', path: client.refundsPath, body: right, sign }),
        ],
        ['a query with a wrong signature', client.send({ method: 'GET', path: client.refundsPath, query, sign })],
        [
          'a batch query with a wrong signature',
          client.send({ method: 'POST', path: client.batchPath, body: ids, sign }),
        ],
      ] satisfies [string, Promise<Answer>][]
    ).map(async ([what, answer]): Promise<[string, Answer]> => [what, await answer]),
  );
}

/** One success of each of the three operations, and a refusal. */
async function answersOfAll(context: CheckContext): Promise<Answer[]> {
  const { client, created, query, request } = await standingRefund(context);
  return [
    created,
    await query(),
    await client.batchQuery([request.merchantRefundOrderId]),
    await client.query({ merchantRefundOrderId: context.newOrderId() }),
  ];
}

const envelopes: readonly CheckDeclaration[] = [
  {
    id: 'refunds.errors.envelope',
    title: 'A refusal has code, message, details, requestId and timestamp, and no data',
    requirements: ['refunds.envelope.failure', 'refunds.envelope.timestamp', 'general.json'],
    needs: ['paid-order'],
    async run(context) {
      for (const [what, answer] of await refusals(context)) {
        expectRefused(answer, what);
        expectSchema(answer, 'RefundFailure');
      }
    },
  },
  {
    id: 'refunds.errors.content-type',
    title: 'Answers are JSON and say so',
    requirements: ['general.json'],
    needs: ['paid-order'],
    async run(context) {
      for (const answer of await answersOfAll(context)) {
        expectJsonType(answer);
      }
    },
  },
  {
    id: 'refunds.errors.timestamp',
    title: 'timestamp is the present time in milliseconds, in successes and refusals',
    requirements: ['refunds.envelope.timestamp'],
    needs: ['paid-order'],
    async run(context) {
      for (const answer of await answersOfAll(context)) {
        const timestamp = field(answer, 'timestamp');
        const isPresent = typeof timestamp === 'number' && Math.abs(timestamp - context.now()) < dayOff;
        expectThat(isPresent, answer, {
          expected: `timestamp = about ${context.now()}`,
          actual: `timestamp = ${show(timestamp)}`,
        });
      }
    },
  },
  {
    id: 'refunds.errors.request-id',
    title: 'Each answer has a requestId that is text, in successes and refusals',
    requirements: ['refunds.envelope.request-id'],
    needs: ['paid-order'],
    async run(context) {
      for (const answer of await answersOfAll(context)) {
        const id = field(answer, 'requestId');
        expectThat(typeof id === 'string' && id !== '', answer, {
          expected: 'requestId is text',
          actual: `requestId = ${show(id)}`,
        });
      }
    },
  },
];

const codes: readonly CheckDeclaration[] = [
  {
    id: 'refunds.errors.invalid-parameter',
    title: 'A create that lacks a required field is refused with HTTP 400, and makes no refund',
    requirements: ['refunds.errors.invalid-parameter', 'refunds.create.required-fields', 'refunds.errors.refused'],
    needs: ['paid-order'],
    async run(context) {
      const { client } = await standingRefund(context);
      const { orderId } = await unrefundedOrder(context);
      for (const name of ['refundReason', 'acquiringOrderId', 'merchantRefundOrderId'] as const) {
        const request = refundRequest(context, orderId);
        const answer = await client.createAnything({ ...request, [name]: undefined });
        const what = `a create without ${name}`;
        expectRefused(answer, what, 'refunds.create.required-fields');
        expectStatus(answer, 400, what);
        await expectNoRefund(client, request, what);
      }
      // Nothing else that names the order stands for the field that is left out.
      const { merchantOrderId, ...rest } = await unrefundedOrder(context);
      const { acquiringOrderId: _left, ...request } = refundRequest(context, rest.orderId);
      const others = { orderId: rest.orderId, ...(merchantOrderId && { merchantOrderId }) };
      for (const [name, id] of Object.entries(others)) {
        const what = `a create without acquiringOrderId, with ${name}`;
        expectRefused(await client.createAnything({ ...request, [name]: id }), what, 'refunds.create.required-fields');
      }
    },
  },
  {
    id: 'refunds.errors.codes',
    title: 'Which codes refusals have beside the named ones, and what is looked at first',
    requirements: ['refunds.errors.codes'],
    needs: ['order-events'],
    async run(context) {
      const { client, merchant, order } = await makeRefund(context, await context.merchant());
      const unpaid = await makeOrder(context, merchant);
      const { refundReason: _left, ...withoutReason } = refundRequest(context, alteredId(order.orderId));
      const asked: [string, Promise<Answer>][] = [
        ['an unpaid order', client.create(refundRequest(context, unpaid.orderId))],
        ['no refundReason, and an unknown order', client.createAnything(withoutReason)],
        ['an unknown order', client.create(refundRequest(context, alteredId(order.orderId)))],
        ['an order that is being refunded', client.create(refundRequest(context, order.orderId))],
        ['a list as body', client.createAnything([])],
      ];
      const seen = await Promise.all(asked.map(async ([what, answer]) => `${what}: ${summary(await answer)}`));
      const answers = await Promise.all(asked.map(([, answer]) => answer));
      const [ofUnpaid, , , , ofList] = answers.map((answer) => field(answer, 'code'));
      const value = ofUnpaid === ofList ? 'by-status' : 'by-cause';
      const byName = namedForUnpaid.includes(String(ofUnpaid));
      context.observeIn(answers, 'refund-error-codes', seen.join('; '), byName ? value : null);
    },
  },
  {
    id: 'refunds.errors.unknown-merchant',
    title: 'A refund request for a merchant that does not exist is refused',
    requirements: ['refunds.errors.unknown-merchant'],
    openPoint: 'unknown-merchant',
    needs: ['paid-order'],
    async run(context) {
      const credentials = await context.merchant();
      const { request, order } = await standingRefund(context);
      const stranger = refundsClient(context, { ...credentials, merchantId: `${credentials.merchantId}-unknown` });
      const { merchantRefundOrderId } = request;
      const answers = [
        await stranger.create(refundRequest(context, order.orderId)),
        await stranger.query({ merchantRefundOrderId }),
        await stranger.batchQuery([merchantRefundOrderId]),
      ];
      for (const answer of answers) {
        context.observeIn(
          answer,
          'unknown-merchant',
          `refunds: HTTP ${answer.status}, code ${show(field(answer, 'code'))}`,
        );
        expectRefused(answer, 'a refund request for a merchant that does not exist');
      }
    },
  },
];

const limits: readonly CheckDeclaration[] = [
  {
    id: 'refunds.errors.period-expired',
    title: `A refund that is asked for ${years} years after the payment is refused with REFUND_PERIOD_EXPIRED`,
    requirements: ['refunds.errors.period-expired', 'refunds.errors.business', 'refunds.errors.refused'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const [order, late] = await Promise.all([makePaidOrder(context, merchant), makePaidOrder(context, merchant)]);
      const { client } = await makeRefund(context, merchant, { order });
      // A count of milliseconds in 32 bits begins again every 49.7 days: half of that later it is near its beginning, if it was not before.
      for (const [days, when] of [
        [years * 366, `${years} years`],
        [25, `${years} years and 25 days`],
      ] as const) {
        await context.advanceClock(merchant, days * day);
        await expectRefundRefused(client, refundRequest(context, late.orderId), `a refund ${when} after the payment`, {
          ...businessError,
          code: errorCode('refunds', 'REFUND_PERIOD_EXPIRED'),
        });
      }
    },
  },
  {
    id: 'refunds.errors.period-expired.length',
    title: 'How long after its payment an order can be refunded',
    requirements: ['refunds.errors.period-expired.length'],
    needs: ['order-events', 'clock'],
    async run(context) {
      const merchant = await context.ownMerchant();
      const [one, two] = await Promise.all([makePaidOrder(context, merchant), makePaidOrder(context, merchant)]);
      const client = refundsClient(context, merchant);
      await context.advanceClock(merchant, (period - 1) * day);
      const before = await client.create(refundRequest(context, one.orderId));
      await context.advanceClock(merchant, day + 60);
      const after = await client.create(refundRequest(context, two.orderId));
      const seen = `after ${period - 1} days: ${summary(before)}; just after ${period} days: ${summary(after)}`;
      const value = isAccepted(after) ? 'longer' : isAccepted(before) ? '30-days' : 'shorter';
      context.observeIn([before, after], 'refund-period', seen, value);
    },
  },
];

export const refundsErrorsChecks: readonly CheckDeclaration[] = [...envelopes, ...codes, ...limits];
