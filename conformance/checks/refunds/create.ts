import { type RefundCreateRequest, refundsClient } from '../../arrange/refunds/client.ts';
import { awkwardExtraData } from '../../arrange/refunds/fixtures.ts';
import { makePaidOrder } from '../../arrange/refunds/paid-orders.ts';
import { createForPaidOrder, refundRequest, standingRefund } from '../../arrange/refunds/refunds.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import {
  expectAccepted,
  expectAmount,
  expectField,
  expectSchema,
  expectStatus,
  expectThat,
  isTaken,
  needAccepted,
  statusOf,
  summary,
} from '../../check/expect.ts';
import { show } from '../../contract/show.ts';
import { successCode } from '../../contract/success-code.ts';
import { NotApplicable, PermittedChoice } from '../../errors/outcomes.ts';
import { field } from '../../wire/exchange.ts';
import { unknownField } from '../support/order-checks.ts';

/** Checks of what a create makes and answers. */
export const refundsCreateChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.create.minimal',
    title: 'A request with the three required fields is accepted with HTTP 200, and its refund is PENDING',
    requirements: [
      'refunds.create.accepted',
      'refunds.create.optional-fields',
      'general.base-path',
      'general.success-code',
    ],
    needs: ['paid-order'],
    async run(context) {
      const { client, request } = await standingRefund(context, 'first', (answer) => {
        // Where the answer shows a refund, only its code is wrong.
        const made = typeof field(answer, 'data.refundOrderId') === 'string';
        if (made) expectField(answer, 'code', successCode, 'general.success-code');
        expectAccepted(answer, 'a refund request with every required field');
        expectStatus(answer, 200, 'an accepted refund');
        expectField(answer, 'data.status', 'PENDING');
      });
      const { merchantRefundOrderId } = request;
      const query = await client.query({ merchantRefundOrderId });
      expectAccepted(query, 'a query for the refund that was just made', 'refunds.query.by-merchant-refund-order-id');
    },
  },
  {
    id: 'refunds.create.every-optional-field',
    title: 'A request with notifyUrl and extraData is accepted, and so is one with either',
    requirements: ['refunds.create.optional-fields'],
    needs: ['order-events'],
    async run(context) {
      needAccepted((await createForPaidOrder(context)).answer, 'the same request without optional fields');
      const notifyUrl = 'https://shop.example/hooks/refunds';
      const requests = [{ notifyUrl }, { extraData: '{"case":"17"}' }, { notifyUrl, extraData: '{"case":"17"}' }];
      const answers = await Promise.all(requests.map((changes) => createForPaidOrder(context, changes)));
      for (const { request, answer } of answers) {
        const given = Object.keys(request).filter((name) => name === 'notifyUrl' || name === 'extraData');
        expectAccepted(answer, `a refund request with ${given.join(' and ')}`);
      }
    },
  },
  {
    id: 'refunds.create.success-envelope',
    title: 'The answer to an accepted refund is the whole envelope with the record',
    requirements: ['refunds.envelope.success', 'refunds.record.fields', 'general.success-code'],
    needs: ['paid-order'],
    async run(context) {
      const { created } = await standingRefund(context);
      expectSchema(created, 'RefundSuccess');
    },
  },
  {
    id: 'refunds.create.estimated-completion',
    title: 'The answer to an accepted refund says when it will probably be done',
    requirements: ['refunds.create.estimated-completion'],
    needs: ['paid-order'],
    async run(context) {
      const { created } = await standingRefund(context);
      if (statusOf(created) !== 'PENDING') return;
      const time = field(created, 'data.estimatedCompletionTime');
      expectThat(typeof time === 'string' && time !== '', created, {
        expected: 'data.estimatedCompletionTime is a time',
        actual: `data.estimatedCompletionTime = ${show(time)}`,
      });
    },
  },
  {
    id: 'refunds.create.whole-payment',
    title: 'A request that names an amount does not refund a part of the payment',
    requirements: ['refunds.create.whole-payment'],
    needs: ['paid-order'],
    async run(context) {
      const { merchant, client } = await standingRefund(context);
      const amount = { value: '0.01', currency: 'USDT' };
      let isAnyTaken = false;
      for (const part of [
        { refundAmount: amount.value, amount: amount.value, amountToRefund: amount },
        { refundAmount: amount, amount },
        { refundAmount: amount.value, refundCurrency: amount.currency },
      ]) {
        const { orderId, paid } = await makePaidOrder(context, merchant);
        if (!paid) throw new NotApplicable('neither the run nor its driver knows what was paid');
        const answer = await client.createAnything({ ...refundRequest(context, orderId), ...part });
        if (!isTaken(answer, 'a create with fields that are not named')) continue;
        isAnyTaken = true;
        expectAmount(answer, 'data.refundAmount', paid.value);
      }
      if (!isAnyTaken) throw new PermittedChoice('fields that are not named are refused (open point unknown-fields)');
    },
  },
  {
    id: 'refunds.create.extra-data.unchanged',
    title: 'extraData comes back as it was sent, to the last space, in every answer that shows the refund',
    requirements: ['refunds.record.extra-data'],
    needs: ['paid-order'],
    async run(context) {
      const { client, created, query, request } = await standingRefund(context, 'second');
      for (const answer of [created, await query()]) expectField(answer, 'data.extraData', awkwardExtraData);
      const batch = await client.batchQuery([request.merchantRefundOrderId]);
      needAccepted(batch, 'a batch query for the refund');
      expectField(batch, 'data.0.extraData', awkwardExtraData);
    },
  },
  {
    ...unknownField('refunds', 'merchantRefundOrderId', async (context) => {
      const merchant = await context.merchant();
      const client = refundsClient(context, merchant);
      const [order, another] = [await makePaidOrder(context, merchant), await makePaidOrder(context, merchant)];
      const request = { ...refundRequest(context, order.orderId) };
      return { request, other: { ...refundRequest(context, another.orderId) }, send: client.createAnything };
    }),
    needs: ['order-events'],
  },
  {
    id: 'refunds.create.text-forms',
    title: 'What ids and reasons of unusual text are answered with',
    requirements: ['refunds.create.refund-reason.english', 'refunds.create.merchant-refund-order-id.form'],
    needs: ['order-events'],
    async run(context) {
      const forms: [string, Partial<RefundCreateRequest>][] = [
        ['a reason in other letters', { refundReason: 'Zwrot — 返品されました' }],
        ['an empty reason', { refundReason: '' }],
        ['an id of 300 characters', { merchantRefundOrderId: context.newOrderId().padEnd(300, 'a') }],
        ['an id with a space and other letters', { merchantRefundOrderId: `${context.newOrderId()} ż` }],
        ['an id with a control character', { merchantRefundOrderId: `${context.newOrderId()}\u0007` }],
      ];
      const answers = await Promise.all(forms.map(([, changes]) => createForPaidOrder(context, changes)));
      const seen = forms.map(([what], index) => {
        const answer = answers[index]?.answer;
        return `${what}: ${answer ? summary(answer) : 'no answer'}`;
      });
      context.observeIn(
        answers.map(({ answer }) => answer),
        'field-forms',
        seen.join('; '),
      );
    },
  },
];
