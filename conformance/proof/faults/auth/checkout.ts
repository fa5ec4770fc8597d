import {
  alsoTaking,
  bodyOf,
  isAuthFailure,
  isCheckout,
  isOf,
  isSignedWith,
  jsonAnswer,
  merchantIdOf,
  onlyFor,
  refusing,
} from '../../stand/changes.ts';
import type { Fault, Make } from '../../stand/fault.ts';
import { emptySuccess } from '../../stand/order-changes.ts';
import { type Handler, signed } from '../../stand/proxy.ts';

const isCreate = isOf('checkout.create');

/** A server that refuses a checkout create, but carries it out. */
const doingWhatItRefuses: Handler = async (request, server) => {
  const answer = await server.forward(request);
  const merchant = server.merchant(merchantIdOf(request));
  if (merchant && isAuthFailure(bodyOf(answer)?.code)) await server.forward(signed(request, merchant));
  return answer;
};

/** A server that treats a merchant without API Checkout in its own way. */
const admitting = (operation: string, instead: Parameters<typeof refusing>[0]): Make => ({
  merchantApi: onlyFor(
    isOf(`checkout.${operation}`),
    refusing((envelope, request) => (envelope.code === '50010' ? instead(envelope, request) : envelope)),
  ),
});

/** Wrong servers of the authentication of checkout operations, beside those of each rule. */
export const checkoutAuthFaults: readonly Fault[] = [
  {
    id: 'wrongly-signed-checkout-create-done',
    title: 'Says that the signature of a checkout create is wrong, and makes the order.',
    breaks: 'auth.refused-changes-nothing',
    caughtBy: 'auth.checkout.create.wrong-signature',
    make: { merchantApi: onlyFor(isCreate, doingWhatItRefuses) },
  },
  {
    id: 'late-checkout-create-done',
    title: 'Says that a checkout create is too old, and makes the order.',
    breaks: 'auth.refused-changes-nothing',
    caughtBy: 'auth.checkout.create.too-old',
    make: { merchantApi: onlyFor(isCreate, doingWhatItRefuses) },
  },
  {
    id: 'keyless-checkout-under-any-secret',
    title: 'Takes a checkout create without X-Api-Key if the secret of any merchant fits its signature.',
    breaks: 'auth.api-key.own-merchant',
    caughtBy: 'auth.checkout.create.other-secret',
    make: {
      merchantApi: alsoTaking(
        (request, _, server) =>
          isCreate(request) &&
          request.headers['x-api-key'] === undefined &&
          [...server.merchants()].some(({ apiSecret }) => isSignedWith(request, apiSecret)),
      ),
    },
  },
  {
    id: 'keyless-checkout-at-any-time',
    title: 'Does not look at the time of a checkout query without X-Api-Key.',
    breaks: 'auth.timestamp.window',
    caughtBy: 'auth.checkout.query.too-old',
    make: {
      merchantApi: alsoTaking(
        (request, { apiSecret }) =>
          isOf('checkout.query')(request) &&
          request.headers['x-api-key'] === undefined &&
          isSignedWith(request, apiSecret),
      ),
    },
  },
  {
    id: 'checkout-open-to-all-merchants',
    title: 'Lets every merchant use API Checkout.',
    breaks: 'auth.checkout-enabled',
    caughtBy: 'auth.checkout.create.not-enabled',
    make: {
      control: onlyFor(
        ({ method }) => method === 'POST',
        (request, server) => {
          const { checkoutEnabled: _ignored, ...settings } = bodyOf(request) ?? {};
          return server.forward({ ...request, body: Buffer.from(JSON.stringify(settings)) });
        },
      ),
    },
  },
  {
    id: 'disabled-merchant-has-no-methods',
    title: 'Shows a merchant without API Checkout an empty list of payment methods.',
    breaks: 'auth.checkout-enabled',
    caughtBy: 'auth.checkout.payment-methods.not-enabled',
    make: admitting('payment-methods', (_, request) => ({
      ...emptySuccess,
      data: { merchantId: merchantIdOf(request), paymentMethods: [] },
    })),
  },
  {
    id: 'disabled-merchant-served-on-escaped-path',
    title: 'Answers a merchant without API Checkout as one without orders, where the path has an escape.',
    breaks: 'auth.checkout-enabled',
    caughtBy: 'auth.checkout.query.not-enabled',
    make: admitting('query', (envelope, request) =>
      request.target.includes('%') ? { ...envelope, code: '40001' } : envelope,
    ),
  },
  {
    id: 'disabled-merchant-unconfigured',
    title: 'Answers the checkout create of a merchant without API Checkout as one without payment methods.',
    breaks: 'auth.checkout-enabled',
    caughtBy: 'auth.checkout.create.not-enabled',
    make: admitting('create', (envelope) => ({ ...envelope, code: '10011' })),
  },
  {
    id: 'disabled-merchant-has-no-orders',
    title: 'Looks for the checkout order of a merchant without API Checkout, and finds none.',
    breaks: 'auth.checkout-enabled',
    caughtBy: 'auth.checkout.query.not-enabled',
    make: admitting('query', (envelope) => ({ ...envelope, code: '40001' })),
  },
  {
    id: 'disabled-merchant-forbidden',
    title: 'Answers a merchant without API Checkout with HTTP 403 and no code.',
    breaks: 'auth.checkout-enabled',
    caughtBy: 'auth.checkout.payment-methods.not-enabled',
    make: {
      merchantApi: onlyFor(isCheckout, async (request, server) => {
        const answer = await server.forward(request);
        return bodyOf(answer)?.code === '50010' ? jsonAnswer({ error: 'forbidden' }, 403) : answer;
      }),
    },
  },
];
