import { describe, expect, test } from 'vitest';
import { type Machine, type OrdersEvent, type OrdersState, ordersMachine } from '../../generated/catalogue.ts';
import { nextState, type PaidEnough } from './states.ts';

const states: OrdersState[] = ['INIT', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CLOSED'];
const events: OrdersEvent[] = ['transaction_detected', 'payment_confirmed', 'payment_failed', 'cancelled', 'expired'];
const payments: (PaidEnough | undefined)[] = [undefined, 'underpaid', 'paidInFull'];

/** The moves that the specification names; every other cell of the grid is illegal. */
const legal: Partial<Record<OrdersState, Partial<Record<OrdersEvent, (paid: PaidEnough | undefined) => unknown>>>> = {
  INIT: {
    transaction_detected: () => 'PROCESSING',
    cancelled: () => 'CLOSED',
    expired: () => 'CLOSED',
  },
  PROCESSING: {
    payment_confirmed: (paid) => paid && { paidInFull: 'SUCCEEDED', underpaid: 'FAILED' }[paid],
    payment_failed: () => 'FAILED',
  },
};

describe('the hosted order machine', () => {
  test('has the states and events of this grid', () => {
    expect(Object.keys(ordersMachine.states).sort()).toEqual([...states].sort());
    expect([...ordersMachine.events].sort()).toEqual([...events].sort());
  });

  const cells = states.flatMap((from) => events.flatMap((event) => payments.map((paid) => ({ from, event, paid }))));
  test.each(cells)('$from, $event, $paid', ({ from, event, paid }) => {
    expect(nextState(ordersMachine, from, event, paid)).toBe(legal[from]?.[event]?.(paid));
  });
});

test('a machine moves by the table that it is given', () => {
  const machine: Machine<OrdersState, OrdersEvent> = {
    ...ordersMachine,
    transitions: [...ordersMachine.transitions, { from: 'CLOSED', event: 'transaction_detected', to: 'PROCESSING' }],
  };
  expect(nextState(machine, 'CLOSED', 'transaction_detected')).toBe('PROCESSING');
  expect(nextState(machine, 'FAILED', 'transaction_detected')).toBeUndefined();
  expect(nextState({ ...machine, transitions: [] }, 'INIT', 'cancelled')).toBeUndefined();
});
