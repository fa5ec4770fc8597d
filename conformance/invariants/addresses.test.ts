import { describe, expect, it } from 'vitest';
import type { AskedEvent } from '../history/records.ts';
import { addresses } from './addresses.ts';
import { orderEvent } from './testing/events.ts';
import { checkoutView, judged, orderView, paths, payment, request, success } from './testing/histories.ts';

const id = 'order-0000000001';
const seen = (network: string, depositAddress: unknown) =>
  request({
    method: 'GET',
    path: paths.checkoutOrder(id),
    answered: success(checkoutView({ network, depositAddress })),
  });
const broken = (network: string, address: unknown) => judged(addresses, seen(network, address)).broken;

describe('the deposit address', () => {
  it.each([
    // The contracts of well-known stablecoins stand for addresses: anyone can look them up.
    ['eth', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
    ['bsc', '0xdac17f958d2ee523a2206206994597c13d831ec7'],
    ['polygon', '0xDAC17F958D2EE523A2206206994597C13D831EC7'],
    ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
    ['solana', '11111111111111111111111111111111'],
  ])('of %s may be %s', (network, address) => {
    expect(judged(addresses, seen(network, address))).toEqual({
      broken: [],
      kept: ['checkout.query.addresses.deposit'],
    });
  });

  it.each([
    ['eth', '0xdAC17F958D2ee523a2206206994597C13D831ec'],
    ['eth', 'dAC17F958D2ee523a2206206994597C13D831ec7'],
    ['eth', '0xdAC17F958D2ee523a2206206994597C13D831ecg'],
    ['eth', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['tron', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
    ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u'],
    ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6'],
    ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj0t'],
    ['solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4w'],
    ['solana', ' EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  ])('of %s may not be %s', (network, address) => {
    expect(broken(network, address)).toMatchObject([{ rule: 'checkout.query.addresses.deposit' }]);
  });

  it('is not judged on a network that the contract does not have, or where it is no text', () => {
    expect(judged(addresses, seen('moonchain', 'x'), seen('tron', null), seen('tron', ''))).toEqual({
      broken: [],
      kept: [],
    });
  });
});

const digits = '5f2b6c1e0d9a4b7f8c3e2d1a0b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c';
// The hash of a transaction of Solana is its signature of 64 bytes.
const signature = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';

describe('the transaction of a checkout payment', () => {
  const rule = 'checkout.query.addresses.transaction';
  const paid = (network: string, transactionHash: unknown) =>
    request({
      method: 'GET',
      path: paths.checkoutOrder(id),
      answered: success(
        checkoutView({ network, depositAddress: '', status: 'SUCCEEDED', cryptoPaymentDetail: { transactionHash } }),
      ),
    });

  it.each([
    ['eth', `0x${digits}`],
    ['base', `0x${digits.toUpperCase()}`],
    ['tron', digits],
    ['solana', signature],
  ])('on %s may be %s', (network, hash) => {
    expect(judged(addresses, paid(network, hash))).toEqual({ broken: [], kept: [rule] });
  });

  it.each([
    ['eth', digits],
    ['eth', `0x${digits.slice(1)}`],
    ['eth', `0x${digits}0`],
    ['tron', `0x${digits}`],
    ['tron', signature],
    ['solana', digits],
    ['solana', `0x${digits}`],
  ])('on %s may not be %s', (network, hash) => {
    expect(judged(addresses, paid(network, hash)).broken).toMatchObject([{ rule }]);
  });

  it('is not judged where there is none', () => {
    expect(judged(addresses, paid('eth', ''), paid('eth', undefined))).toEqual({ broken: [], kept: [] });
  });
});

describe('a hosted payment', () => {
  const detected = (made: Partial<AskedEvent>) =>
    orderEvent(10, { type: 'transaction_detected' }, { result: { done: true, payment: made } });
  const detail = {
    ...payment.cryptoPaymentDetail,
    network: 'ETHEREUM',
    txHash: digits,
    fromAddress: 'dAC17F958D2ee523a2206206994597C13D831ec7',
    toAddress: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  };
  const brokenWith = (made: Partial<AskedEvent>) => {
    const answered = success(orderView({ ...payment, cryptoPaymentDetail: detail }));
    const shown = request({ method: 'GET', path: paths.order(id), answered, start: 100 });
    return judged(addresses, detected(made), shown).broken.map(({ rule }) => rule);
  };

  it('has texts of the network that it was made on', () => {
    const both = ['orders.query.addresses.transaction', 'orders.query.addresses.payer'];
    expect(brokenWith({ paymentMethod: 'ON_CHAIN_TRANSFER', network: 'bsc' })).toEqual(both);
    expect(brokenWith({ paymentMethod: 'ON_CHAIN_TRANSFER' })).toEqual(both);
  });

  it('is not judged when an exchange made it, or nobody says how it was made', () => {
    expect(brokenWith({ paymentMethod: 'EXCHANGE_ONE' })).toEqual([]);
    expect(brokenWith({})).toEqual([]);
  });

  it('is not judged in a text that the driver writes in another form itself', () => {
    const made = { paymentMethod: 'ON_CHAIN_TRANSFER', transactionHash: 'simulated-1', fromAddress: 'simulated-payer' };
    expect(brokenWith(made)).toEqual([]);
  });
});
