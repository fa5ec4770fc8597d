import type { RequirementId } from '../../../../generated/catalogue-ids.ts';
import type { ContractOperation } from '../../../contract/operations.ts';
import { queriesByOtherIds } from '../as-sent.ts';
import { type AuthenticationRule, hasQuery, needsKey, type Way } from '../rule.ts';

/** The headers of authentication: the names that rules give them, their requirements, and the operations that require them. */
const headers: readonly [
  name: string,
  header: string,
  requirement: RequirementId,
  binds?: (operation: ContractOperation) => boolean,
][] = [
  ['key', 'X-Api-Key', 'auth.api-key.required', needsKey],
  ['timestamp', 'X-Timestamp', 'auth.timestamp.required'],
  ['signature', 'X-Signature', 'auth.signature.required'],
];

const noHeaders = Object.fromEntries(headers.map(([, header]) => [header, undefined]));

/** Requests that lack a header. The contract does not say how a doubled header is read. */
export const headerRules: readonly AuthenticationRule[] = [
  {
    name: 'unsigned',
    words: 'without any of the three headers',
    requirements: () => ['auth.required'],
    refusal: 'failed-authentication',
    underTakenId: true,
    ways: ({ answer, operation }) => [
      { words: 'without any of the three headers', change: (request) => ({ ...request, headers: noHeaders }) },
      ...(hasQuery(operation) ? queriesByOtherIds(answer) : []).map(
        ({ name, query }): Way => ({
          words: `by ${name}, without any of the three headers`,
          change: (request) => ({ ...request, query, headers: noHeaders }),
        }),
      ),
    ],
  },
  ...headers.flatMap(([name, header, requirement, binds]): AuthenticationRule[] => {
    const lacking = (state: string, words: string, value: string | undefined): AuthenticationRule => ({
      name: `${name}-${state}`,
      words,
      requirements: () => [requirement],
      refusal: 'malformed-header',
      ...(binds && { binds }),
      ways: () => [{ words, change: (request) => ({ ...request, headers: { [header]: value } }) }],
    });
    return [lacking('missing', `without ${header}`, undefined), lacking('empty', `with an empty ${header}`, '')];
  }),
];
