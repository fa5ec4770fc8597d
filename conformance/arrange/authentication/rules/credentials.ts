import { signatureOf } from '../../../wire/signing/signature.ts';
import type { SignedRequest } from '../../requests/signed-client.ts';
import { type AuthenticationRule, needsKey, type Way } from '../rule.ts';
import { swapCase } from '../swap-case.ts';

/** A key that no platform has issued. */
const neverIssued = 'ak_this-key-was-never-issued';

/** Signs with `secret` in the place of the merchant's own. */
const signedWith = (secret: string, words: string, headers?: Record<string, string | undefined>): Way => ({
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

/** Sends another key, and signs with the merchant's own secret. */
const withKey = (key: string, words: string): Way => ({
  words,
  change: (request) => ({ ...request, headers: { 'X-Api-Key': key } }),
});

/** Marks that a target may drop where it takes the key out of what the header says. */
const marksBehindKeys = ['.', ';', ':', '=', '/', '-', '_', "'"] as const;

/** Texts that stand for any key of this length, or for the merchant's key among others, in the languages of patterns. */
const patternsOf = (apiKey: string): readonly [key: string, words: string][] => [
  ['.*', 'the regular expression .* as the key'],
  ['.+', 'the regular expression .+ as the key'],
  ['^', 'the regular expression ^ as the key'],
  [`^${apiKey}$`, "the merchant's key as a regular expression between ^ and $"],
  [`${apiKey.slice(0, -1)}.`, "the merchant's key with a full stop for its last character"],
  ['*', 'an asterisk as the key'],
  [`${apiKey.slice(0, -1)}*`, "the merchant's key with an asterisk for its last character"],
  ['?'.repeat(apiKey.length), 'a question mark for each character of the key'],
];

/** The texts that are not `own`: one without letters is the same in the other case. */
const othersThan = (own: string, ...texts: readonly string[]) => texts.filter((text) => text !== own);

/** The request for another merchant than that of its path. `change` gets the id as the path has it. */
const forMerchant = (request: SignedRequest, change: (id: string) => string): SignedRequest => ({
  ...request,
  path: request.path.replace(/(?<=\/merchants\/)[^/]+/, change),
});

/** Requests under a wrong key, secret or merchant. */
export const credentialRules: readonly AuthenticationRule[] = [
  {
    name: 'unknown-key',
    words: 'under a key that was never issued',
    requirements: () => ['auth.api-key.unknown'],
    refusal: 'failed-authentication',
    binds: needsKey,
    ways: ({ merchant: { apiKey } }) => [
      withKey(neverIssued, "under a key that was never issued, signed with the merchant's secret"),
      ...othersThan(apiKey, swapCase(apiKey)).map((key) =>
        withKey(key, "under the merchant's key with its letters in the other case"),
      ),
      // A column that is too short, or a search for how a key begins, finds the merchant by these.
      withKey(`${apiKey}x`, "under the merchant's key with one more character"),
      withKey(apiKey.slice(0, -1), "under the merchant's key without its last character"),
      ...othersThan(apiKey, `${apiKey.slice(0, -1)}%`, `${apiKey.slice(0, -1)}_`, '%').map((key) =>
        withKey(key, "under the merchant's key with a wildcard of SQL in it"),
      ),
      ...patternsOf(apiKey)
        .filter(([key]) => key !== apiKey)
        .map(([key, words]) => withKey(key, `with ${words}`)),
      withKey(apiKey.slice(1), "under the merchant's key without its first character"),
      ...marksBehindKeys.map((mark) => withKey(`${apiKey}${mark}`, `under the merchant's key with ${mark} behind it`)),
      withKey(`.${apiKey}`, "under the merchant's key with . in front of it"),
      // Forms of other headers that carry credentials.
      withKey(`Bearer ${apiKey}`, "under the merchant's key with Bearer in front of it"),
      withKey(`"${apiKey}"`, "under the merchant's key in quotation marks"),
      withKey(`${apiKey},${neverIssued}`, "under the merchant's key with another one behind a comma"),
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
    underTakenId: true,
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
    underTakenId: true,
    ways: async ({ context, operation }) => {
      const { apiSecret } = await context.merchant('other');
      const words = "signed with another merchant's secret";
      // Without a key, a target has to look for the secret: it may look among those of all merchants.
      const keyless = signedWith(apiSecret, `${words}, without X-Api-Key`, { 'X-Api-Key': undefined });
      return [signedWith(apiSecret, words), ...(needsKey(operation) ? [] : [keyless])];
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
    ways: ({ merchant: { merchantId } }) => {
      const elsewhere = (request: SignedRequest) => forMerchant(request, (id) => `${id}-unknown`);
      const words = 'for a merchant that does not exist';
      return [
        { words, change: elsewhere },
        ...fallbacks.slice(0, 1).map(([secret, named]): Way => {
          const way = signedWith(secret, `${words}, signed with ${named} as the secret`, { 'X-Api-Key': neverIssued });
          return { ...way, change: (request, accepted) => way.change(elsewhere(request), accepted) };
        }),
        // An id whose letters are all of one case may be found in either (open point platform-ids).
        ...[swapCase(merchantId)]
          .filter(() => /[a-z]/.test(merchantId) && /[A-Z]/.test(merchantId))
          .map(
            (id): Way => ({
              words: 'for a merchantId with its letters in the other case',
              change: (request) => forMerchant(request, () => encodeURIComponent(id)),
            }),
          ),
        {
          words: 'for a merchantId with an escaped blank behind it',
          change: (request) => forMerchant(request, (id) => `${id}%20`),
        },
      ];
    },
  },
];
