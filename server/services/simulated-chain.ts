import { createHash } from 'node:crypto';
import { networks } from '../../generated/catalogue.ts';

const addressForms = {
  evm: (digest: Buffer) => `0x${digest.toString('hex').slice(0, 40)}`,
  tron: (digest: Buffer) => `T${base58(digest).slice(0, 33)}`,
  solana: (digest: Buffer) => base58(digest).slice(0, 43),
};

/** A made-up address of the form that `network` uses; the same for the same `label`. No key belongs to it. */
export function simulatedAddress(network: string, label: string): string {
  return addressForms[family(network)](digestOf('address', network, label));
}

/** A made-up transaction hash; the same for the same `label`. */
export function simulatedTransactionHash(network: string, label: string): string {
  const digest = digestOf('transaction', network, label);
  if (family(network) === 'solana') return base58(Buffer.concat([digest, digest]));
  return `${family(network) === 'evm' ? '0x' : ''}${digest.toString('hex')}`;
}

/** A made-up block height; the same for the same `label`. */
export function simulatedBlockNumber(label: string): number {
  return 60_000_000 + (digestOf('block', label).readUInt32BE() % 10_000_000);
}

function family(network: string) {
  const known = networks.find(({ code }) => code === network);
  if (!known) throw new Error(`unknown network ${network}`);
  return known.addressFamily;
}

function digestOf(...parts: string[]): Buffer {
  return createHash('sha256').update(parts.join('\0')).digest();
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function base58(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  while (rest > 0n) {
    text = alphabet.charAt(Number(rest % 58n)) + text;
    rest /= 58n;
  }
  return text;
}
