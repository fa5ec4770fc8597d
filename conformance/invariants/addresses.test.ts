import { describe, expect, it } from 'vitest';
import { addresses } from './addresses.ts';
import { checkoutView, judged, paths, request, success } from './testing/histories.ts';

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
