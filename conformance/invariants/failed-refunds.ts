import type { RefundFailureName } from '../../generated/catalogue.ts';
import { show } from '../contract/show.ts';
import { type Book, textAt } from './book.ts';
import type { Invariant, InvariantRule, Judgement } from './invariant.ts';

/** The errorCode of a refund that fails for want of funds, which is what a driver's event lets happen. */
const wantOfFunds: RefundFailureName = 'EXCHANGE_BALANCE_INSUFFICIENT';

const queries = ['refunds.query', 'refunds.batch-query'];

const ruleId = (operation: string) => `${operation}.failed.error-code`;

const rules: readonly InvariantRule[] = queries.map((operation) => ({
  id: ruleId(operation),
  title: `${operation} shows ${wantOfFunds} as the errorCode of every refund that failed for want of funds at the exchange`,
  requirements: ['refunds.record.error-code'],
}));

/** The errorCode of a FAILED refund names the cause, from whichever state it failed. Whether there is one at all is judged with the other fields. */
export const failedRefunds: Invariant = { name: 'failed-refunds', rules, judge };

function* judge(book: Book): Iterable<Judgement> {
  for (const { area, events, sightings } of book.entities) {
    if (area !== 'refunds') continue;
    const failing = events.find(({ event, result }) => event.type === 'failed' && 'done' in result && result.done);
    if (!failing || failing.event.errorCode !== undefined) continue;
    for (const { by, exchanged, record, status, view } of sightings) {
      const code = textAt(view, 'errorCode');
      if (by !== 'query' || status !== 'FAILED' || code === undefined) continue;
      const judgement = { rule: ruleId(exchanged.operation), records: [failing, record] };
      if (code === wantOfFunds) yield judgement;
      else {
        const expected = `errorCode = ${show(wantOfFunds)} of a refund that failed for want of funds at the exchange`;
        yield { ...judgement, fault: { expected, actual: `errorCode = ${show(code)}` } };
      }
    }
  }
}
