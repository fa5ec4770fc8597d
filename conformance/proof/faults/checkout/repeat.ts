import type { OrdersState } from '../../../../generated/catalogue.ts';
import type { CheckoutOrder } from '../../../../server/domain/order.ts';
import type { Records } from '../../../../server/services/ports.ts';
import { orderStates } from '../../../arrange/orders/any-order.ts';
import { isObject, type JsonObject, valueAt } from '../../../contract/json.ts';
import { successCode } from '../../../contract/success-code.ts';
import {
  answeringJson,
  bodyOf,
  isCheckout,
  isOf,
  isRightlySigned,
  merchantIdOf,
  onlyFor,
  queriedId,
  showing,
  storing,
} from '../../stand/changes.ts';
import { type Fault, faultsCaughtBy, type Make } from '../../stand/fault.ts';
import { followingClocks, forgettingInTime, refusingRepeats, sharedNamespace } from '../../stand/order-changes.ts';
import { type Handler, type ProxyRequest, resigned, type ServerBehind } from '../../stand/proxy.ts';

const isCreate = isOf('checkout.create');

/**
 * A server that makes another order for a create under a used id if `again` is true of the existing order's status and view.
 * `found` says whether a query shows the first or the last of these orders.
 */
function makingAnother(
  again: (status: OrdersState, request: ProxyRequest, view: JsonObject) => boolean,
  found: 'first' | 'last',
): Make {
  const ids = new Map<string, string[]>();
  const keyOf = (request: ProxyRequest, id: string) => `${merchantIdOf(request)} ${id}`;

  /** Sends the request under the id `inner` and gives the answer the id that the merchant used. */
  async function under(inner: string, request: ProxyRequest, server: ServerBehind) {
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    const body = bodyOf(request);
    const outer = String(body?.merchantOrderId ?? queriedId(request));
    if (!owner || inner === outer) return server.forward(request);
    const changed = body
      ? { ...request, body: Buffer.from(JSON.stringify({ ...body, merchantOrderId: inner })) }
      : { ...request, target: request.target.replace(/[^/]+$/, inner) };
    const rename: Handler = answeringJson((envelope) =>
      isObject(envelope.data) ? { ...envelope, data: { ...envelope.data, merchantOrderId: outer } } : envelope,
    );
    return rename(resigned(changed, owner), server);
  }

  async function viewOf(id: string, request: ProxyRequest, server: ServerBehind): Promise<JsonObject> {
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    const query = { ...request, method: 'GET', target: `${request.target}/${id}`, body: Buffer.alloc(0) };
    const { data } = bodyOf(await server.forward(owner ? resigned(query, owner) : query)) ?? {};
    return Object(data);
  }

  const handler: Handler = async (request, server) => {
    if (!isRightlySigned(request, server)) return server.forward(request);
    const id = isCreate(request) ? bodyOf(request)?.merchantOrderId : queriedId(request);
    if (typeof id !== 'string') return server.forward(request);
    const made = ids.get(keyOf(request, id)) ?? [];
    const inner = (found === 'last' ? made.at(-1) : made[0]) ?? id;
    if (!isCreate(request)) return under(inner, request, server);
    const view = made.length > 0 ? await viewOf(inner, request, server) : undefined;
    if (view && !again(Object(view).status, request, view)) return under(inner, request, server);
    const another = made.length === 0 ? id : `${id}-${made.length}`;
    const answer = await under(another, request, server);
    if (bodyOf(answer)?.code === successCode) ids.set(keyOf(request, id), [...made, another]);
    return answer;
  };
  return { merchantApi: onlyFor(isCheckout, handler) };
}

/** A server that checks for an existing order before it makes one. Simultaneous creates all find none. */
function lookingBeforeMaking(): Make {
  const known = new Set<string>();
  let number = 0;
  return {
    merchantApi: onlyFor(isCreate, async (request, server) => {
      const body = bodyOf(request);
      const owner = server.owner(request.headers['x-api-key'] ?? '');
      const id = String(body?.merchantOrderId);
      if (!body || !owner || !isRightlySigned(request, server) || known.has(id)) return server.forward(request);
      number += 1;
      const inner = `${id}-${number}`;
      const changed = { ...request, body: Buffer.from(JSON.stringify({ ...body, merchantOrderId: inner })) };
      const [answer] = await Promise.all([server.forward(resigned(changed, owner)), server.forward(request)]);
      known.add(id);
      const envelope = bodyOf(answer);
      if (!isObject(envelope?.data)) return answer;
      const data = { ...envelope.data, merchantOrderId: id };
      return { ...answer, body: Buffer.from(JSON.stringify({ ...envelope, data })) };
    }),
  };
}

/** A server that overwrites the existing order with the fields that `change` returns for a repeat. */
const overwriting = (change: (first: CheckoutOrder, repeat: CheckoutOrder) => Partial<CheckoutOrder>): Make => ({
  parts: storing((records: Records) => ({
    insertOrder: async (order) => {
      if (await records.insertOrder(order)) return true;
      const first = order.product === 'checkout' ? await records.findOrder(order) : undefined;
      if (order.product !== 'checkout' || first?.product !== 'checkout') return false;
      const changed = { ...first, ...change(first, order) } as typeof first;
      await records.updateOrder(changed);
      return false;
    },
  })),
});

const fault = faultsCaughtBy('checkout.create.repeat.');

/** Whether an amount ends in a zero that no amount of the checks has of itself. */
const isRewritten = (value: unknown) => typeof value === 'string' && /\.0$|\.\d+00$|\.\d\d0$/.test(value);

const second: readonly Fault[] = [
  ...['customer', 'items', 'customerIp', 'userAgent', 'metadata', 'callbackUrl'].map(
    (field): Fault =>
      fault(
        `repeat-with-other-${field.toLowerCase()}-makes-another-order`,
        `Makes another order of a create under a used id that names a ${field}.`,
        'checkout.create.idempotent',
        'changed',
        makingAnother((_status, request) => bodyOf(request)?.[field] !== undefined, 'last'),
      ),
  ),
  fault(
    'repeat-makes-another-order',
    'Makes an order of every create, and finds the newest under its id.',
    'checkout.create.idempotent',
    'init',
    makingAnother(() => true, 'last'),
  ),
  fault(
    'repeat-shows-an-order-of-its-own',
    'Makes an order of every create, and finds the first under its id.',
    'checkout.create.repeat-same-order',
    'init',
    makingAnother(() => true, 'first'),
  ),
  ...(
    [
      ['processing', 'PROCESSING', 'being paid'],
      ['succeeded', 'SUCCEEDED', 'paid'],
      ['failed', 'FAILED', 'failed'],
      ['closed', 'CLOSED', 'closed'],
    ] as const
  ).map(([check, state, words]) =>
    fault(
      `repeat-of-${check}-makes-another`,
      `Makes another order of a repeated create once the first is ${words}.`,
      'checkout.create.idempotent',
      check,
      makingAnother((status) => status === state, 'last'),
    ),
  ),
  ...(
    [
      ['failed', 'FAILED', 'failed'],
      ['closed', 'CLOSED', 'closed'],
      ['succeeded', 'SUCCEEDED', 'paid'],
    ] as const
  ).map(([check, state, words]) =>
    fault(
      `other-create-under-the-id-of-${check}`,
      `Makes an order of a create that has another description than the first under its id, once that is ${words}.`,
      'checkout.create.idempotent',
      check,
      makingAnother((status, request) => status === state && bodyOf(request)?.description === 'another one', 'last'),
    ),
  ),
  fault(
    'repeat-of-overpaid-makes-another',
    'Makes another order of a repeated create once more was paid for the first than was due.',
    'checkout.create.idempotent',
    'succeeded',
    makingAnother(
      (status, _request, { cryptoPaidAmount, cryptoPaymentAmount }) =>
        status === 'SUCCEEDED' &&
        Number(valueAt(cryptoPaidAmount, ['value'])) > Number(valueAt(cryptoPaymentAmount, ['value'])),
      'last',
    ),
  ),
  fault(
    'repeat-of-paid-compared-as-text',
    'Makes another order of a create that is repeated with its amount in another form once the first is paid.',
    'checkout.create.idempotent',
    'succeeded',
    makingAnother(
      (status, request) => status === 'SUCCEEDED' && isRewritten(valueAt(bodyOf(request), ['orderAmount', 'value'])),
      'last',
    ),
  ),
  fault(
    'repeat-forgotten-in-time',
    'Keeps what it knows of creates in a cache that time empties, and makes another order of a later one.',
    'checkout.create.idempotent',
    'days-later',
    forgettingInTime((isForgotten) => makingAnother((_, request) => isForgotten(request), 'last')),
  ),
  fault(
    'repeat-of-failed-forgotten-in-time',
    'Lets a customer try again: makes another order of a create that is sent again days after its order has FAILED.',
    'checkout.create.idempotent',
    'days-later',
    forgettingInTime((isForgotten) =>
      makingAnother((status, request) => status === 'FAILED' && isForgotten(request), 'last'),
    ),
  ),
  fault(
    'repeat-of-expired-restarts',
    'Opens an expired order again when its create is repeated.',
    'checkout.create.idempotent',
    'expired',
    {
      merchantApi: onlyFor(isCheckout, reopening()),
    },
  ),
  fault(
    'parallel-creates-make-orders',
    'Looks first whether an id is taken, and makes orders of all creates that come meanwhile.',
    'checkout.create.repeat-same-order',
    'parallel',
    lookingBeforeMaking(),
  ),
];

/** Shows a closed order as waiting once its create is repeated. */
function reopening(): Handler {
  const reopened = new Set<string>();
  return async (request, server) => {
    const id = isCreate(request) ? bodyOf(request)?.merchantOrderId : queriedId(request);
    const answer = await server.forward(request);
    const envelope = bodyOf(answer);
    if (typeof id !== 'string' || !isObject(envelope?.data)) return answer;
    if (isCreate(request) && envelope.data.status === 'CLOSED') reopened.add(id);
    if (!reopened.has(id)) return answer;
    const data = { ...envelope.data, status: 'INIT' };
    return { ...answer, body: Buffer.from(JSON.stringify({ ...envelope, data })) };
  };
}

const overwritten: readonly Fault[] = [
  fault(
    'repeat-changes-the-amount',
    'Writes the amount of a repeated create over that of the order.',
    'checkout.create.idempotent',
    'changed',
    overwriting((_, { request, due }) => ({ request, due })),
  ),
  fault(
    'repeat-on-another-network-changes-the-metadata',
    'Gives the order the metadata of a repeated create that is for another network.',
    'checkout.create.idempotent',
    'changed',
    overwriting(({ request }, repeat) => {
      const { metadata, network } = repeat.request;
      return network === request.network || metadata === undefined ? {} : { request: { ...request, metadata } };
    }),
  ),
  fault(
    'repeat-prolongs-the-order',
    'Gives the order the expiry of a repeated create.',
    'checkout.create.idempotent',
    'changed',
    overwriting((_, { expiresAt, dueAt }) => ({ expiresAt, dueAt })),
  ),
  fault(
    'repeat-assigns-an-address',
    'Assigns a new deposit address at each create under an id.',
    'checkout.create.idempotent',
    'init',
    overwriting((_, repeat) => ({ depositAddress: repeat.depositAddress })),
  ),
  fault(
    'repeat-begins-anew',
    'Begins the time of an order anew at each create under its id.',
    'checkout.create.idempotent',
    'init',
    overwriting(({ createdAt }) => ({ createdAt: createdAt + 60_000 })),
  ),
  fault(
    'repeat-cancels-the-payment',
    'Forgets the payment that is under way when the create is repeated.',
    'checkout.create.idempotent',
    'processing',
    overwriting(() => ({ status: 'INIT', payment: null })),
  ),
  fault(
    'repeat-revives-a-failed-order',
    'Lets a failed order wait for its payment again when the create is repeated.',
    'checkout.create.idempotent',
    'failed',
    overwriting((first) => (first.status === 'FAILED' ? { status: 'INIT', payment: null } : {})),
  ),
  fault(
    'repeat-revives-a-closed-order',
    'Opens a cancelled order again when the create is repeated.',
    'checkout.create.idempotent',
    'closed',
    overwriting((first) => (first.status === 'CLOSED' ? { status: 'INIT' } : {})),
  ),
  {
    id: 'repeat-replaces-the-callback-url',
    title: 'Announces a checkout order where the last create under its id wants it.',
    breaks: 'checkout.create.idempotent',
    caughtBy: 'webhooks.checkout-order.repeated-create',
    make: overwriting((_, { request }) => ({ request })),
  },
  {
    id: 'repeat-takes-the-callback-url-away',
    title: 'Announces a checkout order no more when its create is repeated without a callbackUrl.',
    breaks: 'checkout.create.idempotent',
    caughtBy: 'webhooks.checkout-order.repeated-create',
    make: overwriting((_, repeat) => (repeat.request.callbackUrl ? {} : { request: repeat.request })),
  },
  fault(
    'repeat-changed-makes-another',
    'Knows a repeat by all of its fields, and makes another order when one differs.',
    'checkout.create.idempotent',
    'changed',
    byWholeRequest(),
  ),
];

/** Makes another order when a create under a known id differs. Queries find the newest order. */
function byWholeRequest(): Make {
  const first = new Map<string, string>();
  const { merchantApi = (request: ProxyRequest, server: ServerBehind) => server.forward(request) } = makingAnother(
    () => true,
    'last',
  );
  return {
    merchantApi: onlyFor(isCheckout, async (request, server) => {
      const id = isCreate(request) ? String(bodyOf(request)?.merchantOrderId) : '';
      const text = request.body.toString('utf8');
      if (first.get(id) === text) return server.forward(request);
      if (id) first.set(id, text);
      return merchantApi(request, server);
    }),
  };
}

const answers: readonly Fault[] = [
  fault(
    'repeats-always-refused',
    'Answers every repeated create with 20001, the same to the letter too.',
    'checkout.create.repeat-identical',
    'identical',
    { merchantApi: refusingRepeats('checkout.create', ['INIT', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'CLOSED']) },
  ),
  fault(
    'repeats-refused-while-paying',
    'Answers a repeated create with 20001 once a payment was seen.',
    'checkout.create.repeat-identical',
    'identical-while-paying',
    { merchantApi: refusingRepeats('checkout.create', ['PROCESSING']) },
  ),
  fault(
    'repeat-of-paid-shows-payment',
    'Answers the repeated create of a paid order as if it were a query.',
    'checkout.view.fields',
    'paid-view',
    {
      merchantApi: onlyFor(isCreate, async (request, server) => {
        const answer = await server.forward(request);
        const envelope = bodyOf(answer);
        const owner = server.owner(request.headers['x-api-key'] ?? '');
        if (!owner || !isObject(envelope?.data) || envelope.data.status !== 'SUCCEEDED') return answer;
        const target = `${request.target}/${envelope.data.merchantOrderId}`;
        return server.forward(resigned({ ...request, method: 'GET', target, body: Buffer.alloc(0) }, owner));
      }),
    },
  ),
  fault(
    'repeat-of-paid-names-payment-time',
    'Shows paidAt in the answer to a repeated create.',
    'checkout.view.fields',
    'paid-view',
    {
      merchantApi: onlyFor(
        isCreate,
        answeringJson((envelope: JsonObject) =>
          isObject(envelope.data) && envelope.data.status === 'SUCCEEDED'
            ? { ...envelope, data: { ...envelope.data, paidAt: envelope.data.createdAt } }
            : envelope,
        ),
      ),
    },
  ),
];

const isolation: readonly Fault[] = [
  {
    id: 'checkout-ids-unique-among-all-merchants',
    title: 'Refuses a merchantOrderId that any other merchant has used for a checkout order.',
    breaks: 'checkout.create.other-merchant',
    caughtBy: 'checkout.create.repeat.other-merchant',
    make: sharedNamespace('checkout', { leaking: false }),
  },
  {
    id: 'checkout-create-answers-with-others-order',
    title: 'Answers a checkout create with the order that another merchant has under the same merchantOrderId.',
    breaks: 'checkout.create.other-merchant',
    caughtBy: 'checkout.create.repeat.other-merchant',
    make: sharedNamespace('checkout', { leaking: true }),
  },
];

/** Servers that show the existing order under another code than that of a success. */
const otherCodes: readonly Fault[] = orderStates.map((state) => ({
  id: `checkout-repeat-${state.toLowerCase()}-other-success-code`,
  title: `Shows a checkout order that is ${state} to a repeat of its create, with code 20000.`,
  breaks: 'general.success-code',
  caughtBy: `checkout.create.repeat.${state.toLowerCase()}`,
  make: { merchantApi: repeatsWithCode(state) },
}));

/** A server that answers the repeat of a create whose order is in `state` with the order and a code of its own. */
function repeatsWithCode(state: OrdersState): Handler {
  const made = new Set<unknown>();
  return onlyFor(
    isCreate,
    answeringJson((envelope) => {
      const { orderId, status } = Object(envelope.data);
      const isRepeat = made.has(orderId);
      if (orderId !== undefined) made.add(orderId);
      return isRepeat && status === state ? { ...envelope, code: '20000' } : envelope;
    }),
  );
}

/** A server whose unpaid orders wait longer by the time after which their create was sent again. */
function waitingAnew(): Make {
  const { now, control } = followingClocks();
  const longer = new Map<unknown, number>();
  const merchantApi: Handler = onlyFor(
    isCheckout,
    showing((view, request) => {
      const at = now(merchantIdOf(request));
      const [made, expiry] = [view.createdAt, view.expiresAt].map((time) => Date.parse(String(time)));
      if (isCreate(request)) longer.set(view.orderId, at - (made ?? at));
      const isOpen = at < (expiry ?? at) + (longer.get(view.orderId) ?? 0);
      return view.status === 'CLOSED' && isOpen ? { ...view, status: 'INIT' } : view;
    }),
  );
  return { control, merchantApi };
}

const timed: readonly Fault[] = [
  {
    id: 'checkout-repeat-gives-time',
    title: 'Starts the time to pay a checkout order anew when its create is sent again, and shows the first expiry.',
    breaks: 'checkout.states.expired',
    caughtBy: 'checkout.query.transitions.expired',
    feeds: ['checkout.situations.time-passes'],
    make: waitingAnew(),
  },
];

/** Wrong servers of a second create under the same merchantOrderId. */
export const checkoutRepeatFaults: readonly Fault[] = [
  ...[...second, ...overwritten, ...answers],
  ...[...isolation, ...otherCodes, ...timed],
];
