import { createHmac } from 'node:crypto';
import { escapesInSmallLetters } from '../../../../arrange/authentication/as-sent.ts';
import { partOf, rightForms } from '../../../../arrange/authentication/right-requests.ts';
import { type AuthenticationRule, hasBody, idOfRule, isGet } from '../../../../arrange/authentication/rule.ts';
import { authenticationRules } from '../../../../arrange/authentication/rules/index.ts';
import { type ContractOperation, contractOperations } from '../../../../contract/operations.ts';
import { explainSignature, signatureOf } from '../../../../wire/signing/signature.ts';
import {
  actingForTheKey,
  findsWrongByForm,
  signatureIn,
  type Takes,
  takesByRule,
  verifyingOver,
  withMistake,
} from '../../../stand/auth-changes.ts';
import { alsoTaking, findingUnsigned, isOf, isRightlySigned, isSignedWith, onlyFor } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';
import { type Handler, signed, toSign } from '../../../stand/proxy.ts';
import {
  anyTypes,
  droppingFromBodies,
  longBodies,
  rememberedBeginnings,
  reSerialised,
  typesThatContainJson,
  verifiedByForm,
} from './bodies.ts';
import { careless } from './headers.ts';
import { otherSpellings, searchedKeys } from './keys.ts';
import { only, slugOf } from './of-operation.ts';
import { alsoOtherQueries, emptyQueries, escapesInCapitals, otherQueries } from './queries.ts';

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
    id: `${slugOf(operation)}-unauthenticated-with-cookie`,
    title: `Takes a request with a Cookie for one of a session and verifies no signature of it in ${operation.name}.`,
    breaks: 'auth.signature.algorithm',
    caughtBy: idOfRule({ name: 'wrong-signature' }, operation),
    make: only(
      operation,
      alsoTaking(({ headers }) => headers.cookie !== undefined),
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
  ...typesThatContainJson,
  ...otherQueries,
  ...alsoOtherQueries,
  ...emptyQueries,
  ...longBodies,
  ...rememberedBeginnings,
  ...reSerialised,
  ...verifiedByForm,
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
