import { describe, expect, test } from 'vitest';
import {
  type Machine,
  ordersMachine,
  type RefundsEvent,
  type RefundsState,
  refundsMachine,
} from '../../generated/catalogue.ts';
import { type HostedOrder, newHostedOrder } from './order.ts';
import {
  applyRefundEvent,
  deductAmounts,
  forbidsAnother,
  newRefund,
  type Refund,
  type RefundEvent,
  refundAmounts,
} from './refund.ts';

const now = Date.parse('2026-01-01T00:00:00.000Z');

const unpaid: HostedOrder = newHostedOrder({
  orderId: 'ord.1',
  merchantId: 'M-1',
  request: {
    merchantOrderId: 'order-2026-000001',
    orderAmount: { value: '10', currency: 'USD' },
    expiresAt: '2026-01-01T00:30:00.000Z',
    returnUrl: 'https://shop.example/return',
  },
  usdRate: '1.1',
  now,
  machine: ordersMachine,
});

const paid: HostedOrder = {
  ...unpaid,
  status: 'SUCCEEDED',
  paidAt: now,
  payment: {
    amount: { value: '11.500000000000000001', currency: 'USDT' },
    paymentMethod: 'EXCHANGE_ONE',
    network: 'tron',
    fromAddress: 'payer',
    toAddress: 'platform',
    transactionHash: 'hash',
    blockNumber: 1,
    confirmations: 19,
  },
};

function refund(
  machine: Machine<RefundsState, RefundsEvent> = refundsMachine,
  order = paid,
  deductAmountOf = deductAmounts.equal,
): Refund {
  return newRefund({
    refundOrderId: 'ref.1',
    request: { merchantRefundOrderId: 'r-1', acquiringOrderId: order.orderId, refundReason: 'sent back' },
    order,
    amountOf: refundAmounts.paid,
    deductAmountOf,
    machine,
    now,
    estimatedCompletionAt: now + 3000,
    nextAt: now + 1000,
  });
}

describe('a new refund', () => {
  test('is for what was paid, not for the price', () => {
    expect(refund()).toMatchObject({
      status: 'PENDING',
      amount: { value: '11.500000000000000001', currency: 'USDT' },
      deductAmount: '11.500000000000000001',
      paymentMethod: 'EXCHANGE_ONE',
      merchantOrderId: 'order-2026-000001',
      createdAt: now,
      endedAt: null,
      failure: null,
      dueAt: now + 1000,
    });
  });

  test("starts in its machine's initial state", () => {
    expect(refund({ ...refundsMachine, initial: 'PROCESSING' }).status).toBe('PROCESSING');
  });

  test('is none without a payment', () => {
    expect(() => refund(refundsMachine, unpaid)).toThrow(/no payment/);
  });
});

const states: RefundsState[] = ['INIT', 'PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CLOSED'];
const failure = { errorCode: 'EXCHANGE_BALANCE_INSUFFICIENT', errorMessage: 'too little' };
const events: RefundEvent[] = [
  { type: 'processing_started', nextAt: now + 9000 },
  { type: 'completed' },
  { type: 'closed' },
  { type: 'failed', ...failure },
];

/** Every other cell of the grid is no move. */
const legal: Partial<Record<RefundsState, Partial<Record<RefundEvent['type'], RefundsState>>>> = {
  PENDING: { processing_started: 'PROCESSING', failed: 'FAILED', closed: 'CLOSED' },
  PROCESSING: { completed: 'SUCCEEDED', failed: 'FAILED' },
};

describe('the refund machine', () => {
  test('has the states and events of this grid', () => {
    expect(Object.keys(refundsMachine.states).sort()).toEqual([...states].sort());
    const moving = refundsMachine.events.filter((event) => event !== 'accepted');
    expect([...moving].sort()).toEqual(events.map(({ type }) => type).sort());
  });

  const cells = states.flatMap((from) => events.map((event) => ({ from, type: event.type, event })));
  test.each(cells)('$from, $type', ({ from, type, event }) => {
    const before = { ...refund(), status: from };
    const to = legal[from]?.[type];
    const after = applyRefundEvent(before, event, now + 5000, refundsMachine);
    if (to === undefined) {
      expect(after).toBeUndefined();
      return;
    }
    expect(after).toEqual({
      ...before,
      status: to,
      endedAt: to === 'PROCESSING' ? null : now + 5000,
      failure: to === 'FAILED' ? failure : null,
      dueAt: to === 'PROCESSING' ? now + 9000 : null,
    });
  });
});

test.each([
  ['INIT', true],
  ['PENDING', true],
  ['PROCESSING', true],
  ['SUCCEEDED', true],
  ['FAILED', false],
  ['CLOSED', false],
] as const)('%s stands in the way of a second refund: %s, where one may follow a failure', (status, expected) => {
  expect(forbidsAnother['after-failure']({ ...refund(), status })).toBe(expected);
  expect(forbidsAnother.never({ ...refund(), status })).toBe(true);
});

test('the merchant pays all of it or, after a fee, 99 % of it, to the last decimal', () => {
  expect(refund().deductAmount).toBe('11.500000000000000001');
  expect(refund(refundsMachine, paid, deductAmounts['after-fee']).deductAmount).toBe('11.38500000000000000099');
});
