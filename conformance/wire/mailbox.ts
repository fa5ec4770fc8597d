import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson } from '../contract/json.ts';
import { jsonExcess } from '../contract/json-size.ts';
import { Inconclusive } from '../errors/outcomes.ts';
import { createBell, type Source, untilRung } from './bell.ts';
import { withoutEncoding } from './content-encoding.ts';
import { type Answer, type Entry, type Exchange, joinedHeaders } from './exchange.ts';
import type { HoldUps } from './hold-ups.ts';

/** An answer to a webhook. `ends`: `'never'` and `'early'` announce a longer body than comes before the connection is left as it is, or closed. */
interface StatusReply {
  status: number;
  headers?: { Location?: string; 'Retry-After'?: string; 'Content-Encoding'?: string };
  body?: string;
  ends?: 'never' | 'early';
}

/** The reply to a webhook: a status, no answer until the sender gives up, or a closed connection. */
export type Reply = StatusReply | 'no-answer' | 'close';

/** A webhook that has arrived. Its `status` is the one that the mailbox answered with, or 0 for no answer. */
export interface Webhook extends Answer {
  method: string;
  /** The path of the mailbox's address and the path in the request line. They differ when a proxy changes the path. */
  paths: readonly string[];
  /** The query of the request line, with its question mark. Empty: it has none. */
  query: string;
  /** The body without its Content-Encoding. */
  body: Buffer;
  /** The bytes that came, where the body has a Content-Encoding: a sender may sign these or the others. */
  encoded?: Buffer;
}

/** An address for the webhooks of one check. */
export interface Mailbox extends Source {
  readonly url: string;
  /** The webhooks in the order of their arrival. */
  readonly webhooks: readonly Webhook[];
  /**
   * Sets the reply to all webhooks from now on; with `to`, to those that fit, while all others are acknowledged: a sender may send nothing
   * newer about a thing before what it has sent is taken. The first reply is 200.
   */
  reply(reply: Reply, to?: (webhook: Pick<Webhook, 'text'>) => boolean): void;
  /**
   * Waits for a webhook that fits. `undefined`: none has arrived within so many milliseconds. Throws `Inconclusive` when none that fits
   * came, but one whose content is not known because it was too long.
   */
  first(fits: (webhook: Webhook) => boolean, milliseconds: number): Promise<Webhook | undefined>;
  /** How many senders still wait for an answer that the mailbox does not give. */
  unanswered(): number;
}

/** A mailbox that breaks off every connection until it is opened. */
export interface ClosedMailbox extends Mailbox {
  open(): void;
  /** How many connections it has broken off. */
  attempts(): number;
  /** Waits until it has broken off a connection. False: it has broken off none within so many milliseconds. */
  attempted(milliseconds: number): Promise<boolean>;
}

/** A webhook as it arrived, for whoever keeps a history. */
export interface Arrival {
  exchange: Exchange;
  /** The address that the target was given. */
  address: string;
  /** The path and query of the request line. */
  target: string;
  /** False: the body was too long, and its end was dropped. */
  whole: boolean;
  /** What it was answered with: an HTTP status, or nothing. */
  answered: number | Exclude<Reply, object>;
  /** Where the answer redirects to; absent: nowhere. */
  location?: string;
}

/** Takes what arrives at a mailbox, and returns the exchange's place among the exchanges of the check. */
export type TakeArrival = (arrival: Arrival) => Entry;

const acknowledgement: Reply = { status: 200 };

/** The longest body that is kept, in bytes. The rest of a longer body is dropped; no webhook needs as much. */
const longestWebhook = 1024 * 1024;

/** How much of a longer body is kept, in bytes. */
const keptOfTooLong = 2048;

/** Receives a webhook and answers it. `over` is called once it has its answer. */
export type Receive = (request: IncomingMessage, response: ServerResponse, over: () => void) => void;

/**
 * A mailbox at this address, and the function that receives a webhook for it. `take` is called with each webhook before the
 * webhook is answered. `receiver` is what it has in common with the others.
 */
export function createMailbox(
  url: string,
  take: TakeArrival,
  { buffered, holdUps }: ReceiverState,
): { mailbox: Mailbox; receive: Receive } {
  const webhooks: Webhook[] = [];
  const unanswered = new Set<ServerResponse>();
  const bell = createBell();
  let replyTo = (_webhook: Pick<Webhook, 'text'>): Reply => acknowledgement;
  let unread: string | undefined;

  async function receive(request: IncomingMessage, response: ServerResponse, over: () => void): Promise<void> {
    if (isQuestion(request)) {
      response.writeHead(200, { Allow: 'POST' }).end();
      return over();
    }
    const started = performance.now();
    holdUps.reading();
    const { body: came, whole } = await bodyOf(request, buffered);
    const { method = '' } = request;
    const decoded = whole ? withoutEncoding(came, request.headers['content-encoding'], longestWebhook) : undefined;
    const body = decoded ?? came;
    const text = body.toString('utf8');
    const answered = replyTo({ text });
    const excess = whole ? jsonExcess(text) : `it is longer than the receiver reads, and its rest was dropped`;
    if (excess !== undefined) unread ??= `a webhook to ${url} was not read: ${excess}`;
    const headers = joinedHeaders(request.headers);
    const target = request.url ?? '/';
    // What came, and not what was asked for: the two differ where a sender changes the address.
    const at = `${new URL(url).origin}${target}`;
    const kept: Exchange = {
      request: { method, url: at, headers, body: text },
      ...(typeof answered === 'string'
        ? { error: answered === 'close' ? 'the runner closed the connection' : 'the runner did not answer' }
        : { response: { status: answered.status, headers: answered.headers ?? {}, body: answered.body ?? '' } }),
      durationMs: Math.round(performance.now() - started),
    };
    const outcome = typeof answered === 'string' ? answered : answered.status;
    const location = typeof answered === 'string' ? undefined : answered.headers?.Location;
    const entry = take({
      exchange: kept,
      address: url,
      target,
      whole: excess === undefined,
      answered: outcome,
      ...(location !== undefined && { location }),
    });
    if (answered === 'close') response.destroy();
    else if (answered === 'no-answer') leaveUnanswered(response);
    else answer(response, answered);
    if (answered !== 'no-answer') over();
    const status = typeof answered === 'string' ? 0 : answered.status;
    const { pathname } = new URL(url);
    // An address without a path is called at the root, and so its path is a slash.
    const paths = [...new Set([pathname, pathOf(request)])];
    const json = excess === undefined ? parseJson(text) : undefined;
    const query = /\?.*$/s.exec(target)?.[0] ?? '';
    const encoded = decoded && { encoded: came };
    const webhook = { ...entry, status, headers, text, json, method, paths, query, body, ...encoded };
    webhooks.push(webhook);
    bell.ring();
  }

  function answer(response: ServerResponse, reply: StatusReply): void {
    response.writeHead(reply.status, answerHeaders(reply));
    if (reply.ends === undefined) return void response.end(reply.body);
    response.write(reply.body ?? '.', () => {
      if (reply.ends === 'early') response.destroy();
    });
    if (reply.ends === 'never') leaveUnanswered(response);
  }

  function leaveUnanswered(response: ServerResponse): void {
    // A sender that has gone meanwhile waits for nothing, and its end is not told again.
    if (response.destroyed) return;
    unanswered.add(response);
    const waitsNoMore = holdUps.leftUnanswered();
    response.on('close', () => {
      unanswered.delete(response);
      waitsNoMore();
      bell.ring();
    });
  }

  const mailbox: Mailbox = {
    url,
    webhooks,
    reply: (reply, to = () => true) => {
      replyTo = (webhook) => (to(webhook) ? reply : acknowledgement);
    },
    first: async (fits, milliseconds) => {
      const webhook = await untilRung([mailbox], () => webhooks.find(fits), milliseconds);
      if (webhook === undefined && unread !== undefined) throw new Inconclusive(unread);
      return webhook;
    },
    unanswered: () => unanswered.size,
    listen: bell.listen,
    isHeldUp: holdUps.isHeldUp,
  };
  // A webhook whose sender gives up before its end is not recorded.
  return {
    mailbox,
    receive: (request, response, over) => void receive(request, response, over).catch(() => response.destroy()),
  };
}

/** The length of a body that ends before. */
const neverReached = 1_000_000;

/** The headers of an answer. Its length is told, because not every sender reads a body of unknown length. */
function answerHeaders({ headers, body, ends }: StatusReply): Record<string, string> {
  const length = ends ? neverReached : body === undefined ? undefined : Buffer.byteLength(body);
  return { ...headers, ...(length !== undefined && { 'Content-Length': String(length) }) };
}

/** A request that carries nothing: a sender may ask an address what it takes before it sends an event there. */
const isQuestion = ({ method }: IncomingMessage) => method === 'OPTIONS' || method === 'HEAD';

/** The path of a request, without its query. */
export const pathOf = ({ url = '/' }: IncomingMessage) => url.split('?')[0] ?? url;

/** The bytes of unfinished webhooks that the receiver holds, counted over all of its mailboxes. */
export interface BufferedBytes {
  count: number;
}

/** What all mailboxes of a receiver share. */
export interface ReceiverState {
  buffered: BufferedBytes;
  holdUps: HoldUps;
}

/** How many bytes of unfinished webhooks the receiver holds at most. A body that would exceed them is not kept whole. */
const mostBuffered = 16 * 1024 * 1024;

async function bodyOf(request: IncomingMessage, buffered: BufferedBytes): Promise<{ body: Buffer; whole: boolean }> {
  let chunks: Buffer[] = [];
  let held = 0;
  let whole = true;
  try {
    for await (const chunk of request) {
      if (!whole) continue;
      chunks.push(Buffer.from(chunk));
      held += chunk.length;
      buffered.count += chunk.length;
      if (held <= longestWebhook && buffered.count <= mostBuffered) continue;
      whole = false;
      chunks = [Buffer.concat(chunks, Math.min(held, keptOfTooLong))];
      buffered.count -= held;
      held = 0;
    }
    return { body: Buffer.concat(chunks), whole };
  } finally {
    buffered.count -= held;
  }
}
