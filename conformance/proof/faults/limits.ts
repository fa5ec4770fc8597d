import { limit, type RequirementId } from '../../../generated/catalogue.ts';
import { subtractDecimals } from '../../contract/decimals.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import { ageOf } from '../stand/auth-changes.ts';
import {
  bodyOf,
  isHostedCreate,
  isOf,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  refusal,
  refusingBodies,
  showing,
} from '../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../stand/fault.ts';
import type { Handler } from '../stand/proxy.ts';
import { refundRefusal, refusingRefunds, sending } from '../stand/refund-changes.ts';

const fault = faultsCaughtBy('');

const operations = ['refunds.create', 'refunds.query', 'refunds.batch-query'] as const;

// --- Rate limits ----------------------------------------------------------------------------------------------------

/** A server whose limit does not count the requests of one operation. */
const limitless = (operation: string): Handler =>
  onlyFor(isOf(operation), async (request, server) => {
    const answer = await server.forward(request);
    return answer.status === 429 ? refundRefusal(404, 'REFUND_NOT_FOUND') : answer;
  });

/** A server that refuses one operation of every merchant once a limit has been passed by one of them. */
function limitingEverybody(operation: string): Handler {
  let isOver = false;
  return onlyFor(isOf(operation), async (request, server) => {
    const answer = await server.forward(request);
    isOver ||= answer.status === 429;
    return isOver ? refundRefusal(429, 'RATE_LIMIT_EXCEEDED') : answer;
  });
}

/** A server that lets one request more of each merchant through than the limit allows. */
function lettingOneMoreThrough(operation: string): Handler {
  const spared = new Set<string>();
  return onlyFor(isOf(operation), async (request, server) => {
    const answer = await server.forward(request);
    const merchantId = merchantIdOf(request);
    if (answer.status !== 429 || spared.has(merchantId)) return answer;
    spared.add(merchantId);
    return refundRefusal(404, 'REFUND_NOT_FOUND');
  });
}

/** A server that refuses the last request of each merchant that the limit allows. */
function refusingTheLast(operation: string): Handler {
  const asked = new Map<string, number>();
  return onlyFor(isOf(operation), async (request, server) => {
    const merchantId = merchantIdOf(request);
    const count = (asked.get(merchantId) ?? 0) + 1;
    asked.set(merchantId, count);
    // What is refused counts, so that it is refused again when it is sent again.
    const answer = await server.forward(request);
    return count === 2 ? refundRefusal(429, 'RATE_LIMIT_EXCEEDED') : answer;
  });
}

/** A server with a limit of its own for each group of operations. */
function limitingByGroup(groupOf: (operation: string) => string): Handler {
  const asked = new Map<string, number>();
  return async (request, server) => {
    const answer = await server.forward(request);
    const operation = operations.find((each) => isOf(each)(request));
    if (operation === undefined) return answer;
    const key = `${groupOf(operation)} ${merchantIdOf(request)}`;
    const count = (asked.get(key) ?? 0) + 1;
    asked.set(key, count);
    return answer.status === 429 && count <= 2 ? refundRefusal(404, 'REFUND_NOT_FOUND') : answer;
  };
}

/** A server that reads how many requests it has counted, and counts one more only when it has answered. */
function countingAfterwards(): Handler {
  const asked = new Map<string, number>();
  return onlyFor(
    (request) => operations.some((each) => isOf(each)(request)),
    async (request, server) => {
      const merchantId = merchantIdOf(request);
      const count = asked.get(merchantId) ?? 0;
      const answer = await server.forward(request);
      asked.set(merchantId, count + 1);
      return answer.status === 429 && count < 2 ? refundRefusal(404, 'REFUND_NOT_FOUND') : answer;
    },
  );
}

/** A server that counts requests before it has looked at all of their authentication: those that `isCounted` names count, although they are refused. */
function countingRefused(isCounted: (...asked: Parameters<Handler>) => boolean): Make {
  const limited = new Set<unknown>();
  const refused = new Map<string, number>();
  return {
    control: async (request, server) => {
      const answer = await server.forward(request);
      if (bodyOf(request)?.rateLimit !== undefined) limited.add(bodyOf(answer)?.merchantId);
      return answer;
    },
    merchantApi: onlyFor(
      (request) => operations.some((each) => isOf(each)(request)),
      async (request, server) => {
        const merchantId = merchantIdOf(request);
        const count = refused.get(merchantId) ?? 0;
        const isRefused = isCounted(request, server);
        if (isRefused) refused.set(merchantId, count + 1);
        const isOver = !isRefused && isRightlySigned(request, server) && limited.has(merchantId) && count >= 2;
        return isOver ? refundRefusal(429, 'RATE_LIMIT_EXCEEDED') : server.forward(request);
      },
    ),
  };
}

/** A server that refuses creates of orders too, once a merchant may ask for no more refunds. */
function limitingOrdersToo(): Handler {
  const over = new Set<string>();
  return async (request, server) => {
    const merchantId = merchantIdOf(request);
    if (isHostedCreate(request) && over.has(merchantId)) return refusal(request, '99999', 'too many requests');
    const answer = await server.forward(request);
    if (answer.status === 429) over.add(merchantId);
    return answer;
  };
}

/** A server whose limit, once reached, admits no request of refunds any more. */
function limitingForEver(): Handler {
  const over = new Set<string>();
  return onlyFor(
    (request) => operations.some((each) => isOf(each)(request)),
    async (request, server) => {
      const merchantId = merchantIdOf(request);
      if (over.has(merchantId)) return refundRefusal(429, 'RATE_LIMIT_EXCEEDED');
      const answer = await server.forward(request);
      if (answer.status === 429) over.add(merchantId);
      return answer;
    },
  );
}

const countings: readonly Fault[] = [
  fault(
    'refunds-limited-for-ever',
    'Admits no refund request of a merchant any more that has once reached its limit.',
    'refunds.create.accepted',
    'refunds.errors.reserves-nothing.rate-limit',
    limitingForEver(),
  ),
  fault(
    'orders-limited-with-refunds',
    'Refuses creates of orders once their merchant has used up its limit on refunds.',
    'orders.create.accepted',
    'refunds.errors.rate-limit.together',
    limitingOrdersToo(),
  ),
  fault(
    'refunds-limited-by-operation',
    'Counts creates, queries and batch queries of refunds each by themselves.',
    'refunds.errors.rate-limit',
    'refunds.errors.rate-limit.together',
    limitingByGroup((operation) => operation),
  ),
  fault(
    'refunds-batches-limited-apart',
    'Counts batch queries of refunds by themselves, creates and queries together.',
    'refunds.errors.rate-limit',
    'refunds.errors.rate-limit.together',
    limitingByGroup((operation) => (operation === 'refunds.batch-query' ? 'batches' : 'others')),
  ),
  fault(
    'refunds-counted-afterwards',
    'Counts a request of refunds towards the limit only when it has answered it, and as one more than when it came.',
    'refunds.errors.rate-limit',
    'refunds.errors.rate-limit.parallel',
    countingAfterwards(),
  ),
  fault(
    'refunds-limited-by-unsigned-requests',
    'Counts requests with a wrong signature towards the limit of the merchant whose key they name.',
    'auth.refused-changes-nothing',
    'refunds.errors.rate-limit.unsigned',
    countingRefused((request, server) => !isRightlySigned(request, server)),
  ),
  fault(
    'refunds-limited-by-old-requests',
    'Counts requests whose timestamp is too old towards the limit of their merchant.',
    'auth.refused-changes-nothing',
    'refunds.errors.rate-limit.unsigned',
    countingRefused((request) => ageOf(request) > limit('auth.timestamp.window', 'max')),
  ),
];

const rateLimits: readonly Fault[] = operations.flatMap((operation) => {
  const name = operation.replace('.', '-');
  const breaks: RequirementId = 'refunds.errors.rate-limit';
  return [
    fault(
      `${name}-not-limited`,
      `Limits no requests of ${operation}.`,
      breaks,
      `${operation}.rate-limit`,
      limitless(operation),
    ),
    fault(
      `${name}-limited-for-all`,
      `Counts the requests of ${operation} of all merchants together.`,
      breaks,
      `${operation}.rate-limit`,
      limitingEverybody(operation),
    ),
    {
      ...fault(
        `${name}-limited-one-late`,
        `Lets one request of ${operation} more through than the limit allows.`,
        breaks,
        `${operation}.rate-limit`,
        lettingOneMoreThrough(operation),
      ),
    },
    {
      ...fault(
        `${name}-limited-one-early`,
        `Refuses the last request of ${operation} that the limit allows.`,
        breaks,
        `${operation}.rate-limit`,
        refusingTheLast(operation),
      ),
    },
    fault(
      `${name}-limited-in-plain-text`,
      `Calls its answer to a request of ${operation} beyond the limit plain text.`,
      'general.json',
      `${operation}.rate-limit`,
      refusingRefunds(
        ({ status }, request) => status === 429 && isOf(operation)(request),
        (answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': 'text/plain' } }),
      ),
    ),
    fault(
      `${name}-limited-with-503`,
      `Answers a request of ${operation} beyond the limit with HTTP 503.`,
      breaks,
      `${operation}.rate-limit`,
      refusingRefunds(
        ({ status }, request) => status === 429 && isOf(operation)(request),
        (answer) => ({ ...answer, status: 503 }),
      ),
    ),
  ];
});

// --- Batches --------------------------------------------------------------------------------------------------------

/** A server that answers a batch query for other ids than were asked for. */
const askingFor = (change: (ids: readonly string[]) => readonly string[]): Handler =>
  onlyFor(isOf('refunds.batch-query'), (request, server) => {
    const ids = bodyOf(request)?.merchantRefundOrderIds;
    if (!Array.isArray(ids) || !isRightlySigned(request, server)) return server.forward(request);
    return server.forward(sending(request, { merchantRefundOrderIds: change(ids.map(String)) }, server));
  });

/** A server that finds in a batch query every refund whose id is the same but for the case of its letters. */
function findingInAnyCase(): Handler {
  const known = new Set<string>();
  const asking = askingFor((ids) => [
    ...new Set(ids.flatMap((id) => [id, ...[...known].filter((each) => each.toLowerCase() === id.toLowerCase())])),
  ]);
  return (request, server) => {
    const id = isOf('refunds.create')(request) ? bodyOf(request)?.merchantRefundOrderId : undefined;
    if (typeof id === 'string') known.add(id);
    return asking(request, server);
  };
}

/** A server that finds in a batch query a refund by its refundOrderId too. */
function findingByPlatformId(): Handler {
  const ownIds = new Map<string, string>();
  const asking = askingFor((ids) => ids.map((id) => ownIds.get(id) ?? id));
  return async (request, server) => {
    const answer = await asking(request, server);
    const made = isOf('refunds.create')(request) ? bodyOf(answer)?.data : undefined;
    if (isObject(made)) ownIds.set(String(made.refundOrderId), String(made.merchantRefundOrderId));
    return answer;
  };
}

const batches: readonly Fault[] = [
  fault(
    'batch-by-platform-id',
    'Finds in a batch query refunds by the id that the platform gave them.',
    'refunds.batch-query.known',
    'refunds.batch-query.changed-ids',
    findingByPlatformId(),
  ),
  fault(
    'batch-in-any-case',
    'Finds in a batch query refunds whose ids differ in the case of a letter.',
    'refunds.batch-query.known',
    'refunds.batch-query.similar-ids',
    findingInAnyCase(),
  ),
  fault(
    'batch-of-twenty',
    'Answers a batch query with the first twenty refunds.',
    'refunds.batch-query.known',
    'refunds.batch-query.many-known',
    askingFor((ids) => (ids.length > 100 ? ids : ids.slice(0, 20))),
  ),
  fault(
    'batch-of-ninety-nine',
    'Answers a batch query with the first 99 refunds.',
    'refunds.batch-query.known',
    'refunds.batch-query.many-known',
    askingFor((ids) => (ids.length > 100 ? ids : ids.slice(0, 99))),
  ),
  fault(
    'batch-without-its-last',
    'Loses the last id of a full batch query.',
    'refunds.batch-query.known',
    'refunds.batch-query.among-unknown',
    askingFor((ids) => (ids.length === 100 ? ids.slice(0, -1) : ids)),
  ),
  fault(
    'batch-ends-at-unknown',
    'Ends a batch query at the first id that it does not know.',
    'refunds.batch-query.known',
    'refunds.batch-query.among-unknown',
    askingFor((ids) => (ids.length === 100 ? ids.slice(0, 2) : ids)),
  ),
  fault(
    'batch-leaves-out-doubled',
    'Leaves ids out of a batch query that are given twice.',
    'refunds.batch-query.known',
    'refunds.batch-query.doubled-ids',
    askingFor((ids) => {
      const once = ids.filter((id) => ids.filter((each) => each === id).length === 1);
      return ids.length > 100 ? ids : once.length > 0 ? once : ['none-of-them'];
    }),
  ),
  fault(
    'batch-counts-different-ids',
    'Counts in a batch query the ids that are different.',
    'refunds.batch-query.ids.maximum',
    'refunds.batch-query.doubled-ids',
    askingFor((ids) => [...new Set(ids)]),
  ),
];

// --- Methods of a merchant ------------------------------------------------------------------------------------------

const amountOf = (body: JsonObject) => (isObject(body.orderAmount) ? body.orderAmount : {});

/** A server that takes the amounts of the first method for those of every method. */
const boundsOf = (refuses: (value: number, body: JsonObject) => boolean): Handler =>
  refusingBodies('checkout.create', (body) => refuses(Number(amountOf(body).value), body), '10004');

/** The bounds of the methods that the check gives to its merchant, the first one of each currency. */
const ownBounds = {
  USDT: { min: 1.5, max: 500 },
  USDC: { min: 0.01, max: 99.99 },
  USD1: { min: 600, max: 600.125 },
} as const;

/** A server that reads an amount which is beyond one of the bounds of its method as the bound. */
const takingBeyond = (bound: 'min' | 'max'): Handler =>
  onlyFor(isOf('checkout.create'), (request, server) => {
    const body = bodyOf(request);
    const { value, currency } = amountOf(body ?? {});
    const bounds = Object.entries(ownBounds).find(([name]) => name === currency)?.[1];
    if (!body || !bounds || !isRightlySigned(request, server)) return server.forward(request);
    const isBeyond = bound === 'min' ? Number(value) < bounds.min : Number(value) > bounds.max;
    if (!isBeyond) return server.forward(request);
    return server.forward(
      sending(request, { ...body, orderAmount: { value: String(bounds[bound]), currency } }, server),
    );
  });

/** A server that reads a create for a pair that it refuses as one for another pair of the merchant. */
const takingCrossed: Handler = onlyFor(isOf('checkout.create'), async (request, server) => {
  const answer = await server.forward(request);
  if (bodyOf(answer)?.code !== '10011') return answer;
  const body = bodyOf(request);
  const networks: Record<string, string> = { USDT: 'eth', USDC: 'bsc', USD1: 'eth' };
  if (!body) return answer;
  return server.forward(sending(request, { ...body, network: networks[String(amountOf(body).currency)] }, server));
});

const listing = (change: (method: JsonObject, index: number) => JsonObject): Handler =>
  onlyFor(
    isOf('checkout.payment-methods'),
    showing((data) => ({
      ...data,
      paymentMethods: [data.paymentMethods]
        .flat()
        .map((method, index) => (isObject(method) ? change(method, index) : method)),
    })),
  );

/** A server that shows a list of one method as an empty one. */
const listingSeveral: Handler = onlyFor(
  isOf('checkout.payment-methods'),
  showing((data) => ({
    ...data,
    paymentMethods: [data.paymentMethods].flat().length > 1 ? data.paymentMethods : [],
  })),
);

/** A server that shows an empty list of methods as one with a method of the platform. */
const listingOthersForNone: Handler = onlyFor(
  isOf('checkout.payment-methods'),
  showing((data) => ({
    ...data,
    paymentMethods:
      [data.paymentMethods].flat().length > 0
        ? data.paymentMethods
        : [{ cryptoCurrency: 'USDT', network: 'tron', minAmount: 1, maxAmount: 1_000_000, displayOrder: 1 }],
  })),
);

const methods: readonly Fault[] = [
  fault(
    'only-method-not-listed',
    'Lists no method where a merchant has a single one.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    listingSeveral,
  ),
  fault(
    'no-method-taken-for-all',
    'Lists the methods of the platform where a merchant has none.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    listingOthersForNone,
  ),
  fault(
    'bounds-of-the-platform-listed',
    'Lists the bounds of the platform for every method of a merchant.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    listing((method) => ({ ...method, minAmount: 1, maxAmount: 1_000_000 })),
  ),
  fault(
    'bounds-listed-in-whole-coins',
    'Lists bounds in whole coins.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    listing((method) => ({ ...method, maxAmount: Math.floor(Number(method.maxAmount)) })),
  ),
  fault(
    'bounds-listed-in-32-bits',
    'Keeps bounds as floating-point numbers of 32 bits.',
    'checkout.payment-methods.list',
    'checkout.payment-methods.own-bounds',
    listing((method) => ({ ...method, maxAmount: Number(Math.fround(Number(method.maxAmount)).toPrecision(8)) })),
  ),
  fault(
    'pair-in-two-lists',
    'Looks for the currency and for the network of a pair in two lists.',
    'checkout.create.pair',
    'checkout.create.pair.crossed',
    takingCrossed,
  ),
  fault(
    'crossed-pair-as-amount',
    'Answers a pair that is not listed with the code of an amount.',
    'checkout.create.pair',
    'checkout.create.pair.crossed',
    onlyFor(isOf('checkout.create'), async (request, server) => {
      const answer = await server.forward(request);
      return bodyOf(answer)?.code === '10011' ? refusal(request, '10004', 'the amount is wrong') : answer;
    }),
  ),
  fault(
    'bounds-exclusive',
    'Takes only amounts between the bounds of a method.',
    'checkout.amount.range',
    'checkout.create.amount.own-bounds',
    boundsOf((value) => [1.5, 500, 0.01, 99.99, 600, 600.125].includes(value)),
  ),
  ...(
    [
      ['least-amount-ignored', 'Holds no amount against the least of its method.', 'min'],
      ['greatest-amount-ignored', 'Holds no amount against the greatest of its method.', 'max'],
    ] as const
  ).map(([id, title, bound]) =>
    fault(id, title, 'checkout.amount.range', 'checkout.create.amount.own-bounds', takingBeyond(bound)),
  ),
  ...(['min', 'max'] as const).flatMap((bound) =>
    (['USDT', 'USDC', 'USD1'] as const).map((currency) =>
      fault(
        `${bound}-of-${currency.toLowerCase()}-exclusive`,
        `Takes for ${bound === 'min' ? 'the least' : 'the greatest'} amount of one method, in ${currency}, the one next to it.`,
        'checkout.amount.range',
        'checkout.create.amount.own-bounds',
        boundsOf((value, body) => amountOf(body).currency === currency && value === ownBounds[currency][bound]),
      ),
    ),
  ),
  fault(
    'small-bounds-cut-at-their-exponent',
    'Takes for the least amount of a method the digits before the exponent with which its language writes it.',
    'checkout.amount.range',
    'checkout.create.amount.own-bounds',
    boundsOf((value, body) => amountOf(body).currency === 'USDT' && value < 0.0001),
  ),
  fault(
    'bounds-of-the-first-method',
    'Holds every amount against the bounds of the first method.',
    'checkout.amount.range',
    'checkout.create.amount.own-bounds',
    boundsOf((value) => value < 1.5 || value > 500),
  ),
  fault(
    'bounds-of-the-currency',
    'Holds an amount against the bounds of the first method with its currency.',
    'checkout.amount.range',
    'checkout.create.amount.own-bounds',
    boundsOf((value, body) => body.network === 'tron' && (value < ownBounds.USDT.min || value > ownBounds.USDT.max)),
  ),
  fault(
    'amount-rounded-before-its-bounds',
    'Rounds an amount to hundredths before it compares it with the bounds.',
    'checkout.amount.range',
    'checkout.create.amount.own-bounds',
    onlyFor(isOf('checkout.create'), async (request, server) => {
      const answer = await server.forward(request);
      const body = bodyOf(request);
      const { value, currency } = amountOf(body ?? {});
      if (bodyOf(answer)?.code === successCode || !body || value !== '600.126') return answer;
      const orderAmount = { value: subtractDecimals(value, '0.001'), currency };
      return server.forward(sending(request, { ...body, orderAmount }, server));
    }),
  ),
];

/** Wrong servers that count, list or bound what is at a limit in another way than the contract. */
export const limitFaults: readonly Fault[] = [...rateLimits, ...countings, ...batches, ...methods];
