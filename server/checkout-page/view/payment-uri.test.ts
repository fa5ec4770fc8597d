import { describe, expect, test } from 'vitest';
import { paymentUri } from './payment-uri.ts';

const evmAddress = '0x7e577e5700000000000000000000000000000001';

describe('a payment URI', () => {
  test.each([
    ['eth', 1],
    ['bsc', 56],
    ['polygon', 137],
    ['arbitrum', 42161],
    ['optimism', 10],
  ] as const)('on %s is a transfer of EIP-681 on chain %i, in the smallest units', (network, chainId) => {
    const uri = paymentUri(network, evmAddress, '25.900000000000000001');
    const [, token, chain, address, units] =
      /^ethereum:(0x[0-9a-f]{40})@([0-9]+)\/transfer\?address=(0x[0-9a-f]{40})&uint256=([0-9]+)$/.exec(uri ?? '') ?? [];
    expect({ chain, address, units }).toEqual({
      chain: String(chainId),
      address: evmAddress,
      units: '25900000000000000001',
    });
    // The token is not the real one: no action of a wallet with it can cost money.
    expect(token).toMatch(/^0x7e577e57/);
  });

  test('on Solana is one of Solana Pay, with the amount as decimal text', () => {
    const uri = new URL(paymentUri('solana', 'TestAddress', '007.50') ?? '');
    expect([uri.protocol, uri.pathname]).toEqual(['solana:', 'TestAddress']);
    expect(uri.searchParams.get('amount')).toBe('7.5');
    expect(uri.searchParams.get('spl-token')).toMatch(/^Test/);
  });

  test('is not there on TRON, nor for more than a transfer can carry', () => {
    expect(paymentUri('tron', 'TTest', '1')).toBeUndefined();
    const most = '115792089237316195423570985008687907853269984665640564039457.584007913129639935';
    expect(paymentUri('eth', evmAddress, most)).toContain('uint256=1157920892373161954');
    expect(paymentUri('eth', evmAddress, most.replace(/5$/, '6'))).toBeUndefined();
    expect(paymentUri('solana', 'TestAddress', '9'.repeat(100_000))).toBeUndefined();
  });
});
