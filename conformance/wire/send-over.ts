import * as http from 'node:http';
import * as https from 'node:https';
import type { Route } from './connections.ts';
import { type Answer, joinedHeaders } from './exchange.ts';

/** Headers of a request. A list sends the header once for each of its values. */
export type Headers = Record<string, string | string[]>;

/** The parts of a request that are sent exactly as they are given. */
export interface RequestLine {
  method: string;
  /** The request line's target: path and query. */
  target: string;
  headers: Headers;
  body?: Uint8Array | undefined;
}

/** The whole response did not come in time. */
export class NoAnswerInTime extends Error {}

/**
 * Sends one request over a connection of the route and resolves with the whole response. `timeout`, in milliseconds, begins
 * with the connection. Rejects when no whole response comes.
 */
export function sendOver(
  { method, target, headers, body }: RequestLine,
  { secure, agent, hostname, port, prefix, headers: routeHeaders }: Route,
  timeout: number,
): Promise<Pick<Answer, 'status' | 'headers' | 'text'>> {
  const length = body === undefined ? {} : { 'Content-Length': String(body.byteLength) };
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request({
      agent,
      hostname,
      port,
      method,
      path: `${prefix}${target}`,
      headers: { ...routeHeaders, ...headers, ...length },
    });
    let timer: NodeJS.Timeout | undefined;
    const fail = (error: Error) => {
      clearTimeout(timer);
      if (request.reusedSocket) error.message += ' (over a kept connection)';
      reject(error);
    };
    request.on('error', fail);
    request.on('socket', () => {
      const late = () => new NoAnswerInTime(`it did not come within ${Math.round(timeout)} ms (see --timeout)`);
      timer = setTimeout(() => request.destroy(late()), timeout);
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        clearTimeout(timer);
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: joinedHeaders(response.headers), text });
      });
    });
    request.end(body);
  });
}
