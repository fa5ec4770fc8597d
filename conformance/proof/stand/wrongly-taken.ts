import type { RequirementId } from '../../../generated/catalogue.ts';
import { type alsoTaking, isRightlySigned, isSignedWith } from './changes.ts';
import { type ProxyRequest, splitTarget } from './proxy.ts';

type Takes = Parameters<typeof alsoTaking>[0];

const timestampOf = ({ headers }: ProxyRequest) => Number(headers['x-timestamp']);
const isOld = (request: ProxyRequest) => Date.now() - timestampOf(request) > 0;

/** Wrong requests that a server accepts: the check that finds it, their fault in words, and the requirement that is broken. */
export const wronglyTaken: readonly [check: string, title: string, breaks: RequirementId, takes: Takes][] = [
  [
    'unsigned',
    'without any of the three headers',
    'auth.required',
    ({ headers }) => ['x-api-key', 'x-timestamp', 'x-signature'].every((name) => headers[name] === undefined),
  ],
  [
    'wrong-signature',
    'with any signature of the right length',
    'auth.signature.algorithm',
    ({ headers }) => headers['x-signature']?.length === 44,
  ],
  [
    'another-path',
    'whose signature was made for a path that is longer at its end',
    'auth.signature.path',
    (request, { apiSecret }) => isSignedWith(request, apiSecret, { path: `${splitTarget(request.target).path}x` }),
  ],
  [
    'another-timestamp',
    'whose signature was made for nearly the same time',
    'auth.timestamp.signed',
    (request, { apiSecret }) =>
      [-2, -1, 1, 2].some((off) => isSignedWith(request, apiSecret, { timestamp: String(timestampOf(request) + off) })),
  ],
  [
    'too-old',
    'of any age',
    'auth.timestamp.window',
    (request, _, server) => isOld(request) && isRightlySigned(request, server),
  ],
  [
    'too-early',
    'from any time to come',
    'auth.timestamp.window',
    (request, _, server) => !isOld(request) && isRightlySigned(request, server),
  ],
  [
    'other-merchant',
    "under any merchant's key and secret",
    'auth.api-key.own-merchant',
    (request, _, server) => isRightlySigned(request, server),
  ],
  [
    'other-secret',
    'whose signature was made with the secret of any merchant',
    'auth.api-key.own-merchant',
    (request, _, server) => [...server.merchants()].some(({ apiSecret }) => isSignedWith(request, apiSecret)),
  ],
];
