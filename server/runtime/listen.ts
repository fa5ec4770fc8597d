import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A server that accepts connections. */
export interface Listening {
  /** Its address, with the port on which it listens. */
  url: string;
  /**
   * Accepts no more connections, lets requests under way be answered, and resolves when all connections have ended.
   * Connections without a request end at once, the others after `grace` milliseconds at most.
   */
  close(grace?: number): Promise<void>;
}

/** In milliseconds; longer than any request takes whose client sends it without a pause. */
const defaultGrace = 15_000;

/** Lets `server` listen on a port, or on a free port for 0; rejects when it cannot. */
export async function listen(server: Server, host: string, port: number): Promise<Listening> {
  const sockets = new Set<Socket>();
  const underWay = new Set<ServerResponse>();
  let stopping = false;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (_request, response) => {
    underWay.add(response);
    if (stopping) response.shouldKeepAlive = false;
    response.once('close', () => underWay.delete(response));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve());
  });
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    close: async (grace = defaultGrace) => {
      stopping = true;
      // This ends connections whose answer has begun. The value 0 would keep them open.
      server.keepAliveTimeout = 1;
      const closed = new Promise((resolve) => server.close(resolve));
      const busy = new Set([...underWay].map(({ socket }) => socket));
      // closeIdleConnections would spare connections on which nothing was ever sent, and these could stay open for ever.
      for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
      for (const response of underWay) if (!response.headersSent) response.shouldKeepAlive = false;
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, grace);
      await closed;
      clearTimeout(timer);
    },
  };
}
