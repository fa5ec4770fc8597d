import type { Order } from '../../../../server/domain/order.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import {
  bodyOf,
  changing,
  isOf,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  readingBodies,
  storing,
} from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import type { Handler, ProxyAnswer } from '../../stand/proxy.ts';
import {
  inventedRefund,
  isRefundQuery,
  keepingRefunds,
  ownRefundIdOf,
  parameterOf,
  refundRefusal,
  refundSuccess,
  sending,
  showingRefunds,
} from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('');
const fed = (by: string, each: Fault): Fault => ({ ...each, feeds: [by] });

/** A server that finds a refund by any id of it or of its order, wherever it stands in a query. */
function findingByAnyId(): Handler {
  const seen = new Map<string, JsonObject>();
  const names = ['refundOrderId', 'merchantRefundOrderId', 'acquiringOrderId', 'merchantOrderId'];
  return async (request, server) => {
    const answer = await server.forward(request);
    const { code, data } = bodyOf(answer) ?? {};
    const key = (id: unknown) => `${merchantIdOf(request)} ${id}`;
    if (code === successCode && isObject(data)) for (const name of names) seen.set(key(data[name]), data);
    if (!isRefundQuery(request) || code === successCode) return answer;
    const asked = names.flatMap((name) => parameterOf(request, name) ?? []);
    const found = asked.map((id) => seen.get(key(id))).find((each) => each?.refundOrderId !== undefined);
    return found ? refundSuccess(found) : answer;
  };
}

/** A server that refunds an order under another of its ids too, which answers of an operation show in the place that `idIn` names. */
function refundingByOtherId(
  operation: 'orders.create' | 'orders.query' | 'checkout.create' | 'checkout.query',
  idIn: (data: JsonObject) => unknown,
): Handler {
  const orders = new Map<string, unknown>();
  return async (request, server) => {
    const body = bodyOf(request);
    const orderId = isOf('refunds.create')(request) ? orders.get(String(body?.acquiringOrderId)) : undefined;
    if (body && typeof orderId === 'string') {
      return server.forward(sending(request, { ...body, acquiringOrderId: orderId }, server));
    }
    const answer = await server.forward(request);
    const { data } = bodyOf(answer) ?? {};
    if (isOf(operation)(request) && isObject(data)) orders.set(String(idIn(data)), data.orderId);
    return answer;
  };
}

const completedAfterFailure: Make = {
  parts: (parts) => {
    const { refunds } = parts.states;
    const move = { from: 'FAILED', event: 'processing_started', to: 'PROCESSING' } as const;
    const changed = { ...refunds, transitions: [...refunds.transitions, move] };
    return { ...parts, states: { ...parts.states, refunds: changed }, validateResponses: false };
  },
};

/** A server that takes the balance of every currency for that of a refund. */
const drawingOnEveryBalance: Make = keepingRefunds((records) => ({
  lockMerchant: async (merchantId) => {
    const merchant = await records.lockMerchant(merchantId);
    if (!merchant) return merchant;
    const available = String(Math.max(...Object.values(merchant.ledger).map((account) => Number(account.available))));
    const accounts = Object.entries(merchant.ledger).map(([currency, account]) => [
      currency,
      { ...account, available },
    ]);
    return { ...merchant, ledger: Object.fromEntries(accounts) };
  },
}));

/** A server that counts the refund period of some orders from another time than that of their payment. */
const countingFrom = (time: 'createdAt' | 'expiresAt', isMeant: (order: Order) => boolean = () => true): Make => ({
  parts: storing((records) => ({
    lockOrder: async (merchantId, orderId) => {
      const order = await records.lockOrder(merchantId, orderId);
      return order?.status === 'SUCCEEDED' && isMeant(order) ? { ...order, paidAt: order[time] } : order;
    },
  })),
});

const inCapitals = (field: string) => changing(field, (id) => String(id).toUpperCase());

/** Remembers refusals of refund queries for a while, in milliseconds. */
function rememberingMisses(lifetime: number): Handler {
  const misses = new Map<string, { answer: ProxyAnswer; at: number }>();
  return onlyFor(isRefundQuery, async (request, server) => {
    const known = misses.get(request.target);
    if (known && Date.now() - known.at < lifetime) return known.answer;
    const answer = await server.forward(request);
    if (answer.status === 404) misses.set(request.target, { answer, at: Date.now() });
    return answer;
  });
}

const refundOperations = ['refunds.create', 'refunds.query', 'refunds.batch-query'] as const;

/** A server that takes an underscore in the id of an order for any character. */
function refundingByPattern(): Handler {
  const known = new Set<string>();
  return async (request, server) => {
    const { acquiringOrderId } = (isOf('refunds.create')(request) ? bodyOf(request) : undefined) ?? {};
    if (typeof acquiringOrderId !== 'string') {
      const answer = await server.forward(request);
      const { orderId } = Object(bodyOf(answer)?.data);
      if (typeof orderId === 'string') known.add(orderId);
      return answer;
    }
    const begins = acquiringOrderId.endsWith('_') ? acquiringOrderId.slice(0, -1) : undefined;
    const found = [...known].find(
      (id) => begins !== undefined && id.length === acquiringOrderId.length && id.startsWith(begins),
    );
    const asked =
      found === undefined ? request : sending(request, { ...bodyOf(request), acquiringOrderId: found }, server);
    return server.forward(asked);
  };
}

/** Wrong servers that take one id of a refund for another, or something else for what it is paid from. */
export const askedRefundFaults: readonly Fault[] = [
  ...refundOperations.map((operation) =>
    fed(
      'refunds.situations.ended',
      fault(
        `${operation.replace('.', '-')}-always-exchange-one`,
        `Names EXCHANGE_ONE_PAY as the payment method in every answer of ${operation}.`,
        'refunds.record.payment-method',
        `${operation}.money.payment-method`,
        showingRefunds((record) => ({ ...record, paymentMethod: 'EXCHANGE_ONE_PAY' }), isOf(operation)),
      ),
    ),
  ),
  fault(
    'refund-query-by-any-id',
    'Finds a refund by each of its ids, whatever the parameter is called.',
    'refunds.errors.refund-not-found',
    'refunds.query.ids-of-others',
    findingByAnyId(),
  ),
  fault(
    'refund-of-own-order-id',
    'Refunds orders under their merchantOrderId.',
    'refunds.errors.malformed-order-id',
    'refunds.create.ids-of-others',
    refundingByOtherId('orders.create', (data) => data.merchantOrderId),
  ),
  fault(
    'refund-of-own-checkout-order-id',
    'Refunds checkout orders under their merchantOrderId.',
    'refunds.errors.malformed-order-id',
    'refunds.create.ids-of-others',
    refundingByOtherId('checkout.create', (data) => data.merchantOrderId),
  ),
  fault(
    'refund-of-transaction-hash',
    'Refunds checkout orders under the hash of the transaction that has paid them.',
    'refunds.errors.malformed-order-id',
    'refunds.create.ids-of-others',
    refundingByOtherId('checkout.query', ({ cryptoPaymentDetail }) => Object(cryptoPaymentDetail).transactionHash),
  ),
  fault(
    'refund-of-padded-order-id',
    'Takes the blanks away from around an acquiringOrderId.',
    'refunds.errors.malformed-order-id',
    'refunds.create.ids-of-others',
    readingBodies('refunds.create', (body) =>
      typeof body.acquiringOrderId === 'string' && body.acquiringOrderId !== body.acquiringOrderId.trim()
        ? { ...body, acquiringOrderId: body.acquiringOrderId.trim() }
        : body,
    ),
  ),
  fault(
    'refund-of-order-id-by-a-pattern',
    'Looks for the order of a refund with LIKE.',
    'refunds.errors.malformed-order-id',
    'refunds.create.ids-of-others',
    refundingByPattern(),
  ),
  fed(
    'refunds.situations.read-again',
    fault(
      'refund-query-invents',
      'Shows a made-up refund for every merchantRefundOrderId that it does not know.',
      'refunds.errors.refund-not-found',
      'refunds.query.asked.made',
      onlyFor(isRefundQuery, async (request, server) => {
        const answer = await server.forward(request);
        const id = ownRefundIdOf(request);
        if (answer.status !== 404 || id === undefined) return answer;
        return refundSuccess({ ...inventedRefund(request), merchantRefundOrderId: id, acquiringOrderId: 'unknown' });
      }),
    ),
  ),
  fed(
    'refunds.situations.repeated',
    fault(
      'refund-query-shows-ids-in-capitals',
      'Shows in refunds.query every merchantRefundOrderId in capitals.',
      'refunds.query.by-merchant-refund-order-id',
      'refunds.query.asked.id',
      showingRefunds(inCapitals('merchantRefundOrderId'), isRefundQuery),
    ),
  ),
  fed(
    'refunds.situations.read-again',
    fault(
      'refund-query-remembers-misses',
      'Remembers for five seconds that a query found no refund.',
      'refunds.query.by-merchant-refund-order-id',
      'refunds.query.effects.found',
      rememberingMisses(5000),
    ),
  ),
  fault(
    'failed-refund-taken-up-again',
    'Takes a refund up again that has failed.',
    'refunds.states.final',
    'refunds.state.final-by-every-way',
    completedAfterFailure,
  ),
  fault(
    'refused-refunds-situations-read-again',
    'Refuses every refund.',
    'refunds.create.accepted',
    'refunds.situations.read-again',
    onlyFor(isOf('refunds.create'), async (request, server) =>
      isRightlySigned(request, server) ? refundRefusal(400, 'INVALID_PARAMETER') : server.forward(request),
    ),
  ),
  fault(
    'balance-of-any-currency',
    'Pays a refund from the balance of any currency.',
    'refunds.errors.insufficient-balance',
    'refunds.balance.other-currency',
    drawingOnEveryBalance,
  ),
  fault(
    'refund-period-from-creation',
    'Counts the refund period from the creation of the order.',
    'refunds.errors.period-from-payment',
    'refunds.errors.period-expired.from-payment',
    countingFrom('createdAt'),
  ),
  fault(
    'refund-period-from-expiry',
    'Counts the refund period from the time at which the order would have expired.',
    'refunds.errors.period-from-payment',
    'refunds.errors.period-expired.from-payment',
    countingFrom('expiresAt'),
  ),
  fault(
    'refund-period-in-usd-from-creation',
    'Counts the refund period of an order in USD from its creation.',
    'refunds.errors.period-from-payment',
    'refunds.errors.period-expired.from-payment',
    countingFrom('createdAt', ({ request }) => request.orderAmount.currency === 'USD'),
  ),
  fault(
    'refund-period-of-checkout-orders-from-creation',
    'Counts the refund period of a checkout order from its creation.',
    'refunds.errors.period-from-payment',
    'refunds.errors.period-expired.from-payment',
    countingFrom('createdAt', ({ product }) => product === 'checkout'),
  ),
  fault(
    'refund-period-by-exchange-from-creation',
    'Counts the refund period of an order that an exchange paid from its creation.',
    'refunds.errors.period-from-payment',
    'refunds.errors.period-expired.from-payment',
    countingFrom('createdAt', ({ payment }) => payment?.paymentMethod !== 'ON_CHAIN_TRANSFER'),
  ),
  fault(
    'refund-period-from-an-expiry-before-the-payment',
    'Counts the refund period of an order that was paid after its expiry from the expiry.',
    'refunds.errors.period-from-payment',
    'refunds.errors.period-expired.from-payment',
    countingFrom('expiresAt', ({ paidAt, expiresAt }) => paidAt !== null && paidAt > expiresAt),
  ),
];
