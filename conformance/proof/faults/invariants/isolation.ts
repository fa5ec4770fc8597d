import { isObject } from '../../../contract/json.ts';
import { contractOperations } from '../../../contract/operations.ts';
import { answering, answeringJson, bodyOf, isOf, showingEach } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { sharedNamespace, sharedOrders, tellingOfOthers } from '../../stand/order-changes.ts';
import { sharedRefunds } from '../../stand/refund-changes.ts';

const breaks = 'general.isolation';

/**
 * A server with one variable for the requests of all merchants: the answers of an operation name the order or refund
 * made last in their area by any merchant.
 */
function namingTheLast(operation: string): Make {
  const [area] = operation.split('.');
  let last: unknown;
  return {
    merchantApi: answeringJson((envelope, request) => {
      const { data } = envelope;
      const answered =
        isOf(operation)(request) && last !== undefined
          ? { ...envelope, message: `${String(envelope.message)} (after ${String(last)})` }
          : envelope;
      if (isOf(`${area}.create`)(request) && isObject(data)) last = data.refundOrderId ?? data.orderId ?? last;
      return answered;
    }),
  };
}

/** The checks in which an operation answers a merchant after another merchant has made an order or refund. */
const feeds: Readonly<Record<string, readonly string[]>> = {
  'orders.create': ['orders.create.other-merchant'],
  'orders.query': ['orders.create.other-merchant'],
  'checkout.payment-methods': ['checkout.create.repeat.other-merchant', 'checkout.other-merchant.each-state'],
  'checkout.create': ['checkout.create.repeat.other-merchant'],
  'checkout.query': ['checkout.create.repeat.other-merchant'],
  'refunds.create': ['refunds.create.repeat.other-merchant'],
  'refunds.query': ['refunds.create.repeat.other-merchant', 'refunds.query.other-merchant'],
  'refunds.batch-query': ['refunds.batch-query.other-merchant'],
};

const lasts: readonly Fault[] = contractOperations.map(({ name }) => ({
  id: `${name.replace('.', '-')}-names-the-last`,
  title: `Names in the answers of ${name} what was made last, whichever merchant made it.`,
  breaks,
  caughtBy: `${name}.isolation.other-merchant`,
  feeds: feeds[name] ?? [],
  make: namingTheLast(name),
}));

const leak = (id: string, title: string, operation: string, make: Make, ...by: readonly string[]): Fault => ({
  id,
  title,
  breaks,
  caughtBy: `${operation}.isolation.other-merchant`,
  feeds: by,
  make,
});

/** A server that shows of a payment whose payer nobody has named the one that was named last, whoever's payment that was. */
function showingTheLastPayer(): Make {
  const isNamed = (address: string) => !/^(TTest|0x7e57)/.test(address);
  let last: string | undefined;
  return {
    merchantApi: showingEach('orders.query', (view) => {
      const detail = view.cryptoPaymentDetail;
      if (!isObject(detail) || typeof detail.fromAddress !== 'string') return view;
      if (isNamed(detail.fromAddress)) last = detail.fromAddress;
      return { ...view, cryptoPaymentDetail: { ...detail, fromAddress: last ?? detail.fromAddress } };
    }),
  };
}

/** A server whose answers have a header that names the order made last by any merchant. */
function namingTheLastInAHeader(): Make {
  let last: unknown;
  return {
    merchantApi: answering((answer, request) => {
      const named = last === undefined ? answer : { ...answer, headers: { ...answer.headers, 'x-last': String(last) } };
      if (isOf('orders.create')(request)) last = Object(bodyOf(answer)?.data).orderId ?? last;
      return named;
    }),
  };
}

const shared: readonly Fault[] = [
  leak(
    'orders-create-names-the-last-in-a-header',
    'Names the order that was made last by any merchant in a header of every answer.',
    'orders.create',
    namingTheLastInAHeader(),
    'orders.create.other-merchant',
  ),
  leak(
    'orders-query-shows-the-last-payer',
    'Shows of a payment whose payer nobody has named the one that was named last, whoever had been paid.',
    'orders.query',
    showingTheLastPayer(),
    'orders.situations.paid-on-chain',
    'orders.situations.paid-by-exchange',
  ),
  leak(
    'orders-of-all-merchants-are-found',
    'Shows a hosted order to every merchant that knows its id.',
    'orders.query',
    sharedOrders(),
    'orders.query.other-merchant',
  ),
  leak(
    'checkout-orders-of-all-merchants-are-found',
    'Shows a checkout order to every merchant that knows its id.',
    'checkout.query',
    sharedOrders(),
    'checkout.query.other-merchant',
  ),
  leak(
    'refusal-names-the-order-of-another',
    'Tells a merchant the platform id of an order that it is refused.',
    'orders.query',
    { merchantApi: tellingOfOthers() },
    'orders.query.other-merchant',
  ),
  leak(
    'order-create-shows-the-order-of-another',
    'Answers a create of a hosted order with the order that another merchant has under the id.',
    'orders.create',
    sharedNamespace('hosted', { leaking: true }),
    'orders.create.other-merchant',
  ),
  leak(
    'checkout-create-shows-the-order-of-another',
    'Answers a create of a checkout order with the order that another merchant has under the id.',
    'checkout.create',
    sharedNamespace('checkout', { leaking: true }),
    'checkout.create.repeat.other-merchant',
  ),
  leak(
    'refunds-of-all-merchants-are-found',
    'Shows a refund to every merchant that knows one of its ids.',
    'refunds.query',
    sharedRefunds('query'),
    'refunds.query.other-merchant',
  ),
  leak(
    'batches-of-all-merchants-are-found',
    'Shows in a batch the refunds of all merchants.',
    'refunds.batch-query',
    sharedRefunds('batch'),
    'refunds.batch-query.other-merchant',
  ),
];

/** A server whose webhooks name the order of the previous event, even if it is another merchant's. */
function webhooksNamingTheLast(): Make {
  return {
    webhooks: () => {
      let previous: unknown;
      return (webhook, send) => {
        const event = bodyOf({ body: Buffer.from(webhook.body) }) ?? {};
        const body = JSON.stringify({ ...event, previous });
        previous = event.refundOrderId ?? event.acquiringOrderId ?? previous;
        return send({ ...webhook, body });
      };
    },
  };
}

const webhooks: readonly Fault[] = (
  [
    ['order', ['webhooks.order.post', 'webhooks.order.identifies']],
    ['checkout-order', ['webhooks.checkout-order.paid', 'webhooks.checkout-order.failed']],
    ['refund', ['webhooks.refund.payload', 'webhooks.refund.signed']],
  ] as const
).map(([kind, by]) => ({
  id: `webhook-of-${kind}-names-the-last`,
  title: `Names in the webhooks of a ${kind.replace('-', ' ')} the one before, whichever merchant's it was.`,
  breaks,
  caughtBy: `webhooks.${kind}.isolation.other-merchant`,
  feeds: by,
  make: webhooksNamingTheLast(),
}));

/** Wrong servers that reveal data of one merchant to another. */
export const isolationFaults: readonly Fault[] = [...lasts, ...shared, ...webhooks];
