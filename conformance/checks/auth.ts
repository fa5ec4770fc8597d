import { limit, type RequirementId, type SignatureMistakeCode, signatureMistakes } from '../../generated/catalogue.ts';
import { type Check, NotApplicable } from '../check.ts';
import { type OrdersClient, ordersClient, type SignedRequest } from '../client.ts';
import type { CheckContext } from '../context.ts';
import { type Answer, field } from '../exchange.ts';
import { expectAccepted, expectRefused, expectThat, isAccepted, needAccepted, show } from '../expect.ts';
import { makeOrder, orderRequest } from '../orders.ts';
import { wrongSignatures } from '../signing/mistakes.ts';
import { signatureOf } from '../signing/signature.ts';

/** How far inside and outside of the time window a request is judged, in milliseconds: clocks and networks are not exact. */
const margin = 10_000;
const timeWindow = limit('auth.timestamp.window', 'max');

/** A create request of an order of its own, as bytes that are signed and sent alike. */
function createRequest(context: CheckContext, client: OrdersClient): { id: string; request: SignedRequest } {
  const body = orderRequest(context);
  const request = { method: 'POST', path: client.createPath, body: Buffer.from(JSON.stringify(body)) };
  return { id: body.merchantOrderId, request };
}

/**
 * Sends a create that is right, to show that the request itself is good, and then one with `change`, which must be refused
 * and make no order.
 */
async function refusesCreate(
  context: CheckContext,
  what: string,
  change: (request: SignedRequest, client: OrdersClient) => SignedRequest,
): Promise<Answer> {
  const client = ordersClient(context, await context.merchant());
  needAccepted(await client.send(createRequest(context, client).request), 'the same request, rightly signed');
  const { id, request } = createRequest(context, client);
  const answer = await client.send(change(request, client));
  expectRefused(answer, what);
  const afterwards = await client.query(id);
  expectThat(!isAccepted(afterwards), afterwards, {
    expected: `${what}: no order comes to be`,
    actual: `there is an order ${id}`,
    requirement: 'auth.refused-changes-nothing',
  });
  return answer;
}

/** The same for a query of an order that exists. */
async function refusesQuery(
  context: CheckContext,
  what: string,
  change: (request: SignedRequest, client: OrdersClient) => SignedRequest,
): Promise<Answer> {
  const order = await makeOrder(context, await context.merchant());
  const request = { method: 'GET', path: order.client.queryPath(order.request.merchantOrderId) };
  needAccepted(await order.client.send(request), 'the same query, rightly signed');
  const answer = await order.client.send(change(request, order.client));
  expectRefused(answer, what);
  return answer;
}

interface RefusalCheck {
  id: string;
  title: string;
  requirements: readonly RequirementId[];
  what: string;
  change: (request: SignedRequest, client: OrdersClient) => SignedRequest;
}

function refusalCheck(
  { id, title, requirements, what, change }: RefusalCheck,
  refuses: typeof refusesCreate = refusesCreate,
): Check {
  return {
    id,
    title,
    level: 'MUST',
    area: 'auth',
    requirements: [...requirements, 'auth.refused-changes-nothing'],
    needs: [],
    async run(context) {
      await refuses(context, what, change);
    },
  };
}

/** Requests that lack what authentication needs. */
const missing: readonly Check[] = [
  refusalCheck({
    id: 'auth.unsigned',
    title: 'A request without any of the three headers is refused',
    requirements: ['auth.required'],
    what: 'an unsigned create',
    change: (request) => ({
      ...request,
      headers: { 'X-Api-Key': undefined, 'X-Timestamp': undefined, 'X-Signature': undefined },
    }),
  }),
  refusalCheck(
    {
      id: 'auth.unsigned-query',
      title: 'A query without any of the three headers is refused',
      requirements: ['auth.required'],
      what: 'an unsigned query',
      change: (request) => ({
        ...request,
        headers: { 'X-Api-Key': undefined, 'X-Timestamp': undefined, 'X-Signature': undefined },
      }),
    },
    refusesQuery,
  ),
  ...(
    [
      ['X-Api-Key', 'auth.api-key.required'],
      ['X-Timestamp', 'auth.timestamp.required'],
      ['X-Signature', 'auth.signature.required'],
    ] as const
  ).flatMap(([header, requirement]) => [
    refusalCheck({
      id: `auth.header.${header}.required`,
      title: `A request without ${header} is refused`,
      requirements: [requirement],
      what: `a create without ${header}`,
      change: (request) => ({ ...request, headers: { [header]: undefined } }),
    }),
    refusalCheck({
      id: `auth.header.${header}.empty`,
      title: `A request with an empty ${header} is refused`,
      requirements: [requirement],
      what: `a create with an empty ${header}`,
      change: (request) => ({ ...request, headers: { [header]: '' } }),
    }),
  ]),
];

/** A text with another character in the place of its first one. */
const altered = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);

const swapCase = (text: string) =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()));

/** One part of a rightly signed request that is changed after signing. */
const tampered: readonly Check[] = [
  refusalCheck({
    id: 'auth.tampered.body',
    title: 'A body that was changed after signing is refused',
    requirements: ['auth.signature.body', 'auth.signature.components'],
    what: 'a create whose body has one more space than was signed',
    change: (request) => ({
      ...request,
      body: Buffer.concat([request.body ?? Buffer.alloc(0), Buffer.from(' ')]),
      sign: (signed, secret) => signatureOf({ ...signed, body: request.body }, secret),
    }),
  }),
  refusalCheck({
    id: 'auth.tampered.timestamp',
    title: 'A timestamp that was changed after signing is refused',
    requirements: ['auth.timestamp.signed', 'auth.signature.components'],
    what: 'a create whose X-Timestamp is one millisecond off the signed one',
    change: (request) => ({
      ...request,
      sign: (signed, secret) => signatureOf({ ...signed, timestamp: String(Number(signed.timestamp) - 1) }, secret),
    }),
  }),
  refusalCheck({
    id: 'auth.tampered.method',
    title: 'A signature made for another method is refused',
    requirements: ['auth.signature.method', 'auth.signature.components'],
    what: 'a create signed as PUT',
    change: (request) => ({ ...request, sign: (signed, secret) => signatureOf({ ...signed, method: 'PUT' }, secret) }),
  }),
  refusalCheck({
    id: 'auth.tampered.path',
    title: 'A signature made for another path is refused',
    requirements: ['auth.signature.path', 'auth.signature.components'],
    what: 'a create signed for another path',
    change: (request) => ({
      ...request,
      sign: (signed, secret) => signatureOf({ ...signed, path: `${signed.path}/another` }, secret),
    }),
  }),
  refusalCheck(
    {
      id: 'auth.tampered.query-path',
      title: 'A query signed for another order is refused',
      requirements: ['auth.signature.path', 'auth.signature.without-body'],
      what: 'a query signed for the path of another order',
      change: (request) => ({
        ...request,
        sign: (signed, secret) => signatureOf({ ...signed, path: `${signed.path}x` }, secret),
      }),
    },
    refusesQuery,
  ),
  refusalCheck(
    {
      id: 'auth.tampered.query-string',
      title: 'A query string that was added after signing is refused',
      requirements: ['auth.signature.query'],
      what: 'a GET with a query string that was not signed',
      change: (request) => ({
        ...request,
        query: 'a=1',
        sign: ({ query: _unsigned, ...signed }, secret) => signatureOf(signed, secret),
      }),
    },
    refusesQuery,
  ),
  refusalCheck({
    id: 'auth.tampered.signature',
    title: 'A signature with one character changed is refused',
    requirements: ['auth.signature.algorithm'],
    what: 'a create whose signature has another first character',
    change: (request) => ({ ...request, sign: (signed, secret) => altered(signatureOf(signed, secret)) }),
  }),
  refusalCheck({
    id: 'auth.tampered.signature-case',
    title: 'A signature with capital letters for small ones, and small ones for capitals, is refused',
    requirements: ['auth.signature.algorithm'],
    what: 'a create whose signature has its letters in the other case',
    change: (request) => ({ ...request, sign: (signed, secret) => swapCase(signatureOf(signed, secret)) }),
  }),
  refusalCheck({
    id: 'auth.tampered.signature-end',
    title: 'A signature with something behind it is refused',
    requirements: ['auth.signature.algorithm'],
    what: 'a create whose signature is followed by more characters',
    change: (request) => ({ ...request, sign: (signed, secret) => `${signatureOf(signed, secret)}AAAA` }),
  }),
];

/** Which requirement each mistake of the vectors breaks, where it is not the algorithm of the signature itself. */
const requirementOfMistake: readonly [prefix: string, requirement: RequirementId][] = [
  ['timestamp-', 'auth.timestamp.signed'],
  ['method-', 'auth.signature.method'],
  ['path-', 'auth.signature.path'],
  ['query-', 'auth.signature.query'],
  ['body-empty-', 'auth.signature.without-body'],
  ['body-', 'auth.signature.body'],
  ['hash-', 'auth.signature.hash-form'],
  ['separator-', 'auth.signature.components'],
  ['trailing-', 'auth.signature.components'],
];

/** Mistakes that a check of its own shows, or that the request at hand cannot show. */
const shownElsewhere: readonly SignatureMistakeCode[] = [
  'secret-of-another-merchant', // auth.other-merchant.secret
  'timestamp-of-another-request', // auth.tampered.timestamp
];

/** Every mistake of the vectors that a create or a plain query can show, as a signature that must be refused. */
const mistakes: readonly Check[] = signatureMistakes
  .filter(({ code }) => !shownElsewhere.includes(code) && !code.startsWith('query-'))
  .filter(({ code }) => !['path-with-query', 'path-decoded'].includes(code))
  .map(({ code, what }) => {
    const requirement =
      requirementOfMistake.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'auth.signature.algorithm';
    return {
      id: `auth.mistake.${code}`,
      title: `Refused: ${what.charAt(0).toLowerCase()}${what.slice(1).replace(/\.$/, '')}`,
      level: 'MUST',
      area: 'auth',
      requirements: [requirement, 'auth.refused-changes-nothing'],
      needs: [],
      async run(context) {
        const spaced = (body: Uint8Array) =>
          // Space around and inside the body tells an implementation that hashes what it parsed from one that hashes what came.
          Buffer.from(` ${JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8')), null, 1)}\n`);
        const refuses = code === 'body-empty-hashed' ? refusesQuery : refusesCreate;
        await refuses(context, what, (request) => ({
          ...request,
          body: request.body && spaced(request.body),
          sign: (signed, secret) => {
            const [wrong] = wrongSignatures[code](signed, secret, { origin: new URL(context.target).origin });
            if (wrong === undefined)
              throw new NotApplicable('neither this request nor this secret can show the mistake');
            return wrong;
          },
        }));
      },
    };
  });

/** A create at a distance from the target's clock; what it is answered with. */
async function createAt(context: CheckContext, offset: number) {
  const client = ordersClient(context, await context.merchant());
  needAccepted(await client.send(createRequest(context, client).request), 'the same request with the present time');
  const { id, request } = createRequest(context, client);
  const answer = await client.send({ ...request, timestamp: String(context.now() + offset) });
  return { client, id, answer };
}

const timestamps: readonly Check[] = [
  ...([-1, 1] as const).flatMap((direction): Check[] => {
    const side = direction < 0 ? 'past' : 'future';
    return [
      {
        id: `auth.timestamp.inside-${side}`,
        title: `A request ten seconds inside the time window, in the ${side}, is accepted`,
        level: 'MUST',
        area: 'auth',
        requirements: ['auth.timestamp.window'],
        needs: [],
        async run(context) {
          const { answer } = await createAt(context, direction * (timeWindow - margin));
          expectAccepted(answer, `a request ${(timeWindow - margin) / 1000} s in the ${side}`);
        },
      },
      {
        id: `auth.timestamp.outside-${side}`,
        title: `A request ten seconds outside the time window, in the ${side}, is refused`,
        level: 'MUST',
        area: 'auth',
        requirements: ['auth.timestamp.window', 'auth.refused-changes-nothing'],
        needs: [],
        async run(context) {
          const { client, id, answer } = await createAt(context, direction * (timeWindow + margin));
          expectRefused(answer, `a request ${(timeWindow + margin) / 1000} s in the ${side}`);
          expectRefused(await client.query(id), 'a query for that order', 'auth.refused-changes-nothing');
        },
      },
    ];
  }),
  ...Object.entries({
    seconds: { title: 'A timestamp in seconds is refused', form: (now: number) => String(Math.floor(now / 1000)) },
    'iso-8601': { title: 'A timestamp in ISO 8601 is refused', form: (now: number) => new Date(now).toISOString() },
    'not-a-number': { title: 'A timestamp that is no number is refused', form: () => 'yesterday-noon' },
    microseconds: { title: 'A timestamp in microseconds is refused', form: (now: number) => `${now}000` },
    'leading-zero': { title: 'A timestamp with a leading zero is refused', form: (now: number) => `0${now}` },
  }).map(
    ([name, { title, form }]): Check => ({
      id: `auth.timestamp.${name}`,
      title,
      level: 'MUST',
      area: 'auth',
      requirements: ['auth.timestamp.form', 'auth.refused-changes-nothing'],
      needs: [],
      async run(context) {
        const timestamp = form(context.now());
        await refusesCreate(context, `a create with X-Timestamp ${timestamp}`, (request) => ({
          ...request,
          timestamp,
        }));
      },
    }),
  ),
];

const keys: readonly Check[] = [
  refusalCheck({
    id: 'auth.api-key.unknown',
    title: 'A request under a key that was never issued is refused',
    requirements: ['auth.api-key.unknown'],
    what: 'a create under an unknown key',
    change: (request) => ({ ...request, headers: { 'X-Api-Key': 'ak_this-key-was-never-issued' } }),
  }),
  {
    id: 'auth.other-merchant.key-and-secret',
    title: "Another merchant's key and secret do not open this merchant's operations",
    level: 'MUST',
    area: 'auth',
    requirements: ['auth.api-key.own-merchant', 'auth.refused-changes-nothing'],
    needs: ['other-merchant'],
    async run(context) {
      const other = await context.otherMerchant();
      await refusesCreate(context, "a create signed with another merchant's key and secret", (request) => ({
        ...request,
        headers: { 'X-Api-Key': other.apiKey },
        sign: (signed) => signatureOf(signed, other.apiSecret),
      }));
      await refusesQuery(context, "a query signed with another merchant's key and secret", (request) => ({
        ...request,
        headers: { 'X-Api-Key': other.apiKey },
        sign: (signed) => signatureOf(signed, other.apiSecret),
      }));
    },
  },
  {
    id: 'auth.other-merchant.secret',
    title: "A signature made with another merchant's secret is refused",
    level: 'MUST',
    area: 'auth',
    requirements: ['auth.signature.algorithm', 'auth.api-key.own-merchant', 'auth.refused-changes-nothing'],
    needs: ['other-merchant'],
    async run(context) {
      const other = await context.otherMerchant();
      await refusesCreate(context, "a create signed with another merchant's secret", (request) => ({
        ...request,
        sign: (signed) => signatureOf(signed, other.apiSecret),
      }));
    },
  },
];

const rightSignatures: readonly Check[] = [
  {
    id: 'auth.signed.create',
    title: 'A rightly signed create is accepted, whatever its bytes',
    level: 'MUST',
    area: 'auth',
    requirements: ['auth.signature.algorithm', 'auth.signature.body', 'auth.content-type'],
    needs: [],
    async run(context) {
      const client = ordersClient(context, await context.merchant());
      needAccepted(await client.create(orderRequest(context)), 'an ordinary create');
      const description = 'Zażółć gęślą jaźń – 税込 – 🧾';
      const bodies: [string, string][] = [
        ['letters beyond ASCII', JSON.stringify(orderRequest(context, { description }))],
        ['space between its parts', JSON.stringify(orderRequest(context), null, 4)],
        ['a line feed at its end', `${JSON.stringify(orderRequest(context))}\n`],
      ];
      for (const [what, body] of bodies) {
        const answer = await client.send({ method: 'POST', path: client.createPath, body: Buffer.from(body) });
        expectAccepted(answer, `a body with ${what}`, 'auth.signature.body');
      }
    },
  },
  {
    id: 'auth.signed.query',
    title: 'A query signed over timestamp, method and path is accepted',
    level: 'MUST',
    area: 'auth',
    requirements: ['auth.signature.without-body', 'auth.signature.components'],
    needs: [],
    async run(context) {
      const order = await makeOrder(context, await context.merchant());
      expectAccepted(await order.query(), 'a rightly signed query');
    },
  },
  {
    id: 'auth.orders-failure',
    title: 'A hosted operation answers a failed authentication with HTTP 200 and the failure envelope',
    level: 'SHOULD',
    area: 'auth',
    requirements: ['auth.orders-failure'],
    openPoint: 'orders-auth-failure',
    needs: [],
    async run(context) {
      const answer = await refusesCreate(context, 'a create with a wrong signature', (request) => ({
        ...request,
        sign: (signed, secret) => altered(signatureOf(signed, secret)),
      }));
      const code = show(field(answer, 'code'));
      const values: Record<string, string> = { '90001': 'own-codes', '10001': 'invalid-parameter' };
      const value = answer.status === 401 ? 'http-401' : values[code];
      context.observe('orders-auth-failure', `a wrong signature: HTTP ${answer.status}, code ${code}`, value);
      expectThat(answer.status === 200, answer, { expected: 'HTTP 200', actual: `HTTP ${answer.status}` });
      expectThat(field(answer, 'data.status') === 'FAILED', answer, {
        expected: 'data.status = FAILED',
        actual: `data.status = ${show(field(answer, 'data.status'))}`,
      });
    },
  },
];

const edges: readonly Check[] = [
  {
    id: 'auth.bare-question-mark',
    title: 'How a GET is signed whose path is followed by a bare question mark',
    level: 'MAY',
    area: 'auth',
    requirements: ['auth.signature.edges'],
    openPoint: 'signature-edges',
    needs: [],
    async run(context) {
      const order = await makeOrder(context, await context.merchant());
      const request = { method: 'GET', path: order.client.queryPath(order.request.merchantOrderId), query: '' };
      const answer = await order.client.send(request);
      const taken = isAccepted(answer);
      const seen = taken ? 'signed without a hash: accepted' : `signed without a hash: ${show(field(answer, 'code'))}`;
      context.observe('signature-edges', seen, taken ? 'bare-mark-unsigned' : undefined);
    },
  },
];

export const authChecks: readonly Check[] = [
  ...rightSignatures,
  ...missing,
  ...tampered,
  ...mistakes,
  ...timestamps,
  ...keys,
  ...edges,
];
