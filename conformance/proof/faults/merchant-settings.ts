import { isObject, type JsonObject } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import { ageOf } from '../stand/auth-changes.ts';
import {
  alsoTaking,
  bodyOf,
  isOf,
  isRightlySigned,
  jsonAnswer,
  merchantIdOf,
  onlyFor,
  showing,
} from '../stand/changes.ts';
import type { Fault, Make } from '../stand/fault.ts';
import type { Handler } from '../stand/proxy.ts';

// Servers that break a rule for merchants of one setting alone, where the rule has nothing to do with that setting.

/** A server that does otherwise for the merchants that were made with settings of which `test` is true. */
export function forMerchantsWith(
  test: (settings: JsonObject) => boolean,
  otherwise: (isMeant: (merchantId: unknown) => boolean) => Handler,
): Make {
  const meant = new Set<unknown>();
  return {
    control: async (request, server) => {
      const answer = await server.forward(request);
      if (test(bodyOf(request) ?? {})) meant.add(bodyOf(answer)?.merchantId);
      return answer;
    },
    merchantApi: otherwise((merchantId) => meant.has(merchantId)),
  };
}

/** A server that takes requests to an operation of any age from such merchants. */
const takingOld = (operation: string, test: (settings: JsonObject) => boolean): Make =>
  forMerchantsWith(test, (isMeant) =>
    onlyFor(
      isOf(operation),
      alsoTaking(
        (request, { merchantId }, server) =>
          isMeant(merchantId) && ageOf(request) > 0 && isRightlySigned(request, server),
      ),
    ),
  );

const hasOwnMethods = ({ paymentMethods }: JsonObject): boolean => Array.isArray(paymentMethods);

/** Wrong servers whose fault shows with merchants of one setting only. */
export const merchantSettingFaults: readonly Fault[] = [
  {
    id: 'hosted-payment-hidden-from-merchant-with-own-methods',
    title: 'Shows no cryptoPaymentDetail of a paid hosted order whose merchant has payment methods of its own.',
    breaks: 'orders.view.paid-fields',
    caughtBy: 'orders.query.presence.status',
    feeds: ['orders.situations.converted'],
    make: forMerchantsWith(hasOwnMethods, (isMeant) =>
      onlyFor(
        isOf('orders.query'),
        showing((view) => (isMeant(view.merchantId) ? { ...view, cryptoPaymentDetail: null } : view)),
      ),
    ),
  },
  {
    id: 'old-create-taken-of-rate-limited-merchant',
    title: 'Takes a create of a hosted order of any age where the merchant has a limit on its refund requests.',
    breaks: 'auth.timestamp.window',
    caughtBy: 'auth.orders.create.too-old',
    make: takingOld('orders.create', ({ rateLimit }) => isObject(rateLimit)),
  },
  {
    id: 'old-checkout-query-taken-of-automatic-merchant',
    title: 'Takes a query of a checkout order of any age where the payments of the merchant move by themselves.',
    breaks: 'auth.timestamp.window',
    caughtBy: 'auth.checkout.query.too-old',
    make: takingOld('checkout.query', ({ automatic }) => automatic === true),
  },
  {
    id: 'old-query-taken-of-merchant-without-checkout',
    title: 'Takes a query of a hosted order of any age where the merchant may not use checkout.',
    breaks: 'auth.timestamp.window',
    caughtBy: 'auth.orders.query.too-old',
    make: takingOld('orders.query', ({ checkoutEnabled }) => checkoutEnabled === false),
  },
  {
    id: 'own-methods-enable-checkout',
    title: 'Lets a merchant without API Checkout list payment methods where it has methods of its own.',
    breaks: 'auth.checkout-enabled',
    caughtBy: 'auth.checkout.payment-methods.not-enabled',
    make: forMerchantsWith(
      ({ checkoutEnabled, paymentMethods }) => checkoutEnabled === false && Array.isArray(paymentMethods),
      (isMeant) => async (request, server) =>
        isOf('checkout.payment-methods')(request) && isMeant(merchantIdOf(request)) && isRightlySigned(request, server)
          ? jsonAnswer({ code: successCode, message: 'Success', data: { paymentMethods: [] } })
          : server.forward(request),
    ),
  },
];
