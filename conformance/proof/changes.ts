import { setTimeout as delay } from 'node:timers/promises';
import type { Json } from '../../generated/catalogue.ts';
import type { AppParts } from '../../server/app.ts';
import type { Reads, Records } from '../../server/services/ports.ts';
import type { Credentials } from '../drivers/driver.ts';
import { isObject, type JsonObject } from '../probes/bodies.ts';
import { signatureOf } from '../signing/signature.ts';
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

// --- Requests -------------------------------------------------------------------------------------------------------

export const isCreate = ({ method, target }: ProxyRequest): boolean => method === 'POST' && /\/orders$/.test(target);
export const isQuery = ({ method, target }: ProxyRequest): boolean => method === 'GET' && target.includes('/orders/');

/** The merchant in a request's path. */
export function merchantIdOf({ target }: ProxyRequest): string {
  return decodeURIComponent(/\/merchants\/([^/?]+)/.exec(target)?.[1] ?? '');
}

/** The id that a query asks for; undefined where the request is none. */
export function queriedId(request: ProxyRequest): string | undefined {
  return isQuery(request) ? decodeURIComponent(splitTarget(request.target).path.split('/').at(-1) ?? '') : undefined;
}

/** A body that is a JSON object; undefined for any other. */
export function bodyOf({ body }: { body: Buffer }): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
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

/** A server to which creates look different: rightly signed ones are sent on as `change` makes them. */
export function readingCreates(change: (body: JsonObject) => unknown): Handler {
  return (request, server) => {
    const body = isCreate(request) ? bodyOf(request) : undefined;
    const owner = server.owner(request.headers['x-api-key'] ?? '');
    if (!body || !owner || !isRightlySigned(request, server)) return server.forward(request);
    const changed = change(body);
    if (changed === body) return server.forward(request);
    return server.forward(resigned({ ...request, body: Buffer.from(JSON.stringify(changed)) }, owner));
  };
}

/** A server that refuses what the contract allows: creates of which `refuses` is true. */
export function refusingCreates(refuses: (body: JsonObject) => boolean): Handler {
  return async (request, server) => {
    const body = isCreate(request) ? bodyOf(request) : undefined;
    const refused = body && isRightlySigned(request, server) && refuses(body);
    return refused ? refusal(request, '10001', 'a parameter is invalid') : server.forward(request);
  };
}

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

/** A refusal in the failure envelope. */
export function refusal(request: ProxyRequest, code: string, message: string): ProxyAnswer {
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
    return { ...parts, storage: { reads, transaction, ping: () => storage.ping(), close: () => storage.close() } };
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
