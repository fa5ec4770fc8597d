import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';

/** The bounds on connections and slow clients; times in milliseconds. */
export const serverLimits = {
  /** Further connections are closed at once. */
  maxConnections: 2_000,
  /** From the opening of a connection, or the first byte of a later request, to the end of the headers. */
  headersTimeout: 10_000,
  /** To the end of the body. */
  requestTimeout: 30_000,
  /** How long a connection stays open between two requests. */
  keepAliveTimeout: 5_000,
  /** How often the server looks for connections that are too slow. */
  connectionsCheckingInterval: 1_000,
};

/**
 * An HTTP server that bounds connections and slow clients. A request that comes too slowly gets HTTP 408.
 *
 * @param classes those of its requests and answers; default: Node's own
 */
export function limitedServer(
  limits = serverLimits,
  classes: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> = {},
): Server {
  const { maxConnections, ...times } = limits;
  const server = createServer({ ...times, ...classes });
  server.maxConnections = maxConnections;
  refuseInTurn(server);
  return server;
}

/**
 * Refuses a request that cannot be read after the requests before it on its connection were answered. By default Node refuses
 * it at once, and a client that sends requests behind each other takes the refusal for the answer to an earlier one.
 */
function refuseInTurn(server: Server): void {
  const underWay = new WeakMap<Duplex, Map<ServerResponse, IncomingMessage>>();
  const refused = new WeakSet<Duplex>();

  server.on('request', (request, response) => {
    const { socket } = request;
    const exchanges = underWay.get(socket) ?? new Map<ServerResponse, IncomingMessage>();
    underWay.set(socket, exchanges.set(response, request));
    response.once('close', () => exchanges.delete(response));
  });

  server.on('clientError', (error, socket) => {
    // Each further piece of what cannot be read is an error again.
    if (refused.has(socket)) return;
    refused.add(socket);
    const exchanges = underWay.get(socket) ?? new Map<ServerResponse, IncomingMessage>();
    const refuse = () => {
      // A request whose body cannot be read may have been answered before its end.
      const isAnswered = [...exchanges.keys()].some(({ headersSent }) => headersSent);
      if (socket.writable && !isAnswered) socket.write(refusalOf(error));
      socket.destroy();
    };
    const before = [...exchanges].filter(([, request]) => request.complete).map(([response]) => response);
    let left = before.length;
    if (left === 0) return refuse();
    for (const response of before) {
      response.once('close', () => {
        left -= 1;
        if (left === 0) refuse();
      });
    }
  });
}

/** The statuses with which Node refuses a request that it cannot read; all others get HTTP 400. */
const refusalStatuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function refusalOf(error: Error): string {
  const status = refusalStatuses['code' in error ? String(error.code) : ''] ?? 400;
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`;
}
