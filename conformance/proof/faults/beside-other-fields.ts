import { isObject, type JsonObject, valueAt } from '../../contract/json.ts';
import { bodyOf, firstOf, isOf, merchantIdOf, onlyFor, readingBodies, refusal, showing } from '../stand/changes.ts';
import type { Fault } from '../stand/fault.ts';
import type { Handler } from '../stand/proxy.ts';
import { isRefundCreate, isRefundQuery, ownRefundIdOf, refundRefusal } from '../stand/refund-changes.ts';

// Servers that break a rule for what was made in a certain way alone, where the rule has nothing to do with that way.

/** A server that does otherwise with the orders whose create had a body of which `test` is true. */
function forThoseMadeBy(
  operation: 'orders.create' | 'checkout.create',
  test: (body: JsonObject) => boolean,
  otherwise: (isMeant: (id: unknown) => boolean) => Handler,
): Handler {
  const meant = new Set<unknown>();
  const noticing: Handler = onlyFor(isOf(operation), async (request, server) => {
    const answer = await server.forward(request);
    if (test(bodyOf(request) ?? {})) meant.add(valueAt(bodyOf(answer), ['data', 'orderId']));
    return answer;
  });
  return firstOf(
    noticing,
    otherwise((id) => meant.has(id)),
  );
}

/** Shows an order of an operation otherwise where it is one of those that are meant. */
const shownIn =
  (operation: string, change: (view: JsonObject) => JsonObject) =>
  (isMeant: (id: unknown) => boolean): Handler =>
    onlyFor(
      isOf(operation),
      showing((view) => (isMeant(view.orderId) ? change(view) : view)),
    );

/** A server that keeps the metadata of the first create under an id of a checkout order, also where it refuses that. */
function keepingMetadataOfRefused(): Handler {
  const first = new Map<string, unknown>();
  return onlyFor(isOf('checkout.create'), async (request, server) => {
    const { merchantOrderId, metadata } = bodyOf(request) ?? {};
    const id = `${merchantIdOf(request)} ${merchantOrderId}`;
    if (!first.has(id)) first.set(id, metadata);
    const kept = first.get(id);
    return showing((view) => (kept === undefined ? view : { ...view, metadata: kept }))(request, server);
  });
}

/** Wrong servers whose fault shows beside something else only. */
export const besideOtherFieldFaults: readonly Fault[] = [
  {
    id: 'checkout-metadata-of-refused-kept',
    title: 'Shows the metadata of a refused create of a checkout order in the answer to the right one under its id.',
    breaks: 'checkout.create.metadata.unchanged',
    caughtBy: 'checkout.create.echo.metadata',
    feeds: ['checkout.create.corrected'],
    make: { merchantApi: keepingMetadataOfRefused() },
  },
  {
    id: 'orders-paid-at-missing-after-whole-seconds',
    title: 'Shows no paidAt of a hosted order whose expiresAt was given in whole seconds.',
    breaks: 'orders.view.paid-fields',
    caughtBy: 'orders.query.presence.status',
    make: {
      merchantApi: forThoseMadeBy(
        'orders.create',
        ({ expiresAt }) => /:\d\dZ$/.test(String(expiresAt)),
        shownIn('orders.query', (view) => ({ ...view, paidAt: null })),
      ),
    },
  },
  {
    id: 'checkout-underpaid-beside-a-description',
    title: 'Shows a checkout order with a description as SUCCEEDED for which too little was paid.',
    breaks: 'checkout.payment-rule',
    caughtBy: 'checkout.payments.too-little',
    make: {
      merchantApi: forThoseMadeBy(
        'checkout.create',
        ({ description }) => description !== undefined,
        shownIn('checkout.query', (view) => (view.status === 'FAILED' ? { ...view, status: 'SUCCEEDED' } : view)),
      ),
    },
  },
  {
    id: 'orders-with-items-not-refunded',
    title: 'Refunds no hosted order whose create had items.',
    breaks: 'refunds.create.accepted',
    caughtBy: 'refunds.create.minimal',
    make: {
      merchantApi: forThoseMadeBy(
        'orders.create',
        ({ items }) => Array.isArray(items) && items.length > 0,
        (isMeant) =>
          onlyFor(isRefundCreate, async (request, server) =>
            isMeant(bodyOf(request)?.acquiringOrderId)
              ? refundRefusal(404, 'ORDER_NOT_FOUND')
              : server.forward(request),
          ),
      ),
    },
  },
  {
    id: 'orders-cancelled-lost-beside-an-ip-address',
    title: 'Finds no hosted order that was closed and whose create had a customerIp.',
    breaks: 'orders.query.by-merchant-order-id',
    caughtBy: 'orders.query.effects.found',
    make: {
      merchantApi: forThoseMadeBy(
        'orders.create',
        ({ customerIp }) => customerIp !== undefined,
        (isMeant) =>
          onlyFor(isOf('orders.query'), async (request, server) => {
            const answer = await server.forward(request);
            const view = valueAt(bodyOf(answer), ['data']);
            const isLost = isObject(view) && view.status === 'CLOSED' && isMeant(view.orderId);
            return isLost ? refusal(request, '40001', 'there is no such order') : answer;
          }),
      ),
    },
  },
  {
    id: 'refunds-lost-with-a-quotation-mark',
    title: 'Finds no refund by a merchantRefundOrderId with a quotation mark, which it takes.',
    breaks: 'refunds.query.by-merchant-refund-order-id',
    caughtBy: 'refunds.situations.escaped-ids',
    make: {
      merchantApi: onlyFor(isRefundQuery, async (request, server) =>
        ownRefundIdOf(request)?.includes('"') ? refundRefusal(404, 'REFUND_NOT_FOUND') : server.forward(request),
      ),
    },
  },
  {
    id: 'orders-callback-address-unread-beside-no-configuration',
    title: 'Takes any callbackUrl of a hosted create whose paymentMethodConfig is null.',
    breaks: 'orders.create.callback-url.https',
    caughtBy: 'orders.create.callbackUrl.pattern',
    make: {
      merchantApi: readingBodies('orders.create', (body) =>
        body.paymentMethodConfig === null && typeof body.callbackUrl === 'string'
          ? { ...body, callbackUrl: 'https://shop.example/hooks' }
          : body,
      ),
    },
  },
];
