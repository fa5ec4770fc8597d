import { setTimeout as delay } from 'node:timers/promises';
import type { Json } from '../../../generated/catalogue.ts';
import type { AppParts } from '../../../server/app.ts';
import type { Reads, Records } from '../../../server/services/ports.ts';
import { isObject, type JsonObject, setAt, valueAt } from '../../contract/json.ts';
import { contractOperations } from '../../contract/operations.ts';
import { successCode } from '../../contract/success-code.ts';
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

/** The pointer to the schema of the create of a hosted order. */
export const orderCreateSchema = '/components/schemas/OrderCreateRequest';

// --- Requests -------------------------------------------------------------------------------------------------------

/** The method and the path of each operation as a pattern, in which any prefix may stand before the path. */
const patterns = new Map(
  contractOperations.map(({ name, method, path }) => {
    const pattern = path.replace(/\{[^}]+\}/g, '[^/?]+');
    return [name, new RegExp(`^${method} [^?]*${pattern}(\\?|$)`)];
  }),
);

/** True for requests of an operation, given by its name in the contract. */
export const isOf =
  (operation: string) =>
  ({ method, target }: ProxyRequest): boolean =>
    patterns.get(operation)?.test(`${method} ${target}`) === true;

export const isHostedCreate = isOf('orders.create');
export const isHostedQuery = isOf('orders.query');

/** True for requests of hosted orders. */
export const isHosted = (request: ProxyRequest): boolean => isHostedCreate(request) || isHostedQuery(request);

/** True for requests of checkout operations. */
export const isCheckout = ({ target }: ProxyRequest): boolean => /^[^?]*\/merchants\/[^/]+\/checkout\//.test(target);

/** A handler for some requests; all others go to the server as they are. */
export const onlyFor =
  (applies: (request: ProxyRequest) => boolean, handler: Handler): Handler =>
  (request, server) =>
    applies(request) ? handler(request, server) : server.forward(request);

/** The handlers one behind the other; the first one receives the request. */
export const firstOf = (...handlers: [Handler, ...Handler[]]): Handler =>
  handlers.reduce(
    (outer, inner) => (request, server) => outer(request, { ...server, forward: (each) => inner(each, server) }),
  );

/** A segment of a path, or a value in a query, decoded, or as it is where its encoding is broken. */
export function decoded(segment: string): string {
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

/** The id in the path of a query for an order of either product; undefined for other requests. */
export function queriedId(request: ProxyRequest): string | undefined {
  if (!isHostedQuery(request) && !isOf('checkout.query')(request)) return undefined;
  return decoded(splitTarget(request.target).path.split('/').at(-1) ?? '');
}

/** The order or refund to which a request of the control API sends an event; undefined for other requests. */
export function recordOfEvent(kind: 'orders' | 'refunds', { target }: ProxyRequest): string | undefined {
  const [, id] = new RegExp(`/${kind}/([^/]+)/events$`).exec(target) ?? [];
  return id === undefined ? undefined : decoded(id);
}

/** The bodies of checks are shorter, in bytes, except those that test length or depth. */
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

/** True when a request has the signature that `secret` gives, after the parts in `instead` are replaced. */
export function isSignedWith(
  request: ProxyRequest,
  secret: string,
  instead: Partial<ReturnType<typeof toSign>> = {},
): boolean {
  return request.headers['x-signature'] === signatureOf({ ...toSign(request), ...instead }, secret);
}

/** True when the owner of the request's key has signed it rightly. Neither its time nor its merchant counts. */
export function isRightlySigned(request: ProxyRequest, server: ServerBehind): boolean {
  const owner = server.owner(request.headers['x-api-key'] ?? '');
  return owner !== undefined && isSignedWith(request, owner.apiSecret);
}

/** A server that also accepts the requests for which `takes` is true, given the credentials of the merchant in the path. */
export function alsoTaking(
  takes: (request: ProxyRequest, merchant: Credentials, server: ServerBehind) => boolean,
): Handler {
  return (request, server) => {
    const merchant = server.merchant(merchantIdOf(request));
    return server.forward(merchant && takes(request, merchant, server) ? signed(request, merchant) : request);
  };
}

/** A server that takes the signature for wrong in the requests for which `finds` is true. */
export function findingUnsigned(finds: (request: ProxyRequest, server: ServerBehind) => boolean): Handler {
  return (request, server) => server.forward(finds(request, server) ? spoiled(request) : request);
}

/** The request with its signature, where it has one, replaced by a wrong one. */
export function spoiled(request: ProxyRequest): ProxyRequest {
  if (!request.headers['x-signature']) return request;
  return { ...request, headers: { ...request.headers, 'x-signature': 'A'.repeat(44) } };
}

/** A server that reads the bodies of an operation as `change` makes them. Only rightly signed requests are changed. */
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

/** A server that refuses requests of an operation for whose body `refuses` is true, although the contract allows them. */
export function refusingBodies(
  operation: string,
  refuses: (body: JsonObject, request: ProxyRequest) => boolean,
  code = '10001',
  message: (body: JsonObject) => string = () => 'a parameter is invalid',
): Handler {
  return async (request, server) => {
    const body = isOf(operation)(request) ? bodyOf(request) : undefined;
    const refused = body && isRightlySigned(request, server) && refuses(body, request);
    return refused ? refusal(request, code, message(body)) : server.forward(request);
  };
}

/** The same for creates of hosted orders. */
export const refusingCreates = (refuses: (body: JsonObject, request: ProxyRequest) => boolean): Handler =>
  refusingBodies('orders.create', refuses);

/** True for a body whose field is text for which `test` is true. */
export const hasText = (field: string, test: (text: string) => boolean) => (body: JsonObject) => {
  const value = body[field];
  return typeof value === 'string' && test(value);
};

/** True for a text of which so many bytes end inside a character. */
export const endsInside =
  (bytes: number) =>
  (text: string): boolean => {
    const next = Buffer.from(text)[bytes];
    return next !== undefined && (next & 0xc0) === 0x80;
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
  const named = queriedId(request) ?? bodyOf(request)?.merchantOrderId;
  const merchantOrderId = typeof named === 'string' ? named : null;
  const standard = { standardResponseCode: code, standardResponseMessage: message };
  return jsonAnswer({
    code,
    message,
    data: { orderId: null, merchantId: merchantIdOf(request), merchantOrderId, status: 'FAILED', ...standard },
  });
}

/** A server with changed answers. */
export function answering(change: (answer: ProxyAnswer, request: ProxyRequest) => ProxyAnswer): Handler {
  return async (request, server) => change(await server.forward(request), request);
}

/** A server whose answers have changed JSON. */
export function answeringJson(change: (envelope: JsonObject, request: ProxyRequest) => unknown): Handler {
  return answering((answer, request) => {
    const envelope = bodyOf(answer);
    return envelope ? { ...answer, body: Buffer.from(JSON.stringify(change(envelope, request))) } : answer;
  });
}

/** A server whose successes show a changed order. */
export function showing(change: (view: JsonObject, request: ProxyRequest) => JsonObject): Handler {
  return answeringJson((envelope, request) => {
    const { code, data } = envelope;
    return code === successCode && isObject(data) ? { ...envelope, data: change(data, request) } : envelope;
  });
}

/** A server whose successes in one operation show each order or refund, alone or in a list, as `change` makes it. */
export const showingEach = (operation: string, change: (view: JsonObject) => JsonObject): Handler =>
  onlyFor(
    isOf(operation),
    answeringJson((envelope) => {
      const { code, data } = envelope;
      const changed = (view: unknown) => (isObject(view) ? change(view) : view);
      if (code !== successCode) return envelope;
      return { ...envelope, data: Array.isArray(data) ? data.map(changed) : changed(data) };
    }),
  );

/** A server that shows a change of status only so many milliseconds after the driver's step that it follows. */
export function lagging(lag: number): { control: Handler; merchantApi: Handler } {
  const shown = new Map<string, { view: JsonObject; asked: number }>();
  const stepped = new Map<string, number>();
  return {
    control: async (request, server) => {
      const answer = await server.forward(request);
      stepped.set(merchantIdOf(request), performance.now());
      return answer;
    },
    merchantApi: (request, server) => {
      const asked = performance.now();
      return showing((view) => {
        const id = String(view.orderId ?? view.refundOrderId);
        const last = shown.get(id);
        // What was asked for before the last view came may be older than that.
        if (last && asked < last.asked) return view;
        const isLate = performance.now() - (stepped.get(merchantIdOf(request)) ?? 0) < lag;
        if (last && isLate && last.view.status !== view.status) return last.view;
        shown.set(id, { view, asked });
        return view;
      })(request, server);
    },
  };
}

/** Changes one field of a view, where it has a value. */
export const changing = (path: string, change: (value: unknown) => unknown) => (view: JsonObject) => {
  const segments = path.split('.');
  const value = valueAt(view, segments);
  const changed = value === undefined || value === null ? view : setAt(view, segments, change(value));
  return isObject(changed) ? changed : view;
};

/** A server with changed refusals. */
export function refusing(change: (envelope: JsonObject, request: ProxyRequest) => unknown): Handler {
  return answeringJson((envelope, request) => (envelope.code === successCode ? envelope : change(envelope, request)));
}

/** A server whose refusals have the HTTP status that `status` gives for their code; undefined leaves it as it is. */
export function refusingWithStatus(status: (code: unknown) => number | undefined): Handler {
  return answering((answer) => ({ ...answer, status: status(bodyOf(answer)?.code) ?? answer.status }));
}

export const isAuthFailure = (code: unknown): boolean => ['90001', '90002', '90003'].includes(String(code));

/** A server that answers some requests of an operation from memory for a while after it has accepted one, in milliseconds. */
export function answeringFromMemory(
  operation: string,
  lifetime: number,
  isMeant: (request: ProxyRequest) => boolean = () => true,
): Handler {
  const kept = new Map<string, { answer: ProxyAnswer; at: number }>();
  return onlyFor(
    (request) => isOf(operation)(request) && isMeant(request),
    async (request, server) => {
      if (!isRightlySigned(request, server)) return server.forward(request);
      const key = `${request.target} ${request.body.toString('utf8')}`;
      const known = kept.get(key);
      if (known && Date.now() - known.at < lifetime) return known.answer;
      const answer = await server.forward(request);
      if (bodyOf(answer)?.code === successCode) kept.set(key, { answer, at: Date.now() });
      return answer;
    },
  );
}

/** A server that waits before each answer, between `least` and `most` milliseconds. */
export function slowly(least: number, most: number): Handler {
  return async (request, server) => {
    await delay(least + Math.random() * (most - least));
    return server.forward(request);
  };
}

// --- Parts ----------------------------------------------------------------------------------------------------------

/** A server with another contract, by which it does not validate its answers. `change` alters a copy of the contract. */
export function underContract(change: (contract: AppParts['contract']) => void): (parts: AppParts) => AppParts {
  return (parts) => {
    const contract = structuredClone(parts.contract);
    change(contract);
    return { ...parts, contract, validateResponses: false };
  };
}

/** The object at a JSON pointer of a document. Throws where there is none. */
export function objectAt(document: JsonObject, pointer: string): JsonObject {
  const keys = pointer.split('/').slice(1);
  let value: unknown = document;
  for (const key of keys.map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))) {
    value = Array.isArray(value) || isObject(value) ? Reflect.get(value, key) : undefined;
  }
  if (!isObject(value)) throw new Error(`no object stands at ${pointer}`);
  return value;
}

/** A server whose contract has one schema changed. */
export function withSchema(pointer: string, change: Record<string, Json>): (parts: AppParts) => AppParts {
  return underContract((contract) => Object.assign(objectAt(contract, pointer), structuredClone(change)));
}

/** A server whose storage has some functions replaced; `instead` makes them from the right ones. */
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

/** The object `target` with the members of `instead` in the place of its own. */
function replaced<Target extends object>(target: Target, instead: Partial<Target>): Target {
  return new Proxy(target, {
    get: (_, name) => {
      if (Object.hasOwn(instead, name)) return Reflect.get(instead, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
