import { describe, expect, it } from 'vitest';
import { escapedBody, pathEscaped, spacedBody } from './as-sent.ts';

const body = { merchantOrderId: 'order-1', items: [{ name: 'a/b "c"', quantity: 2 }], note: '', none: null };
const request = { method: 'POST', path: '/orders', body: Buffer.from(JSON.stringify(body)) };

describe.each([
  ['with escapes', escapedBody, /\{"\\u006eone":\tnull,\r\n.*"\\u0061\\\/b \\"c\\""/s],
  ['with space', spacedBody, /^ \{\n\t"merchantOrderId" :\n\t"order-1" ,\n\t.*"a\/b \\"c\\"" /s],
] as const)('a body %s', (_how, change, form) => {
  it('means the same as the usual one', () => {
    const text = Buffer.from(change(request).body ?? []).toString('utf8');
    expect(text).toMatch(form);
    expect(JSON.parse(text)).toEqual(body);
  });

  it('is none where the request has none', () => {
    expect(change({ method: 'GET', path: '/orders' }).body).toBeUndefined();
  });
});

describe('a path with needless escapes', () => {
  it.each([
    ['M-1abc', '%4D%2D1abc'],
    ['%F0%9F%98%80%2Fshop', '%F0%9F%98%80%2F%73h%6Fp'],
    ['%E6%97%A5', '%e6%97%a5'],
  ])('of the merchant %s is another path to the same', (merchantId, escaped) => {
    const { path } = pathEscaped({ method: 'POST', path: `/api/v1/merchants/${merchantId}/orders` });
    expect(path).toBe(`/api/v1/merchants/${escaped}/orders`);
    expect(decodeURIComponent(path)).toBe(decodeURIComponent(`/api/v1/merchants/${merchantId}/orders`));
  });
});
