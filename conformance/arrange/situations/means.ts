import { networks } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import type { OrderStep } from '../../drivers/driver.ts';
import type { OrderCreateRequest } from '../orders/client.ts';
import { exchanges, hostedNetworks, paymentOver } from '../orders/payments.ts';

/** A way to pay a hosted order. */
export interface Means {
  /** The end of a sentence about an order. */
  words: string;
  currency: OrderCreateRequest['orderAmount']['currency'];
  /** The payment, of `amount` or of what is due. */
  pay(context: CheckContext, amount?: string): OrderStep;
}

const byExchange = (paymentMethod: (typeof exchanges)[number], currency: Means['currency']): Means => ({
  words: `in ${currency} that ${paymentMethod} pays`,
  currency,
  pay: (_, amount) => ({ type: 'transaction_detected', paymentMethod, ...(amount !== undefined && { amount }) }),
});

const byNetwork = (network: string, currency: Means['currency']): Means => ({
  words: `in ${currency} that is paid over ${network}`,
  currency,
  pay: (context, amount) => paymentOver(context, network, amount),
});

/** Ways to pay that the specification has, in both currencies. */
export const means: readonly Means[] = (['USDT', 'USD'] as const).flatMap((currency) => [
  ...hostedNetworks.map((code) => byNetwork(code, currency)),
  ...exchanges.map((exchange) => byExchange(exchange, currency)),
]);

/** The other networks. */
export const furtherNetworks = networks.map(({ code }) => code).filter((code) => !hostedNetworks.includes(code));

/** Ways to pay over them in both currencies, which a driver may refuse. */
export const furtherMeans: readonly Means[] = (['USDT', 'USD'] as const).flatMap((currency) =>
  furtherNetworks.map((code) => byNetwork(code, currency)),
);
