import { refusalCheck, refuses } from '../../arrange/authentication/refusals.ts';
import { creates, plainQueries } from '../../arrange/operations.ts';
import { createOrder } from '../../arrange/orders/operations.ts';
import { createRefund } from '../../arrange/refunds/operations.ts';
import type { CheckDeclaration } from '../../check/define-checks.ts';
import { signatureOf } from '../../wire/signing/signature.ts';

/** Checkout operations need not look at the key (open point `checkout-api-key`). */
const withKey = [createOrder, createRefund];

/** Requests that lack what authentication needs. */
const missing: readonly CheckDeclaration[] = [
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
  refusalCheck({
    id: 'auth.unsigned-query',
    title: 'A query without any of the three headers is refused',
    requirements: ['auth.required'],
    what: 'an unsigned query',
    change: (request) => ({
      ...request,
      headers: { 'X-Api-Key': undefined, 'X-Timestamp': undefined, 'X-Signature': undefined },
    }),
    operations: plainQueries,
  }),
  ...(
    [
      ['X-Api-Key', 'auth.api-key.required', withKey],
      ['X-Timestamp', 'auth.timestamp.required', creates],
      ['X-Signature', 'auth.signature.required', creates],
    ] as const
  ).flatMap(([header, requirement, operations]) => [
    refusalCheck({
      id: `auth.header.${header}.required`,
      title: `A request without ${header} is refused`,
      requirements: [requirement],
      what: `a create without ${header}`,
      change: (request) => ({ ...request, headers: { [header]: undefined } }),
      operations,
    }),
    refusalCheck({
      id: `auth.header.${header}.empty`,
      title: `A request with an empty ${header} is refused`,
      requirements: [requirement],
      what: `a create with an empty ${header}`,
      change: (request) => ({ ...request, headers: { [header]: '' } }),
      operations,
    }),
  ]),
];

const keys: readonly CheckDeclaration[] = [
  refusalCheck({
    id: 'auth.api-key.unknown',
    title: 'A request under a key that was never issued is refused',
    requirements: ['auth.api-key.unknown'],
    what: 'a create under an unknown key',
    change: (request) => ({ ...request, headers: { 'X-Api-Key': 'ak_this-key-was-never-issued' } }),
    operations: withKey,
  }),
  {
    id: 'auth.other-merchant.key-and-secret',
    title: "Another merchant's key and secret do not open this merchant's operations",
    calls: creates.map(({ area }) => area),
    requirements: ['auth.api-key.own-merchant', 'auth.refused-changes-nothing'],
    needs: ['other-merchant'],
    async run(context) {
      const other = await context.merchant('other');
      await refuses(context, creates, "a create signed with another merchant's key and secret", (request) => ({
        ...request,
        headers: { 'X-Api-Key': other.apiKey },
        sign: (signed) => signatureOf(signed, other.apiSecret),
      }));
      await refuses(context, plainQueries, "a query signed with another merchant's key and secret", (request) => ({
        ...request,
        headers: { 'X-Api-Key': other.apiKey },
        sign: (signed) => signatureOf(signed, other.apiSecret),
      }));
    },
  },
  {
    id: 'auth.other-merchant.secret',
    title: "A signature made with another merchant's secret is refused",
    calls: creates.map(({ area }) => area),
    requirements: ['auth.signature.algorithm', 'auth.api-key.own-merchant', 'auth.refused-changes-nothing'],
    needs: ['other-merchant'],
    async run(context) {
      const other = await context.merchant('other');
      await refuses(context, creates, "a create signed with another merchant's secret", (request) => ({
        ...request,
        sign: (signed) => signatureOf(signed, other.apiSecret),
      }));
    },
  },
];

export const authHeaderChecks: readonly CheckDeclaration[] = [...missing, ...keys];
