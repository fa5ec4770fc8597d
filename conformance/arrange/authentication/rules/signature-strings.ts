import { createHmac } from 'node:crypto';
import { isObject } from '../../../contract/json.ts';
import { field } from '../../../wire/exchange.ts';
import { explainSignature, signatureOf } from '../../../wire/signing/signature.ts';
import type { SignedRequest } from '../../requests/signed-client.ts';
import {
  escapedBody,
  escapesInSmallLetters,
  hasLetterInEscapes,
  pathEscaped,
  queriesByOtherIds,
  queryEscaped,
  spacedBody,
} from '../as-sent.ts';
import { type AuthenticationRule, hasBody, hasQuery, isGet, type RequestChange, type Way } from '../rule.ts';

type ToSign = Parameters<typeof signatureOf>[0];

/** Signs another text than that of the request. */
const signedAs = (words: string, instead: (signed: ToSign) => ToSign): Way => ({
  words,
  change: (request) => ({ ...request, sign: (signed, secret) => signatureOf(instead(signed), secret) }),
});

/** Signs a text that has every part of the signature string but one, counted from 0. */
const signedWithout = (part: string, index: number): Way =>
  signedOver(`signed without its ${part}`, (components) => components.toSpliced(index, 1));

/** A signature over other components of the signature string. */
const signedOver = (words: string, change: (components: readonly string[]) => readonly string[]): Way => ({
  words,
  change: (request) => ({
    ...request,
    sign: (signed, secret) => {
      const text = change(explainSignature(signed, secret).components).join('\n');
      return createHmac('sha256', secret).update(text).digest('base64');
    },
  }),
});

/** The fourth part of the signature string is a hash. */
const isHashed = (operation: Parameters<typeof hasBody>[0]) => hasBody(operation) || hasQuery(operation);

/**
 * Sends another request with the timestamp and the signature of one that was accepted before: a target that remembers the signatures that
 * it has verified must remember what they were made for.
 */
const signedAsAccepted = (words: string, change: RequestChange): Way => ({
  words: `${words}, with the signature of a request that was accepted before`,
  change: (request, accepted) => ({
    ...change(request, accepted),
    // A timestamp outside of the headers would move on when the request has to wait.
    headers: { 'X-Timestamp': accepted.timestamp, 'X-Signature': accepted.signature },
  }),
});

/** Changes a request once it is signed: a target that puts in order what it gets before it verifies takes it for the signed one. */
const changedOnceSigned = (
  words: string,
  change: (request: SignedRequest) => SignedRequest,
  prepare: (request: SignedRequest) => SignedRequest = (request) => request,
): Way => ({
  words,
  change: (right) => {
    const request = prepare(right);
    const sent = change(request);
    return {
      ...sent,
      sign: (signed, secret) => {
        const path = `${signed.path.slice(0, signed.path.length - sent.path.length)}${request.path}`;
        return signatureOf({ ...signed, path, query: request.query, body: request.body }, secret);
      },
    };
  },
});

/** A query as a library writes it that has read it: its parameters in the order of their names, with no escape that is not needed. */
function writtenAnew(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  return parameters.toString();
}

/** A query that can be spelled in other ways: behind what it asks for, it has a parameter that names nothing. */
const firstSpelling = (query = '') => `${query}&assay=a%20b%2F`;

/** What a reader of queries takes for the first spelling. None of them is signed by the signature of another one. */
const spellings: readonly [words: string, spelled: (query: string) => string][] = [
  ['a plus sign for each %20', (query) => query.replaceAll('%20', '+')],
  ['its escapes in small letters', escapesInSmallLetters],
  ['no escape of its slash', (query) => query.replaceAll('%2F', '/')],
  ['a needless escape in a value', (query) => query.replace('=a', '=%61')],
  ['a needless escape in a name', (query) => query.replace('assay=', 'ass%61y=')],
  ['its parameters in another order', (query) => query.split('&').toReversed().join('&')],
  ['its parameters sorted and a plus sign for each %20', writtenAnew],
  ['an ampersand more before it', (query) => `&${query}`],
  ['an ampersand more in it', (query) => query.replace('&', '&&')],
  ['an ampersand more behind it', (query) => `${query}&`],
];

/** Each spelling sent with the signature of the first one, and the first one with that of each. */
const otherSpellings: readonly Way[] = spellings.flatMap(([words, spelled]): Way[] => {
  const first = (request: SignedRequest) => ({ ...request, query: firstSpelling(request.query) });
  return [
    changedOnceSigned(
      `whose query has ${words}, and was signed without`,
      ({ query, ...request }) => ({ ...request, query: spelled(query ?? '') }),
      first,
    ),
    {
      words: `whose query was signed with ${words}, and has not`,
      change: (request) => ({
        ...first(request),
        sign: (signed, secret) => signatureOf({ ...signed, query: spelled(signed.query ?? '') }, secret),
      }),
    },
  ];
});

const bytesOf = (text: string): Uint8Array => Buffer.from(text);

const jsonOf = ({ body }: ToSign): unknown => JSON.parse(Buffer.from(body ?? []).toString('utf8'));

/** The same JSON with the names of every object in alphabetical order. */
function sortedByName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedByName);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, each]) => [name, sortedByName(each)] as const);
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** JSON as Python writes it unless it is told otherwise. */
function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${onOneLine(each)}`);
  return `{${members.join(', ')}}`;
}

const withMoreQuery = (request: SignedRequest): SignedRequest => ({
  ...request,
  query: request.query === undefined ? 'assay=1' : `${request.query}&assay=1`,
});

/** How many bytes a long body has: more than the first part of a body that a server holds in its memory, mostly 8 or 16 kB. */
const longBody = 20_000;

/** More bytes than 16 bits count, and than a server may write to a file and not look at again; less than the 100 KiB that many readers take. */
const veryLongBody = 100_000;

/** How many bytes of a body a server may hold that does not look at the others: the sizes of common buffers. */
const bufferSizes = [4096, 8192, 16_384, 32_768, 65_535, 65_536];

/** The request with so many blanks behind its body that it means the same. */
const withLongBody = (request: SignedRequest, length: number): SignedRequest => ({
  ...request,
  body: Buffer.concat([request.body ?? Buffer.alloc(0), Buffer.alloc(length, ' ')]),
});

/** The request with so many blanks before its body that it means the same. */
const withLateBody = (request: SignedRequest, length: number): SignedRequest => ({
  ...request,
  body: Buffer.concat([Buffer.alloc(length, ' '), request.body ?? Buffer.alloc(0)]),
});

/** The request with a line feed for the byte at one place of its body, counted from the end where it is negative. */
const withLineFeedAt = (request: SignedRequest, place: number): SignedRequest => ({
  ...request,
  body: Uint8Array.from(request.body ?? []).with(place, 0x0a),
});

const withMoreBody = (request: SignedRequest): SignedRequest => ({
  ...request,
  body: Buffer.concat([request.body ?? Buffer.alloc(0), Buffer.from(' ')]),
});

/** The request with CR LF for each line feed of its body. */
const withOtherLineEnds = (request: SignedRequest): SignedRequest => ({
  ...request,
  body: bytesOf(
    Buffer.from(request.body ?? [])
      .toString('utf8')
      .replaceAll('\n', '\r\n'),
  ),
});

/** Requests that were signed as another request, or whose signature string was put together wrongly. */
export const signatureStringRules: readonly AuthenticationRule[] = [
  {
    name: 'another-timestamp',
    words: 'signed for another time than X-Timestamp says',
    requirements: () => ['auth.timestamp.signed'],
    refusal: 'failed-signature',
    mistakes: ['timestamp-in-seconds'],
    ways: () => [
      signedAs('signed for one millisecond before X-Timestamp', (signed) => ({
        ...signed,
        timestamp: String(Number(signed.timestamp) - 1),
      })),
      signedWithout('timestamp', 0),
    ],
  },
  {
    name: 'another-method',
    words: 'signed for another method',
    requirements: () => ['auth.signature.method'],
    refusal: 'failed-signature',
    mistakes: ['method-lower-case'],
    ways: ({ operation }) => {
      // A method of the same kind, so that nothing but the second part of the signature string is another one.
      const method = isGet(operation) ? 'DELETE' : 'PUT';
      const opposite = isGet(operation) ? 'POST' : 'GET';
      return [
        signedAs(`signed for ${method}`, (signed) => ({ ...signed, method })),
        signedOver(`signed for ${opposite}, with the hash of the request as it is`, (components) =>
          components.with(1, opposite),
        ),
        signedWithout('method', 1),
      ];
    },
  },
  {
    name: 'another-path',
    words: 'signed for another path',
    requirements: () => ['auth.signature.path'],
    refusal: 'failed-signature',
    mistakes: ['path-full-url', 'path-without-api-prefix'],
    ways: ({ merchant: { merchantId } }) => [
      signedAs('signed for a longer path', (signed) => ({ ...signed, path: `${signed.path}x` })),
      // The path of the create, where it is a query for an order.
      signedAs('signed for the path without its last part', (signed) => ({
        ...signed,
        path: signed.path.replace(/\/[^/]*$/, ''),
      })),
      // Paths that a router or a proxy may take for the same.
      signedAs('signed for the path with a slash at its end', (signed) => ({ ...signed, path: `${signed.path}/` })),
      signedAs('signed for the path with a second slash before it', (signed) => ({
        ...signed,
        path: `/${signed.path}`,
      })),
      signedAs('signed for the path without its first slash', (signed) => ({ ...signed, path: signed.path.slice(1) })),
      signedAs('signed for the path in capital letters', (signed) => ({ ...signed, path: signed.path.toUpperCase() })),
      ...(merchantId === merchantId.toLowerCase()
        ? []
        : [
            signedAs('signed for the path in small letters', (signed) => ({
              ...signed,
              path: signed.path.toLowerCase(),
            })),
          ]),
      ...[
        changedOnceSigned('sent with a slash at the end of its path, which was not signed', (request) => ({
          ...request,
          path: `${request.path}/`,
        })),
        changedOnceSigned('sent with a second slash in its path, which was not signed', (request) => ({
          ...request,
          path: request.path.replace(/\/(?=[^/]*$)/, '//'),
        })),
        changedOnceSigned('sent with a parameter behind a semicolon in its path, which was not signed', (request) => ({
          ...request,
          path: `${request.path};assay=1`,
        })),
      ].map((way) => ({ ...way, otherRefusals: true as const })),
      signedWithout('path', 2),
      signedAsAccepted('whose path is another', (_, { request }) => pathEscaped(request)),
    ],
  },
  {
    name: 'path-decoded',
    words: 'with escapes in its path, signed over the decoded path',
    requirements: () => ['auth.signature.path'],
    refusal: 'failed-signature',
    prepare: pathEscaped,
    mistakes: ['path-decoded'],
    ways: ({ merchant: { merchantId } }) =>
      hasLetterInEscapes(merchantId)
        ? [
            signedAs('with escapes in its path, signed over them in small letters', (signed) => ({
              ...signed,
              path: escapesInSmallLetters(signed.path),
            })),
          ]
        : [],
  },
  {
    name: 'path-with-query',
    words: 'signed with its query behind the path',
    requirements: () => ['auth.signature.path', 'auth.signature.query'],
    refusal: 'failed-signature',
    binds: hasQuery,
    mistakes: ['path-with-query', 'query-on-path-only'],
  },
  {
    name: 'another-query',
    words: 'whose query is not the signed one',
    requirements: () => ['auth.signature.query'],
    refusal: 'failed-signature',
    binds: isGet,
    ways: ({ answer, operation }) => [
      {
        words: 'whose query has one more parameter than was signed',
        change: (request) => ({
          ...withMoreQuery(request),
          sign: (signed, secret) => signatureOf({ ...signed, query: request.query }, secret),
        }),
      },
      signedAsAccepted('whose query has one more parameter', (_, { request }) => withMoreQuery(request)),
      ...(hasQuery(operation) ? otherSpellings : []),
      ...(hasQuery(operation) ? queriesByOtherIds(answer) : []).map(
        ({ name, query }): Way => ({
          words: `by ${name}, signed for the query by another id`,
          change: (request) => ({
            ...request,
            query,
            sign: (signed, secret) => signatureOf({ ...signed, query: request.query }, secret),
          }),
        }),
      ),
    ],
  },
  {
    name: 'query-unsigned',
    words: 'signed without its query',
    requirements: () => ['auth.signature.query'],
    refusal: 'failed-signature',
    binds: hasQuery,
    mistakes: ['query-left-out'],
    ways: ({ answer }) =>
      queriesByOtherIds(answer).map(({ name, query }) => ({
        words: `by ${name}, signed without its query`,
        change: (request) => ({
          ...request,
          query,
          sign: ({ query: _left, ...signed }, secret) => signatureOf(signed, secret),
        }),
      })),
  },
  {
    name: 'query-sorted',
    words: 'signed over its sorted query',
    requirements: () => ['auth.signature.query'],
    refusal: 'failed-signature',
    binds: hasQuery,
    prepare: queryEscaped,
    mistakes: ['query-sorted'],
    ways: () => [
      signedAs('signed over its query decoded, sorted and written anew', (signed) => ({
        ...signed,
        query: writtenAnew(signed.query ?? ''),
      })),
    ],
  },
  {
    name: 'query-decoded',
    words: 'with escapes in its query, signed over the decoded query',
    requirements: () => ['auth.signature.query'],
    refusal: 'failed-signature',
    binds: hasQuery,
    prepare: queryEscaped,
    mistakes: ['query-decoded', 'query-re-encoded'],
    ways: ({ answer }) =>
      hasLetterInEscapes(String(field(answer, 'data.merchantRefundOrderId')))
        ? [
            signedAs('with escapes in its query, signed over them in small letters', (signed) => ({
              ...signed,
              query: signed.query && escapesInSmallLetters(signed.query),
            })),
          ]
        : [],
  },
  {
    name: 'query-form',
    words: 'signed over its query in another form than its hash',
    requirements: () => ['auth.signature.query'],
    refusal: 'failed-signature',
    binds: hasQuery,
    mistakes: ['query-with-question-mark', 'query-not-hashed'],
  },
  {
    name: 'another-body',
    words: 'whose body is not the signed one',
    requirements: () => ['auth.signature.body'],
    refusal: 'failed-signature',
    binds: hasBody,
    ways: () => [
      {
        words: 'whose body has one more space than was signed',
        change: (request) => ({
          ...withMoreBody(request),
          sign: (signed, secret) => signatureOf({ ...signed, body: request.body }, secret),
        }),
      },
      {
        words: 'whose body is long and not the signed one',
        change: (request) => ({
          ...withLongBody(request, longBody),
          sign: (signed, secret) => signatureOf({ ...signed, body: request.body }, secret),
        }),
      },
      {
        ...changedOnceSigned('with a byte order mark before its body, which was not signed', (request) => ({
          ...request,
          body: Buffer.concat([bytesOf('\ufeff'), request.body ?? Buffer.alloc(0)]),
        })),
        // It may be found to be no JSON before.
        otherRefusals: true,
      },
      changedOnceSigned('with other line ends in its body than were signed', withOtherLineEnds, spacedBody),
      signedAs('whose body was signed as an empty object', (signed) => ({ ...signed, body: Buffer.from('{}') })),
      signedAs('whose body was signed as no bytes', (signed) => ({ ...signed, body: Buffer.alloc(0) })),
      // A create has an id of its own here, so that its success is no repeat of the other one's.
      signedAsAccepted('whose body is another', withMoreBody),
    ],
  },
  {
    name: 'long-body',
    words: 'whose body is very long and not the signed one',
    requirements: () => ['auth.signature.body'],
    // A target may find the body too long, whoever sends it.
    refusal: 'unrelated',
    binds: hasBody,
    acceptedAs: (request) => withLongBody(request, veryLongBody),
    ways: () => [
      {
        words: `whose body has more than ${veryLongBody} bytes and is not the signed one`,
        change: (request) => ({
          ...withLongBody(request, veryLongBody),
          sign: (signed, secret) => signatureOf({ ...signed, body: request.body }, secret),
        }),
      },
      // The signature covers every byte, and not the first or the last ones alone.
      ...bufferSizes.map(
        (size): Way => ({
          words: `whose body has more than ${veryLongBody} bytes, signed over the first ${size} of them`,
          change: (request) => ({
            ...withLongBody(request, veryLongBody),
            sign: (signed, secret) => signatureOf({ ...signed, body: signed.body?.subarray(0, size) }, secret),
          }),
        }),
      ),
      changedOnceSigned(
        `whose body has more than ${veryLongBody} bytes, the last of which is not the signed one`,
        (request) => withLineFeedAt(request, -1),
        (request) => withLongBody(request, veryLongBody),
      ),
      changedOnceSigned(
        `whose body has more than ${veryLongBody} bytes, the first of which is not the signed one`,
        (request) => withLineFeedAt(request, 0),
        (request) => withLateBody(request, veryLongBody),
      ),
      signedAsAccepted('whose very long body has another last byte', (_, { request }) => withLineFeedAt(request, -1)),
    ],
  },
  {
    name: 'body-unsigned',
    words: 'signed without its body',
    requirements: () => ['auth.signature.body'],
    refusal: 'failed-signature',
    binds: hasBody,
    mistakes: ['body-left-out', 'body-not-hashed'],
  },
  {
    name: 'body-re-serialised',
    words: 'signed over its body as it would be written again',
    requirements: () => ['auth.signature.body'],
    refusal: 'failed-signature',
    binds: hasBody,
    prepare: spacedBody,
    mistakes: ['body-re-serialised', 'body-trimmed'],
    ways: () => [
      signedAs('signed over its body with sorted names and without blanks', (signed) => ({
        ...signed,
        body: bytesOf(JSON.stringify(sortedByName(jsonOf(signed)))),
      })),
      signedAs('signed over its body on one line with a blank behind commas and colons', (signed) => ({
        ...signed,
        body: bytesOf(onOneLine(jsonOf(signed))),
      })),
      {
        words: 'whose body has needless escapes, signed over the body without them',
        change: (request) => ({
          ...escapedBody(request),
          sign: (signed, secret) => signatureOf({ ...signed, body: bytesOf(JSON.stringify(jsonOf(signed))) }, secret),
        }),
      },
      {
        words: 'whose body has needless escapes, signed over the same escapes without blanks',
        change: (request) => ({
          ...escapedBody(request),
          sign: (signed, secret) => {
            const text = Buffer.from(signed.body ?? []).toString('utf8');
            return signatureOf({ ...signed, body: bytesOf(text.replace(/[\t\r\n]/g, '')) }, secret);
          },
        }),
      },
    ],
  },
  {
    name: 'hash-of-nothing',
    words: 'signed with the hash of nothing at the end',
    requirements: () => ['auth.signature.without-body'],
    refusal: 'failed-signature',
    binds: (operation) => !isHashed(operation),
    mistakes: ['body-empty-hashed'],
  },
  {
    name: 'hash-form',
    words: 'signed with its hash in another form than Base64',
    requirements: () => ['auth.signature.hash-form'],
    refusal: 'failed-signature',
    binds: isHashed,
    mistakes: ['hash-hex', 'hash-hex-in-base64', 'hash-of-hash-hex'],
  },
  {
    name: 'separators',
    words: 'signed with other separators than single line feeds',
    requirements: () => ['auth.signature.components'],
    refusal: 'failed-signature',
    mistakes: ['separator-crlf', 'separator-missing', 'trailing-line-feed'],
  },
];
