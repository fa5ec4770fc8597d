import createClient from 'openapi-fetch';
import type { paths } from '../../../generated/types.ts';
import type { CheckContext } from '../../check/context.ts';
import { isAccepted } from '../../check/expect.ts';
import { parseJson } from '../../contract/json.ts';
import { matchOperation, type OperationArea } from '../../contract/operations.ts';
import { percentEncoded } from '../../contract/percent-encoding.ts';
import { successCode } from '../../contract/success-code.ts';
import type { Credentials } from '../../drivers/driver.ts';
import { Inconclusive } from '../../errors/outcomes.ts';
import type { OneConnection } from '../../wire/connections.ts';
import { type Answer, field } from '../../wire/exchange.ts';
import { isUnexplained } from '../../wire/interruptions.ts';
import { type RequestToSign, signatureOf, timestampForm } from '../../wire/signing/signature.ts';
import type { StartingLine } from '../../wire/starting-line.ts';
import type { MerchantCall } from '../../wire/transport.ts';
import { plainly, type WayToSend } from './ways-to-send.ts';

/** A request to an operation of one merchant. */
export interface SignedRequest {
  method: string;
  /** The path as the request line shows it, without the prefix of the target and without a query. */
  path: string;
  query?: string | undefined;
  body?: Uint8Array | undefined;
  /** In milliseconds; absent: the target's present time. It moves on with that when the request has to wait. */
  timestamp?: string;
  /** Makes the signature; absent: the right one is made. */
  sign?: (request: RequestToSign, secret: string) => string;
  /** Replaces headers by their exact names; `undefined` leaves one out. */
  headers?: Record<string, string | string[] | undefined>;
  /** Writes a header of the request in another way that means the same. */
  written?: WayToSend['written'];
  /** Headers that stand beside those of the contract. */
  further?: WayToSend['further'];
  /** The request provokes HTTP 429, so that this answer is returned and not waited out. */
  provokes429?: boolean;
  /** The request races others on purpose, so that its first answer is returned, even one that says nothing about the request alone. */
  racing?: boolean;
  /** Where the request waits for others that are to reach the target at the same moment. */
  startingLine?: StartingLine;
  /** The connection that it goes over. Absent: any that is free. */
  connection?: OneConnection;
  /** Sends the body after its headers in two parts. */
  inParts?: WayToSend['inParts'];
}

/** How a POST is sent. */
interface PostOptions extends Pick<SignedRequest, 'racing' | 'startingLine'> {
  way?: WayToSend;
}

/** Sends requests of one merchant, rightly signed unless a request says otherwise. */
export interface SignedClient {
  readonly merchant: Credentials;
  /** The path of the merchant, without the prefix of the target. */
  readonly basePath: string;
  /** Sends a request built by hand, which may be one that the typed client would not send. */
  send(request: SignedRequest): Promise<Answer>;
  /** Sends a POST with any body; `options.way`: how the body and the headers are written. */
  post(path: string, body: unknown, options?: PostOptions): Promise<Answer>;
  /** Signs and sends the request that `call` makes with the typed client; `way`: how its body and its headers are written. */
  typed(call: (client: ReturnType<typeof createClient<paths>>) => Promise<unknown>, way?: WayToSend): Promise<Answer>;
}

/** Signs for `merchant` and sends through the check's transport. */
export function signedClient(context: CheckContext, merchant: Credentials): SignedClient {
  const { origin, pathname } = new URL(context.target);
  const prefix = pathname.replace(/\/$/, '');
  const basePath = `/api/v1/merchants/${percentEncoded(merchant.merchantId)}`;

  const isRight = (request: SignedRequest) => !isChanged(request) && !context.isRevoked(merchant);

  /** Sends a request once. `asked`: when it was to be sent, on the runner's monotonic clock. */
  function sendOnce(request: SignedRequest, asked = performance.now(), transport = context.transport): Promise<Answer> {
    const {
      method,
      query,
      body,
      sign = signatureOf,
      written,
      further,
      provokes429,
      startingLine,
      inParts,
      connection,
    } = request;
    const path = `${prefix}${request.path}`;
    const headers = () => {
      const waited = performance.now() - asked;
      const timestamp =
        request.timestamp === undefined ? newTimestamp(merchant, context.now()) : later(request.timestamp, waited);
      const right = present({
        'X-Api-Key': merchant.apiKey,
        'X-Timestamp': timestamp,
        'X-Signature': sign({ timestamp, method, path, query, body }, merchant.apiSecret),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...further,
        ...request.headers,
      });
      return written
        ? Object.fromEntries(Object.entries(right).map(([name, value]) => written(name, String(value))))
        : right;
    };
    const target = query === undefined ? path : `${path}?${query}`;
    const authentication = isRight(request) ? 'right' : 'changed';
    const call: MerchantCall = { as: merchant.merchantId, authentication, path: request.path, query };
    return transport.send({
      method,
      origin,
      target,
      headers,
      body,
      startingLine,
      inParts,
      connection,
      provokes429,
      call,
    });
  }

  async function send(request: SignedRequest): Promise<Answer> {
    const { recovery } = context;
    const asked = performance.now();
    if (!request.provokes429) {
      await recovery.admitted();
      const pending = recovery.pending(merchant.merchantId);
      if (pending) await context.awaitOther(pending);
    }
    const answer = await sendOnce(request, asked);
    const operation = matchOperation(request.method, request.path)?.operation;
    if (!operation || request.provokes429 || request.racing) return answer;
    const { merchantId } = merchant;
    if (isAccepted(answer) && request.method === 'GET' && isRight(request)) {
      recovery.keepKnown(merchantId, operation.area, (transport) => sendOnce(request, undefined, transport));
    }
    if (!isUnexplained(answer, operation.area)) return answer;
    const known = recovery.known(merchantId, operation.area);
    const ownKnown = recovery.knownOfMerchant(merchantId, operation.area);
    return recovery.recover({
      merchantId,
      area: operation.area,
      answer,
      askKnown: known && (() => known(context.transport)),
      askKnownOfMerchant: ownKnown && (() => ownKnown(context.transport)),
      askUnknown: () => sendOnce({ method: 'GET', ...unknownIn(operation.area) }),
      sendAgain: async () => {
        // Where the check itself has made the order before, this request repeats its create on purpose.
        const mayMakeSecond = operation.name === 'orders.create' && !repeatsCreate(request);
        const made = mayMakeSecond ? await orderOf(request) : undefined;
        if (made && isUnexplained(made, operation.area)) return made;
        return made && isAccepted(made) ? undefined : sendOnce(request, asked);
      },
      aside: context.awaitOther,
    });
  }

  /** The address of something that does not exist. */
  function unknownIn(area: OperationArea): Pick<SignedRequest, 'path' | 'query'> {
    const id = context.newOrderId();
    if (area === 'refunds') return { path: `${basePath}/refunds`, query: `refundOrderId=${id}` };
    return { path: `${basePath}/${area === 'orders' ? 'orders' : 'checkout/orders'}/${id}` };
  }

  /** Whether the check has made an order under the id of a create before. */
  function repeatsCreate({ body }: SignedRequest): boolean {
    const id = idIn(body);
    const named = JSON.stringify(id);
    return context.transport.exchanges.some(
      ({ request, response }) =>
        id !== undefined && request.method === 'POST' && request.body.includes(named) && isSuccess(response?.body),
    );
  }

  /** Queries the order of a hosted create, which could make a second one if it is sent again. `undefined`: its body has no id. */
  async function orderOf({ path, body }: SignedRequest): Promise<Answer | undefined> {
    const id = idIn(body);
    return id === undefined ? undefined : sendOnce({ method: 'GET', path: `${path}/${percentEncoded(id)}` });
  }

  return {
    merchant,
    basePath,
    send,
    post: (path, body, { way: { serialize, address = asItIs, ...way } = plainly, ...options } = {}) =>
      send({ method: 'POST', path: address(path), body: Buffer.from(serialize(body)), ...way, ...options }),
    typed: async (call, { serialize, address = asItIs, ...way } = plainly) => {
      let body: Buffer | undefined;
      let answer: Answer | undefined;
      const client = createClient<paths>({
        baseUrl: origin,
        pathSerializer: pathOf,
        querySerializer: queryOf,
        // The body goes past the `Request`, which would make a stream of it only to be read here again.
        bodySerializer: (value) => {
          body = Buffer.from(serialize(value));
        },
        fetch: async ({ url, method }: Request) => {
          const { pathname: path, search } = new URL(url);
          answer = await send({ method, path: address(path), query: search.slice(1) || undefined, body, ...way });
          return noContent;
        },
      });
      await call(client);
      if (!answer) throw new Inconclusive('the typed client sent nothing');
      return answer;
    },
  };
}

const asItIs = (path: string): string => path;

/** A template of the contract's with its parameters in place. The library would leave some characters as they are. */
const pathOf = (template: string, parameters: Record<string, unknown>): string =>
  template.replace(/\{(\w+)\}/g, (place, name: string) =>
    name in parameters ? percentEncoded(String(parameters[name])) : place,
  );

const queryOf = (parameters: Record<string, unknown>): string =>
  Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${percentEncoded(String(value))}`)
    .join('&');

/** What the typed client is told of every request: its answer is read elsewhere. */
const noContent = new Response(null, { status: 204 });

/** Whether anything about the authentication of a request is not as the contract wants it. */
function isChanged({ timestamp, sign, headers = {} }: SignedRequest): boolean {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return timestamp !== undefined || sign !== undefined || names.some((name) => name !== 'content-type');
}

const lastTimestamps = new WeakMap<Credentials, number>();

/** How far timestamps run ahead of the clock at most where very many requests are signed, in milliseconds. Further back, the clock was set back. */
const mostAhead = 1000;

/** The present moment as a timestamp that no request of the merchant has had: a target may take no signature twice. */
function newTimestamp(merchant: Credentials, now: number): string {
  const next = (lastTimestamps.get(merchant) ?? 0) + 1;
  const timestamp = next > now && next <= now + mostAhead ? next : now;
  lastTimestamps.set(merchant, timestamp);
  return String(timestamp);
}

/** A timestamp in milliseconds moved on; one of another form is left as it is. */
function later(timestamp: string, milliseconds: number): string {
  return timestampForm.test(timestamp) ? String(Number(timestamp) + Math.round(milliseconds)) : timestamp;
}

function present(headers: Record<string, string | string[] | undefined>): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) all[name] = value;
  }
  return all;
}

/** The merchantOrderId in the body of a create. `undefined`: it has none. */
function idIn(body: Uint8Array = new Uint8Array()): string | undefined {
  const id = field({ json: parseJson(Buffer.from(body).toString('utf8')) }, 'merchantOrderId');
  return typeof id === 'string' && id !== '' ? id : undefined;
}

const isSuccess = (text = ''): boolean => field({ json: parseJson(text) }, 'code') === successCode;
