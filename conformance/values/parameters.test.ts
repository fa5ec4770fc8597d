import { describe, expect, it } from 'vitest';
import { contractOperation } from '../contract/operations.ts';
import { changedIds, impossibleIds, wrongHeaderValues } from './parameters.ts';

const middle = () => 0.5;

describe('the values of a header', () => {
  const values = wrongHeaderValues('X-Timestamp', '1767261600123', middle).map(({ value }) => value);

  it.each([
    ['a letter', /^[0-9]*[a-z][0-9]*$/],
    ['a sign', /^\+1767261600123$/],
    ['a point', /^1767261600123\.0$/],
    ['an exponent', /^1767261600\.123e3$/],
    ['hexadecimal digits', /^0x19b78fff97b$/],
    ['a blank within', /^1767261600 123$/],
    ['12 digits', /^176726160012$/],
    ['more than 13 digits', /^1767261600123[0-9]+$/],
    ['a letter of another script', /é/],
  ])('have %s', (_what, form) => {
    expect(values.filter((each) => form.test(each))).not.toEqual([]);
  });

  it('are ones that HTTP can send, and keep no pattern', () => {
    expect(values.filter((value) => /[\0\r\n]|^\s|\s$|^[0-9]{13}$/.test(value))).toEqual([]);
    expect(() => new Headers(values.map((value) => ['x-timestamp', value] as [string, string]))).not.toThrow();
  });

  it('are none of a header that the contract gives no form', () => {
    expect(() => wrongHeaderValues('X-Signature', 'A', middle)).toThrow('no pattern for the header X-Signature');
  });
});

describe('ids that cannot be', () => {
  it.each(['orders', 'checkout'])('are all those that a create of %s refuses', (area) => {
    const [example] = contractOperation(`${area}.create`).examples;
    if (!example) throw new Error('the contract has no example');
    const id = String(example.merchantOrderId);
    const values = impossibleIds(`${area}.create`, 'merchantOrderId', example, middle).map(({ value }) => value);
    for (const value of [`${id}\n`, `${id.slice(0, -1)}.`, `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`]) {
      expect(values).toContain(value);
    }
    expect(values.some((value) => value.length === 15)).toBe(true);
    expect(values.some((value) => value.length === 65)).toBe(true);
    expect(values.filter((value) => /^[A-Za-z0-9_-]{16,64}$/.test(value))).toEqual([]);
  });

  it('are of every class where the contract gives no form, and never the id itself', () => {
    const id = 'ref.3n5p7r9tavcxe2g4h6j8kmqswy';
    const values = changedIds(id, middle, 'platform');
    expect(values.map(({ value }) => value)).toEqual(
      expect.arrayContaining([`${id}\0x`, `${id} `, ` ${id}`, `${id}/`]),
    );
    expect(values.map(({ value }) => value)).toContain(id.slice(0, -1));
    // One of the class of other scripts, and one in letters of another width.
    expect(values.filter(({ value }) => value.normalize('NFKC') === id)).toHaveLength(2);
    expect(values.map(({ value }) => value)).toContain('réf.3n5p7r9tavcxe2g4h6j8kmqswy');
    const ofMerchant = changedIds(id, middle, 'merchant');
    expect(ofMerchant.filter(({ value }) => value.trim() === id)).toEqual([]);
    expect([...values, ...ofMerchant].filter(({ value }) => value === id)).toEqual([]);
    expect(changedIds('an id with blanks', middle, 'merchant')).toEqual([]);
  });

  it.each([
    ['shop-7', 'merchant', ['SHOP-7']],
    ['Shop-7', 'merchant', ['shop-7', 'SHOP-7']],
    ['ref_3f9a0c', 'platform', []],
    ['ref_3F9A0C', 'platform', []],
    ['ref_3f9A0c', 'platform', ['ref_3f9a0c', 'REF_3F9A0C']],
    ['R/3f9A0c=', 'platform', ['r/3f9a0c=', 'R/3F9A0C=']],
  ] as const)('are %s, given by the %s, in other cases: %j', (id, givenBy, expected) => {
    const values = changedIds(id, middle, givenBy).filter(({ valueClass }) => valueClass.id === 'text.other-case');
    expect(values.map(({ value }) => value)).toEqual(expected);
  });
});
