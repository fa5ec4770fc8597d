import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';

/** Base58 with a checksum at its end, in which Tron writes its addresses. */
export const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());
