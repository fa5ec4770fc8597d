import { limit } from '../../../generated/catalogue.ts';
import { isObject } from '../../contract/json.ts';
import { ageOf } from '../stand/auth-changes.ts';
import {
  answeringJson,
  bodyOf,
  isHostedQuery,
  isOf,
  isRightlySigned,
  onlyFor,
  readingBodies,
  refusal,
  showing,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import type { Handler, ProxyAnswer, ProxyRequest } from '../stand/proxy.ts';
import { refundRefusal } from '../stand/refund-changes.ts';

/** A server that reads the names of fields without regard to the case of their first letter. The last of two such fields counts. */
const heedingNoCase = (area: 'orders' | 'checkout' | 'refunds', id: string, breaks: Fault['breaks']): Fault => ({
  id: `${area}-names-in-any-case`,
  title: `Takes a field whose name begins with a capital letter for the one of ${area}.create with a small one.`,
  breaks,
  caughtBy: `${area}.create.echo.${id}`,
  feeds: [`${area}.create.unknown-field`],
  make: {
    merchantApi: readingBodies(`${area}.create`, (body) =>
      Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value]),
      ),
    ),
  },
});

/** A server that reads a create into the record that it makes, and so shows `field` as the create names it, which only answers have. */
const takenFromCreate = (
  area: 'orders' | 'checkout' | 'refunds',
  name: 'status' | 'platform-id',
  field: string,
  breaks: Fault['breaks'],
  left?: string,
): Fault => ({
  id: `${area}-${name}-taken-from-create${left === undefined ? '' : `-except-${left.toLowerCase()}`}`,
  title: `Shows the ${field} that a ${area}.create names, as the answer to it has one${left === undefined ? '' : `, except ${left}`}.`,
  breaks,
  caughtBy: `${area}.create.fields-of-answers`,
  make: {
    merchantApi: onlyFor(
      isOf(`${area}.create`),
      answeringJson((envelope, request) => {
        const named = bodyOf(request)?.[field];
        return named !== undefined && named !== left && isObject(envelope.data)
          ? { ...envelope, data: { ...envelope.data, [field]: named } }
          : envelope;
      }),
    ),
  },
});

/** A server that notes the id of a create before it looks whether the timestamp is too old. */
function notingIdsFirst(area: 'orders' | 'checkout' | 'refunds', refuse: (request: ProxyRequest) => ProxyAnswer): Make {
  const noted = new Set<unknown>();
  return {
    merchantApi: onlyFor(isOf(`${area}.create`), (request, server) => {
      const { merchantOrderId, merchantRefundOrderId } = bodyOf(request) ?? {};
      const id = merchantRefundOrderId ?? merchantOrderId;
      if (isRightlySigned(request, server) && ageOf(request) > limit('auth.timestamp.window', 'max')) noted.add(id);
      else if (noted.has(id)) return Promise.resolve(refuse(request));
      return server.forward(request);
    }),
  };
}

const notesFirst = (...[area, refuse]: Parameters<typeof notingIdsFirst>): Fault => ({
  id: `${area}-ids-noted-before-the-timestamp-is-read`,
  title: 'Takes the id of a create that was refused for its timestamp for used.',
  breaks: `${area}.create.accepted`,
  caughtBy: `${area}.situations.repeated`,
  make: notingIdsFirst(area, refuse),
});

/** A server that takes the expiry of a hosted create over into the order that has its id, where it refuses it for another price. */
function keepingExpiryOfRefused(): Handler {
  const expiries = new Map<unknown, unknown>();
  return async (request, server) => {
    const answer = await server.forward(request);
    const { merchantOrderId, expiresAt } = bodyOf(request) ?? {};
    if (isOf('orders.create')(request) && bodyOf(answer)?.code === '20001') expiries.set(merchantOrderId, expiresAt);
    const show = showing((view) => {
      const kept = expiries.get(view.merchantOrderId);
      return kept === undefined ? view : { ...view, expiresAt: kept };
    });
    return isHostedQuery(request) ? show(request, { ...server, forward: () => Promise.resolve(answer) }) : answer;
  };
}

/** Wrong servers that take more from a create than it says, or something from one that they refuse. */
export const readFromCreateFaults: readonly Fault[] = [
  heedingNoCase('orders', 'merchant-order-id', 'orders.view.echo'),
  heedingNoCase('checkout', 'merchant-order-id', 'checkout.view.echo'),
  heedingNoCase('refunds', 'acquiring-order-id', 'refunds.record.references'),
  takenFromCreate('orders', 'status', 'status', 'orders.states.initial'),
  takenFromCreate('orders', 'status', 'status', 'orders.states.initial', 'SUCCEEDED'),
  takenFromCreate('checkout', 'status', 'status', 'checkout.states.initial', 'SUCCEEDED'),
  takenFromCreate('refunds', 'status', 'status', 'refunds.create.accepted', 'SUCCEEDED'),
  takenFromCreate('orders', 'platform-id', 'orderId', 'orders.view.order-id'),
  takenFromCreate('checkout', 'status', 'status', 'checkout.states.initial'),
  takenFromCreate('checkout', 'platform-id', 'orderId', 'checkout.view.order-id'),
  takenFromCreate('refunds', 'status', 'status', 'refunds.create.accepted'),
  takenFromCreate('refunds', 'platform-id', 'refundOrderId', 'refunds.record.platform-id'),
  notesFirst('orders', (request) => refusal(request, '20001', 'the merchantOrderId is used')),
  notesFirst('checkout', (request) => refusal(request, '20001', 'the merchantOrderId is used')),
  notesFirst('refunds', () => refundRefusal(400, 'IDEMPOTENCY_CONFLICT', 'the merchantRefundOrderId is used')),
  {
    id: 'refused-repeat-changes-the-expiry',
    title:
      'Takes the expiry of a create over into the order that has its id, although it refuses it for another price.',
    breaks: 'orders.view.constant',
    caughtBy: 'orders.query.constant.expires-at',
    feeds: ['orders.situations.repeated'],
    make: { merchantApi: keepingExpiryOfRefused() },
  },
];
