import { describe, expect, it } from 'vitest';
import type { Level } from '../../generated/catalogue.ts';
import type { Check } from '../check/check.ts';
import type { Observation } from '../check/records.ts';
import { Broken, Inconclusive, NeedNotMet, NotApplicable, PermittedChoice } from '../errors/outcomes.ts';
import { type CheckResult, exitCodeOf, judge, outcomeOf, type Skip, type Verdict, worst } from './verdict.ts';

function checkOf(level: Level): Check {
  return {
    id: 'orders.test',
    title: 'T',
    level,
    area: 'orders',
    requirements: ['orders.query.by-order-id'],
    openPoint: 'orders-query-id',
    needs: [],
    run: async () => {},
  };
}

function resultOf(level: Level, verdict: Verdict): CheckResult {
  return { check: checkOf(level), verdict, durationMs: 0, exchanges: [], observations: [], transitions: [] };
}

const broken = new Broken('m', { expected: 'e', actual: 'a' });
const both: Observation = { openPoint: 'orders-query-id', value: 'both', seen: 'code 00000' };
const untold: Observation = { openPoint: 'orders-query-id', seen: 'HTTP 503' };

describe('the verdict on a check', () => {
  it.each([
    ['MUST', 'failed'],
    ['SHOULD', 'warned'],
    ['MAY', 'observed'],
  ] as const)('of a broken %s is %s', (level, verdict) => {
    expect(judge(checkOf(level), broken, [], {})).toMatchObject({ verdict, requirement: 'orders.query.by-order-id' });
  });

  it.each([
    ['MUST', 'passed'],
    ['SHOULD', 'passed'],
    ['MAY', 'observed'],
  ] as const)('of a kept %s is %s', (level, verdict) => {
    expect(judge(checkOf(level), undefined, [both], {})).toEqual({ verdict });
  });

  it('is none where a step before the judgement failed, or the target need not have it', () => {
    expect(judge(checkOf('MUST'), new Inconclusive('no answer'), [], {})).toEqual({
      verdict: 'inconclusive',
      reason: 'no answer',
    });
    expect(judge(checkOf('MUST'), new NotApplicable('none'), [], {})).toEqual({
      verdict: 'skipped',
      reason: 'none',
      skip: { kind: 'not-applicable' },
    });
    expect(judge(checkOf('MUST'), new NeedNotMet('paid-order', 'none left'), [], {})).toMatchObject({
      verdict: 'skipped',
      skip: { kind: 'missing', needs: ['paid-order'] },
    });
  });

  it('is no skip where the target has taken a permitted choice and owes nothing', () => {
    const choice = new PermittedChoice('a repeat is refused');
    expect(judge(checkOf('MUST'), choice, [], {})).toEqual({ verdict: 'passed' });
    expect(judge(checkOf('MAY'), choice, [], {})).toEqual({ verdict: 'observed' });
  });

  it('never makes a verdict of a fault of its own', () => {
    expect(() => judge(checkOf('MUST'), new TypeError('oops'), [], {})).toThrow(TypeError);
  });

  it('follows a pin where the specification does not bind', () => {
    const pinned = (value: string) => ({ 'orders-query-id': value });
    expect(judge(checkOf('MAY'), undefined, [both], pinned('both'))).toEqual({ verdict: 'passed' });
    expect(judge(checkOf('MAY'), undefined, [both], pinned('merchant-order-id-only'))).toMatchObject({
      verdict: 'failed',
      expected: 'orders-query-id = merchant-order-id-only',
    });
    expect(judge(checkOf('MAY'), undefined, [untold], pinned('both'))).toEqual({ verdict: 'observed' });
    const only = { ...both, value: 'merchant-order-id-only' };
    expect(judge(checkOf('SHOULD'), broken, [only], pinned('merchant-order-id-only'))).toEqual({ verdict: 'passed' });
    expect(judge(checkOf('MUST'), broken, [both], pinned('both'))).toMatchObject({ verdict: 'failed' });
    expect(judge(checkOf('MUST'), undefined, [both], pinned('merchant-order-id-only'))).toMatchObject({
      verdict: 'failed',
    });
  });
});

const skippedFor = (skip: Skip): CheckResult => ({ ...resultOf('MUST', 'skipped'), skip });

describe('a run', () => {
  it.each<[string, CheckResult[], 0 | 1 | 3]>([
    ['passes', [resultOf('MUST', 'passed')], 0],
    ['with a warning', [resultOf('SHOULD', 'warned'), resultOf('MUST', 'passed')], 0],
    ['with a MUST that does not apply', [skippedFor({ kind: 'not-applicable' }), resultOf('MUST', 'passed')], 0],
    ['with a MUST of an area that is not there', [skippedFor({ kind: 'area' }), resultOf('MUST', 'passed')], 0],
    ['with a MUST left out', [skippedFor({ kind: 'left-out', needs: ['clock'] }), resultOf('MUST', 'passed')], 0],
    [
      'with a MUST that misses a need',
      [skippedFor({ kind: 'missing', needs: ['clock'] }), resultOf('MUST', 'passed')],
      3,
    ],
    [
      'with a MAY that misses a need',
      [{ ...skippedFor({ kind: 'missing', needs: ['clock'] }), check: checkOf('MAY') }, resultOf('MUST', 'passed')],
      0,
    ],
    ['with a SHOULD without verdict', [resultOf('SHOULD', 'inconclusive'), resultOf('MUST', 'passed')], 0],
    ['with a MUST without verdict', [resultOf('MUST', 'inconclusive'), resultOf('MUST', 'passed')], 3],
    ['with a failure beside it', [resultOf('MUST', 'inconclusive'), resultOf('MUST', 'failed')], 1],
    ['in which everything was skipped', [resultOf('MUST', 'skipped')], 3],
    ['of nothing', [], 3],
  ])('%s has its exit code', (_what, results, code) => {
    expect(exitCodeOf(results, { strictSkips: false })).toBe(code);
  });

  it('may be told that a skip is not enough', () => {
    const results = [resultOf('MUST', 'skipped'), resultOf('MUST', 'passed')];
    expect(exitCodeOf(results, { strictSkips: true })).toBe(3);
  });

  it('is conformant only when it was whole and left no MUST open', () => {
    expect(outcomeOf([resultOf('MUST', 'passed')], true)).toBe('conformant');
    expect(outcomeOf([resultOf('MUST', 'passed')], false)).toBe('incomplete');
    expect(outcomeOf([resultOf('MUST', 'inconclusive')], true)).toBe('incomplete');
    expect(outcomeOf([skippedFor({ kind: 'missing', needs: ['clock'] })], true)).toBe('incomplete');
    expect(outcomeOf([skippedFor({ kind: 'left-out', needs: ['clock'] })], true)).toBe('conformant');
    expect(outcomeOf([resultOf('MUST', 'failed')], false)).toBe('non-conformant');
  });

  it('gives a requirement its worst check', () => {
    expect(worst(['passed', 'observed', 'failed', 'skipped'])).toBe('failed');
    expect(worst(['passed', 'warned', 'inconclusive'])).toBe('inconclusive');
    expect(worst(['observed', 'passed', 'skipped'])).toBe('passed');
    expect(worst([])).toBe('skipped');
  });
});
