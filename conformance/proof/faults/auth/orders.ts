import { isObject } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import { ageOf, timestampOf } from '../../stand/auth-changes.ts';
import {
  alsoTaking,
  bodyOf,
  findingUnsigned,
  isAuthFailure,
  isHostedCreate,
  isHostedQuery,
  isRightlySigned,
  isSignedWith,
  merchantIdOf,
  onlyFor,
  queriedId,
  refusal,
  refusing,
  refusingWithStatus,
} from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { type Handler, type ProxyRequest, signed } from '../../stand/proxy.ts';
import { signatureFaults } from './signatures.ts';

const headersOf = ({ headers }: ProxyRequest) =>
  ['x-api-key', 'x-timestamp', 'x-signature'].map((name) => headers[name]);
const isUnsigned = (request: ProxyRequest) => headersOf(request).every((value) => value === undefined);
const minutes = 60_000;

/** A server that refuses a request, but carries it out. */
function doingWhatItRefuses(refused: (code: unknown) => boolean): Handler {
  return async (request, server) => {
    const answer = await server.forward(request);
    const merchant = server.merchant(merchantIdOf(request));
    if (merchant && isHostedCreate(request) && refused(bodyOf(answer)?.code))
      await server.forward(signed(request, merchant));
    return answer;
  };
}

/** A server that looks for the order of a create first: it authenticates only the creates under ids that it does not know. */
function answeringRepeatsToAll(): Handler {
  const taken = new Set<string>();
  return async (request, server) => {
    const answer = await server.forward(request);
    const id = `${merchantIdOf(request)} ${bodyOf(request)?.merchantOrderId}`;
    if (isHostedCreate(request) && bodyOf(answer)?.code === successCode) taken.add(id);
    const merchant = server.merchant(merchantIdOf(request));
    const isUnknown = !isHostedCreate(request) || !isAuthFailure(bodyOf(answer)?.code) || !taken.has(id);
    return isUnknown || !merchant ? answer : server.forward(signed(request, merchant));
  };
}

/** The rules of authentication that a repeated create must keep, too. */
const ofRepeats = [
  ['unsigned', 'auth.required'],
  ['too-old', 'auth.timestamp.window'],
  ['too-early', 'auth.timestamp.window'],
  ['wrong-signature', 'auth.signature.algorithm'],
  ['other-merchant', 'auth.api-key.own-merchant'],
  ['other-secret', 'auth.api-key.own-merchant'],
] as const;

const repeats: readonly Fault[] = ofRepeats.map(([rule, breaks]) => ({
  id: `repeats-answered-to-all-${rule}`,
  title: 'Answers a create whose id it knows with the order before it looks at the signature.',
  breaks,
  caughtBy: `auth.orders.create.${rule}`,
  make: { merchantApi: answeringRepeatsToAll() },
}));

/** Servers that do not check whether the request is signed. */
const unsigned: readonly Fault[] = [
  {
    id: 'unsigned-creates-taken',
    title: 'Makes orders for anyone who sends none of the three headers.',
    breaks: 'auth.required',
    caughtBy: 'auth.orders.create.unsigned',
    make: { merchantApi: alsoTaking((request) => isHostedCreate(request) && isUnsigned(request)) },
  },
  {
    id: 'queries-open-to-all',
    title: 'Shows orders to anyone who sends none of the three headers.',
    breaks: 'auth.required',
    caughtBy: 'auth.orders.query.unsigned',
    make: { merchantApi: alsoTaking((request) => isHostedQuery(request) && isUnsigned(request)) },
  },
  {
    id: 'queries-by-order-id-unsigned',
    title: 'Looks at no signature where an order is asked for by its orderId.',
    breaks: 'auth.signature.algorithm',
    caughtBy: 'auth.orders.query.wrong-signature',
    make: {
      merchantApi: alsoTaking((request) => isHostedQuery(request) && queriedId(request)?.startsWith('ord.') === true),
    },
  },
  {
    id: 'nothing-authenticated',
    title: 'Looks at no header at all.',
    breaks: 'auth.signature.required',
    caughtBy: 'auth.orders.create.signature-missing',
    make: { merchantApi: alsoTaking(() => true) },
  },
  ...(
    [
      ['X-Api-Key', 'key', 'auth.api-key.required'],
      ['X-Timestamp', 'timestamp', 'auth.timestamp.required'],
      ['X-Signature', 'signature', 'auth.signature.required'],
    ] as const
  ).flatMap(([header, rule, requirement]): Fault[] => {
    const name = header.toLowerCase();
    return [
      {
        id: `without-${name}-taken`,
        title: `Takes a request without ${header} for one that needs none.`,
        breaks: requirement,
        caughtBy: `auth.orders.create.${rule}-missing`,
        make: { merchantApi: alsoTaking(({ headers }) => headers[name] === undefined) },
      },
      {
        id: `empty-${name}-taken`,
        title: `Does not check what an empty ${header} should hold.`,
        breaks: requirement,
        caughtBy: `auth.orders.create.${rule}-empty`,
        make: { merchantApi: alsoTaking(({ headers }) => headers[name] === '') },
      },
    ];
  }),
];

const contentTypeFault = (id: string, title: string, refuses: (contentType: string) => boolean): Fault => ({
  id,
  title,
  breaks: 'auth.content-type',
  caughtBy: 'auth.orders.create.content-type',
  make: {
    merchantApi: async (request, server) =>
      isHostedCreate(request) && refuses(request.headers['content-type'] ?? '')
        ? refusal(request, '10001', 'Content-Type: is not application/json')
        : server.forward(request),
  },
});

const contentTypes: readonly Fault[] = [
  contentTypeFault('charset-refused', 'Knows its content type only without a charset.', (type) =>
    /charset/i.test(type),
  ),
  contentTypeFault(
    'quoted-charset-refused',
    'Knows its content type only with a charset that is not in quotation marks.',
    (type) => type.includes('"'),
  ),
  contentTypeFault(
    'content-type-of-turkish-capitals',
    'Puts the capital letters of a content type in small ones as Turkish does, where I has no dot.',
    (type) => type.includes('I'),
  ),
];

/** Servers that read the time wrongly. */
const times: readonly Fault[] = [
  {
    id: 'window-past-too-narrow',
    title: 'Finds a request too old after one minute.',
    breaks: 'auth.timestamp.window',
    caughtBy: 'auth.orders.create.inside-past',
    make: { merchantApi: findingUnsigned((request) => ageOf(request) > minutes) },
  },
  {
    id: 'window-future-closed',
    title: 'Refuses a request whose clock is a little ahead.',
    breaks: 'auth.timestamp.window',
    caughtBy: 'auth.orders.create.inside-future',
    make: { merchantApi: findingUnsigned((request) => ageOf(request) < -minutes) },
  },
  {
    id: 'window-past-open',
    title: 'Takes requests of any age.',
    breaks: 'auth.timestamp.window',
    caughtBy: 'auth.orders.create.too-old',
    make: { merchantApi: alsoTaking((request, _, server) => ageOf(request) > 0 && isRightlySigned(request, server)) },
  },
  ...(
    [
      ['window-of-the-day', 'Compares the times of day of requests, whatever their dates.', 86_400_000],
      ['window-in-32-bits', 'Computes the age of requests with 32 bits.', 2 ** 32],
    ] as const
  ).map(
    ([id, title, period]): Fault => ({
      id,
      title,
      breaks: 'auth.timestamp.window',
      caughtBy: 'auth.orders.create.too-old',
      make: {
        merchantApi: alsoTaking((request, _, server) => {
          const away = Math.abs(ageOf(request)) % period;
          return Math.min(away, period - away) < minutes && isRightlySigned(request, server);
        }),
      },
    }),
  ),
  {
    id: 'window-future-open',
    title: 'Takes requests from any time to come.',
    breaks: 'auth.timestamp.window',
    caughtBy: 'auth.orders.create.too-early',
    make: { merchantApi: alsoTaking((request, _, server) => ageOf(request) < 0 && isRightlySigned(request, server)) },
  },
  ...(
    [
      ['seconds', 'seconds', /^[0-9]{10}$/],
      ['iso-8601', 'ISO 8601', /^[0-9]{4}-.*Z$/],
      ['microseconds', 'microseconds', /^[0-9]{16}$/],
      ['leading-zero', '14 digits, the first of them zero', /^0[0-9]{13}$/],
      ['not-a-number', 'text that is no number', /^[^0-9]+$/],
    ] as const
  ).map(
    ([name, words, form]): Fault => ({
      id: `timestamp-taken-${name}`,
      title: `Takes a timestamp in ${words}.`,
      breaks: 'auth.timestamp.form',
      caughtBy: `auth.orders.create.timestamp-${name === 'seconds' ? 'seconds' : 'form'}`,
      make: {
        merchantApi: alsoTaking(
          (request, _, server) => form.test(timestampOf(request)) && isRightlySigned(request, server),
        ),
      },
    }),
  ),
];

/** Servers that do not check which merchant the API key belongs to. */
const keys: readonly Fault[] = [
  {
    id: 'key-found-by-its-beginning',
    title: 'Finds the merchant by how a key begins.',
    breaks: 'auth.api-key.unknown',
    caughtBy: 'auth.orders.create.unknown-key',
    make: {
      merchantApi: (request, server) => {
        const sent = request.headers['x-api-key'] ?? '';
        const owner = [...server.merchants()].find(({ apiKey }) => sent.startsWith(apiKey));
        return server.forward(
          owner ? { ...request, headers: { ...request.headers, 'x-api-key': owner.apiKey } } : request,
        );
      },
    },
  },
  {
    id: 'unknown-key-taken',
    title: 'Checks the signature under the secret of the merchant in the path, whatever the key is.',
    breaks: 'auth.api-key.unknown',
    caughtBy: 'auth.orders.create.unknown-key',
    make: { merchantApi: alsoTaking((request, { apiSecret }) => isSignedWith(request, apiSecret)) },
  },
  {
    id: 'any-merchants-key-taken',
    title: 'Takes any key with its own secret for any merchant.',
    breaks: 'auth.api-key.own-merchant',
    caughtBy: 'auth.orders.create.other-merchant',
    make: { merchantApi: alsoTaking((request, _, server) => isRightlySigned(request, server)) },
  },
  {
    id: 'any-merchants-queries-shown',
    title: 'Lets any merchant ask for the orders of any other, though not make them.',
    breaks: 'auth.api-key.own-merchant',
    caughtBy: 'auth.orders.query.other-merchant',
    make: {
      merchantApi: alsoTaking((request, _, server) => isHostedQuery(request) && isRightlySigned(request, server)),
    },
  },
  {
    id: 'any-merchants-secret-taken',
    title: 'Looks for any merchant whose secret fits the signature.',
    breaks: 'auth.api-key.own-merchant',
    caughtBy: 'auth.orders.create.other-secret',
    make: {
      merchantApi: alsoTaking((request, _, server) =>
        [...server.merchants()].some(({ apiSecret }) => isSignedWith(request, apiSecret)),
      ),
    },
  },
];

/** Servers that answer a failed authentication wrongly. */
const failures: readonly Fault[] = [
  {
    id: 'wrongly-signed-create-done',
    title: 'Says that the signature is wrong, and makes the order.',
    breaks: 'auth.refused-changes-nothing',
    caughtBy: 'auth.orders.create.wrong-signature',
    make: { merchantApi: doingWhatItRefuses((code) => code === '90001') },
  },
  {
    id: 'late-create-done',
    title: 'Says that the request is too old, and makes the order.',
    breaks: 'auth.refused-changes-nothing',
    caughtBy: 'auth.orders.create.too-old',
    make: { merchantApi: doingWhatItRefuses((code) => code === '90002') },
  },
  {
    id: 'unknown-key-create-done',
    title: 'Says that the key is unknown, and makes the order.',
    breaks: 'auth.refused-changes-nothing',
    caughtBy: 'auth.orders.create.unknown-key',
    make: { merchantApi: doingWhatItRefuses((code) => code === '90003') },
  },
  {
    id: 'auth-failure-http-401',
    title: 'Answers a wrong signature with HTTP 401.',
    breaks: 'auth.orders-failure',
    caughtBy: 'auth.orders.create.failure-envelope',
    make: { merchantApi: refusingWithStatus((code) => (isAuthFailure(code) ? 401 : undefined)) },
  },
  {
    id: 'auth-failure-of-query-http-403',
    title: 'Answers a query with a wrong signature with HTTP 403.',
    breaks: 'auth.orders-failure',
    caughtBy: 'auth.orders.query.failure-envelope',
    make: {
      merchantApi: onlyFor(
        isHostedQuery,
        refusingWithStatus((code) => (isAuthFailure(code) ? 403 : undefined)),
      ),
    },
  },
  ...[
    { product: 'create', isMeant: isHostedCreate },
    { product: 'query', isMeant: isHostedQuery },
  ].map(({ product, isMeant }) => ({
    id: `unknown-merchant-of-${product}-http-404`,
    title: `Answers a ${product} for a merchant that does not exist with HTTP 404.`,
    breaks: 'auth.orders-failure' as const,
    caughtBy: `auth.orders.${product}.failure-envelope`,
    make: {
      merchantApi: onlyFor(isMeant, async (request, server) => {
        const answer = await server.forward(request);
        return server.merchant(merchantIdOf(request)) ? answer : { ...answer, status: 404 };
      }),
    },
  })),
  {
    id: 'unsigned-create-http-400',
    title: 'Answers a create without X-Signature with HTTP 400.',
    breaks: 'auth.orders-failure',
    caughtBy: 'auth.orders.create.failure-envelope',
    make: {
      merchantApi: onlyFor(isHostedCreate, async (request, server) => {
        const answer = await server.forward(request);
        return request.headers['x-signature'] === undefined ? { ...answer, status: 400 } : answer;
      }),
    },
  },
  {
    id: 'late-query-without-data',
    title: 'Answers a query that is too old with code and message only.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'auth.orders.query.failure-envelope',
    make: {
      merchantApi: onlyFor(
        isHostedQuery,
        refusing((envelope) =>
          envelope.code === '90002' ? { code: envelope.code, message: envelope.message } : envelope,
        ),
      ),
    },
  },
  {
    id: 'auth-failure-without-data',
    title: 'Answers a wrong signature with code and message only.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'auth.orders.create.failure-envelope',
    make: {
      merchantApi: refusing((envelope) =>
        isAuthFailure(envelope.code) ? { code: envelope.code, message: envelope.message } : envelope,
      ),
    },
  },
  {
    id: 'auth-failure-without-standard-message',
    title: 'Leaves standardResponseMessage out of the failure envelope where the signature is wrong.',
    breaks: 'orders.envelope.failure',
    caughtBy: 'auth.orders.create.failure-envelope',
    make: {
      merchantApi: refusing((envelope) => {
        if (!isAuthFailure(envelope.code) || !isObject(envelope.data)) return envelope;
        const { standardResponseMessage: _left, ...data } = envelope.data;
        return { ...envelope, data };
      }),
    },
  },
];

/** Wrong servers of the area auth. */
export const authFaults: readonly Fault[] = [
  ...repeats,
  ...unsigned,
  ...signatureFaults,
  ...contentTypes,
  ...times,
  ...keys,
  ...failures,
];
