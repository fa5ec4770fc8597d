import { errorCode } from '../../../contract/error-codes.ts';
import {
  answeringJson,
  isHostedQuery,
  notFindingPlatformIds,
  onlyFor,
  queriedId,
  showing,
} from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import {
  acceptingImpossibleIds,
  answeringUnknownOrder,
  emptySuccess,
  servingTheKeysMerchant,
  sharedOrders,
  showingTheFirstView,
  showingTheNewest,
  tellingOfOthers,
} from '../../stand/order-changes.ts';

/** Wrong servers of the queries of hosted orders. */
export const orderQueryFaults: readonly Fault[] = [
  {
    id: 'views-never-refreshed',
    title: 'Shows an order as it was when it was made, whatever has become of it.',
    breaks: 'orders.states.detected',
    caughtBy: 'orders.state.init.transaction-detected',
    make: { merchantApi: showingTheFirstView() },
  },
  {
    id: 'newest-order-shown',
    title: "Answers each query with the merchant's newest order.",
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.query.by-merchant-order-id',
    make: { merchantApi: showingTheNewest() },
  },
  ...(
    [
      ['host', 'the host that the query names'],
      ['x-forwarded-host', 'the host that a proxy names'],
    ] as const
  ).map(
    ([header, words]): Fault => ({
      id: `page-at-${header}`,
      title: `Shows the page of an order under ${words}.`,
      breaks: 'orders.view.constant',
      caughtBy: 'orders.query.other-host',
      make: {
        merchantApi: onlyFor(
          isHostedQuery,
          showing((view, { headers }) => ({
            ...view,
            checkoutUrl: String(view.checkoutUrl).replace(/(?<=:\/\/)[^/]+/, (host) => headers[header] ?? host),
          })),
        ),
      },
    }),
  ),
  {
    id: 'order-id-changes',
    title: 'Shows another orderId each time an order is asked for.',
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.query.by-merchant-order-id',
    make: {
      merchantApi: showing((view) => ({ ...view, orderId: `${view.orderId}-${Math.random().toString(36).slice(2)}` })),
    },
  },
  {
    id: 'platform-id-not-found',
    title: 'Finds orders by merchantOrderId only.',
    breaks: 'orders.query.by-order-id',
    caughtBy: 'orders.query.by-order-id',
    make: { merchantApi: notFindingPlatformIds },
  },
  {
    id: 'unknown-order-success',
    title: 'Answers a query for an order that does not exist with success and no data.',
    breaks: 'orders.errors.unknown-order',
    caughtBy: 'orders.query.unknown',
    make: { merchantApi: answeringJson((envelope) => (envelope.code === '40001' ? emptySuccess : envelope)) },
  },
  {
    id: 'unknown-order-code-404',
    title: 'Answers a query for an order that does not exist with code 404.',
    breaks: 'orders.errors.unknown-order',
    caughtBy: 'orders.query.unknown',
    make: answeringUnknownOrder(isHostedQuery, (envelope) => ({ ...envelope, code: '404' })),
  },
  {
    id: 'unknown-order-invalid-parameter',
    title: 'Answers a query for an order that does not exist as one with a wrong parameter.',
    breaks: 'orders.errors.unknown-order',
    caughtBy: 'orders.query.unknown',
    make: answeringUnknownOrder(isHostedQuery, (envelope) => ({ ...envelope, code: '10001' })),
  },
  {
    id: 'unknown-longest-id-invalid-parameter',
    title:
      'Answers a query for an order that does not exist as one with a wrong parameter, where the id is as long as it may be.',
    breaks: 'orders.errors.unknown-order',
    caughtBy: 'orders.query.unknown',
    make: answeringUnknownOrder(
      (request) => isHostedQuery(request) && queriedId(request)?.length === 64,
      (envelope) => ({ ...envelope, code: errorCode('orders', 'INVALID_PARAMETER') }),
    ),
  },
  {
    id: 'impossible-id-success',
    title: 'Answers a query for an id of the wrong form with success and no data.',
    breaks: 'orders.query.malformed-id',
    caughtBy: 'orders.query.impossible-id',
    make: acceptingImpossibleIds(/^[A-Za-z0-9_.-]{16,64}$/),
  },
  {
    id: 'orders-shared-by-merchants',
    title: 'Shows an order to every merchant that knows its id.',
    breaks: 'orders.query.other-merchant',
    caughtBy: 'orders.query.other-merchant',
    make: sharedOrders(),
  },
  {
    id: 'refusal-tells-of-others',
    title: 'Tells a merchant the platform id of the order of another that it asked for.',
    breaks: 'orders.query.other-merchant',
    caughtBy: 'orders.query.other-merchant',
    make: { merchantApi: tellingOfOthers() },
  },
  {
    id: 'path-merchant-ignored',
    title: 'Serves the merchant of the key, whoever stands in the path.',
    breaks: 'orders.errors.unknown-merchant',
    caughtBy: 'orders.errors.unknown-merchant',
    make: {
      merchantApi: servingTheKeysMerchant,
    },
  },
];
