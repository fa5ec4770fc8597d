import { isObject, type JsonObject } from '../../../contract/json.ts';
import {
  bodyOf,
  changing,
  isOf,
  isQuery,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  queriedId,
  refusingBodies,
  showing,
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

const products = ['orders', 'checkout'] as const;
const unknown = { orders: 'orders.errors.unknown-order', checkout: 'checkout.errors.unknown-order' } as const;

/** A server that looks in one table for the orders of both products: a query finds those of the other one by their platform ids. */
function findingOthers(operation: 'orders.query' | 'checkout.query'): Handler {
  const seen = new Map<string, ProxyAnswer>();
  return async (request, server) => {
    const answer = await server.forward(request);
    const { code, data } = bodyOf(answer) ?? {};
    const key = (id: unknown) => `${merchantIdOf(request)} ${id}`;
    if (code === '00000' && isObject(data) && typeof data.orderId === 'string') seen.set(key(data.orderId), answer);
    const other = isOf(operation)(request) && code !== '00000' ? seen.get(key(queriedId(request))) : undefined;
    return other && isRightlySigned(request, server) ? other : answer;
  };
}

/** A server that finds a refund by any id of it or of its order, wherever it stands in a query. */
function findingByAnyId(): Handler {
  const seen = new Map<string, JsonObject>();
  const names = ['refundOrderId', 'merchantRefundOrderId', 'acquiringOrderId', 'merchantOrderId'];
  return async (request, server) => {
    const answer = await server.forward(request);
    const { code, data } = bodyOf(answer) ?? {};
    const key = (id: unknown) => `${merchantIdOf(request)} ${id}`;
    if (code === '00000' && isObject(data)) for (const name of names) seen.set(key(data[name]), data);
    if (!isRefundQuery(request) || code === '00000') return answer;
    const asked = names.flatMap((name) => parameterOf(request, name) ?? []);
    const found = asked.map((id) => seen.get(key(id))).find((each) => each?.refundOrderId !== undefined);
    return found ? refundSuccess(found) : answer;
  };
}

/** A server that refunds an order under its merchantOrderId too. */
function refundingByOwnId(): Handler {
  const orders = new Map<string, unknown>();
  return async (request, server) => {
    const body = bodyOf(request);
    const orderId = isOf('refunds.create')(request) ? orders.get(String(body?.acquiringOrderId)) : undefined;
    if (body && typeof orderId === 'string') {
      return server.forward(sending(request, { ...body, acquiringOrderId: orderId }, server));
    }
    const answer = await server.forward(request);
    const { data } = bodyOf(answer) ?? {};
    if (isOf('orders.create')(request) && isObject(data)) orders.set(String(data.merchantOrderId), data.orderId);
    return answer;
  };
}

/** A server that answers a query from memory for a while, in milliseconds. */
function answeringFromMemory(operation: string, lifetime: number): Handler {
  const kept = new Map<string, { answer: ProxyAnswer; at: number }>();
  return onlyFor(isOf(operation), async (request, server) => {
    const known = kept.get(request.target);
    if (known && Date.now() - known.at < lifetime) return known.answer;
    const answer = await server.forward(request);
    kept.set(request.target, { answer, at: Date.now() });
    return answer;
  });
}

/** A server whose orders that failed although they were paid in full are taken for paid when a confirmation comes in. */
const confirmedAfterFailure = (product: 'orders' | 'checkout'): Make => ({
  parts: (parts) => {
    const right = parts.states[product];
    const move = { from: 'FAILED', event: 'payment_confirmed', when: 'paidInFull', to: 'SUCCEEDED' } as const;
    const changed = { ...right, transitions: [...right.transitions, move] };
    return { ...parts, states: { ...parts.states, [product]: changed }, validateResponses: false };
  },
});

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

/** A server that counts the refund period from the creation of the order. */
const countingFromCreation: Make = {
  parts: storing((records) => ({
    lockOrder: async (merchantId, orderId) => {
      const order = await records.lockOrder(merchantId, orderId);
      return order?.status === 'SUCCEEDED' ? { ...order, paidAt: order.createdAt } : order;
    },
  })),
};

const inCapitals = (field: string) => changing(field, (id) => String(id).toUpperCase());
const always = () => true;

const ofProducts: readonly Fault[] = products.flatMap((area) => {
  const query = `${area}.query` as const;
  return [
    fault(
      `${area}-query-finds-other-product`,
      `Finds in ${query} the orders of the other product by their platform ids.`,
      unknown[area],
      `${query}.ids-of-others`,
      findingOthers(query),
    ),
    fed(
      `${query}.ids-of-others`,
      fault(
        `${area}-query-shows-what-was-never-made`,
        `Shows in ${query} an order that the merchant has made with the other product.`,
        unknown[area],
        `${query}.asked.made`,
        findingOthers(query),
      ),
    ),
    fault(
      `${area}-query-shows-ids-in-capitals`,
      `Shows in ${query} every merchantOrderId in capitals.`,
      `${area}.query.by-merchant-order-id`,
      `${query}.asked.id`,
      onlyFor(isOf(query), showing(inCapitals('merchantOrderId'))),
    ),
    fed(
      `${area}.situations.read-again`,
      fault(
        `${area}-query-from-memory`,
        `Answers ${query} from memory for five seconds.`,
        `${area}.query.by-merchant-order-id`,
        `${query}.refunded.status`,
        answeringFromMemory(query, 5000),
      ),
    ),
    fault(
      `${area}-confirmed-after-failure`,
      'Takes an order for paid that failed, when the confirmation of its whole payment comes in.',
      `${area}.states.final`,
      `${area}.state.final-by-every-way`,
      confirmedAfterFailure(area),
    ),
    fault(
      `refused-${area}-situations-read-again`,
      'Refuses every order.',
      `${area}.create.accepted`,
      `${area}.situations.read-again`,
      refusingBodies(`${area}.create`, always),
    ),
  ];
});

const refundOperations = ['refunds.create', 'refunds.query', 'refunds.batch-query'] as const;

const ofRefunds: readonly Fault[] = [
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
    refundingByOwnId(),
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
  fault(
    'refund-query-shows-ids-in-capitals',
    'Shows in refunds.query every merchantRefundOrderId in capitals.',
    'refunds.query.by-merchant-refund-order-id',
    'refunds.query.asked.id',
    showingRefunds(inCapitals('merchantRefundOrderId'), isRefundQuery),
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
    countingFromCreation,
  ),
];

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

const ofHosted: readonly Fault[] = [
  fault(
    'hosted-receiver-is-the-payer',
    'Shows the address that paid a hosted order as the one that was paid.',
    'orders.view.payment-detail',
    'orders.query.money.receiver',
    onlyFor(
      isQuery,
      showing((view) => {
        const detail = view.cryptoPaymentDetail;
        return isObject(detail) ? { ...view, cryptoPaymentDetail: { ...detail, toAddress: detail.fromAddress } } : view;
      }),
    ),
  ),
  fault(
    'conversion-to-cents',
    'Converts prices in USD to hundredths of a coin.',
    'orders.view.crypto-paid-amount',
    'orders.query.money.converted-amount',
    onlyFor(isQuery, showing(changing('cryptoPaidAmount.value', (value) => Number(value).toFixed(2)))),
  ),
];

/** Wrong servers that show something else than was asked for, or take one thing for another. */
export const askedFaults: readonly Fault[] = [...ofProducts, ...ofRefunds, ...ofHosted];
