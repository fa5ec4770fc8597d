import { describe, expect, test } from 'vitest';
import { compareAmounts, convertAmount, inSmallestUnits, isDecimalText, sumAmounts } from './money.ts';

describe('decimal text', () => {
  test.each(['0', '10', '0.5', '1000.000000000000000001', '007.50'])('%s is', (text) => {
    expect(isDecimalText(text)).toBe(true);
  });

  const others = [
    '',
    ' ',
    '-1',
    '+1',
    '1e3',
    '1E3',
    '1.',
    '.5',
    '1,5',
    '1 000',
    ' 1',
    '1\n',
    '0x10',
    'NaN',
    'Infinity',
    '١',
  ];
  test.each(others)('%j is not, and nothing is reckoned with it', (text) => {
    expect(isDecimalText(text)).toBe(false);
    expect(() => compareAmounts(text, '1')).toThrow(RangeError);
    expect(() => compareAmounts('1', text)).toThrow(RangeError);
    expect(() => sumAmounts(['1', text])).toThrow(RangeError);
    expect(() => convertAmount(text, '1')).toThrow(RangeError);
    expect(() => convertAmount('1', text)).toThrow(RangeError);
  });
});

describe('comparison', () => {
  test.each([
    ['1.000000000000000001', '1', 1],
    ['1', '1.000000000000000001', -1],
    ['1000000.000000000000000001', '1000000.000000000000000002', -1],
    ['9007199254740993', '9007199254740992', 1],
    [`1${'0'.repeat(49)}1`, `1${'0'.repeat(50)}`, 1],
    ['10', '10.000', 0],
    ['010', '10', 0],
  ])('of %s with %s', (left, right, expected) => {
    expect(compareAmounts(left, right)).toBe(expected);
  });
});

describe('sum', () => {
  test.each([
    [['0.1', '0.2'], '0.3'],
    [['0.1', '0.7', '0.2'], '1'],
    [['1000.000000000000000001', '0.000000000000000001'], '1000.000000000000000002'],
    [['0.000000000000000001', '0.000000000000000001'], '0.000000000000000002'],
    [['9007199254740993', '2'], '9007199254740995'],
    [[`${'9'.repeat(50)}`, '0.000000000000000001'], `${'9'.repeat(50)}.000000000000000001`],
    [[`${'9'.repeat(50)}`, '1'], `1${'0'.repeat(50)}`],
    [[], '0'],
  ])('of %j is exact', (values, expected) => {
    expect(sumAmounts(values)).toBe(expected);
  });

  test('of a thousand small amounts is exact', () => {
    expect(sumAmounts(Array.from({ length: 1000 }, () => '0.001'))).toBe('1');
  });
});

describe('conversion', () => {
  test.each([
    ['10', '1', '10'],
    ['10', '0.9995', '9.995'],
    ['1', '1.0000001', '1.000001'],
    ['1', '1.000001', '1.000001'],
    ['1.0000011', '1', '1.000002'],
    ['0.000000000000000001', '1', '0.000001'],
    ['3', '0.3333333', '1'],
    ['1.1', '1.1', '1.21'],
    ['12345678901234567890123456789012345678901234567890', '1.5', '18518518351851851835185185183518518518351851851835'],
  ])('of %s at %s rounds up to 6 places', (value, rate, expected) => {
    expect(convertAmount(value, rate)).toBe(expected);
  });
});

describe('an amount in smallest units', () => {
  test.each([
    ['25.9', 6, '25900000'],
    ['0.000000000000000001', 18, '1'],
    ['007.50', 2, '750'],
    [`${'9'.repeat(50)}.5`, 1, `${'9'.repeat(50)}5`],
    ['0', 6, '0'],
  ])('%s in units of %i places', (value, places, expected) => {
    expect(inSmallestUnits(value, places)).toBe(expected);
  });

  test('does not exist when the amount has more places', () => {
    expect(() => inSmallestUnits('1.0000001', 6)).toThrow(RangeError);
  });
});
