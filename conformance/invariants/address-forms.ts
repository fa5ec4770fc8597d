import { createHash } from 'node:crypto';
import type { Network } from '../../generated/catalogue.ts';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The bytes that a Base58 text stands for; `undefined`: it is none. */
function fromBase58(text: string): Buffer | undefined {
  const digits = [...text].map((character) => alphabet.indexOf(character));
  if (digits.length === 0 || digits.includes(-1)) return undefined;
  const value = digits.reduce((sum, digit) => sum * 58n + BigInt(digit), 0n);
  const hexadecimal = value === 0n ? '' : value.toString(16);
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const bytes = Buffer.from(hexadecimal.padStart(Math.ceil(hexadecimal.length / 2) * 2, '0'), 'hex');
  return Buffer.concat([Buffer.alloc(zeros), bytes]);
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

/** 21 bytes, of which the first is that of the main network, and the first four of their double hash. */
function isBase58Check(text: string): boolean {
  const bytes = fromBase58(text);
  if (bytes?.length !== 25) return false;
  return sha256(sha256(bytes.subarray(0, 21)))
    .subarray(0, 4)
    .equals(bytes.subarray(21));
}

/** The form of the addresses, or of the transaction hashes, of a family of networks. */
export interface OnChainForm {
  /** In words that follow `an address of tron:`. */
  words: string;
  fits(text: string): boolean;
}

/** For each family of networks, the form that a wallet demands of an address before it sends to it. */
export const addressForms: Readonly<Record<Network['addressFamily'], OnChainForm>> = {
  // Capital letters may hold a checksum. Nothing demands one.
  evm: { words: '0x and 40 hexadecimal digits', fits: (address) => /^0x[0-9a-f]{40}$/i.test(address) },
  tron: {
    words: '34 characters of Base58 that begin with T and end with their checksum',
    fits: (address) => /^T.{33}$/.test(address) && isBase58Check(address),
  },
  solana: {
    words: '32 bytes in Base58',
    fits: (address) => address.length <= 44 && fromBase58(address)?.length === 32,
  },
};

/** For each family of networks, the form by which a block explorer finds a transaction. */
export const transactionForms: Readonly<Record<Network['addressFamily'], OnChainForm>> = {
  evm: { words: '0x and 64 hexadecimal digits', fits: (hash) => /^0x[0-9a-f]{64}$/i.test(hash) },
  tron: { words: '64 hexadecimal digits', fits: (hash) => /^[0-9a-f]{64}$/i.test(hash) },
  solana: {
    words: '64 bytes in Base58',
    fits: (hash) => hash.length <= 88 && fromBase58(hash)?.length === 64,
  },
};
