import { networks } from '../../generated/catalogue.ts';
import type { components } from '../../generated/types.ts';
import type { Merchant } from '../domain/merchant.ts';
import type { CheckoutOrder } from '../domain/order.ts';
import { isoTime } from './times.ts';

type Schemas = components['schemas'];

/** The name of a network for people, and what it asks of a payment. Throws for a code that the contract does not have. */
function networkOf(code: string) {
  const known = networks.find((network) => network.code === code);
  if (!known) throw new Error(`unknown network ${code}`);
  return known;
}

/** A checkout order as the create shows it: never with the fields of a payment. */
export function checkoutCreateView(order: CheckoutOrder): Schemas['CheckoutOrderView'] {
  const { orderId, merchantId, merchantOrderId, status, request, due, depositAddress, createdAt, expiresAt } = order;
  return {
    orderId,
    merchantId,
    merchantOrderId,
    status,
    orderAmount: request.orderAmount,
    cryptoPaymentAmount: due,
    depositAddress,
    network: request.network,
    networkDisplayName: networkOf(request.network).displayName,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
    ...(request.metadata !== undefined && { metadata: request.metadata }),
  };
}

/** A checkout order as the query shows it: once it is paid, with the payment. */
export function checkoutQueryView(order: CheckoutOrder): Schemas['CheckoutOrderQueryView'] {
  const { payment, paidAt } = order;
  const view = checkoutCreateView(order);
  if (!payment || paidAt === null) return view;
  return {
    ...view,
    cryptoPaidAmount: payment.amount,
    cryptoPaymentDetail: {
      network: payment.network,
      cryptoCurrency: payment.amount.currency,
      transactionHash: payment.transactionHash,
      fromAddress: payment.fromAddress,
      toAddress: payment.toAddress,
      amount: payment.amount.value,
      confirmations: payment.confirmations,
      requiredConfirmations: networkOf(payment.network).confirmations,
    },
    paidAt: isoTime(paidAt),
  };
}

/** What a merchant's customers can pay with, in the order of its settings. */
export function paymentMethodsView({ settings }: Merchant): Schemas['CheckoutPaymentMethod'][] {
  return settings.paymentMethods.map(({ cryptoCurrency, network, minAmount, maxAmount }, index) => {
    const { displayName, estimatedConfirmationTimeSec } = networkOf(network);
    return {
      paymentMethodType: 'ON_CHAIN_TRANSFER',
      cryptoCurrency,
      network,
      networkDisplayName: displayName,
      minAmount,
      maxAmount,
      estimatedConfirmationTimeSec,
      displayOrder: index + 1,
    };
  });
}
