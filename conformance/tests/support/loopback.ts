import { createServer, type IncomingMessage, request as requestTo, type Server } from 'node:http';
import { connect, type Server as NetServer, type Socket } from 'node:net';

/** A server on a free port of this machine. */
export interface Loopback {
  port: number;
  close(): Promise<void>;
}

/** Starts a server on a free port. Its `close` also ends open connections. */
export async function listen(server: NetServer): Promise<Loopback> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A forward proxy that sends requests for every name to this machine. */
export interface ForwardProxy extends Loopback {
  /** The request lines that the proxy received, and their credentials. */
  asked: { line: string; authorization: string | undefined }[];
}

/** Starts a forward proxy. `refuse`: the status with which it refuses every request. */
export async function startForwardProxy(refuse?: number): Promise<ForwardProxy> {
  const asked: ForwardProxy['asked'] = [];
  const note = ({ method, url, headers }: IncomingMessage) =>
    asked.push({ line: `${method} ${url}`, authorization: headers['proxy-authorization'] });

  const server: Server = createServer((incoming, response) => {
    note(incoming);
    if (refuse !== undefined) {
      response.writeHead(refuse).end('<h1>no</h1>');
      return;
    }
    // The path is taken from the text, because URL would normalise it.
    const [, port = '80', path = '/'] = /^http:\/\/[^/:]+:?([0-9]*)(\/.*)$/.exec(incoming.url ?? '') ?? [];
    const { method, headers } = incoming;
    incoming.pipe(
      requestTo({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
        // The target's answer may be none that HTTP knows.
      }).on('error', () => response.destroy()),
    );
  });
  server.on('connect', (incoming, socket) => {
    note(incoming);
    if (refuse !== undefined) {
      socket.end(`HTTP/1.1 ${refuse} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const upstream = connect(Number(incoming.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
  });
  return { ...(await listen(server)), asked };
}
