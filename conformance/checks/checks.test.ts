import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { requirements } from '../../generated/catalogue.ts';
import { allChecks } from './index.ts';

const frozen = readFileSync(new URL('./frozen-ids.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const ids = allChecks.map(({ id }) => id);

/** Areas whose operations the runner does not reach yet. */
const laterAreas = ['refunds', 'checkout', 'webhooks'];
/** Requirements on authentication that only show in those areas. */
const laterRequirements = ['auth.refunds-401', 'auth.checkout-enabled'];

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
  const covered = new Set<string>(allChecks.flatMap((check) => check.requirements));
  const due = requirements.filter(
    ({ level, area, verification, id }) =>
      level !== 'MAY' && verification.by === 'check' && !laterAreas.includes(area) && !laterRequirements.includes(id),
  );

  it.each(due.map(({ level, id }) => [level, id] as const))('%s %s has a check of its level', (level, id) => {
    expect(allChecks.filter((check) => check.level === level && check.requirements.includes(id))).not.toEqual([]);
  });

  it('has no check yet for what is said to come later', () => {
    expect(laterRequirements.filter((id) => covered.has(id))).toEqual([]);
  });
});
