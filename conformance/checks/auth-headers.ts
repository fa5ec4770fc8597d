import { refusalCheck, refusesCreate, refusesQuery } from '../authentication.ts';
import type { Check } from '../check.ts';
import { signatureOf } from '../signing/signature.ts';

/** Requests that lack what authentication needs. */
const missing: readonly Check[] = [
  refusalCheck({
    id: 'auth.unsigned',
    title: 'A request without any of the three headers is refused',
    requirements: ['auth.required'],
    what: 'an unsigned create',
    change: (request) => ({
      ...request,
      headers: { 'X-Api-Key': undefined, 'X-Timestamp': undefined, 'X-Signature': undefined },
    }),
  }),
  refusalCheck(
    {
      id: 'auth.unsigned-query',
      title: 'A query without any of the three headers is refused',
      requirements: ['auth.required'],
      what: 'an unsigned query',
      change: (request) => ({
        ...request,
        headers: { 'X-Api-Key': undefined, 'X-Timestamp': undefined, 'X-Signature': undefined },
      }),
    },
    refusesQuery,
  ),
  ...(
    [
      ['X-Api-Key', 'auth.api-key.required'],
      ['X-Timestamp', 'auth.timestamp.required'],
      ['X-Signature', 'auth.signature.required'],
    ] as const
  ).flatMap(([header, requirement]) => [
    refusalCheck({
      id: `auth.header.${header}.required`,
      title: `A request without ${header} is refused`,
      requirements: [requirement],
      what: `a create without ${header}`,
      change: (request) => ({ ...request, headers: { [header]: undefined } }),
    }),
    refusalCheck({
      id: `auth.header.${header}.empty`,
      title: `A request with an empty ${header} is refused`,
      requirements: [requirement],
      what: `a create with an empty ${header}`,
      change: (request) => ({ ...request, headers: { [header]: '' } }),
    }),
  ]),
];

const keys: readonly Check[] = [
  refusalCheck({
    id: 'auth.api-key.unknown',
    title: 'A request under a key that was never issued is refused',
    requirements: ['auth.api-key.unknown'],
    what: 'a create under an unknown key',
    change: (request) => ({ ...request, headers: { 'X-Api-Key': 'ak_this-key-was-never-issued' } }),
  }),
  {
    id: 'auth.other-merchant.key-and-secret',
    title: "Another merchant's key and secret do not open this merchant's operations",
    level: 'MUST',
    area: 'auth',
    requirements: ['auth.api-key.own-merchant', 'auth.refused-changes-nothing'],
    needs: ['other-merchant'],
    async run(context) {
      const other = await context.otherMerchant();
      await refusesCreate(context, "a create signed with another merchant's key and secret", (request) => ({
        ...request,
        headers: { 'X-Api-Key': other.apiKey },
        sign: (signed) => signatureOf(signed, other.apiSecret),
      }));
      await refusesQuery(context, "a query signed with another merchant's key and secret", (request) => ({
        ...request,
        headers: { 'X-Api-Key': other.apiKey },
        sign: (signed) => signatureOf(signed, other.apiSecret),
      }));
    },
  },
  {
    id: 'auth.other-merchant.secret',
    title: "A signature made with another merchant's secret is refused",
    level: 'MUST',
    area: 'auth',
    requirements: ['auth.signature.algorithm', 'auth.api-key.own-merchant', 'auth.refused-changes-nothing'],
    needs: ['other-merchant'],
    async run(context) {
      const other = await context.otherMerchant();
      await refusesCreate(context, "a create signed with another merchant's secret", (request) => ({
        ...request,
        sign: (signed) => signatureOf(signed, other.apiSecret),
      }));
    },
  },
];

export const authHeaderChecks: readonly Check[] = [...missing, ...keys];
