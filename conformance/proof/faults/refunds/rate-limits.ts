import { limit, type RequirementId } from '../../../../generated/catalogue.ts';
import { isObject } from '../../../contract/json.ts';
import { ageOf } from '../../stand/auth-changes.ts';
import { bodyOf, isHostedCreate, isOf, isRightlySigned, merchantIdOf, onlyFor, refusal } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { type Handler, type ProxyRequest, splitTarget } from '../../stand/proxy.ts';
import { refundRefusal, refusingRefunds } from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('');

const operations = ['refunds.create', 'refunds.query', 'refunds.batch-query'] as const;

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

/** The spans of the limits that a control API was told of, in seconds, by the merchants that it made. */
function notingSpans(): { spans: ReadonlyMap<unknown, number>; control: Handler } {
  const spans = new Map<unknown, number>();
  const control: Handler = async (request, server) => {
    const rateLimit = bodyOf(request)?.rateLimit;
    const answer = await server.forward(request);
    if (isObject(rateLimit)) spans.set(bodyOf(answer)?.merchantId, Number(rateLimit.perSeconds));
    return answer;
  };
  return { spans, control };
}

const isOfLimitedOperation = (request: ProxyRequest): boolean => operations.some((each) => isOf(each)(request));

/** A server that drops what it has counted of everybody once it is older than the span of the merchant that asks. */
function droppingCountsOfOthers(): Make {
  const { spans, control } = notingSpans();
  const dropped = new Set<unknown>();
  return {
    control,
    merchantApi: onlyFor(isOfLimitedOperation, async (request, server) => {
      const merchantId = merchantIdOf(request);
      const span = spans.get(merchantId);
      for (const [other, its] of spans) if (span !== undefined && its > span) dropped.add(other);
      const answer = await server.forward(request);
      return answer.status === 429 && dropped.delete(merchantId) ? refundRefusal(404, 'REFUND_NOT_FOUND') : answer;
    }),
  };
}

/** A server that counts over the longest span that any of its merchants has. */
function countingOverTheLongestSpan(): Make {
  const { spans, control } = notingSpans();
  const asked = new Map<string, number>();
  return {
    control,
    merchantApi: onlyFor(isOfLimitedOperation, (request, server) => {
      const merchantId = merchantIdOf(request);
      const count = (asked.get(merchantId) ?? 0) + 1;
      asked.set(merchantId, count);
      const isShorter = (spans.get(merchantId) ?? Number.POSITIVE_INFINITY) < Math.max(...spans.values());
      return isShorter && count > 2
        ? Promise.resolve(refundRefusal(429, 'RATE_LIMIT_EXCEEDED'))
        : server.forward(request);
    }),
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

/** Requests that a span of this length, in milliseconds, may have. */
const [renewedSpan, mostInSpan] = [4000, 6];

/** A server whose count of a merchant's creates ends only when it has sent none for the whole span. */
function renewingTheSpan(): Handler {
  const counted = new Map<string, { count: number; last: number }>();
  return onlyFor(isOf('refunds.create'), async (request, server) => {
    const merchantId = merchantIdOf(request);
    const known = counted.get(merchantId);
    const now = performance.now();
    const count = known && now - known.last < renewedSpan ? known.count + 1 : 1;
    counted.set(merchantId, { count, last: now });
    return count > mostInSpan ? refundRefusal(429, 'RATE_LIMIT_EXCEEDED') : server.forward(request);
  });
}

/** A server that writes otherwise how long a request beyond the limit has to wait, which it knows in whole seconds. */
const waitingFor = (written: (seconds: number) => string): Handler =>
  refusingRefunds(
    ({ status }) => status === 429,
    (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'retry-after': written(Number(answer.headers['retry-after'])) },
    }),
  );

const retryAfters: readonly Fault[] = [
  {
    name: 'in-milliseconds',
    title: 'Says in milliseconds how long a request beyond the limit has to wait.',
    written: (seconds: number) => String(1000 * seconds),
  },
  {
    name: 'with-a-fraction',
    title: 'Says with a fraction of seconds how long a request beyond the limit has to wait.',
    written: (seconds: number) => seconds.toFixed(1),
  },
  {
    name: 'as-iso-8601',
    title: 'Writes the moment from which to try again, beyond the limit, in ISO 8601.',
    written: (seconds: number) => new Date(Date.now() + 1000 * seconds).toISOString(),
  },
].map(({ name, title, written }) =>
  fault(
    `refunds-retry-after-${name}`,
    title,
    'refunds.errors.rate-limit.retry-after',
    'refunds.errors.rate-limit.retry-after',
    waitingFor(written),
  ),
);

const countings: readonly Fault[] = [
  fault(
    'refunds-counts-of-others-dropped',
    'Drops what it has counted of every merchant once it is older than the span of the one that asks.',
    'refunds.errors.rate-limit',
    'refunds.errors.rate-limit.spans',
    droppingCountsOfOthers(),
  ),
  fault(
    'refunds-counted-over-the-longest-span',
    'Counts the requests of each merchant over the longest span that one of them has.',
    'refunds.errors.rate-limit',
    'refunds.errors.rate-limit.spans',
    countingOverTheLongestSpan(),
  ),
  fault(
    'refunds-limit-renewed-by-each-request',
    'Begins the span of the limit anew with each request, so that it ends for nobody who goes on asking.',
    'refunds.errors.rate-limit',
    'refunds.errors.rate-limit.steady',
    renewingTheSpan(),
  ),
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
      `${name}-not-limited-on-escaped-path`,
      `Limits no requests of ${operation} whose path has an escape.`,
      breaks,
      `${operation}.rate-limit`,
      onlyFor(
        (request) => isOf(operation)(request) && splitTarget(request.target).path.includes('%'),
        async (request, server) => {
          const answer = await server.forward(request);
          return answer.status === 429 ? refundRefusal(404, 'REFUND_NOT_FOUND') : answer;
        },
      ),
    ),
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

/** Servers that count requests about refunds wrongly, or refuse wrongly for their number. */
export const rateLimitFaults: readonly Fault[] = [...rateLimits, ...countings, ...retryAfters];
