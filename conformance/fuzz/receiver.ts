import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver of webhooks that behaves as the path of the webhook says (`receiverPaths`). */
export async function startOddReceiver(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume();
    const { socket } = request;
    switch (request.url) {
      case '/500':
        response.writeHead(500).end('no');
        return;
      case '/reset':
        socket.resetAndDestroy();
        return;
      case '/silent':
        return;
      case '/garbage':
        socket.end('tea\r\n\r\n'.repeat(100));
        return;
      case '/endless': {
        response.writeHead(200);
        const piece = Buffer.alloc(16_384);
        const more = () => {
          while (!response.destroyed && response.write(piece));
        };
        response.on('drain', more).on('error', () => {});
        more();
        return;
      }
      case '/redirect':
        response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
        return;
      default:
        response.end('ok');
    }
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
