import { describe, expect, it } from 'vitest';
import type { CheckReport } from '../../run/report.ts';
import { check, create, exchange, query, success, told } from './testing/reports.ts';

const showing = (status: string) => ({ ...success, data: { ...success.data, status } });
const expired = query(showing('EXPIRED'));

const failed = (id: string, rest: Partial<CheckReport>) =>
  check(id, 'failed', { decisiveExchange: 1, exchanges: [expired], actual: 'data.status = EXPIRED', ...rest });
const wanted = { brokenRequirement: 'orders.states.expired', expected: 'data.status = CLOSED' };

/** The ids of the sentences under which checks are told, in their order, with what is told of each. */
const sentences = (...all: CheckReport[]) => told(all).map(([text, counts]) => [text?.replace(/:.*/s, ''), counts]);

describe('a status that the contract does not have', () => {
  it('is the cause of all checks that find fault with it, whatever they ask for', () => {
    const all = [
      failed('expires', wanted),
      failed('moves', { ...wanted, brokenRequirement: 'orders.states.final' }),
      check('waits', 'inconclusive', { exchanges: [expired], reason: 'the order did not expire, but is EXPIRED' }),
      failed('values', { brokenRequirement: 'orders.states.values' }),
    ];
    expect(sentences(...all)).toEqual([['orders.states.values', '3 failed, 1 without a verdict']]);
  });

  it('is found in a list too, and told under the sentence of its own area', () => {
    const listed = exchange('POST', 'refunds/batch-query', {
      ...success,
      data: [{ status: 'SUCCEEDED' }, { status: 'DONE' }],
    });
    const rest = { exchanges: [listed], actual: 'data.1.status = DONE', brokenRequirement: 'refunds.states.final' };
    expect(sentences(failed('list', rest))).toEqual([['refunds.states.values', '1 failed']]);
  });

  it('is not the cause of a check that finds fault with something else in the answer', () => {
    const all = [
      failed('paid-at', { actual: 'data.paidAt is absent', brokenRequirement: 'orders.view.fields' }),
      check('waits', 'inconclusive', { exchanges: [expired], reason: 'no webhook came' }),
    ];
    expect(sentences(...all).map(([id]) => id)).toEqual(['orders.view.fields', 'no webhook came']);
  });

  it('is none where the contract has it for this, or shows it in an example', () => {
    const closed = { exchanges: [query(showing('CLOSED'))], actual: 'data.status = CLOSED' };
    const pending = { exchanges: [create(showing('PENDING'))], actual: 'data.status = PENDING' };
    for (const rest of [closed, pending]) {
      expect(sentences(failed('a', { ...wanted, ...rest }))).toEqual([['orders.states.expired', '1 failed']]);
    }
    const later = { ...pending, exchanges: [query(showing('PENDING'))] };
    expect(sentences(failed('a', { ...wanted, ...later }))).toEqual([['orders.states.values', '1 failed']]);
  });
});
