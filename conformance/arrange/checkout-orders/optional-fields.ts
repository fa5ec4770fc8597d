import type { CheckoutOrderCreateRequest } from './client.ts';

/** The optional fields of a create of a checkout order. */
export type OptionalFields = Pick<
  CheckoutOrderCreateRequest,
  'customer' | 'description' | 'items' | 'customerIp' | 'userAgent' | 'callbackUrl' | 'metadata'
>;

/** Every optional field, each with a value that keeps its rule. */
export const optionalFields: Required<OptionalFields> = {
  customer: { email: 'payer@shop.example', name: 'Ada', customerId: 'c-1' },
  description: 'Two tickets',
  items: [{ name: 'Ticket', quantity: 2, price: '4.75', currency: 'USDT' }],
  customerIp: '2001:db8::1',
  userAgent: 'Mozilla/5.0',
  callbackUrl: 'https://shop.example/hooks/checkout',
  metadata: '{"cart":"c-17"}',
};
