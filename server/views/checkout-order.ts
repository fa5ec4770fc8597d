import type { Choices } from '../../generated/catalogue.ts';
import type { components } from '../../generated/types.ts';
import type { Merchant } from '../domain/merchant.ts';
import { networkOf } from '../domain/networks.ts';
import type { CheckoutOrder } from '../domain/order.ts';
import { timeForms } from '../domain/times.ts';

type Schemas = components['schemas'];

type CreateView = Schemas['CheckoutOrderCreateView'];
type QueryView = Schemas['CheckoutOrderQueryView'];

/** What a query shows in place of a payment (open point `checkout-null-or-absent`). */
const unpaidFields: Readonly<Record<Choices['checkout-null-or-absent'], Partial<QueryView>>> = {
  absent: {},
  'null-value': { cryptoPaidAmount: null, cryptoPaymentDetail: null, paidAt: null },
};

/** Where an order's metadata comes back (open point `checkout-metadata`). */
const metadataFields: Readonly<
  Record<Choices['checkout-metadata'], (request: CheckoutOrder['request']) => Pick<CreateView, 'metadata'>>
> = {
  returned: ({ metadata }) => (metadata === undefined ? {} : { metadata }),
  'not-returned': () => ({}),
};

/** How checkout orders are shown. */
export function checkoutViews(choices: Choices) {
  const writeTime = timeForms[choices['time-forms']];
  const unpaid = unpaidFields[choices['checkout-null-or-absent']];
  const metadataOf = metadataFields[choices['checkout-metadata']];

  /** A checkout order as the create shows it: never with the fields of a payment. */
  function created(order: CheckoutOrder): CreateView {
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
      createdAt: writeTime(createdAt),
      expiresAt: writeTime(expiresAt),
      ...metadataOf(request),
    };
  }

  /** A checkout order as the query shows it: once it is paid, with the payment. */
  function queried(order: CheckoutOrder): QueryView {
    const { payment, paidAt } = order;
    const view = created(order);
    if (!payment || paidAt === null) return { ...view, ...unpaid };
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
      paidAt: writeTime(paidAt),
    };
  }

  return { created, queried };
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
