import { describe, expect, it } from 'vitest';
import { causesOf } from './index.ts';
import { check, checks, exchange, reportOf, told } from './testing/reports.ts';

describe('the causes of a report', () => {
  it('are one where no webhook has come, unless only few checks wait for one', () => {
    const moved = exchange('POST', 'clock', {});
    const request = { ...moved.request, headers: { 'User-Agent': 'assay (run 1; check a)' } };
    const silent = { area: 'webhooks', exchanges: [{ ...moved, request }] };
    const waiting = checks(5, 'waits', 'inconclusive', { ...silent, reason: 'a webhook did not come' });
    const [cause] = causesOf(reportOf(waiting));
    expect([cause?.text, cause?.onTheWay]).toEqual(['no webhook has come to any address that was named for one', true]);
    expect(told(waiting.slice(1))[0]?.[0]).toBe('a webhook did not come');
    const heard = check('heard', 'passed', { exchanges: [exchange('POST', 'hook', {})] });
    expect(told([...waiting, heard])[0]?.[0]).toBe('a webhook did not come');
  });
});

it('a webhook is not the cause of a check that waits for something else', () => {
  const reason = 'there is no list of payment methods: a success, code = 00000 (HTTP 200)';
  const methods = exchange('GET', 'checkout/payment-methods', { code: '00000', data: [] });
  const all = checks(6, 'webhooks.a', 'inconclusive', { area: 'webhooks', reason, exchanges: [methods] });
  expect(causesOf(reportOf(all)).map(({ text }) => text)).not.toContain(
    'no webhook has come to any address that was named for one',
  );
});
