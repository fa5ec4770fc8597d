import { createHash } from 'node:crypto';
import { networkOf } from '../domain/networks.ts';

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
      return `0x7e577e57${digest.toString('hex').slice(0, 32)}`;
    case 'tron':
      return withTronChecksum(`TTest${base58(digest).slice(-29)}`);
    case 'solana':
      return `Test${base58(Buffer.concat([digest, digest])).slice(-39)}`;
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
      return `0x${digest.toString('hex')}`;
    case 'tron':
      return digest.toString('hex');
    case 'solana':
      return base58(Buffer.concat([notZero, digest, digest.subarray(1)]));
  }
}

/** A made-up block height; the same for the same `label`. */
export function simulatedBlockNumber(label: string): number {
  return 60_000_000 + (digestOf('block', label).readUInt32BE() % 10_000_000);
}

function digestOf(...parts: string[]): Buffer {
  return createHash('sha256').update(parts.join('\0')).digest();
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A first byte for a number in base58, which writes bytes of 0 at the beginning in another way. */
const notZero = Buffer.of(0xff);

/** Bytes in base58. Those of 0 at the beginning are not written. */
function base58(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  while (rest > 0n) {
    text = alphabet.charAt(Number(rest % 58n)) + text;
    rest /= 58n;
  }
  return text;
}

/** The address whose last four of 25 bytes are the checksum that wallets look at; only its last characters change. */
function withTronChecksum(text: string): string {
  const value = [...text].reduce((sum, character) => sum * 58n + BigInt(alphabet.indexOf(character)), 0n);
  const account = Buffer.from(value.toString(16).padStart(50, '0'), 'hex').subarray(0, 21);
  const twice = createHash('sha256').update(createHash('sha256').update(account).digest()).digest();
  return base58(Buffer.concat([account, twice.subarray(0, 4)]));
}
