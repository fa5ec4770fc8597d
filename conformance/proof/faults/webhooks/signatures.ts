import type { WebhookRequest } from '../../../../server/services/delivery/deliver.ts';
import { decoded } from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { eventOf, isOfCheckout, isOfRefund, resigning, type SigningOf } from '../../stand/webhook-changes.ts';

/** A kind of things that webhooks tell of, and the first words of the ids of the checks about their signatures. */
interface Kind {
  name: 'order' | 'checkout-order' | 'refund';
  noun: string;
  prefix: string;
  has(webhook: WebhookRequest): boolean;
}

const kinds: readonly Kind[] = [
  {
    name: 'order',
    noun: 'hosted orders',
    prefix: 'webhooks',
    has: (webhook) => !isOfRefund(webhook) && !isOfCheckout(webhook),
  },
  { name: 'checkout-order', noun: 'checkout orders', prefix: 'webhooks.checkout-order', has: isOfCheckout },
  { name: 'refund', noun: 'refunds', prefix: 'webhooks.refund', has: isOfRefund },
];

const pathOf = (url: string) => new URL(url).pathname;

/** What a server signs in the place of the path by which it calls an address. */
const paths: readonly { id: string; words: string; pathOf(url: string): string; only?: Kind['name'] }[] = [
  { id: 'decoded-path', words: 'the decoded path of the address', pathOf: (url) => decoded(pathOf(url)) },
  {
    id: 'path-without-needless-escapes',
    words: 'a path in which escapes are undone that need not be there',
    pathOf: (url) => pathOf(url).replace(/%(53|7e)/gi, decoded),
    only: 'order',
  },
  {
    id: 'path-with-capital-escapes',
    words: 'a path whose escapes have capital letters',
    pathOf: (url) => pathOf(url).replace(/%[0-9a-f]{2}/gi, (each) => each.toUpperCase()),
    only: 'checkout-order',
  },
  {
    id: 'path-with-small-escapes',
    words: 'a path whose escapes have small letters',
    pathOf: (url) => pathOf(url).replace(/%[0-9a-f]{2}/gi, (each) => each.toLowerCase()),
    only: 'refund',
  },
  {
    id: 'path-escaped-again',
    words: 'a path whose escapes are escaped again',
    pathOf: (url) => pathOf(url).replaceAll('%', '%25'),
    only: 'checkout-order',
  },
  {
    id: 'path-with-joined-slashes',
    words: 'a path in which slashes side by side are one',
    pathOf: (url) => pathOf(url).replace(/\/+/g, '/'),
    only: 'order',
  },
  {
    id: 'path-without-last-slash',
    words: 'a path without the slash at its end',
    pathOf: (url) => pathOf(url).replace(/(.)\/$/, '$1'),
    only: 'refund',
  },
  {
    id: 'fragment',
    words: 'the path with the fragment of the address',
    pathOf: (url) => `${pathOf(url)}${new URL(url).hash}`,
    only: 'order',
  },
  {
    id: 'no-path-at-the-root',
    words: 'an empty path, where the address has none,',
    pathOf: (url) => (/^[a-z]+:\/\/[^/?#]+$/i.test(url) ? '' : pathOf(url)),
  },
  {
    id: 'no-path-before-a-query',
    words: 'an empty path, where the address has a query and no path,',
    pathOf: (url) => (/^[a-z]+:\/\/[^/?#]+\?/i.test(url) ? '' : pathOf(url)),
    only: 'checkout-order',
  },
];

/** A server that signs webhooks of one kind in its own way. */
const signingThese = ({ has }: Kind, instead: SigningOf): Make =>
  resigning((webhook, own) => (has(webhook) ? instead(webhook, own) : own));

const overAnotherPath: readonly Fault[] = kinds.flatMap((kind) =>
  paths
    .filter(({ only = kind.name }) => only === kind.name)
    .map(({ id, words, pathOf: pathToSign }) => ({
      id: `${kind.name}-events-signed-over-${id}`,
      title: `Signs the events of ${kind.noun} over ${words} in the place of the path that it calls.`,
      breaks: 'webhooks.signed',
      caughtBy: `${kind.prefix}.signed`,
      make: signingThese(kind, ({ url }, own) => ({ ...own, path: pathToSign(url) })),
    })),
);

/** A server that reads the address of an event again before it sends it again, and signs the path that it has read. */
function decodingFurther(kind: Kind): Make {
  const sent = new Set<unknown>();
  return signingThese(kind, (webhook, own) => {
    const { eventId } = eventOf(webhook);
    const isFurther = sent.has(eventId);
    sent.add(eventId);
    return isFurther ? { ...own, path: decoded(own.path) } : own;
  });
}

const furtherAttempts: readonly Fault[] = kinds.map((kind) => ({
  id: `${kind.name}-events-signed-again-over-decoded-path`,
  title: `Signs the events of ${kind.noun} over the decoded path of the address when it sends them again.`,
  breaks: 'webhooks.signed',
  caughtBy: `${kind.prefix}.retry.signed`,
  make: decodingFurther(kind),
}));

/** A server that keeps the secret by which it has first signed for each of these keys. */
function keepingSecrets(kind: Kind, keyOf: (url: string) => string): Make {
  const secrets = new Map<string, string>();
  return signingThese(kind, ({ url }, own) => {
    const secret = secrets.get(keyOf(url)) ?? own.secret;
    secrets.set(keyOf(url), secret);
    return { ...own, secret };
  });
}

/** A server that keeps the secret by which it has first signed for an address, where that is the default one of a merchant. */
function keepingSecretsOfDefaults(): Make {
  const defaults = new Set<unknown>();
  const secrets = new Map<string, string>();
  return resigning(
    ({ url }, own) => {
      if (!defaults.has(url)) return own;
      const secret = secrets.get(url) ?? own.secret;
      secrets.set(url, secret);
      return { ...own, secret };
    },
    (records) => ({
      insertMerchant: (merchant) => {
        defaults.add(merchant.settings.defaultNotifyUrl);
        return records.insertMerchant(merchant);
      },
    }),
  );
}

const byAnotherSecret: readonly Fault[] = kinds.flatMap((kind) =>
  [
    { id: 'address', words: 'the same address', keyOf: (url: string) => url },
    { id: 'host', words: 'an address at the same host', keyOf: (url: string) => new URL(url).host },
  ].map(({ id, words, keyOf }) => ({
    id: `${kind.name}-events-signed-by-the-first-secret-of-the-${id}`,
    title: `Signs the events of ${kind.noun} with the secret of the merchant that was the first to name ${words}.`,
    breaks: 'webhooks.signed',
    caughtBy: `${kind.prefix}.signed`,
    make: keepingSecrets(kind, keyOf),
  })),
);

/** A server that signs every event of a merchant for the address of the first that it has sent. */
function signingForFirstAddress(kind: Kind): Make {
  const first = new Map<string, string>();
  return signingThese(kind, (_webhook, own) => {
    const path = first.get(own.secret) ?? own.path;
    first.set(own.secret, path);
    return { ...own, path };
  });
}

/** A server that signs the results of refunds for another address of theirs. */
function signingForAnotherAddress(which: 'default' | 'order'): Make {
  const elsewhere = new Map<string, string>();
  return resigning(
    ({ url }, own) => {
      const other = elsewhere.get(url);
      return other === undefined ? own : { ...own, path: pathOf(other) };
    },
    (records) => ({
      insertRefund: async (refund) => {
        const merchant = await records.findMerchant(refund.merchantId);
        const order = await records.findOrderById(refund.merchantId, refund.acquiringOrderId);
        const byDefault = merchant?.settings.defaultNotifyUrl;
        const url = refund.request.notifyUrl ?? byDefault;
        const other = which === 'default' ? byDefault : order?.request.callbackUrl;
        if (url !== undefined && other !== undefined) elsewhere.set(url, other);
        return records.insertRefund(refund);
      },
    }),
  );
}

const forAnotherAddress: readonly Fault[] = [
  ...kinds.map(
    (kind): Fault => ({
      id: `${kind.name}-events-signed-for-the-first-address`,
      title: `Signs the events of ${kind.noun} over the path of the first address to which it has sent one of the merchant's.`,
      breaks: 'webhooks.signed',
      caughtBy: `${kind.prefix}.signed`,
      make: signingForFirstAddress(kind),
    }),
  ),
  {
    id: 'refund-events-signed-for-the-default-address',
    title: "Signs the result of a refund that names an address over the path of its merchant's default one.",
    breaks: 'webhooks.signed',
    caughtBy: 'webhooks.refund.signed',
    make: signingForAnotherAddress('default'),
  },
  {
    id: 'refund-events-signed-for-the-address-of-the-order',
    title: "Signs the result of a refund over the path of its order's callbackUrl, where that has one.",
    breaks: 'webhooks.signed',
    caughtBy: 'webhooks.refund.signed',
    make: signingForAnotherAddress('order'),
  },
];

/** Wrong servers that sign webhooks over another path than that of their address, or with another merchant's secret. */
export const webhookSignatureFaults: readonly Fault[] = [
  ...overAnotherPath,
  ...furtherAttempts,
  ...byAnotherSecret,
  {
    id: 'refund-events-signed-by-the-first-secret-of-the-default-address',
    title:
      'Signs the results of refunds with the secret of the first merchant, where several have the same default address.',
    breaks: 'webhooks.signed',
    caughtBy: 'webhooks.refund.signed',
    make: keepingSecretsOfDefaults(),
  },
  ...forAnotherAddress,
];
