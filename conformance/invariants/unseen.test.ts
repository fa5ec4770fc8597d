import { describe, expect, it } from 'vitest';
import type { HistoryRecord } from '../history/records.ts';
import { judgeRule } from './index.ts';
import { history, request } from './testing/histories.ts';

const path = '/api/v1/merchants/m1/refunds';
const create = (answered?: unknown) => request({ method: 'POST', path, sent: {}, answered });

describe('the reason why a history shows nothing of a rule', () => {
  it.each<[string, string, HistoryRecord[], RegExp]>([
    ['was not called', 'refunds.create.presence.fields', [], /^the operation was never called, because /],
    [
      'was not answered',
      'refunds.create.presence.fields',
      [create()],
      /^the operation was called, but the target never answered/,
    ],
    [
      'was refused each time',
      'refunds.create.presence.fields',
      [create({ code: 'INVALID_SIGNATURE', message: 'no' })],
      /^the operation was called, but never with success/,
    ],
    [
      'never came to the situation',
      'refunds.create.isolation.other-merchant',
      [create({ code: '00000', message: 'Success' })],
      /^the operation was called with success, but never in the situation/,
    ],
    ['sends webhooks, and none came', 'webhooks.refund.deliveries.method', [], /^no webhook arrived/],
  ])('says that the operation %s', async (_what, rule, records, words) => {
    const { thrown } = await judgeRule(rule, history(...records));
    expect(thrown?.message).toMatch(words);
  });
});
