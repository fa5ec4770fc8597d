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

const deposits: readonly Fault[] = ['checkout.create', 'checkout.query'].flatMap((operation) =>
  wrongs.map(([id, words, change]) => ({
    id: `${idOf(operation)}-address-${id}`,
    title: `Shows ${words} in ${operation}.`,
    breaks: 'checkout.view.deposit-address.form',
    caughtBy: `${operation}.addresses.deposit`,
    feeds: ['checkout.situations.created'],
    make: { merchantApi: showingViews(operation, change) },
  })),
);

const withoutMark = (text: string) => text.replace(/^0x/, '');

/** Ways to show a text of a payment: the rule that sees it, and what becomes of the text. A text of another network stays as it is. */
const ofPayments: readonly [id: string, rule: string, words: string, change: (text: string) => string][] = [
  ['hash-without-mark', 'transaction', 'transactions of Ethereum without their 0x', withoutMark],
  [
    'hash-with-mark',
    'transaction',
    'transactions of Tron with a 0x before them',
    (text) => (/^[0-9a-f]{64}$/.test(text) ? `0x${text}` : text),
  ],
  ['hash-cut', 'transaction', 'the first half of transactions', (text) => text.slice(0, text.length / 2)],
  ['payer-without-mark', 'payer', 'payers on Ethereum without their 0x', withoutMark],
  ['receiver-without-mark', 'receiver', 'receivers on Ethereum without their 0x', withoutMark],
];

const fieldsByRule = (hash: string): Readonly<Record<string, string>> => ({
  transaction: hash,
  payer: 'fromAddress',
  receiver: 'toAddress',
});

const payments: readonly Fault[] = (
  [
    ['orders.query', 'txHash', 'orders.view.payment-detail.form', 'orders.situations.paid-on-chain'],
    ['checkout.query', 'transactionHash', 'checkout.view.payment-detail.form', 'checkout.situations.paid'],
  ] as const
).flatMap(([operation, hash, breaks, feed]) =>
  ofPayments.map(([id, rule, words, change]) => ({
    id: `${idOf(operation)}-payment-${id}`,
    title: `Shows ${words} in ${operation}.`,
    breaks,
    caughtBy: `${operation}.addresses.${rule}`,
    feeds: [feed],
    make: {
      merchantApi: showingViews(
        operation,
        changing(`cryptoPaymentDetail.${fieldsByRule(hash)[rule]}`, (text) => change(String(text))),
      ),
    },
  })),
);

/** Wrong servers that the invariant `addresses` must find. */
export const addressFaults: readonly Fault[] = [...deposits, ...payments];
