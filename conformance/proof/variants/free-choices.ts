import { reserve } from '../../../server/domain/ledger.ts';
import { multiplyAmounts } from '../../../server/domain/money.ts';
import type { Order } from '../../../server/domain/order.ts';
import type { Refund } from '../../../server/domain/refund.ts';
import { isObject, type JsonObject, setAt, valueAt } from '../../contract/json.ts';
import {
  bodyOf,
  firstOf,
  isCheckout,
  isHosted,
  isOf,
  isRightlySigned,
  jsonAnswer,
  lagging,
  onlyFor,
  readingBodies,
  storing,
} from '../stand/changes.ts';
import type { Make, Variant } from '../stand/fault.ts';
import { isImpossible, timingOut } from '../stand/order-changes.ts';
import { type Handler, resigned, splitTarget } from '../stand/proxy.ts';
import {
  isOfRefunds,
  isRefundCreate,
  isRefundQuery,
  parameterOf,
  refundRefusal,
  refusingRefunds,
  showingRefunds,
  without,
} from '../stand/refund-changes.ts';

const isCheckoutCreate = isOf('checkout.create');

/** A checkout server that has 10001 for whatever the two rows of the table of codes both fit. */
const fewCodes: Handler = async (request, server) => {
  const answer = await server.forward(request);
  const [envelope, body] = [bodyOf(answer), bodyOf(request)];
  if (!envelope || !body) return answer;
  const { value, currency } = Object(body.orderAmount);
  const isKnown = ['USDC', 'USDT', 'USD1'].includes(String(currency)) && body.network !== 'assay-no-such-network';
  const fits =
    (envelope.code === '10004' && !(Number(value) > 0)) ||
    (envelope.code === '10011' && !isKnown) ||
    (envelope.code === '10005' && Date.parse(String(body.expiresAt)) <= Date.now());
  return fits ? jsonAnswer({ ...envelope, code: '10001' }) : answer;
};

/** A checkout server that has the code of the field's own row for whatever two rows fit. */
const ownCodes: Handler = async (request, server) => {
  const answer = await server.forward(request);
  const [envelope, body] = [bodyOf(answer), bodyOf(request)];
  if (!envelope || !body || envelope.code !== '10001') return answer;
  const { value, currency } = Object(body.orderAmount);
  if (typeof value === 'string' && !/[0-9]/.test(value)) return jsonAnswer({ ...envelope, code: '10004' });
  if (typeof currency === 'string' && currency === 'ASSAYCOIN') return jsonAnswer({ ...envelope, code: '10011' });
  return isImpossible(body) ? jsonAnswer({ ...envelope, code: '10005' }) : answer;
};

const isAscii = (body: Buffer) => body.every((byte) => byte < 0x80);

/** Refuses letters beyond ASCII in the bodies of every operation, saying which rule is broken. */
const asciiOnly: Handler = async (request, server) => {
  if (!isRightlySigned(request, server) || isAscii(request.body)) {
    return server.forward(request);
  }
  if (isOfRefunds(request)) return refundRefusal(400, 'INVALID_PARAMETER', 'letters beyond ASCII are not allowed');
  if (isCheckout(request)) return jsonAnswer({ code: '10001', message: 'text: letters beyond ASCII', data: null });
  // The refusal names the order that the request names, where it can be read.
  const spoiled = { merchantOrderId: bodyOf(request)?.merchantOrderId ?? 'x' };
  const owner = server.owner(request.headers['x-api-key'] ?? '');
  const body = Buffer.from(JSON.stringify(spoiled));
  return server.forward(owner ? resigned({ ...request, body }, owner) : request);
};

/** Takes the bytes of a signature in the URL-safe form of Base64 and without padding. */
const otherEncodings: Handler = (request, server) => {
  const signature = request.headers['x-signature'] ?? '';
  if (!/^[A-Za-z0-9_-]{43}$/.test(signature)) return server.forward(request);
  const plain = Buffer.from(signature, 'base64url').toString('base64');
  return server.forward({ ...request, headers: { ...request.headers, 'x-signature': plain } });
};

/** Reads a body that has no content type as JSON. */
const typeGuessed: Handler = (request, server) =>
  server.forward(
    request.headers['content-type'] === undefined && request.body.length > 0
      ? { ...request, headers: { ...request.headers, 'content-type': 'application/json' } }
      : request,
  );

/** Answers a body without a byte as a failed authentication, in a form of its own. */
const emptyUnauthenticated: Handler = async (request, server) =>
  request.method === 'POST' && request.body.length === 0
    ? jsonAnswer({ error: 'unauthorized' }, 401)
    : server.forward(request);

/** Refuses a query whose ids are not all well formed, although refundOrderId would decide. */
const everyIdChecked: Handler = (request, server) => {
  const { query = '' } = splitTarget(request.target);
  const values = new URLSearchParams(query);
  const beside = [...values].filter(([name]) => name !== 'refundOrderId');
  const wrong = beside.some(([name, value]) => value.length < 2 || values.getAll(name).length > 1);
  const asked = isRefundQuery(request) && parameterOf(request, 'refundOrderId') !== undefined;
  return asked && wrong && isRightlySigned(request, server)
    ? Promise.resolve(refundRefusal(400, 'INVALID_PARAMETER'))
    : server.forward(request);
};

/** By how much the refund period is longer than that of the reference server, in milliseconds: a year. */
const longer = 365 * 86_400_000;

/** Refunds the price of an order in USDT, however much was paid, for a year longer than the reference server. */
const ofThePrice: Make = {
  parts: storing((records) => ({
    lockOrder: async (merchantId, orderId) => {
      const order = await records.lockOrder(merchantId, orderId);
      if (order?.status !== 'SUCCEEDED' || !order.payment) return order;
      const { amount: paid } = order.payment;
      const later = { ...order, paidAt: (order.paidAt ?? 0) + longer };
      // What was ordered in another currency than was paid is no amount to give back.
      if (order.request.orderAmount.currency !== paid.currency) return later;
      return { ...later, payment: { ...order.payment, amount: { ...paid, value: order.request.orderAmount.value } } };
    },
  })),
};

/** A server whose merchants pay one percent more for a refund than it gives back. */
function feeBeside(): Make {
  const given = new Map<unknown, string>();
  return {
    merchantApi: showingRefunds((record) => {
      const refundAmount = given.get(record.refundOrderId);
      return refundAmount === undefined ? record : { ...record, refundAmount };
    }),
    // The server reserves what it takes for the payment. What was paid, and is given back, is put right where it is stored.
    parts: storing((records) => {
      let isForRefund = false;
      let paid: Order['payment'] = null;
      return {
        // The create of a refund looks for one under its id first.
        findRefund: (merchantId, id) => {
          isForRefund = true;
          return records.findRefund(merchantId, id);
        },
        lockOrder: async (merchantId, orderId) => {
          const order = await records.lockOrder(merchantId, orderId);
          paid = (isForRefund && order?.payment) || null;
          if (!order || !paid) return order;
          const amount = { ...paid.amount, value: multiplyAmounts(paid.amount.value, '1.01') };
          return { ...order, payment: { ...paid, amount } };
        },
        updateOrder: (order) => records.updateOrder(paid ? { ...order, payment: paid } : order),
        insertRefund: (refund) => {
          const { value } = paid?.amount ?? refund.amount;
          given.set(refund.refundOrderId, value);
          return records.insertRefund({ ...refund, amount: { ...refund.amount, value } });
        },
      };
    }),
  };
}

/** How much of the reference server's refund period of 30 days this server leaves out, in milliseconds: all but an hour. */
const leftOut = (30 * 24 - 1) * 3_600_000;

/** Refunds an order for an hour after its payment. */
const forOneHour: Make = {
  parts: storing((records) => ({
    lockOrder: async (merchantId, orderId) => {
      const order = await records.lockOrder(merchantId, orderId);
      return order?.paidAt === undefined || order.paidAt === null
        ? order
        : { ...order, paidAt: order.paidAt - leftOut };
    },
  })),
};

/** Reserves again what a refund gives back that has FAILED or was CLOSED. */
const givingNothingBack: Make = {
  parts: storing((records) => {
    let ended: Refund | undefined;
    return {
      updateRefund: async (refund) => {
        ended = ['FAILED', 'CLOSED'].includes(refund.status) ? refund : undefined;
        await records.updateRefund(refund);
      },
      updateMerchant: (merchant) => {
        const kept = ended && reserve(merchant.ledger, ended.amount.currency, ended.deductAmount);
        return records.updateMerchant(kept ? { ...merchant, ledger: kept } : merchant);
      },
    };
  }),
};

/** Gives orders ids that it recognises, and refuses the refund of any other id as malformed. */
function refusingMadeUpIds(): Make {
  const issued = new Set<unknown>();
  return {
    parts: (parts) => {
      const orderId = (): string => {
        const id = parts.ids.orderId();
        issued.add(id);
        return id;
      };
      return { ...parts, ids: { ...parts.ids, orderId } };
    },
    merchantApi: refusingRefunds(
      ({ code }, request) => code === 'ORDER_NOT_FOUND' && !issued.has(bodyOf(request)?.acquiringOrderId),
      () => refundRefusal(400, 'INVALID_PARAMETER'),
    ),
  };
}

/** Reads amounts in notations that the specification leaves open. */
const notations = readingBodies('orders.create', (body) => {
  const value = valueAt(body, ['orderAmount', 'value']);
  const readable = typeof value === 'string' && /^(\+[0-9.]+|[0-9.]+[eE]\+?0|\.[0-9]+|[0-9]+\.)$/.test(value);
  return readable ? setAt(body, ['orderAmount', 'value'], String(Number(value))) : body;
});

/** Takes items in any currency and of no amount. */
const itemsOfAnyKind = readingBodies('orders.create', (body) => {
  const { items } = body;
  if (!Array.isArray(items)) return body;
  const free = (item: unknown) => {
    const amount = isObject(item) && isObject(item.amount) ? item.amount : undefined;
    if (!amount || !isObject(item)) return item;
    const { value, currency } = amount;
    const coin = typeof currency === 'string' && /^[A-Z0-9]{3,16}$/.test(currency) ? 'USDT' : currency;
    return { ...item, amount: { ...amount, value: value === '0' ? '1' : value, currency: coin } };
  };
  const changed = items.map(free);
  return JSON.stringify(changed) === JSON.stringify(items) ? body : { ...body, items: changed };
});

/** The record with extraData that is null where none was given. */
const withNull = (record: JsonObject): JsonObject => ({ extraData: null, ...record });

const timeouts = timingOut('FAILED');
const timing: Make = { ...timeouts, merchantApi: firstOf(timeouts.merchantApi ?? asciiOnly, asciiOnly) };

/** Lets orders of both products fail by time, and shows that late. */
/** A server whose payments time out, and that shows a change of status late. */
function lateTimeouts(): Make {
  const [timing, late] = [timingOut('FAILED', (request) => isCheckout(request) || isHosted(request)), lagging(80)];
  return {
    control: firstOf(late.control, timing.control),
    merchantApi: firstOf(late.merchantApi, timing.merchantApi),
  };
}

const madeUp = refusingMadeUpIds();

/**
 * Conforming servers that take the other side of what the specification leaves open. Each is neither failed nor warned about.
 */
export const freeChoiceVariants: readonly Variant[] = [
  {
    id: 'checkout-few-codes',
    title: 'Uses 10001 wherever two codes fit, and refuses letters beyond ASCII.',
    area: 'checkout',
    make: { merchantApi: firstOf(onlyFor(isCheckoutCreate, fewCodes), asciiOnly) },
  },
  {
    id: 'checkout-own-codes',
    title: 'Uses the code of the field wherever two codes fit.',
    area: 'checkout',
    make: { merchantApi: onlyFor(isCheckoutCreate, ownCodes) },
  },
  {
    id: 'orders-time-out',
    title: 'Lets orders fail whose payment is not confirmed by their expiry, and refuses letters beyond ASCII.',
    area: 'orders',
    make: timing,
  },
  {
    id: 'late-timeouts',
    title:
      'Lets orders fail whose payment is not confirmed by their expiry, and shows a change of status 80 milliseconds late.',
    make: lateTimeouts(),
  },
  {
    id: 'orders-forms-taken',
    title: 'Takes amounts in any notation, items for nothing and in any currency, and bodies without a content type.',
    area: 'orders',
    make: { merchantApi: firstOf(typeGuessed, notations, itemsOfAnyKind) },
  },
  {
    id: 'signatures-in-other-encodings',
    title: 'Takes signatures in the URL-safe form of Base64, and answers a body without a byte as unauthenticated.',
    make: { merchantApi: firstOf(emptyUnauthenticated, otherEncodings) },
  },
  {
    id: 'refunds-sparing',
    title:
      'Says in the answer to a create only when a refund will be done, shows extraData as null, refuses made-up ids as malformed, and every malformed id of a query.',
    area: 'refunds',
    make: {
      ...madeUp,
      merchantApi: firstOf(
        showingRefunds(
          without('estimatedCompletionTime'),
          (request) => isOfRefunds(request) && !isRefundCreate(request),
        ),
        showingRefunds(withNull),
        madeUp.merchantApi ?? asciiOnly,
        everyIdChecked,
        asciiOnly,
      ),
    },
  },
  {
    id: 'refunds-for-an-hour',
    title: 'Refunds an order for no longer than an hour after its payment.',
    area: 'refunds',
    make: forOneHour,
  },
  {
    id: 'refunds-for-a-fee',
    title: 'Takes one percent more from the merchant for a refund than it gives back.',
    area: 'refunds',
    make: feeBeside(),
  },
  {
    id: 'refunds-never-given-back',
    title: 'Gives nothing back of what a refund has reserved, however it ends.',
    area: 'refunds',
    make: givingNothingBack,
  },
  {
    id: 'refunds-of-the-price',
    title: 'Refunds what was ordered where more was paid, and does so for more than a year.',
    area: 'refunds',
    make: ofThePrice,
  },
];
