import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { requirements } from '../../generated/catalogue.ts';
import { allChecks } from './index.ts';

const frozen = readFileSync(new URL('./frozen-ids.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const ids = allChecks.map(({ id }) => id);

describe('the list of checks', () => {
  it('keeps every id for good: whoever removes or renames one breaks the baselines and reports of others', () => {
    expect(frozen.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('has every id in frozen-ids.txt: add the new ones there', () => {
    expect(ids.filter((id) => !frozen.includes(id))).toEqual([]);
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
  const due = requirements.filter(({ level, verification }) => level !== 'MAY' && verification.by === 'check');

  it.each(due.map(({ level, id }) => [level, id] as const))('%s %s has a check of its level', (level, id) => {
    expect(allChecks.filter((check) => check.level === level && check.requirements.includes(id))).not.toEqual([]);
  });
});
