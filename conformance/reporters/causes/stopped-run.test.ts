import { describe, expect, it } from 'vitest';
import { countsOf, fixFirst } from './cause.ts';
import { causesOf } from './index.ts';
import { check, create, query, refusal, reportOf, success, told } from './testing/reports.ts';

describe('the causes of a report', () => {
  it('are one where the run was stopped, which is nothing to mend in the target', () => {
    const reason = 'the run was stopped before the check ended: it was ended by SIGINT';
    const atLimit = 'the run stops: the run has made as many orders as limits.maxOrders allows, 60';
    const limited = [check('limited', 'inconclusive', { reason: atLimit, exchanges: [create(refusal)] })];
    expect(told(limited)).toEqual([[atLimit, '1 without a verdict', 'limited']]);
    expect(fixFirst(causesOf(reportOf(limited)))).toBeUndefined();
    const all = [
      check('open', 'inconclusive', { reason, exchanges: [create(refusal)] }),
      check('other', 'inconclusive', { reason, exchanges: [query(success)] }),
    ];
    expect(told(all)).toEqual([[reason, '2 without a verdict', 'open']]);
    expect(fixFirst(causesOf(reportOf(all)))).toBeUndefined();
  });

  it('are one where the run was stopped because the target answered nothing any more', () => {
    const reason = 'the target has answered nothing for 40 s, and left 30 requests waiting; see whether it still runs';
    const waiting = [
      check('cut', 'inconclusive', { reason: `the run was stopped before the check ended: ${reason}` }),
      check('late', 'inconclusive', {
        reason: 'no answer to GET /a: it did not come within 10000 ms',
        exchanges: [query(success)],
      }),
    ];
    const report = { ...reportOf(waiting), stopped: { reason, notRun: [] } };
    expect(causesOf(report).map((cause) => [cause.text, countsOf(cause)])).toEqual([[reason, '2 without a verdict']]);
    expect(fixFirst(causesOf(report))?.text).toBe(reason);
  });
});
