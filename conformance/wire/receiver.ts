import { randomBytes } from 'node:crypto';
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server as PlainServer,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server } from 'node:https';
import { createServer as createGate, type Server as NetServer, type Socket } from 'node:net';
import { createBell, untilRung } from './bell.ts';
import { createHoldUps } from './hold-ups.ts';
import {
  type ClosedMailbox,
  createMailbox,
  type Mailbox,
  pathOf,
  type Receive,
  type ReceiverState,
  type TakeArrival,
} from './mailbox.ts';
import { selfSigned } from './self-signed.ts';
import { createSurplusConnections } from './surplus-connections.ts';
import { escapedFolder, unusualFolder } from './unusual-folder.ts';

/** Settings of the receiver of webhooks. */
export interface WebhookSettings {
  host: string;
  /** 0: free ports, which the machine chooses. */
  port: number;
  /** The address at which the target reaches the receiver. Absent: the address on which it listens. */
  url?: string;
  /** Certificate and key, as PEM text. Absent: the receiver makes a self-signed certificate. */
  cert?: string;
  key?: string;
}

/** Where a mailbox is: in a folder, in one that is unusual, or in one whose escapes may be written otherwise. */
export type MailboxFolder = 'usual' | 'unusual' | 'escaped';

/** The folder of mailboxes that are away at first. It differs from the others', because these are reached from the beginning. */
const awayFolder = 'webhooks-away';

/** Receives webhooks over HTTPS for all checks of a run. */
export interface Receiver {
  /** An address on which it listens and takes the webhooks of all mailboxes, whatever the address is at which the target reaches it. */
  origin: string;
  /**
   * A new mailbox, whose address ends with `query`: empty, or one that begins with `?`, with a fragment or without. One in another folder is in the usual one where
   * the target reaches the receiver at another address than its own.
   */
  mailbox(take: TakeArrival, query?: string, folder?: MailboxFolder): Mailbox;
  /** A new mailbox on a port of its own, whose address ends with that, or with `query`, as in `mailbox`. */
  bareMailbox(take: TakeArrival, query?: string): Promise<Mailbox>;
  /** A new mailbox to which webhooks come over HTTP. */
  plainMailbox(take: TakeArrival): Promise<Mailbox>;
  /** A new mailbox on a port of its own, which breaks off every connection until it is opened. */
  closedMailbox(take: TakeArrival): Promise<ClosedMailbox>;
  close(): Promise<void>;
}

/** How long a sender may take for its headers, and for its whole webhook, in milliseconds. */
const receivingLimits = { headersTimeout: 20_000, requestTimeout: 60_000, connectionsCheckingInterval: 5000 };

/** How many connections a receiver holds at once, with equal shares for its ports. Further ones are closed. */
const mostConnections = 512;

/**
 * On how many ports a receiver listens that may choose them. The event loop of Node.js takes one new connection of each port per turn (since
 * libuv 1.45): in a process whose turns are long, senders that give up after some seconds would lose their attempts before a single port.
 */
const freePorts = 8;

/** The code of the error where a sender speaks HTTP although the address says HTTPS. That is the sender's own mistake. */
const spokenPlainly = 'ERR_SSL_HTTP_REQUEST';

/**
 * Starts a receiver. Rejects when it cannot listen at that host and port.
 *
 * @param brokenOff is called with the code of the error a second after a sender breaks a connection off before it is secure, unless it
 * needed that connection no longer
 */
export async function openReceiver(
  { host, port, url, cert, key }: WebhookSettings,
  brokenOff: (code: string) => void = () => undefined,
): Promise<Receiver> {
  const names = [host, ...(url === undefined ? [] : [new URL(url).hostname])];
  const certificate = cert !== undefined && key !== undefined ? { cert, key } : await selfSigned(names);
  const mailboxes = new Map<string, Receive>();
  const receiveById: Receive = (request, response, over) => {
    const mailbox = mailboxes.get(idIn(request));
    if (mailbox) return mailbox(request, response, over);
    response.writeHead(404).end();
    over();
  };
  const state: ReceiverState = { buffered: { count: 0 }, holdUps: createHoldUps() };
  const servers: (Server | PlainServer)[] = [];
  const gates: NetServer[] = [];
  async function listen<Listening extends NetServer>(server: Listening, on: number): Promise<Listening> {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(on, host, resolve));
    return server;
  }
  const ports = port === 0 && url === undefined ? Array.from({ length: freePorts }, () => port) : [port];
  /** Lets a server hand its webhooks to `receive`. `reused` is called with each over a connection that has carried one before. */
  function receiveFrom(server: Server | PlainServer, receive: Receive, reused: () => void = () => undefined): void {
    /** For each connection that has carried no webhook yet, by the port at its other end: what to call once that one is over. */
    const fresh = new Map<number | undefined, () => void>();
    server.on('connection', (socket: Socket) => {
      const { remotePort } = socket;
      const over = state.holdUps.began();
      fresh.set(remotePort, over);
      socket.on('close', () => {
        over();
        if (fresh.get(remotePort) === over) fresh.delete(remotePort);
      });
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { remotePort } = request.socket;
      const first = fresh.get(remotePort);
      fresh.delete(remotePort);
      if (!first) reused();
      const over = first ?? state.holdUps.began();
      response.on('close', over);
      receive(request, response, over);
    });
  }
  function createReceiving(receive = receiveById): Server {
    const connections = createSurplusConnections(brokenOff);
    const server = createServer({ ...certificate, ...receivingLimits });
    receiveFrom(server, receive, connections.reused);
    server.maxConnections = mostConnections / ports.length;
    server.on('tlsClientError', ({ code = 'no code' }: NodeJS.ErrnoException) => {
      if (code !== spokenPlainly) connections.brokenOff(code);
    });
    servers.push(server);
    return server;
  }
  const addressOf = (at: number, scheme = 'https') => `${scheme}://${host.includes(':') ? `[${host}]` : host}:${at}`;
  const origins: string[] = [];
  for (const each of ports) origins.push(addressOf(portOf(await listen(createReceiving(), each))));
  const [origin = ''] = origins;

  let plain: Promise<PlainServer> | undefined;
  function listenPlainly(): Promise<PlainServer> {
    const server = createPlainServer(receivingLimits);
    receiveFrom(server, receiveById);
    server.maxConnections = mostConnections;
    servers.push(server);
    return listen(server, 0);
  }

  function openMailbox(at: string, folder: string, take: TakeArrival, end = ''): Mailbox {
    const id = randomBytes(12).toString('hex');
    const { mailbox, receive } = createMailbox(`${at}/${folder}/${id}${end}`, take, state);
    mailboxes.set(id, receive);
    return mailbox;
  }

  return {
    origin,
    mailbox: (take, query = '', folder = 'usual') => {
      const at = url ?? origins[mailboxes.size % origins.length] ?? origin;
      if (folder === 'usual' || url !== undefined) return openMailbox(at, 'webhooks', take, query);
      return folder === 'escaped'
        ? openMailbox(at, `webhooks/${escapedFolder}`, take, query)
        : openMailbox(at, `webhooks/${unusualFolder}`, take, `/${query}`);
    },
    bareMailbox: async (take, query = '') => {
      let receive: Receive = receiveById;
      const server = await listen(
        createReceiving((...webhook) => receive(...webhook)),
        0,
      );
      const bare = createMailbox(`${addressOf(portOf(server))}${query}`, take, state);
      receive = bare.receive;
      return bare.mailbox;
    },
    plainMailbox: async (take) => {
      plain ??= listenPlainly();
      return openMailbox(addressOf(portOf(await plain), 'http'), 'webhooks', take);
    },
    closedMailbox: async (take) => {
      const receiving = createReceiving();
      const door = createDoor(receiving, state);
      gates.push(await listen(door.gate, 0));
      return { ...openMailbox(addressOf(portOf(door.gate)), awayFolder, take), ...door.mailbox };
    },
    close: async () => {
      await Promise.all([...servers.map(stop), ...gates.map((gate) => gate.close())]);
    },
  };
}

/** The id of the mailbox of a request: the last segment of the path that is not empty, because a proxy may remove a prefix. */
const idIn = (request: IncomingMessage): string =>
  pathOf(request)
    .split('/')
    .findLast((each) => each !== '') ?? '';

/** A port that breaks off every connection until it is opened, and then hands them to `receiving`. */
function createDoor(receiving: Server, state: ReceiverState) {
  const bell = createBell();
  let isOpen = false;
  let attempts = 0;
  const gate = createGate((socket) => {
    if (isOpen) return void receiving.emit('connection', socket);
    attempts += 1;
    socket.on('error', () => undefined).resetAndDestroy();
    bell.ring();
  });
  const mailbox: Pick<ClosedMailbox, 'open' | 'attempts' | 'attempted'> = {
    open: () => {
      isOpen = true;
    },
    attempts: () => attempts,
    attempted: async (milliseconds) =>
      (await untilRung(
        [{ listen: bell.listen, isHeldUp: state.holdUps.isHeldUp }],
        () => (attempts > 0 ? true : undefined),
        milliseconds,
      )) === true,
  };
  return { gate, mailbox };
}

function portOf(server: NetServer): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the receiver of webhooks has no port');
  return address.port;
}

function stop(server: Server | PlainServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
