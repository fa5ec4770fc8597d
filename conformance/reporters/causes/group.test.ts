import { describe, expect, it } from 'vitest';
import type { CheckReport } from '../../run/report.ts';
import { causesOf } from './index.ts';
import { check, checks, create, query, refusal, reportOf, success } from './testing/reports.ts';

describe('the causes of a report', () => {
  it('lead to an examination of the target where requests are refused for their authentication', () => {
    const asked = (code: string) => [
      ...checks(5, 'waits', 'inconclusive', { exchanges: [create({ ...refusal, code })] }),
      ...checks(5, 'passes', 'passed', { exchanges: [query(success)] }),
    ];
    const onTheWay = (code: string) => causesOf(reportOf(asked(code)))[0]?.onTheWay;
    expect([onTheWay('90001'), onTheWay('10001')]).toEqual([true, false]);
  });

  it('lead to it where only some right requests are so refused, but not for one form of them', () => {
    const works = checks(9, 'passes', 'passed', { exchanges: [create(success), query(success)] });
    const step = {
      reason: 'an order was not made: a refusal with code 90001 (HTTP 200)',
      exchanges: [create(refusal)],
    };
    const [waits] = causesOf(reportOf([check('waits', 'inconclusive', step), ...works]));
    expect([waits?.text, waits?.onTheWay]).toEqual([
      'creating a hosted order is refused with 90001, in some requests',
      true,
    ]);
    const onTheWay = (id: string, area: CheckReport['area'], expected: string) => {
      const shown = { exchanges: [create(refusal)], decisiveExchange: 1, area, expected };
      return causesOf(reportOf([check(id, 'failed', shown), ...works]))[0]?.onTheWay;
    };
    expect(onTheWay('orders.create.minimal', 'orders', 'an order: code = 00000')).toBe(true);
    expect(onTheWay('auth.orders.create.signed', 'auth', 'code = 00000')).toBe(true);
    expect(onTheWay('auth.orders.create.headers', 'auth', 'code = 00000')).toBe(false);
    expect(onTheWay('orders.create.amount', 'orders', 'code = 10001')).toBe(false);
  });
});
