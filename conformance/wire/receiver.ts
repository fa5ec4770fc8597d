import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Answer, Exchange } from './exchange.ts';

/** Where the run's receiver of webhooks listens, and how the target reaches it. */
export interface WebhookSettings {
  host: string;
  /** 0: a free one. */
  port: number;
  /** The address under which the target reaches it; absent: where it listens. */
  url?: string;
  /** Certificate and key, as PEM text; absent: made for the run. */
  cert?: string;
  key?: string;
}

/** How a mailbox answers: with a status, not at all until the sender gives up, or by closing the connection. */
export type Reply = { status: number; headers?: Record<string, string> } | 'no-answer' | 'close';

/** A webhook that has arrived. As an answer, its status is what it was answered with; 0: nothing. */
export interface Webhook extends Answer {
  method: string;
  /** The path of the address that it was sent to, and the one in its request line: a proxy between them may change it. */
  paths: readonly string[];
  body: Buffer;
}

/** An address of its own for one check's webhooks. */
export interface Mailbox {
  readonly url: string;
  /** What has arrived, in that order. */
  readonly webhooks: readonly Webhook[];
  /** How webhooks are answered from now on; at first with 200. */
  reply(reply: Reply): void;
  /** The first webhook that fits, as soon as it is there; `undefined` when none is within so many milliseconds. */
  first(fits: (webhook: Webhook) => boolean, milliseconds: number): Promise<Webhook | undefined>;
}

/** A mailbox whose address refuses connections until it is opened. */
export interface ClosedMailbox extends Mailbox {
  open(): Promise<void>;
}

/** Receives webhooks over HTTPS for all checks of a run. */
export interface Receiver {
  /** A new address. `record` is told of each exchange, and answers with its number among the check's. */
  mailbox(record: (exchange: Exchange) => number): Mailbox;
  /** A new address on a port of its own that nobody listens on yet. */
  closedMailbox(record: (exchange: Exchange) => number): Promise<ClosedMailbox>;
  close(): Promise<void>;
}

/** More than any webhook needs, in bytes; what is longer is cut off. */
const largestBody = 1024 * 1024;

/** Starts to listen. Rejects when that is not possible. */
export async function openReceiver({ host, port, url, cert, key }: WebhookSettings): Promise<Receiver> {
  const names = [host, ...(url === undefined ? [] : [new URL(url).hostname])];
  const certificate = cert !== undefined && key !== undefined ? { cert, key } : await selfSigned(names);
  const mailboxes = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const receive = (request: IncomingMessage, response: ServerResponse) => {
    const path = pathOf(request);
    // A proxy may have taken a prefix of the address away.
    const mailbox = mailboxes.get(path.slice(path.lastIndexOf('/') + 1));
    if (mailbox) mailbox(request, response);
    else response.writeHead(404).end();
  };
  const servers: Server[] = [];
  async function listen(on: number): Promise<Server> {
    const server = createServer(certificate, receive);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(on, host, resolve));
    servers.push(server);
    return server;
  }
  const addressOf = (at: number) => `https://${host.includes(':') ? `[${host}]` : host}:${at}`;
  const base = url ?? addressOf(portOf(await listen(port)));

  function openMailbox(at: string, record: (exchange: Exchange) => number): Mailbox {
    const id = randomBytes(12).toString('hex');
    const { mailbox, receive: take } = createMailbox(`${at}/webhooks/${id}`, record);
    mailboxes.set(id, take);
    return mailbox;
  }

  return {
    mailbox: (record) => openMailbox(base, record),
    closedMailbox: async (record) => {
      const own = await listen(0);
      const at = portOf(own);
      await stop(own);
      const opened = { open: async () => void (await listen(at)) };
      return { ...openMailbox(addressOf(at), record), ...opened };
    },
    close: async () => {
      await Promise.all(servers.map(stop));
    },
  };
}

function createMailbox(url: string, record: (exchange: Exchange) => number) {
  const webhooks: Webhook[] = [];
  const waiting = new Set<(webhook: Webhook) => void>();
  let reply: Reply = { status: 200 };

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const body = await bodyOf(request);
    const [method, answered] = [request.method ?? '', reply];
    const text = body.toString('utf8');
    const headers = flat(request.headers);
    const exchange = record({
      request: { method, url, headers, body: text },
      ...(typeof answered === 'string'
        ? { error: answered === 'close' ? 'the runner closed the connection' : 'the runner did not answer' }
        : { response: { status: answered.status, headers: answered.headers ?? {}, body: '' } }),
      durationMs: Math.round(performance.now() - started),
    });
    if (answered === 'close') response.destroy();
    else if (answered !== 'no-answer') response.writeHead(answered.status, answered.headers).end();
    const status = typeof answered === 'string' ? 0 : answered.status;
    const paths = [...new Set([new URL(url).pathname, pathOf(request)])];
    const webhook = { exchange, status, headers, text, json: parseJson(text), method, paths, body };
    webhooks.push(webhook);
    for (const tell of waiting) tell(webhook);
  }

  const mailbox: Mailbox = {
    url,
    webhooks,
    reply: (next) => {
      reply = next;
    },
    first: (fits, milliseconds) => {
      const there = webhooks.find(fits);
      if (there) return Promise.resolve(there);
      return new Promise((resolve) => {
        const done = (webhook?: Webhook) => {
          clearTimeout(timer);
          waiting.delete(tell);
          resolve(webhook);
        };
        const tell = (webhook: Webhook) => {
          if (fits(webhook)) done(webhook);
        };
        const timer = setTimeout(done, milliseconds);
        waiting.add(tell);
      });
    },
  };
  // A sender that gives up while its body is read has sent nothing.
  return {
    mailbox,
    receive: (...both: Parameters<typeof receive>) => void receive(...both).catch(() => both[1].destroy()),
  };
}

const pathOf = ({ url = '/' }: IncomingMessage) => url.split('?')[0] ?? url;

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= largestBody) chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}

function flat(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the receiver of webhooks has no port');
  return address.port;
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** A certificate for these hosts that nobody vouches for. */
async function selfSigned(hosts: readonly string[]): Promise<{ key: string; cert: string }> {
  const isAddress = (host: string) => /^[0-9.]+$/.test(host) || host.includes(':');
  const altNames = hosts.map((host) =>
    isAddress(host) ? ({ type: 7, ip: host } as const) : ({ type: 2, value: host } as const),
  );
  // Loaded only when it is needed: it takes longer than everything else here.
  const { generate } = await import('selfsigned');
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'assay' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  return { key, cert };
}
