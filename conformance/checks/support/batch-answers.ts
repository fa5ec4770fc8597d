import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import type { MadeRefund } from '../../arrange/refunds/refunds.ts';
import { expectAccepted, expectThat } from '../../check/expect.ts';
import { counted } from '../../contract/counted.ts';
import { show } from '../../contract/show.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** The refunds in an answer to a batch query. */
export function recordsOf(answer: Answer): unknown[] {
  const data = field(answer, 'data');
  return Array.isArray(data) ? data : [];
}

/** The platform id of a refund in an answer to a batch query. */
export const idOf = (record: unknown) => field({ json: record }, 'refundOrderId');

/** Fails unless the answer to a batch query shows each of the refunds, by both its ids. */
export function expectShown(answer: Answer, refunds: readonly Pick<MadeRefund, 'refundOrderId' | 'request'>[]): void {
  for (const { refundOrderId, request } of refunds) {
    const record = recordsOf(answer).find((each) => idOf(each) === refundOrderId);
    expectThat(record !== undefined, answer, {
      expected: `the refund ${refundOrderId}, which was asked for, among data`,
      actual: `data shows ${recordsOf(answer).map(idOf).map(show).join(', ') || 'none'}`,
      requirement: 'refunds.batch-query.known',
    });
    const shown = field({ json: record }, 'merchantRefundOrderId');
    expectThat(shown === request.merchantRefundOrderId, answer, {
      expected: `merchantRefundOrderId = ${request.merchantRefundOrderId}`,
      actual: `merchantRefundOrderId = ${show(shown)}`,
      requirement: 'refunds.batch-query.known',
    });
  }
}

/** The merchantRefundOrderIds in the answer to a batch query. */
export function idsIn(answer: Answer): unknown[] {
  return recordsOf(answer).map((record) => field({ json: record }, 'merchantRefundOrderId'));
}

/** Fails unless the answer to a batch query shows each of the refunds, and nothing that was not asked for. */
export function expectEach(
  answer: Answer,
  known: readonly string[],
  asked: readonly string[],
  what: string,
  requirement?: RequirementId,
): void {
  expectAccepted(answer, what, requirement);
  const shown = idsIn(answer);
  const missing = known.filter((id) => !shown.includes(id));
  expectThat(missing.length === 0, answer, {
    expected: `${what}: all ${counted(known.length, 'refund')} under data`,
    actual: `${counted(missing.length, 'of them is', 'of them are')} missing, ${show(missing[0])} first`,
    ...(requirement && { requirement }),
  });
  const strange = shown.filter((id) => !asked.some((each) => each === id));
  expectThat(strange.length === 0, answer, {
    expected: `${what}: nothing but what was asked for`,
    actual: `data shows ${show(strange[0])} too`,
    ...(requirement && { requirement }),
  });
}
