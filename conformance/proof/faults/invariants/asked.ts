import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import {
  answeringFromMemory,
  bodyOf,
  changing,
  isHostedQuery,
  isOf,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  queriedId,
  refusal,
  refusingBodies,
  showing,
} from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import type { Handler, ProxyAnswer, ProxyRequest } from '../../stand/proxy.ts';

const fault = faultsCaughtBy('');
const fed = (by: string, each: Fault): Fault => ({ ...each, feeds: [by] });

const products = ['orders', 'checkout'] as const;
const unknown = { orders: 'orders.errors.unknown-order', checkout: 'checkout.errors.unknown-order' } as const;

/**
 * A server that looks in one table for the orders of both products: a query finds those of the other one by such an id, where it has one. `answered`:
 * how it answers then; absent: as the query for the other one was answered.
 */
function findingOthers(
  operation: 'orders.query' | 'checkout.query',
  idOf: (view: JsonObject) => unknown,
  answered: (request: ProxyRequest, other: ProxyAnswer) => ProxyAnswer = (_request, other) => other,
): Handler {
  const seen = new Map<string, ProxyAnswer>();
  return async (request, server) => {
    const answer = await server.forward(request);
    const { code, data } = bodyOf(answer) ?? {};
    const key = (id: unknown) => `${merchantIdOf(request)} ${id}`;
    const id = code === successCode && isObject(data) ? idOf(data) : undefined;
    if (typeof id === 'string') seen.set(key(id), answer);
    const other = isOf(operation)(request) && code !== successCode ? seen.get(key(queriedId(request))) : undefined;
    return other && isRightlySigned(request, server) ? answered(request, other) : answer;
  };
}

const platformId = ({ orderId }: JsonObject) => orderId;
const ownId = ({ merchantOrderId }: JsonObject) => merchantOrderId;
const ownIdOnceSucceeded = ({ merchantOrderId, status }: JsonObject) =>
  status === 'SUCCEEDED' ? merchantOrderId : undefined;

/** A server whose orders that failed although they were paid in full are taken for paid when a confirmation comes in. */
const confirmedAfterFailure = (product: 'orders' | 'checkout'): Make => ({
  parts: (parts) => {
    const right = parts.states[product];
    const move = { from: 'FAILED', event: 'payment_confirmed', when: 'paidInFull', to: 'SUCCEEDED' } as const;
    const changed = { ...right, transitions: [...right.transitions, move] };
    return { ...parts, states: { ...parts.states, [product]: changed }, validateResponses: false };
  },
});

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
      findingOthers(query, platformId),
    ),
    fault(
      `${area}-query-finds-paid-order-of-other-product`,
      `Finds in ${query} the paid orders of the other product by their merchantOrderId.`,
      unknown[area],
      `${query}.ids-of-others`,
      findingOthers(query, ownIdOnceSucceeded),
    ),
    fault(
      `${area}-query-fails-at-other-product`,
      `Fails in ${query} at the merchantOrderId of an order of the other product.`,
      unknown[area],
      `${query}.ids-of-others`,
      findingOthers(query, ownId, (request) => refusal(request, '99999', 'system error')),
    ),
    fed(
      `${query}.ids-of-others`,
      fault(
        `${area}-query-shows-what-was-never-made`,
        `Shows in ${query} an order that the merchant has made with the other product.`,
        unknown[area],
        `${query}.asked.made`,
        findingOthers(query, platformId),
      ),
    ),
    fed(
      `${area}.situations.created`,
      fault(
        `${area}-query-shows-ids-in-capitals`,
        `Shows in ${query} every merchantOrderId in capitals.`,
        `${area}.query.by-merchant-order-id`,
        `${query}.asked.id`,
        onlyFor(isOf(query), showing(inCapitals('merchantOrderId'))),
      ),
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

const ofHosted: readonly Fault[] = [
  fed(
    'orders.situations.paid-on-chain',
    fault(
      'hosted-receiver-is-the-payer',
      'Shows the address that paid a hosted order as the one that was paid.',
      'orders.view.payment-detail',
      'orders.query.money.receiver',
      onlyFor(
        isHostedQuery,
        showing((view) => {
          const detail = view.cryptoPaymentDetail;
          return isObject(detail)
            ? { ...view, cryptoPaymentDetail: { ...detail, toAddress: detail.fromAddress } }
            : view;
        }),
      ),
    ),
  ),
  fed(
    'orders.situations.converted',
    fault(
      'conversion-to-cents',
      'Converts prices in USD to hundredths of a coin.',
      'orders.view.crypto-paid-amount',
      'orders.query.money.converted-amount',
      onlyFor(isHostedQuery, showing(changing('cryptoPaidAmount.value', (value) => Number(value).toFixed(2)))),
    ),
  ),
];

/** Wrong servers that show something else than was asked for, or take one thing for another. */
export const askedFaults: readonly Fault[] = [...ofProducts, ...ofHosted];
