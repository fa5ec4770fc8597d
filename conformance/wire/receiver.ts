import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type ClosedMailbox, createMailbox, type Mailbox, pathOf, type TakeArrival } from './mailbox.ts';
import { selfSigned } from './self-signed.ts';

/** Settings of the receiver of webhooks. */
export interface WebhookSettings {
  host: string;
  /** 0: any free port. */
  port: number;
  /** The address at which the target reaches the receiver. Absent: the address on which it listens. */
  url?: string;
  /** Certificate and key, as PEM text. Absent: the receiver makes a self-signed certificate. */
  cert?: string;
  key?: string;
}

/** Receives webhooks over HTTPS for all checks of a run. */
export interface Receiver {
  /** A new mailbox, whose address ends with `query`: empty, or one that begins with `?`. */
  mailbox(take: TakeArrival, query?: string): Mailbox;
  /** A new mailbox on a port of its own, on which nothing listens yet. */
  closedMailbox(take: TakeArrival): Promise<ClosedMailbox>;
  close(): Promise<void>;
}

/** Starts a receiver. Rejects when it cannot listen at that host and port. */
export async function openReceiver({ host, port, url, cert, key }: WebhookSettings): Promise<Receiver> {
  const names = [host, ...(url === undefined ? [] : [new URL(url).hostname])];
  const certificate = cert !== undefined && key !== undefined ? { cert, key } : await selfSigned(names);
  const mailboxes = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const receive = (request: IncomingMessage, response: ServerResponse) => {
    const path = pathOf(request);
    // Only the last segment counts, because a proxy may remove a prefix of the path.
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

  function openMailbox(at: string, take: TakeArrival, query = ''): Mailbox {
    const id = randomBytes(12).toString('hex');
    const { mailbox, receive } = createMailbox(`${at}/webhooks/${id}${query}`, take);
    mailboxes.set(id, receive);
    return mailbox;
  }

  return {
    mailbox: (take, query) => openMailbox(base, take, query),
    closedMailbox: async (take) => {
      const own = await listen(0);
      const at = portOf(own);
      await stop(own);
      const opened = { open: async () => void (await listen(at)) };
      return { ...openMailbox(addressOf(at), take), ...opened };
    },
    close: async () => {
      await Promise.all(servers.map(stop));
    },
  };
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
