import { setTimeout as delay } from 'node:timers/promises';
import type { Json } from '../../../generated/catalogue.ts';
import type { AppParts } from '../../../server/app.ts';
import type { Reads, Records } from '../../../server/services/ports.ts';
import { isObject, type JsonObject, setAt, valueAt } from '../../contract/json.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { signatureOf } from '../../wire/signing/signature.ts';
import {
  type Handler,
  type ProxyAnswer,
  type ProxyRequest,
  resigned,
  type ServerBehind,
  signed,
  splitTarget,
  toSign,
} from './proxy.ts';

/** Where the contract says what a create of a hosted order holds. */
export const orderCreateSchema = '/components/schemas/OrderCreateRequest';

// --- Requests -------------------------------------------------------------------------------------------------------

/** How the requests of each operation look, by the contract's name of it. */
const forms: Readonly<Record<string, RegExp>> = {
  'orders.create': /^POST [^?]*\/merchants\/[^/]+\/orders$/,
  'orders.query': /^GET [^?]*\/merchants\/[^/]+\/orders\//,
  'refunds.create': /^POST [^?]*\/refunds$/,
  'refunds.query': /^GET [^?]*\/refunds(\?|$)/,
  'refunds.batch-query': /^POST [^?]*\/refunds\/batch-query$/,
  'checkout.payment-methods': /^GET [^?]*\/checkout\/payment-methods/,
  'checkout.create': /^POST [^?]*\/checkout\/orders$/,
  'checkout.query': /^GET [^?]*\/checkout\/orders\//,
};

/** True for requests of an operation, by the contract's name of it. */
export const isOf =
  (operation: string) =>
  ({ method, target }: ProxyRequest): boolean =>
    forms[operation]?.test(`${method} ${target}`) === true;

export const isCreate = isOf('orders.create');
export const isQuery = isOf('orders.query');

/** True for requests of hosted orders. */
export const isHosted = (request: ProxyRequest): boolean => isCreate(request) || isQuery(request);

/** True for requests of checkout operations. */
export const isCheckout = ({ target }: ProxyRequest): boolean => /^[^?]*\/merchants\/[^/]+\/checkout\//.test(target);

/** A server that treats some requests in its own way, and all others as it should. */
export const onlyFor =
  (applies: (request: ProxyRequest) => boolean, handler: Handler): Handler =>
  (request, server) =>
    applies(request) ? handler(request, server) : server.forward(request);

/** A server that does what each of these does, the first on the outside. */
export const firstOf = (...handlers: [Handler, ...Handler[]]): Handler =>
  handlers.reduce(
    (outer, inner) => (request, server) => outer(request, { ...server, forward: (each) => inner(each, server) }),
  );

/** A part of a path as text; one that is wrongly encoded as it stands. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The merchant in a request's path. */
export function merchantIdOf({ target }: ProxyRequest): string {
  return decoded(/\/merchants\/([^/?]+)/.exec(target)?.[1] ?? '');
}

/** The id that a query for an order of either product asks for; undefined where the request is none. */
export function queriedId(request: ProxyRequest): string | undefined {
  if (!isQuery(request) && !isOf('checkout.query')(request)) return undefined;
  return decoded(splitTarget(request.target).path.split('/').at(-1) ?? '');
}

/** Bodies of checks are shorter, in bytes, except where their length or depth is the point. */
const longestOrdinary = 10_000;

/** A body that is a JSON object; undefined for any other, and for one that is nested too deeply to be written again. */
export function bodyOf({ body }: { body: Buffer }): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (body.length > longestOrdinary) JSON.stringify(value);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** True when a request carries the signature that `secret` makes of it, or of what `instead` says it is. */
export function isSignedWith(
  request: ProxyRequest,
  secret: string,
  instead: Partial<ReturnType<typeof toSign>> = {},
): boolean {
  return request.headers['x-signature'] === signatureOf({ ...toSign(request), ...instead }, secret);
}

/** True when the owner of the request's key has signed it rightly; neither time nor merchant are looked at. */
export function isRightlySigned(request: ProxyRequest, server: ServerBehind): boolean {
  const owner = server.owner(request.headers['x-api-key'] ?? '');
  return owner !== undefined && isSignedWith(request, owner.apiSecret);
}

/** A server that also takes the requests of which `takes` is true, given the credentials of the merchant in the path. */
export function alsoTaking(
  takes: (request: ProxyRequest, merchant: Credentials, server: ServerBehind) => boolean,
): Handler {
  return (request, server) => {
    const merchant = server.merchant(merchantIdOf(request));
    return server.forward(merchant && takes(request, merchant, server) ? signed(request, merchant) : request);
  };
}

/** A server that finds the signature wrong of the requests of which `finds` is true. */
export function findingUnsigned(finds: (request: ProxyRequest, server: ServerBehind) => boolean): Handler {
  return (request, server) => server.forward(finds(request, server) ? spoiled(request) : request);
}

/** The request with a signature that is never right, where it has one. */
export function spoiled(request: ProxyRequest): ProxyRequest {
  if (!request.headers['x-signature']) return request;
  return { ...request, headers: { ...request.headers, 'x-signature': 'A'.repeat(44) } };
}

/** A server to which an operation's requests look different: rightly signed ones are sent on as `change` makes their bodies. */
export function readingBodies(operation: string, change: (body: JsonObject) => unknown): Handler {
  return (request, server) => {
    const body = isOf(operation)(request) ? bodyOf(request) : undefined;
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    if (!body || !owner || !isRightlySigned(request, server)) return server.forward(request);
    const changed = change(body);
    if (changed === body) return server.forward(request);
    return server.forward(resigned({ ...request, body: Buffer.from(JSON.stringify(changed)) }, owner));
  };
}

/** The same for creates of hosted orders. */
export const readingCreates = (change: (body: JsonObject) => unknown): Handler =>
  readingBodies('orders.create', change);

/** A server that refuses requests of an operation, whatever the contract says of them, when `refuses` is true of the body. */
export function refusingBodies(
  operation: string,
  refuses: (body: JsonObject, request: ProxyRequest) => boolean,
  code = '10001',
): Handler {
  return async (request, server) => {
    const body = isOf(operation)(request) ? bodyOf(request) : undefined;
    const refused = body && isRightlySigned(request, server) && refuses(body, request);
    return refused ? refusal(request, code, 'a parameter is invalid') : server.forward(request);
  };
}

/** The same for creates of hosted orders. */
export const refusingCreates = (refuses: (body: JsonObject, request: ProxyRequest) => boolean): Handler =>
  refusingBodies('orders.create', refuses);

/** True for a body whose field is text of which `test` is true. */
export const hasText = (field: string, test: (text: string) => boolean) => (body: JsonObject) => {
  const value = body[field];
  return typeof value === 'string' && test(value);
};

/** A server that finds orders by merchantOrderId only. */
export const notFindingPlatformIds: Handler = async (request, server) => {
  const asksByPlatformId = queriedId(request)?.startsWith('ord.') && isRightlySigned(request, server);
  return asksByPlatformId ? refusal(request, '40001', 'there is no such order') : server.forward(request);
};

// --- Answers --------------------------------------------------------------------------------------------------------

export function jsonAnswer(value: unknown, status = 200): ProxyAnswer {
  const headers = { 'content-type': 'application/json; charset=utf-8', date: new Date().toUTCString() };
  return { status, headers, body: Buffer.from(JSON.stringify(value)) };
}

/** A refusal in the failure envelope of hosted or of checkout operations. */
export function refusal(request: ProxyRequest, code: string, message: string): ProxyAnswer {
  if (isCheckout(request)) return jsonAnswer({ code, message, data: null });
  const merchantOrderId = queriedId(request) ?? bodyOf(request)?.merchantOrderId ?? null;
  const standard = { standardResponseCode: code, standardResponseMessage: message };
  return jsonAnswer({
    code,
    message,
    data: { orderId: null, merchantId: merchantIdOf(request), merchantOrderId, status: 'FAILED', ...standard },
  });
}

/** A server whose answers are as `change` makes them. */
export function answering(change: (answer: ProxyAnswer, request: ProxyRequest) => ProxyAnswer): Handler {
  return async (request, server) => change(await server.forward(request), request);
}

/** A server whose answers' JSON is as `change` makes it. */
export function answeringJson(change: (envelope: JsonObject, request: ProxyRequest) => unknown): Handler {
  return answering((answer, request) => {
    const envelope = bodyOf(answer);
    return envelope ? { ...answer, body: Buffer.from(JSON.stringify(change(envelope, request))) } : answer;
  });
}

/** A server whose successes show the order as `change` makes it. */
export function showing(change: (view: JsonObject, request: ProxyRequest) => JsonObject): Handler {
  return answeringJson((envelope, request) => {
    const { code, data } = envelope;
    return code === '00000' && isObject(data) ? { ...envelope, data: change(data, request) } : envelope;
  });
}

/** A server whose successes in one operation show each order or refund, alone or in a list, as `change` makes it. */
export const showingEach = (operation: string, change: (view: JsonObject) => JsonObject): Handler =>
  onlyFor(
    isOf(operation),
    answeringJson((envelope) => {
      const { code, data } = envelope;
      const changed = (view: unknown) => (isObject(view) ? change(view) : view);
      if (code !== '00000') return envelope;
      return { ...envelope, data: Array.isArray(data) ? data.map(changed) : changed(data) };
    }),
  );

/** Changes one field of a view, where it has a value. */
export const changing = (path: string, change: (value: unknown) => unknown) => (view: JsonObject) => {
  const steps = path.split('.');
  const value = valueAt(view, steps);
  const changed = value === undefined || value === null ? view : setAt(view, steps, change(value));
  return isObject(changed) ? changed : view;
};

/** A server whose refusals are as `change` makes them. */
export function refusing(change: (envelope: JsonObject, request: ProxyRequest) => unknown): Handler {
  return answeringJson((envelope, request) => (envelope.code === '00000' ? envelope : change(envelope, request)));
}

/** A server whose refusals have an HTTP status of their own; 200 where `status` has none. */
export function refusingWithStatus(status: (code: unknown) => number | undefined): Handler {
  return answering((answer) => ({ ...answer, status: status(bodyOf(answer)?.code) ?? answer.status }));
}

export const isAuthFailure = (code: unknown): boolean => ['90001', '90002', '90003'].includes(String(code));

/** A server that takes its time, in milliseconds. */
export function slowly(least: number, most: number): Handler {
  return async (request, server) => {
    await delay(least + Math.random() * (most - least));
    return server.forward(request);
  };
}

// --- Parts ----------------------------------------------------------------------------------------------------------

/** A server with another contract; its answers are no longer held against it. `change` may alter the copy it is given. */
export function underContract(change: (contract: AppParts['contract']) => void): (parts: AppParts) => AppParts {
  return (parts) => {
    const contract = structuredClone(parts.contract);
    change(contract);
    return { ...parts, contract, validateResponses: false };
  };
}

/** The object at a JSON pointer of a document. Throws where there is none. */
export function objectAt(document: JsonObject, pointer: string): JsonObject {
  const steps = pointer.split('/').slice(1);
  let value: unknown = document;
  for (const step of steps.map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    value = Array.isArray(value) || isObject(value) ? Reflect.get(value, step) : undefined;
  }
  if (!isObject(value)) throw new Error(`no object stands at ${pointer}`);
  return value;
}

/** A server for which one schema of the contract says something else. */
export function withSchema(pointer: string, change: Record<string, Json>): (parts: AppParts) => AppParts {
  return underContract((contract) => Object.assign(objectAt(contract, pointer), structuredClone(change)));
}

/** A server whose storage does some things in its own way; `instead` makes those from the right ones. */
export function storing(
  instead: (records: Records) => Partial<Records>,
  readingInstead: (reads: Reads) => Partial<Reads> = () => ({}),
): (parts: AppParts) => AppParts {
  return (parts) => {
    const { storage } = parts;
    const reads = replaced(storage.reads, readingInstead(storage.reads));
    const transaction: typeof storage.transaction = (work) =>
      storage.transaction((records) => work(replaced(records, instead(records))));
    const insertOrder: typeof storage.insertOrder = (order) => transaction((records) => records.insertOrder(order));
    return { ...parts, storage: { ...storage, reads, insertOrder, transaction } };
  };
}

/** An object that does what `target` does, except for what `instead` has. */
function replaced<Target extends object>(target: Target, instead: Partial<Target>): Target {
  return new Proxy(target, {
    get: (_, name) => {
      if (Object.hasOwn(instead, name)) return Reflect.get(instead, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
