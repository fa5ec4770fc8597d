import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { simulatedAddress, simulatedTransactionHash } from './simulated-chain.ts';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const decode = (text: string) => {
  const value = [...text].reduce((sum, each) => sum * 58n + BigInt(alphabet.indexOf(each)), 0n).toString(16);
  const zeros = '00'.repeat(/^1*/.exec(text)?.[0].length ?? 0);
  return Buffer.from(zeros + value.padStart(value.length + (value.length % 2), '0'), 'hex');
};
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
const labels = Array.from({ length: 200 }, (_, index) => `order ${index}`);

describe('simulated addresses', () => {
  it.each(['eth', 'bsc', 'polygon', 'arbitrum', 'optimism', 'base'])('are those of an EVM chain on %s', (network) => {
    for (const label of labels) expect(simulatedAddress(network, label)).toMatch(/^0x7e577e57[0-9a-f]{32}$/);
  });

  it('carry the checksum that TRON wallets look at', () => {
    for (const label of labels) {
      const address = simulatedAddress('tron', label);
      expect(address).toMatch(/^TTest[1-9A-HJ-NP-Za-km-z]{29}$/);
      const bytes = decode(address);
      expect([bytes.length, bytes[0]]).toEqual([25, 0x41]);
      expect(sha256(sha256(bytes.subarray(0, 21))).subarray(0, 4)).toEqual(bytes.subarray(21));
    }
  });

  it('have the 32 bytes of a Solana address', () => {
    for (const label of labels) {
      const address = simulatedAddress('solana', label);
      expect(address).toMatch(/^Test/);
      expect(decode(address)).toHaveLength(32);
    }
  });

  it('differ from order to order', () => {
    for (const network of ['tron', 'eth', 'solana']) {
      expect(new Set(labels.map((label) => simulatedAddress(network, label))).size).toBe(labels.length);
    }
  });
});

describe('simulated transaction hashes', () => {
  it('have the form of their network', () => {
    expect(simulatedTransactionHash('tron', 'a')).toMatch(/^[0-9a-f]{64}$/);
    expect(simulatedTransactionHash('eth', 'a')).toMatch(/^0x[0-9a-f]{64}$/);
    const some = Array.from({ length: 1000 }, (_, index) => simulatedTransactionHash('solana', `order ${index}`));
    expect(some.filter((hash) => decode(hash).length !== 64)).toEqual([]);
  });
});
