import { describe, expect, test } from 'vitest';
import { accountOf, deduct, type Ledger, openLedger, release, reserve } from './ledger.ts';
import { sumAmounts } from './money.ts';

const tiny = '0.000000000000000001';

function reserved(ledger: Ledger, currency: string, amount: string): Ledger {
  const after = reserve(ledger, currency, amount);
  if (!after) throw new Error(`${amount} ${currency} cannot be reserved`);
  return after;
}

const total = (ledger: Ledger, currency: string) => {
  const { available, reserved: held, deducted } = accountOf(ledger, currency);
  return sumAmounts([available, held, deducted]);
};

describe('a reservation', () => {
  test('moves the amount from available to reserved, in its currency only', () => {
    const after = reserved(openLedger({ USDT: '10', USDC: '5' }), 'USDT', '3.5');
    expect(after).toEqual({
      USDT: { available: '6.5', reserved: '3.5', deducted: '0' },
      USDC: { available: '5', reserved: '0', deducted: '0' },
    });
  });

  test('takes all that there is, and not the last decimal more', () => {
    const ledger = openLedger({ USDT: '1000000.000000000000000001' });
    expect(accountOf(reserved(ledger, 'USDT', '1000000.000000000000000001'), 'USDT').available).toBe('0');
    expect(reserve(ledger, 'USDT', '1000000.000000000000000002')).toBeUndefined();
  });

  test('counts what is reserved and deducted as gone', () => {
    const ledger = deduct(reserved(openLedger({ USDT: '10' }), 'USDT', '4'), 'USDT', '4');
    const held = reserved(ledger, 'USDT', '6');
    expect(reserve(held, 'USDT', tiny)).toBeUndefined();
  });

  test('finds nothing in a currency that is not there', () => {
    expect(reserve(openLedger({ USDT: '10' }), 'USDC', tiny)).toBeUndefined();
    expect(accountOf(openLedger({}), 'USDC')).toEqual({ available: '0', reserved: '0', deducted: '0' });
  });

  test('leaves the ledger that it was made from as it was', () => {
    const ledger = openLedger({ USDT: '10' });
    reserved(ledger, 'USDT', '10');
    expect(ledger).toEqual(openLedger({ USDT: '10' }));
  });
});

describe('what is reserved', () => {
  const ledger = reserved(openLedger({ USDT: '10' }), 'USDT', '4');

  test('is deducted for good', () => {
    expect(accountOf(deduct(ledger, 'USDT', '4'), 'USDT')).toEqual({ available: '6', reserved: '0', deducted: '4' });
  });

  test('is given back', () => {
    expect(accountOf(release(ledger, 'USDT', '4'), 'USDT')).toEqual({ available: '10', reserved: '0', deducted: '0' });
  });

  test('cannot be deducted or given back beyond what it is', () => {
    expect(() => deduct(ledger, 'USDT', `4${tiny.slice(1)}`)).toThrow(RangeError);
    expect(() => release(ledger, 'USDT', '5')).toThrow(RangeError);
    expect(() => release(ledger, 'USDC', tiny)).toThrow(RangeError);
  });
});

test('the sum stays what was put in, whatever the moves', () => {
  const put = '1000000.000000000000000007';
  let ledger = openLedger({ USDT: put });
  for (const [index, amount] of ['0.1', '0.2', '999999', tiny, '0.700000000000000003'].entries()) {
    ledger = reserved(ledger, 'USDT', amount);
    expect(total(ledger, 'USDT')).toBe(put);
    ledger = (index % 2 === 0 ? deduct : release)(ledger, 'USDT', amount);
    expect(total(ledger, 'USDT')).toBe(put);
  }
  // Deducted were the first, the third and the last.
  expect(accountOf(ledger, 'USDT')).toEqual({
    available: '0.200000000000000004',
    reserved: '0',
    deducted: '999999.800000000000000003',
  });
});
