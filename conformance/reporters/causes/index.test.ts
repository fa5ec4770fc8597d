import { describe, expect, it } from 'vitest';
import { fixFirst } from './cause.ts';
import { causesOf } from './index.ts';
import { check, checks, query, reportOf, success, told } from './testing/reports.ts';

describe('the causes of a report', () => {
  it('are none where nothing is wrong', () => {
    expect(told([check('a', 'passed'), check('b', 'skipped'), check('c', 'observed')])).toEqual([]);
  });

  it('begin with an id that two things have, because other findings may be about the wrong one of them', () => {
    const all = [
      ...checks(3, 'follows', 'failed', { brokenRequirement: 'refunds.record.amount', message: 'wrong amount' }),
      check('refunds.query.identity.platform-id', 'failed', { brokenRequirement: 'refunds.record.platform-id' }),
    ];
    expect(causesOf(reportOf(all)).map(({ shownBy }) => shownBy.id)).toEqual([
      'refunds.query.identity.platform-id',
      'follows.0',
    ]);
  });

  it('are the requirement that an answer breaks, for the checks that it stops too', () => {
    const stopped = { reason: 'the answer breaks the contract', brokenRequirement: 'checkout.payment-methods.bounds' };
    const all = [
      ...checks(3, 'waits', 'inconclusive', { ...stopped, exchanges: [query(success)] }),
      check('shows', 'failed', { brokenRequirement: 'checkout.payment-methods.bounds' }),
      check('other', 'failed', { brokenRequirement: 'orders.states.final' }),
    ];
    const [[text, counts, shownBy] = []] = told(all);
    expect(text).toMatch(/^checkout\.payment-methods\.bounds: /);
    expect([counts, shownBy]).toEqual(['1 failed, 3 without a verdict', 'shows']);
    expect(causesOf(reportOf(all))[0]?.everything).toBe(false);
  });

  it('begin with the one that keeps most checks from passing; known failures and warnings keep none', () => {
    const baseline = { reason: 'ticket 4711' };
    const all = [
      ...checks(5, 'known', 'failed', { brokenRequirement: 'orders.states.final', baseline }),
      ...checks(5, 'warned', 'warned', { brokenRequirement: 'orders.view.times' }),
    ];
    expect(fixFirst(causesOf(reportOf(all)))).toBeUndefined();
    const one = check('one', 'failed', { brokenRequirement: 'orders.view.echo' });
    expect(fixFirst(causesOf(reportOf([...all, one])))?.shownBy.id).toBe('one');
  });

  it('show no character of a target that a terminal acts on', () => {
    const shown = told([check('a', 'inconclusive', { reason: '\u001b[2J\nforged' })])[0]?.[0];
    expect(shown).toBe('\\u{1b}[2J\\u{a}forged');
  });
});
