import type { Request, Response } from 'express';
import { orderErrorCodes } from '../../../generated/catalogue.ts';
import type { components } from '../../../generated/types.ts';
import type { OrderCreateRequest } from '../../domain/order.ts';
import { orderView } from '../../services/order-view.ts';
import type { OrderService } from '../../services/orders.ts';
import type { CommonRefusalReason, OrderRefusalReason, RefusalReason } from '../../services/refusal.ts';
import { textField } from '../json-body.ts';
import { decodeSegment } from '../request-target.ts';
import { type Area, success } from './area.ts';

type Schemas = components['schemas'];

/** The code of each refusal in hosted order operations. */
const codes: Record<CommonRefusalReason | OrderRefusalReason, Schemas['OrderErrorCode']> = {
  'invalid-parameter': '10001',
  'invalid-amount': '10004',
  'unknown-merchant': '10001',
  'already-exists': '20001',
  'not-found': '40001',
  'invalid-signature': '90001',
  'timestamp-expired': '90002',
  'invalid-api-key': '90003',
  'system-error': '99999',
};

/** Hosted orders. `checkoutUrl`: address under which order ids are checkout pages, without a closing slash. */
export function ordersArea({ orders, checkoutUrl }: { orders: OrderService; checkoutUrl: string }): Area {
  return {
    segment: 'orders',
    apiKey: 'required',
    admit: () => {},
    // Every answer has HTTP status 200 (requirement orders.http-200).
    refuse: ({ reason, message }, { merchantId, rest, body }) => {
      const code = codeOf(reason);
      const merchantOrderId = rest === undefined ? textField(body, 'merchantOrderId') : decodeSegment(rest);
      const failure: Schemas['OrderFailure'] = {
        code,
        message,
        data: {
          orderId: null,
          merchantId,
          merchantOrderId: merchantOrderId ?? null,
          status: 'FAILED',
          standardResponseCode: code,
          standardResponseMessage: orderErrorCodes.find((known) => known.code === code)?.meaning ?? message,
        },
      };
      return { status: 200, body: failure };
    },
    addRoutes: (router) => {
      router.post(
        '/api/v1/merchants/:merchantId/orders',
        async (request: Request<unknown, unknown, OrderCreateRequest>, response: Response) => {
          const order = await orders.create(response.locals.merchant, request.body);
          response.json({ ...success, data: orderView(order, checkoutUrl) } satisfies Schemas['OrderSuccess']);
        },
      );
      router.get(
        '/api/v1/merchants/:merchantId/orders/:merchantOrderId',
        async (request: Request<{ merchantOrderId: string }>, response: Response) => {
          const order = await orders.query(response.locals.merchant, request.params.merchantOrderId);
          response.json({ ...success, data: orderView(order, checkoutUrl) } satisfies Schemas['OrderSuccess']);
        },
      );
    },
  };
}

function codeOf(reason: RefusalReason): Schemas['OrderErrorCode'] {
  const known: Partial<Record<RefusalReason, Schemas['OrderErrorCode']>> = codes;
  return known[reason] ?? codes['system-error'];
}
