import { signatureOf } from '../../../wire/signing/signature.ts';
import { type AuthenticationRule, needsKey, type Way } from '../rule.ts';

/** A key that no platform has issued. */
const neverIssued = 'ak_this-key-was-never-issued';

/** Signs with `secret` in the place of the merchant's own. */
const signedWith = (secret: string, words: string, headers?: Record<string, string>): Way => ({
  words,
  change: (request) => ({
    ...request,
    ...(headers && { headers }),
    sign: (signed) => signatureOf(signed, secret),
  }),
});

/** The secrets that a server may fall back to when it finds none. */
const fallbacks: readonly [secret: string, words: string][] = [
  ['', 'nothing'],
  ['undefined', 'the text undefined'],
  ['null', 'the text null'],
];

/** Requests under a wrong key, secret or merchant. */
export const credentialRules: readonly AuthenticationRule[] = [
  {
    name: 'unknown-key',
    words: 'under a key that was never issued',
    requirements: () => ['auth.api-key.unknown'],
    refusal: 'failed-authentication',
    binds: needsKey,
    ways: () => [
      {
        words: "under a key that was never issued, signed with the merchant's secret",
        change: (request) => ({ ...request, headers: { 'X-Api-Key': neverIssued } }),
      },
    ],
  },
  {
    name: 'unknown-key-guessed',
    words: 'under a key that was never issued, signed with a guessed secret',
    requirements: ({ area }) => (area === 'checkout' ? ['auth.required'] : ['auth.api-key.unknown', 'auth.required']),
    refusal: 'failed-authentication',
    ways: () =>
      [...fallbacks, [neverIssued, 'the key itself'] as const].map(([secret, words]) =>
        signedWith(secret, `under a key that was never issued, signed with ${words} as the secret`, {
          'X-Api-Key': neverIssued,
        }),
      ),
  },
  {
    name: 'guessed-secret',
    words: 'signed with the key, the merchantId or nothing as the secret',
    requirements: () => ['auth.signature.algorithm'],
    refusal: 'failed-signature',
    ways: ({ merchant: { apiKey, merchantId } }) =>
      [[apiKey, 'the key'] as const, [merchantId, 'the merchantId'] as const, ...fallbacks].map(([secret, words]) =>
        signedWith(secret, `signed with ${words} as the secret`),
      ),
  },
  {
    name: 'other-merchant',
    words: "under another merchant's key and secret",
    requirements: () => ['auth.api-key.own-merchant'],
    refusal: 'failed-authentication',
    needsOther: true,
    ways: async ({ context }) => {
      const { apiKey, apiSecret } = await context.merchant('other');
      return [signedWith(apiSecret, "under another merchant's key and secret", { 'X-Api-Key': apiKey })];
    },
  },
  {
    name: 'other-secret',
    words: "signed with another merchant's secret",
    requirements: () => ['auth.api-key.own-merchant', 'auth.signature.algorithm'],
    refusal: 'failed-signature',
    needsOther: true,
    ways: async ({ context }) => {
      const { apiSecret } = await context.merchant('other');
      return [signedWith(apiSecret, "signed with another merchant's secret")];
    },
  },
  {
    name: 'other-key',
    words: "under another merchant's key",
    requirements: () => ['auth.api-key.own-merchant'],
    refusal: 'failed-authentication',
    binds: needsKey,
    needsOther: true,
    ways: async ({ context }) => {
      const { apiKey } = await context.merchant('other');
      return [
        {
          words: "under another merchant's key, signed with the secret of the merchant in the path",
          change: (request) => ({ ...request, headers: { 'X-Api-Key': apiKey } }),
        },
      ];
    },
  },
  {
    name: 'unknown-merchant',
    words: 'for a merchant that does not exist',
    requirements: ({ area }) => [`${area}.errors.unknown-merchant`],
    refusal: 'unrelated',
    ways: () => {
      const elsewhere = (path: string) => path.replace(/(?<=\/merchants\/)[^/]+/, (id) => `${id}-unknown`);
      const words = 'for a merchant that does not exist';
      return [
        { words, change: (request) => ({ ...request, path: elsewhere(request.path) }) },
        ...fallbacks.slice(0, 1).map(([secret, named]): Way => {
          const way = signedWith(secret, `${words}, signed with ${named} as the secret`, { 'X-Api-Key': neverIssued });
          return {
            ...way,
            change: (request, accepted) => way.change({ ...request, path: elsewhere(request.path) }, accepted),
          };
        }),
      ];
    },
  },
];
