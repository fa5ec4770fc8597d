import { currencies, type NetworkCode, networks } from '../../../generated/catalogue.ts';
import type { components } from '../../../generated/types.ts';

type PaymentMethodConfig = components['schemas']['PaymentMethodConfig'];

/** The contract's code of an exchange. */
export type ExchangeCode = NonNullable<PaymentMethodConfig['allowedPaymentMethods']>[number];

/** The methods that a checkout page offers. */
export interface OfferedMethods {
  /** Networks for a transfer, in the catalogue's order. If empty, there is no on-chain transfer. */
  networks: readonly NetworkCode[];
  exchanges: readonly Exchange[];
}

/** An exchange that customers can pay from, with the name shown to them. */
export interface Exchange {
  code: ExchangeCode;
  name: string;
}

export const exchanges: readonly Exchange[] = [
  { code: 'EXCHANGE_ONE', name: 'Exchange One' },
  { code: 'EXCHANGE_TWO', name: 'Exchange Two' },
];

/** The networks on which hosted orders can be paid. Hosted orders are always paid in USDT. */
const hostedNetworks = networks
  .map(({ code }) => code)
  .filter((code) => currencies.some(({ products, networks: on }) => products.includes('hosted') && on.includes(code)));

/**
 * The methods that an order's configuration allows (requirement orders.checkout-page.method-rule): the exchanges that
 * are named; if none is named, the exchanges of the named types; if no type is named either, everything. Names do not
 * mention on-chain transfer, so beside named exchanges it is offered if its type is named too.
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
