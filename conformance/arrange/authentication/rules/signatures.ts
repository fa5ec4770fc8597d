import { signatureOf, wrongSignatureOf } from '../../../wire/signing/signature.ts';
import { outerForms, outerFormsOfBodies } from '../as-sent.ts';
import { inEachForm } from '../otherwise-signed.ts';
import { type AuthenticationRule, hasBody, type Way } from '../rule.ts';
import { swapCase } from '../swap-case.ts';

/** The right signature, written in another way. */
const written = (words: string, write: (signature: string) => string): Way => ({
  words,
  change: (request) => ({ ...request, sign: (signed, secret) => write(signatureOf(signed, secret)) }),
});

/** The signature of the same bytes but for the last bit of one of them, counted from 0. */
const altered = (place: number) => (signature: string) => {
  const bytes = Buffer.from(signature, 'base64');
  return Buffer.from(bytes.map((byte, index) => (index === place ? byte ^ 1 : byte))).toString('base64');
};

/**
 * Bytes by which a target may compare too little: the first; those behind a word and two, and behind what SHA-1 makes; and the last one, whose last
 * bits stand in the last character before the padding.
 */
const telling = [0, 8, 16, 20, 31];

/** A signature of the right form that is none of anything. */
const strange = Buffer.alloc(32).toString('base64');

const otherSecret: Way = {
  words: 'with a signature made with another secret',
  change: (request) => ({ ...request, sign: wrongSignatureOf }),
};

/** Requests whose signature was made in a wrong way from the right signature string, or was changed afterwards. */
export const signatureRules: readonly AuthenticationRule[] = [
  {
    name: 'wrong-signature',
    words: 'with a wrong signature',
    requirements: () => ['auth.signature.algorithm'],
    refusal: 'failed-signature',
    underTakenId: true,
    ways: ({ operation }) => [
      otherSecret,
      ...inEachForm([...outerForms, ...(hasBody(operation) ? outerFormsOfBodies : [])], otherSecret),
      ...telling.map((place) =>
        written(`with one bit of its signature changed, in byte ${place} of 0 to 31`, altered(place)),
      ),
    ],
  },
  {
    // Without its padding alone the signature still encodes the same bytes (open point `signature-text`).
    name: 'signature-cut',
    words: 'with only a part of its signature',
    requirements: () => ['auth.signature.algorithm'],
    refusal: 'malformed-signature',
    ways: () => [
      written('with the first 42 of the 44 characters of its signature', (signature) => signature.slice(0, 42)),
      written('with the first 24 of the 44 characters of its signature', (signature) => signature.slice(0, 24)),
      written('with the first character of its signature', (signature) => signature.slice(0, 1)),
      written('with the last 24 of the 44 characters of its signature', (signature) => signature.slice(-24)),
    ],
  },
  {
    name: 'signature-appended',
    words: 'whose signature is followed by more characters',
    requirements: () => ['auth.signature.algorithm'],
    refusal: 'malformed-signature',
    ways: () => [
      written('whose signature is followed by AAAA', (signature) => `${signature}AAAA`),
      written('whose signature stands there twice', (signature) => signature + signature),
      // A list of signatures is the form of webhooks alone, and of headers that came twice.
      written('whose signature is the first of a list', (signature) => `${signature}, ${strange}`),
      written('whose signature is the last of a list', (signature) => `${strange}, ${signature}`),
      written('whose signature is followed by a blank and more characters', (signature) => `${signature} AAAA`),
    ],
  },
  {
    name: 'signature-case',
    words: 'whose signature has its letters in another case',
    requirements: () => ['auth.signature.algorithm'],
    refusal: 'failed-signature',
    ways: () => [
      written('whose signature has its letters in the other case', swapCase),
      written('whose signature has small letters only', (signature) => signature.toLowerCase()),
    ],
  },
  {
    name: 'signature-hex',
    words: 'whose signature is hexadecimal',
    requirements: () => ['auth.signature.algorithm'],
    refusal: 'malformed-signature',
    mistakes: ['signature-hex'],
  },
  {
    name: 'another-algorithm',
    words: 'signed with another algorithm than HMAC-SHA256 under the secret',
    requirements: () => ['auth.signature.algorithm'],
    refusal: 'malformed-signature',
    mistakes: ['hmac-plain-sha256', 'hmac-secret-appended', 'hmac-sha1', 'hmac-sha512', 'hmac-swapped'],
  },
  {
    name: 'decoded-secret',
    words: 'signed with the bytes that its secret would encode',
    requirements: () => ['auth.signature.algorithm'],
    refusal: 'failed-signature',
    mistakes: ['secret-base64-decoded', 'secret-hex-decoded'],
  },
];
