import type { Request, Response } from 'express';
import type { components } from '../../../generated/types.ts';
import type { CheckoutOrderCreateRequest } from '../../domain/order.ts';
import type { CheckoutOrderService } from '../../services/checkout-orders.ts';
import { checkoutCreateView, checkoutQueryView, paymentMethodsView } from '../../services/checkout-view.ts';
import {
  type CheckoutRefusalReason,
  type CommonRefusalReason,
  type OrderRefusalReason,
  Refusal,
  type RefusalReason,
} from '../../services/refusal.ts';
import { type Area, success } from './area.ts';

type Schemas = components['schemas'];

/** The code of each refusal in checkout operations, and its HTTP status (open point `checkout-http-status`). */
const answers: Record<
  CommonRefusalReason | OrderRefusalReason | CheckoutRefusalReason,
  { code: Schemas['CheckoutErrorCode']; status: 200 | 401 | 500 }
> = {
  'invalid-parameter': { code: '10001', status: 200 },
  'invalid-amount': { code: '10004', status: 200 },
  'invalid-expiry': { code: '10005', status: 200 },
  'unknown-merchant': { code: '10007', status: 200 },
  'unconfigured-payment-method': { code: '10011', status: 200 },
  'already-exists': { code: '20001', status: 200 },
  'not-found': { code: '40001', status: 200 },
  'checkout-disabled': { code: '50010', status: 200 },
  'invalid-signature': { code: '90001', status: 401 },
  'timestamp-expired': { code: '90002', status: 401 },
  'invalid-api-key': { code: '90003', status: 401 },
  'system-error': { code: '99999', status: 500 },
};

/** Checkout orders: payment methods, create, query. */
export function checkoutArea({ checkoutOrders }: { checkoutOrders: CheckoutOrderService }): Area {
  return {
    segment: 'checkout',
    apiKey: 'optional',
    admit: ({ settings }) => {
      if (settings.checkoutEnabled) return;
      throw new Refusal('checkout-disabled', 'the merchant does not have API Checkout; ask support to enable it', {
        requirement: 'auth.checkout-enabled',
      });
    },
    refuse: ({ reason, message }) => {
      const { code, status } = answerOf(reason);
      return { status, body: { code, message, data: null } satisfies Schemas['CheckoutFailure'] };
    },
    addRoutes: (router) => {
      router.get('/api/v1/merchants/:merchantId/checkout/payment-methods', (_request: Request, response: Response) => {
        const { merchant } = response.locals;
        const data = { merchantId: merchant.merchantId, paymentMethods: paymentMethodsView(merchant) };
        response.json({ ...success, data } satisfies Schemas['CheckoutPaymentMethodsSuccess']);
      });
      router.post(
        '/api/v1/merchants/:merchantId/checkout/orders',
        async (request: Request<unknown, unknown, CheckoutOrderCreateRequest>, response: Response) => {
          const order = await checkoutOrders.create(response.locals.merchant, request.body);
          const data = checkoutCreateView(order);
          response.json({ ...success, data } satisfies Schemas['CheckoutOrderCreateSuccess']);
        },
      );
      router.get(
        '/api/v1/merchants/:merchantId/checkout/orders/:merchantOrderId',
        async (request: Request<{ merchantOrderId: string }>, response: Response) => {
          const order = await checkoutOrders.query(response.locals.merchant, request.params.merchantOrderId);
          const data = checkoutQueryView(order);
          response.json({ ...success, data } satisfies Schemas['CheckoutOrderQuerySuccess']);
        },
      );
    },
  };
}

function answerOf(reason: RefusalReason) {
  const known: Partial<Record<RefusalReason, (typeof answers)['system-error']>> = answers;
  return known[reason] ?? answers['system-error'];
}
