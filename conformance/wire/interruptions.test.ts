import { describe, expect, it } from 'vitest';
import { answeredByGateway, retryAfter } from './interruptions.ts';

describe('an answer', () => {
  it.each([
    ['a page of a gateway', 502, undefined, 'HTTP 502'],
    ['JSON that is not of the contract', 503, { error: 'no backend' }, 'HTTP 503'],
    ['a proxy that wants credentials', 407, undefined, 'HTTP 407'],
    ['a request that was waited for in vain', 408, undefined, 'HTTP 408'],
  ])('is not the target’s own: %s', (_what, status, json, message) => {
    expect(answeredByGateway({ status, json })).toContain(message);
  });

  it.each([
    ['a failure in the contract’s envelope', 503, { code: '99999', message: 'internal error' }],
    ['a failure of the target itself', 500, undefined],
    ['a refusal with an unusual status', 408, { code: '10001', message: 'no' }],
    ['a page', 200, undefined],
  ])('is the target’s own: %s', (_what, status, json) => {
    expect(answeredByGateway({ status, json })).toBeUndefined();
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it.each([
    ['seconds', '30', 30_000],
    ['a moment', 'Thu, 01 Jan 2026 00:00:05 GMT', 5000],
    ['a moment that has passed', 'Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['rubbish', 'soon', 1000],
    ['nothing', undefined, 1000],
  ])('may be %s', (_what, header, wait) => {
    expect(retryAfter(header, now)).toBe(wait);
  });
});
