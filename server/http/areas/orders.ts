import { type Choices, orderErrorCodes } from '../../../generated/catalogue.ts';
import type { components } from '../../../generated/types.ts';
import type { OrderService } from '../../services/orders/orders.ts';
import type { RateLimiter } from '../../services/rate-limiter.ts';
import type { CommonRefusalReason, HostedRefusalReason, OrderRefusalReason } from '../../services/refusal.ts';
import { decodeSegment } from '../../signing/request-target.ts';
import { success } from '../../views/envelope.ts';
import type { Views } from '../../views/index.ts';
import { type Area, answerTo } from '../area.ts';
import { textField } from '../json-body.ts';
import { operation } from '../operation.ts';

type Schemas = components['schemas'];

interface Answer {
  code: Schemas['OrderErrorCode'];
  status: 200 | 401;
}

/** Every answer has HTTP status 200 (requirement orders.http-200). */
const refusedWith = (code: Answer['code']): Answer => ({ code, status: 200 });

/** The answer to failed authentication, given the code for its cause (open point `orders-auth-failure`). */
const authenticationFailures: Readonly<Record<Choices['orders-auth-failure'], (own: Answer['code']) => Answer>> = {
  'own-codes': refusedWith,
  'invalid-parameter': () => refusedWith('10001'),
  'http-401': (code) => ({ code, status: 401 }),
};

/** The code for an amount that is not allowed (open point `orders-error-codes`). */
const invalidAmount: Readonly<Record<Choices['orders-error-codes'], Answer['code']>> = {
  'as-checkout': '10004',
  'only-known': '10001',
};

/** The code for an id that no order can have (open point `query-malformed-id`). */
const malformedId: Readonly<Record<Choices['query-malformed-id'], Answer['code']>> = {
  'not-found': '40001',
  'invalid-parameter': '10001',
};

/** The merchantOrderId of an envelope where the request shows none (open point `failure-envelope-ids`). */
const unreadId: Readonly<Record<Choices['failure-envelope-ids'], string | null>> = {
  'null-id': null,
  'empty-text': '',
};

/** The answer to each refusal in hosted order operations. */
function answersOf(choices: Choices): Record<CommonRefusalReason | OrderRefusalReason | HostedRefusalReason, Answer> {
  const authenticationFailed = authenticationFailures[choices['orders-auth-failure']];
  return {
    'invalid-parameter': refusedWith('10001'),
    'malformed-id': refusedWith(malformedId[choices['query-malformed-id']]),
    'invalid-amount': refusedWith(invalidAmount[choices['orders-error-codes']]),
    'unsupported-currency': refusedWith(choices['orders-currency']),
    'unknown-merchant': refusedWith('10001'),
    'already-exists': refusedWith('20001'),
    'not-found': refusedWith('40001'),
    'invalid-signature': authenticationFailed('90001'),
    'timestamp-expired': authenticationFailed('90002'),
    'invalid-api-key': authenticationFailed('90003'),
    'rate-limit-exceeded': refusedWith('99999'),
    'system-error': refusedWith('99999'),
  };
}

/** Hosted orders. */
export function ordersArea(parts: {
  orders: OrderService;
  view: Views['order'];
  rateLimiter: RateLimiter;
  choices: Choices;
}): Area {
  const { orders, view, rateLimiter, choices } = parts;
  const answers = answersOf(choices);
  const unread = unreadId[choices['failure-envelope-ids']];

  return {
    name: 'orders',
    apiKey: 'required',
    admit: ({ merchantId, settings }) => rateLimiter.count(merchantId, settings.orderRateLimit),
    refuse: ({ reason, message }, { merchantId, rest, body }) => {
      const { code, status } = answerTo(answers, reason);
      const merchantOrderId = rest === undefined ? textField(body, 'merchantOrderId') : decodeSegment(rest);
      const failure: Schemas['OrderFailure'] = {
        code,
        message,
        data: {
          orderId: null,
          merchantId,
          merchantOrderId: merchantOrderId ?? unread,
          status: 'FAILED',
          standardResponseCode: code,
          standardResponseMessage: orderErrorCodes.find((known) => known.code === code)?.meaning ?? message,
        },
      };
      return { status, body: failure };
    },
    operations: [
      operation('createOrder', async ({ merchant, body }) => {
        return { ...success, data: view(await orders.create(merchant, body)) };
      }),
      operation('getOrder', async ({ merchant, parameters }) => {
        return { ...success, data: view(await orders.query(merchant, parameters.merchantOrderId)) };
      }),
    ],
  };
}
