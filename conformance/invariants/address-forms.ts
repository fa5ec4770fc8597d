import { type BytesCoder, base58 } from '@scure/base';
import type { Network } from '../../generated/catalogue.ts';
import { base58check } from '../contract/base58check.ts';

/** How many bytes a text stands for in this coding; `undefined`: it is none. */
function bytesOf({ decode }: BytesCoder, text: string): number | undefined {
  try {
    return decode(text).length;
  } catch {
    return undefined;
  }
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
    fits: (address) => /^T.{33}$/.test(address) && bytesOf(base58check, address) === 21,
  },
  solana: {
    words: '32 bytes in Base58',
    fits: (address) => address.length <= 44 && bytesOf(base58, address) === 32,
  },
};

/** For each family of networks, the form by which a block explorer finds a transaction. */
export const transactionForms: Readonly<Record<Network['addressFamily'], OnChainForm>> = {
  evm: { words: '0x and 64 hexadecimal digits', fits: (hash) => /^0x[0-9a-f]{64}$/i.test(hash) },
  tron: { words: '64 hexadecimal digits', fits: (hash) => /^[0-9a-f]{64}$/i.test(hash) },
  solana: {
    words: '64 bytes in Base58',
    fits: (hash) => hash.length <= 88 && bytesOf(base58, hash) === 64,
  },
};
