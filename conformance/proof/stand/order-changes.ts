import type { OrdersEvent, OrdersState, Transition } from '../../../generated/catalogue.ts';
import type { AppParts } from '../../../server/app.ts';
import type { Order, OrderMachine, Payment, Product as StoredProduct } from '../../../server/domain/order.ts';
import type { Product } from '../../arrange/orders/any-order.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { schemaFaults } from '../../contract/schema.ts';
import { successCode } from '../../contract/success-code.ts';
import {
  answeringJson,
  bodyOf,
  isCheckout,
  isHosted,
  isHostedCreate,
  isOf,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  queriedId,
  readingBodies,
  refusal,
  showing,
  storing,
} from './changes.ts';
import type { Make } from './fault.ts';
import { type Handler, type ProxyRequest, resigned, signed } from './proxy.ts';

// --- Queries --------------------------------------------------------------------------------------------------------

/** A server that shows the newest order of a merchant to each of its queries. */
export function showingTheNewest(): Handler {
  const newest = new Map<string, string>();
  return (request, server) => {
    const merchant = server.merchant(merchantIdOf(request));
    if (!merchant || !isRightlySigned(request, server)) return server.forward(request);
    const created =
      isHostedCreate(request) || isOf('checkout.create')(request) ? bodyOf(request)?.merchantOrderId : undefined;
    if (typeof created === 'string') newest.set(merchant.merchantId, created);
    const id = queriedId(request) === undefined ? undefined : newest.get(merchant.merchantId);
    if (id === undefined) return server.forward(request);
    return server.forward(signed({ ...request, target: request.target.replace(/[^/]+$/, id) }, merchant));
  };
}

/** A server that shows an order to every merchant that knows its id. */
export function sharedOrders(): Make {
  const owners = new Map<string, string>();
  return {
    parts: storing(
      (records) => ({
        insertOrder: (order) => {
          owners.set(order.merchantOrderId, order.merchantId).set(order.orderId, order.merchantId);
          return records.insertOrder(order);
        },
      }),
      (reads) => ({
        findOrder: (identity) =>
          reads.findOrder({ ...identity, merchantId: owners.get(identity.merchantOrderId) ?? identity.merchantId }),
        findOrderById: (merchantId, orderId) => reads.findOrderById(owners.get(orderId) ?? merchantId, orderId),
      }),
    ),
  };
}

/** A server that tells the platform id of an order to another merchant that asks for it. */
export function tellingOfOthers(): Handler {
  const orders = new Map<string, unknown>();
  return answeringJson((envelope, request) => {
    const { code, data } = envelope;
    if (code === successCode && isObject(data)) orders.set(String(data.merchantOrderId), data.orderId);
    const known = orders.get(queriedId(request) ?? '');
    return code === '40001' && known
      ? { ...envelope, message: `order ${known} belongs to another merchant` }
      : envelope;
  });
}

/** A server that always shows an order as it was at its creation. */
export function showingTheFirstView(): Handler {
  const first = new Map<string, JsonObject>();
  return showing((view) => {
    const id = String(view.orderId);
    const shown = first.get(id) ?? view;
    first.set(id, shown);
    return shown;
  });
}

/** A time as a clock shows it in a zone that is eight hours ahead of UTC, written as if it were UTC. */
export const eightHoursAhead = (time: unknown): string =>
  new Date(Date.parse(String(time)) + 8 * 3_600_000).toISOString();

/** The same time as that clock shows it, with the offset from UTC. */
export const inZoneEightHoursAhead = (time: unknown): string => eightHoursAhead(time).replace('Z', '+08:00');

/** A server that answers a query for an order that does not exist in another way, for the requests that `applies` selects. */
export const answeringUnknownOrder = (
  applies: (request: ProxyRequest) => boolean,
  instead: (envelope: JsonObject) => unknown,
): Make => ({
  merchantApi: onlyFor(
    applies,
    answeringJson((envelope) => (envelope.code === '40001' ? instead(envelope) : envelope)),
  ),
});

/** A server that answers a query for an id of the wrong form with an empty success. */
export const acceptingImpossibleIds = (rightForm: RegExp): Make => ({
  merchantApi: answeringJson((envelope, request) =>
    rightForm.test(queriedId(request) ?? 'a-well-formed-id') ? envelope : emptySuccess,
  ),
});

/** A success without data. */
export const emptySuccess = { code: successCode, message: 'Success', data: null };

/** A server that serves the merchant of the key, whichever merchant the path names. */
export const servingTheKeysMerchant: Handler = (request, server) => {
  const owner = server.owner(request.headers['x-api-key'] ?? '');
  if (!owner || server.merchant(merchantIdOf(request)) || !isRightlySigned(request, server))
    return server.forward(request);
  const target = request.target.replace(/\/merchants\/[^/?]+/, `/merchants/${owner.merchantId}`);
  return server.forward(signed({ ...request, target }, owner));
};

// --- Creates --------------------------------------------------------------------------------------------------------

/** A key for the order that a create asks for: merchant and merchantOrderId. */
const orderOf = (request: ProxyRequest) => `${merchantIdOf(request)} ${bodyOf(request)?.merchantOrderId}`;

/** A server that answers every create under a known id like the first one, or refuses those that are not identical. */
export function repeating(operation: string, again: 'as-first' | 'only-identical'): Handler {
  const first = new Map<string, Buffer>();
  return onlyFor(isOf(operation), async (request, server) => {
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    const named = typeof bodyOf(request)?.merchantOrderId === 'string';
    if (!named || !owner || !isRightlySigned(request, server)) return server.forward(request);
    const before = first.get(orderOf(request));
    if (before === undefined) {
      const answer = await server.forward(request);
      if (bodyOf(answer)?.code === successCode) first.set(orderOf(request), request.body);
      return answer;
    }
    if (again === 'as-first') return server.forward(resigned({ ...request, body: before }, owner));
    return before.equals(request.body)
      ? server.forward(request)
      : refusal(request, '20001', 'merchantOrderId: is taken');
  });
}

/** A server that reads numbers and booleans as text, and null as an absent field. */
export const lenient = (operation: string, schema: string): Handler =>
  readingBodies(operation, (body) => {
    const faults = schemaFaults(body, schema).filter(({ keyword }) => keyword === 'type');
    if (faults.length === 0) return body;
    const read = structuredClone(body);
    for (const { path, rule } of faults) {
      const steps = path.split('.');
      const name = steps.pop() ?? '';
      const into = (value: unknown, step: string) => (isHolder(value) ? Reflect.get(value, step) : undefined);
      const holder = steps.reduce<unknown>(into, read);
      if (!isHolder(holder)) continue;
      const value: unknown = Reflect.get(holder, name);
      if (value === null && !Array.isArray(holder)) Reflect.deleteProperty(holder, name);
      if (typeof value === 'number' || typeof value === 'boolean') Reflect.set(holder, name, String(value));
      if ([rule].flat().includes('integer') && /^[0-9]+$/.test(String(value))) Reflect.set(holder, name, Number(value));
    }
    return read;
  });

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A server that refuses repeats of orders in some states. */
export function refusingRepeats(operation: string, states: readonly OrdersState[]): Handler {
  const known = new Set<string>();
  return onlyFor(isOf(operation), async (request, server) => {
    const answer = await server.forward(request);
    const { code, data } = bodyOf(answer) ?? {};
    if (code !== successCode || !isObject(data)) return answer;
    const isRepeat = known.has(orderOf(request));
    known.add(orderOf(request));
    return isRepeat && states.some((state) => state === data.status)
      ? refusal(request, '20001', 'merchantOrderId: is taken')
      : answer;
  });
}

/** Whether the expiry of a create is written as ISO 8601 and is no time of any calendar. */
export function isImpossible({ expiresAt }: JsonObject): boolean {
  const text = String(expiresAt);
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$/.test(text) || text.includes(':60Z')) return false;
  const time = Date.parse(text);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 16) !== text.slice(0, 16);
}

// --- Records --------------------------------------------------------------------------------------------------------

/**
 * A server that ends a product's orders by so many milliseconds later than their expiry, or earlier where that is negative; those alone for
 * which `isMeant` is true.
 */
export const dueLater = (
  product: StoredProduct,
  milliseconds: number,
  isMeant: (order: Order) => boolean = () => true,
): Make => ({
  parts: storing((records) => ({
    insertOrder: (order) =>
      records.insertOrder(
        order.product === product && isMeant(order) ? { ...order, dueAt: order.expiresAt + milliseconds } : order,
      ),
  })),
});

/** A server that stores changed amounts of the orders of a product, and asks for them. */
export function keepingAmounts(product: StoredProduct, keep: (value: string) => string): Make {
  const kept = <Amount extends { value: string }>(amount: Amount): Amount => ({ ...amount, value: keep(amount.value) });
  return {
    parts: storing((records) => ({
      insertOrder: (order) => {
        if (order.product !== product) return records.insertOrder(order);
        if (order.product === 'hosted') {
          return records.insertOrder({
            ...order,
            request: { ...order.request, orderAmount: kept(order.request.orderAmount) },
          });
        }
        const request = { ...order.request, orderAmount: kept(order.request.orderAmount) };
        return records.insertOrder({ ...order, request, due: kept(order.due) });
      },
    })),
  };
}

/**
 * A server that changes the stored order of a product, and shows nothing of it, when its create is sent again; `change` gets the order and the
 * body that was sent again.
 */
export function changedByRepeats(product: StoredProduct, change: (order: Order, body: JsonObject) => Order): Make {
  const known = new Set<string>();
  let storage: AppParts['storage'] | undefined;
  return {
    parts: (parts) => {
      storage = parts.storage;
      return parts;
    },
    merchantApi: onlyFor(isOf(product === 'hosted' ? 'orders.create' : 'checkout.create'), async (request, server) => {
      const answer = await server.forward(request);
      const [key, body] = [orderOf(request), bodyOf(request)];
      const accepted = bodyOf(answer)?.code === successCode;
      const isRepeat = known.has(key);
      if (accepted) known.add(key);
      if (!isRepeat || !body || !isRightlySigned(request, server)) return answer;
      const identity = { product, merchantId: merchantIdOf(request), merchantOrderId: String(body.merchantOrderId) };
      await storage?.transaction(async (records) => {
        const order = await records.findOrder(identity);
        if (order) await records.updateOrder(change(order, body));
      });
      return answer;
    }),
  };
}

// --- States ---------------------------------------------------------------------------------------------------------

type Move = Transition<OrdersState, OrdersEvent>;

/** Servers whose orders of a product have other moves than the contract's. */
export function movesOf(product: Product) {
  const moving = (change: (moves: readonly Move[]) => readonly Move[]): Make => ({
    parts: (parts) => {
      const right = parts.states[product];
      const changed: OrderMachine = { ...right, transitions: change(right.transitions) };
      // The server would refuse to show states that its contract does not have.
      return { ...parts, states: { ...parts.states, [product]: changed }, validateResponses: false };
    },
  });
  const is = (move: Move, from: OrdersState, event: OrdersEvent, when?: Move['when']) =>
    move.from === from && move.event === event && (when === undefined || move.when === when);
  return {
    /** Without the moves of an event in a state, or of one of its amounts. */
    lacking: (from: OrdersState, event: OrdersEvent, when?: Move['when']): Make =>
      moving((moves) => moves.filter((move) => !is(move, from, event, when))),
    /** The moves of an event in a state, or of one of its amounts, lead to another state. */
    leading: (from: OrdersState, event: OrdersEvent, to: OrdersState, when?: Move['when']): Make =>
      moving((moves) => moves.map((move) => (is(move, from, event, when) ? { ...move, to } : move))),
    /** One more move. */
    adding: (from: OrdersState, event: OrdersEvent, to: OrdersState): Make =>
      moving((moves) => [...moves, { from, event, to }]),
  };
}

/** A server that stores the orders of a product under changed ids, and so confuses some of them. */
export function keyedBy(product: StoredProduct, kept: (merchantOrderId: string) => string): Make {
  const keyed = <Identity extends { product: StoredProduct; merchantOrderId: string }>(identity: Identity): Identity =>
    identity.product === product ? { ...identity, merchantOrderId: kept(identity.merchantOrderId) } : identity;
  return {
    parts: storing(
      (records) => ({
        insertOrder: (order) => records.insertOrder(keyed(order)),
        findOrder: (identity) => records.findOrder(keyed(identity)),
      }),
      (reads) => ({ findOrder: (identity) => reads.findOrder(keyed(identity)) }),
    ),
  };
}

/** A server that compares the payment of an order of a product with the amount due in another way. */
export const enough = (
  product: StoredProduct,
  isEnough: (paid: string, due: string, request: Order['request'], payment: Payment) => boolean,
): Make => ({
  parts: storing((records) => ({
    updateOrder: (order) => {
      const decided = order.status === 'SUCCEEDED' || order.status === 'FAILED';
      if (order.product !== product || !order.payment || !decided) return records.updateOrder(order);
      const succeeded = isEnough(order.payment.amount.value, order.due.value, order.request, order.payment);
      const status = succeeded ? 'SUCCEEDED' : 'FAILED';
      return records.updateOrder({ ...order, status, paidAt: succeeded ? (order.paidAt ?? order.createdAt) : null });
    },
  })),
});

/** A server with one namespace of merchantOrderIds for all merchants; `leaking`: it shows the order that has the id. */
export function sharedNamespace(product: StoredProduct, { leaking }: { leaking: boolean }): Make {
  const owners = new Map<string, string>();
  return {
    parts: storing((records) => ({
      insertOrder: async (order) => {
        if (order.product !== product) return records.insertOrder(order);
        if (owners.has(order.merchantOrderId)) return false;
        owners.set(order.merchantOrderId, order.merchantId);
        return records.insertOrder(order);
      },
      ...(leaking && {
        findOrder: (identity) =>
          records.findOrder({ ...identity, merchantId: owners.get(identity.merchantOrderId) ?? identity.merchantId }),
      }),
    })),
  };
}

/** The business time of each merchant, in milliseconds, read from the requests of the control API that move it. */
export function followingClocks(): { now(merchantId: string): number; control: Handler } {
  const ahead = new Map<string, number>();
  return {
    now: (merchantId) => Date.now() + (ahead.get(merchantId) ?? 0),
    control: (request, server) => {
      const { advanceSeconds } = bodyOf(request) ?? {};
      const merchantId = merchantIdOf(request);
      if (typeof advanceSeconds === 'number')
        ahead.set(merchantId, (ahead.get(merchantId) ?? 0) + advanceSeconds * 1000);
      return server.forward(request);
    },
  };
}

/** A server that shows the orders of a product as closed once they have expired, and still accepts payments for them. */
export function closingInViewsOnly(product: Product): Make {
  const { now, control } = followingClocks();
  return {
    ...movesOf(product).lacking('INIT', 'expired'),
    control,
    merchantApi: onlyFor(
      product === 'orders' ? isHosted : isCheckout,
      showing((view, request) =>
        view.status === 'INIT' && Date.parse(String(view.expiresAt)) <= now(merchantIdOf(request))
          ? { ...view, status: 'CLOSED' }
          : view,
      ),
    ),
  };
}

/** A server that shows an order as `to`, for good, once it was seen in PROCESSING after its expiry; hosted ones, unless `ofWhich` says otherwise. */
export function timingOut(
  to: 'FAILED' | 'CLOSED',
  ofWhich: (request: ProxyRequest) => boolean = isHosted,
): { control: Handler; merchantApi: Handler } {
  const { now, control } = followingClocks();
  const ended = new Set<unknown>();
  const none = { paidAt: null, cryptoPaidAmount: null, cryptoPaymentDetail: null };
  return {
    control,
    merchantApi: onlyFor(
      ofWhich,
      showing((view, request) => {
        const { orderId, status, expiresAt } = view;
        if (status === 'PROCESSING' && Date.parse(String(expiresAt)) <= now(merchantIdOf(request))) ended.add(orderId);
        if (!ended.has(orderId)) return view;
        const { paidAt: _at, cryptoPaidAmount: _amount, cryptoPaymentDetail: _detail, ...rest } = view;
        return { ...rest, ...(isHosted(request) && none), status: to };
      }),
    ),
  };
}

/** A server that shows a hosted order as open again that was seen in PROCESSING so many milliseconds of business time before, as long as it has not expired. */
export function reopeningAfter(milliseconds: number): Make {
  const { now, control } = followingClocks();
  const seen = new Map<unknown, number>();
  const none = { paidAt: null, cryptoPaidAmount: null, cryptoPaymentDetail: null };
  return {
    control,
    merchantApi: onlyFor(
      isHosted,
      showing((view, request) => {
        const time = now(merchantIdOf(request));
        if (view.status !== 'PROCESSING' || Date.parse(String(view.expiresAt)) <= time) return view;
        const since = seen.get(view.orderId) ?? time;
        seen.set(view.orderId, since);
        return time - since < milliseconds ? view : { ...view, ...none, status: 'INIT' };
      }),
    ),
  };
}

/** A server that forgets something of a merchant when its business time is moved for the `least`th time; `make` is told of which requests' merchant. */
export function forgettingInTime(make: (isForgotten: (request: ProxyRequest) => boolean) => Make, least = 1): Make {
  const moves = new Map<string, number>();
  const movesOf = (request: ProxyRequest) => moves.get(merchantIdOf(request)) ?? 0;
  return {
    ...make((request) => movesOf(request) >= least),
    control: (request, server) => {
      if (request.target.endsWith('/clock')) moves.set(merchantIdOf(request), movesOf(request) + 1);
      return server.forward(request);
    },
  };
}

/** A server whose ids of orders have the form of a merchant's own. */
export const idsOfMerchantsForm: Make = {
  parts: (parts) => ({ ...parts, ids: { ...parts.ids, orderId: () => parts.ids.orderId().replace('.', '_') } }),
};

/** A server with such ids that finds in each query the order to which the platform gave an id before the one to which its merchant gave it. */
export const findingPlatformIdsFirst: Make = {
  parts: (parts) =>
    storing(
      () => ({}),
      (reads) => ({
        findOrder: async (which) =>
          (await reads.findOrderById(which.merchantId, which.merchantOrderId)) ?? reads.findOrder(which),
      }),
    )(idsOfMerchantsForm.parts?.(parts) ?? parts),
};
