import type { RequirementId } from '../../../../generated/catalogue-ids.ts';
import type { ContractOperation } from '../../../contract/operations.ts';
import { signatureOf } from '../../../wire/signing/signature.ts';
import { queriesByOtherIds } from '../as-sent.ts';
import { signedAs, signedWithout } from '../otherwise-signed.ts';
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

/** What a careless server has where a header is not there: nothing, or what its language writes for that. */
const insteadOfNothing = ['', 'undefined', 'null', 'None', '0', 'NaN'];

/** A request that lacks `header` is signed with what a careless server then has in its place. The signature itself is made of nothing else. */
function signedForNothing(header: string, value: string | undefined): Way[] {
  const said = value === undefined ? `without ${header}` : `with an empty ${header}`;
  const lacking = (way: Way): Way => ({
    words: `${said}, ${way.words}`,
    change: (request, accepted) => ({ ...way.change(request, accepted), headers: { [header]: value } }),
  });
  // What is there and empty is empty text for every server, or the number of it.
  const texts = value === undefined ? insteadOfNothing : ['', '0'];
  const named = (text: string) => (text === '' ? 'nothing' : `the text ${text}`);
  if (header === 'X-Timestamp') {
    const over = texts.map((text) =>
      signedAs(`signed over ${named(text)} as the timestamp`, (signed) => ({ ...signed, timestamp: text })),
    );
    return [...over, signedWithout('timestamp', 0)].map(lacking);
  }
  if (header !== 'X-Api-Key') return [];
  return texts.map((text) =>
    lacking({
      words: `signed with ${named(text)} as the secret`,
      change: (request) => ({ ...request, sign: (signed) => signatureOf(signed, text) }),
    }),
  );
}

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
      ways: () => [
        { words, change: (request) => ({ ...request, headers: { [header]: value } }) },
        ...signedForNothing(header, value),
      ],
    });
    return [lacking('missing', `without ${header}`, undefined), lacking('empty', `with an empty ${header}`, '')];
  }),
];
