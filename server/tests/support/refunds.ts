import type { components } from '../../../generated/types.ts';
import type { RefundCreateRequest } from '../../domain/refund.ts';
import { contractOf, controlOf } from './contract.ts';
import type { Answer } from './http.ts';
import { control, merchantClient, type TestServer, type Variation } from './server.ts';
import type { Credentials } from './signing.ts';

type Schemas = components['schemas'];
export type RefundData = Schemas['RefundOrderData'];

/** The refund in an answer; fails unless that is the contract's. */
export function refundOf(answer: Answer): RefundData {
  return contractOf(answer, 200, 'RefundSuccess').data;
}

/** The refusal in an answer; fails unless it is the refund envelope, without data, with that HTTP status. */
export function refundFailureOf(answer: Answer, status: number): Schemas['RefundFailure'] {
  const failure = contractOf(answer, status, 'RefundFailure');
  if (failure.requestId === '') throw new Error('the refusal has no requestId');
  return failure;
}

let refunds = 0;

/** A merchantRefundOrderId that was not used before. */
export function newRefundId(): string {
  refunds += 1;
  return `refund-${refunds}`;
}

/** A merchant that sends signed refund requests. */
export function refundClient(server: TestServer, credentials: Credentials) {
  const { request } = merchantClient(server, credentials);
  const path = `/api/v1/merchants/${credentials.merchantId}/refunds`;
  return {
    ...credentials,
    path,
    request,
    post: (body: unknown, variation?: Variation) =>
      request('POST', path, typeof body === 'string' ? body : JSON.stringify(body), variation),
    /** `query`: the query string, without its question mark. */
    get: (query: string, variation?: Variation) => request('GET', `${path}?${query}`, undefined, variation),
    batch: (ids: unknown, variation?: Variation) =>
      request('POST', `${path}/batch-query`, JSON.stringify({ merchantRefundOrderIds: ids }), variation),
    /** A request to refund an order that is right. */
    body: (acquiringOrderId: string, changes: Partial<RefundCreateRequest> = {}): RefundCreateRequest => ({
      merchantRefundOrderId: newRefundId(),
      acquiringOrderId,
      refundReason: 'The customer sent it back',
      ...changes,
    }),
    /** Refunds an order; fails unless it is accepted. */
    async create(acquiringOrderId: string, changes: Partial<RefundCreateRequest> = {}): Promise<RefundData> {
      return refundOf(await this.post(this.body(acquiringOrderId, changes)));
    },
    /** The refund as it stands, by platform id; fails unless it is found. */
    async query(refundOrderId: string): Promise<RefundData> {
      return refundOf(await this.get(`refundOrderId=${refundOrderId}`));
    },
    /** Lets something happen to a refund by the control API. */
    event: (refundOrderId: string, event: object) =>
      control(server, 'POST', `/merchants/${credentials.merchantId}/refunds/${refundOrderId}/events`, event),
    /** Brings a refund through these events; fails unless it takes each of them. */
    async move(refundOrderId: string, ...types: string[]): Promise<void> {
      for (const type of types) controlOf(await this.event(refundOrderId, { type }), 200, 'RefundEventResult');
    },
  };
}

export type RefundClient = ReturnType<typeof refundClient>;
