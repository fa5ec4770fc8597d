import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Route } from './connections.ts';
import { type Answer, joinedHeaders, lateAnswer, overKeptConnection } from './exchange.ts';
import type { StartingLine } from './starting-line.ts';

/** Headers of a request. A list sends the header once for each of its values. */
export type Headers = Record<string, string | string[]>;

/** The parts of a request that are sent exactly as they are given. */
export interface RequestLine {
  method: string;
  /** The request line's target: path and query. */
  target: string;
  headers: Headers;
  body?: Uint8Array | undefined;
  /** Where the request waits before the last byte of its body. */
  startingLine?: StartingLine | undefined;
  /** Sends the body after its headers in two parts, with a pause before each: under its length, or in chunks. */
  inParts?: 'with length' | 'in chunks' | undefined;
}

/** How long a request pauses before each part of a body that is sent in parts, in milliseconds. */
const pauseBeforePart = 300;

/** The whole response did not come in time. */
export class NoAnswerInTime extends Error {}

/** The connection was closed, and nothing else is known. */
export class ConnectionClosed extends Error {}

/** How far an answer is read. */
export interface ReadingLimits {
  /** How long the exchange may take, in milliseconds, from its connection on. */
  timeout: number;
  /** Whether so many further bytes of the body may be read, of which `read` bytes have come before. It is asked once for each piece. */
  mayRead(further: number, read: number): boolean;
  /** Called when the request has its connection, which may be a new one. */
  onConnected?(isNew: boolean): void;
}

/** A response, read to its end or to the limit. */
export interface Received extends Pick<Answer, 'status' | 'headers' | 'text'> {
  /** How many bytes of the body have come. */
  read: number;
  /** False: no more of the body may be read. `text` is then its beginning, and the connection is closed. */
  whole: boolean;
  /** How long it took from the connection on, in milliseconds. */
  milliseconds: number;
}

/** How much of a body that is too long is kept, in bytes. */
const keptOfTooLong = 2048;

/** Connections that have carried a request. Node says so only of those that were idle between two, and not of those for which a request waited. */
const usedConnections = new WeakSet<Socket>();

/**
 * Sends one request over a connection of the route and resolves with the response. Compressed bodies stay as they are. Rejects
 * when no response comes, or not to its end.
 */
export function sendOver(
  { method, target, headers, body, startingLine, inParts }: RequestLine,
  { secure, agent, hostname, port, prefix, headers: routeHeaders }: Route,
  { timeout, mayRead, onConnected }: ReadingLimits,
): Promise<Received> {
  const length = body === undefined || inParts === 'in chunks' ? {} : { 'Content-Length': String(body.byteLength) };
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request({
      agent,
      hostname,
      port,
      method,
      path: `${prefix}${target}`,
      headers: { ...routeHeaders, ...headers, ...length },
      // Node would otherwise hold the certificate against the header Host, and a request may name any host there.
      servername: isIP(hostname) ? '' : hostname,
    });
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    let isKept = false;
    let answer: http.IncomingMessage | undefined;
    const fail = (error: Error) => {
      // What is wrong comes after a whole answer, such as the rest of a body that is longer than its Content-Length: the answer itself counts.
      if (answer?.complete) return;
      isOver = true;
      clearTimeout(timer);
      if (isKept) error.message += ` ${overKeptConnection}`;
      reject(error);
    };
    request.on('error', fail);
    // Node reports some ends of a connection, such as a switch of protocols, by this event alone. After other ends the reason comes with it.
    const failUnlessOver = () => {
      if (!isOver) fail(new ConnectionClosed('the connection was closed before the end of the answer'));
    };
    request.on('close', () => {
      if (!isOver) setImmediate(failUnlessOver);
    });
    let connected = performance.now();
    request.on('socket', (socket) => {
      connected = performance.now();
      isKept = usedConnections.has(socket);
      usedConnections.add(socket);
      onConnected?.(!isKept);
      const late = () => new NoAnswerInTime(`${lateAnswer} ${Math.round(timeout)} ms`);
      timer = setTimeout(() => request.destroy(late()), timeout);
    });
    request.on('response', (response) => {
      answer = response;
      const chunks: Buffer[] = [];
      let read = 0;
      const end = (whole: boolean) => {
        isOver = true;
        clearTimeout(timer);
        const bytes = Buffer.concat(chunks, whole ? read : Math.min(read, keptOfTooLong));
        const received = { status: response.statusCode ?? 0, headers: joinedHeaders(response.headers) };
        const milliseconds = performance.now() - connected;
        resolve({ ...received, text: bytes.toString('utf8'), read, whole, milliseconds });
      };
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => {
        const isAllowed = mayRead(chunk.length, read);
        read += chunk.length;
        chunks.push(chunk);
        if (isAllowed) return;
        end(false);
        request.destroy();
      });
      response.on('end', () => end(true));
    });
    if (inParts && body) {
      const middle = Math.floor(body.byteLength / 2);
      request.flushHeaders();
      // One timer after the other: two that are due on a busy machine may fire in either order.
      setTimeout(() => {
        request.write(body.subarray(0, middle));
        setTimeout(() => request.end(body.subarray(middle)), pauseBeforePart);
      }, pauseBeforePart);
      return;
    }
    if (!startingLine || !body) return void request.end(body);
    request.write(body.subarray(0, -1), () => startingLine.arrive(() => request.end(body.subarray(-1))));
  });
}
