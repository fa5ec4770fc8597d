import { escapesInSmallLetters } from '../../../../arrange/authentication/as-sent.ts';
import { hasQuery, idOfRule, isGet } from '../../../../arrange/authentication/rule.ts';
import { contractOperations } from '../../../../contract/operations.ts';
import { verifyingOver } from '../../../stand/auth-changes.ts';
import { alsoTaking, isOf, isSignedWith, onlyFor } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';
import { toSign } from '../../../stand/proxy.ts';
import { only, slugOf } from './of-operation.ts';

/** The text with the letters of its escapes in capitals. */
export const escapesInCapitals = (text: string) => text.replace(/%[0-9a-f]{2}/gi, (each) => each.toUpperCase());

/** The query with the parameters for which `test` is true. */
const parametersWhere = (query: string, test: (parameter: string) => boolean) =>
  query.split('&').filter(test).join('&');

/** Servers that see no query where none of its parameters says anything, in the operations that need none. */
export const emptyQueries: readonly Fault[] = contractOperations
  .filter(isGet)
  .filter((each) => !hasQuery(each))
  .map((operation) => ({
    id: `${slugOf(operation)}-verified-without-empty-parameters`,
    title: `Leaves the parameters without a value out of the signature in ${operation.name}.`,
    breaks: 'auth.signature.query',
    caughtBy: idOfRule({ name: 'another-query' }, operation),
    make: only(
      operation,
      alsoTaking((request, { apiSecret }) => {
        const query = parametersWhere(toSign(request).query ?? '', (parameter) => /=./.test(parameter));
        return isSignedWith(request, apiSecret, { query: query || undefined });
      }),
    ),
  }));

/** Servers that take a signature over the query in another form, too. */
export const alsoOtherQueries: readonly Fault[] = (
  [
    ['with-small-escapes', 'with its escapes in small letters', 'query-decoded', escapesInSmallLetters],
    [
      'written-anew',
      'decoded, sorted and written anew',
      'query-sorted',
      (query) => {
        const parameters = new URLSearchParams(query);
        parameters.sort();
        return parameters.toString();
      },
    ],
    ['with-percent-for-plus', 'with %20 for each plus sign', 'another-query', (query) => query.replaceAll('+', '%20')],
    [
      'with-plus-for-percent',
      'with a plus sign for each %20',
      'another-query',
      (query) => query.replaceAll('%20', '+'),
    ],
    ['with-capital-escapes', 'with its escapes in capitals', 'another-query', escapesInCapitals],
    [
      'without-needless-escapes',
      'with each part decoded and escaped again',
      'another-query',
      (query) => query.replace(/[^&=]+/g, (part) => encodeURIComponent(decodeURIComponent(part))),
    ],
    [
      'in-order-of-names',
      'with its parameters in the reverse order',
      'another-query',
      (query) => query.split('&').toReversed().join('&'),
    ],
    [
      'without-empty-parts',
      'without parts between ampersands that are empty',
      'another-query',
      (query) => query.split('&').filter(Boolean).join('&'),
    ],
    [
      'without-empty-parameter-behind',
      'without a parameter with an empty value at its end',
      'another-query',
      (query) => query.replace(/&\w+=$/, ''),
    ],
    [
      'without-empty-values',
      'without the parameters that have an empty value',
      'another-query',
      (query) => parametersWhere(query, (parameter) => !parameter.endsWith('=')),
    ],
    [
      'without-names-alone',
      'without the parameters that have no equals sign',
      'another-query',
      (query) => parametersWhere(query, (parameter) => !/^\w+$/.test(parameter)),
    ],
  ] as const satisfies readonly [string, string, string, (query: string) => string][]
).map(([name, words, rule, form]) => ({
  id: `refund-query-verified-${name}`,
  title: `Takes a signature over the query ${words}.`,
  breaks: 'auth.signature.query',
  caughtBy: `auth.refunds.query.${rule}`,
  make: {
    merchantApi: onlyFor(
      isOf('refunds.query'),
      alsoTaking((request, { apiSecret }) => {
        const { query } = toSign(request);
        return query !== undefined && isSignedWith(request, apiSecret, { query: form(query) });
      }),
    ),
  },
}));

/** Servers that verify the signature of a refund query over another text than the query as sent. */
export const otherQueries: readonly Fault[] = (
  [
    ['sorted', (query) => query.split('&').toSorted().join('&')],
    ['decoded', (query) => decodeURIComponent(query)],
    ['with escapes in capitals', escapesInCapitals],
    ['re-encoded', (query) => new URLSearchParams(query).toString()],
  ] as const satisfies readonly [string, (query: string) => string][]
).map(([how, change]) => ({
  id: `refund-query-verified-${how.replaceAll(' ', '-')}`,
  title: `Verifies the signature of a refund query over the query ${how}.`,
  breaks: 'auth.signature.query',
  caughtBy: 'auth.refunds.query.query-as-sent',
  make: {
    merchantApi: onlyFor(
      isOf('refunds.query'),
      verifyingOver(({ query, ...rest }) => ({ ...rest, query: query && change(query) })),
    ),
  },
}));
