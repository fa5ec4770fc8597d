import { idOfRule, needsKey } from '../../../../arrange/authentication/rule.ts';
import { contractOperations } from '../../../../contract/operations.ts';
import { alsoTaking, isRightlySigned, isSignedWith, merchantIdOf } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';
import { type Handler, signed } from '../../../stand/proxy.ts';
import { only, slugOf } from './of-operation.ts';

/** A server that knows a merchant by every id for which `owns` is true. */
const knownAs =
  (owns: (merchantId: string, asked: string) => boolean): Handler =>
  (request, server) => {
    const asked = merchantIdOf(request);
    const owner = [...server.merchants()].find(({ merchantId }) => merchantId !== asked && owns(merchantId, asked));
    if (!owner || server.merchant(asked) || !isRightlySigned(request, server)) return server.forward(request);
    const target = request.target.replace(/(?<=\/merchants\/)[^/?]+/, encodeURIComponent(owner.merchantId));
    return server.forward(signed({ ...request, target }, owner));
  };

const inAnyCase = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Whether a key stands for `apiKey` where every key that is sent is read as a regular expression. */
function isPatternOf(key: string, apiKey: string): boolean {
  try {
    return new RegExp(`^(${key})$`).test(apiKey);
  } catch {
    return false;
  }
}

/** Other ways in which servers find `apiKey` by a key. */
const otherSearches: readonly (readonly [
  name: string,
  words: string,
  finds: (key: string, apiKey: string) => boolean,
])[] = [
  ['as-pattern', 'Reads a key as a regular expression', isPatternOf],
  ['as-search', 'Searches the keys for a regular expression', (key, apiKey) => key === '^' || isPatternOf(key, apiKey)],
  [
    'with-wildcards',
    'Finds a key by asterisks and question marks, as the names of files are found,',
    (key, apiKey) => /[*?]/.test(key) && new RegExp(`^${globOf(key)}$`).test(apiKey),
  ],
  ['cut-off', 'Drops the marks behind a key', (key, apiKey) => key.replace(/[^\w-]+$/, '') === apiKey],
  ['cut-at-semicolon', 'Takes a key for a value with parameters', (key, apiKey) => key.split(';')[0] === apiKey],
  [
    'of-words',
    'Looks for a key in the word at the end of the header',
    (key, apiKey) => key.replace(/^\W+/, '') === apiKey,
  ],
  ['end', 'Finds a key by its end', (key, apiKey) => key.length > 8 && apiKey.endsWith(key)],
];

/** A name of files with wildcards as a regular expression. */
const globOf = (key: string) =>
  key
    .replace(/[^\w*?]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');

/** Servers that find a key by another search than for the same text. */
export const searchedKeys: readonly Fault[] = contractOperations.filter(needsKey).flatMap((operation) =>
  otherSearches.map(
    ([name, words, finds]): Fault => ({
      id: `${slugOf(operation)}-key-searched-${name}`,
      title: `${words} in ${operation.name}.`,
      breaks: 'auth.api-key.unknown',
      caughtBy: idOfRule({ name: 'unknown-key' }, operation),
      make: only(
        operation,
        alsoTaking((request, { apiKey, apiSecret }, server) => {
          const key = request.headers['x-api-key'] ?? '';
          return !server.owner(key) && finds(key, apiKey) && isSignedWith(request, apiSecret);
        }),
      ),
    }),
  ),
);

/** Servers that find a key or a merchant that is written in another way. */
export const otherSpellings: readonly Fault[] = contractOperations.flatMap((operation): Fault[] => [
  ...(needsKey(operation)
    ? [
        {
          id: `${slugOf(operation)}-key-in-any-case`,
          title: `Finds a key without regard to the case of letters in ${operation.name}.`,
          breaks: 'auth.api-key.unknown' as const,
          caughtBy: idOfRule({ name: 'unknown-key' }, operation),
          make: only(
            operation,
            alsoTaking(
              (request, { apiKey, apiSecret }) =>
                inAnyCase(request.headers['x-api-key'] ?? '', apiKey) && isSignedWith(request, apiSecret),
            ),
          ),
        },
        {
          id: `${slugOf(operation)}-key-like`,
          title: `Searches for a key with the LIKE of SQL in ${operation.name}.`,
          breaks: 'auth.api-key.unknown' as const,
          caughtBy: idOfRule({ name: 'unknown-key' }, operation),
          make: only(
            operation,
            alsoTaking((request, { apiKey, apiSecret }) => {
              const key = request.headers['x-api-key'] ?? '';
              return key.endsWith('%') && apiKey.startsWith(key.slice(0, -1)) && isSignedWith(request, apiSecret);
            }),
          ),
        },
        {
          id: `${slugOf(operation)}-key-of-a-list`,
          title: `Takes the first key of a list in X-Api-Key in ${operation.name}.`,
          breaks: 'auth.api-key.unknown' as const,
          caughtBy: idOfRule({ name: 'unknown-key' }, operation),
          make: only(
            operation,
            alsoTaking(
              (request, { apiKey, apiSecret }) =>
                request.headers['x-api-key']?.split(',')[0] === apiKey && isSignedWith(request, apiSecret),
            ),
          ),
        },
      ]
    : []),
  {
    id: `${slugOf(operation)}-merchant-in-any-case`,
    title: `Finds a merchant without regard to the case of letters in ${operation.name}.`,
    breaks: `${operation.area}.errors.unknown-merchant`,
    caughtBy: idOfRule({ name: 'unknown-merchant' }, operation),
    make: only(operation, knownAs(inAnyCase)),
  },
  {
    id: `${slugOf(operation)}-merchant-trimmed`,
    title: `Trims the merchantId of the path in ${operation.name}.`,
    breaks: `${operation.area}.errors.unknown-merchant`,
    caughtBy: idOfRule({ name: 'unknown-merchant' }, operation),
    make: only(
      operation,
      knownAs((merchantId, asked) => merchantId === asked.trim()),
    ),
  },
]);
