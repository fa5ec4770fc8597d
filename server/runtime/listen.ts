import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A server that accepts connections. */
export interface Listening {
  /** Where, with the port that was taken. */
  url: string;
  /**
   * Accepts nothing more, lets what is under way be answered, and resolves when all connections have ended. Those that
   * carry no request end at once, all others after `grace` milliseconds.
   */
  close(grace?: number): Promise<void>;
}

/** Longer than a request takes whose client sends it at once. */
const defaultGrace = 15_000;

/** Lets `server` listen on a port, 0 being a free one; rejects when it cannot. */
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
      // For connections whose answer has begun; 0 would keep them.
      server.keepAliveTimeout = 1;
      const closed = new Promise((resolve) => server.close(resolve));
      const busy = new Set([...underWay].map(({ socket }) => socket));
      // Not closeIdleConnections: it spares those on which nothing was ever sent, and they could stay for ever.
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
