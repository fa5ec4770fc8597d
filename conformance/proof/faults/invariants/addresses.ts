import { type JsonObject, valueAt } from '../../../contract/json.ts';
import { changing } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { idOf } from './feeds.ts';
import { showingViews } from './presence.ts';

/** The deposit addresses of one network, changed. */
const on = (network: string, change: (address: string) => string) => (view: JsonObject) =>
  valueAt(view, ['network']) === network
    ? changing('depositAddress', (address) => change(String(address)))(view)
    : view;

const wrongs: readonly [id: string, words: string, change: (view: JsonObject) => JsonObject][] = [
  [
    'without-checksum',
    'tron addresses whose checksum is wrong',
    on('tron', (address) => address.slice(0, -1) + (address.endsWith('A') ? 'B' : 'A')),
  ],
  ['too-long', 'addresses of 32 bytes on Ethereum', on('eth', (address) => address + '0'.repeat(24))],
  ['of-another-network', 'tron addresses on BNB Smart Chain', on('bsc', () => 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')],
  ['cut', 'half of the address on Solana', on('solana', (address) => address.slice(0, 20))],
];

/** Wrong servers that the invariant `addresses` must find. */
export const addressFaults: readonly Fault[] = ['checkout.create', 'checkout.query'].flatMap((operation) =>
  wrongs.map(([id, words, change]) => ({
    id: `${idOf(operation)}-address-${id}`,
    title: `Shows ${words} in ${operation}.`,
    breaks: 'checkout.view.deposit-address.form',
    caughtBy: `${operation}.addresses.deposit`,
    family: `address-${id}`,
    make: { merchantApi: showingViews(operation, change) },
  })),
);
