import type { RequirementId } from '../../../../generated/catalogue.ts';
import { isOf } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import type { Handler, ProxyRequest } from '../../stand/proxy.ts';

/** A server that takes a part of what an operation is sent for the whole body. */
const readingPart =
  (operation: string, part: (request: ProxyRequest) => Buffer): Handler =>
  (request, server) =>
    server.forward(isOf(operation)(request) ? { ...request, body: part(request) } : request);

const operations: readonly (readonly [operation: string, accepted: RequirementId])[] = [
  ['orders.create', 'orders.create.accepted'],
  ['refunds.create', 'refunds.create.accepted'],
  ['refunds.batch-query', 'refunds.batch-query.known'],
  ['checkout.create', 'checkout.create.accepted'],
];

/** Whether a body comes in chunks, without its length. */
const isChunked = ({ headers }: ProxyRequest) => headers['transfer-encoding'] !== undefined;

const parts = [
  {
    id: 'late-body-lost',
    words: 'takes a body for empty that does not come at once with its headers',
    part: ({ body, arrived = { withHeaders: body, first: body } }: ProxyRequest) => arrived.withHeaders,
  },
  {
    id: 'first-chunk-only',
    words: 'reads the first chunk only of a body that comes in chunks',
    part: (request: ProxyRequest) => (isChunked(request) ? (request.arrived?.first ?? request.body) : request.body),
  },
] as const;

/** Wrong servers that do not read the body of a request to its end. */
export const bodiesInPartsFaults: readonly Fault[] = operations.flatMap(([operation, accepted]) =>
  parts.map(({ id, words, part }) => ({
    id: `${operation.replace('.', '-')}-${id}`,
    title: `In ${operation} it ${words}.`,
    breaks: accepted,
    caughtBy: `${operation}.body-in-parts`,
    make: { merchantApi: readingPart(operation, part) },
  })),
);
