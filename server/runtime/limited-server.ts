import { createServer, type Server, type ServerOptions } from 'node:http';

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
  return server;
}
