import type { RequirementId } from '../../../../generated/catalogue.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { answeringJson, bodyOf, isOf, onlyFor, recordOfEvent, showing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import type { Handler } from '../../stand/proxy.ts';
import { showingIn, without } from '../../stand/refund-changes.ts';
import { feeds, idOf } from './feeds.ts';

/** A server that changes the views of an operation with `change`, both single views and views in lists. */
export const showingViews = (operation: string, change: (view: JsonObject) => JsonObject): Handler =>
  onlyFor(
    isOf(operation),
    answeringJson((envelope) => {
      const { code, data } = envelope;
      if (code !== successCode) return envelope;
      if (Array.isArray(data)) {
        return { ...envelope, data: data.map((view: unknown) => (isObject(view) ? change(view) : view)) };
      }
      return isObject(data) ? { ...envelope, data: change(data) } : envelope;
    }),
  );

const left: Readonly<Record<string, readonly [string, RequirementId]>> = {
  'orders.create': ['checkoutUrl', 'orders.view.fields'],
  'orders.query': ['cryptoPaymentDetail', 'orders.view.fields'],
  'checkout.payment-methods': ['paymentMethods', 'checkout.envelope.success'],
  'checkout.create': ['networkDisplayName', 'checkout.view.fields'],
  'checkout.query': ['depositAddress', 'checkout.view.fields'],
  'refunds.create': ['paymentMethod', 'refunds.record.fields'],
  'refunds.query': ['merchantOrderId', 'refunds.record.fields'],
  'refunds.batch-query': ['refundCurrency', 'refunds.record.fields'],
};

const leavingOut: readonly Fault[] = Object.entries(left).map(([operation, [field, breaks]]) => ({
  id: `${idOf(operation)}-without-${field.toLowerCase()}`,
  title: `Leaves out ${field} in the successes of ${operation}.`,
  breaks,
  caughtBy: `${operation}.presence.fields`,
  feeds: [feeds[operation]?.success ?? ''],
  make: { merchantApi: showingViews(operation, without(field)) },
}));

/** Fields that have a value, or are null, in a status to which they do not belong. */
const tooEarly: Readonly<Record<string, readonly [JsonObject, RequirementId]>> = {
  'orders.create': [{ paidAt: '1970-01-01T00:00:00Z' }, 'orders.view.unpaid-nulls'],
  'orders.query': [{ cryptoPaymentDetail: {} }, 'orders.view.unpaid-nulls'],
  'checkout.create': [{ paidAt: '' }, 'checkout.view.unpaid'],
  'checkout.query': [{ cryptoPaidAmount: { value: '0', currency: 'USDT' } }, 'checkout.view.unpaid'],
  'refunds.create': [{ completedTime: null }, 'refunds.record.completed'],
  'refunds.query': [{ failedTime: null }, 'refunds.record.failed'],
  'refunds.batch-query': [{ closedTime: '' }, 'refunds.record.closed'],
};

const showingTooEarly: readonly Fault[] = Object.entries(tooEarly).map(([operation, [fields, breaks]]) => ({
  id: `${idOf(operation)}-shows-${Object.keys(fields).join().toLowerCase()}-too-early`,
  title: `Shows ${JSON.stringify(fields)} in ${operation} before there is anything to show.`,
  breaks,
  caughtBy: `${operation}.presence.status`,
  feeds: [feeds[operation]?.success ?? ''],
  make: { merchantApi: showingViews(operation, (view) => ({ ...view, ...fields })) },
}));

/** A server that shows what is owed for a hosted order as paid while the payment of an exchange is under way. */
function showingExchangesAtOnce(): Make {
  const exchanged = new Set<unknown>();
  return {
    control: (request, server) => {
      const orderId = recordOfEvent('orders', request);
      const method = bodyOf(request)?.paymentMethod;
      if (orderId !== undefined && String(method).startsWith('EXCHANGE')) exchanged.add(orderId);
      return server.forward(request);
    },
    merchantApi: showingViews('orders.query', (view) =>
      view.status === 'PROCESSING' && exchanged.has(view.orderId)
        ? { ...view, cryptoPaidAmount: { value: '9.50', currency: 'USDT' } }
        : view,
    ),
  };
}

/** Wrong servers that the invariant `presence` must find. */
export const presenceFaults: readonly Fault[] = [
  ...leavingOut,
  ...showingTooEarly,
  {
    id: 'paid-order-without-paid-at',
    title: 'Has a null paidAt in paid orders.',
    breaks: 'orders.view.paid-fields',
    caughtBy: 'orders.query.presence.status',
    feeds: ['orders.view.succeeded'],
    make: { merchantApi: showing((view) => (view.status === 'SUCCEEDED' ? { ...view, paidAt: null } : view)) },
  },
  {
    id: 'paid-checkout-order-without-detail',
    title: 'Leaves out the transaction of paid checkout orders.',
    breaks: 'checkout.view.paid-fields',
    caughtBy: 'checkout.query.presence.status',
    feeds: ['checkout.view.succeeded'],
    make: { merchantApi: showingViews('checkout.query', without('cryptoPaymentDetail')) },
  },
  {
    id: 'refund-failed-without-its-message',
    title: 'Says in a code alone why a refund failed.',
    breaks: 'refunds.record.failed',
    caughtBy: 'refunds.query.presence.status',
    feeds: ['refunds.record.failed'],
    make: { merchantApi: showingIn('FAILED', without('errorMessage')) },
  },
  {
    id: 'refund-message-for-usual-failures-only',
    title: 'Leaves out why a refund failed where that was not for want of funds at the exchange.',
    breaks: 'refunds.record.failed',
    caughtBy: 'refunds.query.presence.status',
    feeds: ['refunds.situations.time-passes'],
    make: {
      merchantApi: showingIn('FAILED', (record) =>
        record.errorCode === 'EXCHANGE_BALANCE_INSUFFICIENT' ? record : without('errorMessage')(record),
      ),
    },
  },
  {
    id: 'checkout-repeat-shows-payment',
    title: 'Answers a repeated checkout create of a paid order with the view of a query.',
    breaks: 'checkout.view.fields',
    caughtBy: 'checkout.create.presence.payment',
    feeds: ['checkout.create.repeat.paid-view'],
    make: {
      merchantApi: showingViews('checkout.create', (view) =>
        view.status === 'SUCCEEDED' ? { ...view, paidAt: view.createdAt } : view,
      ),
    },
  },
  {
    id: 'hosted-exchange-payment-shown-at-once',
    title: 'Shows the payment of a hosted order by an exchange as made while it is under way.',
    breaks: 'orders.view.unpaid-nulls',
    caughtBy: 'orders.query.presence.status',
    feeds: ['orders.situations.time-passes'],
    make: showingExchangesAtOnce(),
  },
  {
    id: 'empty-list-of-payment-methods-null',
    title: 'Shows null as the list of the payment methods of a merchant that has none.',
    breaks: 'checkout.envelope.success',
    caughtBy: 'checkout.payment-methods.presence.fields',
    feeds: ['checkout.payment-methods.own-list'],
    make: {
      merchantApi: showingViews('checkout.payment-methods', (view) =>
        [view.paymentMethods].flat().length === 0 ? { ...view, paymentMethods: null } : view,
      ),
    },
  },
  {
    id: 'refund-accepted-without-estimate',
    title: 'Does not say in the answer that accepts a refund when it will probably be done.',
    breaks: 'refunds.create.estimated-completion',
    caughtBy: 'refunds.create.presence.estimated-completion',
    feeds: ['refunds.create.minimal'],
    make: { merchantApi: showingViews('refunds.create', without('estimatedCompletionTime')) },
  },
];
