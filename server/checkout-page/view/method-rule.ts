import { currencies, type NetworkCode, networks } from '../../../generated/catalogue.ts';
import type { components } from '../../../generated/types.ts';

type PaymentMethodConfig = components['schemas']['PaymentMethodConfig'];

/** The code of an exchange in the contract. */
export type ExchangeCode = NonNullable<PaymentMethodConfig['allowedPaymentMethods']>[number];

/** What a checkout page offers. */
export interface OfferedMethods {
  /** Networks to transfer on, in the catalogue's order; none: no on-chain transfer. */
  networks: readonly NetworkCode[];
  exchanges: readonly Exchange[];
}

/** An exchange that customers can pay from, with the name that they read. */
export interface Exchange {
  code: ExchangeCode;
  name: string;
}

export const exchanges: readonly Exchange[] = [
  { code: 'EXCHANGE_ONE', name: 'Exchange One' },
  { code: 'EXCHANGE_TWO', name: 'Exchange Two' },
];

/** The networks on which hosted orders, which are always paid in USDT, can be paid. */
const hostedNetworks = networks
  .map(({ code }) => code)
  .filter((code) => currencies.some(({ products, networks: on }) => products.includes('hosted') && on.includes(code)));

/**
 * What an order's configuration leaves of the methods (requirement orders.checkout-page.method-rule): the exchanges that
 * are named; without any, those of the types that are named; without either, everything. Names say nothing of on-chain
 * transfer, so that beside named exchanges it is offered where its type is named too.
 */
export function offeredMethods(config: PaymentMethodConfig | null | undefined): OfferedMethods {
  const types = config?.allowedPaymentMethodTypes ?? [];
  const named = config?.allowedPaymentMethods ?? [];
  const unrestricted = types.length === 0 && named.length === 0;
  const offers = (type: (typeof types)[number]) => unrestricted || types.includes(type);
  return {
    networks: offers('ON_CHAIN_TRANSFER') ? hostedNetworks : [],
    exchanges: exchanges.filter((each) => (named.length > 0 ? named.includes(each.code) : offers('EXCHANGE_TRANSFER'))),
  };
}
