import type { RequirementId } from '../../../../generated/catalogue.ts';
import type { Refund } from '../../../../server/domain/refund.ts';
import { answering, bodyOf, isRightlySigned, merchantIdOf, onlyFor } from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import type { Handler, ProxyRequest } from '../../stand/proxy.ts';
import {
  asking,
  isRefundCreate,
  isRefundQuery,
  keepingRefunds,
  ownRefundIdOf,
  parameterOf,
  refundRefusal,
  refundSuccess,
  refusingRefunds,
  type SeenRefusal,
  sharedRefunds,
  showingAsMade,
  showsRefunds,
  withCode,
  withStatus,
} from '../../stand/refund-changes.ts';

const fault = faultsCaughtBy('refunds.');

const ids = [
  ['refundOrderId', 'by-refund-order-id'],
  ['merchantRefundOrderId', 'by-merchant-refund-order-id'],
  ['acquiringOrderId', 'by-acquiring-order-id'],
] as const;

const asksBy = (name: string) => (request: ProxyRequest) =>
  isRefundQuery(request) && parameterOf(request, name) !== undefined;

/** A server that has the refunds of an order, of which it shows the first, in the order or number that `change` gives them. */
const listingOfOrder = (change: (refunds: Refund[]) => Refund[]): Make =>
  keepingRefunds(
    () => ({}),
    (reads) => ({
      listRefundsOfOrder: async (merchantId, id) => change(await reads.listRefundsOfOrder(merchantId, id)),
    }),
  );

/** Answers the queries for which `applies` is true with the merchant's newest refund. */
function showingTheNewest(applies: (request: ProxyRequest) => boolean): Handler {
  const newest = new Map<string, string>();
  return async (request, server) => {
    const refundOrderId = newest.get(merchantIdOf(request));
    if (applies(request) && refundOrderId !== undefined && isRightlySigned(request, server)) {
      return server.forward(asking(request, { refundOrderId }, server));
    }
    const answer = await server.forward(request);
    const { refundOrderId: made } = Object(bodyOf(answer)?.data);
    if (isRefundCreate(request) && typeof made === 'string') newest.set(merchantIdOf(request), made);
    return answer;
  };
}

/** Looks up the ids of a query in the given order instead of the contract's order. */
const preferring = (...order: string[]): Handler =>
  onlyFor(isRefundQuery, async (request, server) => {
    const name = order.find((each) => parameterOf(request, each) !== undefined);
    if (name === undefined || !isRightlySigned(request, server)) return server.forward(request);
    return server.forward(asking(request, { [name]: parameterOf(request, name) ?? '' }, server));
  });

/** Looks up only the id at the given place of the query, such as the first or the last. */
const goingByPlace = (place: number): Handler =>
  onlyFor(isRefundQuery, async (request, server) => {
    const [name, value] = [...new URLSearchParams(request.target.split('?')[1] ?? '')].at(place) ?? [];
    if (name === undefined || !isRightlySigned(request, server)) return server.forward(request);
    return server.forward(asking(request, { [name]: value ?? '' }, server));
  });

/** Looks by each id of a query in turn until one finds a refund. */
const tryingTheNext: Handler = onlyFor(isRefundQuery, async (request, server) => {
  let answer = await server.forward(request);
  for (const [name] of ids) {
    const id = parameterOf(request, name);
    if (id === undefined || bodyOf(answer)?.code !== 'REFUND_NOT_FOUND') continue;
    answer = await server.forward(asking(request, { [name]: id }, server));
  }
  return answer;
});

/** A reader of queries that takes what HTML escapes for what it stands for. */
const readingHtml: Handler = onlyFor(asksBy('merchantRefundOrderId'), (request, server) => {
  const id = parameterOf(request, 'merchantRefundOrderId') ?? '';
  const read = id.replaceAll('&amp;', '&').replace(/&#([0-9]+);/g, (_, code) => String.fromCharCode(Number(code)));
  if (read === id || !isRightlySigned(request, server)) return server.forward(request);
  return server.forward(asking(request, { merchantRefundOrderId: read }, server));
});

const found: readonly Fault[] = [
  fault(
    'refund-ids-read-as-html',
    "Takes a merchant's own id of a refund in a query for HTML, and what it escapes for what that stands for.",
    'refunds.query.by-merchant-refund-order-id',
    'situations.escaped-ids',
    readingHtml,
  ),
  ...ids.flatMap(([name, slug]) => {
    const requirement = `refunds.query.${slug}` as const;
    return [
      fault(
        `refund-${slug}-newest`,
        `Shows a merchant's newest refund to every query by ${name}.`,
        requirement,
        `query.${slug}`,
        showingTheNewest(asksBy(name)),
      ),
      fault(
        `refund-${slug}-missed`,
        `Does not look for refunds by ${name}.`,
        requirement,
        `query.${slug}`,
        onlyFor(asksBy(name), async () => refundRefusal(404, 'REFUND_NOT_FOUND')),
      ),
      fault(
        `refund-${slug}-as-made`,
        `Shows refunds by ${name} as they were when they were made.`,
        requirement,
        `query.${slug}.current`,
        showingAsMade(asksBy(name)),
      ),
      fault(
        `refund-${slug}-as-203`,
        `Answers queries by ${name} with HTTP 203.`,
        'refunds.errors.success-status',
        `query.${slug}`,
        onlyFor(
          asksBy(name),
          answering((answer) => (answer.status === 200 ? withStatus(203)(answer) : answer)),
        ),
      ),
    ];
  }),
  fault(
    'refund-of-order-newest',
    'Shows the last of the refunds of an order.',
    'refunds.query.by-acquiring-order-id',
    'query.first-of-order',
    listingOfOrder((all) => all.toReversed()),
  ),
  fault(
    'second-refund-of-order-from-three-on',
    'Shows the second of the refunds of an order where there are three and more.',
    'refunds.query.by-acquiring-order-id',
    'query.first-of-order',
    listingOfOrder((all) => (all.length < 3 ? all : all.slice(1))),
  ),
  fault(
    'refund-of-order-succeeded',
    'Shows the refund of an order that SUCCEEDED, if there is one.',
    'refunds.query.by-acquiring-order-id',
    'query.first-of-order',
    listingOfOrder((all) => {
      const isDone = ({ status }: (typeof all)[number]) => status === 'SUCCEEDED';
      return [...all.filter(isDone), ...all.filter((each) => !isDone(each))];
    }),
  ),
  fault(
    'refund-query-own-id-first',
    'Prefers merchantRefundOrderId to refundOrderId.',
    'refunds.query.priority',
    'query.priority',
    preferring('merchantRefundOrderId', 'refundOrderId', 'acquiringOrderId'),
  ),
  fault(
    'refund-query-order-first',
    'Prefers acquiringOrderId to refundOrderId.',
    'refunds.query.priority',
    'query.priority',
    preferring('acquiringOrderId', 'refundOrderId', 'merchantRefundOrderId'),
  ),
  fault(
    'refund-query-first-id',
    'Goes by the first id of a query.',
    'refunds.query.priority',
    'query.priority',
    goingByPlace(0),
  ),
  fault(
    'refund-query-own-id-in-front',
    'Goes by merchantRefundOrderId where it is the first id of a query.',
    'refunds.query.priority',
    'query.priority',
    onlyFor(({ target }) => /\?merchantRefundOrderId=/.test(target), goingByPlace(0)),
  ),
  fault(
    'refund-query-last-id',
    'Goes by the last id of a query.',
    'refunds.query.priority',
    'query.priority',
    goingByPlace(-1),
  ),
  fault(
    'refund-query-next-id',
    'Goes by the next id of a query where refundOrderId finds nothing.',
    'refunds.query.priority',
    'query.priority',
    tryingTheNext,
  ),
];

const isUnknown = ({ code }: SeenRefusal) => code === 'REFUND_NOT_FOUND';
const unknown: [RequirementId, string] = ['refunds.errors.refund-not-found', 'query.unknown'];
const others: [RequirementId, string] = ['refunds.query.other-merchant', 'query.other-merchant'];

/** Reveals that another merchant has the refund, instead of saying only that there is none. */
function tellingOfOthers(): Handler {
  const known = new Map<string, unknown>();
  return onlyFor(showsOrMakes, async (request, server) => {
    const answer = await server.forward(request);
    const envelope = bodyOf(answer);
    const { refundOrderId, merchantRefundOrderId } = Object(envelope?.data);
    if (refundOrderId !== undefined) known.set(String(merchantRefundOrderId), refundOrderId);
    const theirs = known.get(parameterOf(request, 'merchantRefundOrderId') ?? '');
    if (envelope?.code !== 'REFUND_NOT_FOUND' || theirs === undefined) return answer;
    return refundRefusal(404, 'REFUND_NOT_FOUND', `${theirs} belongs to another merchant`);
  });
}
function showsOrMakes(request: ProxyRequest): boolean {
  return showsRefunds(request) || isRefundCreate(request);
}

/** Looks for a refund whose merchantRefundOrderId begins with what a query asks for. */
function findingByBeginning(beginning: (id: string) => string | undefined = (id) => id): Handler {
  const made = new Set<string>();
  return onlyFor(showsOrMakes, async (request, server) => {
    const id = ownRefundIdOf(request);
    if (isRefundCreate(request) && id !== undefined) made.add(id);
    const start = id && isRefundQuery(request) ? beginning(id) : undefined;
    const known = start === undefined ? undefined : [...made].find((each) => each.startsWith(start));
    if (known === undefined || made.has(id ?? '') || !isRightlySigned(request, server)) return server.forward(request);
    return server.forward(asking(request, { merchantRefundOrderId: known }, server));
  });
}

const isImpossible = (request: ProxyRequest) => {
  const id = parameterOf(request, 'refundOrderId');
  return id !== undefined && !/^ref\.[0-9a-z]{26}$/.test(id);
};

/** True for a refund query with parameters of which none is an id. */
const isAskedOtherwise = (request: ProxyRequest) =>
  isRefundQuery(request) &&
  request.target.includes('?') &&
  ids.every(([name]) => parameterOf(request, name) === undefined);

const missed: readonly Fault[] = [
  fault(
    'refund-query-without-id-lists',
    "Shows a merchant's newest refund to a query without any id.",
    'refunds.query.one-required',
    'query.one-required',
    showingTheNewest((request) => isRefundQuery(request) && !request.target.includes('?')),
  ),
  fault(
    'refund-query-by-unknown-parameter-lists',
    "Shows a merchant's newest refund to a query with parameters of which none is an id.",
    'refunds.query.one-required',
    'query.one-required',
    showingTheNewest((request) => isAskedOtherwise(request) && parameterOf(request, 'foo') !== undefined),
  ),
  fault(
    'refund-query-by-order-under-other-name',
    'Takes the orderId of a query for its acquiringOrderId.',
    'refunds.query.one-required',
    'query.one-required',
    showingTheNewest((request) => isAskedOtherwise(request) && parameterOf(request, 'orderId') !== undefined),
  ),
  fault(
    'refund-query-with-names-in-any-case',
    'Reads the names of parameters in a query for a refund in any case of letters.',
    'refunds.query.one-required',
    'query.one-required',
    showingTheNewest((request) => isAskedOtherwise(request) && /[?&]refundorderid=/i.test(request.target)),
  ),
  fault(
    'refund-query-by-the-id-of-its-order',
    'Finds a refund by the merchantOrderId of its order.',
    'refunds.query.one-required',
    'query.one-required',
    showingTheNewest(
      (request) => isAskedOtherwise(request) && parameterOf(request, 'merchantOrderId')?.startsWith('ord.') === false,
    ),
  ),
  fault(
    'refund-query-without-id-fails',
    'Fails with a system error at a query without any id.',
    'refunds.query.one-required',
    'query.one-required',
    refusingRefunds(
      (_refused, request) => isRefundQuery(request) && !request.target.includes('?'),
      () => refundRefusal(500, 'SYSTEM_ERROR'),
    ),
  ),
  fault(
    'unknown-refund-as-200',
    'Says with HTTP 200 that there is no such refund.',
    ...unknown,
    refusingRefunds(isUnknown, withStatus(200)),
  ),
  fault(
    'unknown-refund-as-400',
    'Takes the id of no refund for a wrong parameter.',
    ...unknown,
    refusingRefunds(isUnknown, withStatus(400)),
  ),
  fault(
    'unknown-refund-other-code',
    'Answers the query for an unknown refund with NOT_FOUND.',
    ...unknown,
    refusingRefunds(isUnknown, withCode('NOT_FOUND')),
  ),
  fault(
    'unknown-order-of-refund-as-order-not-found',
    'Answers the query for a refund of an order that does not exist with ORDER_NOT_FOUND.',
    ...unknown,
    onlyFor(asksBy('acquiringOrderId'), refusingRefunds(isUnknown, withCode('ORDER_NOT_FOUND'))),
  ),
  fault(
    'unrefunded-order-as-success',
    'Answers the query for an order without refunds with success, and no data.',
    ...unknown,
    onlyFor(asksBy('acquiringOrderId'), async (request, server) => {
      const answer = await server.forward(request);
      return bodyOf(answer)?.code === 'REFUND_NOT_FOUND' ? refundSuccess(null) : answer;
    }),
  ),
  fault(
    'impossible-refund-as-success',
    'Answers the query for an id that no refund can have with success.',
    'refunds.query.malformed-id',
    'query.impossible-id',
    onlyFor(isImpossible, async () => refundSuccess(null)),
  ),
  fault(
    'refund-by-beginning-of-id',
    'Finds a refund by the beginning of its merchantRefundOrderId.',
    'refunds.query.malformed-id',
    'query.changed-id',
    findingByBeginning(),
  ),
  fault(
    'refund-query-like',
    'Searches for a refund with the LIKE of SQL.',
    'refunds.query.malformed-id',
    'query.changed-id',
    findingByBeginning((id) => (id.endsWith('%') ? id.slice(0, -1) : undefined)),
  ),
  fault(
    'refund-query-like-one-character',
    'Takes an underscore in the merchantRefundOrderId of a query for any character.',
    'refunds.query.malformed-id',
    'query.changed-id',
    findingByBeginning((id) => (id.endsWith('_') ? id.slice(0, -1) : undefined)),
  ),
  ...(
    [
      ['marks', 'NFD', /\p{M}/gu],
      ['width', 'NFKC', /(?!)/gu],
    ] as const
  ).map(([name, form, left]) =>
    fault(
      `refund-query-without-${name}`,
      `Finds a refund by its merchantRefundOrderId without regard to the ${name} of letters.`,
      'refunds.query.malformed-id',
      'query.changed-id',
      findingByBeginning((id) => {
        const plain = id.normalize(form).replace(left, '');
        return plain === id ? undefined : plain;
      }),
    ),
  ),
  fault(
    'refunds-of-all-merchants',
    "Shows any merchant's refund to every merchant that knows an id of it.",
    ...others,
    sharedRefunds('query'),
  ),
  fault('refund-of-others-told', "Names another merchant's refund when it is asked for.", ...others, tellingOfOthers()),
];

/** A server that compares an id in a query as it was sent, escaped or not. */
const comparingAsSent = (name: string): Handler =>
  onlyFor(
    (request) => isRefundQuery(request) && new RegExp(`[?&]${name}=%(4|5|6|7)`).test(request.target),
    async (request, server) =>
      isRightlySigned(request, server) ? refundRefusal(404, 'REFUND_NOT_FOUND') : server.forward(request),
  );

const escaped: readonly Fault[] = ids.map(([name, check]) =>
  fault(
    `refund-${check}-not-unescaped`,
    `Finds no refund by a ${name} of which a letter is escaped in the query.`,
    `refunds.query.${check}`,
    'situations.escaped-ids',
    comparingAsSent(name),
  ),
);

/** Wrong servers that find other refunds than the query asks for. */
export const refundQueryFaults: readonly Fault[] = [...found, ...missed, ...escaped];
