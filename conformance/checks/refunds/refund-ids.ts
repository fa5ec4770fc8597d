import { randomUUID } from 'node:crypto';
import { refundsClient } from '../../arrange/refunds/client.ts';
import { makePaidOrder, makePaidOrders } from '../../arrange/refunds/paid-orders.ts';
import { bringRefundTo, createForPaidOrder, makeRefund, refundRequest } from '../../arrange/refunds/refunds.ts';
import { ifTaken, sideBySide } from '../../arrange/situations/situations.ts';
import type { CheckContext } from '../../check/context.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { expectAccepted, expectField, expectThat, isAccepted, summary } from '../../check/expect.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { show } from '../../contract/show.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { sameNumbersOfAnyForm } from '../../values/same-numbers.ts';
import { field } from '../../wire/exchange.ts';
import { repeatOfRefund } from '../support/repeated-creates.ts';

/**
 * Ids that a database may take for the first of them, because it compares letters without their marks or their width, takes one letter for two,
 * writes letters and marks that stand apart as one, leaves blanks at the ends or what nobody sees out of account, has no characters beyond 16 bits,
 * or keeps a part of a long text, and two that have the same hash in a language that adds up characters times 31. None has a NUL, which the JSON
 * libraries of some languages leave out at the end of a text.
 */
function nearlyEqualIds(id: string): [string, ...string[]][] {
  const long = (length: number) => id.padEnd(length - 1, '-');
  return [
    [`${id}-e`, `${id}-é`],
    [`${id}-\u00f6`, `${id}-o\u0308`],
    [`${id}-f`, `${id}-f `, ` ${id}-f`, `${id}-f\t`, `${id}-f\u200b`, `${id}-\uff46`],
    [`${id}-ss`, `${id}-\u00df`],
    [`${id}-Aa`, `${id}-BB`],
    [`${id}-\u{1f39f}`, `${id}-\u{1f9fe}`],
    ...[100, 130, 200, 300].map((length): [string, ...string[]] => [`${long(length)}a`, `${long(length)}b`]),
  ];
}

/**
 * Fails when one of the other ids is taken for the first. Each may be refused, because no sentence says what an id is made of; `ofSameForm` makes
 * new ids of the same forms, which tell whether one was refused for its form.
 */
async function expectOwnRefunds(
  context: CheckContext,
  merchant: Credentials,
  [one, ...others]: readonly [string, ...string[]],
  ofSameForm: () => readonly string[],
): Promise<void> {
  const first = await ifTaken(makeRefund(context, merchant, { merchantRefundOrderId: one }));
  if (!first) return;
  for (const [index, other] of others.entries()) {
    const create = (merchantRefundOrderId: string) => createForPaidOrder(context, { merchantRefundOrderId });
    const { client, answer } = await create(other);
    const isTaken = field(answer, 'code') === errorCode('refunds', 'IDEMPOTENCY_CONFLICT');
    if (!isTaken && !isAccepted(answer)) {
      const alone = ofSameForm()[index + 1];
      if (alone === undefined || !isAccepted((await create(alone)).answer)) continue;
      // With others the same again: the failure of one request, which a target may keep for its id, has to do with neither of them.
      const [beside = one, ...besides] = ofSameForm();
      if (!(await ifTaken(makeRefund(context, merchant, { merchantRefundOrderId: beside })))) continue;
      const again = besides[index] ?? other;
      const what = `a refund under the id ${show(again)}, where there is one under ${show(beside)}, and ids of this form are taken`;
      expectAccepted((await create(again)).answer, what, 'refunds.create.accepted');
      continue;
    }
    expectAccepted(answer, `a refund under the id ${other}, where there is one under ${one}`);
    for (const each of [answer, await client.query({ merchantRefundOrderId: other })]) {
      expectField(each, 'data.merchantRefundOrderId', other, 'refunds.record.references');
      expectThat(field(each, 'data.refundOrderId') !== first.refundOrderId, each, {
        expected: `another refundOrderId than that of the refund ${one}`,
        actual: `the same: ${show(first.refundOrderId)}`,
        requirement: 'refunds.record.platform-id',
      });
    }
  }
  const query = await first.client.query({ merchantRefundOrderId: one });
  expectField(query, 'data.refundOrderId', first.refundOrderId, 'refunds.record.references');
  await repeatOfRefund(context, first, {}, `the same create again, under the id ${show(one)}`);
  if (!context.has('refund-events')) return;
  await bringRefundTo(context, first, 'FAILED');
  await repeatOfRefund(
    context,
    first,
    {},
    `the same create again, under the id ${show(one)} of a refund that is FAILED`,
  );
}

/** Checks of the ids that merchants give refunds. */
export const refundIdChecks: readonly CheckDeclaration[] = [
  {
    id: 'refunds.create.merchant-refund-order-id.distinct',
    long: true,
    title:
      'Ids that differ in their last character, in blanks around them, in the case, the mark or the width of one letter, or in how they write a number, are those of two refunds, and each makes one refund when it is sent again',
    requirements: [
      'refunds.create.accepted',
      'refunds.record.references',
      'refunds.record.platform-id',
      'refunds.create.idempotent',
    ],
    needs: ['paid-order'],
    async run(context) {
      const merchant = await context.merchant();
      const id = context.newOrderId();
      const [first, ...others] = [`${id}-a`, `${id}-b`, `${id}-A`] as const;
      const [order, ...orders] = await makePaidOrders(context, merchant, 1 + others.length);
      const refund = await makeRefund(context, merchant, { ...(order && { order }), merchantRefundOrderId: first });
      const { client, refundOrderId } = refund;
      for (const [index, { orderId }] of orders.entries()) {
        const merchantRefundOrderId = others[index] ?? id;
        const answer = await client.create(refundRequest(context, orderId, { merchantRefundOrderId }));
        expectAccepted(answer, `a refund under the id ${merchantRefundOrderId}, which differs from ${first}`);
        for (const each of [answer, await client.query({ merchantRefundOrderId })]) {
          expectField(each, 'data.merchantRefundOrderId', merchantRefundOrderId, 'refunds.record.references');
        }
      }
      const query = await client.query({ merchantRefundOrderId: first });
      expectField(query, 'data.refundOrderId', refundOrderId, 'refunds.record.references');
      // Configured orders are too few for these.
      if (!context.has('order-events')) return;
      const alike = (base: string) => [...nearlyEqualIds(base), ...sameNumbersOfAnyForm(context.newOrderId)];
      const ofSameForm = (index: number) => () => alike(context.newOrderId())[index] ?? [];
      await sideBySide(alike(id).map((ids, index) => expectOwnRefunds(context, merchant, ids, ofSameForm(index))));
    },
  },
  {
    id: 'refunds.create.merchant-refund-order-id.short',
    title: 'A merchantRefundOrderId may be shorter than a merchantOrderId',
    requirements: ['refunds.create.accepted'],
    needs: ['order-events'],
    async run(context) {
      const merchant = await context.merchant();
      await makeRefund(context, merchant);
      // The seed has no part in it: a run with the seed of an earlier one must not meet its ids again.
      const merchantRefundOrderId = `r${randomUUID().slice(-7)}`;
      const { answer } = await createForPaidOrder(context, { merchantRefundOrderId });
      expectAccepted(answer, `a refund under the id ${merchantRefundOrderId}, whose length no rule bounds`);
    },
  },
  {
    id: 'refunds.create.id-namespace',
    title: 'Whether two merchants can have refunds of the same merchantRefundOrderId',
    requirements: ['refunds.create.id-namespace'],
    needs: ['order-events', 'other-merchant'],
    async run(context) {
      const { request } = await makeRefund(context, await context.merchant());
      const other = await context.merchant('other');
      const order = await makePaidOrder(context, other);
      const { merchantRefundOrderId } = request;
      const answer = await refundsClient(context, other).create(
        refundRequest(context, order.orderId, { merchantRefundOrderId }),
      );
      context.observeIn(
        answer,
        'id-namespaces',
        `a refund under another merchant's merchantRefundOrderId: ${summary(answer)}`,
      );
    },
  },
];
