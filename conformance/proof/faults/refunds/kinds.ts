import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { bodyOf, firstOf, isOf, isRightlySigned, merchantIdOf, onlyFor, recordOfEvent } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import type { Handler, ProxyRequest } from '../../stand/proxy.ts';
import {
  acceptingRefunds,
  isRefundCreate,
  ownRefundIdOf,
  refundRefusal,
  refusingRefunds,
} from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('refunds.');

/** A server that accepts refunds of checkout orders in a state, and of no hosted ones. */
function refundingUnpaidCheckoutOrders(state: string): Handler {
  const orders = new Set<unknown>();
  const noting: Handler = onlyFor(isOf('checkout.create'), async (request, server) => {
    const answer = await server.forward(request);
    const { data } = bodyOf(answer) ?? {};
    if (isObject(data)) orders.add(data.orderId);
    return answer;
  });
  const accepting = acceptingRefunds(
    ({ code, details }, request) =>
      code === 'ORDER_NOT_REFUNDABLE' && details.includes(state) && orders.has(bodyOf(request)?.acquiringOrderId),
  );
  return firstOf(accepting, noting);
}

/** A server that answers the refund of an order of a product in a state as if there were no such order. */
function missingUnpaid(product: 'orders' | 'checkout', state: string, applies: (orderId: unknown) => boolean): Handler {
  const orders = new Set<unknown>();
  const noting: Handler = onlyFor(isOf(`${product}.create`), async (request, server) => {
    const answer = await server.forward(request);
    const { data } = bodyOf(answer) ?? {};
    if (isObject(data)) orders.add(data.orderId);
    return answer;
  });
  const missing = refusingRefunds(
    ({ code, details }, request) => {
      const orderId = orderOf(request);
      return code === 'ORDER_NOT_REFUNDABLE' && details.includes(state) && orders.has(orderId) && applies(orderId);
    },
    () => refundRefusal(404, 'ORDER_NOT_FOUND'),
  );
  return firstOf(missing, noting);
}

/** A server that answers the refund of an order of a product in a state in this way, where an event for which `is` is true has happened to it or, without `met`, has not. */
function missingAfter(
  product: 'orders' | 'checkout',
  state: string,
  is: (event: JsonObject) => boolean,
  met: boolean,
): Make {
  const happened = new Set<unknown>();
  return {
    control: (request, server) => {
      const orderId = recordOfEvent('orders', request);
      const event = bodyOf(request);
      if (orderId !== undefined && event && is(event)) happened.add(orderId);
      return server.forward(request);
    },
    merchantApi: missingUnpaid(product, state, (orderId) => happened.has(orderId) === met),
  };
}

/** A server that refuses a refund with this code only where it is the first one of its order. */
function onlyTheFirst(code: string): Handler {
  const refunded = new Set<unknown>();
  const noting: Handler = onlyFor(isRefundCreate, async (request, server) => {
    const answer = await server.forward(request);
    if (bodyOf(answer)?.code === successCode) refunded.add(bodyOf(request)?.acquiringOrderId);
    return answer;
  });
  const accepting = acceptingRefunds(
    (refusal, request) => refusal.code === code && refunded.has(bodyOf(request)?.acquiringOrderId),
  );
  return firstOf(accepting, noting);
}

/** A server that refuses every further create that has the same `part` as one which it refused with this code. */
function remembering(code: string, part: (request: ProxyRequest) => unknown): Handler {
  const refused = new Set<unknown>();
  return onlyFor(isRefundCreate, async (request, server) => {
    if (refused.has(part(request)) && isRightlySigned(request, server)) {
      return refundRefusal(400, 'REQUEST_REFUSED_BEFORE');
    }
    const answer = await server.forward(request);
    if (bodyOf(answer)?.code === code) refused.add(part(request));
    return answer;
  });
}

const idOf = (request: ProxyRequest) => `${merchantIdOf(request)} ${ownRefundIdOf(request)}`;
const orderOf = (request: ProxyRequest) => bodyOf(request)?.acquiringOrderId;

/** The codes of refusals, with the end of the id of the check that shows what they leave behind. */
const refusals = [
  ['INVALID_PARAMETER', ''],
  ['INVALID_SIGNATURE', ''],
  ['ORDER_NOT_FOUND', '.other-causes'],
  ['ORDER_NOT_REFUNDABLE', '.other-causes'],
  ['TIMESTAMP_EXPIRED', '.other-causes'],
  ['INVALID_API_KEY', '.other-causes'],
  ['RATE_LIMIT_EXCEEDED', '.rate-limit'],
] as const;

/** Refusals after which the same order cannot show what they leave behind there. */
const ofOthers = [
  ['INSUFFICIENT_BALANCE', ''],
  ['ORDER_ALREADY_REFUNDED', ''],
  ['REFUND_PERIOD_EXPIRED', '.period-expired'],
] as const;

const nameOf = (code: string) => code.toLowerCase().replaceAll('_', '-');

/** Wrong servers that keep a rule of refunds for one kind of orders, of refunds or of refusals, and break it for another. */
export const refundKindFaults: readonly Fault[] = [
  ...(['INIT', 'PROCESSING', 'FAILED', 'CLOSED'] as const).map(
    (state): Fault =>
      fault(
        `refund-of-${state.toLowerCase()}-checkout-order-accepted`,
        `Accepts refunds of checkout orders that are ${state}.`,
        'refunds.create.completed-payments',
        `create.unpaid-order.${state.toLowerCase()}`,
        refundingUnpaidCheckoutOrders(state),
      ),
  ),
  ...(['INIT', 'PROCESSING', 'FAILED', 'CLOSED'] as const).map(
    (state): Fault =>
      fault(
        `refund-of-${state.toLowerCase()}-checkout-order-as-404`,
        `Answers the refund of a checkout order that is ${state} as if there were no such order.`,
        'refunds.errors.business',
        `create.unpaid-order.${state.toLowerCase()}`,
        missingUnpaid('checkout', state, () => true),
      ),
  ),
  ...(['orders', 'checkout'] as const).flatMap((product): Fault[] => {
    const [name, noun] = product === 'orders' ? ['order', 'an order'] : ['checkout-order', 'a checkout order'];
    return [
      fault(
        `refund-of-expired-${name}-as-404`,
        `Answers the refund of ${noun} that has expired as if there were no such order.`,
        'refunds.errors.business',
        'create.unpaid-order.closed',
        missingAfter(product, 'CLOSED', ({ type }) => type === 'cancelled', false),
      ),
      fault(
        `refund-of-${name}-being-overpaid-as-404`,
        `Answers the refund of ${noun} that is PROCESSING, and was paid more than is due, as if there were no such order.`,
        'refunds.errors.business',
        'create.unpaid-order.processing',
        missingAfter(product, 'PROCESSING', ({ amount }) => amount !== undefined, true),
      ),
      fault(
        `refund-of-${name}-failed-by-error-as-404`,
        `Answers the refund of ${noun} whose payment failed by an error as if there were no such order.`,
        'refunds.errors.business',
        'create.unpaid-order.failed',
        missingAfter(product, 'FAILED', ({ reason }) => reason === 'error', true),
      ),
    ];
  }),
  fault(
    'second-refund-without-period',
    'Looks for the end of the refund period at the first refund of an order only.',
    'refunds.errors.period-expired',
    'errors.period-expired.every-order',
    onlyTheFirst('REFUND_PERIOD_EXPIRED'),
  ),
  fault(
    'second-refund-without-balance',
    'Looks at the balance at the first refund of an order only.',
    'refunds.create.reserves-funds',
    'balance.given-back-once',
    onlyTheFirst('INSUFFICIENT_BALANCE'),
  ),
  fault(
    'uncovered-order-barred',
    'Never refunds an order whose refund the balance did not cover once.',
    'refunds.create.accepted',
    'balance.given-back-once',
    remembering('INSUFFICIENT_BALANCE', orderOf),
  ),
  ...[...refusals, ...ofOthers].map(
    ([code, check]): Fault =>
      fault(
        `refused-as-${nameOf(code)}-uses-up-the-id`,
        `Refuses every refund under an id whose create it refused with ${code}.`,
        'refunds.errors.refused',
        `errors.reserves-nothing${check}`,
        remembering(code, idOf),
      ),
  ),
  ...refusals.map(
    ([code, check]): Fault =>
      fault(
        `refused-as-${nameOf(code)}-bars-the-order`,
        `Refuses every refund of an order that it refused to refund with ${code}.`,
        'refunds.errors.refused',
        `errors.reserves-nothing${check}`,
        remembering(code, orderOf),
      ),
  ),
];
