import type { Choices } from '../../../generated/catalogue.ts';
import type { components } from '../../../generated/types.ts';
import type { CheckoutOrderService } from '../../services/orders/checkout-orders.ts';
import type { RateLimiter } from '../../services/rate-limiter.ts';
import {
  type CheckoutRefusalReason,
  type CommonRefusalReason,
  type OrderRefusalReason,
  Refusal,
} from '../../services/refusal.ts';
import { paymentMethodsView } from '../../views/checkout-order.ts';
import { success } from '../../views/envelope.ts';
import type { Views } from '../../views/index.ts';
import { type Area, answerTo } from '../area.ts';
import { operation } from '../operation.ts';

type Schemas = components['schemas'];

type Code = Schemas['CheckoutErrorCode'];

interface Answer {
  code: Code;
  status: 200 | 400 | 401 | 403 | 404 | 409 | 500;
}

type Statuses = Readonly<Record<'wrong' | 'disabled' | 'unknown' | 'taken', Answer['status']>>;

/** The HTTP status of each kind of refusal (open point `checkout-http-status`). */
const refusalStatuses: Readonly<Record<Choices['checkout-http-status'], Statuses>> = {
  '200': { wrong: 200, disabled: 200, unknown: 200, taken: 200 },
  '4xx': { wrong: 400, disabled: 403, unknown: 404, taken: 409 },
};

/** The HTTP status of failed authentication (open point `checkout-auth-failure`). */
const authenticationStatuses: Readonly<Record<Choices['checkout-auth-failure'], Answer['status']>> = {
  '401': 401,
  '200': 200,
  'other-4xx': 403,
};

/** The answer to an id that no order can have (open point `query-malformed-id`). */
const malformedId: Readonly<Record<Choices['query-malformed-id'], { code: Code; kind: keyof Statuses }>> = {
  'not-found': { code: '40001', kind: 'unknown' },
  'invalid-parameter': { code: '10001', kind: 'wrong' },
};

type Overlapping = 'invalid-amount' | 'unknown-payment-method' | 'invalid-expiry';

/** The codes of refusals that fit two rows of the table of codes (open point `checkout-overlapping-codes`). */
const overlappingCodes: Readonly<Record<Choices['checkout-overlapping-codes'], Readonly<Record<Overlapping, Code>>>> = {
  'own-row': { 'invalid-amount': '10004', 'unknown-payment-method': '10011', 'invalid-expiry': '10005' },
  'invalid-parameter': { 'invalid-amount': '10001', 'unknown-payment-method': '10001', 'invalid-expiry': '10001' },
};

/** The answer to each refusal in checkout operations. */
function answersOf(choices: Choices): Record<CommonRefusalReason | OrderRefusalReason | CheckoutRefusalReason, Answer> {
  const statuses = refusalStatuses[choices['checkout-http-status']];
  const unauthenticated = authenticationStatuses[choices['checkout-auth-failure']];
  const malformed = malformedId[choices['query-malformed-id']];
  const overlapping = overlappingCodes[choices['checkout-overlapping-codes']];
  return {
    'invalid-parameter': { code: '10001', status: statuses.wrong },
    'malformed-id': { code: malformed.code, status: statuses[malformed.kind] },
    'invalid-amount': { code: overlapping['invalid-amount'], status: statuses.wrong },
    'amount-out-of-range': { code: choices['checkout-amount-range'], status: statuses.wrong },
    'invalid-expiry': { code: overlapping['invalid-expiry'], status: statuses.wrong },
    'expiry-too-far': { code: choices['checkout-expiry-limit'], status: statuses.wrong },
    'unknown-merchant': { code: '10007', status: statuses.unknown },
    'unconfigured-payment-method': { code: '10011', status: statuses.wrong },
    'unknown-payment-method': { code: overlapping['unknown-payment-method'], status: statuses.wrong },
    'already-exists': { code: '20001', status: statuses.taken },
    'not-found': { code: '40001', status: statuses.unknown },
    'checkout-disabled': { code: '50010', status: statuses.disabled },
    'invalid-signature': { code: '90001', status: unauthenticated },
    'timestamp-expired': { code: '90002', status: unauthenticated },
    'invalid-api-key': { code: '90003', status: unauthenticated },
    'rate-limit-exceeded': { code: '99999', status: statuses.wrong },
    'system-error': { code: '99999', status: 500 },
  };
}

/** The checkout area: payment methods, and creating and querying checkout orders. */
export function checkoutArea(parts: {
  checkoutOrders: CheckoutOrderService;
  views: Views['checkout'];
  rateLimiter: RateLimiter;
  choices: Choices;
}): Area {
  const { checkoutOrders, views, rateLimiter, choices } = parts;
  const answers = answersOf(choices);

  return {
    name: 'checkout',
    apiKey: choices['checkout-api-key'],
    admit: ({ merchantId, settings }) => {
      if (!settings.checkoutEnabled) {
        throw new Refusal('checkout-disabled', 'the merchant does not have API Checkout; ask support to enable it');
      }
      rateLimiter.count(merchantId, settings.orderRateLimit);
    },
    refuse: ({ reason, message }) => {
      const { code, status } = answerTo(answers, reason);
      return { status, body: { code, message, data: null } satisfies Schemas['CheckoutFailure'] };
    },
    operations: [
      operation('listPaymentMethods', async ({ merchant }) => {
        const data = { merchantId: merchant.merchantId, paymentMethods: paymentMethodsView(merchant) };
        return { ...success, data };
      }),
      operation('createCheckoutOrder', async ({ merchant, body }) => {
        return { ...success, data: views.created(await checkoutOrders.create(merchant, body)) };
      }),
      operation('getCheckoutOrder', async ({ merchant, parameters }) => {
        return { ...success, data: views.queried(await checkoutOrders.query(merchant, parameters.merchantOrderId)) };
      }),
    ],
  };
}
