import { type Ledger, reserve } from '../../../../server/domain/ledger.ts';
import type { Merchant } from '../../../../server/domain/merchant.ts';
import type { Refund } from '../../../../server/domain/refund.ts';
import { answeringJson, bodyOf, changing, merchantIdOf, onlyFor, storing } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { eightHoursAhead } from '../../stand/order-changes.ts';
import type { ProxyRequest } from '../../stand/proxy.ts';
import {
  asking,
  crediting,
  isOfRefunds,
  isRefundCreate,
  parameterOf,
  refundRefusal,
  showingRefunds,
  withFee,
} from '../../stand/refund-changes.ts';
import { noticingRestarts, recovering } from '../../stand/restart-changes.ts';
import { asDouble, cut, idIn, inWholeSeconds, renamed, showingAfterStart, shownIn, writtenAfter } from './changes.ts';

const fault = faultsCaughtBy('');

/** A server that has forgotten the refunds that it acknowledged shortly before it ended. */
function forgettingRefunds(): Make {
  let recent = new Map<string, number>();
  const lost = new Set<string>();
  return {
    restarts: true,
    control: noticingRestarts(() => {
      for (const [id, at] of recent) if (Date.now() - at < 5 * writtenAfter) lost.add(id);
      recent = new Map();
    }),
    merchantApi: async (request, server) => {
      const id = [...lost].find((each) => request.target.includes(each));
      if (id !== undefined) return server.forward(renamed(request, server, id, `${id}-lost`));
      const answer = await server.forward(request);
      const made = isOfRefunds(request) ? idIn(request) : undefined;
      if (made !== undefined && answer.status === 200) recent.set(made, Date.now());
      return answer;
    },
  };
}

/** A merchant whose ledger is changed by a refund. */
const changed = (
  merchant: Merchant,
  { amount, deductAmount }: Refund,
  change: (ledger: Ledger, currency: string, amount: string) => Ledger | undefined,
): Merchant => ({ ...merchant, ledger: change(merchant.ledger, amount.currency, deductAmount) ?? merchant.ledger });

/** A server that does something with the money of the refunds from before its start: of those that were made, or that have come to an end. */
const settlingAgain = (
  noted: 'insertRefund' | 'updateRefund',
  change: Parameters<typeof changed>[2],
  end: Refund['status'] = 'FAILED',
): Make =>
  recovering<Refund>(
    (records, memory) => ({
      [noted]: (refund: Refund) => {
        if (noted === 'insertRefund' || refund.status === end) memory.push(refund);
        return records[noted](refund);
      },
    }),
    async (records, memory) => {
      for (const refund of memory) {
        const merchant = await records.lockMerchant(refund.merchantId);
        if (merchant) await records.updateMerchant(changed(merchant, refund, change));
      }
    },
  );

/** A server whose refunds are again what they were at first. */
const restoringRefunds: Make = recovering<Refund>(
  (records, memory) => ({
    updateRefund: async (refund) => {
      const stored = await records.findRefundById(refund.merchantId, refund.refundOrderId);
      if (stored?.status === 'PENDING') memory.push(stored);
      await records.updateRefund(refund);
    },
  }),
  async (records, memory) => {
    for (const refund of memory) {
      if (await records.lockRefund(refund.merchantId, refund.refundOrderId)) await records.updateRefund(refund);
    }
  },
);

/** A server that keeps in memory for which orders there was a refund that SUCCEEDED. */
const forgettingRefunded: Make = {
  restarts: true,
  parts: (parts) => {
    const known = new Set<string>();
    return storing((records) => ({
      insertRefund: (refund) => {
        known.add(refund.refundOrderId);
        return records.insertRefund(refund);
      },
      listRefundsOfOrder: async (...which) =>
        (await records.listRefundsOfOrder(...which)).filter(({ refundOrderId }) => known.has(refundOrderId)),
    }))(parts);
  },
};

/** A server that finds the last refund of an order in the place of the first, once it has started again. */
function findingLastRefund(): Make {
  const lastOf = new Map<string, string>();
  const key = (request: ProxyRequest, orderId: unknown) => `${merchantIdOf(request)} ${orderId}`;
  return showingAfterStart(
    (request, server) => {
      const last = lastOf.get(key(request, parameterOf(request, 'acquiringOrderId')));
      return server.forward(last === undefined ? request : asking(request, { merchantRefundOrderId: last }, server));
    },
    async (request, server) => {
      const answer = await server.forward(request);
      const { acquiringOrderId, merchantRefundOrderId } = bodyOf(request) ?? {};
      const isMade = isRefundCreate(request) && answer.status === 200;
      if (isMade) lastOf.set(key(request, acquiringOrderId), String(merchantRefundOrderId));
      return answer;
    },
  );
}

/** A server that answers creates of refunds that it made before its last start with another payment method. */
function repeatingOtherwise(): Make {
  const made = new Set<unknown>();
  let before = new Set<unknown>();
  return {
    restarts: true,
    control: noticingRestarts(() => {
      before = new Set(made);
    }),
    merchantApi: showingRefunds((view) => {
      made.add(view.refundOrderId);
      return before.has(view.refundOrderId) ? { ...view, paymentMethod: 'BALANCE' } : view;
    }, isRefundCreate),
  };
}

/** A server that keeps in memory what the creates said that it has answered, and takes a repeat for another create once it has started again. */
function refusingRepeats(): Make {
  const made = new Set<string>();
  let before = new Set<string>();
  return {
    restarts: true,
    control: noticingRestarts(() => {
      before = new Set(made);
    }),
    merchantApi: onlyFor(isRefundCreate, async (request, server) => {
      const id = idIn(request) ?? '';
      if (before.has(id)) return refundRefusal(400, 'BUSINESS_ERROR');
      const answer = await server.forward(request);
      if (answer.status === 200) made.add(id);
      return answer;
    }),
  };
}

/** A server that has forgotten how an order was paid once it has started again. */
function forgettingPayments(): Make {
  let hasStartedAgain = false;
  return {
    restarts: true,
    control: noticingRestarts(() => {
      hasStartedAgain = true;
    }),
    merchantApi: showingRefunds(
      (view) => (hasStartedAgain ? { ...view, paymentMethod: 'ON_CHAIN_PAY' } : view),
      isRefundCreate,
    ),
  };
}

/** A server whose requestIds are a count of the requests since its start. */
function countingRequests(): Make {
  let count = 0;
  return {
    restarts: true,
    control: noticingRestarts(() => {
      count = 0;
    }),
    merchantApi: onlyFor(
      isOfRefunds,
      answeringJson((envelope) => {
        count += 1;
        return { ...envelope, requestId: `req.${count}` };
      }),
    ),
  };
}

/** Wrong servers that lose or change refunds, or the money of refunds, when they end without warning and start again. */
export const refundRestartFaults: readonly Fault[] = [
  fault(
    'refund-acknowledged-and-lost',
    'Has forgotten the refunds that it acknowledged shortly before it ended.',
    'general.restart.acknowledged',
    'refunds.restart.acknowledged',
    forgettingRefunds(),
  ),
  fault(
    'refund-repeats-refused-after-start',
    'Keeps in memory what it has answered to creates, and refuses their repeats once it has started again.',
    'general.restart.repeat',
    'refunds.restart.repeat',
    refusingRepeats(),
  ),
  fault(
    'payments-forgotten-at-start',
    'Keeps in memory from where an order was paid, and refunds it as one that was paid on chain once it has started again.',
    'general.restart.acknowledged',
    'refunds.restart.earlier-payments',
    forgettingPayments(),
  ),
  fault(
    'refund-reserved-again-at-start',
    'Reserves the money of open refunds again when it starts.',
    'general.restart.funds',
    'refunds.restart.reserved-once',
    settlingAgain('insertRefund', reserve),
  ),
  fault(
    'refund-reservation-lost',
    'Keeps in memory what open refunds have reserved.',
    'general.restart.funds',
    'refunds.restart.reserved-once',
    settlingAgain('insertRefund', crediting),
  ),
  fault(
    'refund-reservation-lost-with-fee',
    'Takes a fee for refunds, and keeps in memory what open ones have reserved.',
    'general.restart.funds',
    'refunds.restart.reserved-once',
    withFee(settlingAgain('insertRefund', crediting)),
  ),
  fault(
    'taken-by-success-lost-at-start',
    'Counts what is taken from a balance again when it starts, from the refunds under way only.',
    'general.restart.funds',
    'refunds.restart.reserved-once',
    settlingAgain('updateRefund', crediting, 'SUCCEEDED'),
  ),
  fault(
    'reservation-of-processing-refunds-lost-at-start',
    'Counts anew what is reserved when it starts, from the refunds that are PENDING only.',
    'general.restart.funds',
    'refunds.restart.reserved-once',
    settlingAgain('updateRefund', crediting, 'PROCESSING'),
  ),
  fault(
    'refund-returned-again-at-start',
    'Gives the money of failed refunds back again when it starts.',
    'general.restart.funds',
    'refunds.restart.returned-once',
    settlingAgain('updateRefund', crediting),
  ),
  fault(
    'refund-returned-again-at-start-with-fee',
    'Takes a fee for refunds, and gives the money of failed ones back again when it starts.',
    'general.restart.funds',
    'refunds.restart.returned-once',
    withFee(settlingAgain('updateRefund', crediting)),
  ),
  fault(
    'refund-states-kept-in-memory',
    'Keeps in memory what has become of a refund.',
    'general.restart.states',
    'refunds.restart.states',
    restoringRefunds,
  ),
  fault(
    'refund-amounts-kept-as-doubles',
    'Writes the amounts of refunds as floating-point numbers.',
    'general.restart.acknowledged',
    'refunds.restart.acknowledged',
    showingAfterStart(showingRefunds(changing('refundAmount', asDouble))),
  ),
  fault(
    'refund-completed-at-start',
    'Shows refunds from before its start as completed at another time.',
    'general.restart.acknowledged',
    'refunds.restart.states',
    showingAfterStart(showingRefunds(changing('completedTime', eightHoursAhead))),
  ),
  fault(
    'refunds-repeated-of-other-method-after-start',
    'Answers the repeated create of a refund from before its start with another paymentMethod.',
    'general.restart.acknowledged',
    'refunds.restart.repeat',
    repeatingOtherwise(),
  ),
  fault(
    'completed-time-lost-at-start',
    'Has lost the completedTime of refunds that SUCCEEDED before its start.',
    'general.restart.acknowledged',
    'refunds.restart.states',
    showingAfterStart(showingRefunds(changing('completedTime', () => null))),
  ),
  fault(
    'order-ids-of-ended-refunds-lost-at-start',
    'Has lost the merchantOrderId of refunds that came to their end before its start.',
    'general.restart.acknowledged',
    'refunds.restart.states',
    showingAfterStart(
      showingRefunds((view) =>
        ['PENDING', 'PROCESSING'].includes(String(view.status)) ? view : { ...view, merchantOrderId: '' },
      ),
    ),
  ),
  fault(
    'refunds-by-order-lost-at-start',
    'Finds refunds from before its start no longer by their order.',
    'general.restart.acknowledged',
    'refunds.restart.acknowledged',
    showingAfterStart(async (request, server) => {
      const isByOrder = isOfRefunds(request) && parameterOf(request, 'acquiringOrderId') !== undefined;
      return isByOrder ? refundRefusal(404, 'REFUND_NOT_FOUND') : server.forward(request);
    }),
  ),
  fault(
    'last-refund-of-order-found-after-start',
    'Finds the last refund of an order by the id of the order, of those from before its start.',
    'general.restart.acknowledged',
    'refunds.restart.repeat',
    findingLastRefund(),
  ),
  fault(
    'extra-data-lost-at-start',
    'Shows no extraData of refunds from before its start.',
    'general.restart.acknowledged',
    'refunds.restart.acknowledged',
    showingAfterStart(showingRefunds(changing('extraData', () => null))),
  ),
  fault(
    'extra-data-written-anew-at-start',
    'Shows the extraData of refunds from before its start as its own writer writes their JSON.',
    'general.restart.acknowledged',
    'refunds.restart.acknowledged',
    showingAfterStart(showingRefunds(changing('extraData', (text) => JSON.stringify(JSON.parse(String(text)))))),
  ),
  fault(
    'extra-data-cut-at-start',
    'Has cut extraData of refunds from before its start after 255 characters.',
    'general.restart.acknowledged',
    'refunds.restart.repeat',
    showingAfterStart(showingRefunds(changing('extraData', cut))),
  ),
  fault(
    'extra-data-empty-at-start',
    'Shows extraData of refunds from before its start that had none.',
    'general.restart.acknowledged',
    'refunds.restart.states',
    showingAfterStart(showingRefunds((view) => ({ extraData: '{}', ...view }))),
  ),
  fault(
    'created-time-in-whole-seconds-at-start',
    'Has lost the fraction of a second of the createdTime of refunds from before its start.',
    'general.restart.acknowledged',
    'refunds.restart.states',
    showingAfterStart(showingRefunds(changing('createdTime', inWholeSeconds))),
  ),
  ...(['SUCCEEDED', 'FAILED', 'CLOSED'] as const).map((status) =>
    fault(
      `${status.toLowerCase()}-refunds-lost-by-own-id-at-start`,
      `Finds refunds that were ${status} before its start no longer by merchantRefundOrderId.`,
      'general.restart.acknowledged',
      'refunds.restart.states',
      showingAfterStart(async (request, server) => {
        const answer = await server.forward(request);
        const isLost =
          isOfRefunds(request) &&
          parameterOf(request, 'merchantRefundOrderId') !== undefined &&
          shownIn(answer)?.status === status;
        return isLost ? refundRefusal(404, 'REFUND_NOT_FOUND') : answer;
      }),
    ),
  ),
  fault(
    'request-ids-counted-anew-at-start',
    'Counts the requestIds of answers about refunds anew at each start.',
    'refunds.envelope.request-id-unique',
    'refunds.restart.second',
    countingRequests(),
  ),
  fault(
    'refunded-orders-in-memory',
    'Knows only since its start which orders were refunded.',
    'general.restart.refusals',
    'refunds.restart.second',
    forgettingRefunded,
  ),
];
