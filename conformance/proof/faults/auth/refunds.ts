import { alsoTaking, isOf, isSignedWith, merchantIdOf, onlyFor } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { type Handler, signed, splitTarget } from '../../stand/proxy.ts';
import {
  isOfRefunds,
  isRefundBatch,
  isRefundCreate,
  isRefundQuery,
  refusingRefunds,
  withStatus,
} from '../../stand/refund-changes.ts';
import { wronglyTaken } from '../../stand/wrongly-taken.ts';

const operations = [
  ['create', 'refund requests'],
  ['query', 'refund queries'],
  ['batch-query', 'batch queries of refunds'],
] as const;

const taking: readonly Fault[] = operations.flatMap(([operation, words]) =>
  wronglyTaken.map(
    ([check, title, breaks, takes]): Fault => ({
      id: `refund-${operation}-taken-${check}`,
      title: `Takes ${words} ${title}.`,
      breaks,
      caughtBy: `auth.refunds.${operation}.${check}`,
      make: { merchantApi: onlyFor(isOf(`refunds.${operation}`), alsoTaking(takes)) },
    }),
  ),
);

/** A server that accepts a signature made without the whitespace at the end of the body. */
const trimmingBodies = alsoTaking((request, { apiSecret }) =>
  isSignedWith(request, apiSecret, { body: Buffer.from(request.body.toString('utf8').trimEnd()) }),
);

/** A server that refuses a refund request for its authentication, but carries it out. */
const doingWhatItRefuses: Handler = onlyFor(isRefundCreate, async (request, server) => {
  const answer = await server.forward(request);
  const merchant = server.merchant(merchantIdOf(request));
  if (merchant && answer.status === 401) await server.forward(signed(request, merchant));
  return answer;
});

/** A server that answers a request that it cannot authenticate with another status. */
const unauthenticatedWith = (status: number, applies = isOfRefunds): Handler =>
  onlyFor(
    applies,
    refusingRefunds((refused) => refused.status === 401, withStatus(status)),
  );

const rest: readonly Fault[] = [
  {
    id: 'refund-create-taken-another-body',
    title: 'Leaves the space behind the body of a refund request out of what is signed.',
    breaks: 'auth.signature.body',
    caughtBy: 'auth.refunds.create.another-body',
    make: { merchantApi: onlyFor(isRefundCreate, trimmingBodies) },
  },
  {
    id: 'refund-batch-query-taken-another-body',
    title: 'Leaves the space behind the body of a batch query out of what is signed.',
    breaks: 'auth.signature.body',
    caughtBy: 'auth.refunds.batch-query.another-body',
    make: { merchantApi: onlyFor(isRefundBatch, trimmingBodies) },
  },
  {
    id: 'refund-query-taken-another-query',
    title: 'Signs the first parameter of a refund query, and lets any others follow.',
    breaks: 'auth.signature.query',
    caughtBy: 'auth.refunds.query.another-query',
    make: {
      merchantApi: onlyFor(
        isRefundQuery,
        alsoTaking((request, { apiSecret }) =>
          isSignedWith(request, apiSecret, { query: splitTarget(request.target).query?.split('&')[0] }),
        ),
      ),
    },
  },
  {
    id: 'refund-query-taken-query-unsigned',
    title: 'Takes refund queries whose signature was made without the query.',
    breaks: 'auth.signature.query',
    caughtBy: 'auth.refunds.query.query-unsigned',
    make: {
      merchantApi: onlyFor(
        isRefundQuery,
        alsoTaking((request, { apiSecret }) => isSignedWith(request, apiSecret, { query: undefined })),
      ),
    },
  },
  {
    id: 'refunds-unauthenticated-as-200',
    title: 'Answers refund requests with a wrong signature with HTTP 200, and their refusal in the body.',
    breaks: 'auth.refunds-401',
    caughtBy: 'auth.refunds.create.wrong-signature',
    make: { merchantApi: unauthenticatedWith(200) },
  },
  {
    id: 'refund-queries-unauthenticated-as-403',
    title: 'Forbids refund queries with a wrong signature.',
    breaks: 'auth.refunds-401',
    caughtBy: 'auth.refunds.query.wrong-signature',
    make: { merchantApi: unauthenticatedWith(403, isRefundQuery) },
  },
  {
    id: 'refund-batches-unauthenticated-as-400',
    title: 'Takes a wrong signature of a batch query for a wrong parameter.',
    breaks: 'auth.refunds-401',
    caughtBy: 'auth.refunds.batch-query.wrong-signature',
    make: { merchantApi: unauthenticatedWith(400, isRefundBatch) },
  },
  {
    id: 'refund-queries-hide-what-is-unsigned',
    title: 'Answers refund queries whose signature does not fit with HTTP 404.',
    breaks: 'auth.refunds-401',
    caughtBy: 'auth.refunds.query.another-query',
    make: { merchantApi: unauthenticatedWith(404, isRefundQuery) },
  },
  {
    id: 'wrongly-signed-refund-done',
    title: 'Says that the signature of a refund request is wrong, and makes the refund.',
    breaks: 'auth.refused-changes-nothing',
    caughtBy: 'auth.refunds.create.wrong-signature',
    make: { merchantApi: doingWhatItRefuses },
  },
  {
    id: 'late-refund-done',
    title: 'Says that a refund request is too old, and makes the refund.',
    breaks: 'auth.refused-changes-nothing',
    caughtBy: 'auth.refunds.create.too-old',
    make: { merchantApi: doingWhatItRefuses },
  },
  {
    id: 'other-merchants-refund-done',
    title: "Refuses a refund request under another merchant's key, and makes the refund.",
    breaks: 'auth.refused-changes-nothing',
    caughtBy: 'auth.refunds.create.other-merchant',
    make: { merchantApi: doingWhatItRefuses },
  },
];

/** Wrong servers of the authentication of refund operations. */
export const refundAuthFaults: readonly Fault[] = [...taking, ...rest];
