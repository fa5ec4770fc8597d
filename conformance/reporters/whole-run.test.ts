import { describe, expect, it } from 'vitest';
import type { CheckReport } from '../run/report.ts';
import { causesOf } from './causes/index.ts';
import { check, checks, create, query, refusal, reportOf, success } from './causes/testing/reports.ts';
import { wholeRunOf } from './whole-run.ts';

const signs = ['GETs get an earlier answer again', 'orders are lost: do several processes answer?'];

function shown(all: CheckReport[], seen = signs) {
  const report = { ...reportOf(all), signs: seen };
  return wholeRunOf(report, causesOf(report));
}

describe('what the whole run shows', () => {
  it('is told in sentences, and before the cause of any finding', () => {
    expect(shown([check('a', 'failed', { brokenRequirement: 'orders.states.final' })])).toEqual({
      comesFirst: true,
      label: 'Fix first, as findings may come from it',
      sentences: ['GETs get an earlier answer again.', 'orders are lost: do several processes answer?'],
      slowness: [],
    });
  });

  it('comes after what all requests have had in common since the first of them', () => {
    const refused = checks(5, 'waits', 'inconclusive', { exchanges: [create(refusal), query(refusal)] });
    expect(shown(refused)).toMatchObject({ comesFirst: false, label: 'In the whole run' });
    // An operation may have been asked only since the moment of which the run tells.
    const stuck = checks(5, 'waits', 'inconclusive', { exchanges: [create(refusal), query(success)] });
    expect(shown(stuck).comesFirst).toBe(true);
  });

  it('is nothing to mend first where nothing keeps a check from passing', () => {
    const known = check('known', 'failed', { baseline: { reason: 'ticket 4711' } });
    expect(shown([known, check('warned', 'warned')])).toMatchObject({ comesFirst: false, label: 'In the whole run' });
  });

  it('is nothing where it shows nothing of the kind', () => {
    expect(shown([check('a', 'failed')], [])).toMatchObject({ comesFirst: false, sentences: [] });
  });

  it('has no character that a terminal acts on', () => {
    expect(shown([], ['\u001b[2J\nforged']).sentences).toEqual(['\\u{1b}[2J\\u{a}forged.']);
  });
});
