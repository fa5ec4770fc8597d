import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as httpsRequest } from 'node:https';
import type { WebhookHandler } from '../proof/stand/fault.ts';
import { flat, ownHeaders, without } from '../proof/stand/proxy.ts';
import type { Receiver, WebhookSettings } from '../wire/receiver.ts';
import { selfSigned } from '../wire/self-signed.ts';

/** The longest webhook that is passed on, in bytes. */
const longestWebhook = 1024 * 1024;

/** How long a wrong server waits for a receiver, in milliseconds: less than a target, which would otherwise give up first. */
const patience = 2000;

/** How many connections of the target are held at once. */
const mostConnections = 256;

/** The way of the webhooks of one session. */
export interface WebhookLane {
  /** The settings with which the session opens its receiver. */
  settings: WebhookSettings;
  /** Says where the webhooks go. */
  leadTo(receiver: () => Promise<Receiver>): void;
  close(): void;
}

/** Receives the webhooks of a target for several sessions, because a target reaches only one address, and lets wrong servers change them. */
export interface WebhookRelay {
  /** A way for a session, on which `handle` changes the webhooks. Absent: they stay as they are. */
  lane(handle: WebhookHandler | undefined): WebhookLane;
  close(): Promise<void>;
}

/** What a receiver answered. */
interface Reply {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

type Receive = (request: IncomingMessage, body: Buffer, gone: AbortSignal) => Promise<Reply | undefined>;

/** Starts a relay where `settings` would have the receiver of a run. Rejects when it cannot listen there. */
export async function openWebhookRelay({ host, port, url, cert, key }: WebhookSettings): Promise<WebhookRelay> {
  const names = [host, ...(url === undefined ? [] : [new URL(url).hostname])];
  const certificate = cert !== undefined && key !== undefined ? { cert, key } : await selfSigned(names);
  const lanes = new Map<string, Receive>();
  let opened = 0;

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receive = lanes.get(laneOf(request.url ?? ''));
    const body = await read(request);
    if (!receive || !body) return void response.writeHead(receive ? 413 : 404).end();
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const reply = await receive(request, body, gone.signal);
    if (reply) response.writeHead(reply.status, reply.headers).end(reply.body);
    else response.destroy();
  }

  const server = createServer(certificate, (request, response) => {
    relay(request, response).catch(() => response.destroy());
  });
  server.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const address = server.address();
  const at = typeof address === 'object' && address !== null ? address.port : port;
  const base = url ?? `https://${host.includes(':') ? `[${host}]` : host}:${at}`;

  return {
    lane: (handle) => {
      opened += 1;
      const name = String(opened);
      let receiver: (() => Promise<Receiver>) | undefined;
      lanes.set(name, async (request, body, gone) => {
        const origin = (await receiver?.())?.origin;
        return origin === undefined ? undefined : receiveAt(origin, handle, request, body, gone);
      });
      return {
        settings: { host: '127.0.0.1', port: 0, url: `${base.replace(/\/$/, '')}/${name}` },
        leadTo: (to) => {
          receiver = to;
        },
        close: () => void lanes.delete(name),
      };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The name of the lane in a path; only the last segments count, because a proxy may remove a prefix. */
function laneOf(target: string): string {
  return /([^/?]+)\/webhooks\/[^/?]+(\?|$)/.exec(target)?.[1] ?? '';
}

/** Passes a webhook on to a receiver as the wrong server sends it. `undefined`: the connection breaks off. */
async function receiveAt(
  origin: string,
  handle: WebhookHandler | undefined,
  request: IncomingMessage,
  body: Buffer,
  gone: AbortSignal,
): Promise<Reply | undefined> {
  const { method = 'POST', url = '/' } = request;
  const headers = spelled(without(flat(request.headers), ownHeaders));
  if (!handle || method !== 'POST') {
    return post({ method, url: `${origin}${url}`, headers, body, signal: gone }).catch(() => undefined);
  }
  let last: Reply | undefined;
  const result = await handle({ url: `${origin}${url}`, headers, body: body.toString('utf8') }, async (sent) => {
    try {
      // A redirect leads to the address at which the target reaches the relay.
      const to = `${origin}${sent.url.replace(/^https?:\/\/[^/?#]+/, '')}`;
      const signal = AbortSignal.any([gone, AbortSignal.timeout(patience)]);
      last = await post({ method, url: to, headers: sent.headers, body: Buffer.from(sent.body), signal });
      return { httpStatus: last.status };
    } catch {
      return { error: 'the receiver gave no answer' };
    }
  });
  if ('error' in result) return undefined;
  return last?.status === result.httpStatus ? last : { status: result.httpStatus, headers: {}, body: Buffer.alloc(0) };
}

/** The headers with the names as the contract spells them, which is how wrong servers know them. */
function spelled(headers: Record<string, string>): Record<string, string> {
  const spelling = (name: string) =>
    /^(x-|content-type$)/.test(name) ? name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()) : name;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [spelling(name), value]));
}

/** Sends to a receiver of this process, whose certificate is its own. */
function post({
  method,
  url,
  headers,
  body,
  signal,
}: {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  signal: AbortSignal;
}): Promise<Reply> {
  const length = { 'content-length': String(body.length) };
  return new Promise((resolve, reject) => {
    const options = { method, headers: { ...headers, ...length }, rejectUnauthorized: false, agent: false, signal };
    const outgoing = httpsRequest(url, options, (response) => {
      read(response).then((answered = Buffer.alloc(0)) => {
        const answer = without(flat(response.headers), ownHeaders);
        resolve({ status: response.statusCode ?? 0, headers: answer, body: answered });
      }, reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The body of a message; `undefined` when it is too long. */
async function read(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length <= longestWebhook) chunks.push(bytes);
  }
  return length <= longestWebhook ? Buffer.concat(chunks) : undefined;
}
