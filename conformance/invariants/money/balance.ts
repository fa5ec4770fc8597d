import { addDecimals, compareDecimals, isDecimalText, subtractDecimals } from '../../contract/decimals.ts';
import type { ProvisionRecord, RequestRecord } from '../../history/records.ts';
import { type Book, type Entity, textAt } from '../book.ts';
import type { InvariantRule, Judgement } from '../invariant.ts';

const rule = 'refunds.create.money.balance';

export const balanceRule: InvariantRule = {
  id: rule,
  title: 'The refunds that a merchant has at one time take no more than the balance that it was given',
  requirements: ['refunds.create.reserves-funds'],
};

/** A refund that certainly took its amount from a balance all the time between two moments of the run. */
interface Hold {
  from: number;
  until: number;
  /** Decimal text. */
  amount: string;
  record: RequestRecord;
}

/** Holds the refunds of every merchant against the balances that the driver gave it. */
export function* judgeBalances(book: Book): Iterable<Judgement> {
  const holds = new Map<string, Map<string, Hold[]>>();
  for (const refund of book.entities) {
    const hold = refund.area === 'refunds' ? holdOf(refund) : undefined;
    if (!hold) continue;
    const ofMerchant = holds.get(refund.merchantId) ?? new Map<string, Hold[]>();
    holds.set(refund.merchantId, ofMerchant);
    const inCurrency = ofMerchant.get(hold.currency) ?? [];
    ofMerchant.set(hold.currency, inCurrency);
    inCurrency.push(hold);
  }
  for (const [merchantId, ofMerchant] of holds) {
    const provision = book.provisions.get(merchantId);
    const balances = provision?.settings.balances;
    if (!provision || !balances) continue;
    const given = new Map(Object.entries(balances));
    for (const [currency, each] of ofMerchant) {
      yield judgeBalance(provision, currency, given.get(currency) ?? '0', each);
    }
  }
}

/**
 * `undefined`: the answers do not say how much it takes, or in which currency. The contract binds merchantDeductAmount to what is taken;
 * refundAmount does not tell it, because fees are free.
 */
function holdOf({ sightings, events }: Entity): (Hold & { currency: string }) | undefined {
  const [first] = sightings;
  const currency = textAt(first?.view, 'refundCurrency');
  const amount = smallest(sightings.map(({ view }) => textAt(view, 'merchantDeductAmount')));
  if (!first || currency === undefined || amount === undefined) return undefined;
  const from = first.record.end;
  // A refund that did not fail and was not closed by a moment was neither at any moment before it.
  const seen = sightings.filter(({ by, status }) => by === 'query' && status !== 'FAILED' && status !== 'CLOSED');
  const done = seen.some(({ status }) => status === 'SUCCEEDED');
  // A query may show less than has happened, and so the driver may have ended the refund before.
  const ended = Math.min(...events.filter(({ event }) => givesBack(event.type)).map(({ start }) => start));
  const shown = Math.max(from, ...seen.map(({ record }) => record.start));
  const until = done ? Number.POSITIVE_INFINITY : Math.min(shown, Math.max(from, ended));
  return first.status === 'FAILED' || first.status === 'CLOSED'
    ? undefined
    : { from, until, amount, currency, record: first.record };
}

/** Whether an event ends a refund so that its funds may be free again. */
const givesBack = (type: string) => type === 'failed' || type === 'closed';

function smallest(amounts: readonly (string | undefined)[]): string | undefined {
  const [least] = amounts.filter(isDecimalText).sort(compareDecimals);
  return least;
}

/** Looks at every moment at which one more refund certainly takes its amount. */
function judgeBalance(
  provision: ProvisionRecord,
  currency: string,
  balance: string,
  holds: readonly Hold[],
): Judgement {
  const begins = holds.toSorted((left, right) => left.from - right.from);
  const ends = holds.toSorted((left, right) => left.until - right.until);
  const held = new Set<Hold>();
  let [sum, ended] = ['0', 0];
  for (const hold of begins) {
    for (let next = ends[ended]; next && next.until < hold.from; next = ends[ended]) {
      held.delete(next);
      sum = subtractDecimals(sum, next.amount);
      ended += 1;
    }
    held.add(hold);
    sum = addDecimals([sum, hold.amount]);
    if (compareDecimals(sum, balance) <= 0) continue;
    return {
      rule,
      records: [provision, ...[...held].map(({ record }) => record)],
      fault: {
        expected: `the refunds that are not FAILED or CLOSED take at most ${balance} ${currency}, the merchant's balance`,
        actual: `${held.size === 1 ? 'one refund takes' : `${held.size} refunds take`} ${sum} ${currency}`,
      },
    };
  }
  return { rule, records: [provision, ...holds.slice(0, 1).map(({ record }) => record)] };
}
