import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { generate } from 'selfsigned';

/** A request as a receiver got it. */
export interface Received {
  method: string;
  /** The request line's target. */
  target: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** A receiver of webhooks on a free port of this machine. */
export interface Receiver {
  port: number;
  /** What has arrived, bodies whole, in the order of arrival. */
  received: Received[];
  close(): Promise<void>;
}

/** Starts a receiver that answers with `answer` once a request is there; with a certificate, over TLS. */
export async function startReceiver(
  answer: (response: ServerResponse, received: Received) => void,
  certificate?: { key: string; cert: string },
): Promise<Receiver> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    read(request, (body) => {
      const { method = '', url: target = '', headers } = request;
      const whole = { method, target, headers, body };
      received.push(whole);
      answer(response, whole);
    });
  };
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');
  return {
    port: address.port,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function read(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(Buffer.concat(chunks)));
}

/** A new certificate that nobody vouches for, for localhost, 127.0.0.1 and shop.example. */
export async function selfSigned(): Promise<{ key: string; cert: string }> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 2, value: 'shop.example' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key, cert };
}
