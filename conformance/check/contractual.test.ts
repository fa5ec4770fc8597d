import { describe, expect, it } from 'vitest';
import { parseJson } from '../contract/json.ts';
import type { Answer, Exchange } from '../wire/exchange.ts';
import { noteWhatIsSaid } from '../wire/says-something.ts';
import { isContractual, isToldNothing } from './contractual.ts';

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

describe('a check', () => {
  const refused = '{"code":"90001","message":"the signature is wrong"}';
  const exchange = (body: string, path = order): Exchange => {
    const request = { method: 'GET', url: `${target}${path}`, headers: {}, body: '' };
    const made = { request, response: { status: 200, headers: {}, body }, durationMs: 1 };
    noteWhatIsSaid(made, { status: 200, json: parseJson(body) });
    return made;
  };
  const merchants = exchange('{"merchantId":"m-1"}', '/sandbox/v1/merchants');

  it('is told nothing where no answer of the merchant API says something', () => {
    expect(isToldNothing([merchants, exchange(refused), exchange('<h1>It works!</h1>')], target)).toBe(true);
    const { request } = exchange('');
    expect(isToldNothing([{ request, durationMs: 1 }], target)).toBe(true);
  });

  it('is told something by one answer that does', () => {
    expect(isToldNothing([exchange(refused), exchange('{"code":"40001","message":"no order"}')], target)).toBe(false);
  });

  it('is told what it asked for where it asked the merchant API for nothing', () => {
    expect(isToldNothing([], target)).toBe(false);
    expect(isToldNothing([merchants], target)).toBe(false);
  });
});
