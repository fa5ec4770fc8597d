import type { OrdersEvent, OrdersState, Transition } from '../../../generated/catalogue.ts';
import type { OrderMachine, Product } from '../../../server/domain/order.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { schemaFaults } from '../../contract/schema.ts';
import {
  answeringJson,
  bodyOf,
  isCheckout,
  isCreate,
  isHosted,
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

/** Shows a merchant's newest order to every query of it. */
export function showingTheNewest(): Handler {
  const newest = new Map<string, string>();
  return (request, server) => {
    const merchant = server.merchant(merchantIdOf(request));
    if (!merchant || !isRightlySigned(request, server)) return server.forward(request);
    const created =
      isCreate(request) || isOf('checkout.create')(request) ? bodyOf(request)?.merchantOrderId : undefined;
    if (typeof created === 'string') newest.set(merchant.merchantId, created);
    const id = queriedId(request) === undefined ? undefined : newest.get(merchant.merchantId);
    if (id === undefined) return server.forward(request);
    return server.forward(signed({ ...request, target: request.target.replace(/[^/]+$/, id) }, merchant));
  };
}

/** Shows any merchant's order to every merchant that knows its id. */
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

/** Names an order's platform id when another merchant asks for it. */
export function tellingOfOthers(): Handler {
  const orders = new Map<string, unknown>();
  return answeringJson((envelope, request) => {
    const { code, data } = envelope;
    if (code === '00000' && isObject(data)) orders.set(String(data.merchantOrderId), data.orderId);
    const known = orders.get(queriedId(request) ?? '');
    return code === '40001' && known
      ? { ...envelope, message: `order ${known} belongs to another merchant` }
      : envelope;
  });
}

/** Shows an order as it was when it was made, whatever has become of it. */
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

/** A success that shows nothing. */
export const emptySuccess = { code: '00000', message: 'Success', data: null };

/** Serves the merchant of the key, whoever stands in the path. */
export const servingTheKeysMerchant: Handler = (request, server) => {
  const owner = server.owner(request.headers['x-api-key'] ?? '');
  if (!owner || server.merchant(merchantIdOf(request)) || !isRightlySigned(request, server))
    return server.forward(request);
  const target = request.target.replace(/\/merchants\/[^/?]+/, `/merchants/${owner.merchantId}`);
  return server.forward(signed({ ...request, target }, owner));
};

// --- Creates --------------------------------------------------------------------------------------------------------

/** The order that a create asks for: ids are each merchant's own. */
const orderOf = (request: ProxyRequest) => `${merchantIdOf(request)} ${bodyOf(request)?.merchantOrderId}`;

/** A server that takes every create under a known id for the first, or only those that are the same to the letter. */
export function repeating(operation: string, again: 'as-first' | 'only-identical'): Handler {
  const first = new Map<string, Buffer>();
  return onlyFor(isOf(operation), async (request, server) => {
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    const named = typeof bodyOf(request)?.merchantOrderId === 'string';
    if (!named || !owner || !isRightlySigned(request, server)) return server.forward(request);
    const before = first.get(orderOf(request));
    if (before === undefined) {
      const answer = await server.forward(request);
      if (bodyOf(answer)?.code === '00000') first.set(orderOf(request), request.body);
      return answer;
    }
    if (again === 'as-first') return server.forward(resigned({ ...request, body: before }, owner));
    return before.equals(request.body)
      ? server.forward(request)
      : refusal(request, '20001', 'merchantOrderId: is taken');
  });
}

/** A server that takes numbers, truth values and null for the text, or the absence, that they may stand for. */
export const lenient = (operation: string, schema: string): Handler =>
  readingBodies(operation, (body) => {
    const faults = schemaFaults(body, schema).filter(({ keyword }) => keyword === 'type');
    if (faults.length === 0) return body;
    const read = structuredClone(body);
    for (const { path, expected } of faults) {
      const steps = path.split('.');
      const name = steps.pop() ?? '';
      const into = (value: unknown, step: string) => (isHolder(value) ? Reflect.get(value, step) : undefined);
      const holder = steps.reduce<unknown>(into, read);
      if (!isHolder(holder)) continue;
      const value: unknown = Reflect.get(holder, name);
      if (value === null && !Array.isArray(holder)) Reflect.deleteProperty(holder, name);
      if (typeof value === 'number' || typeof value === 'boolean') Reflect.set(holder, name, String(value));
      if (expected.includes('integer') && /^[0-9]+$/.test(String(value))) Reflect.set(holder, name, Number(value));
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
    if (code !== '00000' || !isObject(data)) return answer;
    const isRepeat = known.has(orderOf(request));
    known.add(orderOf(request));
    return isRepeat && states.some((state) => state === data.status)
      ? refusal(request, '20001', 'merchantOrderId: is taken')
      : answer;
  });
}

// --- Records --------------------------------------------------------------------------------------------------------

/** A server that keeps the amounts of a product's orders, and asks for them, as `keep` makes them. */
export function keepingAmounts(product: Product, keep: (value: string) => string): Make {
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

// --- States ---------------------------------------------------------------------------------------------------------

type Move = Transition<OrdersState, OrdersEvent>;

/** Servers whose orders of a product have other moves than the contract's. */
export function movesOf(machine: 'orders' | 'checkout') {
  const moving = (change: (moves: readonly Move[]) => readonly Move[]): Make => ({
    parts: (parts) => {
      const right = parts.states[machine];
      const changed: OrderMachine = { ...right, transitions: change(right.transitions) };
      // States that the contract does not have this way would be held against it when they are shown.
      return { ...parts, states: { ...parts.states, [machine]: changed }, validateResponses: false };
    },
  });
  const is = (move: Move, from: OrdersState, event: OrdersEvent, when?: Move['when']) =>
    move.from === from && move.event === event && (when === undefined || move.when === when);
  return {
    /** The moves without those of one event in one state, or of one of its amounts. */
    lacking: (from: OrdersState, event: OrdersEvent, when?: Move['when']): Make =>
      moving((moves) => moves.filter((move) => !is(move, from, event, when))),
    /** The moves of one event in one state, or of one of its amounts, lead elsewhere. */
    leading: (from: OrdersState, event: OrdersEvent, to: OrdersState, when?: Move['when']): Make =>
      moving((moves) => moves.map((move) => (is(move, from, event, when) ? { ...move, to } : move))),
    /** One more move. */
    adding: (from: OrdersState, event: OrdersEvent, to: OrdersState): Make =>
      moving((moves) => [...moves, { from, event, to }]),
  };
}

/** A server that keeps a product's orders under ids as `kept` makes them, and so takes some for each other. */
export function keyedBy(product: Product, kept: (merchantOrderId: string) => string): Make {
  const keyed = <Identity extends { product: Product; merchantOrderId: string }>(identity: Identity): Identity =>
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

/** A server that decides by another comparison whether what was paid of a product's orders is enough. */
export const enough = (product: Product, isEnough: (paid: string, due: string) => boolean): Make => ({
  parts: storing((records) => ({
    updateOrder: (order) => {
      const decided = order.status === 'SUCCEEDED' || order.status === 'FAILED';
      if (order.product !== product || !order.payment || !decided) return records.updateOrder(order);
      const succeeded = isEnough(order.payment.amount.value, order.due.value);
      const status = succeeded ? 'SUCCEEDED' : 'FAILED';
      return records.updateOrder({ ...order, status, paidAt: succeeded ? (order.paidAt ?? order.createdAt) : null });
    },
  })),
});

/** A server with one namespace of merchantOrderIds for all merchants; `leaking`: it shows the order that has the id. */
export function sharedNamespace(product: Product, { leaking }: { leaking: boolean }): Make {
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

/** Knows the business time of each merchant, in milliseconds, by reading along how it is moved. */
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

/** Shows a product's orders as closed once their time is over, and goes on taking payments for them. */
export function closingInViewsOnly(machine: 'orders' | 'checkout'): Make {
  const { now, control } = followingClocks();
  return {
    ...movesOf(machine).lacking('INIT', 'expired'),
    control,
    merchantApi: onlyFor(
      machine === 'orders' ? isHosted : isCheckout,
      showing((view, request) =>
        view.status === 'INIT' && Date.parse(String(view.expiresAt)) <= now(merchantIdOf(request))
          ? { ...view, status: 'CLOSED' }
          : view,
      ),
    ),
  };
}
