import { createHash, createHmac } from 'node:crypto';
import { pathEscaped } from '../../../arrange/authentication/as-sent.ts';
import { mistakeInWords } from '../../../arrange/authentication/refusals.ts';
import { idOfRule } from '../../../arrange/authentication/rule.ts';
import { authenticationRules } from '../../../arrange/authentication/rules/index.ts';
import { contractOperation } from '../../../contract/operations.ts';
import { expectingMistake, timestampOf, withMistake } from '../../stand/auth-changes.ts';
import {
  alsoTaking,
  bodyOf,
  findingUnsigned,
  isHostedCreate,
  isHostedQuery,
  isSignedWith,
  refusingCreates,
} from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { type ProxyRequest, signed, splitTarget } from '../../stand/proxy.ts';

const create = contractOperation('orders.create');

const isWellFormed = ({ headers }: ProxyRequest) => /^[A-Za-z0-9+/]{43}=$/.test(headers['x-signature'] ?? '');

/** Servers that leave parts of the request out of the signature, or do not verify it as the contract says. */
const signatures: readonly Fault[] = [
  {
    id: 'signature-not-checked',
    title: 'Wants a signature but never compares it.',
    breaks: 'auth.signature.algorithm',
    caughtBy: 'auth.orders.create.wrong-signature',
    make: { merchantApi: alsoTaking((request) => isWellFormed(request)) },
  },
  {
    id: 'signature-compared-by-prefix',
    title: 'Compares as many characters as the right signature has, and ignores the rest.',
    breaks: 'auth.signature.algorithm',
    caughtBy: 'auth.orders.create.signature-appended',
    make: {
      merchantApi: alsoTaking((request, { apiSecret }) => {
        const headers = { ...request.headers, 'x-signature': request.headers['x-signature']?.slice(0, 44) ?? '' };
        return isSignedWith({ ...request, headers }, apiSecret);
      }),
    },
  },
  {
    id: 'signature-end-not-compared',
    title: 'Compares only the first 36 of the 44 characters of a signature.',
    breaks: 'auth.signature.algorithm',
    caughtBy: 'auth.orders.create.wrong-signature',
    make: {
      merchantApi: alsoTaking((request, { apiSecret }) => {
        const right = signed(request, { merchantId: '', apiKey: '', apiSecret }, Number(timestampOf(request)));
        return right.headers['x-signature']?.slice(0, 36) === request.headers['x-signature']?.slice(0, 36);
      }),
    },
  },
  {
    id: 'signature-letter-case-ignored',
    title: 'Compares signatures without regard to the case of letters.',
    breaks: 'auth.signature.algorithm',
    caughtBy: 'auth.orders.create.signature-case',
    make: {
      merchantApi: alsoTaking((request, { apiSecret }) => {
        const right = signed(request, { merchantId: '', apiKey: '', apiSecret }, Number(timestampOf(request)));
        return right.headers['x-signature']?.toLowerCase() === request.headers['x-signature']?.toLowerCase();
      }),
    },
  },
  {
    id: 'space-after-body-not-signed',
    title: 'Leaves the space behind a body out of what is signed.',
    breaks: 'auth.signature.body',
    caughtBy: 'auth.orders.create.another-body',
    make: {
      merchantApi: alsoTaking((request, { apiSecret }) =>
        isSignedWith(request, apiSecret, { body: Buffer.from(request.body.toString('utf8').trimEnd()) }),
      ),
    },
  },
  {
    id: 'long-bodies-not-signed',
    title: 'Takes every signature for a body of more than 16 kB, which it streams.',
    breaks: 'auth.signature.body',
    caughtBy: 'auth.orders.create.another-body',
    make: { merchantApi: alsoTaking(({ body }) => body.length > 16_384) },
  },
  {
    id: 'timestamp-nearly-signed',
    title: 'Takes a signature over another timestamp than the header has, if the two are close.',
    breaks: 'auth.timestamp.signed',
    caughtBy: 'auth.orders.create.another-timestamp',
    make: {
      merchantApi: alsoTaking((request, { apiSecret }) =>
        [-3, -2, -1, 1, 2, 3].some((off) =>
          isSignedWith(request, apiSecret, { timestamp: String(Number(timestampOf(request)) + off) }),
        ),
      ),
    },
  },
  {
    id: 'method-not-signed',
    title: 'Takes a signature whatever method it was made for.',
    breaks: 'auth.signature.method',
    caughtBy: 'auth.orders.create.another-method',
    make: {
      merchantApi: alsoTaking((request, { apiSecret }) =>
        ['GET', 'POST', 'PUT', 'PATCH'].some((method) => isSignedWith(request, apiSecret, { method })),
      ),
    },
  },
  {
    id: 'signature-of-other-operations-taken',
    title: 'Takes a signature that was made for POST over everything else that a query has.',
    breaks: 'auth.signature.method',
    caughtBy: 'auth.orders.query.another-method',
    make: {
      merchantApi: alsoTaking((request, { apiSecret }) => {
        const text = `${timestampOf(request)}\nPOST\n${splitTarget(request.target).path}`;
        const made = createHmac('sha256', apiSecret).update(text).digest('base64');
        return isHostedQuery(request) && request.headers['x-signature'] === made;
      }),
    },
  },
  {
    id: 'path-of-create-not-signed',
    title: 'Takes a create whatever path its signature was made for.',
    breaks: 'auth.signature.path',
    caughtBy: 'auth.orders.create.another-path',
    make: { merchantApi: alsoTaking((request) => isHostedCreate(request) && isWellFormed(request)) },
  },
  {
    id: 'path-of-query-not-signed',
    title: 'Takes a query whatever order its signature was made for.',
    breaks: 'auth.signature.path',
    caughtBy: 'auth.orders.query.another-path',
    make: { merchantApi: alsoTaking((request) => isHostedQuery(request) && isWellFormed(request)) },
  },
  {
    id: 'path-of-create-signed-for-query-taken',
    title: 'Takes a query that is signed for the path of the create.',
    breaks: 'auth.signature.path',
    caughtBy: 'auth.orders.query.another-path',
    make: {
      merchantApi: alsoTaking((request, { apiSecret }) => {
        const path = splitTarget(request.target).path.replace(/\/[^/]*$/, '');
        return isHostedQuery(request) && isSignedWith(request, apiSecret, { path });
      }),
    },
  },
  {
    id: 'query-string-not-signed',
    title: 'Leaves the query string of a GET out of what is signed.',
    breaks: 'auth.signature.query',
    caughtBy: 'auth.orders.query.another-query',
    make: {
      merchantApi: alsoTaking(
        (request, { apiSecret }) => isHostedQuery(request) && isSignedWith(request, apiSecret, { query: undefined }),
      ),
    },
  },
  {
    id: 'empty-query-string-signed',
    title: 'Wants the hash of nothing as the last part of what a plain GET signs.',
    breaks: 'auth.signature.without-body',
    caughtBy: 'auth.orders.query.signed',
    make: { merchantApi: findingUnsigned((request) => isHostedQuery(request)) },
  },
  {
    id: 'empty-content-unsigned',
    title: 'Finds the signature of every GET wrong that says that its content has no bytes.',
    breaks: 'auth.signature.without-body',
    caughtBy: 'auth.orders.query.content-type-without-body',
    make: {
      merchantApi: findingUnsigned((request) => isHostedQuery(request) && request.headers['content-length'] === '0'),
    },
  },
  {
    id: 'hex-signatures-wanted',
    title: 'Wants signatures in hexadecimal and finds every other one wrong.',
    breaks: 'orders.create.accepted',
    caughtBy: 'orders.create.minimal',
    make: { merchantApi: expectingMistake('signature-hex') },
  },
  {
    id: 'body-signed-as-latin-1',
    title: 'Hashes the body after reading it in one byte for each letter.',
    breaks: 'auth.signature.body',
    caughtBy: 'auth.signed.letters',
    make: { merchantApi: findingUnsigned(({ body }) => body.toString('latin1') !== body.toString('utf8')) },
  },
  {
    id: 'body-with-space-before-commas-refused',
    title: 'Takes no JSON with space before a comma.',
    breaks: 'auth.signature.body',
    caughtBy: 'auth.orders.create.body-as-sent',
    make: { merchantApi: refusingCreates((_, { body }) => /["\d\]}]\s+,/.test(body.toString('utf8'))) },
  },
  {
    id: 'body-signed-after-parsing',
    title: 'Hashes the body as it writes it again after parsing.',
    breaks: 'auth.signature.body',
    caughtBy: 'auth.orders.create.body-as-sent',
    make: {
      merchantApi: findingUnsigned((request) => {
        const body = bodyOf(request);
        return body !== undefined && JSON.stringify(body) !== request.body.toString('utf8');
      }),
    },
  },
];

/** Servers that accept a signature over a line more. */
const furtherLines: readonly Fault[] = (
  [
    ['signature-of-webhook', 'is signed as a webhook is', (text, _) => `webhook\n${text}`],
    ['line-before-others', 'is signed with an empty line first', (text, _) => `\n${text}`],
    ['api-key-signed', 'is signed with its API key as a further line', (text, apiKey) => `${text}\n${apiKey}`],
  ] as const satisfies readonly [string, string, (text: string, apiKey: string) => string][]
).map(([id, words, longer]) => ({
  id: `${id}-taken`,
  title: `Takes a create that ${words}.`,
  breaks: 'auth.signature.components',
  caughtBy: 'auth.orders.create.separators',
  make: {
    merchantApi: alsoTaking((request, { apiKey, apiSecret }) => {
      if (!isHostedCreate(request)) return false;
      const hash = createHash('sha256').update(request.body).digest('base64');
      const text = [timestampOf(request), request.method, splitTarget(request.target).path, hash].join('\n');
      const made = createHmac('sha256', apiSecret).update(longer(text, apiKey)).digest('base64');
      return request.headers['x-signature'] === made;
    }),
  },
}));

/** Servers that accept a signature made with a known mistake, for each mistake that a create can show. */
const mistakes: readonly Fault[] = authenticationRules
  .filter(({ binds, prepare }) => binds?.(create) !== false && prepare !== pathEscaped)
  .flatMap((rule) =>
    (rule.mistakes ?? []).map((code) => ({
      id: `mistake-taken-${code}`,
      title: `Takes a request although ${mistakeInWords(code)}.`,
      breaks: rule.requirements(create)[0],
      caughtBy: idOfRule(rule, create),
      make: { merchantApi: alsoTaking(withMistake([code])) },
    })),
  );

/** Wrong servers that take signatures which are none, or refuse right ones. */
export const signatureFaults: readonly Fault[] = [...signatures, ...furtherLines, ...mistakes];
