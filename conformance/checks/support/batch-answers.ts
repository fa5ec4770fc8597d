import type { RequirementId } from '../../../generated/catalogue-ids.ts';
import { expectAccepted, expectThat } from '../../check/expect.ts';
import { counted } from '../../contract/counted.ts';
import { show } from '../../contract/show.ts';
import { type Answer, field } from '../../wire/exchange.ts';

/** The merchantRefundOrderIds in the answer to a batch query. */
export function idsIn(answer: Answer): unknown[] {
  const data = field(answer, 'data');
  return Array.isArray(data) ? data.map((record: unknown) => field({ json: record }, 'merchantRefundOrderId')) : [];
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
