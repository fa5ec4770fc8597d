import { escapesInSmallLetters, hasLetterInEscapes, pathEscaped } from '../as-sent.ts';
import { changedOnceSigned, signedAs, signedAsAccepted, signedOver, signedWithout } from '../otherwise-signed.ts';
import { type AuthenticationRule, hasBody, hasQuery, isGet } from '../rule.ts';

/** The fourth part of the signature string is a hash. */
const isHashed = (operation: Parameters<typeof hasBody>[0]) => hasBody(operation) || hasQuery(operation);

/** Another timestamp: the last one that a unit of so many milliseconds divides. */
const before = (unit: number) => (timestamp: number) => Math.ceil(timestamp / unit) * unit - unit;

/** Another timestamp that a server has which keeps time less exactly than in milliseconds. */
const roundings: readonly (readonly [words: string, rounded: (timestamp: number) => number])[] = [
  ['cut to whole seconds', before(1000)],
  ['in the next whole second', (timestamp) => before(1000)(timestamp + 1) + 1000],
  ['with another last digit', before(10)],
  ['cut to whole minutes', before(60_000)],
];

/** Requests that were signed for another time, method or path, or whose signature string was put together wrongly. */
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
      ...roundings.map(([words, rounded]) =>
        signedAs(`signed for its X-Timestamp ${words}`, (signed) => ({
          ...signed,
          timestamp: String(rounded(Number(signed.timestamp))),
        })),
      ),
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
    words: 'signed with other separators than single line feeds, or with a further line',
    requirements: () => ['auth.signature.components'],
    refusal: 'failed-signature',
    mistakes: ['separator-crlf', 'separator-missing', 'trailing-line-feed'],
    ways: ({ merchant: { apiKey } }) => [
      signedOver('signed as a webhook is, with the line `webhook` first', (components) => ['webhook', ...components]),
      signedOver('signed with an empty line first', (components) => ['', ...components]),
      signedOver('signed with the API key as a further line', (components) => [...components, apiKey]),
    ],
  },
];
