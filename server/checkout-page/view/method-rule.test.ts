import { describe, expect, test } from 'vitest';
import { offeredMethods } from './method-rule.ts';

const onChain = ['tron', 'eth', 'bsc', 'polygon', 'arbitrum', 'optimism', 'solana'];
const both = ['EXCHANGE_ONE', 'EXCHANGE_TWO'];

describe('the methods that a configuration leaves (orders.checkout-page.method-rule)', () => {
  const types = (...allowedPaymentMethodTypes: ('ON_CHAIN_TRANSFER' | 'EXCHANGE_TRANSFER')[]) => ({
    allowedPaymentMethodTypes,
  });
  const methods = (...allowedPaymentMethods: ('EXCHANGE_ONE' | 'EXCHANGE_TWO')[]) => ({ allowedPaymentMethods });

  test.each([
    ['no configuration', undefined, onChain, both],
    ['null', null, onChain, both],
    ['an empty one', {}, onChain, both],
    ['null lists', { allowedPaymentMethodTypes: null, allowedPaymentMethods: null }, onChain, both],
    ['empty lists', { ...types(), ...methods() }, onChain, both],
    ['the type of wallets', types('ON_CHAIN_TRANSFER'), onChain, []],
    ['the type of exchanges', types('EXCHANGE_TRANSFER'), [], both],
    ['both types', types('ON_CHAIN_TRANSFER', 'EXCHANGE_TRANSFER'), onChain, both],
    ['an exchange alone', methods('EXCHANGE_TWO'), [], ['EXCHANGE_TWO']],
    ['an exchange with its type', { ...types('EXCHANGE_TRANSFER'), ...methods('EXCHANGE_ONE') }, [], ['EXCHANGE_ONE']],
    [
      'both exchanges with their type',
      { ...types('EXCHANGE_TRANSFER'), ...methods('EXCHANGE_TWO', 'EXCHANGE_ONE') },
      [],
      both,
    ],
    [
      'both types and an exchange',
      { ...types('ON_CHAIN_TRANSFER', 'EXCHANGE_TRANSFER'), ...methods('EXCHANGE_ONE') },
      onChain,
      ['EXCHANGE_ONE'],
    ],
    // The contract warns of this case: the method was perhaps not intended.
    [
      'an exchange without its type',
      { ...types('ON_CHAIN_TRANSFER'), ...methods('EXCHANGE_ONE') },
      onChain,
      ['EXCHANGE_ONE'],
    ],
  ])('from %s', (_, config, networks, exchanges) => {
    const offered = offeredMethods(config);
    expect(offered.networks).toEqual(networks);
    expect(offered.exchanges.map(({ code }) => code)).toEqual(exchanges);
  });
});
