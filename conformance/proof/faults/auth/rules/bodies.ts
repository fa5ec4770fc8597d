import { hasBody, idOfRule } from '../../../../arrange/authentication/rule.ts';
import { isObject } from '../../../../contract/json.ts';
import { contractOperations } from '../../../../contract/operations.ts';
import { signatureIn, type Takes } from '../../../stand/auth-changes.ts';
import { alsoTaking, bodyOf, findingUnsigned, isSignedWith } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';
import { toSign } from '../../../stand/proxy.ts';
import { only, slugOf } from './of-operation.ts';

const lineFeed = 0x0a;

/** Parts of a body that servers drop before they verify it. */
const droppedFromBodies: readonly (readonly [name: string, words: string, part: RegExp])[] = [
  ['line-ends-behind', 'the line ends behind it', /[\r\n]+$/],
  ['lone-line-feed-behind', 'the line feed behind it', /(?<!\r)\n$/],
  ['tabs-behind', 'the tabs behind it', /\t+$/],
  ['line-feeds-before', 'the line feeds before it', /^\n+/],
];

/** Servers that drop a part of a body before they verify it. */
export const droppingFromBodies: readonly Fault[] = contractOperations.filter(hasBody).flatMap((operation) => [
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

/** Servers that verify a body otherwise where the outer form of its request is another one. */
export const verifiedByForm: readonly Fault[] = contractOperations.filter(hasBody).flatMap((operation) => [
  {
    id: `${slugOf(operation)}-body-with-charset-verified-without-line-ends`,
    title: `Takes a signature over the body without the line ends behind it where its Content-Type has a charset, in ${operation.name}.`,
    breaks: 'auth.signature.body',
    caughtBy: idOfRule({ name: 'another-body' }, operation),
    make: only(
      operation,
      alsoTaking((request, { apiSecret }) => {
        const text = request.body.toString('latin1').replace(/[\r\n]+$/, '');
        const hasCharset = /charset/i.test(request.headers['content-type'] ?? '');
        return hasCharset && isSignedWith(request, apiSecret, { body: Buffer.from(text, 'latin1') });
      }),
    ),
  },
  {
    id: `${slugOf(operation)}-body-with-charset-verified-re-serialised`,
    title: `Takes a signature over the body as it writes it again where its Content-Type has a charset, in ${operation.name}.`,
    breaks: 'auth.signature.body',
    caughtBy: idOfRule({ name: 'body-re-serialised' }, operation),
    make: only(
      operation,
      alsoTaking((request, { apiSecret }) => {
        const hasCharset = /charset/i.test(request.headers['content-type'] ?? '');
        return hasCharset && isSignedWith(request, apiSecret, { body: Buffer.from(JSON.stringify(bodyOf(request))) });
      }),
    ),
  },
]);

/** Servers that read a body as JSON that is sent as text or as form data. */
export const anyTypes: readonly Fault[] = contractOperations.filter(hasBody).map((operation) => ({
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

/** Servers that look for the type of JSON anywhere in what is said of a body. */
export const typesThatContainJson: readonly Fault[] = contractOperations.filter(hasBody).map((operation) => ({
  id: `${slugOf(operation)}-body-of-type-that-contains-json-taken`,
  title: `Reads bodies as JSON where application/json stands anywhere in their Content-Type in ${operation.name}.`,
  breaks: 'auth.content-type.other',
  caughtBy: idOfRule({ name: 'content-type-other' }, operation),
  make: only(operation, (request, server) => {
    const contains = /;.*application\/json/.test(request.headers['content-type'] ?? '');
    const headers = contains ? { ...request.headers, 'content-type': 'application/json' } : request.headers;
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
export const longBodies: readonly Fault[] = contractOperations.filter(hasBody).flatMap((operation) =>
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

export const rememberedBeginnings: readonly Fault[] = contractOperations.filter(hasBody).map((operation) => ({
  id: `${slugOf(operation)}-signature-remembered-with-beginning`,
  title: `Does not verify a signature again that it has verified for a body with the same first 64 KiB in ${operation.name}.`,
  breaks: 'auth.signature.body',
  caughtBy: idOfRule({ name: 'long-body' }, operation),
  make: only(operation, alsoTaking(rememberingBeginnings())),
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
export const reSerialised: readonly Fault[] = contractOperations.filter(hasBody).flatMap((operation) =>
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
