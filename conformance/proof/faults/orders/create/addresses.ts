import { hasText, readingCreates, refusingCreates } from '../../../stand/changes.ts';
import type { Fault } from '../../../stand/fault.ts';

/** Wrong servers that take addresses in a create that are none, or refuse right ones. */
export const orderCreateAddressFaults: readonly Fault[] = [
  {
    id: 'callback-url-of-http-with-port-taken',
    title: 'Takes a callbackUrl of http in hosted orders where it has a port.',
    breaks: 'orders.create.callback-url.https',
    caughtBy: 'orders.create.callbackUrl.pattern',
    make: {
      merchantApi: readingCreates((body) =>
        hasText('callbackUrl', (url) => /^http:\/\/[^/@]+:\d+/.test(url))(body)
          ? { ...body, callbackUrl: String(body.callbackUrl).replace('http:', 'https:') }
          : body,
      ),
    },
  },
  ...(
    [
      ['without-slashes', 'has no slashes before its host', /^https:\/?[^/]/, 'https://'],
      ['without-host', 'has a port or a user, and no host', /^https:\/\/(:\d+|[^/@:]+@)(?=\/)/, 'https://shop.example'],
      ['of-nothing', 'is empty', /^$/, 'https://shop.example/'],
      ['of-http-on-443', 'is of http with the port of https', /^http:\/\/(?=[^/]+:443\/)/, 'https://'],
    ] as const
  ).map(
    ([name, words, form, instead]): Fault => ({
      id: `callback-url-${name}-taken`,
      title: `Takes a callbackUrl in hosted orders that ${words}.`,
      breaks: 'orders.create.callback-url.https',
      caughtBy: 'orders.create.callbackUrl.pattern',
      make: {
        merchantApi: readingCreates((body) =>
          hasText('callbackUrl', (url) => form.test(url))(body)
            ? { ...body, callbackUrl: String(body.callbackUrl).replace(form, instead) }
            : body,
        ),
      },
    }),
  ),
  {
    id: 'callback-url-that-is-the-return-url-refused',
    title: 'Wants other addresses for webhooks of hosted orders than those to which their customers return.',
    breaks: 'orders.create.optional-fields',
    caughtBy: 'orders.create.address-forms',
    make: {
      merchantApi: refusingCreates(
        ({ callbackUrl, returnUrl }) => callbackUrl !== undefined && callbackUrl === returnUrl,
      ),
    },
  },
];
