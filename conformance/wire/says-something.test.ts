import { describe, expect, it } from 'vitest';
import { saysSomething } from './says-something.ts';

describe('an answer', () => {
  it.each([
    ['carries out what was asked', 200, { code: '00000', message: 'Success', data: {} }],
    ['refuses a value', 200, { code: '10001', message: 'expiresAt' }],
    ['finds nothing', 404, { code: 'REFUND_NOT_FOUND' }],
  ])('says something of what was asked where it %s', (_, status, json) => {
    expect(saysSomething({ status, json })).toBe(true);
  });

  it.each([
    ['finds the signature wrong', 200, { code: '90001', message: 'the signature is wrong' }],
    ['finds the key unknown', 403, { code: 'INVALID_API_KEY' }],
    ['is that of a failed authentication by its status', 401, { code: 'NO_ENTRY' }],
    ['is a failure of the service', 200, { code: '99999', message: 'not available' }],
    ['is a failure by its status', 503, { code: '10001' }],
    ['refuses too many requests', 429, { code: 'RATE_LIMIT_EXCEEDED' }],
    ['has no code', 200, { errorCode: '10001' }],
    ['has a code that is a number', 200, { code: 10001 }],
    ['is no JSON', 200, undefined],
  ])('says nothing of it where it %s', (_, status, json) => {
    expect(saysSomething({ status, json })).toBe(false);
  });
});
