import { signatureOf, wrongSignatureOf } from '../../../wire/signing/signature.ts';
import type { AuthenticationRule, Way } from '../rule.ts';
import { swapCase } from '../swap-case.ts';

/** The right signature, written in another way. */
const written = (words: string, write: (signature: string) => string): Way => ({
  words,
  change: (request) => ({ ...request, sign: (signed, secret) => write(signatureOf(signed, secret)) }),
});

/** The signature with another character at this place, counted from 0. */
const altered = (place: number) => (signature: string) =>
  signature.slice(0, place) + (signature[place] === 'A' ? 'B' : 'A') + signature.slice(place + 1);

/** Requests whose signature was made in a wrong way from the right signature string, or was changed afterwards. */
export const signatureRules: readonly AuthenticationRule[] = [
  {
    name: 'wrong-signature',
    words: 'with a wrong signature',
    requirements: () => ['auth.signature.algorithm'],
    refusal: 'failed-signature',
    underTakenId: true,
    ways: () => [
      {
        words: 'with a signature made with another secret',
        change: (request) => ({ ...request, sign: wrongSignatureOf }),
      },
      written('with another first character in its signature', altered(0)),
      written('with another character in the middle of its signature', altered(21)),
      // The last character before the padding also has bits that encode nothing.
      written('with another character near the end of its signature', altered(41)),
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
