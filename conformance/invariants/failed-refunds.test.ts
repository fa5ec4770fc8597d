import { expect, it } from 'vitest';
import { failedRefunds } from './failed-refunds.ts';
import { refundEvent } from './testing/events.ts';
import { judged, paths, refundView, request, success, trace } from './testing/histories.ts';

const created = request({
  method: 'POST',
  path: paths.refunds,
  sent: { merchantRefundOrderId: 'refund-1', acquiringOrderId: 'ord.1' },
  answered: success(refundView(), trace()),
});
const shown = (errorCode: string, status = 'FAILED') =>
  request({
    method: 'GET',
    path: paths.refunds,
    start: 10,
    answered: success(refundView({ status, errorCode, errorMessage: 'too little' }), trace()),
  });

it('a refund that failed for want of funds says so, whatever it was before', () => {
  const failed = refundEvent(5, 'failed');
  expect(judged(failedRefunds, created, failed, shown('EXCHANGE_BALANCE_INSUFFICIENT'))).toEqual({
    broken: [],
    kept: ['refunds.query.failed.error-code'],
  });
  expect(judged(failedRefunds, created, failed, shown('SYSTEM_ERROR')).broken).toEqual([
    {
      rule: 'refunds.query.failed.error-code',
      expected: 'errorCode = EXCHANGE_BALANCE_INSUFFICIENT of a refund that failed for want of funds at the exchange',
      actual: 'errorCode = SYSTEM_ERROR',
    },
  ]);
});

it('a refund that the driver did not let fail may have failed for another cause', () => {
  expect(judged(failedRefunds, created, shown('SYSTEM_ERROR'))).toEqual({ broken: [], kept: [] });
  expect(judged(failedRefunds, created, refundEvent(5, 'processing_started'), shown('SYSTEM_ERROR')).kept).toEqual([]);
});
