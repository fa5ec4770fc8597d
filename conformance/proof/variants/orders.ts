import { compareDecimals } from '../../contract/decimals.ts';
import { isObject, type JsonObject, setAt } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import {
  bodyOf,
  firstOf,
  isHosted,
  isHostedCreate,
  jsonAnswer,
  merchantIdOf,
  notFindingPlatformIds,
  objectAt,
  onlyFor,
  orderCreateSchema,
  queriedId,
  recordOfEvent,
  refusing,
  refusingBodies,
  refusingCreates,
  showing,
  spoiled,
  storing,
  underContract,
  withSchema,
} from '../stand/changes.ts';
import type { Make, Variant } from '../stand/fault.ts';
import { followingClocks, lenient, repeating } from '../stand/order-changes.ts';
import { type ProxyRequest, splitTarget } from '../stand/proxy.ts';

/** A refusal under another code. */
function recoded(envelope: JsonObject, code: string): JsonObject {
  const data = isObject(envelope.data) ? { ...envelope.data, standardResponseCode: code } : envelope.data;
  return { ...envelope, code, data };
}

const amountOf = ({ orderAmount }: JsonObject) => String(Object(orderAmount).value);
const isDecimal = (text: string) => /^[0-9]+(\.[0-9]+)?$/.test(text);

/** A server that refuses every create that the contract lets it refuse. */
function refusingWhatIsStrange(): Make {
  const { now, control } = followingClocks();
  return {
    parts: withSchema(orderCreateSchema, { additionalProperties: false }),
    control,
    merchantApi: refusingBodies(
      'orders.create',
      (body, request) => {
        const amount = amountOf(body);
        const outside =
          isDecimal(amount) && (compareDecimals(amount, '0.01') < 0 || compareDecimals(amount, '1000000') > 0);
        const late = Date.parse(String(body.expiresAt)) > now(merchantIdOf(request)) + 24 * 3_600_000;
        return body.subMerchants !== undefined || outside || late;
      },
      '10001',
      ({ subMerchants }) => (subMerchants ? 'subMerchants: are for platforms only' : 'a parameter is invalid'),
    ),
  };
}

/** How far a merchant's time is moved at least until payments under way are confirmed, in seconds. */
const timeToConfirm = 3600;

/** A server that confirms the payments under way of a merchant by itself once its business time was moved by an hour. */
function confirmingInTime(): Make {
  const underWay = new Map<string, { merchantId: string; request: ProxyRequest }>();
  return {
    control: async (request, server) => {
      const [orderId, body] = [recordOfEvent('orders', request), bodyOf(request)];
      const answer = await server.forward(request);
      if (answer.status >= 300) return answer;
      const merchantId = merchantIdOf(request);
      if (orderId !== undefined) {
        if (body?.type === 'transaction_detected') underWay.set(orderId, { merchantId, request });
        else underWay.delete(orderId);
      }
      if (Number(body?.advanceSeconds) >= timeToConfirm) {
        for (const [id, payment] of underWay) {
          if (payment.merchantId !== merchantId) continue;
          underWay.delete(id);
          await server.forward({
            ...payment.request,
            body: Buffer.from(JSON.stringify({ type: 'payment_confirmed' })),
          });
        }
      }
      return answer;
    },
  };
}

/** Conforming servers of hosted orders that use what the contract leaves free. */
export const ordersVariants: readonly Variant[] = [
  {
    id: 'payments-confirmed-in-time',
    title: 'Confirms the payments under way of a merchant by itself within an hour of its business time.',
    make: confirmingInTime(),
  },
  {
    id: 'pending-in-create',
    title: 'Answers a create with PENDING, as the example of the guide does.',
    area: 'orders',
    make: {
      merchantApi: showing((view, request) => (isHostedCreate(request) ? { ...view, status: 'PENDING' } : view)),
    },
  },
  {
    id: 'repeats-refused',
    title: 'Refuses every second create under an id, and uses no codes but 10001 and 40001.',
    area: 'orders',
    make: {
      parts: storing(() => ({ findOrder: async () => undefined })),
      merchantApi: onlyFor(
        isHosted,
        refusing((envelope) => (envelope.code === '40001' ? envelope : recoded(envelope, '10001'))),
      ),
    },
  },
  {
    id: 'repeats-existing',
    title: 'Answers every second create under an id with the order that exists.',
    area: 'orders',
    make: { merchantApi: repeating('orders.create', 'as-first') },
  },
  {
    id: 'repeats-identical',
    title: 'Answers a second create with the order that exists only when the request is the same.',
    area: 'orders',
    make: { merchantApi: repeating('orders.create', 'only-identical') },
  },
  {
    id: 'merchant-order-id-only',
    title: 'Finds orders by merchantOrderId only, and takes an id of the wrong form for a wrong parameter.',
    area: 'orders',
    make: {
      merchantApi: firstOf(
        refusing((envelope, request) => {
          const wellFormed = /^[A-Za-z0-9_-]{16,64}$/.test(queriedId(request) ?? 'a-well-formed-id');
          return envelope.code === '40001' && !wellFormed ? recoded(envelope, '10001') : envelope;
        }),
        notFindingPlatformIds,
      ),
    },
  },
  {
    id: 'lenient-requests',
    title: 'Takes metadata of any form, orders for nothing, expiry in the past, and values of other JSON types.',
    area: 'orders',
    make: {
      parts: (parts) => {
        const createOrder = parts.rules.createOrder.filter(
          ({ requirement }) => requirement !== 'orders.create.expires-at.range',
        );
        const taken = ['orders.create.metadata.json', 'orders.amount.positive'];
        const changed = underContract((contract) => {
          Reflect.deleteProperty(objectAt(contract, `${orderCreateSchema}/properties/metadata`), 'contentMediaType');
          Reflect.deleteProperty(
            objectAt(contract, '/components/schemas/OrderAmount/properties/value/allOf/1'),
            'x-decimal',
          );
        })(parts);
        const constraints = parts.constraints.filter(({ requirement }) => !taken.includes(requirement));
        return { ...changed, constraints, rules: { ...parts.rules, createOrder } };
      },
      merchantApi: lenient('orders.create', orderCreateSchema),
    },
  },
  {
    id: 'strict-requests',
    title: 'Refuses subMerchants, fields that it does not know, small and large amounts, and expiry after a day.',
    area: 'orders',
    make: refusingWhatIsStrange(),
  },
  {
    id: 'edges-otherwise',
    title:
      'Takes the other side of settlementRatio, of a bare question mark, of unknown merchants and of unreadable bodies.',
    area: 'orders',
    make: {
      merchantApi: firstOf(
        refusingCreates(({ subMerchants }) =>
          [subMerchants].flat().some((part) => ['0', '1'].includes(String(Object(part).settlementRatio))),
        ),
        async (request, server) => {
          const { query } = splitTarget(request.target);
          const answer = await server.forward(query === '' ? spoiled(request) : request);
          const envelope = bodyOf(answer);
          if (!envelope || envelope.code === successCode) return answer;
          if (!server.merchant(merchantIdOf(request))) return jsonAnswer(recoded(envelope, '90003'));
          const unread = Object(envelope.data).merchantOrderId === null;
          return unread ? jsonAnswer(setAt(envelope, ['data', 'merchantOrderId'], '')) : answer;
        },
      ),
    },
  },
];
