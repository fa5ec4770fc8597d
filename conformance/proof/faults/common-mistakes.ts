import { isObject, valueAt } from '../../contract/json.ts';
import {
  bodyOf,
  hasText,
  isHosted,
  isHostedQuery,
  isOf,
  jsonAnswer,
  merchantIdOf,
  onlyFor,
  refusingBodies,
  refusingCreates,
  showing,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import { type Handler, type ProxyRequest, signed, splitTarget } from '../stand/proxy.ts';
import { acknowledged, eventOf, sending } from '../stand/webhook-changes.ts';

/** A server that leaves an order open which was made with an expiry in the past. */
function leavingOpen(): Make {
  const late = new Set<unknown>();
  return {
    parts: (parts) => ({ ...parts, choices: { ...parts.choices, 'orders-expiry-past': 'past-accepted' } }),
    merchantApi: onlyFor(
      isHosted,
      showing((view) => {
        const { orderId, expiresAt, createdAt } = view;
        if (Date.parse(String(expiresAt)) < Date.parse(String(createdAt))) late.add(orderId);
        return late.has(orderId) && view.status === 'CLOSED' ? { ...view, status: 'INIT' } : view;
      }),
    ),
  };
}

/** A server that serves the queries of hosted orders of another merchant than the one in the path, where the request names one. */
const servingAnother =
  (named: (request: ProxyRequest) => string | null | undefined): Handler =>
  (request, server) => {
    const other = isHostedQuery(request) ? server.merchant(named(request) ?? '') : undefined;
    if (!other) return server.forward(request);
    const { path } = splitTarget(request.target);
    const target = path.replace(`/merchants/${merchantIdOf(request)}/`, () => `/merchants/${other.merchantId}/`);
    return server.forward(signed({ ...request, target }, other));
  };

const uuid = /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;

/** A server that drops the webhooks about orders whose create had long metadata. */
function longDropped(): Make {
  const long = new Set<unknown>();
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const { metadata } = bodyOf(request) ?? {};
      const data = bodyOf(answer)?.data;
      if (typeof metadata === 'string' && metadata.length > 300 && isObject(data)) long.add(data.orderId);
      return answer;
    },
    ...sending(async (webhook, send) => (long.has(eventOf(webhook).acquiringOrderId) ? acknowledged : send(webhook))),
  };
}

/** Wrong servers with mistakes that are common, each seen in the shape that it has in production. */
export const commonMistakeFaults: readonly Fault[] = [
  {
    id: 'order-made-expired-stays-open',
    title: 'Leaves a hosted order open that was made with an expiry in the past.',
    breaks: 'orders.states.expired',
    caughtBy: 'orders.create.expired-at-once',
    make: leavingOpen(),
  },
  ...(
    [
      ['header', ({ headers }) => headers['x-merchant-id']],
      ['query', ({ target }) => new URLSearchParams(splitTarget(target).query ?? '').get('merchantId')],
    ] as const satisfies readonly [string, (request: ProxyRequest) => string | null | undefined][]
  ).map(
    ([place, named]): Fault => ({
      id: `order-query-of-the-merchant-in-the-${place}`,
      title: `Shows the hosted orders of the merchant that a ${place} names, whoever signs.`,
      breaks: 'orders.query.other-merchant',
      caughtBy: 'orders.query.other-merchant',
      make: { merchantApi: servingAnother(named) },
    }),
  ),
  {
    id: 'uuids-in-small-letters',
    title: 'Puts the letters of a merchantOrderId that is a UUID into small ones.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.create.look-alike-texts',
    make: {
      merchantApi: onlyFor(
        isHosted,
        showing((view) => {
          const id = String(view.merchantOrderId);
          return uuid.test(id) ? { ...view, merchantOrderId: id.toLowerCase() } : view;
        }),
      ),
    },
  },
  {
    id: 'descriptions-filtered',
    title: 'Refuses a description that a filter takes for an attack.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.free-texts',
    make: { merchantApi: refusingCreates(hasText('description', (text) => /<script|union select/i.test(text))) },
  },
  {
    id: 'orders-over-100-kb-refused',
    title: 'Refuses a create of a hosted order whose body has more than 100 kB.',
    breaks: 'orders.create.accepted',
    caughtBy: 'orders.situations.created',
    make: {
      merchantApi: async (request, server) =>
        isOf('orders.create')(request) && request.body.length > 102_400
          ? jsonAnswer({ error: 'request entity too large' }, 413)
          : server.forward(request),
    },
  },
  ...(['orders', 'checkout'] as const).map(
    (product): Fault => ({
      id: `${product}-five-minutes-ahead-at-least`,
      title: `Refuses a create of ${product === 'orders' ? 'a hosted order' : 'a checkout order'} that expires in less than five minutes.`,
      breaks: `${product}.create.accepted`,
      caughtBy: `${product}.situations.created`,
      make: {
        merchantApi: refusingBodies(
          `${product}.create`,
          hasText('expiresAt', (text) => Date.parse(text) - Date.now() < 300_000),
        ),
      },
    }),
  ),
  {
    id: 'bound-of-zero-taken-for-one',
    title: 'Takes a lower bound of 0 for one of 1.',
    breaks: 'checkout.amount.range',
    caughtBy: 'checkout.create.amount.own-bounds',
    make: {
      merchantApi: refusingBodies(
        'checkout.create',
        (body) => body.network === 'arbitrum' && Number(valueAt(body, ['orderAmount', 'value'])) < 1,
      ),
    },
  },
  {
    id: 'conditions-taken-for-true',
    title: 'Answers a request with If-None-Match with HTTP 304, whatever it names.',
    breaks: 'auth.signature.without-body',
    caughtBy: 'auth.orders.query.further-headers',
    make: {
      merchantApi: async (request, server) =>
        request.headers['if-none-match'] === undefined ? server.forward(request) : jsonAnswer({}, 304),
    },
  },
  {
    id: 'order-query-fails-at-bytes-that-are-no-text',
    title: 'Fails with a system error at a query for an id whose escapes are no UTF-8.',
    breaks: 'orders.query.malformed-id',
    caughtBy: 'orders.query.hostile-address',
    make: {
      merchantApi: async (request, server) =>
        isHostedQuery(request) && /%ff/i.test(request.target)
          ? jsonAnswer({ error: 'cannot decode byte 0xff' }, 500)
          : server.forward(request),
    },
  },
  {
    id: 'long-events-dropped',
    title: 'Drops the announcement of an order with long metadata.',
    breaks: 'webhooks.order.paid',
    caughtBy: 'orders.combinations',
    make: longDropped(),
  },
];
