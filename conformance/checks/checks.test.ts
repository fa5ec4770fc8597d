import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openPoints, requirements } from '../../generated/catalogue.ts';
import { allChecks } from './index.ts';
import { currentId, replacedIds } from './replaced-ids.ts';

const frozen = readFileSync(new URL('./frozen-ids.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const ids = allChecks.map(({ id }) => id);

describe('the list of checks', () => {
  it('keeps every id for good: whoever removes or renames one breaks the baselines and reports of others', () => {
    expect(frozen.filter((id) => !ids.includes(currentId(id)))).toEqual([]);
  });

  it('has every id in frozen-ids.txt: add the new ones there', () => {
    expect(ids.filter((id) => !frozen.includes(id))).toEqual([]);
  });

  it('replaces an id only by one of a check that there is', () => {
    expect(Object.entries(replacedIds).filter(([old, id]) => ids.includes(old) || !ids.includes(id))).toEqual([]);
  });

  it('has every id once', () => {
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('gives each check a requirement of its own level', () => {
    const levels = new Map(requirements.map(({ id, level }) => [id, level]));
    const without = allChecks.filter((check) => !check.requirements.some((id) => levels.get(id) === check.level));
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it('names an open point in each check that only observes', () => {
    expect(allChecks.filter(({ level, openPoint }) => level === 'MAY' && openPoint === undefined)).toEqual([]);
  });
});

describe('the trace from requirements to checks', () => {
  const due = requirements.filter(({ verification }) => verification.by === 'check');

  it.each(due.map(({ level, id }) => [level, id] as const))('%s %s has a check of its level', (level, id) => {
    // A check of a higher level may observe too.
    const fits = (check: { level: string }) => level === 'MAY' || check.level === level;
    expect(allChecks.filter((check) => fits(check) && check.requirements.includes(id))).not.toEqual([]);
  });

  it('has no check for a requirement that the catalogue says nothing can verify', () => {
    const none = requirements.filter(({ verification }) => verification.by === 'none').map(({ id }) => id);
    const judged = allChecks.filter(({ requirements: named }) => named.some((id) => none.includes(id)));
    expect(judged.map(({ id }) => id)).toEqual([]);
  });
});

describe('the register of open points', () => {
  const observed = openPoints.filter(({ observed: what }) => !what.startsWith('Nothing'));

  it.each(observed.map(({ id }) => [id]))('%s is observed by a check, as its entry says', (id) => {
    expect(allChecks.filter(({ openPoint }) => openPoint === id)).not.toEqual([]);
  });
});
