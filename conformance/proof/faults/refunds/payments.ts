import type { RequirementId } from '../../../../generated/catalogue.ts';
import { valueAt } from '../../../contract/json.ts';
import { bodyOf, isOf, isRightlySigned, onlyFor, recordOfEvent } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { isRefundCreate, refundRefusal, showingRefunds } from '../../stand/refund-changes.ts';

/** A server that refunds no hosted order that was paid over a network. */
function refundingNothingFrom(network: string): Make {
  const paid = new Set<unknown>();
  return {
    control: (request, server) => {
      const orderId = recordOfEvent('orders', request);
      if (orderId !== undefined && bodyOf(request)?.network === network) paid.add(orderId);
      return server.forward(request);
    },
    merchantApi: onlyFor(isRefundCreate, (request, server) => {
      const isBarred = paid.has(bodyOf(request)?.acquiringOrderId) && isRightlySigned(request, server);
      return isBarred ? Promise.resolve(refundRefusal(400, 'ORDER_NOT_REFUNDABLE')) : server.forward(request);
    }),
  };
}

/** A server that names the payment method at a place of the list that an order allowed in its refund, where it was paid so. */
function namingAllowed(place: number, applies: (paymentMethod: string) => boolean): Make {
  const allowed = new Map<unknown, unknown>();
  const showing = showingRefunds((record) => {
    const method = allowed.get(record.acquiringOrderId);
    return method === undefined || !applies(String(record.paymentMethod))
      ? record
      : { ...record, paymentMethod: `${method}_PAY` };
  }, isRefundCreate);
  return {
    merchantApi: async (request, server) => {
      if (!isOf('orders.create')(request)) return showing(request, server);
      const answer = await server.forward(request);
      const listed: unknown[] = [valueAt(bodyOf(request), ['paymentMethodConfig', 'allowedPaymentMethods'])].flat();
      const method = listed.at(place);
      if (method !== undefined) allowed.set(valueAt(bodyOf(answer), ['data', 'orderId']), method);
      return answer;
    },
  };
}

const isByExchange = (paymentMethod: string) => paymentMethod.startsWith('EXCHANGE');

const seen = (id: string, title: string, breaks: RequirementId, caughtBy: string, make: Make): Fault => ({
  id,
  title,
  breaks,
  caughtBy,
  ...(caughtBy.includes('.money.') && { feeds: ['refunds.situations.of-every-payment'] }),
  make,
});

/** Wrong servers that take a refund for one of another payment than that of its order. */
export const refundPaymentFaults: readonly Fault[] = [
  seen(
    'refunds-over-solana-refused',
    'Refunds no hosted order that was paid over solana.',
    'refunds.create.accepted',
    'refunds.situations.of-every-payment',
    refundingNothingFrom('solana'),
  ),
  seen(
    'refund-by-first-allowed-method',
    'Names in a refund the first payment method that the create of its order allowed.',
    'refunds.record.payment-method',
    'refunds.create.money.payment-method',
    namingAllowed(0, () => true),
  ),
  seen(
    'refund-by-last-allowed-exchange',
    'Names in the refund of a payment by an exchange the last one that the create of its order allowed.',
    'refunds.record.payment-method',
    'refunds.create.money.payment-method',
    namingAllowed(-1, isByExchange),
  ),
  seen(
    'refund-of-second-exchange-by-first-allowed',
    'Names in the refund of a payment by the second exchange the first one that the create of its order allowed.',
    'refunds.record.payment-method',
    'refunds.create.money.payment-method',
    namingAllowed(0, (paymentMethod) => paymentMethod === 'EXCHANGE_TWO_PAY'),
  ),
  seen(
    'refund-on-chain-by-first-allowed',
    'Names in the refund of a payment on chain the first exchange that the create of its order allowed.',
    'refunds.record.payment-method',
    'refunds.situations.of-every-payment',
    namingAllowed(0, (paymentMethod) => !isByExchange(paymentMethod)),
  ),
];
