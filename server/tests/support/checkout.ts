import type { components } from '../../../generated/types.ts';
import type { CheckoutOrderCreateRequest } from '../../domain/order.ts';
import { contractOf } from './contract.ts';
import type { Answer } from './http.ts';
import { merchantClient, newOrderId, type TestServer, type Variation } from './server.ts';
import type { Credentials } from './signing.ts';

type Schemas = components['schemas'];
export type CheckoutView = Schemas['CheckoutOrderView'];
export type CheckoutQueryView = Schemas['CheckoutOrderQueryView'];

/** The order in the answer to a create; fails unless that is the contract's. */
export function createdOf(answer: Answer): CheckoutView {
  return contractOf(answer, 200, 'CheckoutOrderCreateSuccess').data;
}

/** The order in the answer to a query; fails unless that is the contract's. */
export function queriedOf(answer: Answer): CheckoutQueryView {
  return contractOf(answer, 200, 'CheckoutOrderQuerySuccess').data;
}

/** The refusal in an answer; fails unless it is the checkout envelope with that HTTP status. */
export function checkoutFailureOf(answer: Answer, status = 200): Schemas['CheckoutFailure'] {
  return contractOf(answer, status, 'CheckoutFailure');
}

/** A merchant that sends signed checkout requests. */
export function checkoutClient(server: TestServer, credentials: Credentials) {
  const { request } = merchantClient(server, credentials);
  const path = `/api/v1/merchants/${credentials.merchantId}/checkout`;
  return {
    ...credentials,
    path,
    request,
    methods: (variation?: Variation) => request('GET', `${path}/payment-methods`, undefined, variation),
    post: (body: unknown, variation?: Variation) =>
      request('POST', `${path}/orders`, typeof body === 'string' ? body : JSON.stringify(body), variation),
    get: (id: string, variation?: Variation) => request('GET', `${path}/orders/${id}`, undefined, variation),
    /** A request for a new order that is right: 10 USDT on tron, open for half an hour. */
    body: (changes: Partial<CheckoutOrderCreateRequest> = {}): CheckoutOrderCreateRequest => ({
      merchantOrderId: newOrderId(),
      orderAmount: { value: '10', currency: 'USDT' },
      paymentMethodType: 'ON_CHAIN_TRANSFER',
      network: 'tron',
      expiresAt: new Date(server.clock() + 1_800_000).toISOString(),
      ...changes,
    }),
    /** Creates an order; fails unless it is accepted. */
    async create(changes: Partial<CheckoutOrderCreateRequest> = {}): Promise<CheckoutView> {
      return createdOf(await this.post(this.body(changes)));
    },
    /** The order as it stands; fails unless it is found. */
    async query(id: string): Promise<CheckoutQueryView> {
      return queriedOf(await this.get(id));
    },
  };
}

export type CheckoutClient = ReturnType<typeof checkoutClient>;
