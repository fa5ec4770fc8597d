import { createHmac } from 'node:crypto';
import { escapesInSmallLetters } from '../../../arrange/authentication/as-sent.ts';
import { partOf, rightForms } from '../../../arrange/authentication/right-requests.ts';
import {
  type AuthenticationRule,
  hasBody,
  hasQuery,
  idOfRule,
  isGet,
  needsKey,
} from '../../../arrange/authentication/rule.ts';
import { authenticationRules } from '../../../arrange/authentication/rules/index.ts';
import { isObject } from '../../../contract/json.ts';
import { type ContractOperation, contractOperations } from '../../../contract/operations.ts';
import { explainSignature, signatureOf } from '../../../wire/signing/signature.ts';
import {
  actingForTheKey,
  findsWrongByForm,
  signatureIn,
  type Takes,
  takesByRule,
  verifyingOver,
  withMistake,
} from '../../stand/auth-changes.ts';
import {
  alsoTaking,
  bodyOf,
  findingUnsigned,
  isOf,
  isRightlySigned,
  isSignedWith,
  merchantIdOf,
  onlyFor,
} from '../../stand/changes.ts';
import type { Fault } from '../../stand/fault.ts';
import { type Handler, signed, toSign } from '../../stand/proxy.ts';

/** The beginning of a fault's id, such as `refund-batch-query`. */
const slugOf = ({ name }: ContractOperation) => name.replace(/^(order|refund)s\./, '$1-').replace('.', '-');

const only = (operation: ContractOperation, handler: Handler) => ({
  merchantApi: onlyFor(isOf(operation.name), handler),
});

/** A server that does not keep one rule in one operation. */
function takingFault(rule: AuthenticationRule, operation: ContractOperation): Fault {
  const { name, words, mistakes, requirements } = rule;
  const takes = takesByRule[name] ?? withMistake(mistakes ?? []);
  return {
    id: `${slugOf(operation)}-taken-${name}`,
    title: `Takes a request ${words} in ${operation.name}.`,
    breaks: requirements(operation)[0],
    caughtBy: idOfRule(rule, operation),
    make: only(operation, name === 'unknown-merchant' ? actingForTheKey : alsoTaking(takes)),
  };
}

/** A fault of each operation for each thing that binds it. */
const each = <Rule extends { binds?: (operation: ContractOperation) => boolean }>(
  rules: readonly Rule[],
  make: (rule: Rule, operation: ContractOperation) => Fault,
): readonly Fault[] =>
  contractOperations.flatMap((operation) =>
    rules.filter(({ binds }) => binds?.(operation) !== false).map((rule) => make(rule, operation)),
  );

const taking: readonly Fault[] = each(authenticationRules, takingFault);

/** A server that refuses one form of a right request in one operation. */
const refusingForms: readonly Fault[] = each(rightForms, (form, operation) => ({
  id: `${slugOf(operation)}-refused-${form.name}`,
  title: `Refuses a request ${form.words} in ${operation.name}.`,
  breaks: form.requirements(operation)[0],
  caughtBy: idOfRule(form, operation),
  make: only(operation, findingUnsigned(findsWrongByForm[form.name] ?? (() => false))),
}));

/** Paths that name the same for a router. */
const pathForms: readonly { id: string; words: string; form(path: string): string }[] = [
  { id: 'with-slash', words: 'with a slash at its end', form: (path) => `${path}/` },
  { id: 'in-capitals', words: 'in capital letters', form: (path) => path.toUpperCase() },
  { id: 'in-small-letters', words: 'in small letters', form: (path) => path.toLowerCase() },
];

/** Serves the address that a header names, in place of the one of the request line. `after`: the signature was verified over the latter before. */
const servingNamedAddress =
  (after: boolean): Handler =>
  (request, server) => {
    const target = request.headers['x-original-url'];
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    if (target === undefined || !owner) return server.forward(request);
    const named = { ...request, target };
    if (!after) return server.forward(named);
    return server.forward(isRightlySigned(request, server) ? signed(named, owner) : request);
  };

/** The operations whose address says which record they show. */
const queries = contractOperations.filter(({ name }) => name.endsWith('s.query') || name === 'checkout.query');

const namedAddresses: readonly Fault[] = queries.flatMap((operation) =>
  [true, false].map((after) => ({
    id: `${slugOf(operation)}-address-of-header-${after ? 'served' : 'verified'}`,
    title: `Takes X-Original-URL for the address of a request ${after ? 'whose signature it has verified' : 'before it verifies the signature'} in ${operation.name}.`,
    breaks: 'auth.signature.path' as const,
    caughtBy: idOfRule({ name: 'path-in-header' }, operation),
    make: only(operation, servingNamedAddress(after)),
  })),
);

/** Mistakes of one kind that are made in several ways, in each operation. */
const kin: readonly Fault[] = contractOperations.flatMap((operation): Fault[] => [
  {
    id: `${slugOf(operation)}-refused-signed`,
    title: `Finds every signature wrong in ${operation.name}.`,
    breaks: partOf(operation)[0],
    caughtBy: idOfRule({ name: 'signed' }, operation),
    make: only(
      operation,
      findingUnsigned(() => true),
    ),
  },
  {
    id: `${slugOf(operation)}-unauthenticated`,
    title: `Authenticates nothing, because its middleware was forgotten in ${operation.name}.`,
    breaks: 'auth.signature.required',
    caughtBy: idOfRule({ name: 'signature-missing' }, operation),
    make: only(
      operation,
      alsoTaking(() => true),
    ),
  },
  {
    id: `${slugOf(operation)}-secret-of-unknown-key-empty`,
    title: `Signs with nothing where it finds no secret for a key in ${operation.name}.`,
    breaks: operation.area === 'checkout' ? 'auth.required' : 'auth.api-key.unknown',
    caughtBy: idOfRule({ name: 'unknown-key-guessed' }, operation),
    make: only(
      operation,
      alsoTaking((request, _, server) =>
        isSignedWith(request, server.owner(request.headers['x-api-key'] ?? '')?.apiSecret ?? ''),
      ),
    ),
  },
  {
    id: `${slugOf(operation)}-signature-end-compared`,
    title: `Compares only the last 20 characters of a signature in ${operation.name}.`,
    breaks: 'auth.signature.algorithm',
    caughtBy: idOfRule({ name: 'wrong-signature' }, operation),
    make: only(
      operation,
      alsoTaking((request, { apiSecret }) =>
        signatureIn(request).endsWith(signatureOf(toSign(request), apiSecret).slice(-20)),
      ),
    ),
  },
  {
    id: `${slugOf(operation)}-signature-bits-not-compared`,
    title: `Compares a signature but for the last four bits of its last byte in ${operation.name}.`,
    breaks: 'auth.signature.algorithm',
    caughtBy: idOfRule({ name: 'wrong-signature' }, operation),
    make: only(
      operation,
      alsoTaking(
        (request, { apiSecret }) =>
          signatureIn(request).slice(0, 42) === signatureOf(toSign(request), apiSecret).slice(0, 42) &&
          signatureIn(request).length === 44,
      ),
    ),
  },
  {
    id: `${slugOf(operation)}-signature-in-a-list`,
    title: `Takes a list of signatures of which one is right in ${operation.name}, as webhooks have it.`,
    breaks: 'auth.signature.algorithm',
    caughtBy: idOfRule({ name: 'signature-appended' }, operation),
    make: only(
      operation,
      alsoTaking((request, { apiSecret }) =>
        signatureIn(request)
          .split(/[, ]+/)
          .includes(signatureOf(toSign(request), apiSecret)),
      ),
    ),
  },
  {
    id: `${slugOf(operation)}-path-parameters-not-verified`,
    title: `Verifies the signature of ${operation.name} over its path without what stands behind a semicolon.`,
    breaks: 'auth.signature.path',
    caughtBy: idOfRule({ name: 'another-path' }, operation),
    make: {
      merchantApi: (request, server) => {
        const stripped = { ...request, target: request.target.replace(/;[^/?]*/g, '') };
        return server.forward(isOf(operation.name)(stripped) ? stripped : request);
      },
    },
  },
  ...pathForms.map(({ id, words, form }) => ({
    id: `${slugOf(operation)}-path-verified-${id}`,
    title: `Verifies the signature over the path ${words} too in ${operation.name}.`,
    breaks: 'auth.signature.path' as const,
    caughtBy: idOfRule({ name: 'another-path' }, operation),
    make: only(
      operation,
      alsoTaking((request, { apiSecret }) => isSignedWith(request, apiSecret, { path: form(toSign(request).path) })),
    ),
  })),
  {
    id: `${slugOf(operation)}-path-verified-with-small-escapes`,
    title: `Takes a signature over the path with its escapes in small letters in ${operation.name}.`,
    breaks: 'auth.signature.path',
    caughtBy: idOfRule({ name: 'path-decoded' }, operation),
    make: only(
      operation,
      alsoTaking((request, { apiSecret }) =>
        isSignedWith(request, apiSecret, { path: escapesInSmallLetters(toSign(request).path) }),
      ),
    ),
  },
  {
    id: `${slugOf(operation)}-path-verified-decoded`,
    title: `Verifies the signature over the decoded path in ${operation.name}.`,
    breaks: 'auth.signature.path',
    caughtBy: idOfRule({ name: 'path-as-sent' }, operation),
    make: only(
      operation,
      verifyingOver(({ path, ...rest }) => ({ ...rest, path: decodeURIComponent(path) })),
    ),
  },
  {
    id: `${slugOf(operation)}-path-verified-with-capital-escapes`,
    title: `Verifies the signature over the path with its escapes in capitals in ${operation.name}.`,
    breaks: 'auth.signature.path',
    caughtBy: idOfRule({ name: 'path-as-sent' }, operation),
    make: only(
      operation,
      verifyingOver(({ path, ...rest }) => ({ ...rest, path: escapesInCapitals(path) })),
    ),
  },
]);

/** The text with the letters of its escapes in capitals. */
const escapesInCapitals = (text: string) => text.replace(/%[0-9a-f]{2}/gi, (each) => each.toUpperCase());

/** Whether a rightly signed request with the signature of this one came before that differs from it by `part` at most. */
function remembering(part: 'path' | 'query' | 'body'): Takes {
  const verified = new Set<string>();
  return (request, { apiSecret }) => {
    const { body, ...parts } = toSign(request);
    const known = { ...parts, body: body && Buffer.from(body).toString('base64'), [part]: '' };
    const key = JSON.stringify([signatureIn(request), known]);
    if (isSignedWith(request, apiSecret)) verified.add(key);
    return verified.has(key);
  };
}

const lineFeed = 0x0a;

/** Parts of a body that servers drop before they verify it. */
const droppedFromBodies: readonly (readonly [name: string, words: string, part: RegExp])[] = [
  ['line-ends-behind', 'the line ends behind it', /[\r\n]+$/],
  ['lone-line-feed-behind', 'the line feed behind it', /(?<!\r)\n$/],
  ['tabs-behind', 'the tabs behind it', /\t+$/],
  ['line-feeds-before', 'the line feeds before it', /^\n+/],
];

const droppingFromBodies: readonly Fault[] = contractOperations.filter(hasBody).flatMap((operation) => [
  ...droppedFromBodies.map(
    ([name, words, part]): Fault => ({
      id: `${slugOf(operation)}-body-verified-without-${name}`,
      title: `Takes a signature over the body without ${words} in ${operation.name}.`,
      breaks: 'auth.signature.body',
      caughtBy: idOfRule({ name: 'another-body' }, operation),
      make: only(
        operation,
        alsoTaking((request, { apiSecret }) => {
          const text = request.body.toString('latin1').replace(part, '');
          return isSignedWith(request, apiSecret, { body: Buffer.from(text, 'latin1') });
        }),
      ),
    }),
  ),
  {
    id: `${slugOf(operation)}-body-read-to-byte-of-zero`,
    title: `Reads a body up to its first byte of zero, and verifies that much of it, in ${operation.name}.`,
    breaks: 'auth.signature.body',
    caughtBy: idOfRule({ name: 'another-body' }, operation),
    make: only(operation, (request, server) => {
      const end = request.body.indexOf(0);
      return server.forward(end === -1 ? request : { ...request, body: request.body.subarray(0, end) });
    }),
  },
  {
    id: `${slugOf(operation)}-line-end-behind-body-not-verified`,
    title: `Verifies the signature of a body that ends in a line end over the body without it in ${operation.name}.`,
    breaks: 'auth.signature.body',
    caughtBy: idOfRule({ name: 'body-as-sent' }, operation),
    make: only(
      operation,
      findingUnsigned(({ body }) => body.at(-1) === lineFeed),
    ),
  },
]);

/** Servers that do not verify a signature again that they have verified once, whatever else has changed. */
const remembered: readonly Fault[] = (
  [
    ['path', () => true],
    ['query', isGet],
    ['body', hasBody],
  ] as const
).flatMap(([part, binds]) =>
  contractOperations.filter(binds).map((operation) => ({
    id: `${slugOf(operation)}-signature-remembered-${part}`,
    title: `Accepts a signature that it has verified once for any ${part} in ${operation.name}.`,
    breaks: `auth.signature.${part}` as const,
    caughtBy: idOfRule({ name: `another-${part}` }, operation),
    make: only(operation, alsoTaking(remembering(part))),
  })),
);

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

const searchedKeys: readonly Fault[] = contractOperations.filter(needsKey).flatMap((operation) =>
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
const otherSpellings: readonly Fault[] = contractOperations.flatMap((operation): Fault[] => [
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

/** Servers that read a body as JSON that is sent as text or as form data. */
const anyTypes: readonly Fault[] = contractOperations.filter(hasBody).map((operation) => ({
  id: operation.name === 'orders.create' ? 'body-of-any-type-taken' : `${slugOf(operation)}-body-of-any-type-taken`,
  title: `Reads bodies as JSON that are sent as text or as form data in ${operation.name}.`,
  breaks: 'auth.content-type.other',
  caughtBy: idOfRule({ name: 'content-type-other' }, operation),
  make: only(operation, (request, server) => {
    const isOther = /^text\/plain|form-urlencoded$/.test(request.headers['content-type'] ?? '');
    const headers = isOther ? { ...request.headers, 'content-type': 'application/json' } : request.headers;
    return server.forward({ ...request, headers });
  }),
}));

/** Parts of a long body over which servers take a signature, too. */
const partsOfBodies: readonly (readonly [name: string, words: string, partOf: (body: Buffer) => Buffer])[] = [
  ['first-part', 'the first 64 KiB of a long body', (body) => body.subarray(0, 65_536)],
  ['first-block', 'the first 8 KiB of a long body', (body) => body.subarray(0, 8192)],
  ['first-100-kb', 'the first 100 000 bytes of a longer body', (body) => body.subarray(0, 100_000)],
  ['first-256-kib', 'the first 256 KiB of a longer body', (body) => body.subarray(0, 262_144)],
  [
    'all-but-last-byte',
    'a long body that has a blank for the line feed at its end',
    (body) => (body.at(-1) === lineFeed ? Buffer.concat([body.subarray(0, -1), Buffer.from(' ')]) : body),
  ],
  [
    'all-but-first-byte',
    'a long body that has a blank for the line feed at its beginning',
    (body) => (body[0] === lineFeed ? Buffer.concat([Buffer.from(' '), body.subarray(1)]) : body),
  ],
];

/** Servers that do not verify the signature of every byte of a long body. */
const longBodies: readonly Fault[] = contractOperations.filter(hasBody).flatMap((operation) =>
  partsOfBodies.map(
    ([name, words, partOfBody]): Fault => ({
      id: `${slugOf(operation)}-long-body-verified-${name}`,
      title: `Takes a signature over ${words} in ${operation.name}.`,
      breaks: 'auth.signature.body',
      caughtBy: idOfRule({ name: 'long-body' }, operation),
      make: only(
        operation,
        alsoTaking(
          (request, { apiSecret }) =>
            request.body.length > 0xffff && isSignedWith(request, apiSecret, { body: partOfBody(request.body) }),
        ),
      ),
    }),
  ),
);

/** Whether a rightly signed request with the signature of this one came before whose body begins with the same 64 KiB. */
function rememberingBeginnings(): Takes {
  const verified = new Set<string>();
  return (request, { apiSecret }) => {
    const { body, ...parts } = toSign(request);
    const beginning = Buffer.from(body ?? []).subarray(0, 65_536);
    const key = JSON.stringify([signatureIn(request), parts, beginning.toString('base64')]);
    if (isSignedWith(request, apiSecret)) verified.add(key);
    return verified.has(key);
  };
}

const rememberedBeginnings: readonly Fault[] = contractOperations.filter(hasBody).map((operation) => ({
  id: `${slugOf(operation)}-signature-remembered-with-beginning`,
  title: `Does not verify a signature again that it has verified for a body with the same first 64 KiB in ${operation.name}.`,
  breaks: 'auth.signature.body',
  caughtBy: idOfRule({ name: 'long-body' }, operation),
  make: only(operation, alsoTaking(rememberingBeginnings())),
}));

/** The query with the parameters for which `test` is true. */
const parametersWhere = (query: string, test: (parameter: string) => boolean) =>
  query.split('&').filter(test).join('&');

/** Servers that see no query where none of its parameters says anything, in the operations that need none. */
const emptyQueries: readonly Fault[] = contractOperations
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
const alsoOtherQueries: readonly Fault[] = (
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
const otherQueries: readonly Fault[] = (
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

const withSortedNames = (_: string, value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** Other ways in which a body is written again before its signature is verified. */
const rewrittenBodies: readonly (readonly [name: string, words: string, write: (body: Buffer) => string])[] = [
  ['sorted', 'as JSON with sorted names', (body) => JSON.stringify(JSON.parse(body.toString('utf8'), withSortedNames))],
  [
    'escapes-resolved',
    'without needless escapes',
    (body) => (body.includes('\\u00') ? JSON.stringify(JSON.parse(body.toString('utf8'))) : ''),
  ],
];

/** Servers that accept a signature over another text with the meaning of the body, beside one over the body as sent. */
const reSerialised: readonly Fault[] = contractOperations.filter(hasBody).flatMap((operation) =>
  rewrittenBodies.map(([name, words, write]) => ({
    id: `${slugOf(operation)}-body-verified-${name}`,
    title: `Accepts a signature over the body ${words} in ${operation.name}.`,
    breaks: 'auth.signature.body' as const,
    caughtBy: idOfRule({ name: 'body-re-serialised' }, operation),
    make: only(
      operation,
      alsoTaking((request, { apiSecret }) => {
        const text = bodyOf(request) ? write(request.body) : '';
        return text !== '' && isSignedWith(request, apiSecret, { body: Buffer.from(text) });
      }),
    ),
  })),
);

/** Notations of numbers that functions of some languages read, beside plain digits. */
const timestampNotations: Readonly<Record<string, { words: string; form: RegExp }>> = {
  'in-hexadecimal-of-pascal': { words: 'in hexadecimal digits behind a dollar sign', form: /^\$[0-9a-f]+$/i },
  'in-octal': { words: 'in octal digits', form: /^0o?[0-7]{14}$/ },
  'with-underscores': { words: 'with underscores between all of its thousands', form: /^[0-9](_[0-9]{3}){4}$/ },
};

/** Servers that go on with what they have where a header is not there, or is not what they take it for. */
const careless: readonly Fault[] = contractOperations.flatMap((operation): Fault[] => [
  ...['', 'undefined'].map(
    (text): Fault => ({
      id: `${slugOf(operation)}-timestamp-missing-signed-as-${text || 'nothing'}`,
      title: `Verifies the signature over ${text === '' ? 'nothing' : `the text ${text}`} where there is no X-Timestamp, and takes the request in ${operation.name}.`,
      breaks: 'auth.timestamp.required',
      caughtBy: idOfRule({ name: 'timestamp-missing' }, operation),
      make: only(
        operation,
        alsoTaking(
          (request, { apiSecret }) =>
            request.headers['x-timestamp'] === undefined && isSignedWith(request, apiSecret, { timestamp: text }),
        ),
      ),
    }),
  ),
  {
    id: `${slugOf(operation)}-timestamp-empty-signed`,
    title: `Takes an empty X-Timestamp that is signed as it is in ${operation.name}.`,
    breaks: 'auth.timestamp.required',
    caughtBy: idOfRule({ name: 'timestamp-empty' }, operation),
    make: only(
      operation,
      alsoTaking(
        (request, { apiSecret }) =>
          request.headers['x-timestamp'] === '' && isSignedWith(request, apiSecret, { timestamp: '' }),
      ),
    ),
  },
  ...(needsKey(operation)
    ? [
        {
          id: `${slugOf(operation)}-key-missing-secret-undefined`,
          title: `Signs with the text undefined where there is no X-Api-Key in ${operation.name}.`,
          breaks: 'auth.api-key.required' as const,
          caughtBy: idOfRule({ name: 'key-missing' }, operation),
          make: only(
            operation,
            alsoTaking((request) => request.headers['x-api-key'] === undefined && isSignedWith(request, 'undefined')),
          ),
        },
      ]
    : []),
  ...Object.entries(timestampNotations).map(
    ([name, { words, form }]): Fault => ({
      id: `${slugOf(operation)}-timestamp-${name}`,
      title: `Takes an X-Timestamp ${words} in ${operation.name}.`,
      breaks: 'auth.timestamp.form',
      caughtBy: idOfRule({ name: 'timestamp-form' }, operation),
      make: only(
        operation,
        alsoTaking(
          (request, { apiSecret }) =>
            form.test(request.headers['x-timestamp'] ?? '') && isSignedWith(request, apiSecret),
        ),
      ),
    }),
  ),
  {
    id: `${slugOf(operation)}-timestamp-signed-in-whole-seconds`,
    title: `Takes a signature over the timestamp cut to whole seconds in ${operation.name}.`,
    breaks: 'auth.timestamp.signed',
    caughtBy: idOfRule({ name: 'another-timestamp' }, operation),
    make: only(
      operation,
      alsoTaking((request, { apiSecret }) => {
        const { timestamp } = toSign(request);
        return isSignedWith(request, apiSecret, { timestamp: `${timestamp.slice(0, -3)}000` });
      }),
    ),
  },
]);

/** Wrong servers for each rule of authentication and each operation. */
export const authRuleFaults: readonly Fault[] = [
  ...taking,
  ...refusingForms,
  ...kin,
  ...namedAddresses,
  ...droppingFromBodies,
  ...remembered,
  ...otherSpellings,
  ...searchedKeys,
  ...anyTypes,
  ...otherQueries,
  ...alsoOtherQueries,
  ...emptyQueries,
  ...longBodies,
  ...rememberedBeginnings,
  ...reSerialised,
  ...careless,
  ...contractOperations.map(
    (operation): Fault => ({
      id: `${operation.name.replaceAll('.', '-')}-timestamp-unsigned-taken`,
      title: `Takes a signature that leaves out the timestamp in ${operation.name}.`,
      breaks: 'auth.timestamp.signed',
      caughtBy: idOfRule({ name: 'another-timestamp' }, operation),
      make: {
        merchantApi: onlyFor(
          isOf(operation.name),
          alsoTaking((request, { apiSecret }) => {
            const [, ...others] = explainSignature(toSign(request), apiSecret).components;
            return signatureIn(request) === createHmac('sha256', apiSecret).update(others.join('\n')).digest('base64');
          }),
        ),
      },
    }),
  ),
];
