import { setTimeout as delay } from 'node:timers/promises';
import type { OrdersEvent, OrdersState, RefundsEvent, RequirementId } from '../../../generated/catalogue.ts';
import type { AppParts } from '../../../server/app.ts';
import { accountOf, type Ledger } from '../../../server/domain/ledger.ts';
import type { Records } from '../../../server/services/ports.ts';
import { addDecimals, subtractDecimals } from '../../contract/decimals.ts';
import { errorCode } from '../../contract/error-codes.ts';
import { isObject } from '../../contract/json.ts';
import { successCode } from '../../contract/success-code.ts';
import {
  bodyOf,
  isCheckout,
  isHosted,
  isOf,
  jsonAnswer,
  merchantIdOf,
  onlyFor,
  recordOfEvent,
  showing,
} from '../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../stand/fault.ts';
import type { Handler, ProxyAnswer } from '../stand/proxy.ts';
import { keepingRefunds, refundRefusal, sending, showingRefunds } from '../stand/refund-changes.ts';

const fault = faultsCaughtBy('');

/** How long these servers take between looking and acting, in milliseconds. */
const gap = 60;

/** Events after which nothing can happen to an order. */
const ends: readonly unknown[] = ['payment_confirmed', 'cancelled'];

/**
 * A server that looks whether an event may happen, takes its time, and then lets it happen whatever has happened meanwhile: its views show
 * `status` from then on, and until then `meanwhile`, where that is given. Only the first events of a record can meet.
 */
function actingLate(
  kind: 'orders' | 'refunds',
  event: string,
  status: string,
  shows: (change: Show) => Handler,
  meanwhile?: string,
): Make {
  const underWay = new Set<unknown>();
  const overwritten = new Set<unknown>();
  const over = new Set<string>();
  return {
    control: async (request, server) => {
      const id = recordOfEvent(kind, request) ?? '';
      const mayHappen = !over.has(id);
      if (id === '' || bodyOf(request)?.type !== event || !mayHappen) {
        const answer = await server.forward(request);
        if (id !== '' && ends.includes(bodyOf(request)?.type)) over.add(id);
        return answer;
      }
      underWay.add(id);
      await delay(gap);
      const answer = await server.forward(request);
      underWay.delete(id);
      if (answer.status !== 409) return answer;
      overwritten.add(id);
      return jsonAnswer({ status });
    },
    merchantApi: shows((view) => {
      const id = view.orderId ?? view.refundOrderId;
      if (meanwhile !== undefined && underWay.has(id)) return { ...view, status: meanwhile };
      return overwritten.has(id) ? { ...view, status } : view;
    }),
  };
}

type Show = Parameters<typeof showing>[0];

const showingOrders = (product: 'orders' | 'checkout') => (change: Show) =>
  onlyFor(product === 'orders' ? isHosted : isCheckout, showing(change));

/** A server whose orders of a product are overwritten by a late event. */
const late = (product: 'orders' | 'checkout', event: OrdersEvent, status: OrdersState, meanwhile?: OrdersState): Make =>
  actingLate('orders', event, status, showingOrders(product), meanwhile);

const lateRefund = (event: RefundsEvent, status: string, meanwhile?: string): Make =>
  actingLate(
    'refunds',
    event,
    status,
    (change) => showingRefunds((record, request) => change(record, request)),
    meanwhile,
  );

/** A server that notes an id only once its create is done, so that another one under way makes a second record. */
function notingIdsAfterwards(operation: string, field: string): Handler {
  const underWay = new Set<string>();
  let made = 0;
  return onlyFor(isOf(operation), async (request, server) => {
    const body = bodyOf(request);
    const id = body?.[field];
    const key = `${merchantIdOf(request)} ${id}`;
    if (!body || typeof id !== 'string') return server.forward(request);
    if (!underWay.has(key)) {
      underWay.add(key);
      const answer = await server.forward(request);
      await delay(gap);
      underWay.delete(key);
      return answer;
    }
    made += 1;
    const answer = await server.forward(
      sending(request, { ...body, [field]: `${id.slice(0, 50)}-again-${made}` }, server),
    );
    const envelope = bodyOf(answer);
    if (envelope?.code !== successCode || !isObject(envelope.data)) return answer;
    return jsonAnswer({ ...envelope, data: { ...envelope.data, [field]: id } });
  });
}

/** A server that writes a field of a create that comes while another one under its id is under way over what that one has made. */
function overwritingWhatIsUnderWay(create: string, query: string, id: string, field: string): Handler {
  const underWay = new Map<string, Promise<ProxyAnswer>>();
  const overwritten = new Map<unknown, unknown>();
  const answering = showing((view) =>
    overwritten.has(view[id]) ? { ...view, [field]: overwritten.get(view[id]) } : view,
  );
  return async (request, server) => {
    if (isOf(query)(request)) return answering(request, server);
    const body = isOf(create)(request) ? bodyOf(request) : undefined;
    const key = `${merchantIdOf(request)} ${body?.[id]}`;
    const first = underWay.get(key);
    if (!body) return server.forward(request);
    if (first) {
      overwritten.set(body[id], body[field]);
      await first;
      return answering(request, server);
    }
    const made = server.forward(request).then(async (answer) => {
      await delay(gap);
      underWay.delete(key);
      return answer;
    });
    underWay.set(key, made);
    return made;
  };
}

/**
 * A server that answers a create with a system error while one of the same merchant is under way, and carries it out when it is sent again later.
 * `field`: only while one is under way that has the same value there.
 */
function failingWhileUnderWay(operation: string, field: string | undefined, failure: ProxyAnswer): Handler {
  const underWay = new Set<string>();
  return onlyFor(isOf(operation), async (request, server) => {
    const key = `${merchantIdOf(request)} ${field === undefined ? '' : bodyOf(request)?.[field]}`;
    if (underWay.has(key)) return failure;
    underWay.add(key);
    const answer = await server.forward(request);
    await delay(gap);
    underWay.delete(key);
    return answer;
  });
}

/** A server that writes the record back that it has read for a repeated create of an operation, as it was then, a little later. */
function writingBack(operation: 'checkout.create' | 'refunds.create'): Make {
  let storage: AppParts['storage'] | undefined;
  const known = new Set<unknown>();
  async function writeBack(merchantId: string, id: string): Promise<void> {
    const write = await storage?.transaction(async (records) => {
      const order = await records.lockOrder(merchantId, id);
      const refund = await records.lockRefund(merchantId, id);
      return async (later: Records) => {
        if (order) await later.updateOrder(order);
        if (refund) await later.updateRefund(refund);
      };
    });
    await delay(gap / 2);
    if (write) await storage?.transaction(write);
  }
  return {
    parts: (parts) => {
      storage = parts.storage;
      return parts;
    },
    merchantApi: onlyFor(isOf(operation), async (request, server) => {
      const answer = await server.forward(request);
      const { orderId, refundOrderId = orderId } = Object(bodyOf(answer)?.data);
      if (known.has(refundOrderId)) writeBack(merchantIdOf(request), String(refundOrderId)).catch(() => undefined);
      if (refundOrderId !== undefined) known.add(refundOrderId);
      return answer;
    }),
  };
}

/** A server that reads a balance, takes its time, and reserves from what it has read. */
function reservingLate(): Make {
  const known = new Map<string, { ledger: Ledger; at: number }[]>();
  return keepingRefunds((records) => ({
    lockMerchant: async (merchantId) => {
      const merchant = await records.lockMerchant(merchantId);
      if (!merchant) return merchant;
      const states = known.get(merchantId) ?? [{ ledger: merchant.ledger, at: 0 }];
      known.set(merchantId, states);
      const read = states.findLast(({ at }) => at <= Date.now() - gap);
      return { ...merchant, ledger: (read ?? states[0] ?? merchant).ledger };
    },
    updateMerchant: async (merchant) => {
      known.get(merchant.merchantId)?.push({ ledger: merchant.ledger, at: Date.now() });
      await records.updateMerchant(merchant);
    },
  }));
}

/** How close together requests are that meet in a server which looks and acts within a moment, in milliseconds. */
const moment = 1;

/** A server that reads a balance as it was a moment ago, of each merchant whose refunds come in at the same moment. */
function readingAMomentAgo(): Make {
  const known = new Map<string, { ledger: Ledger; at: number }>();
  return keepingRefunds((records) => ({
    lockMerchant: async (merchantId) => {
      const merchant = await records.lockMerchant(merchantId);
      const before = known.get(merchantId);
      return merchant && before && performance.now() - before.at < moment
        ? { ...merchant, ledger: before.ledger }
        : merchant;
    },
    updateMerchant: async (merchant) => {
      const before = await records.lockMerchant(merchant.merchantId);
      if (before) known.set(merchant.merchantId, { ledger: before.ledger, at: performance.now() });
      await records.updateMerchant(merchant);
    },
  }));
}

/** A server that gives back what a refund had reserved to the balance that it has read before, whatever was reserved meanwhile. */
function givingBackLate(): Make {
  const known = new Map<string, { ledger: Ledger; at: number }[]>();
  return keepingRefunds((records) => ({
    lockMerchant: async (merchantId) => {
      const merchant = await records.lockMerchant(merchantId);
      if (merchant && !known.has(merchantId)) known.set(merchantId, [{ ledger: merchant.ledger, at: 0 }]);
      return merchant;
    },
    updateMerchant: async (merchant) => {
      const states = known.get(merchant.merchantId) ?? [];
      const [last, given] = [accountOf(states.at(-1)?.ledger ?? {}, 'USDT'), accountOf(merchant.ledger, 'USDT')];
      const back = subtractDecimals(given.available, last.available);
      const read = states.findLast(({ at }) => at <= Date.now() - gap) ?? states[0];
      const before = accountOf(read?.ledger ?? merchant.ledger, 'USDT');
      const late = { ...given, available: addDecimals([before.available, back]) };
      const ledger = back.startsWith('-') || !read ? merchant.ledger : { ...merchant.ledger, USDT: late };
      states.push({ ledger, at: Date.now() });
      await records.updateMerchant({ ...merchant, ledger });
    },
  }));
}

const final = { orders: 'orders.states.final', checkout: 'checkout.states.final' } as const satisfies Record<
  string,
  RequirementId
>;

const ofOrders: readonly Fault[] = (['orders', 'checkout'] as const).flatMap((product) => [
  fault(
    `${product}-payment-overwrites-expiry`,
    `Looks whether one of the ${product} is open, and then takes its payment although it has expired meanwhile.`,
    final[product],
    `${product}.race.paid-while-expiring`,
    late(product, 'transaction_detected', 'PROCESSING'),
  ),
  fault(
    `${product}-payment-overwrites-cancellation`,
    `Looks whether one of the ${product} is open, and then takes its payment although it was cancelled meanwhile.`,
    final[product],
    `${product}.race.paid-while-cancelled`,
    late(product, 'transaction_detected', 'PROCESSING'),
  ),
  fault(
    `${product}-failure-overwrites-confirmation`,
    `Looks whether a payment of one of the ${product} waits, and then lets it fail although it was confirmed meanwhile.`,
    final[product],
    `${product}.race.confirmed-while-failing`,
    late(product, 'payment_failed', 'FAILED'),
  ),
  fault(
    `${product}-payment-and-cancellation-both-taken`,
    `Takes the payment of one of the ${product} and its cancellation at once, and shows neither of them until the payment stands in the place of the other.`,
    final[product],
    `${product}.race.paid-while-cancelled`,
    late(product, 'transaction_detected', 'PROCESSING', 'INIT'),
  ),
  fault(
    `${product}-confirmation-and-failure-both-taken`,
    `Takes the confirmation and the failure of a payment of one of the ${product} at once, and shows neither of them until one stands in the place of the other.`,
    final[product],
    `${product}.race.confirmed-while-failing`,
    late(product, 'payment_failed', 'FAILED', 'PROCESSING'),
  ),
]);

/** Wrong servers that look first and act later, with nothing that keeps others from acting in between. */
export const raceFaults: readonly Fault[] = [
  ...ofOrders,
  ...(
    [
      ['orders', 'hosted', jsonAnswer({ code: errorCode('orders', 'SYSTEM_ERROR'), message: 'a row is locked' })],
      [
        'checkout',
        'checkout',
        jsonAnswer({ code: errorCode('checkout', 'SYSTEM_ERROR'), message: 'a row is locked', data: null }),
      ],
      ['refunds', 'refund', refundRefusal(500, errorCode('refunds', 'SYSTEM_ERROR'))],
    ] as const
  ).map(([area, noun, failure]) =>
    fault(
      `${noun}-creates-lock-the-merchant`,
      `Answers ${area}.create with a system error while another one of the same merchant is under way.`,
      `${area}.create.accepted`,
      `${area}.race.different-creates`,
      failingWhileUnderWay(`${area}.create`, undefined, failure),
    ),
  ),
  fault(
    'cancellation-overwrites-payment',
    'Looks whether a hosted order is unpaid, and then cancels it although its payment has come meanwhile.',
    'orders.states.no-other-moves',
    'orders.race.paid-while-cancelled',
    late('orders', 'cancelled', 'CLOSED'),
  ),
  fault(
    'checkout-id-noted-afterwards',
    'Notes the merchantOrderId of a checkout order once the order is made.',
    'checkout.create.idempotent',
    'checkout.race.repeated',
    notingIdsAfterwards('checkout.create', 'merchantOrderId'),
  ),
  fault(
    'refund-id-noted-afterwards',
    'Notes the merchantRefundOrderId of a refund once the refund is made.',
    'refunds.create.idempotent',
    'refunds.race.repeated',
    notingIdsAfterwards('refunds.create', 'merchantRefundOrderId'),
  ),
  fault(
    'hosted-expiry-of-the-last-create-kept',
    'Keeps the expiry of the last of several hosted creates under one id that come at the same moment.',
    'orders.view.constant',
    'orders.race.differing-repeats',
    overwritingWhatIsUnderWay('orders.create', 'orders.query', 'merchantOrderId', 'expiresAt'),
  ),
  fault(
    'checkout-metadata-of-the-last-create-kept',
    'Keeps the metadata of the last of several checkout creates under one id that come at the same moment.',
    'checkout.create.idempotent',
    'checkout.race.differing-repeats',
    overwritingWhatIsUnderWay('checkout.create', 'checkout.query', 'merchantOrderId', 'metadata'),
  ),
  fault(
    'refund-extra-data-of-the-last-create-kept',
    'Keeps the extraData of the last of several refund creates under one id that come at the same moment.',
    'refunds.create.idempotent',
    'refunds.race.differing-repeats',
    overwritingWhatIsUnderWay('refunds.create', 'refunds.query', 'merchantRefundOrderId', 'extraData'),
  ),
  fault(
    'checkout-repeat-fails-under-way',
    'Answers a checkout create with a system error while another one under the same merchantOrderId is under way.',
    'checkout.create.repeat-identical',
    'checkout.race.failing-repeat',
    failingWhileUnderWay(
      'checkout.create',
      'merchantOrderId',
      jsonAnswer({ code: errorCode('checkout', 'SYSTEM_ERROR'), message: 'a row is locked', data: null }, 500),
    ),
  ),
  fault(
    'refund-repeat-fails-under-way',
    'Answers a refund request with a system error while another one under the same merchantRefundOrderId is under way.',
    'refunds.create.repeat-identical',
    'refunds.race.failing-repeat',
    failingWhileUnderWay('refunds.create', 'merchantRefundOrderId', refundRefusal(500, 'SYSTEM_ERROR')),
  ),
  fault(
    'balance-read-before-reserving',
    'Reads the balance, and reserves from it a little later without a lock.',
    'refunds.create.reserves-funds',
    'refunds.race.balance',
    reservingLate(),
  ),
  fault(
    'balance-read-a-moment-before-reserving',
    'Reads the balance as it was a millisecond ago, so that refunds which come in at the same moment spend it twice.',
    'refunds.create.reserves-funds',
    'refunds.race.balance',
    readingAMomentAgo(),
  ),
  fault(
    'balance-read-before-giving-back',
    'Reads the balance, and a little later gives back to it what a refund had reserved, without a lock.',
    'refunds.create.reserves-funds',
    'refunds.race.given-back',
    givingBackLate(),
  ),
  fault(
    'refund-failure-overwrites-success',
    'Looks whether a refund is under way, and then lets it fail although it was completed meanwhile.',
    'refunds.states.final',
    'refunds.race.ended-in-two-ways',
    lateRefund('failed', 'FAILED'),
  ),
  fault(
    'refund-failure-and-success-both-taken',
    'Takes the failure and the completion of a refund at once, and shows neither of them until one stands in the place of the other.',
    'refunds.states.final',
    'refunds.race.ended-in-two-ways',
    lateRefund('failed', 'FAILED', 'PROCESSING'),
  ),
  fault(
    'paid-order-written-back-by-repeat',
    'Writes a checkout order back, as it was when its create was repeated, a little later.',
    'checkout.create.idempotent',
    'checkout.race.repeated-while-paid',
    writingBack('checkout.create'),
  ),
  fault(
    'refund-written-back-by-repeat',
    'Writes a refund back, as it was when its request was repeated, a little later.',
    'refunds.create.idempotent',
    'refunds.race.repeated-while-ended',
    writingBack('refunds.create'),
  ),
];
