import { createHash } from 'node:crypto';
import { base58, createBase58check } from '@scure/base';
import { networkOf } from '../domain/networks.ts';

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());

/** How long each confirmation of an automatic merchant's payment takes, in milliseconds of business time. */
export const confirmationTime = 1_000;

/**
 * A made-up address in the form of its network, the same for the same `label`. Each starts with letters that say that it
 * is a test address (7e57, TTest, Test); nobody has a key to it.
 */
export function simulatedAddress(network: string, label: string): string {
  const digest = digestOf('address', network, label);
  switch (networkOf(network).addressFamily) {
    case 'evm':
      return `0x7e577e57${digest.slice(0, 32)}`;
    case 'tron':
      return withTronChecksum(`TTest${inBase58(digest).slice(-29)}`);
    case 'solana':
      return `Test${inBase58(digest + digest).slice(-39)}`;
  }
}

/** Where the payer of an order sends the money on a network: what the customer is told is what the chain then reports. */
export function depositAddress(network: string, orderId: string): string {
  return simulatedAddress(network, `deposit of ${orderId}`);
}

/** A made-up transaction hash in the form of its network, the same for the same `label`. */
export function simulatedTransactionHash(network: string, label: string): string {
  const digest = digestOf('transaction', network, label);
  switch (networkOf(network).addressFamily) {
    case 'evm':
      return `0x${digest}`;
    case 'tron':
      return digest;
    case 'solana':
      return inBase58(`ff${digest}${digest.slice(2)}`);
  }
}

/** A made-up block height; the same for the same `label`. */
export function simulatedBlockNumber(label: string): number {
  return 60_000_000 + (Number.parseInt(digestOf('block', label).slice(0, 8), 16) % 10_000_000);
}

/** 32 bytes in hexadecimal, the same for the same parts. */
function digestOf(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}

/** Hexadecimal bytes in Base58. */
const inBase58 = (bytes: string): string => base58.encode(Buffer.from(bytes, 'hex'));

/** The address whose last four of 25 bytes are the checksum that wallets look at; only its last characters change. */
const withTronChecksum = (text: string): string => base58check.encode(base58.decode(text).subarray(0, 21));
