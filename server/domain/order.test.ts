import { describe, expect, test } from 'vitest';
import { type Machine, type OrdersEvent, type OrdersState, ordersMachine } from '../../generated/catalogue.ts';
import { applyOrderEvent, atRate, type HostedOrder, newHostedOrder, type OrderEvent, type Payment } from './order.ts';

const now = Date.parse('2026-01-01T00:00:00.000Z');
const expiry = Date.parse('2026-01-01T00:30:00.000Z');

function order(
  value: string,
  currency: 'USD' | 'USDT' = 'USDT',
  usdRate = '1',
  expiresAt = '2026-01-01T00:30:00.000Z',
) {
  const request = {
    merchantOrderId: 'order-2026-000001',
    orderAmount: { value, currency },
    expiresAt,
    returnUrl: 'https://shop.example/return',
  };
  return newHostedOrder({ orderId: 'ord.1', merchantId: 'M-1', request, usdRate, now, machine: ordersMachine });
}

function payment(value: string): Payment {
  return {
    amount: { value, currency: 'USDT' },
    paymentMethod: 'ON_CHAIN_TRANSFER',
    network: 'tron',
    fromAddress: 'payer',
    toAddress: 'platform',
    transactionHash: 'hash',
    blockNumber: 1,
    confirmations: 0,
  };
}

function moved(from: HostedOrder, event: OrderEvent, at = now): HostedOrder {
  const after = applyOrderEvent(from, event, at, ordersMachine);
  if (!after) throw new Error(`${from.status} does not move by ${event.type}`);
  return after;
}

const detected = (from: HostedOrder, value: string, confirmsAt: number | null = null) =>
  moved(from, { type: 'transaction_detected', payment: payment(value), confirmsAt });
const confirmed = (from: HostedOrder, at?: number) => moved(from, { type: 'payment_confirmed', confirmations: 19 }, at);

describe('a new order', () => {
  test('waits, unpaid, until it expires', () => {
    expect(order('10')).toMatchObject({ status: 'INIT', payment: null, paidAt: null, createdAt: now, dueAt: expiry });
  });

  test('expires at the moment that its text names, whatever the offset it is written in', () => {
    expect(order('10', 'USDT', '1', '2026-01-01T05:30:00.5+05:00').expiresAt).toBe(expiry + 500);
  });

  test('priced in USDT owes exactly its price, in the form it came', () => {
    expect(order('10.100000000000000001', 'USDT', '3').due).toEqual({
      value: '10.100000000000000001',
      currency: 'USDT',
    });
  });

  test('priced in USD owes its price at the rate, rounded up to 6 places', () => {
    expect(order('10', 'USD', '1.00000001').due).toEqual({ value: '10.000001', currency: 'USDT' });
  });

  test('priced in USD follows the rate until a payment is detected, and not after', () => {
    const priced = order('10', 'USD', '1.5');
    expect(atRate(priced, '2')).toMatchObject({ due: { value: '20', currency: 'USDT' }, usdRate: '2' });
    expect(atRate(detected(priced, '15'), '2')).toMatchObject({ due: { value: '15' }, usdRate: '1.5' });
    expect(atRate(order('10', 'USDT', '1.5'), '2')).toEqual(order('10', 'USDT', '1.5'));
  });

  test("starts in its machine's initial state", () => {
    const machine: Machine<OrdersState, OrdersEvent> = { ...ordersMachine, initial: 'PROCESSING' };
    const { orderId, merchantId, request } = order('10');
    expect(newHostedOrder({ orderId, merchantId, request, usdRate: '1', now, machine }).status).toBe('PROCESSING');
  });
});

describe('an order whose payment is seen', () => {
  test('no longer expires', () => {
    const processing = detected(order('10'), '10');
    expect(processing).toMatchObject({ status: 'PROCESSING', dueAt: null, paidAt: null });
  });

  test('is due when it confirms by itself', () => {
    expect(detected(order('10'), '10', now + 19_000).dueAt).toBe(now + 19_000);
  });
});

describe('a confirmed payment', () => {
  test.each([
    ['10', '10', 'SUCCEEDED'],
    ['10', '10.000000000000000000', 'SUCCEEDED'],
    ['10', '10.000000000000000001', 'SUCCEEDED'],
    ['10', '9.999999999999999999', 'FAILED'],
    ['1000000.000000000000000001', '1000000', 'FAILED'],
    ['9', '10', 'SUCCEEDED'],
  ])('of an order over %s with %s makes it %s', (value, paid, expected) => {
    expect(confirmed(detected(order(value), paid)).status).toBe(expected);
  });

  test('dates the payment and counts its confirmations', () => {
    const paid = confirmed(detected(order('10'), '10'), now + 5);
    expect(paid).toMatchObject({ paidAt: now + 5, dueAt: null, payment: { confirmations: 19 } });
  });

  test('dates nothing when it is too small', () => {
    expect(confirmed(detected(order('10'), '9')).paidAt).toBeNull();
  });
});

test('nothing but success dates a payment', () => {
  expect(moved(detected(order('10'), '10'), { type: 'payment_failed' })).toMatchObject({
    status: 'FAILED',
    paidAt: null,
  });
  expect(moved(order('10'), { type: 'cancelled' })).toMatchObject({ status: 'CLOSED', paidAt: null, dueAt: null });
  expect(moved(order('10'), { type: 'expired' })).toMatchObject({ status: 'CLOSED', paidAt: null, dueAt: null });
});

test('an event that the machine does not have gives no order, and the one before is as it was', () => {
  const closed = moved(order('10'), { type: 'cancelled' });
  const before = structuredClone(closed);
  const event: OrderEvent = { type: 'transaction_detected', payment: payment('10'), confirmsAt: null };
  expect(applyOrderEvent(closed, event, now, ordersMachine)).toBeUndefined();
  expect(closed).toEqual(before);
});
