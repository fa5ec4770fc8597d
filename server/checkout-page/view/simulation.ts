import type { NetworkCode } from '../../../generated/catalogue.ts';
import { addAmounts, compareAmounts, subtractAmounts } from '../../domain/money.ts';
import type { HostedOrder } from '../../domain/order.ts';
import type { OrderEventInput } from '../../services/control/sandbox.ts';
import type { ExchangeCode } from './method-rule.ts';

/** The sandbox's name for a way to pay: by a transfer on a network, or from an exchange. */
export type PayWith = { network: NetworkCode } | { paymentMethod: ExchangeCode };

/** An action that the sandbox's panel can perform on an order. */
export type SimulatedAct = { name: string; label: string } & (
  | { events: readonly OrderEventInput[] }
  | { advanceSeconds: number }
);

/** The difference between a simulated payment and the amount due: the last decimal place of USDT on most networks. */
const slightly = '0.000001';

/** The content of the sandbox's panel. */
export interface Simulation {
  /** A note on the current state of the order. */
  note: string;
  acts: readonly SimulatedAct[];
}

/**
 * The actions possible in the current state of an order; `undefined` once the order has ended. `payWith`: the method
 * that the customer has chosen. Without a method, nothing can be paid. `now` is business time in milliseconds.
 */
export function simulationOf(order: HostedOrder, payWith: PayWith | undefined, now: number): Simulation | undefined {
  switch (order.status) {
    case 'INIT':
      return {
        note: payWith
          ? 'A payment is sent by the method on this page.'
          : 'To simulate a payment, choose a method first.',
        acts: [
          ...(payWith ? payments(order, payWith) : []),
          { name: 'wait-minute', label: 'Let a minute pass', advanceSeconds: 60 },
          {
            name: 'wait-expiry',
            label: 'Let time pass until expiry',
            advanceSeconds: Math.max(1, Math.ceil((order.expiresAt - now) / 1000)),
          },
        ],
      };
    case 'PROCESSING':
      return {
        note:
          order.dueAt === null
            ? 'Payments of this merchant are confirmed only from here or by the control API.'
            : 'Payments of this merchant are confirmed by themselves, a confirmation each second.',
        acts: [
          { name: 'confirm', label: 'Confirm the payment', events: [{ type: 'payment_confirmed' }] },
          { name: 'fail', label: 'Let the payment fail', events: [{ type: 'payment_failed', reason: 'error' }] },
          { name: 'wait-seconds', label: 'Let 5 seconds pass', advanceSeconds: 5 },
        ],
      };
    default:
      return undefined;
  }
}

function payments({ due: { value, currency } }: HostedOrder, payWith: PayWith): SimulatedAct[] {
  const detected = (amount: string): OrderEventInput => ({ type: 'transaction_detected', amount, ...payWith });
  const act = (name: string, how: string, amount: string): SimulatedAct => ({
    name,
    label: `${how}: ${amount} ${currency}`,
    events: [detected(amount)],
  });
  return [
    act('pay-exact', 'Pay exactly', value),
    // A smaller payment is not possible because nothing would be left.
    ...(compareAmounts(value, slightly) > 0 ? [act('pay-less', 'Pay less', subtractAmounts(value, slightly))] : []),
    act('pay-more', 'Pay more', addAmounts(value, slightly)),
    {
      name: 'pay-fail',
      label: 'Pay, then fail',
      events: [detected(value), { type: 'payment_failed', reason: 'error' }],
    },
  ];
}
