import { describe, expect, it } from 'vitest';
import type { CheckReport } from '../../run/report.ts';
import { check, exchange, success, told } from './testing/reports.ts';

describe('the causes of a report', () => {
  it('are one where all refusals of an area have one HTTP status, and checks want others', () => {
    const refund = (code: string, status = 200) => exchange('POST', 'refunds', { code, message: 'no' }, status);
    const shows = (id: string, code: string, expected: string, brokenRequirement: CheckReport['brokenRequirement']) =>
      check(id, 'failed', {
        ...{ exchanges: [refund(code), refund(code)], decisiveExchange: 2, expected, actual: 'HTTP 200' },
        brokenRequirement,
      });
    const all = [
      shows('signed', 'INVALID_SIGNATURE', 'refused with HTTP 401', 'auth.refunds-401'),
      shows('business', 'ORDER_NOT_REFUNDABLE', 'a refund: HTTP 400', 'refunds.errors.business'),
      shows('words', 'ORDER_NOT_REFUNDABLE', 'message is text', 'refunds.errors.business'),
      check('accepted', 'passed', { exchanges: Array.from({ length: 9 }, () => exchange('POST', 'refunds', success)) }),
    ];
    const text = 'every refusal by the operations of refunds has HTTP 200, whatever its code';
    expect(told(all)[0]).toEqual([text, '2 failed', 'signed']);
    const other = check('right', 'passed', { exchanges: [refund('INVALID_SIGNATURE', 401)] });
    expect(told([...all, other]).map(([each]) => each)).not.toContain(text);
  });
});
