import { expect, it } from 'vitest';
import { catchesOf } from './matrix.ts';

it('a wrong server is caught by a verdict of its own check on the requirement that it breaks, and by no check that stays open', () => {
  const fault = {
    id: 'wrong',
    caughtBy: 'refunds.create.repeat.pending',
    breaks: 'refunds.create.idempotent',
  } as const;
  const isCaughtAs = (verdict: 'failed' | 'warned' | 'inconclusive', requirement: string, check: string) =>
    catchesOf([{ kind: 'fault', id: 'wrong', milliseconds: 1, against: [{ check, verdict, requirement }] }])(fault);
  expect(isCaughtAs('failed', fault.breaks, fault.caughtBy)).toBe(true);
  expect(isCaughtAs('warned', fault.breaks, fault.caughtBy)).toBe(true);
  expect(isCaughtAs('inconclusive', fault.breaks, fault.caughtBy)).toBe(false);
  expect(isCaughtAs('failed', 'orders.query.by-order-id', fault.caughtBy)).toBe(false);
  expect(isCaughtAs('failed', fault.breaks, 'orders.query.unknown')).toBe(false);
});
