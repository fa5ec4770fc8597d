import { withMistake } from '../../stand/auth-changes.ts';
import { alsoTaking, isSignedWith, merchantIdOf, onlyFor } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { type Handler, type ProxyRequest, signed } from '../../stand/proxy.ts';
import {
  isOfRefunds,
  isRefundBatch,
  isRefundCreate,
  isRefundQuery,
  parameterOf,
  refusingRefunds,
  withStatus,
} from '../../stand/refund-changes.ts';

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

/** True for a refund query by another id than the platform's. */
const isByOtherId = (request: ProxyRequest) =>
  isRefundQuery(request) && parameterOf(request, 'refundOrderId') === undefined;

/** Wrong servers of the authentication of refund operations, beside those of each rule. */
export const refundAuthFaults: readonly Fault[] = [
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
    id: 'refunds-signed-without-hmac-as-400',
    title:
      'Takes a hash in the place of an HMAC for a wrong parameter of a refund request, although it has the form of a signature.',
    breaks: 'auth.refunds-401',
    caughtBy: 'auth.refunds.create.another-algorithm',
    make: {
      merchantApi: onlyFor(isRefundCreate, (request, server) => {
        const merchant = server.merchant(merchantIdOf(request));
        const isHashed = merchant !== undefined && withMistake(['hmac-plain-sha256'])(request, merchant, server);
        return isHashed ? unauthenticatedWith(400)(request, server) : server.forward(request);
      }),
    },
  },
  {
    id: 'refund-queries-hide-what-is-unsigned',
    title: 'Answers refund queries whose signature does not fit with HTTP 404.',
    breaks: 'auth.refunds-401',
    caughtBy: 'auth.refunds.query.another-query',
    make: { merchantApi: unauthenticatedWith(404, isRefundQuery) },
  },
  {
    id: 'refund-queries-by-other-ids-public',
    title: 'Answers refund queries by merchantRefundOrderId or acquiringOrderId to everybody.',
    breaks: 'auth.required',
    caughtBy: 'auth.refunds.query.unsigned',
    make: { merchantApi: alsoTaking((request) => isByOtherId(request) && !request.headers['x-signature']) },
  },
  {
    id: 'refund-queries-by-other-ids-signed-without-query',
    title: 'Leaves the query out of the signature of refund queries that have no refundOrderId.',
    breaks: 'auth.signature.query',
    caughtBy: 'auth.refunds.query.query-unsigned',
    make: {
      merchantApi: alsoTaking(
        (request, { apiSecret }) => isByOtherId(request) && isSignedWith(request, apiSecret, { query: undefined }),
      ),
    },
  },
  {
    id: 'refund-queries-by-order-signed-anyhow',
    title: 'Does not verify the signature of refund queries by acquiringOrderId.',
    breaks: 'auth.signature.query',
    caughtBy: 'auth.refunds.query.another-query',
    make: {
      merchantApi: alsoTaking(
        (request) => isByOtherId(request) && parameterOf(request, 'acquiringOrderId') !== undefined,
      ),
    },
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
