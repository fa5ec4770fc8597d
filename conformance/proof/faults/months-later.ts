import type { RequirementId } from '../../../generated/catalogue.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { OperationArea } from '../../contract/operations.ts';
import {
  bodyOf,
  changing,
  isHostedQuery,
  isOf,
  merchantIdOf,
  onlyFor,
  queriedId,
  refusal,
  showing,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { followingClocks } from '../stand/order-changes.ts';
import type { Handler, ProxyRequest } from '../stand/proxy.ts';
import { parameterOf, refundRefusal, refundSuccess, showingRefunds } from '../stand/refund-changes.ts';

const [week, month, year] = [7 * 86_400_000, 30 * 86_400_000, 365 * 86_400_000];

/** A server that finds nothing in an operation that was made more than a year ago, where the request `applies`. */
function forgettingAfterYear(operation: string, applies: (request: ProxyRequest) => boolean): Make {
  const { now, control } = followingClocks();
  return {
    control,
    merchantApi: onlyFor(isOf(operation), async (request, server) => {
      const answer = await server.forward(request);
      const { data } = bodyOf(answer) ?? {};
      const [shown] = Array.isArray(data) ? data : [data];
      const made = isObject(shown) ? Date.parse(String(shown.createdAt ?? shown.createdTime)) : Number.NaN;
      if (!applies(request) || !(made < now(merchantIdOf(request)) - year)) return answer;
      if (operation === 'refunds.batch-query') return refundSuccess([]);
      return operation === 'refunds.query'
        ? refundRefusal(404, 'REFUND_NOT_FOUND')
        : refusal(request, '40001', 'there is no such order');
    }),
  };
}

const byPlatformId = (request: ProxyRequest) => queriedId(request)?.startsWith('ord.') === true;
const asksBy = (name: string) => (request: ProxyRequest) => parameterOf(request, name) !== undefined;

const forgetting = (name: string, words: string, breaks: RequirementId, caughtBy: string, make: Make): Fault => ({
  id: `${name}-forgotten-after-a-year`,
  title: `Finds no ${words} any more that was made more than a year ago.`,
  breaks,
  caughtBy,
  make,
});

/** A server that shows what has FAILED as CLOSED a month later. `since`: when it came to that, or later, in what is shown. */
function closingAfterMonth(
  shows: (change: (view: JsonObject, request: ProxyRequest) => JsonObject) => Handler,
  since: string,
  close: (view: JsonObject) => JsonObject = (view) => view,
): Make {
  const { now, control } = followingClocks();
  const merchantApi = shows((view, request) => {
    const isOld = Date.parse(String(view[since])) < now(merchantIdOf(request)) - month;
    return view.status === 'FAILED' && isOld ? { ...close(view), status: 'CLOSED' } : view;
  });
  return { control, merchantApi };
}

const last = new Date(2 ** 31 * 1000 - 1000);

/** A time that is not later than the last one of 32 bits. */
const atMostOf32Bits = (time: unknown) => (Date.parse(String(time)) > last.getTime() ? last.toISOString() : time);

/** A server that shows an empty object as extraData of refunds of checkout orders that were made more than a week ago. */
function losingExtraDataAfterWeek(): Make {
  const { now, control } = followingClocks();
  const ofCheckout = new Set<unknown>();
  const shows = showingRefunds((view, request) => {
    const isOld = Date.parse(String(view.createdTime)) < now(merchantIdOf(request)) - week;
    return isOld && ofCheckout.has(view.acquiringOrderId) ? { ...view, extraData: '{}' } : view;
  });
  return {
    control,
    merchantApi: async (request, server) => {
      const answer = await shows(request, server);
      const data = isOf('checkout.create')(request) ? bodyOf(answer)?.data : undefined;
      if (isObject(data)) ofCheckout.add(data.orderId);
      return answer;
    },
  };
}

/** A server that keeps six places of the amount of a hosted order for longer than a week. */
function roundingAfterWeek(): Make {
  const { now, control } = followingClocks();
  return {
    control,
    merchantApi: onlyFor(
      isHostedQuery,
      showing((view, request) =>
        Date.parse(String(view.createdAt)) < now(merchantIdOf(request)) - week
          ? changing('orderAmount.value', (value) => String(value).replace(/(\.\d{6})\d+$/, '$1'))(view)
          : view,
      ),
    ),
  };
}

const closing = (area: OperationArea, words: string, make: Make): Fault => ({
  id: `${area}-closed-after-a-month`,
  title: `Closes ${words} a month after it has failed.`,
  breaks: `${area}.states.final`,
  caughtBy: `${area}.state.final-by-every-way`,
  make,
});

/** Wrong servers that keep for a month or a year only what they have acknowledged. */
export const monthsLaterFaults: readonly Fault[] = [
  forgetting(
    'order',
    'hosted order by its merchantOrderId',
    'orders.query.by-merchant-order-id',
    'orders.query.months-later',
    forgettingAfterYear('orders.query', (request) => !byPlatformId(request)),
  ),
  forgetting(
    'order-by-platform-id',
    "hosted order by the platform's id",
    'orders.query.by-order-id',
    'orders.query.by-order-id.months-later',
    forgettingAfterYear('orders.query', byPlatformId),
  ),
  forgetting(
    'checkout-order',
    'checkout order',
    'checkout.query.by-merchant-order-id',
    'checkout.query.months-later',
    forgettingAfterYear('checkout.query', () => true),
  ),
  forgetting(
    'refund',
    'refund by its merchantRefundOrderId',
    'refunds.query.by-merchant-refund-order-id',
    'refunds.query.months-later',
    forgettingAfterYear('refunds.query', asksBy('merchantRefundOrderId')),
  ),
  forgetting(
    'refund-in-batches',
    'refund in a batch',
    'refunds.batch-query.known',
    'refunds.query.months-later',
    forgettingAfterYear('refunds.batch-query', () => true),
  ),
  closing(
    'orders',
    'an order',
    closingAfterMonth((change) => onlyFor(isHostedQuery, showing(change)), 'expiresAt'),
  ),
  closing(
    'checkout',
    'a checkout order',
    closingAfterMonth((change) => onlyFor(isOf('checkout.query'), showing(change)), 'expiresAt'),
  ),
  closing(
    'refunds',
    'a refund',
    closingAfterMonth(
      showingRefunds,
      'failedTime',
      ({ failedTime, errorCode: _code, errorMessage: _message, ...view }) => ({
        ...view,
        closedTime: failedTime,
      }),
    ),
  ),
  {
    id: 'refund-times-of-32-bits',
    title: 'Keeps the times of refunds as seconds in 32 bits, which end in 2038.',
    breaks: 'refunds.record.moments',
    caughtBy: 'refunds.create.times.created-time',
    feeds: ['refunds.situations.months-later'],
    make: { merchantApi: showingRefunds(changing('createdTime', atMostOf32Bits)) },
  },
  {
    id: 'refund-extra-data-lost-after-a-week',
    title: 'Shows an empty object as extraData of a refund of a checkout order when a week has passed.',
    breaks: 'refunds.record.extra-data',
    caughtBy: 'refunds.query.echo.extra-data',
    feeds: ['refunds.query.months-later'],
    make: losingExtraDataAfterWeek(),
  },
  {
    id: 'order-amount-rounded-after-a-week',
    title: 'Shows the amount of a hosted order with six places at most when a week has passed.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.query.echo.amount',
    feeds: ['orders.situations.months-later'],
    make: roundingAfterWeek(),
  },
];
