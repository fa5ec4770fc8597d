import { createHmac } from 'node:crypto';
import { explainSignature, signatureOf } from '../../wire/signing/signature.ts';
import type { SignedRequest } from '../requests/signed-client.ts';
import type { OuterForm } from './as-sent.ts';
import type { RequestChange, Way } from './rule.ts';

/** What a signature is made of. */
export type ToSign = Parameters<typeof signatureOf>[0];

/** Signs another text than that of the request. */
export const signedAs = (words: string, instead: (signed: ToSign) => ToSign): Way => ({
  words,
  change: (request) => ({ ...request, sign: (signed, secret) => signatureOf(instead(signed), secret) }),
});

/** Signs a text that has every part of the signature string but one, counted from 0. */
export const signedWithout = (part: string, index: number): Way =>
  signedOver(`signed without its ${part}`, (components) => components.toSpliced(index, 1));

/** A signature over other components of the signature string. */
export const signedOver = (words: string, change: (components: readonly string[]) => readonly string[]): Way => ({
  words,
  change: (request) => ({
    ...request,
    sign: (signed, secret) => {
      const text = change(explainSignature(signed, secret).components).join('\n');
      return createHmac('sha256', secret).update(text).digest('base64');
    },
  }),
});

/**
 * Sends another request with the timestamp and the signature of one that was accepted before: a target that remembers the signatures that
 * it has verified must remember what they were made for.
 */
export const signedAsAccepted = (words: string, change: RequestChange): Way => ({
  words: `${words}, with the signature of a request that was accepted before`,
  change: (request, accepted) => ({
    ...change(request, accepted),
    // A timestamp outside of the headers would move on when the request has to wait.
    headers: { 'X-Timestamp': accepted.timestamp, 'X-Signature': accepted.signature },
  }),
});

/** Changes a request once it is signed: a target that puts in order what it gets before it verifies takes it for the signed one. */
export const changedOnceSigned = (
  words: string,
  change: (request: SignedRequest) => SignedRequest,
  prepare: (request: SignedRequest) => SignedRequest = (request) => request,
): Way => ({
  words,
  change: (right) => {
    const request = prepare(right);
    const sent = change(request);
    return {
      ...sent,
      sign: (signed, secret) => {
        const path = `${signed.path.slice(0, signed.path.length - sent.path.length)}${request.path}`;
        return signatureOf({ ...signed, path, query: request.query, body: request.body }, secret);
      },
    };
  },
});

/** Breaks a rule in the way that is given in each of these forms of the request, too. */
export const inEachForm = (forms: readonly OuterForm[], { words, change, ...way }: Way): Way[] =>
  forms.map((form) => ({
    ...way,
    ...(form.otherRefusals && { otherRefusals: true }),
    words: `${words}, ${form.words}`,
    change: (request, accepted) => form.change(change(request, accepted)),
  }));
