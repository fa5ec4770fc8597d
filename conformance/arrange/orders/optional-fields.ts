import type { OrderCreateRequest } from './client.ts';

/** An item of a create with its required fields only. */
export const ticket = { name: 'Ticket', quantity: 2, amount: { value: '4.75', currency: 'USDT' } } as const;

/** Every optional field of a hosted create but subMerchants, which not every merchant may send, each with a value that keeps its rule. */
export const optionalFields: Required<
  Omit<OrderCreateRequest, 'merchantOrderId' | 'orderAmount' | 'expiresAt' | 'returnUrl' | 'subMerchants'>
> = {
  paymentMethodConfig: {
    allowedPaymentMethodTypes: ['ON_CHAIN_TRANSFER', 'EXCHANGE_TRANSFER'],
    allowedPaymentMethods: ['EXCHANGE_ONE'],
  },
  callbackUrl: 'https://shop.example/hooks/orders',
  customer: { customerId: 'c-1', email: 'payer@shop.example', name: 'Ada', phone: '+48 22 000 00 00' },
  customerIp: '2001:db8::1',
  userAgent: 'Mozilla/5.0',
  description: 'Two tickets',
  items: [{ ...ticket, description: 'Row 7' }],
  metadata: '{"cart":"c-17"}',
};
