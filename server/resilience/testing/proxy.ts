import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A route to a database that can be cut. */
export interface DatabaseProxy {
  /** The database's address by this route. */
  url: string;
  /**
   * Cuts the route. `refused`: connections are closed and new ones refused. `silent`: they stay open, and nothing
   * passes through.
   */
  cut(how: 'refused' | 'silent'): Promise<void>;
  /** Restores the route. Data sent on a silent connection arrives late. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a TCP proxy on a free port of this machine in front of a database's address. */
export async function startProxy(database: string): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(database);
  const sockets = new Set<Socket>();
  let silent = false;

  const server = createServer((inner) => {
    const outer = connect(Number(port), hostname);
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        inner.destroy();
        outer.destroy();
      });
    }
    inner.on('data', (chunk) => outer.write(chunk));
    outer.on('data', (chunk) => inner.write(chunk));
    if (silent) for (const socket of [inner, outer]) socket.pause();
  });
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const own = (server.address() as AddressInfo).port;

  async function stopListening(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  const url = new URL(database);
  url.port = String(own);
  return {
    url: url.href,
    async cut(how) {
      if (how === 'refused') return stopListening();
      silent = true;
      for (const socket of sockets) socket.pause();
    },
    async restore() {
      silent = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(own);
    },
    close: stopListening,
  };
}
