import { describe, expect, it } from 'vitest';
import { allChecks } from '../checks/index.ts';
import { UsageError } from '../errors/usage-errors.ts';
import { type Selection, selectChecks } from './select-checks.ts';

const select = (selection: Selection) => selectChecks(allChecks, selection).map(({ id }) => id);
const all = allChecks.map(({ id }) => id);

describe('the selection of checks', () => {
  it('takes everything without flags', () => {
    expect(select({})).toEqual(all);
  });

  it('takes what one of several globs matches', () => {
    const taken = select({ check: ['orders.query.unknown', 'orders.situations.*'] });
    expect(taken).toEqual(all.filter((id) => id === 'orders.query.unknown' || id.startsWith('orders.situations.')));
    expect(taken.length).toBeGreaterThan(1);
  });

  it('takes an exclusion away from what the others select', () => {
    const queries = select({ check: ['orders.query.*'] });
    expect(queries).toContain('orders.query.unknown');
    expect(select({ check: ['orders.query.*', '!orders.query.unknown'] })).toEqual(
      queries.filter((id) => id !== 'orders.query.unknown'),
    );
    expect(select({ check: ['!orders.query.unknown', 'orders.query.*'] })).toEqual(
      queries.filter((id) => id !== 'orders.query.unknown'),
    );
  });

  it('takes exclusions away from everything where there is nothing else, within the areas', () => {
    expect(select({ check: ['!orders.query.unknown', '!auth.*'] })).toEqual(
      all.filter((id) => id !== 'orders.query.unknown' && !id.startsWith('auth.')),
    );
    expect(select({ area: ['orders'], check: ['!orders.query.unknown'] })).toEqual(
      select({ area: ['orders'] }).filter((id) => id !== 'orders.query.unknown'),
    );
  });

  it('takes with an area the authentication of its operations, and of no others', () => {
    expect(
      select({ area: ['orders'] }).filter((id) => /refund|checkout/.test(id.split('.').slice(0, 2).join())),
    ).toEqual([]);
    const taken = select({ area: ['refunds'] });
    expect(taken).toContain('auth.refunds.create.unsigned');
    expect(taken.filter((id) => id.startsWith('auth.') && !id.startsWith('auth.refunds.'))).toEqual([]);
    expect(select({ area: ['auth'] })).toEqual(all.filter((id) => id.startsWith('auth.')));
  });

  it('knows a check by an id that it once had, excluded too', () => {
    const [old, id] = ['orders.create.items.amount.value.exclusiveMinimum', 'orders.create.items.free'];
    expect(select({ check: [old] })).toEqual([id]);
    expect(select({ check: [`!${old}`] })).not.toContain(id);
  });

  it('lets rules of invariants have the situations of their area, less those that are excluded', () => {
    const rule = 'orders.query.times.created-at';
    const situations = all.filter((id) => id.startsWith('orders.situations.') && !id.endsWith('.at-the-end'));
    expect(select({ check: [rule] })).toEqual([...situations, rule]);
    expect(select({ check: [rule, `!${situations[0]}`] })).toEqual([...situations.slice(1), rule]);
    expect(select({ check: [rule, 'orders.query.unknown'] })).toEqual(['orders.query.unknown', rule]);
  });

  it('lets what asks for things that others have made have the situations of every area, where nothing else is selected', () => {
    const looking = 'orders.situations.at-the-end';
    const situations = all.filter((id) => /^[a-z]+\.situations\./.test(id) && !id.endsWith('.at-the-end'));
    expect(situations.some((id) => id.startsWith('refunds.'))).toBe(true);
    expect(select({ check: [looking] })).toEqual([...situations, looking]);
    expect(select({ check: [looking, 'orders.query.unknown'] })).toEqual(['orders.query.unknown', looking]);
  });

  it.each([
    [{ check: ['orders.nothing'] }, '--check orders.nothing matches no check'],
    [{ check: ['orders.query.*', '!orders.nothing'] }, '--check orders.nothing matches no check'],
    [{ check: ['orders.query.unknown', '!orders.query.*'] }, 'leave no check'],
    [{ area: ['auth'], check: ['orders.query.*'] }, 'leave no check'],
  ])('refuses %o', (selection, message) => {
    expect(() => select(selection)).toThrow(UsageError);
    expect(() => select(selection)).toThrow(message);
  });
});
