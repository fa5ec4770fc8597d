import { describe, expect, it } from 'vitest';
import type { Answer } from '../wire/exchange.ts';
import { isContractual, isToldNothing, saysSomething } from './contractual.ts';

const target = 'https://api.example/pay';
const order = '/api/v1/merchants/m-1/orders/order-0000000000001';

function decides(status: number, json: unknown, path = order): boolean {
  const request = { method: 'GET', url: `${target}${path}`, headers: {}, body: '' };
  const answer: Answer = { exchange: 1, status, headers: {}, text: '', json };
  return isContractual(answer, [{ request }], target);
}

describe('an answer that the contract could have given', () => {
  it('has a code, under a status that is declared for its operation', () => {
    expect(decides(200, { code: '40001', message: 'no order' })).toBe(true);
    expect(decides(404, { code: 'REFUND_NOT_FOUND' }, '/api/v1/merchants/m-1/refunds?refundOrderId=r')).toBe(true);
  });

  it.each([
    ['a failure of the service', 500, { code: '99999' }],
    ['a body that is no JSON', 200, undefined],
    ['JSON without a code', 200, { error: 'no' }],
    ['a status that hosted orders never have', 404, { code: '40001' }],
  ])('is not %s', (_, status, json) => {
    expect(decides(status, json)).toBe(false);
  });

  it('may have any status where the address is that of no operation', () => {
    expect(decides(404, { code: '40001' }, '/api/v1/merchants/m-1/orders/%')).toBe(true);
  });
});

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

describe('a check', () => {
  const refused = '{"code":"90001","message":"the signature is wrong"}';
  const exchange = (body: string, path = order) => ({
    request: { method: 'GET', url: `${target}${path}`, headers: {}, body: '' },
    response: { status: 200, headers: {}, body },
  });
  const merchants = exchange('{"merchantId":"m-1"}', '/sandbox/v1/merchants');

  it('is told nothing where no answer of the merchant API says something', () => {
    expect(isToldNothing([merchants, exchange(refused), exchange('<h1>It works!</h1>')], target)).toBe(true);
    const { request } = exchange('');
    expect(isToldNothing([{ request }], target)).toBe(true);
  });

  it('is told something by one answer that does', () => {
    expect(isToldNothing([exchange(refused), exchange('{"code":"40001","message":"no order"}')], target)).toBe(false);
  });

  it('is told what it asked for where it asked the merchant API for nothing', () => {
    expect(isToldNothing([], target)).toBe(false);
    expect(isToldNothing([merchants], target)).toBe(false);
  });
});
