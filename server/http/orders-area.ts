import { orderErrorCodes } from '../../generated/catalogue.ts';
import type { components } from '../../generated/types.ts';
import type { Refusal, RefusalReason } from '../services/refusal.ts';

type OrderFailure = components['schemas']['OrderFailure'];

/** The code of each refusal in hosted order operations. */
const codes: Record<RefusalReason, components['schemas']['OrderErrorCode']> = {
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

/** The envelope in which a hosted order operation refuses; its HTTP status is always 200 (requirement `orders.http-200`). */
export function orderFailure(
  refusal: Refusal,
  ids: { merchantId: string; merchantOrderId: string | null },
): OrderFailure {
  const code = codes[refusal.reason];
  const known = orderErrorCodes.find((each) => each.code === code);
  return {
    code,
    message: refusal.message,
    data: {
      orderId: null,
      ...ids,
      status: 'FAILED',
      standardResponseCode: code,
      standardResponseMessage: known?.meaning ?? refusal.message,
    },
  };
}
