import type { RequirementId } from '../../../../generated/catalogue.ts';
import { isObject } from '../../../contract/json.ts';
import {
  answeringJson,
  changing,
  isHostedCreate,
  isHostedQuery,
  isOf,
  onlyFor,
  showing,
  storing,
} from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { eightHoursAhead } from '../../stand/order-changes.ts';
import type { Handler } from '../../stand/proxy.ts';
import { isRefundBatch, isRefundCreate, isRefundQuery, showingRefunds } from '../../stand/refund-changes.ts';

/** A wrong server that the rule finds in the exchanges of one check. */
function fault(
  id: string,
  title: string,
  [breaks, caughtBy, feed]: [RequirementId, string, string],
  make: Make | Handler,
): Fault {
  return {
    id,
    title,
    breaks,
    caughtBy,
    feeds: [feed],
    make: typeof make === 'function' ? { merchantApi: make } : make,
  };
}

const hour = 3_600_000;

const later = (by: number) => (time: unknown) => new Date(Date.parse(String(time)) + by).toISOString();

/** The time with its epoch seconds read as milliseconds: a time in January 1970. */
const inSeconds = (time: unknown) => new Date(Math.floor(Date.parse(String(time)) / 1000)).toISOString();

const orderFaults: readonly Fault[] = [
  fault(
    'created-order-in-local-time',
    'Writes createdAt of a new order in local time as if it were UTC.',
    ['orders.view.moments', 'orders.create.times.created-at', 'orders.view.init'],
    onlyFor(isHostedCreate, showing(changing('createdAt', eightHoursAhead))),
  ),
  fault(
    'order-dated-by-last-change',
    'Shows the time of the last change of an order as its createdAt.',
    ['orders.view.moments', 'orders.query.times.created-at', 'orders.state.init.expired'],
    {
      parts: storing((records) => ({
        updateOrder: (order) =>
          records.updateOrder(order.status === 'CLOSED' ? { ...order, createdAt: order.expiresAt } : order),
      })),
    },
  ),
  fault(
    'order-paid-an-hour-later',
    'Shows paidAt of an order in winter time.',
    ['orders.view.moments', 'orders.query.times.paid-at', 'orders.view.succeeded'],
    onlyFor(isHostedQuery, showing(changing('paidAt', later(hour)))),
  ),
  fault(
    'order-paid-before-it-was-made',
    'Shows as paidAt of an order when the payer was last seen.',
    ['orders.view.moments', 'orders.query.times.paid-at', 'orders.view.succeeded'],
    onlyFor(
      isHostedQuery,
      showing((view) => (view.paidAt ? { ...view, paidAt: later(-hour)(view.createdAt) } : view)),
    ),
  ),
  fault(
    'created-checkout-order-in-1970',
    'Takes seconds for milliseconds where it writes createdAt of a new checkout order.',
    ['checkout.view.moments', 'checkout.create.times.created-at', 'checkout.view.init'],
    onlyFor(isOf('checkout.create'), showing(changing('createdAt', inSeconds))),
  ),
  fault(
    'checkout-order-dated-by-expiry',
    'Shows half an hour before its expiry as createdAt of a checkout order.',
    ['checkout.view.moments', 'checkout.query.times.created-at', 'checkout.view.init'],
    onlyFor(
      isOf('checkout.query'),
      showing((view) => ({ ...view, createdAt: later(-2 * hour)(view.expiresAt) })),
    ),
  ),
  fault(
    'checkout-order-paid-in-local-time',
    'Writes paidAt of a checkout order in local time as if it were UTC.',
    ['checkout.view.moments', 'checkout.query.times.paid-at', 'checkout.view.succeeded'],
    onlyFor(isOf('checkout.query'), showing(changing('paidAt', eightHoursAhead))),
  ),
  {
    id: 'order-hours-to-twelve',
    title: 'Shows times of hosted orders with the hours of a clock face.',
    breaks: 'orders.view.echo',
    caughtBy: 'orders.query.echo.expires-at',
    feeds: ['orders.situations.created'],
    make: {
      merchantApi: onlyFor(
        isHostedQuery,
        answeringJson((envelope) => {
          if (!isObject(envelope.data)) return envelope;
          const expiresAt = String(envelope.data.expiresAt).replace(/T(\d\d)/, (_, hours) => {
            return `T${String(Number(hours) % 12 || 12).padStart(2, '0')}`;
          });
          return { ...envelope, data: { ...envelope.data, expiresAt } };
        }),
      ),
    },
  },
];

const refundFaults: readonly Fault[] = [
  fault(
    'created-refund-in-local-time',
    'Writes createdTime of a new refund in local time as if it were UTC.',
    ['refunds.record.moments', 'refunds.create.times.created-time', 'refunds.record.platform-id'],
    showingRefunds(changing('createdTime', eightHoursAhead), isRefundCreate),
  ),
  fault(
    'refund-done-before-it-began',
    'Says that a new refund will be done before it was made.',
    ['refunds.create.estimated-completion', 'refunds.create.times.estimated-completion', 'refunds.record.platform-id'],
    showingRefunds(
      (record) => ({ ...record, estimatedCompletionTime: later(-hour)(record.createdTime) }),
      isRefundCreate,
    ),
  ),
  fault(
    'queried-refund-in-1970',
    'Takes seconds for milliseconds where it writes createdTime in the answer to a query.',
    ['refunds.record.moments', 'refunds.query.times.created-time', 'refunds.record.pending'],
    showingRefunds(changing('createdTime', inSeconds), isRefundQuery),
  ),
  fault(
    'batch-of-refunds-an-hour-off',
    'Shows createdTime of the refunds in a batch in winter time.',
    ['refunds.record.moments', 'refunds.batch-query.times.created-time', 'refunds.batch-query.known'],
    showingRefunds(changing('createdTime', later(hour)), isRefundBatch),
  ),
  fault(
    'refund-completed-as-estimated',
    'Shows the estimate as completedTime of a refund.',
    ['refunds.record.moments', 'refunds.query.times.end-time', 'refunds.record.succeeded'],
    showingRefunds(
      (record) => (record.completedTime ? { ...record, completedTime: later(72 * hour)(record.createdTime) } : record),
      isRefundQuery,
    ),
  ),
  fault(
    'refund-failed-in-local-time',
    'Writes failedTime of a refund in local time as if it were UTC.',
    ['refunds.record.moments', 'refunds.query.times.end-time', 'refunds.record.failed'],
    showingRefunds(changing('failedTime', eightHoursAhead), isRefundQuery),
  ),
  fault(
    'refund-closed-an-hour-early',
    'Shows closedTime of a refund an hour too early.',
    ['refunds.record.moments', 'refunds.query.times.end-time', 'refunds.record.closed'],
    showingRefunds(changing('closedTime', later(-hour)), isRefundQuery),
  ),
  fault(
    'batch-of-refunds-completed-in-1970',
    'Takes seconds for milliseconds where it writes completedTime of the refunds in a batch.',
    ['refunds.record.moments', 'refunds.batch-query.times.end-time', 'refunds.batch-query.current'],
    showingRefunds(changing('completedTime', inSeconds), isRefundBatch),
  ),
];

/** Wrong servers whose times differ from the times of the events. */
export const timeFaults: readonly Fault[] = [...orderFaults, ...refundFaults];
