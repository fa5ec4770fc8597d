import { expect, it } from 'vitest';
import { causesOf } from './index.ts';
import { check, create, query, reportOf, success } from './testing/reports.ts';

it('a cause is shown by a short check of its area', () => {
  const made = [create(success), query(success)];
  const rest = { brokenRequirement: 'orders.view.amounts', exchanges: made };
  const all = [
    check('orders.exploration', 'failed', { ...rest, exchanges: made.slice(1) }),
    check('refunds.create.minimal', 'failed', { ...rest, area: 'refunds', exchanges: made.slice(1) }),
    check('orders.create.minimal', 'failed', rest),
  ];
  expect(causesOf(reportOf(all)).map(({ shownBy }) => shownBy.id)).toEqual(['orders.create.minimal']);
});
