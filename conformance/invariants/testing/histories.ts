import { matchOperation } from '../../contract/operations.ts';
import type { History, HistoryRecord, RequestRecord } from '../../history/records.ts';
import { readBook } from '../book.ts';
import type { Invariant } from '../invariant.ts';

/** The merchant whose requests the histories hold. */
export const merchantId = 'm1';

/** A request as a test writes it down; what it leaves out is as in an ordinary request. */
export interface WrittenRequest extends Partial<Omit<RequestRecord, 'kind' | 'body' | 'answer'>> {
  method: string;
  path: string;
  /** The request's body, as a value or as text. */
  sent?: unknown;
  /** The answer's body, as a value or as text. `undefined`: no answer came. */
  answered?: unknown;
  status?: number;
  answerHeaders?: Record<string, string>;
}

const text = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));

/** The record of a request. It begins at `start`, 0 unless it is given, and takes 1 ms. */
export function request(written: WrittenRequest): RequestRecord {
  const { method, path, sent, answered, status = 200, answerHeaders, start = 0, ...rest } = written;
  const match = matchOperation(method, path);
  return {
    kind: 'request',
    as: merchantId,
    authentication: 'right',
    method,
    path,
    start,
    end: start + 1,
    headers: sent === undefined ? {} : { 'Content-Type': 'application/json' },
    ...(match && { operation: match.operation.name, parameters: match.parameters }),
    ...(sent !== undefined && { body: { text: text(sent) } }),
    ...(answered === undefined
      ? { error: 'the connection was lost' }
      : {
          answer: {
            status,
            headers: { 'content-type': 'application/json; charset=utf-8', ...answerHeaders },
            body: { text: text(answered) },
          },
        }),
    ...rest,
  };
}

/** A history of these records, in a run that made the merchant. */
export function history(...records: readonly HistoryRecord[]): History {
  const provision = {
    kind: 'driver',
    step: 'provisionMerchant',
    start: -2,
    end: -1,
    settings: {},
    merchantId,
  } as const;
  return {
    run: {
      kind: 'run',
      version: 1,
      suite: 'test',
      target: 'http://localhost',
      seed: 1,
      startedAt: Date.parse('2026-01-01T10:00:00Z'),
      clockAhead: 0,
      settle: 1000,
      webhookWait: 1000,
      pins: {},
    },
    records: [provision, ...records],
  };
}

/** What an invariant says of a history: the broken rules with their faults, and the rules that it found kept. */
export function judged(invariant: Invariant, ...records: readonly HistoryRecord[]) {
  const all = [...invariant.judge(readBook(history(...records)))];
  const broken = all.flatMap(({ rule, fault }) => (fault ? [{ rule, ...fault }] : []));
  const kept = new Set(all.filter(({ fault }) => !fault).map(({ rule }) => rule));
  return { broken, kept: [...kept] };
}

const base = `/api/v1/merchants/${merchantId}`;

/** Where the operations are. */
export const paths = {
  orders: `${base}/orders`,
  order: (id: string) => `${base}/orders/${id}`,
  checkoutOrders: `${base}/checkout/orders`,
  checkoutOrder: (id: string) => `${base}/checkout/orders/${id}`,
  paymentMethods: `${base}/checkout/payment-methods`,
  refunds: `${base}/refunds`,
  batchQuery: `${base}/refunds/batch-query`,
};

/** The success that holds this data. Refunds have two fields more. */
export const success = (data: unknown, more: object = {}) => ({ code: '00000', message: 'Success', data, ...more });

/** What the envelope of a refund operation has besides. */
export const trace = (requestId = 'r1') => ({ requestId, timestamp: 1_767_261_600_000 });

export const orderView = (change: object = {}) => ({
  orderId: 'ord.1',
  merchantId,
  merchantOrderId: 'order-0000000001',
  status: 'INIT',
  checkoutUrl: 'https://pay.example/ord.1',
  createdAt: '2026-01-01T10:00:00.000Z',
  expiresAt: '2026-01-01T11:00:00.000Z',
  paidAt: null,
  orderAmount: { value: '9.50', currency: 'USDT' },
  cryptoPaidAmount: null,
  cryptoPaymentDetail: null,
  standardResponseCode: '00000',
  standardResponseMessage: 'Success',
  ...change,
});

/** What a hosted order shows once it is paid. */
export const payment = {
  status: 'SUCCEEDED',
  paidAt: '2026-01-01T10:10:00Z',
  cryptoPaidAmount: { value: '9.50', currency: 'USDT' },
  cryptoPaymentDetail: {
    txHash: '0xabc',
    network: 'TRON',
    fromAddress: 'TPayer',
    toAddress: 'TDeposit',
    confirmations: 19,
    blockNumber: 60_000_000,
  },
};

export const orderRefusal = (code: string, change: object = {}) => ({
  code,
  message: 'it was refused',
  data: {
    orderId: null,
    merchantId,
    merchantOrderId: 'order-0000000001',
    status: 'FAILED',
    standardResponseCode: code,
    standardResponseMessage: 'it was refused',
  },
  ...change,
});

export const checkoutView = (change: object = {}) => ({
  orderId: 'chk.1',
  merchantId,
  merchantOrderId: 'order-0000000001',
  status: 'INIT',
  orderAmount: { value: '9.50', currency: 'USDT' },
  cryptoPaymentAmount: { value: '9.50', currency: 'USDT' },
  depositAddress: 'TDeposit',
  network: 'tron',
  networkDisplayName: 'TRON',
  createdAt: '2026-01-01T10:00:00.000Z',
  expiresAt: '2026-01-01T11:00:00.000Z',
  ...change,
});

export const refundView = (change: object = {}) => ({
  refundOrderId: 'ref.1',
  merchantRefundOrderId: 'refund-1',
  acquiringOrderId: 'ord.1',
  merchantOrderId: 'order-0000000001',
  status: 'PENDING',
  refundAmount: '9.50',
  refundCurrency: 'USDT',
  merchantDeductAmount: '9.50',
  paymentMethod: 'ON_CHAIN_TRANSFER',
  createdTime: '2026-01-01T10:20:00.000Z',
  estimatedCompletionTime: '2026-01-01T10:30:00.000Z',
  ...change,
});

export const refundRefusal = (code: string, change: object = {}) => ({
  code,
  message: 'it was refused',
  details: 'it cannot be',
  ...trace(),
  ...change,
});
