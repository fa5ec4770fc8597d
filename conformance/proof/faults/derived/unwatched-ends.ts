import type { RequirementId } from '../../../../generated/catalogue-ids.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { isCheckout, isHosted, merchantIdOf, onlyFor, showing } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { followingClocks } from '../../stand/order-changes.ts';
import type { Handler, ProxyRequest } from '../../stand/proxy.ts';
import { showingRefunds } from '../../stand/refund-changes.ts';

/** A server that notes the moment of an end when it shows it for the first time. */
function datingAtFirstSight(
  idField: string,
  moments: Readonly<Record<string, string>>,
  show: (change: (view: JsonObject, request: ProxyRequest) => JsonObject) => Handler,
): Make {
  const { now, control } = followingClocks();
  const seen = new Map<unknown, string>();
  return {
    control,
    merchantApi: show((view, request) => {
      const moment = moments[String(view.status)];
      if (moment === undefined) return view;
      const shown = seen.get(view[idField]) ?? new Date(now(merchantIdOf(request))).toISOString();
      seen.set(view[idField], shown);
      return { ...view, [moment]: shown };
    }),
  };
}

const paid = (noun: string, area: 'orders' | 'checkout', breaks: RequirementId): Fault => ({
  id: `${area}-paid-when-asked-for`,
  title: `Shows as paidAt when ${noun} that was paid is asked for for the first time.`,
  breaks,
  caughtBy: `${area}.query.unwatched-end`,
  make: datingAtFirstSight('orderId', { SUCCEEDED: 'paidAt' }, (change) =>
    onlyFor(area === 'orders' ? isHosted : isCheckout, showing(change)),
  ),
});

/** Wrong servers that take the moment at which somebody looks for the one at which something happened. */
export const unwatchedEndFaults: readonly Fault[] = [
  paid('a hosted order', 'orders', 'orders.view.moments'),
  paid('a checkout order', 'checkout', 'checkout.view.moments'),
  {
    id: 'refunds-ended-when-asked-for',
    title: 'Shows as completedTime or failedTime when a refund that has ended is asked for for the first time.',
    breaks: 'refunds.record.moments',
    caughtBy: 'refunds.query.unwatched-end',
    make: datingAtFirstSight('refundOrderId', { SUCCEEDED: 'completedTime', FAILED: 'failedTime' }, showingRefunds),
  },
];
