import { isObject, type JsonObject, valueAt } from '../../../contract/json.ts';
import type { OperationArea } from '../../../contract/operations.ts';
import { successCode } from '../../../contract/success-code.ts';
import {
  bodyOf,
  isHosted,
  isHostedCreate,
  isHostedQuery,
  isOf,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  queriedId,
  refusal,
} from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { type Handler, resigned } from '../../stand/proxy.ts';
import {
  isRefundBatch,
  isRefundQuery,
  keepingRefused,
  parameterOf,
  refundRefusal,
  refundSuccess,
} from '../../stand/refund-changes.ts';
import { feeds } from './feeds.ts';

/** Carries out a create before it checks the signature. */
const makingBeforeAuthentication = (area: OperationArea): Handler =>
  onlyFor(isOf(`${area}.create`), async (request, server) => {
    const merchant = server.merchant(merchantIdOf(request));
    if (merchant && !isRightlySigned(request, server)) await server.forward(resigned(request, merchant));
    return server.forward(request);
  });

const early = (area: OperationArea, feed: string): Fault => ({
  id: `${area}-made-before-authentication`,
  title: `Makes what a create of ${area} asks for before it looks at the signature.`,
  breaks: 'auth.refused-changes-nothing',
  caughtBy: `${area}.create.effects.refused`,
  feeds: [feed],
  make: { merchantApi: makingBeforeAuthentication(area) },
});

/** Finds no refund when the query uses this parameter. */
const losingBy = (parameter: string): Handler =>
  onlyFor(
    (request) => isRefundQuery(request) && parameterOf(request, parameter) !== undefined,
    async (request, server) => {
      const answer = await server.forward(request);
      return bodyOf(answer)?.code === successCode ? refundRefusal(404, 'REFUND_NOT_FOUND') : answer;
    },
  );

/** Answers each query for which `applies` is true as if the order did not exist. */
const losing = (applies: Parameters<typeof onlyFor>[0]): Handler =>
  onlyFor(applies, async (request, server) => {
    const answer = await server.forward(request);
    return bodyOf(answer)?.code === successCode ? refusal(request, '40001', 'there is no such order') : answer;
  });

/** A server that finds no order of a shape by its platform id. It tells the shape from the create, or from what a query shows. */
function losingByPlatformId(isCreated: (body: JsonObject) => boolean, isShown: (view: JsonObject) => boolean): Make {
  const lost = new Set<unknown>();
  return {
    merchantApi: onlyFor(isHosted, async (request, server) => {
      const answer = await server.forward(request);
      const view = valueAt(bodyOf(answer), ['data']);
      if (!isObject(view)) return answer;
      if (isHostedCreate(request)) {
        if (isCreated(bodyOf(request) ?? {})) lost.add(view.orderId);
        return answer;
      }
      const isLost = view.orderId === queriedId(request) && (lost.has(view.orderId) || isShown(view));
      return isLost ? refusal(request, '40001', 'there is no such order') : answer;
    }),
  };
}

const never = () => false;

/** Orders that are lost by their platform ids, in words. */
const shapesLost: readonly Fault[] = (
  [
    ['split', 'is split among sub-merchants', ({ subMerchants }) => subMerchants !== undefined, never],
    ['with-items', 'has items', ({ items }) => items !== undefined, never],
    ['with-long-description', 'has a long description', ({ description }) => String(description).length > 255, never],
    ['in-usd', 'is priced in USD', ({ orderAmount }) => valueAt(orderAmount, ['currency']) === 'USD', never],
    ['on-chain-only', 'may be paid on chain only', ({ paymentMethodConfig: config }) => isOnChainOnly(config), never],
    ['paid', 'is paid', never, ({ status }: JsonObject) => status === 'SUCCEEDED'],
  ] as const satisfies readonly (readonly [
    id: string,
    words: string,
    isCreated: (body: JsonObject) => boolean,
    isShown: (view: JsonObject) => boolean,
  ])[]
).map(
  ([id, words, isCreated, isShown]): Fault => ({
    id: `orders-lost-by-platform-id-${id}`,
    title: `Finds no hosted order by its platform id that ${words}.`,
    breaks: 'orders.query.by-order-id',
    caughtBy: 'orders.query.effects.by-order-id',
    feeds: ['orders.query.by-order-id', 'orders.combinations'],
    make: losingByPlatformId(isCreated, isShown),
  }),
);

const isOnChainOnly = (config: unknown) =>
  JSON.stringify(valueAt(config, ['allowedPaymentMethodTypes'])) === '["ON_CHAIN_TRANSFER"]';

/** Wrong servers that the invariant `effects` must find. */
export const effectFaults: readonly Fault[] = [
  ...shapesLost,
  early('orders', 'auth.orders.create.other-secret'),
  early('checkout', 'auth.checkout.create.wrong-signature'),
  early('refunds', 'auth.refunds.create.wrong-signature'),
  {
    id: 'refund-kept-though-refused',
    title: 'Keeps the record of a refund whose create it refused, and shows it.',
    breaks: 'refunds.errors.refused',
    caughtBy: 'refunds.create.effects.refused',
    feeds: ['refunds.errors.invalid-parameter'],
    make: { merchantApi: keepingRefused(({ status }) => status === 400) },
  },
  {
    id: 'orders-not-written-down',
    title: 'Accepts hosted orders that no query finds.',
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.query.effects.found',
    feeds: [feeds['orders.query']?.success ?? ''],
    make: { merchantApi: losing(isHostedQuery) },
  },
  {
    id: 'ended-orders-lost-by-platform-id',
    title: 'Finds no hosted order by its platform id that ended without a payment.',
    breaks: 'orders.query.by-order-id',
    caughtBy: 'orders.query.effects.by-order-id',
    feeds: ['orders.situations.repeated'],
    make: {
      merchantApi: onlyFor(isHostedQuery, async (request, server) => {
        const answer = await server.forward(request);
        const isLost =
          valueAt(bodyOf(answer), ['data', 'status']) === 'CLOSED' &&
          valueAt(bodyOf(answer), ['data', 'orderId']) === queriedId(request);
        return isLost ? refusal(request, '40001', 'there is no such order') : answer;
      }),
    },
  },
  {
    id: 'checkout-orders-not-written-down',
    title: 'Accepts checkout orders that no query finds.',
    breaks: 'checkout.query.by-merchant-order-id',
    caughtBy: 'checkout.query.effects.found',
    feeds: [feeds['checkout.query']?.success ?? ''],
    make: { merchantApi: losing(isOf('checkout.query')) },
  },
  {
    id: 'refunds-lost-by-own-id',
    title: 'Finds no refund by its merchantRefundOrderId.',
    breaks: 'refunds.query.by-merchant-refund-order-id',
    caughtBy: 'refunds.query.effects.found',
    feeds: ['refunds.query.by-merchant-refund-order-id'],
    make: { merchantApi: losingBy('merchantRefundOrderId') },
  },
  {
    id: 'refunds-lost-by-platform-id',
    title: 'Finds no refund by its refundOrderId.',
    breaks: 'refunds.query.by-refund-order-id',
    caughtBy: 'refunds.query.effects.found',
    feeds: ['refunds.query.by-refund-order-id'],
    make: { merchantApi: losingBy('refundOrderId') },
  },
  {
    id: 'refunds-lost-in-batches',
    title: 'Leaves out the last refund of every batch.',
    breaks: 'refunds.batch-query.known',
    caughtBy: 'refunds.batch-query.effects.found',
    feeds: ['refunds.batch-query.known'],
    make: {
      merchantApi: onlyFor(isRefundBatch, async (request, server) => {
        const answer = await server.forward(request);
        const { code, data } = bodyOf(answer) ?? {};
        return code === successCode && Array.isArray(data) ? refundSuccess(data.slice(0, -1)) : answer;
      }),
    },
  },
];
