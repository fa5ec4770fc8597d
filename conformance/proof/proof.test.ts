import { describe, expect, it } from 'vitest';
import { allChecks } from '../checks/index.ts';
import { allFaults } from './faults/index.ts';
import { isCaughtByRule, proveFaults } from './testing/prove-faults.ts';
import { quickFaults } from './testing/quick-faults.ts';

describe('the faults', () => {
  it('have ids in small letters and hyphens, each once', () => {
    const ids = allFaults.map(({ id }) => id);
    expect(ids.filter((id, index) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) || ids.indexOf(id) !== index)).toEqual([]);
  });

  it('turn every check red that can be', () => {
    const red = new Set(allFaults.map(({ caughtBy }) => caughtBy));
    const never = allChecks.filter(({ id, level }) => level !== 'MAY' && !red.has(id)).map(({ id }) => id);
    expect(never).toEqual([]);
  });

  it('show in checks that there are', () => {
    const ids = new Set(allChecks.map(({ id }) => id));
    expect(allFaults.flatMap(({ feeds = [] }) => feeds.filter((id) => !ids.has(id)))).toEqual([]);
  });
});

describe('wrong servers', () => proveFaults(quickFaults.filter((fault) => !isCaughtByRule(fault))));
