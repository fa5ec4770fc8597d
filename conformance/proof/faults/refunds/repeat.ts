import { reserve } from '../../../../server/domain/ledger.ts';
import type { Refund } from '../../../../server/domain/refund.ts';
import { isObject, type JsonObject, valueAt } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { answeringJson, bodyOf, isOf, isRightlySigned, merchantIdOf, onlyFor } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { forgettingInTime } from '../../stand/order-changes.ts';
import type { Handler, ProxyRequest, ServerBehind } from '../../stand/proxy.ts';
import {
  asking,
  isOfRefunds,
  isRefundCreate,
  isRefundQuery,
  keepingRefunds,
  ownRefundIdOf,
  refundingAgain,
  refundRefusal,
  sending,
  sharedRefunds,
  showingRefunds,
} from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('refunds.create.repeat.');

const keyOf = (request: ProxyRequest) => `${merchantIdOf(request)} ${ownRefundIdOf(request)}`;

/** The status of the refund with this merchantRefundOrderId. */
async function statusOf(id: string, request: ProxyRequest, server: ServerBehind): Promise<unknown> {
  const answer = await server.forward(asking(request, { merchantRefundOrderId: id }, server));
  return Object(bodyOf(answer)?.data).status;
}

/** A server that reserves the funds of a refund for each create under its id, where the refund is in such a state. */
function reservingAgain(isMeant: (status: Refund['status']) => boolean): Make {
  return keepingRefunds((records) => ({
    findRefund: async (merchantId, id) => {
      const refund = await records.findRefund(merchantId, id);
      if (!refund || !isMeant(refund.status)) return refund;
      const merchant = await records.lockMerchant(merchantId);
      const ledger = merchant && reserve(merchant.ledger, refund.amount.currency, refund.deductAmount);
      if (ledger) await records.updateMerchant({ ...merchant, ledger });
      return refund;
    },
  }));
}

/**
 * A server that makes another refund for a create under a used id if `again` is true of the existing refund's status.
 * `found` says whether a query shows the first or the last of these refunds.
 */
function makingAnother(again: (status: unknown, request: ProxyRequest) => boolean, found: 'first' | 'last'): Make {
  const ids = new Map<string, string[]>();
  const rename = (outer: string) =>
    answeringJson((envelope) =>
      isObject(envelope.data) ? { ...envelope, data: { ...envelope.data, merchantRefundOrderId: outer } } : envelope,
    );
  const handler: Handler = async (request, server) => {
    const outer = ownRefundIdOf(request);
    if (outer === undefined || !isRightlySigned(request, server)) return server.forward(request);
    const made = ids.get(keyOf(request)) ?? [];
    const inner = (found === 'last' ? made.at(-1) : made[0]) ?? outer;
    if (isRefundQuery(request)) return rename(outer)(asking(request, { merchantRefundOrderId: inner }, server), server);
    if (made.length > 0 && !again(await statusOf(inner, request, server), request)) return server.forward(request);
    const another = made.length === 0 ? outer : `${outer}-${made.length}`;
    const answer = await rename(outer)(
      sending(request, { ...bodyOf(request), merchantRefundOrderId: another }, server),
      server,
    );
    if (bodyOf(answer)?.code === successCode) ids.set(keyOf(request), [...made, another]);
    return answer;
  };
  return {
    parts: refundingAgain,
    merchantApi: onlyFor((request) => isRefundCreate(request) || isRefundQuery(request), handler),
  };
}

/** A server that checks for an existing refund before it makes one. Simultaneous creates all find none. */
function lookingBeforeMaking(): Make {
  const known = new Set<string>();
  let number = 0;
  return {
    parts: refundingAgain,
    merchantApi: onlyFor(isRefundCreate, async (request, server) => {
      const id = ownRefundIdOf(request);
      if (id === undefined || known.has(id) || !isRightlySigned(request, server)) return server.forward(request);
      number += 1;
      const changed = sending(request, { ...bodyOf(request), merchantRefundOrderId: `${id}-${number}` }, server);
      const [answer] = await Promise.all([server.forward(changed), server.forward(request)]);
      known.add(id);
      return answer;
    }),
  };
}

/** A server that shows a refund with the fields of the last create under its id. */
function overwriting(fields: (body: JsonObject) => JsonObject): Make {
  const last = new Map<string, JsonObject>();
  return {
    merchantApi: async (request, server) => {
      const body = isRefundCreate(request) ? bodyOf(request) : undefined;
      if (body) last.set(keyOf(request), fields(body));
      const show = showingRefunds((record, each) => ({ ...record, ...last.get(keyOf(each)) }));
      return show(request, server);
    },
  };
}

/** A server that gives a refund the extraData of a later create under its id, if that is for another order. */
function overwritingWhatConflicts(): Make {
  const last = new Map<string, { order: unknown; extraData?: unknown }>();
  return {
    merchantApi: async (request, server) => {
      const { acquiringOrderId: order, extraData } = (isRefundCreate(request) && bodyOf(request)) || {};
      const first = last.get(keyOf(request));
      if (order !== undefined && !first) last.set(keyOf(request), { order });
      if (first && order !== undefined && order !== first.order && extraData !== undefined) first.extraData = extraData;
      const show = showingRefunds((record, each) => {
        const seen = last.get(keyOf(each));
        return seen?.extraData === undefined ? record : { ...record, extraData: seen.extraData };
      });
      return show(request, server);
    },
  };
}

/** A server that makes another refund under the id of one that has failed or was closed, if that is asked for another order. */
function reusingEndedIds(): Make {
  const orders = new Map<string, unknown>();
  const makes = makingAnother((status, request) => {
    const isEnded = status === 'FAILED' || status === 'CLOSED';
    return isEnded && bodyOf(request)?.acquiringOrderId !== orders.get(keyOf(request));
  }, 'first');
  return {
    ...makes,
    merchantApi: async (request, server) => {
      const order = isRefundCreate(request) ? bodyOf(request)?.acquiringOrderId : undefined;
      const answer = await (makes.merchantApi ?? server.forward)(request, server);
      if (order !== undefined && !orders.has(keyOf(request))) orders.set(keyOf(request), order);
      return answer;
    },
  };
}

/** A server that makes another refund under the id of one that has SUCCEEDED, if that is asked for a checkout order. */
function reusingIdsForCheckoutOrders(): Make {
  const orders = new Set<unknown>();
  const makes = makingAnother(
    (status, request) => status === 'SUCCEEDED' && orders.has(bodyOf(request)?.acquiringOrderId),
    'first',
  );
  return {
    ...makes,
    merchantApi: async (request, server) => {
      const answer = await (makes.merchantApi ?? server.forward)(request, server);
      if (isOf('checkout.create')(request)) orders.add(valueAt(bodyOf(answer), ['data', 'orderId']));
      return answer;
    },
  };
}

/** A server that gives a refund the extraData of a later create under its id, if it is in this state then. */
function overwritingIn(status: string): Make {
  const last = new Map<string, unknown>();
  const known = new Set<string>();
  return {
    merchantApi: async (request, server) => {
      const answer = await server.forward(request);
      const { data } = bodyOf(answer) ?? {};
      const { extraData } = (isRefundCreate(request) && bodyOf(request)) || {};
      const isMeant = known.has(keyOf(request)) && Object(data).status === status;
      if (isMeant && extraData !== undefined) last.set(keyOf(request), extraData);
      if (isRefundCreate(request)) known.add(keyOf(request));
      const show = showingRefunds((record, each) => {
        const seen = isRefundCreate(each) ? undefined : last.get(keyOf(each));
        return seen === undefined ? record : { ...record, extraData: seen };
      });
      return show(request, { ...server, forward: () => Promise.resolve(answer) });
    },
  };
}

/** A server that restarts a refund when its create is repeated. */
function beginningAnew(): Make {
  const begun = new Set<string>();
  return {
    merchantApi: onlyFor(isOfRefunds, async (request, server) => {
      const answer = await server.forward(request);
      const key = keyOf(request);
      const status = valueAt(bodyOf(answer), ['data', 'status']);
      if (isRefundCreate(request) && ['SUCCEEDED', 'FAILED', 'CLOSED'].includes(String(status))) begun.add(key);
      const show = showingRefunds((record) => (begun.has(key) ? { ...record, status: 'PENDING' } : record));
      return show(request, { ...server, forward: async () => answer });
    }),
  };
}

/** A server that refuses a create for another order under a known id, but refunds that order. */
const refundingWhatConflicts: Handler = onlyFor(isRefundCreate, async (request, server) => {
  const answer = await server.forward(request);
  if (bodyOf(answer)?.code !== 'IDEMPOTENCY_CONFLICT') return answer;
  const id = `${ownRefundIdOf(request)}-other`;
  await server.forward(sending(request, { ...bodyOf(request), merchantRefundOrderId: id }, server));
  return answer;
});

/** A server that refuses to repeat the create of a refund if `refuses` is true of the refund's status and the request. */
function refusingRepeats(refuses: (status: unknown, request: ProxyRequest) => boolean): Handler {
  const known = new Set<string>();
  return onlyFor(isRefundCreate, async (request, server) => {
    const answer = await server.forward(request);
    const { code, data } = bodyOf(answer) ?? {};
    if (code !== successCode) return answer;
    const repeated = known.has(keyOf(request));
    known.add(keyOf(request));
    return repeated && refuses(Object(data).status, request) ? refundRefusal(400, 'DUPLICATE_REQUEST') : answer;
  });
}

const states = [
  ['pending', 'PENDING', 'waits'],
  ['processing', 'PROCESSING', 'is worked on'],
  ['succeeded', 'SUCCEEDED', 'is done'],
  ['failed', 'FAILED', 'has failed'],
  ['closed', 'CLOSED', 'is closed'],
] as const;

const again: readonly Fault[] = [
  ...states.flatMap(([check, state, words]) => [
    fault(
      `repeated-refund-that-${check}`,
      `Makes another refund of a repeated create while the first ${words}.`,
      'refunds.create.idempotent',
      check,
      makingAnother((status) => status === state, 'last'),
    ),
  ]),
  fault(
    'ids-of-ended-refunds-reused',
    'Makes another refund under the id of one that has failed or was closed, if it is asked for another order.',
    'refunds.create.idempotent',
    'other-order-later',
    reusingEndedIds(),
  ),
  fault(
    'ids-of-done-refunds-reused-for-checkout-orders',
    'Makes another refund under the id of one that has SUCCEEDED, if it is asked for a checkout order.',
    'refunds.create.idempotent',
    'other-order-later',
    reusingIdsForCheckoutOrders(),
  ),
  {
    id: 'repeated-refund-under-foreign-id',
    title: 'Makes another refund of a create whose id has letters beyond ASCII, when it is repeated after its failure.',
    breaks: 'refunds.create.idempotent',
    caughtBy: 'refunds.create.merchant-refund-order-id.distinct',
    make: makingAnother(
      (status, request) => status === 'FAILED' && /[^\p{ASCII}]/u.test(ownRefundIdOf(request) ?? ''),
      'last',
    ),
  },
  fault(
    'repeated-refund-forgotten-in-time',
    'Keeps what it knows of refund requests in a cache that time empties, and makes another refund of a later one.',
    'refunds.create.idempotent',
    'days-later',
    forgettingInTime((isForgotten) => makingAnother((_, request) => isForgotten(request), 'last')),
  ),
  fault(
    'pending-refund-forgotten-in-time',
    'Forgets the id of a refund that is PENDING after a while, and makes another refund of the same create.',
    'refunds.create.idempotent',
    'days-later',
    forgettingInTime((isForgotten) =>
      makingAnother((status, request) => status === 'PENDING' && isForgotten(request), 'last'),
    ),
  ),
  fault(
    'failed-refund-forgotten-in-time',
    'Forgets the id of a refund that has FAILED after a while, and makes another refund of the same create.',
    'refunds.create.idempotent',
    'much-later',
    forgettingInTime((isForgotten) =>
      makingAnother((status, request) => status === 'FAILED' && isForgotten(request), 'last'),
    ),
  ),
  fault(
    'failed-refund-forgotten-after-weeks',
    'Keeps the id of a refund that has FAILED for more than a week and less than four, and makes another refund of the same create then.',
    'refunds.create.idempotent',
    'much-later',
    // The clock moves by eight days first, and then by twenty.
    forgettingInTime(
      (isForgotten) => makingAnother((status, request) => status === 'FAILED' && isForgotten(request), 'last'),
      2,
    ),
  ),
  fault(
    'repeated-refund-needs-balance',
    'Refuses a repeated create where the balance does not cover another refund.',
    'refunds.create.repeat-identical',
    'answered-later',
    coveringFirst(),
  ),
  fault(
    'repeated-refund-of-its-own',
    'Makes a refund of every create, and finds the first under its id.',
    'refunds.create.idempotent',
    'pending',
    makingAnother(() => true, 'first'),
  ),
  fault(
    'repeated-refund-begins-anew',
    'Begins with a refund that is done anew when its create is repeated.',
    'refunds.create.idempotent',
    'succeeded',
    beginningAnew(),
  ),
  fault(
    'repeated-refund-takes-extra-data',
    'Writes the extraData of a repeated create over that of the refund.',
    'refunds.create.idempotent',
    'changed',
    overwriting(({ extraData }) => (extraData === undefined ? {} : { extraData })),
  ),
  ...states.map(([check, state, words]) =>
    fault(
      `repeated-refund-that-${check}-takes-extra-data`,
      `Writes the extraData of a repeated create over that of the refund while it ${words}.`,
      'refunds.create.idempotent',
      check,
      overwritingIn(state),
    ),
  ),
  fault(
    'refund-of-another-order-changes-extra-data',
    'Writes the extraData of a create for another order over that of the refund with its id.',
    'refunds.create.idempotent',
    'other-order',
    overwritingWhatConflicts(),
  ),
  fault(
    'repeated-refund-with-another-reason',
    'Takes a create with another reason for another refund.',
    'refunds.create.idempotent',
    'changed',
    makingAnother(() => true, 'last'),
  ),
  fault(
    'refund-id-per-order',
    'Has a refund for each order under a merchantRefundOrderId.',
    'refunds.create.idempotent',
    'other-order',
    makingAnother(() => true, 'last'),
  ),
  fault(
    'conflicting-refund-done',
    'Refuses a create for another order under a known id, and refunds that order all the same.',
    'refunds.create.idempotent',
    'other-order',
    { merchantApi: refundingWhatConflicts },
  ),
  fault(
    'parallel-creates-make-refunds',
    'Looks first whether an id is taken, and makes refunds of all creates that come meanwhile.',
    'refunds.create.idempotent',
    'parallel',
    lookingBeforeMaking(),
  ),
  fault(
    'parallel-creates-lose-the-refund',
    'Does not find a refund by its order when many creates came for it.',
    'refunds.query.by-merchant-refund-order-id',
    'parallel',
    {
      merchantApi: onlyFor(isRefundQuery, async () => refundRefusal(404, 'REFUND_NOT_FOUND')),
    },
  ),
  fault(
    'repeat-reserves-again',
    'Reserves the funds of a refund at each create under its id.',
    'refunds.create.idempotent',
    'reserves-once',
    reservingAgain(() => true),
  ),
  ...(['PROCESSING', 'FAILED', 'CLOSED'] as const).map((state) =>
    fault(
      `repeat-reserves-again-when-${state.toLowerCase()}`,
      `Reserves the funds of a refund at each create under its id once it is ${state}.`,
      'refunds.create.idempotent',
      'reserves-once',
      reservingAgain((status) => status === state),
    ),
  ),
  fault(
    'others-refund-in-repeat',
    "Answers a create under another merchant's merchantRefundOrderId with that merchant's refund.",
    'refunds.query.other-merchant',
    'other-merchant',
    sharedRefunds('create'),
  ),
];

const unanswered: readonly Fault[] = [
  fault(
    'refund-repeat-refused',
    'Refuses every create under a known id.',
    'refunds.create.repeat-identical',
    'answered',
    { merchantApi: refusingRepeats(() => true) },
  ),
  fault(
    'refund-repeat-refused-when-done',
    'Refuses to repeat the create of a refund that is done.',
    'refunds.create.repeat-identical',
    'answered-when-done',
    { merchantApi: refusingRepeats((status) => status === 'SUCCEEDED') },
  ),
  ...states
    .filter(([, state]) => state === 'FAILED' || state === 'CLOSED')
    .map(([check, state, words]) =>
      fault(
        `refund-repeat-refused-when-${check}`,
        `Refuses to repeat the create of a refund that ${words}.`,
        'refunds.create.repeat-identical',
        `answered-when-${check}`,
        { merchantApi: refusingRepeats((status) => status === state) },
      ),
    ),
  fault(
    'refund-repeat-refused-later',
    'Refuses to repeat a create of a refund once time has passed.',
    'refunds.create.repeat-identical',
    'answered-later',
    forgettingInTime((isForgotten) => ({ merchantApi: refusingRepeats((_, request) => isForgotten(request)) })),
  ),
];

/** Wrong servers that carry out the refund of one merchantRefundOrderId more than once, or mishandle its repeats. */
/** A server that looks at the balance before it looks whether a create is a repeat. */
function coveringFirst(): Make {
  const balances = new Map<string, string>();
  const made = new Set<string>();
  return {
    control: async (request, server) => {
      const answer = await server.forward(request);
      const { USDT } = Object(bodyOf(request)?.balances);
      const merchantId = bodyOf(answer)?.merchantId;
      if (typeof USDT === 'string' && typeof merchantId === 'string') balances.set(merchantId, USDT);
      return answer;
    },
    merchantApi: onlyFor(isRefundCreate, async (request, server) => {
      if (made.has(keyOf(request)) && (balances.get(merchantIdOf(request)) ?? '') === '0')
        return refundRefusal(400, 'INSUFFICIENT_BALANCE', 'required 9.5, available 0');
      const answer = await server.forward(request);
      const { code, data } = bodyOf(answer) ?? {};
      const balance = balances.get(merchantIdOf(request));
      if (code !== successCode || made.has(keyOf(request))) return answer;
      made.add(keyOf(request));
      // A balance that did not cover two refunds covers none after one.
      if (balance !== undefined && Number(balance) < 2 * Number(Object(data).refundAmount))
        balances.set(merchantIdOf(request), '0');
      return answer;
    }),
  };
}

export const refundRepeatFaults: readonly Fault[] = [...again, ...unanswered];
