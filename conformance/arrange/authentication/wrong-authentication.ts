import { limit, type RequirementId } from '../../../generated/catalogue.ts';
import type { CheckContext } from '../../check/context.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { signatureOf } from '../../wire/signing/signature.ts';
import type { RequestChange } from './refusals.ts';

/** How far outside of the time window a request is sent, in milliseconds. */
const outside = limit('auth.timestamp.window', 'max') + 10_000;

/** Something about a request that must not be accepted. */
export interface WrongAuthentication {
  name: string;
  /** What it is, as words behind the name of the operation. */
  words: string;
  requirement: RequirementId;
  change(context: CheckContext, other: Credentials | undefined): RequestChange;
  /** It needs another merchant's credentials. */
  ofOther?: true;
  /** It is about a body. */
  ofBody?: true;
  /** It is about a query string. */
  ofQuery?: true;
  /** The signature itself is wrong, whatever else is. */
  ofSignature?: true;
}

/** Every way in which the authentication of a request can fail, each of them alone. */
export const wrongAuthentication: readonly WrongAuthentication[] = [
  {
    name: 'unsigned',
    words: 'without any of the three headers',
    requirement: 'auth.required',
    change: () => (request) => ({
      ...request,
      headers: { 'X-Api-Key': undefined, 'X-Timestamp': undefined, 'X-Signature': undefined },
    }),
  },
  {
    name: 'wrong-signature',
    words: 'with a wrong signature',
    requirement: 'auth.signature.algorithm',
    ofSignature: true,
    change: () => (request) => ({ ...request, sign: (signed, secret) => signatureOf(signed, `${secret}x`) }),
  },
  {
    name: 'another-path',
    words: 'signed for another path',
    requirement: 'auth.signature.path',
    ofSignature: true,
    change: () => (request) => ({
      ...request,
      sign: (signed, secret) => signatureOf({ ...signed, path: `${signed.path}x` }, secret),
    }),
  },
  {
    name: 'another-timestamp',
    words: 'signed for another time than X-Timestamp says',
    requirement: 'auth.timestamp.signed',
    ofSignature: true,
    change: () => (request) => ({
      ...request,
      sign: (signed, secret) => signatureOf({ ...signed, timestamp: String(Number(signed.timestamp) - 1) }, secret),
    }),
  },
  {
    name: 'another-body',
    words: 'whose body has one more space than was signed',
    requirement: 'auth.signature.body',
    ofSignature: true,
    ofBody: true,
    change: () => (request) => ({
      ...request,
      body: Buffer.concat([request.body ?? Buffer.alloc(0), Buffer.from(' ')]),
      sign: (signed, secret) => signatureOf({ ...signed, body: request.body }, secret),
    }),
  },
  {
    name: 'another-query',
    words: 'whose query has one more parameter than was signed',
    requirement: 'auth.signature.query',
    ofSignature: true,
    ofQuery: true,
    change: () => (request) => ({
      ...request,
      query: `${request.query ?? ''}&assay=1`,
      sign: (signed, secret) => signatureOf({ ...signed, query: request.query }, secret),
    }),
  },
  {
    name: 'query-unsigned',
    words: 'signed without its query',
    requirement: 'auth.signature.query',
    ofSignature: true,
    ofQuery: true,
    change: () => (request) => ({
      ...request,
      sign: (signed, secret) => signatureOf({ ...signed, query: undefined }, secret),
    }),
  },
  {
    name: 'too-old',
    words: 'signed more than five minutes ago',
    requirement: 'auth.timestamp.window',
    change: (context) => (request) => ({ ...request, timestamp: String(context.now() - outside) }),
  },
  {
    name: 'too-early',
    words: 'signed for a time more than five minutes ahead',
    requirement: 'auth.timestamp.window',
    change: (context) => (request) => ({ ...request, timestamp: String(context.now() + outside) }),
  },
  {
    name: 'other-merchant',
    words: "under another merchant's key and secret",
    requirement: 'auth.api-key.own-merchant',
    ofOther: true,
    change: (_, other) => (request) => ({
      ...request,
      ...(other && {
        headers: { 'X-Api-Key': other.apiKey },
        sign: (signed) => signatureOf(signed, other.apiSecret),
      }),
    }),
  },
  {
    name: 'other-secret',
    words: "signed with another merchant's secret",
    requirement: 'auth.api-key.own-merchant',
    ofSignature: true,
    ofOther: true,
    change: (_, other) => (request) => ({
      ...request,
      ...(other && { sign: (signed) => signatureOf(signed, other.apiSecret) }),
    }),
  },
];
