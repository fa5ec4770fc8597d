import { field } from '../../../wire/exchange.ts';
import { signatureOf } from '../../../wire/signing/signature.ts';
import type { SignedRequest } from '../../requests/signed-client.ts';
import { escapesInSmallLetters, hasLetterInEscapes, outerForms, queriesByOtherIds, queryEscaped } from '../as-sent.ts';
import { changedOnceSigned, inEachForm, signedAs, signedAsAccepted } from '../otherwise-signed.ts';
import { type AuthenticationRule, hasQuery, isGet, type Way } from '../rule.ts';

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
  ['a parameter with an empty value behind it', (query) => `${query}&empty=`],
  ['a parameter with an empty value before it', (query) => `empty=&${query}`],
  ['a parameter without a value behind it', (query) => `${query}&empty`],
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

const withMoreQuery = (request: SignedRequest, parameter = 'assay=1'): SignedRequest => ({
  ...request,
  query: request.query === undefined ? parameter : `${request.query}&${parameter}`,
});

/** A parameter that says nothing is a part of the query, too. */
const emptyParameters: readonly Way[] = ['empty=', 'empty'].map((parameter) =>
  changedOnceSigned(`whose query has one more parameter without a value, ${parameter}, than was signed`, (request) =>
    withMoreQuery(request, parameter),
  ),
);

const moreQuery: Way = {
  words: 'whose query has one more parameter than was signed',
  change: (request) => ({
    ...withMoreQuery(request),
    sign: (signed, secret) => signatureOf({ ...signed, query: request.query }, secret),
  }),
};

/** Requests whose query is not the one that was signed. */
export const queryRules: readonly AuthenticationRule[] = [
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
      moreQuery,
      ...inEachForm(outerForms, moreQuery),
      signedAsAccepted('whose query has one more parameter', (_, { request }) => withMoreQuery(request)),
      ...(hasQuery(operation) ? otherSpellings : emptyParameters),
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
];
