import { isObject } from '../../../contract/json.ts';
import { signatureOf } from '../../../wire/signing/signature.ts';
import type { SignedRequest } from '../../requests/signed-client.ts';
import { escapedBody, outerForms, outerFormsOfBodies, spacedBody } from '../as-sent.ts';
import { changedOnceSigned, inEachForm, signedAs, signedAsAccepted, type ToSign } from '../otherwise-signed.ts';
import { type AuthenticationRule, hasBody, type Way } from '../rule.ts';

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

/** How many bytes a long body has: more than the first part of a body that a server holds in its memory, mostly 8 or 16 kB. */
const longBody = 20_000;

/** More bytes than 16 bits count, and than a server may write to a file and not look at again; less than the 100 KiB that many readers take. */
const veryLongBody = 100_000;

/** How many bytes of a body a server may hold that does not look at the others: the sizes of common buffers. */
const bufferSizes = [4096, 8192, 16_384, 32_768, 65_535, 65_536];

/** How many bytes of a body a target may hold that takes longer ones: common limits of readers, and rounder numbers beside them. */
const limitsOfReaders: readonly (readonly [length: number, sizes: readonly number[]])[] = [
  [120_000, [100_000, 102_400]],
  [300_000, [131_072, 200_000, 250_000, 256_000, 262_144]],
];

/** White space of JSON: a line of text often has some of it at its end, and who reads it as a line drops that. */
const whiteSpace: readonly (readonly [words: string, text: string])[] = [
  ['a line feed', '\n'],
  ['a carriage return and a line feed', '\r\n'],
  ['a tab', '\t'],
];

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

/** The request with more text around its body. */
const withAround = (request: SignedRequest, before: string, behind: string): SignedRequest => ({
  ...request,
  body: Buffer.concat([bytesOf(before), request.body ?? Buffer.alloc(0), bytesOf(behind)]),
});

const withMoreBody = (request: SignedRequest): SignedRequest => withAround(request, '', ' ');

/** The request with CR LF for each line feed of its body. */
const withOtherLineEnds = (request: SignedRequest): SignedRequest => ({
  ...request,
  body: bytesOf(
    Buffer.from(request.body ?? [])
      .toString('utf8')
      .replaceAll('\n', '\r\n'),
  ),
});

/** Requests whose body is not the one that was signed. */
export const bodyRules: readonly AuthenticationRule[] = [
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
        ...changedOnceSigned('with a byte order mark before its body, which was not signed', (request) =>
          withAround(request, '\ufeff', ''),
        ),
        // It may be found to be no JSON before.
        otherRefusals: true,
      },
      {
        ...changedOnceSigned('with a byte of zero behind its body, which was not signed', (request) =>
          withAround(request, '', '\0'),
        ),
        otherRefusals: true,
      },
      ...whiteSpace.map(([words, text]) =>
        changedOnceSigned(`with ${words} behind its body, which was not signed`, (request) =>
          withAround(request, '', text),
        ),
      ),
      ...inEachForm(
        [...outerForms, ...outerFormsOfBodies],
        changedOnceSigned('with a line feed behind its body, which was not signed', (request) =>
          withAround(request, '', '\n'),
        ),
      ),
      changedOnceSigned('with a line feed before its body, which was not signed', (request) =>
        withAround(request, '\n', ''),
      ),
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
      ...limitsOfReaders.flatMap(([length, sizes]) =>
        sizes.map(
          (size): Way => ({
            words: `whose body has more than ${length} bytes, signed over the first ${size} of them`,
            change: (request) => ({
              ...withLongBody(request, length),
              sign: (signed, secret) => signatureOf({ ...signed, body: signed.body?.subarray(0, size) }, secret),
            }),
            mayHangUp: true,
          }),
        ),
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
      ...inEachForm(
        outerFormsOfBodies,
        signedAs('signed over its body as it would be written again', (signed) => ({
          ...signed,
          body: bytesOf(JSON.stringify(jsonOf(signed))),
        })),
      ),
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
];
