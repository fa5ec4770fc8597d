import type { RequirementId } from '../../../../generated/catalogue.ts';
import { idOfRule } from '../../../arrange/authentication/rule.ts';
import { timestampRules } from '../../../arrange/authentication/rules/timestamps.ts';
import { isObject } from '../../../contract/json.ts';
import { contractOperations } from '../../../contract/operations.ts';
import { timestampOf } from '../../stand/auth-changes.ts';
import { alsoTaking, bodyOf, isOf, isRightlySigned, onlyFor, readingBodies, refusal } from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { type Handler, type ProxyRequest, resigned } from '../../stand/proxy.ts';
import { parameterOf } from '../../stand/refund-changes.ts';
import { idOf } from '../invariants/feeds.ts';

// Servers that read a parameter of a header, a path or a query as a careless implementation does.

/** Readings of a timestamp that take more than its 13 digits. */
const timestampReadings: readonly [name: string, words: string, read: (text: string) => number][] = [
  ['prefix', 'the number with which X-Timestamp begins', (text) => Number.parseInt(text, 10)],
  ['number', 'every number that X-Timestamp can be', Number],
  ['separated', 'the digits of X-Timestamp without what separates them', (text) => Number(text.replace(/[,_ ]/g, ''))],
];

const isNow = (milliseconds: number) => Math.abs(milliseconds - Date.now()) < 60_000;

const timestamps: readonly Fault[] = timestampRules
  .filter(({ name }) => name === 'timestamp-form')
  .flatMap((rule) =>
    contractOperations.flatMap((operation) =>
      timestampReadings.map(([name, words, read]) => ({
        id: `${idOf(operation.name)}-timestamp-read-as-${name}`,
        title: `Reads ${words} in ${operation.name}.`,
        breaks: rule.requirements(operation)[0],
        caughtBy: idOfRule(rule, operation),
        make: {
          merchantApi: onlyFor(
            isOf(operation.name),
            alsoTaking(
              (request, _, server) =>
                !/^[0-9]{13}$/.test(timestampOf(request)) &&
                isNow(read(timestampOf(request))) &&
                isRightlySigned(request, server),
            ),
          ),
        },
      })),
    ),
  );

/** An id in a request, decoded once and otherwise as it was sent; `undefined`: there is none that can be decoded. */
function readId(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Where a query has the ids that it asks for. */
const placeOfIds = (operation: string) => (operation === 'refunds.query' ? /(?<==)[^&]+/g : /(?<=\/orders\/)[^/?]+/);

/** A server that looks for another id than the one that is asked for. */
function readingIds(operation: string, change: (id: string) => string): Handler {
  return onlyFor(isOf(operation), (request, server) => {
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    const target = request.target.replace(placeOfIds(operation), (encoded) => {
      const id = readId(encoded);
      return id === undefined ? encoded : encodeURIComponent(change(id));
    });
    if (!owner || target === request.target || !isRightlySigned(request, server)) return server.forward(request);
    return server.forward(resigned({ ...request, target }, owner));
  });
}

/** A server that fails at ids of a kind. */
function failingAt(operation: string, fails: (id: string) => boolean): Handler {
  const asksFor = ({ target }: ProxyRequest) =>
    [target.match(placeOfIds(operation)) ?? []].flat().some((encoded) => fails(readId(encoded) ?? ''));
  return onlyFor(isOf(operation), async (request, server) =>
    asksFor(request) && isRightlySigned(request, server)
      ? { ...refusal(request, '99999', 'the service failed'), status: 500 }
      : server.forward(request),
  );
}

const idReadings: readonly [name: string, words: string, change: (id: string) => string][] = [
  ['beginning', 'only the beginning of an id, up to the first mark', (id) => id.replace(/[^A-Za-z0-9._-].*$/s, '')],
  ['decoded-twice', 'an id that is decoded twice', (id) => readId(id) ?? id],
  ['normalised', 'an id in wide forms of letters as one in usual ones', (id) => id.normalize('NFKC')],
  ['nul-dropped', 'an id without its control characters', (id) => id.replace(/\p{Cc}x?/gu, '')],
];

/** Readings that only an id with a form shows: elsewhere blanks may be overlooked. */
const formReadings: typeof idReadings = [
  ['trimmed', 'an id without the blanks around it', (id) => id.trim()],
  ['without-spaces', 'an id without the spaces around it', (id) => id.replace(/^ +| +$/g, '')],
];

/** Readings that only an id without a form shows: the pattern of the others has letters of both cases. */
const formlessReadings: typeof idReadings = [['in-small-letters', 'an id in small letters', (id) => id.toLowerCase()]];

/** Marks that a server leaves out at the end of an id, or before it. */
const left: readonly [name: string, words: string, pattern: RegExp][] = [
  ['blank-behind', 'a blank behind it', / $/],
  ['blank-before', 'a blank before it', /^ /],
  ['line-feed-behind', 'a line feed behind it', /\n$/],
  ['nul-behind', 'a NUL behind it', /\0$/],
  ['dot-behind', 'a dot behind it', /\.$/],
  ['slash-behind', 'a slash behind it', /\/$/],
  ['quotes-around', 'quotation marks around it', /^"|"$/g],
];

const subjects: readonly [operation: string, check: string, breaks: RequirementId, readings: typeof idReadings][] = [
  ['orders.query', 'impossible-id', 'orders.query.malformed-id', [...idReadings, ...formReadings]],
  ['checkout.query', 'impossible-id', 'checkout.query.malformed-id', [...idReadings, ...formReadings]],
  ['refunds.query', 'changed-id', 'refunds.query.malformed-id', [...idReadings, ...formlessReadings]],
];

const ids: readonly Fault[] = subjects.flatMap(([operation, check, breaks, readings]): Fault[] => [
  ...readings.map(([name, words, change]) => ({
    id: `${idOf(operation)}-id-read-${name}`,
    title: `Reads ${words} in ${operation}.`,
    breaks,
    caughtBy: `${operation}.${check}`,
    make: { merchantApi: readingIds(operation, change) },
  })),
  {
    id: `${idOf(operation)}-fails-at-nul`,
    title: `Fails at an id with a NUL, which its database does not take, in ${operation}.`,
    breaks,
    caughtBy: `${operation}.${check}`,
    make: { merchantApi: failingAt(operation, (id) => id.includes('\0')) },
  },
]);

/** Whether an id is similar to what was asked for; `isPlatforms`: the platform gave it. */
type Similarity = (id: string, asked: string, isPlatforms: boolean) => boolean;

/** A server that finds an order by an id that is only similar to one of its ids. */
function findingSimilar(area: 'orders' | 'checkout', isSimilar: Similarity): Handler {
  const known = new Map<string, boolean>();
  const asIfRight = readingIds(`${area}.query`, (asked) =>
    known.has(asked)
      ? asked
      : ([...known].find(([id, isPlatforms]) => isSimilar(id, asked, isPlatforms))?.[0] ?? asked),
  );
  return async (request, server) => {
    if (!isOf(`${area}.create`)(request)) return asIfRight(request, server);
    const answer = await server.forward(request);
    const { data } = bodyOf(answer) ?? {};
    if (isObject(data)) {
      if (data.orderId) known.set(String(data.orderId), true);
      if (data.merchantOrderId) known.set(String(data.merchantOrderId), false);
    }
    return answer;
  };
}

const similarities: readonly [name: string, words: string, isSimilar: Similarity][] = [
  ['by-prefix', 'an order by the beginning of its merchantOrderId', (id, asked) => id.startsWith(asked)],
  [
    'by-long-prefix',
    'an order by a beginning of its merchantOrderId that has at least 32 characters',
    (id, asked, isPlatforms) => !isPlatforms && asked.length >= 32 && id.startsWith(asked),
  ],
  [
    'by-32-characters',
    'an order by the first 32 characters of its merchantOrderId',
    (id, asked, isPlatforms) => !isPlatforms && asked.length === 32 && id.startsWith(asked),
  ],
  [
    'by-long-suffix',
    'an order by an end of its merchantOrderId that has at least 32 characters',
    (id, asked, isPlatforms) => !isPlatforms && asked.length >= 32 && id.endsWith(asked),
  ],
  [
    'in-any-case',
    'an order by its ids in letters of either case',
    (id, asked) => id.toLowerCase() === asked.toLowerCase(),
  ],
  [
    'by-other-separators',
    'an order by a merchantOrderId with other separators',
    (id, asked, isPlatforms) => !isPlatforms && id === asked.replaceAll('_', '-'),
  ],
  [
    'without-separators',
    'an order by its merchantOrderId without its separators',
    (id, asked, isPlatforms) => !isPlatforms && id.replaceAll('-', '') === asked,
  ],
  [
    'platform-id-by-prefix',
    'an order by the beginning of its platform id',
    (id, asked, isPlatforms) => isPlatforms && id.startsWith(asked),
  ],
  [
    'platform-id-normalised',
    'an order by its platform id in wide forms of letters',
    (id, asked, isPlatforms) => isPlatforms && id === asked.normalize('NFKC'),
  ],
];

/** A server that finds an order by its platform id although more stands around it, whether or not it finds it by that id alone. */
function findingLonger(area: 'orders' | 'checkout', pattern: RegExp): Handler {
  const ownIds = new Map<string, string>();
  const asIfRight = readingIds(`${area}.query`, (asked) => ownIds.get(asked.replace(pattern, '')) ?? asked);
  return async (request, server) => {
    if (!isOf(`${area}.create`)(request)) return asIfRight(request, server);
    const answer = await server.forward(request);
    const { data } = bodyOf(answer) ?? {};
    if (isObject(data) && data.orderId) ownIds.set(String(data.orderId), String(data.merchantOrderId));
    return answer;
  };
}

/** Servers that find by longer ids than those of the platform. */
const longer: readonly Fault[] = left.flatMap(([name, words, pattern]): Fault[] => [
  ...(['orders', 'checkout'] as const).map(
    (area): Fault => ({
      id: `${area}-query-finds-platform-id-with-${name}`,
      title: `Finds an order by its platform id with ${words} in ${area}.query.`,
      breaks: `${area}.errors.unknown-order`,
      caughtBy: `${area}.query.unknown`,
      make: { merchantApi: findingLonger(area, pattern) },
    }),
  ),
  ...(['refundOrderId', 'acquiringOrderId'] as const).map(
    (parameter): Fault => ({
      id: `refunds-query-finds-${parameter === 'refundOrderId' ? 'refund' : 'acquiring'}-order-id-with-${name}`,
      title: `Finds a refund by its ${parameter} with ${words} in refunds.query.`,
      breaks: 'refunds.query.malformed-id',
      caughtBy: 'refunds.query.changed-id',
      make: {
        merchantApi: onlyFor(
          (request) => parameterOf(request, parameter) !== undefined,
          readingIds('refunds.query', (id) => id.replace(pattern, '')),
        ),
      },
    }),
  ),
]);

const searches: readonly Fault[] = (['orders', 'checkout'] as const).flatMap((area) =>
  // Checkout orders are asked for by the merchant's id alone.
  similarities
    .filter(([name]) => area === 'orders' || !name.startsWith('platform-id-'))
    .map(
      ([name, words, isSimilar]): Fault => ({
        id: `${area}-query-finds-${name}`,
        title: `Finds ${words} in ${area}.query.`,
        breaks: `${area}.errors.unknown-order`,
        caughtBy: `${area}.query.unknown`,
        make: { merchantApi: findingSimilar(area, isSimilar) },
      }),
    ),
);

/** Servers that look for refunds in a batch as a careless search does. */
const batches: readonly Fault[] = (
  [
    ['in-any-case', 'in letters of either case', (id) => id.toLowerCase()],
    ['normalised', 'in wide forms of letters', (id) => id.normalize('NFKC')],
  ] as const satisfies readonly [string, string, (id: string) => string][]
).map(([name, words, change]) => ({
  id: `refunds-batch-query-finds-${name}`,
  title: `Finds refunds by their ids ${words} in refunds.batch-query.`,
  breaks: 'refunds.batch-query.known',
  caughtBy: 'refunds.batch-query.changed-ids',
  make: {
    merchantApi: readingBodies('refunds.batch-query', (body) => {
      const ids: unknown[] = [body.merchantRefundOrderIds].flat();
      return { ...body, merchantRefundOrderIds: ids.map((id) => (typeof id === 'string' ? change(id) : id)) };
    }),
  },
}));

/** For the constraints on headers, paths and queries, and for the ids of a batch: servers that read values which break them as right ones. */
export const parameterFaults: readonly Fault[] = [...timestamps, ...ids, ...searches, ...longer, ...batches];
